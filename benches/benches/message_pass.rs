//! One round of message passing over the rows that a query needs: the definition beside each vector level.

#![allow(clippy::unwrap_used, reason = "a bench whose setup fails has nothing to time")]

use criterion::{BenchmarkId, Criterion};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use rollcheck_benches::inputs::{Passes, Suite, suites};
use rollcheck_engine::constants::{KERNEL_BW, LAYERS, SEED_TOPK};
use rollcheck_engine::graph::Relation;
use rollcheck_kernels::SimdLevel;
use rollcheck_kernels::message_pass::{Layer, Rows, forward, scalar};
use rollcheck_kernels::seed_topk::{SeedScratch, select};
use rollcheck_models::head::frontier::{Frontier, Topology};
use std::cell::LazyCell;
use std::hint::black_box;
use std::time::Duration;

/// Channels of the default head.
const WIDTH: usize = 32;
/// The round whose rows are computed: the second of three, the fullest.
const ROUND: usize = 2;

/// One round's operands; states and weights are random.
struct Round {
    topology: Topology,
    rows: Vec<u32>,
    states: Vec<f32>,
    gates: Vec<f32>,
    w_self: Vec<f32>,
    w_msg: Vec<f32>,
    vectors: [Vec<f32>; 3],
}

impl Round {
    fn new(suite: &Suite) -> Self {
        let graph = suite.graph();
        let topology = Topology::new(graph, LAYERS);
        let passes = Passes::of(1);
        let pose = &passes.windows[0].0[..graph.dof()];
        let mut seeds = Vec::new();
        let (level, points) = (SimdLevel::detect(), graph.q_joint_major());
        select(level, pose, points, 0..0, SEED_TOPK, KERNEL_BW, &mut SeedScratch::default(), &mut seeds)
            .unwrap();
        let mut frontier = Frontier::new(&topology);
        frontier.walk(&topology, Some(passes.tasks[0]), 0..0, &seeds);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut random = |n: usize| -> Vec<f32> {
            (0..n).map(|_| (rng.next_u32() >> 8) as f32 / (1 << 24) as f32 - 0.5).collect()
        };
        Self {
            rows: frontier.active(ROUND).to_vec(),
            states: random(graph.len() * WIDTH),
            gates: random(Relation::COUNT * WIDTH),
            w_self: random(WIDTH * WIDTH),
            w_msg: random(WIDTH * WIDTH),
            vectors: [random(WIDTH), random(WIDTH), random(WIDTH)],
            topology,
        }
    }

    fn layer(&self) -> Layer<'_> {
        let [bias, scale, shift] = &self.vectors;
        Layer { gates: &self.gates, w_self: &self.w_self, w_msg: &self.w_msg, bias, scale, shift }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("message_pass");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for suite in suites() {
        let round = LazyCell::new(|| Round::new(suite));
        let id = |form: &str| BenchmarkId::new(suite.name(), form);
        group.bench_function(id("scalar"), |b| {
            let (edges, rows, mut out) =
                (round.topology.typed(), Rows::same(&round.rows), round.states.clone());
            b.iter(|| {
                scalar::forward(WIDTH, &round.layer(), edges, &rows, black_box(&round.states), &mut out);
            });
        });
        for level in SimdLevel::supported() {
            group.bench_function(id(level.name()), |b| {
                let (edges, rows, mut out) =
                    (round.topology.typed(), Rows::same(&round.rows), round.states.clone());
                b.iter(|| {
                    forward(level, WIDTH, &round.layer(), edges, &rows, black_box(&round.states), &mut out)
                });
            });
        }
    }
    group.finish();
    criterion.final_summary();
}
