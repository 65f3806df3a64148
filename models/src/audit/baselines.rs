//! Phase estimates to compare the filter with: one needs no filter, two need no head either.

use super::recorded::{Recorded, Source};
use rollcheck_engine::constants::K_SIBLING;
use rollcheck_engine::graph::DemoGraph;
use rollcheck_kernels::SimdLevel;
use rollcheck_kernels::knn::{Nearest, distance_sq};
use rollcheck_kernels::masked_softmax::masked_softmax;

/// Neighbours of the kNN baseline.
pub const KNN: usize = K_SIBLING;

/// Memoryless: `sum_v L_v phase_v` with `L` the softmax at temperature 1; `None` where nothing is reached.
pub fn memoryless(graph: &DemoGraph, recorded: &Recorded) -> Vec<Option<f64>> {
    let Some(lane) = graph.lane(recorded.source.episode.task_id()) else {
        return vec![None; recorded.logits.len()];
    };
    let mut likelihood = vec![0.0; lane.nodes.len()];
    recorded
        .logits
        .iter()
        .map(|logits| {
            let reached =
                masked_softmax(SimdLevel::detect(), &logits.values, 1.0, &mut likelihood).unwrap_or(0);
            let phase =
                || lane.nodes.iter().zip(&likelihood).map(|(&v, l)| l * graph.phase(v as usize)).sum();
            (reached > 0).then(phase)
        })
        .collect()
}

/// Clock: elapsed time over the mean duration of the task's other demos, at most 1.
pub fn clock(graph: &DemoGraph, source: &Source, counted: impl Fn(usize) -> bool) -> Vec<Option<f64>> {
    let task = source.episode.task_id();
    let lasts: Vec<f64> = (0..graph.owners())
        .filter(|&o| graph.owner_task(o) == task && source.owner != Some(o) && counted(o))
        .map(|o| graph.frame(graph.strand(o).end - 1) as f64)
        .collect();
    let mean = (!lasts.is_empty()).then(|| lasts.iter().sum::<f64>() / lasts.len() as f64);
    (0..source.checks()).map(|check| mean.map(|m| (Source::judged(check) as f64 / m).min(1.0))).collect()
}

/// kNN: mean phase of the [`KNN`] nearest nodes of the lane in joint space, own strand left out.
pub fn knn_phase(graph: &DemoGraph, source: &Source) -> Vec<Option<f64>> {
    let lane = graph.lane(source.episode.task_id()).map_or(&[][..], |l| &l.nodes);
    let mut nearest = Nearest::new(KNN);
    (0..source.checks())
        .map(|check| {
            let q = source.episode.q(Source::judged(check));
            nearest.clear();
            for &v in lane {
                if source.owner != Some(graph.owner(v as usize)) {
                    nearest.offer(distance_sq(q, graph.q(v as usize)), v);
                }
            }
            let found = nearest.as_slice();
            let sum: f64 = found.iter().map(|&(_, v)| graph.phase(v as usize)).sum();
            (!found.is_empty()).then(|| sum / found.len() as f64)
        })
        .collect()
}
