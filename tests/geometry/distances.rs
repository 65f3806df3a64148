//! Signed distances of hulls: published poses, degenerate ones, every feature of 300, parry3d on 20,000.

use crate::panda::{number, panda};
use crate::support::{Random, parry_hull, parry_signed};
use nalgebra::Rotation3;
use rollcheck_engine::geometry::hull_distance::{
    DistanceMethod, HullDistance, SignedDistance, exhaustive, hull_hull,
};
use rollcheck_engine::geometry::kinematics;
use rollcheck_engine::geometry::obb::{Obb, sat_m};
use rollcheck_engine::geometry::pose::pose_from_xyz_rpy;
use rollcheck_engine::geometry::{ConvexHull, Point, Pose, Vector};
use rollcheck_kernels::SimdLevel;
use std::collections::BTreeMap;

/// A hull like a link's: a capsule of rings, a little squeezed so that no two facets are alike.
fn link_like(random: &mut Random) -> ConvexHull {
    let (radius, length) = (random.between(0.03, 0.07), random.between(0.05, 0.2));
    let mut points = Vec::new();
    for ring in 0..12 {
        for step in 0..12 {
            let (phi, theta) = (f64::from(ring) * 0.27 - 1.5, f64::from(step) * std::f64::consts::TAU / 12.0);
            let z = phi.sin() * radius + if ring < 6 { -length } else { length };
            let wobble = 1.0 + random.between(-0.02, 0.02);
            let r = phi.cos() * radius * wobble;
            points.push(Point::new(r * theta.cos(), 1.2 * r * theta.sin(), z));
        }
    }
    ConvexHull::of(&points).unwrap()
}

#[test]
fn link_5_against_link_7_as_published() {
    let Some(panda) = panda("link_5_against_link_7_as_published") else { return };
    let tree = kinematics::panda();
    let hulls = [5, 7].map(|i| panda.hull(i));
    for case in panda.distances()["hull_vs_hull_link5_link7"].as_array().unwrap() {
        let mut joints: BTreeMap<String, f64> = (1..=7).map(|i| (format!("panda_joint{i}"), 0.0)).collect();
        for name in ["panda_joint6", "panda_joint7"] {
            joints.insert(name.to_owned(), number(&case[name]));
        }
        let poses = tree.link_poses(&joints).unwrap();
        let at = [5, 7].map(|i| poses[i].unwrap());
        let found = hull_hull(&hulls[0], &at[0], &hulls[1], &at[1]);
        let (expected, name) = (number(&case["hull_signed_distance_m"]), &case["name"]);
        assert!((found.distance_m - expected).abs() <= 1e-6, "{name}: {} {expected}", found.distance_m);
        assert!(found.certified(), "{name}");
        let boxes = [5, 7].map(|i| {
            let link = panda.link(i);
            Obb {
                half_extents_m: link.shape.half_extents_m().unwrap(),
                world_from_box: poses[i].unwrap() * link.link_from_box,
            }
        });
        let of_boxes = sat_m(&boxes[0], &boxes[1]);
        // The poses are rounded to three decimals of a radian at the least.
        assert!((of_boxes - number(&case["box_sat_m"])).abs() <= 1e-6, "{name}: {of_boxes}");
    }
}

#[test]
fn depths_that_parry_gets_wrong() {
    let cube = ConvexHull::of_box([0.5; 3]).unwrap();
    let at = |x: f64, y: f64, z: f64| pose_from_xyz_rpy([x, y, z, 0.0, 0.0, 0.0]);
    let depth = |b: &ConvexHull, pose: &Pose| hull_hull(&cube, &Pose::identity(), b, pose);
    // Two coincident unit cubes, and 1 mm apart: parry3d says 0 and -0.577.
    let same = depth(&cube, &at(0.0, 0.0, 0.0));
    assert!((same.distance_m + 1.0).abs() < 1e-12, "{same:?}");
    let shifted = depth(&cube, &at(0.001, 0.0, 0.0));
    assert!((shifted.distance_m + 0.999).abs() < 1e-12, "{shifted:?}");
    assert!((shifted.axis - Vector::x()).norm() < 1e-9);
    // Plates with one centre: parry3d says 0.
    let plates = [[0.5, 0.5, 0.01], [0.5, 0.01, 0.5]].map(|half| ConvexHull::of_box(half).unwrap());
    let crossed = hull_hull(&plates[0], &Pose::identity(), &plates[1], &Pose::identity());
    assert!((crossed.distance_m + 0.51).abs() < 1e-12, "{crossed:?}");
    let flat = hull_hull(&plates[0], &Pose::identity(), &plates[0], &Pose::identity());
    assert!((flat.distance_m + 0.02).abs() < 1e-12, "{flat:?}");
    // Touching: face to face, edge to edge, corner to corner.
    for pose in [at(1.0, 0.0, 0.0), at(1.0, 1.0, 0.0), at(1.0, 1.0, 1.0), at(1.0, 0.25, -0.3)] {
        let touching = depth(&cube, &pose);
        assert!(touching.distance_m.abs() < 1e-12 && touching.certified(), "{touching:?}");
    }
    // Apart by known features.
    for (pose, expected) in [
        (at(1.5, 0.2, 0.3), 0.5),
        (at(1.3, 1.4, 0.1), 0.5),
        (at(1.2, 1.2, 1.1), 0.3),
        (at(1.0 + 1e-9, 0.0, 0.0), 1e-9),
        (at(1.0 + 1e-10, 1.0 + 1e-10, 0.0), 2.0_f64.sqrt() * 1e-10),
    ] {
        let found = depth(&cube, &pose);
        assert!((found.distance_m - expected).abs() < 1e-15 + 1e-12 * expected.max(1.0), "{found:?}");
        assert!(found.certified());
    }
}

/// The certificate: both points belong to their hulls, span the distance along the axis, and the axis separates by it.
fn assert_certificate(a: &ConvexHull, at_a: &Pose, b: &ConvexHull, at_b: &Pose) -> f64 {
    let found = hull_hull(a, at_a, b, at_b);
    assert_ne!(found.method, DistanceMethod::Exhaustive);
    assert_proved(&found, a, at_a, b, at_b)
}

fn assert_proved(found: &SignedDistance, a: &ConvexHull, at_a: &Pose, b: &ConvexHull, at_b: &Pose) -> f64 {
    assert!(found.certificate_gap_m <= 1e-9, "{found:?}");
    let span = found.witness_b - found.witness_a;
    assert!((span - found.axis * found.distance_m).norm() < 2e-9, "{found:?}");
    let reach = |hull: &ConvexHull, at: &Pose, n: Vector| {
        hull.vertices().iter().fold(f64::NEG_INFINITY, |m, p| m.max(n.dot(&(at * p).coords)))
    };
    let separation = -reach(b, at_b, -found.axis) - reach(a, at_a, found.axis);
    assert!((separation - found.distance_m).abs() <= 1e-9, "{found:?} {separation}");
    for (hull, at, p) in [(a, at_a, found.witness_a), (b, at_b, found.witness_b)] {
        let local = at.inverse() * p;
        assert!(hull.planes().iter().all(|plane| plane.excess_m(&local) < 1e-9), "{found:?}");
    }
    found.distance_m
}

#[test]
fn twenty_thousand_random_poses_are_certified_and_parry_is_counted() {
    let mut random = Random::new(20_261_201);
    let hulls: Vec<ConvexHull> = (0..4).map(|_| link_like(&mut random)).collect();
    let parry: Vec<_> = hulls.iter().map(parry_hull).collect();
    let (mut apart, mut differ, mut worst) = (0, 0, (0.0_f64, 0, 0.0));
    for round in 0..20_000 {
        let (i, j) = (random.index(4), random.index(4));
        let (at_a, at_b) = (random.pose(0.2), random.pose(0.2));
        let ours = assert_certificate(&hulls[i], &at_a, &hulls[j], &at_b);
        apart += usize::from(ours > 0.0);
        let theirs = parry_signed(&parry[i], &at_a, &parry[j], &at_b);
        let difference = (ours - theirs).abs();
        differ += usize::from(difference > 1e-8);
        if difference > worst.0 {
            worst = (difference, round, ours);
        }
        if round < 300 {
            let exact = exhaustive::hull_hull(&hulls[i], &at_a, &hulls[j], &at_b);
            assert!((exact.distance_m - ours).abs() < 1e-9, "{round}: {ours} {}", exact.distance_m);
        }
        // Where the two part, every feature decides, and parry3d's depth is the smaller: the unsafe side.
        if difference > 1e-8 {
            assert!(theirs > ours, "{round}: {ours} {theirs}");
            let exact = exhaustive::hull_hull(&hulls[i], &at_a, &hulls[j], &at_b);
            assert!((exact.distance_m - ours).abs() < 1e-9, "{round}: {ours} {theirs} {}", exact.distance_m);
        }
    }
    assert!((2_000..18_000).contains(&apart), "{apart} of 20000 apart: the poses test one side only");
    // The worst of these poses, kept: parry3d 0.31.1 is 4.0 um too shallow there. Another version may better it.
    assert!(worst.0 < 5e-6, "{worst:?}");
    eprintln!("parry3d differs by more than 1e-8 m on {differ} of 20000 poses, most by {worst:?}");
}

#[test]
fn every_level_gives_the_same_bits() {
    let mut random = Random::new(5);
    let hulls = [link_like(&mut random), link_like(&mut random)];
    for _ in 0..200 {
        let pose = random.pose(0.15);
        let found: Vec<_> = SimdLevel::supported()
            .into_iter()
            .map(|level| HullDistance::new(level).iterate(&hulls[0], &hulls[1], &pose).unwrap())
            .collect();
        for other in &found[1..] {
            assert_eq!(other, &found[0]);
        }
    }
}

#[test]
fn exchanging_the_hulls_or_moving_both_changes_nothing() {
    let mut random = Random::new(6);
    let hulls = [link_like(&mut random), link_like(&mut random)];
    for _ in 0..500 {
        let (at_a, at_b, world) = (random.pose(0.2), random.pose(0.2), random.pose(2.0));
        let first = hull_hull(&hulls[0], &at_a, &hulls[1], &at_b).distance_m;
        let exchanged = hull_hull(&hulls[1], &at_b, &hulls[0], &at_a).distance_m;
        let moved = hull_hull(&hulls[0], &(world * at_a), &hulls[1], &(world * at_b)).distance_m;
        assert!((first - exchanged).abs() < 1e-12 && (first - moved).abs() < 1e-12);
    }
}

#[test]
fn boxes_from_coincident_to_far_agree_with_their_fifteen_axes() {
    let mut random = Random::new(7);
    for round in 0..3_000 {
        let halves = [0; 2].map(|_| [0; 3].map(|_| random.between(0.01, 0.2)));
        let poses = [random.pose(0.2), random.pose(0.2)];
        let boxes = [0, 1].map(|i| Obb { half_extents_m: halves[i], world_from_box: poses[i] });
        let hulls = halves.map(|half| ConvexHull::of_box(half).unwrap());
        let found = hull_hull(&hulls[0], &poses[0], &hulls[1], &poses[1]);
        let by_axes = sat_m(&boxes[0], &boxes[1]);
        assert_proved(&found, &hulls[0], &poses[0], &hulls[1], &poses[1]);
        let every = exhaustive::hull_hull(&hulls[0], &poses[0], &hulls[1], &poses[1]);
        assert_proved(&every, &hulls[0], &poses[0], &hulls[1], &poses[1]);
        if by_axes <= 0.0 {
            assert!((found.distance_m - by_axes).abs() < 1e-9, "{round}: {} {by_axes}", found.distance_m);
        } else {
            assert!(found.distance_m >= by_axes - 1e-12, "{round}: {} {by_axes}", found.distance_m);
        }
    }
}

#[test]
fn the_worst_pose_for_parry_is_proved_by_every_feature() {
    // Round 10339 of the run above: parry3d's depth is 4.0 um too small.
    let mut random = Random::new(20_261_201);
    let hulls: Vec<ConvexHull> = (0..4).map(|_| link_like(&mut random)).collect();
    let mut pose = (0, 0, Pose::identity(), Pose::identity());
    for _ in 0..=10_339 {
        let (i, j) = (random.index(4), random.index(4));
        pose = (i, j, random.pose(0.2), random.pose(0.2));
    }
    let (i, j, at_a, at_b) = pose;
    let ours = assert_certificate(&hulls[i], &at_a, &hulls[j], &at_b);
    let exact = exhaustive::hull_hull(&hulls[i], &at_a, &hulls[j], &at_b);
    assert_proved(&exact, &hulls[i], &at_a, &hulls[j], &at_b);
    assert!((ours - exact.distance_m).abs() < 1e-12);
    assert!((ours + 0.036_725_288_052).abs() < 1e-11, "{ours}");
}

#[test]
fn boxes_on_a_lattice_have_witnesses_on_both_and_an_axis_that_parts_them() {
    // Every pair has coplanar sides, edges in line and ties of depth.
    let sizes = [0.5, 0.75, 1.0];
    let shifts = [-0.25, 0.0, 0.25, 0.5, 1.25, 1.5];
    let mut random = Random::new(8);
    for round in 0..3_000 {
        let mut half = || [0; 3].map(|_| sizes[random.index(3)]);
        let boxes = [half(), half()].map(|half| ConvexHull::of_box(half).unwrap());
        let shift = Vector::from([0; 3].map(|_| shifts[random.index(6)]));
        let turn = [0.0, 0.0, 1e-9, 1e-6, 1e-3][random.index(5)];
        let at_b = Pose::from_parts(shift.into(), Rotation3::from_euler_angles(turn, -turn, 2.0 * turn));
        let found = hull_hull(&boxes[0], &Pose::identity(), &boxes[1], &at_b);
        assert_proved(&found, &boxes[0], &Pose::identity(), &boxes[1], &at_b);
        let every = exhaustive::hull_hull(&boxes[0], &Pose::identity(), &boxes[1], &at_b);
        assert!((every.distance_m - found.distance_m).abs() < 1e-9, "{round}: {found:?} {every:?}");
        // Edges that are parallel but for a billionth leave it uncertified, and it says so.
        if every.certified() {
            assert_proved(&every, &boxes[0], &Pose::identity(), &boxes[1], &at_b);
        }
    }
}

#[test]
fn what_is_no_number_is_never_certified() {
    let cube = ConvexHull::of_box([0.5; 3]).unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        let pose = Pose::from_parts(Vector::new(bad, 0.0, 0.0).into(), Rotation3::identity());
        assert!(!hull_hull(&cube, &Pose::identity(), &cube, &pose).certified());
    }
}
