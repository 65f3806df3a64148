//! `rollcheck obb voxels`

use crate::args::obb::VoxelsArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::pipeline::robot::Robot;
use crate::printer::{Printer, Render, table};
use rollcheck_engine::geometry::files::{read_kinematics, read_points, voxels_npz};
use rollcheck_engine::geometry::kinematics::{self, KinematicTree};
use rollcheck_engine::geometry::obb::Obb;
use rollcheck_engine::geometry::obb_voxel::{CellList, NearestCell};
use rollcheck_engine::geometry::pose::pose_from_xyz_rpy;
use rollcheck_engine::geometry::robot::LinkVolume;
use rollcheck_engine::geometry::staged_check::{CheckedLink, StagedCheck, StagedChecker};
use rollcheck_engine::geometry::tight;
use rollcheck_engine::geometry::{ConvexHull, Pose, VoxelGrid};
use rollcheck_engine::store::atomic;
use rollcheck_kernels::SimdLevel;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A box with its name and, for a link, what is tighter.
struct Named {
    name: String,
    obb: Obb,
    link: Option<LinkVolume>,
}

struct Measured {
    name: String,
    sat: Option<NearestCell>,
    distance: Option<NearestCell>,
    tripping: usize,
}

struct Voxels {
    grid: String,
    size: [usize; 3],
    resolution_m: f64,
    occupied: usize,
    margin_m: f64,
    boxes: Vec<Measured>,
    staged: Option<StagedCheck>,
    cells: Vec<[usize; 3]>,
    dropped_points: Option<u64>,
}

/// Measures boxes against a grid.
///
/// # Errors
/// [`CliError::Cloud`], [`CliError::Robot`], [`CliError::Kinematics`], [`CliError::Usage`], [`CliError::Store`],
/// [`CliError::Stdout`].
pub fn run(args: &VoxelsArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    if !args.margin.is_finite() {
        return Err(CliError::Usage(format!("--margin: expected a finite length, found {}", args.margin)));
    }
    let boxes = boxes(args)?;
    let (grid, dropped_points) = grid(args, printer)?;
    let cells = CellList::occupied(&grid);
    let level = SimdLevel::detect();
    let mut per_cell = String::from("box,index,i,j,k,sat_m,distance_m\n");
    let mut measured = Vec::new();
    let (mut sat, mut distance) = (Vec::new(), Vec::new());
    for (at, named) in boxes.iter().enumerate() {
        printer.progress("measuring boxes", boxes.len() as u64).at(at as u64, &named.name);
        let refused = |error: rollcheck_engine::geometry::HullError| {
            CliError::Usage(format!("box `{}`: {error}", named.name))
        };
        cells.sat_m(level, &named.obb, &mut sat);
        if args.per_cell.is_some() {
            cells.distance_m(level, &named.obb, &mut distance).map_err(refused)?;
            for (i, &index) in cells.indices().iter().enumerate() {
                let [x, y, z] = grid.cell(index).unwrap_or_default();
                let _ = writeln!(per_cell, "{},{index},{x},{y},{z},{},{}", named.name, sat[i], distance[i]);
            }
        }
        measured.push(Measured {
            name: named.name.clone(),
            sat: cells.nearest_by_sat(level, &named.obb),
            distance: cells.nearest_by_distance(level, &named.obb).map_err(refused)?,
            tripping: sat.iter().filter(|&&m| m <= args.margin).count(),
        });
    }
    let staged = if args.staged { Some(staged(&boxes, &grid, args.margin, printer)?) } else { None };
    if let Some(path) = &args.per_cell {
        atomic::write(path, per_cell.as_bytes())?;
        printer.note(format_args!("wrote {}", path.display()));
    }
    let named_cells = measured.iter().flat_map(|m| [m.sat, m.distance]).flatten().map(|n| n.index);
    let staged_cells = staged.iter().flat_map(|s| [s.evidence, s.sweep_at]).flatten().map(|e| e.cell);
    let result = Voxels {
        grid: args.grid.display().to_string(),
        size: grid.size(),
        resolution_m: grid.resolution_m(),
        occupied: cells.len(),
        margin_m: args.margin,
        cells: named_cells.chain(staged_cells).map(|index| grid.cell(index).unwrap_or_default()).collect(),
        boxes: measured,
        staged,
        dropped_points,
    };
    printer.result(&result)?;
    Ok(Exit::Done)
}

fn grid(args: &VoxelsArgs, printer: &mut Printer<'_>) -> Result<(VoxelGrid, Option<u64>), CliError> {
    let is_npz = args.grid.extension().is_some_and(|e| e.eq_ignore_ascii_case("npz"));
    if is_npz {
        if args.resolution.is_some() {
            return Err(CliError::Usage("--resolution: the grid says its own; it is for points".to_owned()));
        }
        return Ok((voxels_npz::read_voxels(&args.grid)?, None));
    }
    let Some(resolution_m) = args.resolution else {
        return Err(CliError::Usage(format!("{}: points need --resolution, m", args.grid.display())));
    };
    let read = read_points(&args.grid)?;
    let dropped = read.dropped;
    if dropped > 0 {
        printer.warning(format_args!(
            "{}: {dropped} points that are not finite were left out",
            args.grid.display()
        ));
    }
    let grid = VoxelGrid::from_points(&read.points, resolution_m)
        .map_err(|error| CliError::Usage(format!("{}: {error}", args.grid.display())))?;
    Ok((grid, Some(dropped)))
}

fn boxes(args: &VoxelsArgs) -> Result<Vec<Named>, CliError> {
    if let Some(half) = &args.half {
        let half_extents_m: [f64; 3] = three("--half", half)?;
        if half_extents_m.iter().any(|h| !(h.is_finite() && *h > 0.0)) {
            return Err(CliError::Usage(format!("--half: expected three lengths above 0 m, found {half:?}")));
        }
        let pose: [f64; 6] = match &args.pose {
            Some(pose) => three("--pose", pose)?,
            None => [0.0; 6],
        };
        if pose.iter().any(|x| !x.is_finite()) {
            return Err(CliError::Usage(format!("--pose: expected six finite numbers, found {pose:?}")));
        }
        let obb = Obb { half_extents_m, world_from_box: pose_from_xyz_rpy(pose) };
        return Ok(vec![Named { name: "box".to_owned(), obb, link: None }]);
    }
    let Some(path) = &args.robot else { return Ok(Vec::new()) };
    let robot = Robot::at(path, None)?;
    let tree = match &args.urdf {
        Some(file) => read_kinematics(file)?.tree,
        None => kinematics::panda(),
    };
    let joints = joints(&tree, args.joints.as_deref())?;
    let poses = tree.link_poses(&joints).map_err(|error| CliError::Usage(format!("--joints: {error}")))?;
    let placed = |link: &LinkVolume| {
        let half_extents_m = link.shape.half_extents_m()?;
        let pose = tree.index(&link.link_name).and_then(|i| poses[i]);
        Some((link.clone(), half_extents_m, pose))
    };
    robot
        .links()
        .iter()
        .filter_map(placed)
        .map(|(link, half_extents_m, pose)| {
            let pose: Pose = pose.ok_or_else(|| CliError::Link {
                link: link.link_name.clone(),
                file: robot.name.clone(),
                reason: "the kinematics do not place it; give its --urdf".to_owned(),
            })?;
            let obb = Obb { half_extents_m, world_from_box: pose * link.link_from_box };
            Ok(Named { name: link.link_name.clone(), obb, link: Some(link) })
        })
        .collect()
}

fn joints(tree: &KinematicTree, given: Option<&[f64]>) -> Result<BTreeMap<String, f64>, CliError> {
    let names: Vec<String> = tree.moving_joints().map(str::to_owned).collect();
    let Some(given) = given else {
        return Err(CliError::Usage(format!("--robot needs --joints: positions of {}", names.join(", "))));
    };
    if given.len() != names.len() {
        return Err(CliError::Usage(format!(
            "--joints: {} positions, expected {} ({})",
            given.len(),
            names.len(),
            names.join(", ")
        )));
    }
    Ok(names.into_iter().zip(given.iter().copied()).collect())
}

fn three<const N: usize>(option: &str, values: &[f64]) -> Result<[f64; N], CliError> {
    values
        .try_into()
        .map_err(|_| CliError::Usage(format!("{option}: {} numbers, expected {N}", values.len())))
}

fn staged(
    boxes: &[Named],
    grid: &VoxelGrid,
    margin_m: f64,
    printer: &mut Printer<'_>,
) -> Result<StagedCheck, CliError> {
    // One bad block drops all of them, as the safety kernel does at load.
    let faulty = boxes.iter().find_map(|named| {
        let declared = named.link.as_ref()?.tight.as_ref()?;
        Some((&named.name, tight::fault(named.obb.half_extents_m, declared)?))
    });
    if let Some((name, fault)) = &faulty {
        printer.warning(format_args!("link `{name}`: {fault}; every link is checked by its box"));
    }
    let usable =
        |named: &'_ Named| named.link.clone().and_then(|link| link.tight).filter(|_| faulty.is_none());
    let tights: Vec<_> = boxes.iter().map(usable).collect();
    let hulls: Vec<Option<ConvexHull>> = tights
        .iter()
        .map(|tight| {
            tight
                .as_ref()
                .filter(|t| t.has_stage2_hull())
                .and_then(|t| ConvexHull::of(&t.hull_vertices_m).ok())
        })
        .collect();
    let links: Vec<CheckedLink<'_>> = boxes
        .iter()
        .zip(tights.iter().zip(&hulls))
        .map(|(named, (tight, hull))| CheckedLink {
            obb: named.obb,
            dop: tight.as_ref().map(|t| &t.dop),
            hull: hull.as_ref(),
        })
        .collect();
    StagedChecker::default()
        .check(&links, grid, margin_m, &|_| false)
        .map_err(|error| CliError::Usage(error.to_string()))
}

impl Voxels {
    fn cell(&self, at: usize) -> [usize; 3] {
        self.cells.get(at).copied().unwrap_or_default()
    }

    fn place(found: Option<NearestCell>, cell: [usize; 3]) -> Value {
        found.map_or(Value::Null, |n| json!({"m": n.value_m, "index": n.index, "cell": cell}))
    }
}

impl Render for Voxels {
    fn json(&self) -> Value {
        let mut at = 0;
        let mut next = |found: Option<NearestCell>| {
            let cell = if found.is_some() { self.cell(at) } else { [0; 3] };
            at += usize::from(found.is_some());
            Self::place(found, cell)
        };
        let boxes: Vec<Value> = self
            .boxes
            .iter()
            .map(|m| {
                let (sat, distance) = (next(m.sat), next(m.distance));
                json!({"name": m.name, "sat": sat, "distance": distance, "tripping_cells": m.tripping})
            })
            .collect();
        let pair = |e: rollcheck_engine::geometry::staged_check::Evidence| json!({"link": self.boxes.get(e.link).map(|b| &b.name), "index": e.cell, "m": e.distance_m});
        let staged = self.staged.as_ref().map(|s| {
            json!({
                "evidence": s.evidence.map(pair),
                "sweep_min_distance_m": s.sweep_min_m.is_finite().then_some(s.sweep_min_m),
                "sweep_at": s.sweep_at.map(pair),
                "visited": s.visited,
                "hull_runs": s.hull_runs,
                "hull_runs_missing": s.hull_runs_missing,
            })
        });
        json!({
            "grid": self.grid,
            "size": self.size,
            "resolution_m": self.resolution_m,
            "occupied": self.occupied,
            "margin_m": self.margin_m,
            "boxes": boxes,
            "staged": staged,
            "points_dropped": self.dropped_points,
        })
    }

    fn text(&self) -> String {
        let [sx, sy, sz] = self.size;
        let mut text = format!(
            "{}: {sx} x {sy} x {sz} cells of {} m, {} occupied\n\n",
            self.grid, self.resolution_m, self.occupied
        );
        let mut at = 0;
        let mut show = |found: Option<NearestCell>| match found {
            None => ["none".to_owned(), String::new()],
            Some(n) => {
                let [i, j, k] = self.cell(at);
                at += 1;
                [format!("{:.9}", n.value_m), format!("voxel_{} ({i}, {j}, {k})", n.index)]
            }
        };
        let rows: Vec<Vec<String>> = self
            .boxes
            .iter()
            .map(|m| {
                let ([sat, sat_at], [distance, distance_at]) = (show(m.sat), show(m.distance));
                vec![m.name.clone(), sat, sat_at, distance, distance_at, m.tripping.to_string()]
            })
            .collect();
        text += &table(&["box", "sat_m", "at", "distance_m", "at", "tripping"], rows);
        if let Some(staged) = &self.staged {
            let name = |link: usize| self.boxes.get(link).map_or("", |b| b.name.as_str());
            match staged.evidence {
                Some(e) => {
                    let _ = writeln!(
                        text,
                        "\nstaged check: stop, {} against voxel_{} at {:.9} m",
                        name(e.link),
                        e.cell,
                        e.distance_m
                    );
                }
                None => text.push_str("\nstaged check: no stop\n"),
            }
            let sweep = if staged.sweep_min_m.is_finite() {
                format!("{:.9} m", staged.sweep_min_m)
            } else {
                "infinite (no cell visited)".to_owned()
            };
            let _ = writeln!(
                text,
                "sweep minimum {sweep}; {} cells visited, {} hull runs, {} more wanted",
                staged.visited, staged.hull_runs, staged.hull_runs_missing
            );
        }
        text
    }
}
