//! The recovery loop beside its ordinary check, which `golden_replay.rs` holds: what it refuses, what it
//! survives, and that one worker, a batch of them and a frame-by-frame loop answer alike.

#![allow(clippy::unwrap_used)]

mod batch;
mod entry;
#[path = "../replay_fixtures/mod.rs"]
mod replay_fixtures;
#[path = "../sentinel_fixtures/mod.rs"]
mod sentinel_fixtures;
mod worker;

use replay_fixtures::{JointKernel, Rollout, parameters};
use rollcheck_engine::belief::{Likelihood, Logits, Query};
use rollcheck_engine::graph::DemoGraph;
use rollcheck_engine::recovery::{SentinelModel, SentinelSettings, SentinelWorker};
use rollcheck_engine::when::RuleSettings;
use sentinel_fixtures::{Golden, graph};
use std::sync::{Arc, LazyLock};

static GOLDEN: LazyLock<Golden> = LazyLock::new(|| Golden::read("golden_replay.npz"));
static GRAPH: LazyLock<Arc<DemoGraph>> = LazyLock::new(|| Arc::new(graph()));

fn model_with(rule: RuleSettings) -> Arc<SentinelModel> {
    let parameters = Arc::new(parameters(&GOLDEN, &GRAPH));
    Arc::new(SentinelModel::new(Arc::clone(&GRAPH), parameters, SentinelSettings::new(rule)).unwrap())
}

fn model() -> Arc<SentinelModel> {
    model_with(RuleSettings::method())
}

fn kernel() -> JointKernel {
    JointKernel::new(&GRAPH)
}

fn rollout(case: &str) -> Rollout {
    Rollout::read(&GOLDEN, case)
}

fn worker_on(model: &Arc<SentinelModel>, rollout: &Rollout) -> SentinelWorker {
    SentinelWorker::new(Arc::clone(model), rollout.task).unwrap()
}

/// A head that reaches nothing.
struct Blind;

impl Likelihood for Blind {
    fn logits(&mut self, query: &Query<'_>, out: &mut Logits) {
        let nodes = GRAPH.lane(query.lane.unwrap()).unwrap().nodes.len();
        out.values.clear();
        out.values.resize(nodes, f32::NEG_INFINITY);
    }
}

/// A pose `distance_rad` away from `q` along one joint.
fn away(q: &[f64], joint: usize, distance_rad: f64) -> Vec<f64> {
    let mut q = q.to_vec();
    q[joint] += distance_rad;
    q
}
