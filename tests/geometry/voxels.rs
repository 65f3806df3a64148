//! Boxes against cells: published numbers, parry3d, dense sampling, and the staged check against plain code.

use crate::panda::{number, numbers, panda};
use crate::support::{Random, parry_box, parry_signed};
use nalgebra::Rotation3;
use rollcheck_engine::geometry::dop::{DOP_AXES, Dop26};
use rollcheck_engine::geometry::hull_distance::exhaustive;
use rollcheck_engine::geometry::obb::{Obb, sat_m};
use rollcheck_engine::geometry::obb_voxel::CellList;
use rollcheck_engine::geometry::pose::pose_from_xyz_rpy;
use rollcheck_engine::geometry::staged_check::{CheckError, CheckedLink, HULL_RUNS, StagedChecker};
use rollcheck_engine::geometry::support_excess::fibonacci_direction;
use rollcheck_engine::geometry::voxel_grid::{VoxelGrid, VoxelGridError};
use rollcheck_engine::geometry::{ConvexHull, Point, Pose, Vector};
use rollcheck_kernels::SimdLevel;

const LEVEL: fn() -> SimdLevel = SimdLevel::detect;

/// One cell of the given half side, centred at a point.
fn one_cell(centre: [f64; 3], half: f64) -> VoxelGrid {
    VoxelGrid::new([1; 3], centre.map(|c| c - half), 2.0 * half, Rotation3::identity(), vec![1]).unwrap()
}

#[test]
fn the_published_separations_come_out() {
    let Some(panda) = panda("the_published_separations_come_out") else { return };
    for case in panda.distances()["obb_vs_cube"].as_array().unwrap() {
        let obb = Obb {
            half_extents_m: numbers(&case["half_extents_m"]),
            world_from_box: pose_from_xyz_rpy(numbers(&case["box_xyz_rpy"])),
        };
        let cells =
            CellList::occupied(&one_cell(numbers(&case["cube_centre"]), number(&case["cube_half_side_m"])));
        let sat = cells.nearest_by_sat(LEVEL(), &obb).unwrap();
        assert!((sat.value_m - number(&case["sat_m"])).abs() <= 1e-8, "{case}: {sat:?}");
        let distance = cells.nearest_by_distance(LEVEL(), &obb).unwrap().unwrap();
        assert!(
            (distance.value_m - number(&case["signed_distance_m"])).abs() <= 1e-8,
            "{case}: {distance:?}"
        );
    }
}

fn random_grid(random: &mut Random, turned: bool, share: f64) -> VoxelGrid {
    let size = [0; 3].map(|_| 4 + random.index(9));
    let occupied =
        (0..size.iter().product::<usize>()).map(|_| u8::from(random.between(0.0, 1.0) < share)).collect();
    let pose = random.pose(0.3);
    let turn = if turned { pose.rotation } else { Rotation3::identity() };
    let origin = pose.translation.vector.into();
    VoxelGrid::new(size, origin, random.between(0.01, 0.05), turn, occupied).unwrap()
}

#[test]
fn cells_agree_with_parry_and_with_dense_sampling() {
    let mut random = Random::new(11);
    let (mut checked, mut wrong_depths) = (0, 0);
    for round in 0..40 {
        let grid = random_grid(&mut random, round % 2 == 1, 0.2);
        let cells = CellList::occupied(&grid);
        let half = [0; 3].map(|_| random.between(0.02, 0.15));
        let obb = Obb { half_extents_m: half, world_from_box: random.pose(0.4) };
        let (mut sat, mut distance) = (Vec::new(), Vec::new());
        cells.sat_m(LEVEL(), &obb, &mut sat);
        cells.distance_m(LEVEL(), &obb, &mut distance).unwrap();
        for (at, &index) in cells.indices().iter().enumerate() {
            let centre = grid.centre_m(index).unwrap();
            let cell = Obb {
                half_extents_m: [0.5 * grid.resolution_m(); 3],
                world_from_box: Pose::from_parts(centre.coords.into(), *grid.base_from_grid_rotation()),
            };
            assert!((sat[at] - sat_m(&obb, &cell)).abs() < 1e-14, "{round} {at}");
            let parry = parry_signed(
                &parry_box(half),
                &obb.world_from_box,
                &parry_box(cell.half_extents_m),
                &cell.world_from_box,
            );
            assert!(sat[at] <= distance[at]);
            if (distance[at] - parry).abs() > 1e-8 {
                // parry3d's depth may be too small, never its gap; then every feature decides.
                assert!(distance[at] < 0.0 && parry > distance[at], "{round} {at}: {} {parry}", distance[at]);
                let hulls = [obb.half_extents_m, cell.half_extents_m].map(|h| ConvexHull::of_box(h).unwrap());
                let every =
                    exhaustive::hull_hull(&hulls[0], &obb.world_from_box, &hulls[1], &cell.world_from_box);
                assert!((every.distance_m - distance[at]).abs() < 1e-9, "{round} {at}");
                wrong_depths += 1;
            }
            checked += 1;
            if at % 37 == 0 {
                assert_dense(&obb, &cell, distance[at]);
            }
        }
    }
    assert!(checked > 3_000, "{checked}");
    eprintln!("parry3d's depth is too small on {wrong_depths} of {checked} cells");
}

/// A lattice of points of the cell brackets a gap from above; directions all around bracket a depth from above.
fn assert_dense(obb: &Obb, cell: &Obb, distance_m: f64) {
    const N: usize = 12;
    let box_from_world = obb.world_from_box.inverse();
    let mut least = f64::INFINITY;
    for i in 0..=N {
        for j in 0..=N {
            for k in 0..=N {
                let side = |at: usize| (2.0 * at as f64 / N as f64 - 1.0) * cell.half_extents_m[0];
                let p = box_from_world * (cell.world_from_box * Point::new(side(i), side(j), side(k)));
                let outside: Vector =
                    Vector::from([0, 1, 2].map(|a| (p[a].abs() - obb.half_extents_m[a]).max(0.0)));
                least = least.min(outside.norm());
            }
        }
    }
    // Half the diagonal of a step is as far as the nearest point may be from a sample.
    let step = cell.half_extents_m[0] * 2.0 / N as f64 * 3.0_f64.sqrt() / 2.0;
    let gap = distance_m.max(0.0);
    assert!(gap <= least + 1e-12 && least <= gap + step, "{gap} {least} {step}");
    if distance_m <= 0.0 {
        // The way out along a direction is never shorter than the depth, and near the best direction hardly longer.
        let between = cell.world_from_box.translation.vector - obb.world_from_box.translation.vector;
        let mut shortest = f64::INFINITY;
        for i in 0..4_000 {
            let n = fibonacci_direction(i, 4_000);
            shortest = shortest.min(obb.reach_m(&n) + cell.reach_m(&n) - n.dot(&between));
        }
        assert!(-distance_m <= shortest + 1e-12, "{distance_m} {shortest}");
        assert!(
            shortest <= -distance_m + 0.05 * (Vector::from(obb.half_extents_m).norm() + step),
            "{distance_m} {shortest}"
        );
    }
}

#[test]
fn ties_keep_the_first_cell_and_lists_keep_their_order() {
    let grid = VoxelGrid::new(
        [3, 1, 1],
        [-0.187_5, -0.062_5, -0.062_5],
        0.125,
        Rotation3::identity(),
        vec![1, 0, 1],
    )
    .unwrap();
    let obb = Obb { half_extents_m: [0.031_25; 3], world_from_box: Pose::identity() };
    let cells = CellList::occupied(&grid);
    let nearest = cells.nearest_by_sat(LEVEL(), &obb).unwrap();
    assert_eq!(nearest.index, 0);
    assert_eq!(nearest.value_m, 0.031_25);
    let reversed = CellList::of_indices(&grid, &[2, 0]).unwrap();
    assert_eq!(reversed.nearest_by_sat(LEVEL(), &obb).unwrap().index, 2);
    assert_eq!(CellList::of_indices(&grid, &[3]), Err(3));
    let empty = VoxelGrid::new([0, 4, 4], [0.0; 3], 0.1, Rotation3::identity(), vec![]).unwrap();
    assert_eq!(CellList::occupied(&empty).nearest_by_sat(LEVEL(), &obb), None);
}

/// The staged check in plain code, cell by cell.
fn plain_check(
    links: &[(Obb, Option<Dop26>, Option<ConvexHull>)],
    grid: &VoxelGrid,
    margin_m: f64,
) -> (Option<(usize, usize, f64)>, f64, usize) {
    use rollcheck_engine::geometry::hull_distance::hull_hull;
    let half = 0.5 * grid.resolution_m();
    let cube = ConvexHull::of_box([half; 3]).unwrap();
    let turn = *grid.base_from_grid_rotation();
    let (mut evidence, mut sweep, mut runs) = (None, f64::INFINITY, 0);
    for (at, (obb, dop, hull)) in links.iter().enumerate() {
        let centre = turn.inverse()
            * (Point::from(obb.world_from_box.translation.vector) - Point::from(grid.origin_m()));
        let r = (turn.inverse() * obb.world_from_box.rotation).into_inner();
        let reach = [0, 1, 2].map(|k: usize| {
            (0..3).map(|j| r[(k, j)].abs() * obb.half_extents_m[j]).sum::<f64>() + margin_m + half
        });
        for index in grid.occupied_cells() {
            let cell = grid.cell(index).unwrap();
            let inside = (0..3).all(|k| {
                let lo = ((centre[k] - reach[k]) / grid.resolution_m()).floor();
                let hi = ((centre[k] + reach[k]) / grid.resolution_m()).floor();
                (lo..=hi).contains(&(cell[k] as f64))
            });
            if !inside {
                continue;
            }
            let pose = Pose::from_parts(grid.centre_m(index).unwrap().coords.into(), turn);
            let by_box = sat_m(obb, &Obb { half_extents_m: [half; 3], world_from_box: pose });
            let mut number = by_box;
            if let Some(dop) = dop {
                let to_box = obb.world_from_box.inverse() * pose;
                let c = Point::from(to_box.translation.vector);
                number = f64::NEG_INFINITY;
                for (i, n) in DOP_AXES.iter().enumerate() {
                    let n = Vector::from(*n);
                    let radius = half * (to_box.rotation.inverse() * n).abs().sum();
                    let s = n.dot(&c.coords);
                    number = number.max(s - dop.hi_m[i] - radius).max(dop.lo_m[i] - s - radius);
                }
                for k in 0..3 {
                    let n: Vector = to_box.rotation.matrix().column(k).into();
                    let middle = Vector::from([0, 1, 2].map(|i| 0.5 * (dop.lo_m[i] + dop.hi_m[i])));
                    let of_body: f64 = (0..3).map(|i| 0.5 * (dop.hi_m[i] - dop.lo_m[i]) * n[i].abs()).sum();
                    number = number.max(n.dot(&(c.coords - middle)).abs() - of_body - half);
                }
                if number <= margin_m {
                    if let Some(hull) = hull
                        && runs < HULL_RUNS
                    {
                        runs += 1;
                        let apart = hull_hull(hull, &obb.world_from_box, &cube, &pose).distance_m;
                        if apart > 0.0 {
                            number = number.max(apart);
                        }
                    }
                    if number <= margin_m {
                        number = number.max(by_box);
                    }
                }
            }
            sweep = sweep.min(number);
            if number <= margin_m && evidence.is_none_or(|(_, _, d)| number < d) {
                evidence = Some((at, index, number));
            }
        }
    }
    (evidence, sweep, runs)
}

#[test]
fn the_staged_check_is_what_plain_code_finds() {
    let mut random = Random::new(12);
    let (mut tripped, mut with_runs) = (0, 0);
    for round in 0..120 {
        let grid = random_grid(&mut random, round % 3 == 0, if round % 2 == 0 { 0.02 } else { 0.3 });
        let margin_m = [0.0, 0.01, 0.0][round % 3];
        let links: Vec<(Obb, Option<Dop26>, Option<ConvexHull>)> = (0..3)
            .map(|k| {
                let half = [0; 3].map(|_| random.between(0.03, 0.1));
                let points: Vec<Point> = (0..40)
                    .map(|_| {
                        Point::from([0, 1, 2].map(|i: usize| random.between(-1.0, 1.0) * 0.99 * half[i]))
                    })
                    .collect();
                let hull = ConvexHull::of(&points).unwrap();
                let dop = Dop26::around(hull.vertices()).unwrap();
                let obb = Obb { half_extents_m: half, world_from_box: random.pose(0.2) };
                (obb, (k > 0).then_some(dop), (k == 2).then_some(hull))
            })
            .collect();
        let checked: Vec<CheckedLink<'_>> = links
            .iter()
            .map(|(obb, dop, hull)| CheckedLink { obb: *obb, dop: dop.as_ref(), hull: hull.as_ref() })
            .collect();
        let found = StagedChecker::default().check(&checked, &grid, margin_m, &|_| false).unwrap();
        let (evidence, sweep, runs) = plain_check(&links, &grid, margin_m);
        assert_eq!(found.evidence.map(|e| (e.link, e.cell)), evidence.map(|(l, c, _)| (l, c)), "{round}");
        if let (Some(e), Some((_, _, d))) = (found.evidence, evidence) {
            assert!((e.distance_m - d).abs() < 1e-12, "{round}");
            tripped += 1;
        }
        // A run that clears the margin stops at a bound, which may be below the distance.
        assert!(found.sweep_min_m == sweep || found.sweep_min_m <= sweep + 1e-12, "{round}");
        assert!(
            found.sweep_min_m > margin_m || found.evidence.is_some_and(|e| e.distance_m == found.sweep_min_m)
        );
        assert_eq!(found.hull_runs, runs, "{round}");
        with_runs += usize::from(runs > 0);
        for level in SimdLevel::supported() {
            let same = StagedChecker::new(level).check(&checked, &grid, margin_m, &|_| false).unwrap();
            assert_eq!(same, found, "{round}");
        }
        // Exempt cells never trip and still count for the sweep.
        let exempt = StagedChecker::default().check(&checked, &grid, margin_m, &|_| true).unwrap();
        assert_eq!((exempt.evidence, exempt.sweep_min_m), (None, found.sweep_min_m));
    }
    assert!(tripped > 20 && with_runs > 10, "{tripped} {with_runs}");
}

#[test]
fn tight_geometry_never_stops_where_the_box_would_not() {
    let mut random = Random::new(13);
    for _ in 0..60 {
        let grid = random_grid(&mut random, false, 0.1);
        let half = [0; 3].map(|_| random.between(0.03, 0.1));
        let points: Vec<Point> = (0..30)
            .map(|_| Point::from([0, 1, 2].map(|i: usize| random.between(-1.0, 1.0) * half[i])))
            .collect();
        let hull = ConvexHull::of(&points).unwrap();
        let dop = Dop26::around(hull.vertices()).unwrap();
        let obb = Obb { half_extents_m: half, world_from_box: random.pose(0.3) };
        let mut checker = StagedChecker::default();
        let plain = CheckedLink { obb, dop: None, hull: None };
        let tight = CheckedLink { obb, dop: Some(&dop), hull: Some(&hull) };
        let of_box = checker.check(&[plain], &grid, 0.0, &|_| false).unwrap();
        let of_hull = checker.check(&[tight], &grid, 0.0, &|_| false).unwrap();
        assert!(of_hull.evidence.is_none() || of_box.evidence.is_some());
        if let (Some(a), Some(b)) = (of_hull.evidence, of_box.evidence) {
            assert!(a.distance_m >= b.distance_m - 1e-12);
        }
    }
}

#[test]
fn an_empty_grid_gives_no_hit_and_infinity() {
    let empty = VoxelGrid::new([0, 0, 0], [0.0; 3], 0.1, Rotation3::identity(), vec![]).unwrap();
    let link = CheckedLink {
        obb: Obb { half_extents_m: [0.1; 3], world_from_box: Pose::identity() },
        dop: None,
        hull: None,
    };
    let found = StagedChecker::default().check(&[link], &empty, 0.0, &|_| false).unwrap();
    assert_eq!((found.evidence, found.sweep_min_m, found.visited), (None, f64::INFINITY, 0));
}

#[test]
fn what_is_no_number_is_refused_and_a_large_negative_margin_has_no_window() {
    let grid = VoxelGrid::new([8, 8, 8], [-0.1; 3], 0.025, Rotation3::identity(), vec![1; 512]).unwrap();
    let at = |x: f64| CheckedLink {
        obb: Obb {
            half_extents_m: [0.02, 0.3, 0.3],
            world_from_box: pose_from_xyz_rpy([x, 0.0, 0.0, 0.0, 0.0, 0.0]),
        },
        dop: None,
        hull: None,
    };
    let mut checker = StagedChecker::default();
    let found = checker.check(&[at(0.0)], &grid, -0.2, &|_| false).unwrap();
    assert_eq!((found.evidence, found.visited), (None, 0));
    for margin in [f64::NAN, f64::INFINITY] {
        assert!(matches!(
            checker.check(&[at(0.0)], &grid, margin, &|_| false),
            Err(CheckError::Margin { .. })
        ));
    }
    let nowhere = checker.check(&[at(0.0), at(f64::NAN)], &grid, 0.0, &|_| false);
    assert_eq!(nowhere, Err(CheckError::Link { link: 1 }));
    let cells = CellList::occupied(&grid);
    let mut sat = Vec::new();
    cells.sat_m(LEVEL(), &at(f64::NAN).obb, &mut sat);
    assert!(sat.iter().all(|m| m.is_nan()));
    assert_eq!(cells.nearest_by_sat(LEVEL(), &at(f64::NAN).obb), None);
    assert_eq!(cells.nearest_by_distance(LEVEL(), &at(f64::NAN).obb), Ok(None));
}

#[test]
fn a_grid_without_cells_ends_at_once_however_long_its_other_sides_are() {
    let long = VoxelGrid::new([0, 1, (1 << 24) - 1], [0.0; 3], 0.1, Rotation3::identity(), vec![]).unwrap();
    assert!(CellList::occupied(&long).is_empty());
    let too_long = VoxelGrid::new([0, 1, 1 << 60], [0.0; 3], 0.1, Rotation3::identity(), vec![]);
    assert!(matches!(too_long, Err(VoxelGridError::TooMany { .. })));
}
