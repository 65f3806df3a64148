//! The graphs that the benches run on and the rollouts that they are asked about.
//!
//! Everything is made when first used: `cargo bench -- check` starts every bench program and none should
//! build a graph that it does not time.

use crate::scale::{Scale, generate};
use rollcheck_engine::constants::HIST_H;
use rollcheck_engine::demos::{DemoSet, Episode, npz as demo_file};
use rollcheck_engine::graph::{DemoGraph, edges};
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// Demonstrations and their graph.
pub struct Suite {
    /// Where the demonstrations come from.
    pub source: &'static str,
    /// Number of nodes of the graph.
    pub nodes: usize,
    demos: LazyLock<DemoSet>,
    graph: LazyLock<Arc<DemoGraph>>,
}

/// The 112 recorded demonstrations.
pub static REAL: Suite = Suite {
    source: "real",
    nodes: 7_208,
    demos: LazyLock::new(|| recorded("demos_long.npz")),
    graph: LazyLock::new(|| REAL.build()),
};

/// 500 demonstrations generated from them, within a percent of the long suite's size: good for times and
/// memory alone.
pub static GENERATED: Suite = Suite {
    source: "generated",
    nodes: 28_478,
    demos: LazyLock::new(generated),
    graph: LazyLock::new(|| GENERATED.build()),
};

/// Both suites, the smaller first.
pub fn suites() -> [&'static Suite; 2] {
    [&REAL, &GENERATED]
}

impl Suite {
    /// The name in benches: source and size.
    pub fn name(&self) -> String {
        format!("{}-{}", self.source, self.nodes)
    }

    /// The demonstrations.
    pub fn demos(&self) -> &DemoSet {
        &self.demos
    }

    /// The graph.
    pub fn graph(&self) -> &Arc<DemoGraph> {
        &self.graph
    }

    fn build(&self) -> Arc<DemoGraph> {
        let graph = edges::build(self.demos()).expect("a graph of the bench's demonstrations");
        assert_eq!(graph.len(), self.nodes, "nodes of the {} demonstrations", self.source);
        Arc::new(graph)
    }
}

fn generated() -> DemoSet {
    demo_file::from_arrays(&generate(REAL.demos(), &Scale::default())).expect("generated demonstrations")
}

fn recorded(file: &str) -> DemoSet {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/demos"));
    demo_file::read(&folder.join(file)).expect("the recorded episodes of the repository")
}

/// Clean rollouts by another expert, which neither graph has seen.
static ROLLOUTS: LazyLock<DemoSet> = LazyLock::new(|| recorded("rollouts_fast.npz"));

/// `B` workers, each at its own rollout: the windows of each pass in the layout of a batch.
pub struct Passes {
    /// The task of each worker.
    pub tasks: Vec<i32>,
    /// Positions (`B x HIST_H x dof`, rad) and gripper commands (`B x HIST_H`) of each pass.
    pub windows: Vec<(Vec<f64>, Vec<bool>)>,
    /// Frames per second.
    pub rate_hz: f64,
}

impl Passes {
    /// The first `workers` rollouts side by side, as far as the shortest goes.
    ///
    /// # Panics
    /// With more workers than rollouts.
    pub fn of(workers: usize) -> Self {
        let rollouts = &ROLLOUTS.episodes()[..workers];
        let checks = rollouts.iter().map(|r| r.frames() / HIST_H).min().unwrap_or(0);
        let pass = |t: usize| {
            let frames = t * HIST_H..(t + 1) * HIST_H;
            let q = rollouts.iter().flat_map(|r| frames.clone().flat_map(|k| r.q(k).iter().copied()));
            let closed = rollouts.iter().flat_map(|r| frames.clone().map(|k| r.closed(k)));
            (q.collect(), closed.collect())
        };
        Self {
            tasks: rollouts.iter().map(Episode::task_id).collect(),
            windows: (0..checks).map(pass).collect(),
            rate_hz: rollouts.first().map_or(0.0, Episode::rate_hz),
        }
    }
}
