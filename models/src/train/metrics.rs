//! Scores of a head on demos it was not trained on, own strand removed.

use super::windows::{BINS, Sample, WindowBuffer};
use crate::head::{Head, HeadWorker};
use rayon::prelude::*;
use rollcheck_engine::belief::{Likelihood, Logits, Query};
use rollcheck_engine::demos::DemoSet;
use rollcheck_engine::graph::DemoGraph;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Means over windows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Windows scored.
    pub windows: usize,
    /// Mean absolute error of the expected phase.
    pub phase_mae: f64,
    /// Share of windows whose most likely bin is the right one.
    pub bin_accuracy: f64,
    /// Mean of `-ln p(bin)`, probabilities floored at 1e-9.
    pub negative_log_likelihood: f64,
    /// Share of windows whose target node is reached.
    pub target_reached: f64,
}

struct One {
    error: f64,
    right: bool,
    nll: f64,
    reached: bool,
}

/// Scores samples; each is asked without its own strand. `None` when there are none.
pub fn score(head: &Arc<Head>, demos: &DemoSet, samples: &[Sample]) -> Option<Scores> {
    let all: Vec<One> = samples
        .par_iter()
        .map_init(
            || (HeadWorker::new(Arc::clone(head)), Logits::default()),
            |(worker, logits), sample| {
                let window = WindowBuffer::of(demos, sample.owner, sample.frame, sample.kind);
                let query = Query {
                    window: window.view(),
                    lane: Some(sample.task),
                    without_owner: Some(sample.owner),
                };
                worker.logits(&query, logits);
                one(head.graph(), sample, &logits.values)
            },
        )
        .collect();
    let n = all.len() as f64;
    let mean = |f: &dyn Fn(&One) -> f64| all.iter().map(f).sum::<f64>() / n;
    let flag = |b: bool| f64::from(u8::from(b));
    (!all.is_empty()).then(|| Scores {
        windows: all.len(),
        phase_mae: mean(&|o| o.error),
        bin_accuracy: mean(&|o| flag(o.right)),
        negative_log_likelihood: mean(&|o| o.nll),
        target_reached: mean(&|o| flag(o.reached)),
    })
}

fn one(graph: &DemoGraph, sample: &Sample, logits: &[f32]) -> One {
    let lane = graph.lane(sample.task).map_or(&[][..], |l| &l.nodes);
    let largest = logits.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
    let (mut total, mut phase, mut bins) = (0.0, 0.0, [0.0; BINS]);
    for (&v, &logit) in lane.iter().zip(logits) {
        if logit > f32::NEG_INFINITY {
            let share = f64::from(logit - largest).exp();
            total += share;
            phase += share * graph.phase(v as usize);
            bins[graph.bin(v as usize)] += share;
        }
    }
    let reached = |target: u32| lane.binary_search(&target).is_ok_and(|i| logits[i] > f32::NEG_INFINITY);
    let best = bins.iter().enumerate().fold(0, |b, (i, &p)| if p > bins[b] { i } else { b });
    let probability = if total > 0.0 { bins[sample.bin] / total } else { 0.0 };
    One {
        error: if total > 0.0 { (phase / total - sample.phase).abs() } else { 1.0 },
        right: total > 0.0 && best == sample.bin,
        nll: -probability.max(super::loss::PROBABILITY_FLOOR).ln(),
        reached: sample.target.is_some_and(reached),
    }
}
