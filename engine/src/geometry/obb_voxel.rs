//! Oriented boxes against the occupied cells of a grid: per cell and the minimum with its cell.
//!
//! Two numbers, named apart (geometry page, section 2.1): `sat_m` is the safety kernel's, the largest gap over fifteen
//! axes, a lower bound when apart; `distance_m` is Euclidean and signed. They agree on every verdict at margin 0 and on
//! every depth. Ties of a minimum keep the first cell of the list; occupied cells are listed by rising linear index. A box that
//! is not finite has no number: NaN for each cell, and no minimum. Metres.

use super::hull::{ConvexHull, HullError};
use super::hull_distance::HullDistance;
use super::obb::Obb;
use super::pose::{Pose, Vector};
use super::voxel_grid::VoxelGrid;
use nalgebra::Translation3;
use rollcheck_kernels::SimdLevel;
use rollcheck_kernels::obb_voxel::{self as op, BoxAxes, Cells};

/// A cell and the number found for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestCell {
    /// Linear index of the cell.
    pub index: usize,
    /// The number, m.
    pub value_m: f64,
}

/// Cells of a grid, as three coordinates each.
#[derive(Clone, Debug, PartialEq)]
pub struct CellList {
    index: Vec<usize>,
    coordinates: [Vec<f32>; 3],
    base_from_grid: Pose,
    resolution_m: f64,
}

impl CellList {
    /// The occupied cells of a grid, by rising linear index.
    pub fn occupied(grid: &VoxelGrid) -> Self {
        let mut list = Self::empty(grid);
        if grid.occupied().is_empty() {
            return list;
        }
        let [sx, sy, sz] = grid.size();
        let mut rows = grid.occupied().chunks_exact(sx.max(1));
        for z in 0..sz {
            for y in 0..sy {
                let Some(row) = rows.next() else { break };
                for (x, _) in row.iter().enumerate().filter(|&(_, &byte)| byte != 0) {
                    list.push(x + sx * (y + sy * z), [x, y, z]);
                }
            }
        }
        list
    }

    /// Given cells of a grid, in the given order; `Err` names the first index that is not of the grid.
    ///
    /// # Errors
    /// The index.
    pub fn of_indices(grid: &VoxelGrid, indices: &[usize]) -> Result<Self, usize> {
        let mut list = Self::empty(grid);
        for &index in indices {
            list.push(index, grid.cell(index).ok_or(index)?);
        }
        Ok(list)
    }

    fn empty(grid: &VoxelGrid) -> Self {
        let origin = Translation3::from(Vector::from(grid.origin_m()));
        Self {
            index: Vec::new(),
            coordinates: [const { Vec::new() }; 3],
            base_from_grid: Pose::from_parts(origin, *grid.base_from_grid_rotation()),
            resolution_m: grid.resolution_m(),
        }
    }

    fn push(&mut self, index: usize, cell: [usize; 3]) {
        self.index.push(index);
        for (lane, i) in self.coordinates.iter_mut().zip(cell) {
            lane.push(i as f32);
        }
    }

    /// Linear index of each cell.
    pub fn indices(&self) -> &[usize] {
        &self.index
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// As the op takes them.
    pub fn cells(&self) -> Cells<'_> {
        let [x, y, z] = &self.coordinates;
        Cells { x, y, z }
    }

    /// A box, placed in the base frame, prepared for this lattice.
    pub fn prepare(&self, obb: &Obb) -> BoxAxes {
        let grid_from_box = self.base_from_grid.inverse() * obb.world_from_box;
        let (centre, axes) = parts(&grid_from_box);
        BoxAxes::new(centre, axes, obb.half_extents_m, self.resolution_m)
    }

    /// `sat_m` of each cell, into `out`.
    pub fn sat_m(&self, level: SimdLevel, obb: &Obb, out: &mut Vec<f64>) {
        out.resize(self.len(), 0.0);
        if !obb.is_finite() {
            out.fill(f64::NAN);
            return;
        }
        // The slices of a list are alike by construction.
        let _ = op::sat_f64(level, &self.prepare(obb), self.cells(), out);
    }

    /// `sat_m` of each cell in single precision, into `out`; off by at most [`BoxAxes::f32_error_m`].
    pub fn sat_m_f32(&self, level: SimdLevel, obb: &Obb, out: &mut Vec<f32>) {
        out.resize(self.len(), 0.0);
        if !obb.is_finite() {
            out.fill(f32::NAN);
            return;
        }
        let _ = op::sat_f32(level, &self.prepare(obb), self.cells(), out);
    }

    /// The cell with the smallest `sat_m`; `None` without cells.
    pub fn nearest_by_sat(&self, level: SimdLevel, obb: &Obb) -> Option<NearestCell> {
        let mut values = Vec::new();
        self.sat_m(level, obb, &mut values);
        let (at, value_m) = op::first_minimum(level, &values)?;
        Some(NearestCell { index: self.index[at], value_m })
    }

    /// Where a cell's cube is, in the base frame.
    fn base_from_cell(&self, at: usize) -> Pose {
        let centre = [0, 1, 2].map(|k| (f64::from(self.coordinates[k][at]) + 0.5) * self.resolution_m);
        self.base_from_grid * Translation3::from(Vector::from(centre))
    }

    /// Euclidean signed distance of each cell, m, into `out`: the depth where `sat_m` is at or below 0, which is exact
    /// there, else the certified gap.
    ///
    /// # Errors
    /// [`HullError`] when the box has no volume.
    pub fn distance_m(&self, level: SimdLevel, obb: &Obb, out: &mut Vec<f64>) -> Result<(), HullError> {
        let of_box = ConvexHull::of_box(obb.half_extents_m)?;
        let cube = ConvexHull::of_box([0.5 * self.resolution_m; 3])?;
        self.sat_m(level, obb, out);
        let mut measure = HullDistance::new(level);
        for (at, value) in out.iter_mut().enumerate().filter(|(_, value)| **value > 0.0) {
            let found = measure.measure(&of_box, &obb.world_from_box, &cube, &self.base_from_cell(at));
            // Both are bounds from below; the larger is the better where rounding parts them.
            *value = found.distance_m.max(*value);
        }
        Ok(())
    }

    /// The cell with the smallest Euclidean distance; `None` without cells.
    ///
    /// Cells whose `sat_m`, a lower bound, is above the best distance so far are not measured.
    ///
    /// # Errors
    /// [`HullError`] when the box has no volume.
    pub fn nearest_by_distance(&self, level: SimdLevel, obb: &Obb) -> Result<Option<NearestCell>, HullError> {
        let of_box = ConvexHull::of_box(obb.half_extents_m)?;
        let cube = ConvexHull::of_box([0.5 * self.resolution_m; 3])?;
        let mut values = Vec::new();
        self.sat_m(level, obb, &mut values);
        let mut measure = HullDistance::new(level);
        let mut best: Option<NearestCell> = None;
        for (at, &sat_m) in values.iter().enumerate() {
            if sat_m.is_nan() || best.is_some_and(|b| sat_m >= b.value_m) {
                continue;
            }
            let value_m = if sat_m > 0.0 {
                let found = measure.measure(&of_box, &obb.world_from_box, &cube, &self.base_from_cell(at));
                found.distance_m.max(sat_m)
            } else {
                sat_m
            };
            if best.is_none_or(|b| value_m < b.value_m) {
                best = Some(NearestCell { index: self.index[at], value_m });
            }
        }
        Ok(best)
    }
}

/// Centre and axes of a frame, as ops take them.
pub(crate) fn parts(pose: &Pose) -> ([f64; 3], [[f64; 3]; 3]) {
    let r = pose.rotation.matrix();
    let axes = [0, 1, 2].map(|k| [r[(0, k)], r[(1, k)], r[(2, k)]]);
    (pose.translation.vector.into(), axes)
}
