//! How long a graph takes to build from its demonstrations, in nodes a second, on all cores.

#![allow(clippy::unwrap_used, reason = "a bench whose setup fails has nothing to time")]

use criterion::{Criterion, SamplingMode, Throughput};
use rollcheck_benches::inputs::suites;
use rollcheck_engine::graph::edges;
use std::hint::black_box;
use std::time::Duration;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("graph");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(5));
    for suite in suites() {
        group.throughput(Throughput::Elements(suite.nodes as u64));
        group.bench_function(suite.name(), |b| b.iter(|| edges::build(black_box(suite.demos())).unwrap()));
    }
    group.finish();
    criterion.final_summary();
}
