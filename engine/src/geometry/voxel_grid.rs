//! A voxel grid: which cubes of a lattice are occupied.
//!
//! ```text
//! idx = ix + sx (iy + sy iz)      centre = origin + R ((i + 0.5) resolution)      half-diagonal = resolution sqrt(3) / 2
//! ```
//!
//! Geometry page, section 1. `origin_m` is the minimum corner of cell 0, in the base frame; the lattice turns about
//! that point by `R` (the base from the grid frame). A cell is occupied where its byte is not 0. A grid with a side of 0
//! is allowed and holds no cell. Metres.

use super::pose::{Point, Vector};
use nalgebra::{Quaternion, Rotation3, UnitQuaternion};
use rollcheck_kernels::obb_voxel::CELL_MAX;

/// Most cells of a grid made from points: at 25 mm a cube of 16 m.
pub const CELLS_MAX: u64 = 1 << 28;
/// Cells along one side must be fewer: a coordinate is exact in f32 below this.
const SIDE_MAX: usize = CELL_MAX as usize;
/// How far a squared quaternion may be from 1.
const UNIT_MAX: f64 = 1e-6;

/// An occupancy grid.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelGrid {
    size: [usize; 3],
    origin_m: [f64; 3],
    resolution_m: f64,
    base_from_grid_rotation: Rotation3<f64>,
    occupied: Vec<u8>,
}

/// Why values make no grid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VoxelGridError {
    /// The edge of a cell is not a length.
    #[error("resolution: expected a finite length above 0 m, found {found}")]
    Resolution {
        /// The value.
        found: f64,
    },
    /// The corner of the grid is nowhere.
    #[error("origin[{axis}]: expected a finite number, found {found}")]
    Origin {
        /// 0 to 2.
        axis: usize,
        /// The value.
        found: f64,
    },
    /// The sides and the bytes disagree.
    #[error("occupied: expected {} x {} x {} cells, found {found} bytes", size[0], size[1], size[2])]
    Cells {
        /// The sides, x y z.
        size: [usize; 3],
        /// How many bytes there are.
        found: usize,
    },
    /// More cells than can be counted or held.
    #[error("{:?} x {:?} x {:?} cells (x, y, z), expected at most {CELLS_MAX} together and fewer than {SIDE_MAX} a side", size[0], size[1], size[2])]
    TooMany {
        /// The sides, x y z; not whole numbers where they pass every limit.
        size: [f64; 3],
    },
    /// All four numbers 0: nobody set it. It is not the identity.
    #[error("quaternion: all zero, which means unset; expected a unit quaternion (x, y, z, w)")]
    QuaternionUnset,
    /// Not a rotation.
    #[error("quaternion: its squared length is {squared}, expected 1 within {UNIT_MAX:e}")]
    Quaternion {
        /// Its squared length.
        squared: f64,
    },
}

/// Half the body diagonal of a cell, m: how far a point of it may be from its centre.
pub fn half_diagonal_m(resolution_m: f64) -> f64 {
    resolution_m * 3.0_f64.sqrt() / 2.0
}

/// The rotation of a quaternion `(x, y, z, w)`, normalised.
///
/// # Errors
/// [`VoxelGridError::QuaternionUnset`] when all are 0, [`VoxelGridError::Quaternion`] when it is not of unit length.
pub fn rotation_from_xyzw(xyzw: [f64; 4]) -> Result<Rotation3<f64>, VoxelGridError> {
    if xyzw == [0.0; 4] {
        return Err(VoxelGridError::QuaternionUnset);
    }
    let [x, y, z, w] = xyzw;
    let quaternion = Quaternion::new(w, x, y, z);
    let squared = quaternion.norm_squared();
    // NaN is not within.
    if (squared - 1.0).abs() <= UNIT_MAX {
        return Ok(UnitQuaternion::from_quaternion(quaternion).to_rotation_matrix());
    }
    Err(VoxelGridError::Quaternion { squared })
}

impl VoxelGrid {
    /// A grid of `size` (x, y, z) cells; `occupied` has x fastest.
    ///
    /// # Errors
    /// [`VoxelGridError`].
    pub fn new(
        size: [usize; 3],
        origin_m: [f64; 3],
        resolution_m: f64,
        base_from_grid_rotation: Rotation3<f64>,
        occupied: Vec<u8>,
    ) -> Result<Self, VoxelGridError> {
        check_resolution(resolution_m)?;
        if let Some(axis) = origin_m.iter().position(|x| !x.is_finite()) {
            return Err(VoxelGridError::Origin { axis, found: origin_m[axis] });
        }
        // Ops take cell coordinates as f32, exact below 2^24.
        if size.iter().any(|&side| side >= SIDE_MAX) {
            return Err(VoxelGridError::TooMany { size: size.map(|side| side as f64) });
        }
        let cells = size.iter().try_fold(1_usize, |cells, &side| cells.checked_mul(side));
        // A zero side makes any product 0, also one that would overflow before it is reached.
        let cells = if size.contains(&0) { Some(0) } else { cells };
        match cells {
            Some(cells) if cells == occupied.len() => {}
            Some(_) => return Err(VoxelGridError::Cells { size, found: occupied.len() }),
            None => return Err(VoxelGridError::TooMany { size: size.map(|side| side as f64) }),
        }
        Ok(Self { size, origin_m, resolution_m, base_from_grid_rotation, occupied })
    }

    /// The smallest grid along the base axes, with corners at multiples of the resolution, that holds every point.
    /// Without points it has no cell.
    ///
    /// # Errors
    /// [`VoxelGridError`]; [`VoxelGridError::Origin`] for a point that is not finite.
    pub fn from_points(points: &[Point], resolution_m: f64) -> Result<Self, VoxelGridError> {
        check_resolution(resolution_m)?;
        let (mut lo, mut hi) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for point in points {
            for axis in 0..3 {
                if !point[axis].is_finite() {
                    return Err(VoxelGridError::Origin { axis, found: point[axis] });
                }
                lo[axis] = lo[axis].min(point[axis]);
                hi[axis] = hi[axis].max(point[axis]);
            }
        }
        if points.is_empty() {
            return Self::new([0; 3], [0.0; 3], resolution_m, Rotation3::identity(), Vec::new());
        }
        let origin_m = lo.map(|x| (x / resolution_m).floor() * resolution_m);
        let sides = [0, 1, 2].map(|k| ((hi[k] - origin_m[k]) / resolution_m).floor() + 1.0);
        let cells: f64 = sides.iter().product();
        // NaN comes of an overflow.
        if cells.is_nan() || cells > CELLS_MAX as f64 {
            return Err(VoxelGridError::TooMany { size: sides });
        }
        let size = sides.map(|side| side.max(1.0) as usize);
        let mut occupied = vec![0_u8; size.iter().product()];
        for point in points {
            // Rounding of the origin may put the lowest point a hair below it; the cast holds it at 0.
            let [ix, iy, iz] = [0, 1, 2]
                .map(|k| (((point[k] - origin_m[k]) / resolution_m).floor() as usize).min(size[k] - 1));
            occupied[ix + size[0] * (iy + size[1] * iz)] = 1;
        }
        Self::new(size, origin_m, resolution_m, Rotation3::identity(), occupied)
    }

    /// Cells along x, y, z.
    pub fn size(&self) -> [usize; 3] {
        self.size
    }

    /// Minimum corner of cell 0 in the base frame, m; the lattice turns about it.
    pub fn origin_m(&self) -> [f64; 3] {
        self.origin_m
    }

    /// Edge of a cell, m; above 0.
    pub fn resolution_m(&self) -> f64 {
        self.resolution_m
    }

    /// How the lattice is turned against the base frame.
    pub fn base_from_grid_rotation(&self) -> &Rotation3<f64> {
        &self.base_from_grid_rotation
    }

    /// A byte a cell, x fastest; occupied where it is not 0.
    pub fn occupied(&self) -> &[u8] {
        &self.occupied
    }

    /// Half the body diagonal of a cell, m.
    pub fn half_diagonal_m(&self) -> f64 {
        half_diagonal_m(self.resolution_m)
    }

    /// Linear indices of the occupied cells, ascending.
    pub fn occupied_cells(&self) -> impl Iterator<Item = usize> + '_ {
        self.occupied.iter().enumerate().filter(|&(_, &byte)| byte != 0).map(|(index, _)| index)
    }

    /// The cell (x, y, z) of a linear index; `None` past the end.
    pub fn cell(&self, index: usize) -> Option<[usize; 3]> {
        let [sx, sy, _] = self.size;
        (index < self.occupied.len()).then(|| [index % sx, index / sx % sy, index / sx / sy])
    }

    /// The linear index of a cell (x, y, z); `None` outside the grid.
    pub fn index(&self, cell: [usize; 3]) -> Option<usize> {
        let inside = cell.iter().zip(self.size).all(|(&i, side)| i < side);
        inside.then(|| cell[0] + self.size[0] * (cell[1] + self.size[1] * cell[2]))
    }

    /// Centre of a cell in the base frame, m; `None` past the end.
    pub fn centre_m(&self, index: usize) -> Option<Point> {
        let along = Vector::from(self.cell(index)?.map(|i| (i as f64 + 0.5) * self.resolution_m));
        Some(Point::from(self.origin_m) + self.base_from_grid_rotation * along)
    }
}

fn check_resolution(resolution_m: f64) -> Result<(), VoxelGridError> {
    if resolution_m.is_finite() && resolution_m > 0.0 {
        return Ok(());
    }
    Err(VoxelGridError::Resolution { found: resolution_m })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::FRAC_1_SQRT_2;

    #[test]
    fn the_half_diagonal_is_that_of_the_body() {
        for (resolution, published) in
            [(0.025, 0.021_650_635), (0.05, 0.043_301), (0.015, 0.012_990), (0.01, 0.008_660)]
        {
            assert!((half_diagonal_m(resolution) - published).abs() < 5e-7);
        }
    }

    #[test]
    fn x_runs_fastest_and_the_lattice_turns_about_its_corner() {
        let mut occupied = vec![0; 24];
        occupied[1 + 2 * (2 + 3 * 3)] = 255;
        occupied[4] = 1;
        // A quarter turn about z: the grid's x is the base's y.
        let turn = rotation_from_xyzw([0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2]).unwrap();
        let grid = VoxelGrid::new([2, 3, 4], [1.0, 2.0, 3.0], 0.1, turn, occupied).unwrap();
        assert_eq!(grid.occupied_cells().collect::<Vec<_>>(), [4, 23]);
        assert_eq!(grid.cell(23), Some([1, 2, 3]));
        assert_eq!((grid.cell(24), grid.index([2, 0, 0])), (None, None));
        let centre = grid.centre_m(23).unwrap();
        assert!((centre - Point::new(1.0 - 0.25, 2.0 + 0.15, 3.0 + 0.35)).norm() < 1e-15, "{centre}");
    }

    #[test]
    fn what_makes_no_grid_is_refused() {
        let unit = Rotation3::identity();
        let new = |size, origin, resolution, bytes: usize| {
            VoxelGrid::new(size, origin, resolution, unit, vec![0; bytes]).unwrap_err()
        };
        let zero = [0.0; 3];
        assert_eq!(new([1; 3], zero, 0.0, 1), VoxelGridError::Resolution { found: 0.0 });
        assert!(matches!(new([1; 3], zero, f64::NAN, 1), VoxelGridError::Resolution { .. }));
        assert!(matches!(
            new([1; 3], [0.0, f64::INFINITY, 0.0], 0.1, 1),
            VoxelGridError::Origin { axis: 1, .. }
        ));
        assert_eq!(new([2, 2, 2], zero, 0.1, 7), VoxelGridError::Cells { size: [2; 3], found: 7 });
        assert!(matches!(new([usize::MAX, 2, 1], zero, 0.1, 7), VoxelGridError::TooMany { .. }));
        let empty = VoxelGrid::new([SIDE_MAX - 1, 2, 0], zero, 0.1, unit, vec![]).unwrap();
        assert_eq!((empty.occupied_cells().count(), empty.cell(0)), (0, None));
        assert_eq!(rotation_from_xyzw([0.0; 4]), Err(VoxelGridError::QuaternionUnset));
        assert!(rotation_from_xyzw([0.0, 0.0, 0.0, 1.0 + 4e-7]).is_ok());
        let long = rotation_from_xyzw([0.0, 0.0, 0.0, 1.0 + 6e-7]).unwrap_err();
        assert!(matches!(long, VoxelGridError::Quaternion { .. }));
        assert!(rotation_from_xyzw([0.0, 0.0, 0.0, f64::NAN]).is_err());
    }

    #[test]
    fn too_wide_a_cloud_is_refused_with_its_size() {
        let far = [Point::origin(), Point::new(1e6, 1.0, 1.0)];
        let error = VoxelGrid::from_points(&far, 0.001).unwrap_err().to_string();
        assert!(error.starts_with("1000000001.0 x 1001.0 x 1001.0 cells"), "{error}");
        assert!(
            VoxelGrid::from_points(&[Point::new(f64::MAX, 0.0, 0.0), Point::new(-f64::MAX, 0.0, 0.0)], 1e-3)
                .is_err()
        );
        let nan = VoxelGrid::from_points(&[Point::new(0.0, f64::NAN, 0.0)], 0.1).unwrap_err();
        assert!(matches!(nan, VoxelGridError::Origin { axis: 1, .. }));
        assert_eq!(VoxelGrid::from_points(&[], 0.1).unwrap().size(), [0; 3]);
    }

    proptest! {
        #[test]
        fn every_point_lies_in_an_occupied_cell_and_every_occupied_cell_has_one(
            points in prop::collection::vec((-1.0..1.0, -1.0..1.0, -0.2..0.2), 1..40), resolution in 0.05..0.5_f64,
        ) {
            let points: Vec<Point> = points.into_iter().map(|(x, y, z): (f64, f64, f64)| Point::new(x, y, z)).collect();
            let grid = VoxelGrid::from_points(&points, resolution).unwrap();
            let holds = |cell: usize, point: &Point| {
                (grid.centre_m(cell).unwrap() - point).amax() <= resolution / 2.0 + 1e-12
            };
            for point in &points {
                prop_assert!(grid.occupied_cells().any(|cell| holds(cell, point)));
            }
            for cell in grid.occupied_cells() {
                prop_assert!(points.iter().any(|point| holds(cell, point)));
            }
            for k in 0..3 {
                let steps = grid.origin_m()[k] / resolution;
                prop_assert!((steps - steps.round()).abs() < 1e-9);
            }
        }
    }
}
