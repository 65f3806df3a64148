//! One box against 100,000 occupied cells, and the safety kernel's staged check of seven links.
//!
//! `sat_m` for each cell, f64 and f32, beside parry3d's `contact` a cell and the Euclidean distance; the minimum with its
//! cell; at the end the same box in NumPy (`benches/baselines/obb_voxel.py`). The floor is the memory that has to pass:
//! 12 bytes of coordinates in and one number out a cell.

#![allow(clippy::unwrap_used, reason = "a bench whose setup fails has nothing to time")]
#![allow(clippy::print_stderr, reason = "the comparison is the answer of this bench")]

use criterion::{BenchmarkId, Criterion, Throughput};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::Cuboid;
use rollcheck_benches::geometry::{Uniform, arm, grid, random_poses};
use rollcheck_engine::geometry::obb::Obb;
use rollcheck_engine::geometry::obb_voxel::CellList;
use rollcheck_engine::geometry::pose::pose_from_xyz_rpy;
use rollcheck_engine::geometry::staged_check::{CheckedLink, StagedChecker};
use rollcheck_kernels::SimdLevel;
use rollcheck_kernels::obb_voxel::first_minimum;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const CELLS: usize = 100_000;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut random = Uniform::new(4);
    let room = grid(64, 0.5, &mut random);
    let occupied: Vec<usize> = room.occupied_cells().take(CELLS).collect();
    let cells = CellList::of_indices(&room, &occupied).unwrap();
    assert_eq!(cells.len(), CELLS);
    let pose = [0.1, 0.05, 0.5, 0.4, -0.3, 0.8];
    let obb = Obb { half_extents_m: [0.0658, 0.0684, 0.1272], world_from_box: pose_from_xyz_rpy(pose) };

    let mut group = criterion.benchmark_group("obb_voxel");
    group.sample_size(40).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    group.throughput(Throughput::Elements(CELLS as u64));
    for level in SimdLevel::supported().into_iter().skip(usize::from(cfg!(target_arch = "x86_64"))) {
        let (mut wide, mut narrow) = (Vec::new(), Vec::new());
        group.bench_function(BenchmarkId::new("sat_f64", level.name()), |b| {
            b.iter(|| cells.sat_m(level, black_box(&obb), &mut wide));
        });
        group.bench_function(BenchmarkId::new("sat_f32", level.name()), |b| {
            b.iter(|| cells.sat_m_f32(level, black_box(&obb), &mut narrow));
        });
        cells.sat_m(level, &obb, &mut wide);
        group.bench_function(BenchmarkId::new("first_minimum", level.name()), |b| {
            b.iter(|| first_minimum(level, black_box(&wide)));
        });
    }
    let level = SimdLevel::detect();
    group.sample_size(10);
    let mut out = Vec::new();
    group.bench_function("distance", |b| b.iter(|| cells.distance_m(level, black_box(&obb), &mut out)));
    group.bench_function("nearest by distance", |b| {
        b.iter(|| cells.nearest_by_distance(level, black_box(&obb)));
    });
    let centres: Vec<ParryPose> = occupied
        .iter()
        .map(|&i| room.centre_m(i).unwrap())
        .map(|c| ParryPose::from_parts(Vector::new(c.x, c.y, c.z), Rotation::IDENTITY))
        .collect();
    let q = nalgebra::UnitQuaternion::from_rotation_matrix(&obb.world_from_box.rotation);
    let at = ParryPose::from_parts(
        Vector::new(pose[0], pose[1], pose[2]),
        Rotation::from_xyzw(q.i, q.j, q.k, q.w),
    );
    let [hx, hy, hz] = obb.half_extents_m;
    let (cuboid, cube) = (Cuboid::new(Vector::new(hx, hy, hz)), Cuboid::new(Vector::splat(0.0125)));
    group.bench_function("parry3d contact", |b| {
        b.iter(|| {
            centres.iter().fold(f64::INFINITY, |least, centre| {
                let found = query::contact(black_box(&at), &cuboid, centre, &cube, 10.0);
                found.ok().flatten().map_or(least, |c| least.min(c.dist))
            })
        });
    });
    group.finish();

    let arm = arm();
    let full = grid(64, 1.1, &mut random);
    let poses = random_poses(&arm, &mut random);
    let links: Vec<CheckedLink<'_>> = arm
        .links
        .iter()
        .zip(&poses)
        .map(|(link, pose)| CheckedLink {
            obb: Obb { half_extents_m: link.volume.shape.half_extents_m().unwrap(), world_from_box: *pose },
            dop: link.volume.tight.as_ref().map(|t| &t.dop),
            hull: (link.hull.vertices().len() <= 320).then_some(&link.hull),
        })
        .collect();
    let mut group = criterion.benchmark_group("staged_check");
    group.sample_size(40).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    let mut checker = StagedChecker::default();
    let once = checker.check(&links, &full, 0.0, &|_| false).unwrap();
    group.throughput(Throughput::Elements(once.visited as u64));
    group.bench_function(BenchmarkId::new("seven links, full 64^3", arm.name), |b| {
        b.iter(|| checker.check(black_box(&links), &full, 0.0, &|_| false));
    });
    group.finish();
    criterion.final_summary();

    eprintln!(
        "floor: {:.2} MB in and {:.2} MB out (f64) a call; staged: {} cells visited, {} hull runs",
        12e-6 * CELLS as f64,
        8e-6 * CELLS as f64,
        once.visited,
        once.hull_runs
    );
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("baselines/obb_voxel.py");
    match Command::new("python3").arg(script).arg(CELLS.to_string()).output() {
        Ok(output) if output.status.success() => eprint!("{}", String::from_utf8_lossy(&output.stdout)),
        _ => eprintln!("SKIPPED NumPy: python3 with numpy did not run"),
    }
}
