//! One update of the belief filter on one lane: the definition beside each vector level, and the engine's own
//! call, which adds what it checks and reports.
//!
//! All of them do the same work: softmax of the logits, both factors of the transition, the update, phase and
//! concentration of the posterior. Every node of the lane is reached, which is the most work.

#![allow(clippy::unwrap_used, reason = "a bench whose setup fails has nothing to time")]

use criterion::{BenchmarkId, Criterion, Throughput};
use rollcheck_benches::inputs::{GENERATED, Passes, REAL, Suite};
use rollcheck_engine::belief::filter::{Workspace, check};
use rollcheck_engine::belief::{Advance, AdvanceParameters, FilterSettings, Logits, Observation, Scope};
use rollcheck_engine::constants::KERNEL_BW;
use rollcheck_kernels::knn::distance_sq;
use rollcheck_kernels::{SimdLevel, belief_advance, masked_softmax, weighted_mean};
use std::cell::LazyCell;
use std::hint::black_box;
use std::time::Duration;

/// The lane of each suite that is nearest to the mean size, 1,440 and 2,850 nodes: task and number of nodes.
const LANES: [(&Suite, i32, usize); 2] = [(&REAL, 0, 1_519), (&GENERATED, 7, 2_867)];

struct Lane {
    scope: Scope,
    advance: Advance,
    settings: FilterSettings,
    logits: Logits,
    belief: Vec<f64>,
}

impl Lane {
    fn new(suite: &Suite, task: i32, nodes: usize) -> Self {
        let graph = suite.graph();
        let scope = Scope::new(graph, Some(task)).unwrap();
        assert_eq!(scope.len(), nodes, "lane of task {task}, {}", suite.source);
        let advance = Advance::build(graph, &scope, &AdvanceParameters::default()).unwrap();
        let pose = &Passes::of(1).windows[0].0[..graph.dof()];
        let logit = |v: u32| -distance_sq(pose, graph.q(v as usize)) / (2.0 * KERNEL_BW * KERNEL_BW);
        let logits = Logits { values: scope.nodes().iter().map(|&v| logit(v) as f32).collect() };
        let belief = vec![1.0 / nodes as f64; nodes];
        Self { scope, advance, settings: FilterSettings::default(), logits, belief }
    }
}

/// What an update writes.
struct Buffers {
    likelihood: Vec<f64>,
    advanced: Vec<f64>,
    predicted: Vec<f64>,
    posterior: Vec<f64>,
}

impl Buffers {
    fn new(nodes: usize) -> Self {
        let zeros = vec![0.0; nodes];
        Self {
            likelihood: zeros.clone(),
            advanced: zeros.clone(),
            predicted: zeros.clone(),
            posterior: zeros,
        }
    }
}

/// The update from the definitions of the ops.
fn defined(lane: &Lane, b: &mut Buffers) -> (f64, f64) {
    let Lane { scope, advance, settings, logits, belief } = lane;
    masked_softmax::scalar::masked_softmax(&logits.values, settings.tau, &mut b.likelihood);
    belief_advance::scalar::advance(advance.along_strand(), belief, &mut b.advanced);
    belief_advance::scalar::advance(advance.to_siblings(), &b.advanced, &mut b.predicted);
    belief_advance::scalar::update(&b.predicted, &b.likelihood, settings.leak, &mut b.posterior);
    let phase = weighted_mean::scalar::weighted_moments(&b.posterior, scope.phases());
    (phase.mean, belief_advance::scalar::concentration(&b.posterior).sum_sq)
}

/// The update from the ops under the instructions of `level`.
fn vectored(level: SimdLevel, lane: &Lane, b: &mut Buffers) -> (f64, f64) {
    let Lane { scope, advance, settings, logits, belief } = lane;
    masked_softmax::masked_softmax(level, &logits.values, settings.tau, &mut b.likelihood).unwrap();
    belief_advance::advance(level, advance.along_strand(), belief, &mut b.advanced).unwrap();
    belief_advance::advance(level, advance.to_siblings(), &b.advanced, &mut b.predicted).unwrap();
    belief_advance::update(level, &b.predicted, &b.likelihood, settings.leak, &mut b.posterior).unwrap();
    let phase = weighted_mean::weighted_moments(level, &b.posterior, scope.phases()).unwrap();
    (phase.mean, belief_advance::concentration(level, &b.posterior).sum_sq)
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("filter");
    group.sample_size(30).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for (suite, task, nodes) in LANES {
        let lane = LazyCell::new(|| Lane::new(suite, task, nodes));
        let id = |form: &str| BenchmarkId::new(format!("n={nodes}"), form);
        group.throughput(Throughput::Elements(nodes as u64));
        group.bench_function(id("scalar"), |b| {
            let mut buffers = Buffers::new(nodes);
            b.iter(|| defined(black_box(&lane), &mut buffers));
        });
        for level in SimdLevel::supported() {
            group.bench_function(id(level.name()), |b| {
                let mut buffers = Buffers::new(nodes);
                b.iter(|| vectored(level, black_box(&lane), &mut buffers));
            });
        }
        group.bench_function(id("engine"), |b| {
            let Lane { scope, advance, settings, logits, belief } = &*lane;
            let (mut workspace, mut posterior) = (Workspace::new(scope), vec![0.0; nodes]);
            let seen = Observation::Logits(logits);
            b.iter(|| {
                check(scope, advance, settings, Some(black_box(belief)), seen, &mut workspace, &mut posterior)
            });
        });
    }
    group.finish();
    criterion.final_summary();
}
