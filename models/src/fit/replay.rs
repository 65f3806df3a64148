//! Clean leave-one-demo-out replays: what the head says at each check of a demo it must not look up.

use crate::head::{Head, HeadWorker};
use crate::train::windows::{Kind, WindowBuffer, checks};
use rayon::prelude::*;
use rollcheck_engine::belief::{Likelihood, Logits, Query};
use rollcheck_engine::demos::DemoSet;
use rollcheck_kernels::SimdLevel;
use rollcheck_kernels::masked_softmax::masked_softmax;
use std::sync::Arc;

/// One demo through the head.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The demo.
    pub owner: usize,
    /// Its task.
    pub task: i32,
    /// Logits of each check, one a node of the lane.
    pub logits: Vec<Logits>,
    /// True phase of each judged frame.
    pub phase: Vec<f64>,
    /// Judged joint positions of each check, rad.
    pub q: Vec<Vec<f64>>,
}

impl Replay {
    /// Number of checks.
    pub fn checks(&self) -> usize {
        self.logits.len()
    }

    /// Likelihood of each check at a temperature; zero where nothing was reached.
    pub fn likelihoods(&self, tau: f64) -> Vec<Vec<f64>> {
        let softmax = |logits: &Logits| {
            let mut likelihood = vec![0.0; logits.values.len()];
            masked_softmax(SimdLevel::detect(), &logits.values, tau, &mut likelihood)
                .unwrap_or_else(|e| unreachable!("one value a logit: {e}"));
            likelihood
        };
        self.logits.iter().map(softmax).collect()
    }
}

/// Replays the demos `owners` without their own strands, in their order.
pub fn replays(head: &Arc<Head>, demos: &DemoSet, owners: &[usize]) -> Vec<Replay> {
    owners
        .par_iter()
        .map_init(|| HeadWorker::new(Arc::clone(head)), |worker, &owner| replay(worker, demos, owner))
        .collect()
}

fn replay(worker: &mut HeadWorker, demos: &DemoSet, owner: usize) -> Replay {
    let episode = &demos.episodes()[owner];
    let task = episode.task_id();
    let mut replay = Replay { owner, task, logits: Vec::new(), phase: Vec::new(), q: Vec::new() };
    for frame in checks(episode.frames()) {
        let window = WindowBuffer::of(demos, owner, frame, Kind::Moving);
        let query = Query { window: window.view(), lane: Some(task), without_owner: Some(owner) };
        let mut logits = Logits::default();
        worker.logits(&query, &mut logits);
        replay.logits.push(logits);
        replay.phase.push(episode.phase(frame));
        replay.q.push(episode.q(frame).to_vec());
    }
    replay
}
