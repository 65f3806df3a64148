//! How far a hull reaches past its mesh: the documented grid, the certified interval, parry3d's projections.
//!
//! On link 5 of the Panda, 97,500 samples, where its files are at hand; else on a generated link of its size. `sampled`
//! includes preparing the mesh. The certified intervals are of all links that have a hull, at 1e-9 m.

#![allow(clippy::unwrap_used, reason = "a bench whose setup fails has nothing to time")]

use criterion::{BenchmarkId, Criterion, Throughput};
use parry3d_f64::math::Vector;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::TriMesh;
use rollcheck_benches::geometry::arm;
use rollcheck_engine::geometry::overhang::{OverhangProbe, SAMPLES_PER_EDGE, SPLITS_MAX};
use std::hint::black_box;
use std::time::Duration;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let arm = arm();
    let link = &arm.links[4];
    let samples = 325 * link.hull.facets().len();
    let mut group = criterion.benchmark_group("hull_overhang");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Elements(samples as u64));
    group.bench_function(BenchmarkId::new("sampled", arm.name), |b| {
        b.iter(|| OverhangProbe::new(black_box(&link.hull), &link.mesh).sampled(SAMPLES_PER_EDGE));
    });

    let points: Vec<Vector> = link.mesh.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    let mesh = TriMesh::new(points, link.mesh.triangles().to_vec()).unwrap();
    let n = SAMPLES_PER_EDGE;
    let at: Vec<Vector> = (0..link.hull.facets().len())
        .flat_map(|facet| {
            let [a, b, c] = link.hull.corners(facet).map(|p| p.coords);
            (0..=n).flat_map(move |i| {
                (0..=n - i).map(move |j| {
                    let weight = |k: usize| k as f64 / n as f64;
                    let p = a * weight(i) + b * weight(j) + c * weight(n - i - j);
                    Vector::new(p.x, p.y, p.z)
                })
            })
        })
        .collect();
    assert_eq!(at.len(), samples);
    group.bench_function(BenchmarkId::new("parry3d projections", arm.name), |b| {
        b.iter(|| {
            at.iter().fold(0.0_f64, |most, p| {
                let on = mesh.project_local_point(black_box(*p), false);
                most.max((on.point - *p).length())
            })
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("hull_overhang certified");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    group.bench_function(BenchmarkId::new("all hulled links", arm.name), |b| {
        b.iter(|| {
            arm.links.iter().filter(|link| link.hull.vertices().len() <= 320).fold(0.0_f64, |widest, link| {
                let found = OverhangProbe::new(black_box(&link.hull), &link.mesh).certified(SPLITS_MAX);
                widest.max(found.upper_m - found.lower_m)
            })
        });
    });
    group.finish();
    criterion.final_summary();
}
