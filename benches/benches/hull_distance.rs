//! Signed distance of two links, with its certificate, beside parry3d's `contact`.
//!
//! Random joint positions of the Panda within its limits, pairs of different links among those with a hull; half the poses
//! are pairs thrown together at random, so that both sides of contact are timed. The two sides are also timed apart. After
//! the timing, a million poses (`ROLLCHECK_BENCH_POSES` sets another number): widest certificate, answers that iteration
//! left open, differences to parry3d.

#![allow(clippy::unwrap_used, reason = "a bench whose setup fails has nothing to time")]
#![allow(clippy::print_stderr, reason = "the comparison is the answer of this bench")]

use criterion::{BenchmarkId, Criterion, Throughput};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::ConvexPolyhedron;
use rollcheck_benches::geometry::{BenchArm, Uniform, arm, random_poses};
use rollcheck_engine::geometry::hull_distance::{HullDistance, exhaustive};
use rollcheck_engine::geometry::pose::pose_from_xyz_rpy;
use rollcheck_engine::geometry::{ConvexHull, Pose};
use std::hint::black_box;
use std::time::Duration;

struct Case {
    a: usize,
    b: usize,
    a_from_b: Pose,
}

fn case(arm: &BenchArm, random: &mut Uniform, at: usize) -> Case {
    let hulled = |k: usize| arm.links[k].hull.vertices().len() <= 320;
    let mut pick = || loop {
        let k = random.between(0.0, 7.0) as usize;
        if hulled(k) {
            return k;
        }
    };
    let a = pick();
    let b = loop {
        let b = pick();
        if a != b {
            break b;
        }
    };
    let a_from_b = if at.is_multiple_of(2) {
        let poses = random_poses(arm, random);
        poses[a].inverse() * poses[b]
    } else {
        let sizes = [0.2, 0.2, 0.2, 3.1, 3.1, 3.1];
        pose_from_xyz_rpy(sizes.map(|size| random.between(-size, size)))
    };
    Case { a, b, a_from_b }
}

fn parry_pose(pose: &Pose) -> ParryPose {
    let q = nalgebra::UnitQuaternion::from_rotation_matrix(&pose.rotation);
    let t = pose.translation.vector;
    ParryPose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(q.i, q.j, q.k, q.w))
}

fn parry_hull(hull: &ConvexHull) -> ConvexPolyhedron {
    let points: Vec<Vector> = hull.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    ConvexPolyhedron::from_convex_mesh(points, hull.facets()).unwrap()
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let arm = arm();
    let parry: Vec<Option<ConvexPolyhedron>> = arm
        .links
        .iter()
        .map(|link| (link.hull.vertices().len() <= 320).then(|| parry_hull(&link.hull)))
        .collect();
    let mut random = Uniform::new(2026);
    let cases: Vec<Case> = (0..4000).map(|at| case(&arm, &mut random, at)).collect();
    let mut measure = HullDistance::default();
    let hulls = |c: &Case| (&arm.links[c.a].hull, &arm.links[c.b].hull);
    let mut distance = |c: &Case| {
        let (a, b) = hulls(c);
        measure.iterate(a, b, &c.a_from_b).unwrap()
    };
    let theirs = |c: &Case| {
        let (a, b) = (parry[c.a].as_ref().unwrap(), parry[c.b].as_ref().unwrap());
        query::contact(&ParryPose::IDENTITY, a, &parry_pose(&c.a_from_b), b, 10.0).unwrap().unwrap().dist
    };
    let (apart, overlapping): (Vec<&Case>, Vec<&Case>) =
        cases.iter().partition(|c| distance(c).distance > 0.0);
    let mut group = criterion.benchmark_group("hull_distance");
    group.sample_size(30).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    group.throughput(Throughput::Elements(1));
    for (name, of) in
        [("all", cases.iter().collect::<Vec<_>>()), ("apart", apart), ("overlapping", overlapping)]
    {
        let mut at = 0;
        let mut next = || {
            at = (at + 1) % of.len();
            of[at]
        };
        group.bench_function(BenchmarkId::new(format!("ours {name}"), arm.name), |b| {
            b.iter(|| distance(black_box(next())));
        });
        group.bench_function(BenchmarkId::new(format!("parry3d contact {name}"), arm.name), |b| {
            b.iter(|| theirs(black_box(next())));
        });
    }
    group.finish();
    criterion.final_summary();

    let poses = std::env::var("ROLLCHECK_BENCH_POSES").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let (mut widest, mut open, mut differ, mut wrong) = (0.0_f64, 0, 0, 0.0_f64);
    let (mut smaller, mut unproved) = (0, 0.0_f64);
    for at in 0..poses {
        let c = case(&arm, &mut random, at);
        let ours = distance(&c);
        widest = widest.max(ours.gap.abs());
        open += usize::from(!ours.certified());
        let (a, b) = hulls(&c);
        let along = |hull: &ConvexHull, at: &Pose, n: &nalgebra::Vector3<f64>| {
            hull.vertices().iter().fold(f64::NEG_INFINITY, |m, p| m.max(n.dot(&(at * p).coords)))
        };
        let n = nalgebra::Vector3::from(ours.axis);
        let separation = -along(b, &c.a_from_b, &-n) - along(a, &Pose::identity(), &n);
        unproved = unproved.max((separation - ours.distance).abs());
        let parry = theirs(&c);
        if (parry - ours.distance).abs() > 1e-8 {
            differ += 1;
            smaller += usize::from(parry > ours.distance);
            let exact = exhaustive::hull_hull(a, &Pose::identity(), b, &c.a_from_b).distance_m;
            wrong = wrong.max((exact - ours.distance).abs());
        }
    }
    eprintln!(
        "{poses} poses of {}: widest certificate {widest:.1e} m, left open by iteration {open}, separation along the axis \
         off by at most {unproved:.1e} m; parry3d differs by more \
         than 1e-8 m on {differ}, too shallow on {smaller} of them; every feature differs from ours there by at most {wrong:.1e} m",
        arm.name
    );
}
