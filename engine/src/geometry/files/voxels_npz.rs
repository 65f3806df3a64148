//! A voxel grid as `.npz`.
//!
//! ```text
//! occupied     u8 or bool (z, y, x)     so that x runs fastest in C order
//! origin       float (3,)               minimum corner of cell 0 in the base frame, m
//! resolution   float, scalar or (1,)    edge of a cell, m; above 0
//! quaternion   float (4,), optional     x y z w, how the lattice is turned against the base frame
//! ```
//!
//! Geometry page, section 1. Without `quaternion` the lattice stands along the base axes; a quaternion of four zeros is
//! unset and refused. Integers are read as numbers in `origin`, `resolution` and `quaternion`.

use super::error::CloudFileError;
use crate::geometry::voxel_grid::{VoxelGrid, rotation_from_xyzw};
use crate::store::arrays::Dim;
use crate::store::{Arrays, Data, StoreError, npz};
use nalgebra::Rotation3;
use std::path::Path;

/// The grid of a file.
///
/// # Errors
/// [`CloudFileError`].
pub fn read_voxels(path: &Path) -> Result<VoxelGrid, CloudFileError> {
    grid_from_arrays(&npz::read(path)?)
}

/// The grid of arrays, as they stand in the file.
///
/// # Errors
/// [`CloudFileError`].
pub fn grid_from_arrays(arrays: &Arrays) -> Result<VoxelGrid, CloudFileError> {
    let occupied = arrays.get("occupied")?;
    let &[sz, sy, sx] = occupied.shape.as_slice() else {
        return Err(shape(arrays, "occupied", "(z, y, x)", &occupied.shape));
    };
    let cells = match &occupied.data {
        Data::U8(bytes) => bytes.clone(),
        Data::Bool(flags) => flags.iter().map(|&flag| u8::from(flag)).collect(),
        other => {
            return Err(CloudFileError::Store(StoreError::Dtype {
                file: arrays.file().to_owned(),
                array: "occupied".to_owned(),
                expected: "|u1 or |b1",
                found: other.dtype().to_owned(),
            }));
        }
    };
    let origin_m = fixed::<3>(arrays, "origin", &[Dim::Is(3)])?;
    let scalar = arrays.get("resolution")?.shape.is_empty();
    let resolution = fixed::<1>(arrays, "resolution", if scalar { &[] } else { &[Dim::Is(1)] })?;
    let grid = |source| CloudFileError::Grid { file: arrays.file().to_owned(), source };
    let rotation = match arrays.find("quaternion") {
        None => Rotation3::identity(),
        Some(_) => rotation_from_xyzw(fixed::<4>(arrays, "quaternion", &[Dim::Is(4)])?).map_err(grid)?,
    };
    VoxelGrid::new([sx, sy, sz], origin_m, resolution[0], rotation, cells).map_err(grid)
}

fn fixed<const N: usize>(arrays: &Arrays, name: &str, dims: &[Dim]) -> Result<[f64; N], CloudFileError> {
    let values = match &arrays.get(name)?.data {
        Data::F64(_) | Data::F32(_) | Data::Text(_) => arrays.f64(name, dims)?,
        _ => arrays.i64(name, dims)?.into_iter().map(|i| i as f64).collect(),
    };
    let found = values.len();
    values.try_into().map_err(|_| shape(arrays, name, &format!("({N},)"), &[found]))
}

fn shape(arrays: &Arrays, array: &str, expected: &str, found: &[usize]) -> CloudFileError {
    CloudFileError::Store(StoreError::Shape {
        file: arrays.file().to_owned(),
        array: array.to_owned(),
        expected: expected.to_owned(),
        found: found.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::pose::Point;

    fn arrays() -> Arrays {
        let mut arrays = Arrays::new("grid.npz");
        // z = 1, y = 0, x = 2 of a grid of 3 x 1 x 2.
        arrays.push("occupied", &[2, 1, 3], Data::U8(vec![0, 0, 0, 0, 0, 9]));
        arrays.push("origin", &[3], Data::F64(vec![0.5, -0.5, 1.0]));
        arrays.push("resolution", &[], Data::F64(vec![0.1]));
        arrays
    }

    #[test]
    fn the_last_axis_of_the_array_is_x() {
        let read = npz::parse(&npz::format(&arrays()).unwrap(), "grid.npz").unwrap();
        let grid = grid_from_arrays(&read).unwrap();
        assert_eq!(grid.size(), [3, 1, 2]);
        assert_eq!(grid.occupied_cells().collect::<Vec<_>>(), [5]);
        assert!((grid.centre_m(5).unwrap() - Point::new(0.75, -0.45, 1.15)).norm() < 1e-15);
    }

    #[test]
    fn the_quaternion_turns_and_an_unset_one_is_refused() {
        let mut arrays = arrays();
        arrays.push("resolution", &[1], Data::F32(vec![0.5]));
        arrays.push("quaternion", &[4], Data::I32(vec![0, 0, 1, 0]));
        let grid = grid_from_arrays(&arrays).unwrap();
        assert!((grid.centre_m(0).unwrap() - Point::new(0.25, -0.75, 1.25)).norm() < 1e-15);
        arrays.push("quaternion", &[4], Data::F64(vec![0.0; 4]));
        let error = grid_from_arrays(&arrays).unwrap_err().to_string();
        assert!(error.starts_with("grid.npz: quaternion: all zero, which means unset"), "{error}");
    }

    #[test]
    fn what_is_no_grid_is_refused_by_file_and_array() {
        let refused = |name: &str, shape: &[usize], data: Data| {
            let mut arrays = arrays();
            arrays.push(name, shape, data);
            grid_from_arrays(&arrays).unwrap_err().to_string()
        };
        assert_eq!(
            refused("occupied", &[6], Data::U8(vec![0; 6])),
            "grid.npz: array `occupied` has shape [6], expected (z, y, x)"
        );
        assert!(
            refused("occupied", &[1, 1, 1], Data::F64(vec![0.0])).contains("dtype <f8, expected |u1 or |b1")
        );
        assert!(
            refused("resolution", &[], Data::F64(vec![0.0])).contains("resolution: expected a finite length")
        );
        assert!(refused("resolution", &[2], Data::F64(vec![0.1; 2])).contains("shape [2]"));
        assert!(refused("origin", &[3], Data::F64(vec![0.0, 0.0, f64::NAN])).contains("origin[2]"));
        let mut none = Arrays::new("grid.npz");
        none.push("origin", &[3], Data::F64(vec![0.0; 3]));
        assert!(grid_from_arrays(&none).unwrap_err().to_string().contains("`occupied` is missing"));
        let mut empty = arrays();
        empty.push("occupied", &[0, 5, 3], Data::U8(vec![]));
        assert_eq!(grid_from_arrays(&empty).unwrap().occupied_cells().count(), 0);
    }
}
