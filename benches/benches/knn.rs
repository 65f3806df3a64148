//! Squared distances from one pose to every node: the definition beside each vector level.

#![allow(clippy::unwrap_used, reason = "a bench whose setup fails has nothing to time")]

use criterion::{BenchmarkId, Criterion, Throughput};
use rollcheck_benches::inputs::{Passes, suites};
use rollcheck_kernels::SimdLevel;
use rollcheck_kernels::knn::{distances_sq, scalar};
use std::hint::black_box;
use std::time::Duration;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("knn");
    group.sample_size(30).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for suite in suites() {
        group.throughput(Throughput::Elements(suite.nodes as u64));
        let query = || Passes::of(1).windows[0].0[..7].to_vec();
        group.bench_function(BenchmarkId::new(suite.name(), "scalar"), |b| {
            let (query, points, mut out) =
                (query(), suite.graph().q_joint_major(), vec![0.0; suite.graph().len()]);
            b.iter(|| scalar::distances_sq(black_box(&query), points, black_box(&mut out)));
        });
        for level in SimdLevel::supported() {
            group.bench_function(BenchmarkId::new(suite.name(), level.name()), |b| {
                let (query, points, mut out) =
                    (query(), suite.graph().q_joint_major(), vec![0.0; suite.graph().len()]);
                b.iter(|| distances_sq(level, black_box(&query), points, black_box(&mut out)));
            });
        }
    }
    group.finish();
    criterion.final_summary();
}
