//! The suite of `golden_replay.npz` as the recovery loop takes it: fitted parameters, recorded windows, heads
//! without a network.

#![allow(dead_code, reason = "each test file uses its part")]

use crate::sentinel_fixtures::Golden;
use rollcheck_engine::belief::{AdvanceParameters, Likelihood, Logits, Query, SiblingRule, Window};
use rollcheck_engine::constants::{HIST_H, KERNEL_BW};
use rollcheck_engine::graph::DemoGraph;
use rollcheck_engine::store::{Data, HeadHash};
use rollcheck_engine::track::{Banks, TrackParameters};
use rollcheck_engine::when::pooling::PoolLevel;
use rollcheck_engine::when::{BasinCell, BasinTable, NullBank};
use rollcheck_kernels::knn::distance_sq;
use std::sync::Arc;

/// Rate of the recorded rollouts.
pub(crate) const RATE_HZ: f64 = 20.0;

/// What was fitted on all ten demos.
pub(crate) fn parameters(golden: &Golden, graph: &DemoGraph) -> TrackParameters {
    let bank = |name: &str, bin: &str| {
        NullBank::new(
            golden.f64(&format!("bank_{name}")),
            golden.i32("bank_owner"),
            golden.i32("bank_task"),
            golden.i32(bin),
        )
        .unwrap()
    };
    let cells = golden.f64("basin_r").into_iter().zip(golden.f64("basin_h"));
    let cells = cells.map(|(radius_rad, bandwidth_rad)| {
        let (level, count) = (PoolLevel::Task, 298);
        BasinCell { radius_rad, bandwidth_rad, level, count }
    });
    let tasks = graph.lanes().iter().map(|lane| lane.task_id).collect();
    TrackParameters {
        advance: AdvanceParameters {
            pi: golden.f64("pi").try_into().unwrap(),
            beta: golden.scalar("beta"),
            siblings: SiblingRule::Near,
        },
        leak: golden.scalar("leak"),
        tau: 1.0,
        banks: Banks {
            basin: bank("basin", "bank_basin_bin"),
            progress: bank("progress", "bank_progress_bin"),
            evidence: bank("evidence", "bank_basin_bin"),
        },
        basin: BasinTable::from_cells(tasks, cells.collect()).unwrap(),
        replays: 10,
        checks: golden.i32("bank_owner").len(),
        summary: r#"{"leak": {"fitted": 0.01}}"#.to_owned(),
        graph: graph.hash().clone(),
        head: HeadHash::of([("of no head", &[1][..], &Data::U8(vec![0]))]),
    }
}

/// One recorded rollout.
pub(crate) struct Rollout {
    pub(crate) q: Vec<f64>,
    pub(crate) closed: Vec<bool>,
    pub(crate) task: i32,
    /// The demo that it replays.
    pub(crate) owner: usize,
}

impl Rollout {
    /// The case `clean`, `push` or `stall`.
    pub(crate) fn read(golden: &Golden, case: &str) -> Self {
        Self {
            q: golden.f64(&format!("{case}_q")),
            closed: golden.flags(&format!("{case}_gripper")),
            task: golden.i32(&format!("{case}_task"))[0],
            owner: golden.integer(&format!("{case}_owner")),
        }
    }

    pub(crate) fn checks(&self) -> usize {
        self.closed.len() / HIST_H
    }

    /// The window of check `t`.
    pub(crate) fn window(&self, t: usize) -> Window<'_> {
        let frames = HIST_H * t..HIST_H * (t + 1);
        let dof = self.q.len() / self.closed.len();
        let q = &self.q[frames.start * dof..frames.end * dof];
        Window { q, closed: &self.closed[frames], rate_hz: RATE_HZ }
    }
}

/// Logits `-d^2 / (2 KERNEL_BW^2)` of the newest frame's distance to each node of the lane.
#[derive(Clone)]
pub(crate) struct JointKernel {
    pub(crate) graph: Arc<DemoGraph>,
    /// Whether a node can be reached.
    pub(crate) reaches: fn(&DemoGraph, usize) -> bool,
}

impl JointKernel {
    /// Reaches every node.
    pub(crate) fn new(graph: &Arc<DemoGraph>) -> Self {
        Self { graph: Arc::clone(graph), reaches: |_, _| true }
    }
}

impl Likelihood for JointKernel {
    fn logits(&mut self, query: &Query<'_>, out: &mut Logits) {
        let lane = self.graph.lane(query.lane.unwrap()).unwrap();
        out.values.clear();
        out.values.extend(lane.nodes.iter().map(|&v| {
            let v = v as usize;
            if !(self.reaches)(&self.graph, v) || query.without_owner == Some(self.graph.owner(v)) {
                return f32::NEG_INFINITY;
            }
            (-distance_sq(query.window.newest(), self.graph.q(v)) / (2.0 * KERNEL_BW * KERNEL_BW)) as f32
        }));
    }
}
