//! Small random demonstrations for tests.

use crate::head::{HeadConfig, HeadWeights};
use crate::random::Random;
use rollcheck_engine::demos::episode::Origin;
use rollcheck_engine::demos::{DemoSet, Episode};
use rollcheck_engine::graph::{DemoGraph, edges};
use std::sync::Arc;

/// `per_task` demos of each of `tasks` tasks: random walks of 16 to 47 frames with a gripper that toggles.
pub(crate) fn demos(seed: u64, dof: usize, tasks: i32, per_task: usize) -> DemoSet {
    let mut random = Random::new(seed, 0xde40);
    let origin = Origin { file: "random", episode: 0, field: "q" };
    let mut episodes = Vec::new();
    for i in 0..tasks as usize * per_task {
        let frames = 16 + random.below(32);
        let mut at: Vec<f64> = (0..dof).map(|_| 0.1 * random.normal()).collect();
        let (mut q, mut closed, mut state) = (Vec::new(), Vec::new(), false);
        for _ in 0..frames {
            for x in &mut at {
                *x += 0.02 * random.normal() + 0.01;
                q.push(*x);
            }
            state ^= random.below(10) == 0;
            closed.push(state);
        }
        episodes.push(Episode::new(q, dof, closed, i as i32 % tasks, 20.0, origin).unwrap());
    }
    DemoSet::new(episodes, Vec::new(), origin).unwrap()
}

/// Their graph.
pub(crate) fn graph(demos: &DemoSet) -> Arc<DemoGraph> {
    Arc::new(edges::build(demos).unwrap())
}

/// The smallest head of the usual depth; few seeds, so that much stays unreached.
pub(crate) fn config(dof: usize) -> HeadConfig {
    HeadConfig { width: 16, hidden: 8, seed_topk: 5, ..HeadConfig::new(dof) }
}

/// Initial weights with every value moved, so that no term of the head is zero.
pub(crate) fn weights(config: HeadConfig, seed: u64) -> HeadWeights {
    let mut random = Random::new(seed, 0x3e1);
    let moved = HeadWeights::initial(config, seed)
        .tensors()
        .iter()
        .map(|t| t.values.iter().map(|x| 0.5 * x + (0.1 * random.normal()) as f32).collect())
        .collect();
    HeadWeights::new(config, moved).unwrap()
}
