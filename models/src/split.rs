//! Which demo trains, which fits, which audits: by owner, seeded, stratified by task.
//!
//! Train 70 % (the head's loss), fit 15 % (epoch choice, pi, beta, leak, null banks, basins), audit 15 %
//! (printed figures only). Within a task owners are shuffled and cut at the rounded shares; a task with at
//! least three demos gives each part one.

use crate::random::Random;
use rollcheck_engine::graph::DemoGraph;

/// Share of the demos of a task that train, and that fit.
pub const SHARES: (f64, f64) = (0.70, 0.15);
const STREAM: u64 = 0x5_9117;

/// Owners of each part, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Owners whose windows train the head.
    pub train: Vec<usize>,
    /// Owners whose replays choose the epoch and fit the filter.
    pub fit: Vec<usize>,
    /// Owners that only the printed figures see.
    pub audit: Vec<usize>,
}

impl Split {
    /// The split of a graph's demos for a seed.
    pub fn new(graph: &DemoGraph, seed: u64) -> Self {
        let mut split = Self::default();
        let mut random = Random::new(seed, STREAM);
        for lane in graph.lanes() {
            let mut owners: Vec<usize> =
                (0..graph.owners()).filter(|&o| graph.owner_task(o) == lane.task_id).collect();
            random.shuffle(&mut owners);
            let (train, fit) = cut(owners.len());
            split.train.extend(&owners[..train]);
            split.fit.extend(&owners[train..train + fit]);
            split.audit.extend(&owners[train + fit..]);
        }
        for part in [&mut split.train, &mut split.fit, &mut split.audit] {
            part.sort_unstable();
        }
        split
    }
}

/// How many of `n` demos train and fit; the rest audits.
fn cut(n: usize) -> (usize, usize) {
    let share = |part: f64| (part * n as f64).round() as usize;
    if n < 3 {
        return (n, 0);
    }
    let fit = share(SHARES.1).max(1);
    (share(SHARES.0).clamp(1, n - fit - 1), fit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_their_shares_and_none_is_empty() {
        for (n, expected) in
            [(25, (18, 4)), (21, (15, 3)), (16, (11, 2)), (3, (1, 1)), (2, (2, 0)), (0, (0, 0))]
        {
            assert_eq!(cut(n), expected, "{n}");
        }
        for n in 3..200 {
            let (train, fit) = cut(n);
            assert!(train >= 1 && fit >= 1 && train + fit < n, "{n}");
        }
    }
}
