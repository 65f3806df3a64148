//! The safety kernel's voxel check of a robot's links, stage by stage.
//!
//! Geometry page, section 2.2. For each link: a window of cells cut from its box; each occupied cell of it against
//! the slabs (stage 1), against the hull while the call has hull runs left (stage 2), and against the box; the largest of
//! these lower bounds is the cell's number, so tight geometry never stops where the box would not.
//!
//! ```text
//! window:  half reach along axis k = sum_j |R_kj| half_j + margin + resolution / 2,   indices by floor, clamped
//! evidence: the deepest pair at or below the margin; sweep minimum: the smallest number of all cells visited
//! ```
//!
//! Ties keep the first seen: links in order, cells by rising index. Nothing visited: infinite. The hull's number is a
//! supporting plane's lower bound: the run stops when it clears the margin, or after 24 steps; overlapping hulls return
//! the stage 1 number. So the sweep minimum is one of bounds, not of distances. Metres.

use super::dop::{DOP_AXES, Dop26};
use super::hull::{ConvexHull, HullError};
use super::obb::Obb;
use super::obb_voxel::parts;
use super::pose::{Pose, Vector, rows};
use super::voxel_grid::VoxelGrid;
use nalgebra::Translation3;
use rollcheck_kernels::SimdLevel;
use rollcheck_kernels::hull_distance::separation_bound;
use rollcheck_kernels::obb_voxel::{self as op, BoxAxes, Cells, SlabAxes};

/// Hull runs of one call, over all links.
pub const HULL_RUNS: usize = 32;

/// Steps of one hull run.
pub const HULL_STEPS: u32 = 24;

/// Why a check cannot be made. Nothing is ever checked with what is no number: it would clear or trip by accident.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The margin is no length.
    #[error("margin: expected a finite length, found {found}")]
    Margin {
        /// What it is.
        found: f64,
    },
    /// A link's box is nowhere, or has no size.
    #[error("link {link} (counted from 0): its box is not finite")]
    Link {
        /// Which.
        link: usize,
    },
    /// A cell of the grid has no volume.
    #[error("a cell of the grid: {0}")]
    Cell(#[from] HullError),
}

/// A link as the check takes it: a box in the base frame, and what is tighter, in the box frame.
#[derive(Clone, Debug)]
pub struct CheckedLink<'a> {
    /// Its box.
    pub obb: Obb,
    /// Its slabs, where tight geometry is declared and in order.
    pub dop: Option<&'a Dop26>,
    /// Its hull, where one ships.
    pub hull: Option<&'a ConvexHull>,
}

/// The cell that stands for a stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Index of the link.
    pub link: usize,
    /// Linear index of the cell.
    pub cell: usize,
    /// Its number, m.
    pub distance_m: f64,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq)]
pub struct StagedCheck {
    /// The deepest tripping pair; `None`: nothing trips.
    pub evidence: Option<Evidence>,
    /// The smallest number of all cells visited, trips and exempt ones included, m; infinite when none was.
    pub sweep_min_m: f64,
    /// Where that was.
    pub sweep_at: Option<Evidence>,
    /// Cells visited.
    pub visited: usize,
    /// Hull runs used.
    pub hull_runs: usize,
    /// Cells at which a hull would have been run if the call had runs left.
    pub hull_runs_missing: usize,
}

/// Checks links against a grid at a margin; `exempt` cells count for the sweep and never trip.
#[derive(Clone, Debug)]
pub struct StagedChecker {
    level: SimdLevel,
    coordinates: [Vec<f32>; 3],
    index: Vec<usize>,
    of_box: Vec<f64>,
    of_slabs: Vec<f64>,
}

impl Default for StagedChecker {
    fn default() -> Self {
        Self::new(SimdLevel::detect())
    }
}

impl StagedChecker {
    /// With the vector instructions of `level`; every level gives the same bits.
    pub fn new(level: SimdLevel) -> Self {
        Self {
            level,
            coordinates: [const { Vec::new() }; 3],
            index: Vec::new(),
            of_box: Vec::new(),
            of_slabs: Vec::new(),
        }
    }

    /// One call of the check.
    ///
    /// # Errors
    /// [`CheckError`].
    pub fn check(
        &mut self,
        links: &[CheckedLink<'_>],
        grid: &VoxelGrid,
        margin_m: f64,
        exempt: &dyn Fn(usize) -> bool,
    ) -> Result<StagedCheck, CheckError> {
        if !margin_m.is_finite() {
            return Err(CheckError::Margin { found: margin_m });
        }
        if let Some(link) = links.iter().position(|link| !link.obb.is_finite()) {
            return Err(CheckError::Link { link });
        }
        let mut found = StagedCheck {
            evidence: None,
            sweep_min_m: f64::INFINITY,
            sweep_at: None,
            visited: 0,
            hull_runs: 0,
            hull_runs_missing: 0,
        };
        let resolution_m = grid.resolution_m();
        let cube = ConvexHull::of_box([0.5 * resolution_m; 3])?;
        let origin = Translation3::from(Vector::from(grid.origin_m()));
        let base_from_grid = Pose::from_parts(origin, *grid.base_from_grid_rotation());
        for (at, link) in links.iter().enumerate() {
            let grid_from_box = base_from_grid.inverse() * link.obb.world_from_box;
            self.window(grid, &grid_from_box, link.obb.half_extents_m, margin_m);
            let (centre, axes) = parts(&grid_from_box);
            let [x, y, z] = &self.coordinates;
            let cells = Cells { x, y, z };
            let box_axes = BoxAxes::new(centre, axes, link.obb.half_extents_m, resolution_m);
            self.of_box.resize(self.index.len(), 0.0);
            let _ = op::sat_f64(self.level, &box_axes, cells, &mut self.of_box);
            if let Some(dop) = link.dop {
                let slabs = SlabAxes::new(centre, axes, &DOP_AXES, &dop.lo_m, &dop.hi_m, resolution_m);
                self.of_slabs.resize(self.index.len(), 0.0);
                let _ = op::slab_f64(self.level, &slabs, cells, &mut self.of_slabs);
            }
            for (i, &cell) in self.index.iter().enumerate() {
                let mut number = self.of_box[i];
                if link.dop.is_some() {
                    number = self.of_slabs[i];
                    if number <= margin_m
                        && let Some(hull) = link.hull
                    {
                        if found.hull_runs < HULL_RUNS {
                            found.hull_runs += 1;
                            let [cx, cy, cz] =
                                [0, 1, 2].map(|k| (f64::from(self.coordinates[k][i]) + 0.5) * resolution_m);
                            let grid_from_cell = Pose::from_parts(
                                Translation3::new(cx, cy, cz),
                                nalgebra::Rotation3::identity(),
                            );
                            let pose = rows(&(grid_from_box.inverse() * grid_from_cell));
                            let bound = separation_bound(
                                self.level,
                                hull.lanes(),
                                cube.lanes(),
                                &pose,
                                margin_m,
                                HULL_STEPS,
                            );
                            // Overlap is proved and not sized: the stage 1 number stands.
                            if let Ok(Some(apart_m)) = bound {
                                number = number.max(apart_m);
                            }
                        } else {
                            found.hull_runs_missing += 1;
                        }
                    }
                    if number <= margin_m {
                        number = number.max(self.of_box[i]);
                    }
                }
                found.visited += 1;
                let pair = Evidence { link: at, cell, distance_m: number };
                if number < found.sweep_min_m {
                    found.sweep_min_m = number;
                    found.sweep_at = Some(pair);
                }
                let deeper = found.evidence.is_none_or(|e| number < e.distance_m);
                if number <= margin_m && deeper && !exempt(cell) {
                    found.evidence = Some(pair);
                }
            }
        }
        Ok(found)
    }

    /// Gathers the occupied cells of a box's window, by rising index.
    fn window(&mut self, grid: &VoxelGrid, grid_from_box: &Pose, half_m: [f64; 3], margin_m: f64) {
        self.index.clear();
        for lane in &mut self.coordinates {
            lane.clear();
        }
        let size = grid.size();
        if size.contains(&0) {
            return;
        }
        let resolution_m = grid.resolution_m();
        let r = grid_from_box.rotation.matrix();
        let mut range = [(0, 0); 3];
        for (k, range) in range.iter_mut().enumerate() {
            let reach =
                (0..3).map(|j| r[(k, j)].abs() * half_m[j]).sum::<f64>() + margin_m + 0.5 * resolution_m;
            let centre = grid_from_box.translation.vector[k];
            let last = size[k] - 1;
            let clamp = |way: f64| (way / resolution_m).floor().clamp(-1.0, size[k] as f64);
            let (lo, hi) = (clamp(centre - reach), clamp(centre + reach));
            if hi < 0.0 || lo > last as f64 {
                return;
            }
            // A margin below minus the reach leaves no window at all.
            if lo > hi {
                return;
            }
            *range = (lo.max(0.0) as usize, (hi as usize).min(last));
        }
        let [(x0, x1), (y0, y1), (z0, z1)] = range;
        for z in z0..=z1 {
            for y in y0..=y1 {
                let row = size[0] * (y + size[1] * z);
                for (x, _) in
                    grid.occupied()[row + x0..=row + x1].iter().enumerate().filter(|&(_, &byte)| byte != 0)
                {
                    self.index.push(row + x0 + x);
                    self.coordinates[0].push((x0 + x) as f32);
                    self.coordinates[1].push(y as f32);
                    self.coordinates[2].push(z as f32);
                }
            }
        }
    }
}
