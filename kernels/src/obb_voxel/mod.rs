//! One oriented box against many cubes of a lattice: for each cube the largest gap over the separating axes.
//!
//! ```text
//! gap(n) = |n . (c_cell - c_box)| - r_box(n) - r_cell(n)        r(n) = sum_k half_k |axis_k . n|
//! sat    = max over the lattice's 3 axes, the box's 3 and their 9 cross products
//! ```
//!
//! Geometry page, section 2.1: overlapping, minus the penetration depth; apart, a lower bound of the distance. A cross
//! product shorter than 1e-9 is left out. All cubes are alike, so an axis and its two radii are computed once a box
//! ([`BoxAxes`]) and a cube costs 27 fused products, 15 absolute values and as many differences and maxima.
//!
//! Lattice frame: axes along the cells' edges, origin at the minimum corner of cell (0, 0, 0), metres; cell `(i, j, k)`
//! is centred at `(i + 0.5, j + 0.5, k + 0.5) * resolution`. Cells come as three slices of `f32`: whole numbers up to
//! 2^24 are exact there. Positions are taken from the cell that the box's centre lies in, so what is near the box is
//! computed with small numbers.
//!
//! `scalar` is the definition; [`sat_f64`] gives its bits at every level. [`sat_f32`] computes in `f32`; its distance
//! from the definition is at most [`BoxAxes::f32_error_m`] of the farthest cell.

pub mod scalar;
mod simd;

use crate::backend::SimdLevel;
use crate::error::{KernelError, expect_len};

/// Cross products of edges shorter than this are no axes.
pub const CROSS_MIN: f64 = 1e-9;
/// Cell coordinates below this are exact in `f32`.
pub const CELL_MAX: f32 = 16_777_216.0;

/// What a box is to a lattice: fifteen axes with their offsets and radii.
///
/// With `d = cell - base` (in cells): `gap = |k . d + offset| - reach`, the coefficients `k` being the axis times the
/// resolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxAxes {
    /// The cell that the box's centre lies in.
    pub(crate) base: [f64; 3],
    /// One coefficient for each axis of the lattice.
    pub(crate) grid: [f64; 3],
    /// Three for each axis of the box.
    pub(crate) face: [[f64; 3]; 3],
    /// Two for each cross product; that of lattice axis `k` has none for coordinate `k`. Row `3 k + j`.
    pub(crate) edge: [[f64; 2]; 9],
    /// Along the axis from the box's centre to the centre of the base cell: lattice, box, cross products.
    pub(crate) offset: [f64; 15],
    /// Radius of the box plus radius of a cube.
    pub(crate) reach: [f64; 15],
}

impl BoxAxes {
    /// Prepares a box for a lattice.
    ///
    /// `centre` (3, m) and `axes` (unit, right-handed) in the lattice frame, `half` (3, m), `resolution` (m).
    pub fn new(centre: [f64; 3], axes: [[f64; 3]; 3], half: [f64; 3], resolution: f64) -> Self {
        let base = centre.map(|c| (c / resolution).floor());
        let from_centre = [0, 1, 2].map(|k| (base[k] + 0.5).mul_add(resolution, -centre[k]));
        let cube = 0.5 * resolution;
        let mut it = Self {
            base,
            grid: [resolution; 3],
            face: axes.map(|axis| axis.map(|x| x * resolution)),
            edge: [[0.0; 2]; 9],
            offset: [0.0; 15],
            reach: [f64::INFINITY; 15],
        };
        let mut put = |at: usize, n: [f64; 3]| {
            it.offset[at] = dot(n, from_centre);
            let of_box: f64 = (0..3).map(|j| half[j] * dot(axes[j], n).abs()).sum();
            it.reach[at] = of_box + cube * (n[0].abs() + n[1].abs() + n[2].abs());
        };
        for k in 0..3 {
            let mut n = [0.0; 3];
            n[k] = 1.0;
            put(k, n);
            put(3 + k, axes[k]);
        }
        for k in 0..3 {
            // The two coordinates that the product with lattice axis k leaves, in rising order.
            let (u, v) = [(1, 2), (0, 2), (0, 1)][k];
            for (j, axis) in axes.iter().enumerate() {
                let mut n = [0.0; 3];
                // e_x x a = (0, -a_z, a_y), e_y x a = (a_z, 0, -a_x), e_z x a = (-a_y, a_x, 0); the sign of n is free.
                n[u] = -axis[v];
                n[v] = axis[u];
                let length = n[u].hypot(n[v]);
                if length >= CROSS_MIN {
                    n[u] /= length;
                    n[v] /= length;
                    put(6 + 3 * k + j, n);
                    it.edge[3 * k + j] = [n[u] * resolution, n[v] * resolution];
                }
            }
        }
        it
    }

    /// How far [`sat_f32`] may be from the definition for cells whose centres are within `distance_m` of the box's
    /// centre: five roundings on numbers of at most that length and the radii, twelve units of `2^-24`.
    pub fn f32_error_m(&self, distance_m: f64) -> f64 {
        let reach = self.reach.iter().filter(|r| r.is_finite()).fold(0.0_f64, |m, &r| m.max(r));
        12.0 * 2.0_f64.powi(-24) * (1.8 * distance_m + reach)
    }
}

/// What a body between slabs is to a lattice: its 13 axes and the lattice's 3 (geometry page, section 2.3).
///
/// ```text
/// gap(n) = max(s - hi, lo - s) - r_cell(n) = |s - (lo + hi) / 2| - (hi - lo) / 2 - r_cell(n)      s = n . c_cell
/// ```
///
/// Along the lattice's axes the body is bounded by the box of its first three slabs. Not a superset of the box's fifteen
/// axes, so the largest gap may be below [`scalar::sat`] at some cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlabAxes {
    pub(crate) base: [f64; 3],
    pub(crate) axis: [[f64; 3]; 16],
    pub(crate) offset: [f64; 16],
    pub(crate) reach: [f64; 16],
}

impl SlabAxes {
    /// Prepares slabs for a lattice.
    ///
    /// `centre` (3, m) and `axes` (unit) of the body's frame in the lattice frame; slab `i` is `lo[i] <= normals[i] . q <=
    /// hi[i]` in the body's frame, m; `resolution` in m.
    pub fn new(
        centre: [f64; 3],
        axes: [[f64; 3]; 3],
        normals: &[[f64; 3]; 13],
        lo: &[f64; 13],
        hi: &[f64; 13],
        resolution: f64,
    ) -> Self {
        let base = centre.map(|c| (c / resolution).floor());
        let from_centre = [0, 1, 2].map(|k| (base[k] + 0.5).mul_add(resolution, -centre[k]));
        let cube = 0.5 * resolution;
        let mut it = Self { base, axis: [[0.0; 3]; 16], offset: [0.0; 16], reach: [f64::INFINITY; 16] };
        // A direction of the body's frame, in the lattice's.
        let turned = |n: [f64; 3]| [0, 1, 2].map(|k| dot([axes[0][k], axes[1][k], axes[2][k]], n));
        let mut put = |at: usize, n: [f64; 3], middle: f64, half: f64| {
            it.axis[at] = n.map(|x| x * resolution);
            it.offset[at] = dot(n, from_centre) - middle;
            it.reach[at] = half + cube * (n[0].abs() + n[1].abs() + n[2].abs());
        };
        let middle = |i: usize| 0.5 * (lo[i] + hi[i]);
        let half = |i: usize| 0.5 * (hi[i] - lo[i]);
        for (i, normal) in normals.iter().enumerate() {
            put(i, turned(*normal), middle(i), half(i));
        }
        for k in 0..3 {
            let mut n = [0.0; 3];
            n[k] = 1.0;
            // The lattice's axis in the body's frame, and what the three slabs reach along it.
            let along = [axes[0][k], axes[1][k], axes[2][k]];
            let of_box = (0..3).map(|i| half(i) * along[i].abs()).sum();
            put(13 + k, n, dot(along, [middle(0), middle(1), middle(2)]), of_box);
        }
        it
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// Lattice coordinates of cells, each slice as long as the others; whole numbers below [`CELL_MAX`] in size.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a> {
    /// Along x.
    pub x: &'a [f32],
    /// Along y.
    pub y: &'a [f32],
    /// Along z.
    pub z: &'a [f32],
}

impl Cells<'_> {
    fn expect(&self, n: usize) -> Result<(), KernelError> {
        for (argument, slice) in [("cells.x", self.x), ("cells.y", self.y), ("cells.z", self.z)] {
            expect_len("obb_voxel", argument, n, slice.len())?;
        }
        Ok(())
    }
}

/// The number of each cell, m, into `out` (`n`).
///
/// # Errors
/// [`KernelError::Length`] when the slices of `cells` are not as long as `out`.
pub fn sat_f64(
    level: SimdLevel,
    axes: &BoxAxes,
    cells: Cells<'_>,
    out: &mut [f64],
) -> Result<(), KernelError> {
    cells.expect(out.len())?;
    simd::sat_f64(level, axes, cells.x, cells.y, cells.z, out);
    Ok(())
}

/// The number of each cell in `f32`, m, into `out` (`n`).
///
/// # Errors
/// [`KernelError::Length`] when the slices of `cells` are not as long as `out`.
pub fn sat_f32(
    level: SimdLevel,
    axes: &BoxAxes,
    cells: Cells<'_>,
    out: &mut [f32],
) -> Result<(), KernelError> {
    cells.expect(out.len())?;
    simd::sat_f32(level, axes, cells.x, cells.y, cells.z, out);
    Ok(())
}

/// The largest gap between slabs and each cell, m, into `out` (`n`).
///
/// # Errors
/// [`KernelError::Length`] when the slices of `cells` are not as long as `out`.
pub fn slab_f64(
    level: SimdLevel,
    axes: &SlabAxes,
    cells: Cells<'_>,
    out: &mut [f64],
) -> Result<(), KernelError> {
    cells.expect(out.len())?;
    simd::slab_f64(level, axes, cells.x, cells.y, cells.z, out);
    Ok(())
}

/// The smallest value and where it stands; ties keep the first (geometry page, section 2.2). `None` without values.
pub fn first_minimum(level: SimdLevel, values: &[f64]) -> Option<(usize, f64)> {
    let mut least: Option<(usize, f64)> = None;
    // Only a block that holds a smaller value is searched for its place.
    for (block, chunk) in values.chunks(simd::MINIMUM_BLOCK).enumerate() {
        let block_least = simd::minimum(level, chunk);
        if least.is_none_or(|(_, v)| block_least < v)
            && let Some(at) = chunk.iter().position(|&v| v == block_least)
        {
            least = Some((block * simd::MINIMUM_BLOCK + at, block_least));
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rotation(a: f64, b: f64, c: f64) -> [[f64; 3]; 3] {
        let (sa, ca) = a.sin_cos();
        let (sb, cb) = b.sin_cos();
        let (sc, cc) = c.sin_cos();
        // Columns of Rz(c) Ry(b) Rx(a).
        [
            [cc * cb, sc * cb, -sb],
            [cc * sb * sa - sc * ca, sc * sb * sa + cc * ca, cb * sa],
            [cc * sb * ca + sc * sa, sc * sb * ca - cc * sa, cb * ca],
        ]
    }

    #[test]
    fn an_aligned_box_has_the_gaps_of_intervals() {
        let axes = BoxAxes::new([0.5, 0.5, 0.5], rotation(0.0, 0.0, 0.0), [0.25, 0.25, 0.25], 0.5);
        let number = |i, j, k| scalar::sat(&axes, [i, j, k]);
        // The box spans 0.25 to 0.75; cell 0 spans 0 to 0.5, cell 2 spans 1 to 1.5, cell -1 ends at 0.
        assert_eq!(number(0.0, 0.0, 0.0), -0.25);
        assert_eq!(number(2.0, 0.0, 0.0), 0.25);
        assert_eq!(number(-1.0, 0.0, 1.0), 0.25);
        assert_eq!(number(4.0, -3.0, 1.0), 1.25);
    }

    #[test]
    fn a_box_turned_by_45_degrees_meets_a_cube_with_its_edge() {
        let quarter = std::f64::consts::FRAC_PI_4;
        let axes = BoxAxes::new([1.5, 0.5, 0.5], rotation(0.0, 0.0, quarter), [0.5, 0.5, 0.5], 1.0);
        assert!((scalar::sat(&axes, [-1.0, 0.0, 0.0]) - (1.5 - 0.5_f64.sqrt())).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn slabs_have_the_scalar_bits_at_every_level(
            angles in prop::array::uniform3(-3.2_f64..3.2),
            centre in prop::array::uniform3(-1.0_f64..3.0),
            half in prop::array::uniform13(0.01_f64..0.3),
            cells in prop::collection::vec(prop::array::uniform3(0_u16..120), 0..40),
        ) {
            let normals = [0; 13].map(|_| ()).map(|()| [0.6, 0.0, 0.8]);
            let (lo, hi) = (half.map(|h| -h), half.map(|h| 1.5 * h));
            let turned = rotation(angles[0], angles[1], angles[2]);
            let axes = SlabAxes::new(centre, turned, &normals, &lo, &hi, 0.025);
            let [x, y, z] = [0, 1, 2].map(|k| cells.iter().map(|c| f32::from(c[k])).collect::<Vec<_>>());
            let expected: Vec<f64> =
                (0..x.len()).map(|i| scalar::slab(&axes, [x[i], y[i], z[i]].map(f64::from))).collect();
            for level in SimdLevel::supported() {
                let mut out = vec![f64::NAN; x.len()];
                slab_f64(level, &axes, Cells { x: &x, y: &y, z: &z }, &mut out).unwrap();
                prop_assert_eq!(&out, &expected);
            }
        }
    }

    #[test]
    fn slabs_of_a_box_give_the_gaps_of_its_faces() {
        // Thirteen slabs of the cube of half side 0.25 about (0.5, 0.5, 0.5).
        let (r2, r3) = (0.5_f64.sqrt(), 3.0_f64.sqrt().recip());
        let mut normals = [[r3, r3, r3]; 13];
        normals[..3].copy_from_slice(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        normals[7] = [r2, r2, 0.0];
        let hi: [f64; 13] = normals.map(|n| 0.25 * (n[0] + n[1] + n[2]));
        let lo = hi.map(|h| -h);
        let axes = SlabAxes::new([0.5; 3], rotation(0.0, 0.0, 0.0), &normals, &lo, &hi, 0.5);
        assert_eq!(scalar::slab(&axes, [2.0, 0.0, 0.0]), 0.25);
        // Along the diagonal of a face both boxes' edges count: sqrt 2 times the gap of 0.25.
        assert!((scalar::slab(&axes, [2.0, 2.0, 0.0]) - 0.25 * 2.0_f64.sqrt()).abs() < 1e-15);
        assert!((scalar::slab(&axes, [2.0, 2.0, 2.0]) - 0.25 * 3.0_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn the_first_of_equal_minima_is_kept() {
        let mut values = vec![1.0; 1000];
        values[700] = -0.5;
        values[300] = -0.5;
        assert_eq!(first_minimum(SimdLevel::detect(), &values), Some((300, -0.5)));
        assert_eq!(first_minimum(SimdLevel::detect(), &[]), None);
        assert_eq!(first_minimum(SimdLevel::detect(), &[f64::INFINITY]), Some((0, f64::INFINITY)));
    }

    #[test]
    fn slices_of_other_lengths_are_refused() {
        let axes = BoxAxes::new([0.0; 3], rotation(0.0, 0.0, 0.0), [1.0; 3], 1.0);
        let cells = Cells { x: &[0.0; 2], y: &[0.0; 3], z: &[0.0; 3] };
        let error = sat_f64(SimdLevel::portable(), &axes, cells, &mut [0.0; 3]).unwrap_err();
        assert_eq!(
            error,
            KernelError::Length { op: "obb_voxel", argument: "cells.x", expected: 3, found: 2 }
        );
    }

    proptest! {
        #[test]
        fn every_level_gives_the_scalar_bits_and_f32_keeps_its_bound(
            angles in prop::array::uniform3(-3.2_f64..3.2),
            centre in prop::array::uniform3(-1.0_f64..3.0),
            half in prop::array::uniform3(0.01_f64..0.3),
            resolution in 0.005_f64..0.1,
            cells in prop::collection::vec(prop::array::uniform3(0_u16..120), 0..80),
        ) {
            let axes = BoxAxes::new(centre, rotation(angles[0], angles[1], angles[2]), half, resolution);
            let [x, y, z] = [0, 1, 2].map(|k| cells.iter().map(|c| f32::from(c[k])).collect::<Vec<_>>());
            let cells = Cells { x: &x, y: &y, z: &z };
            let expected: Vec<f64> =
                (0..x.len()).map(|i| scalar::sat(&axes, [x[i], y[i], z[i]].map(f64::from))).collect();
            for level in SimdLevel::supported() {
                let mut out = vec![f64::NAN; x.len()];
                sat_f64(level, &axes, cells, &mut out).unwrap();
                prop_assert_eq!(&out, &expected);
                let mut narrow = vec![f32::NAN; x.len()];
                sat_f32(level, &axes, cells, &mut narrow).unwrap();
                for i in 0..x.len() {
                    let way = [x[i], y[i], z[i]].map(f64::from);
                    let distance = (0..3)
                        .map(|k| ((way[k] + 0.5) * resolution - centre[k]).powi(2))
                        .sum::<f64>()
                        .sqrt();
                    let error = (f64::from(narrow[i]) - expected[i]).abs();
                    prop_assert!(error <= axes.f32_error_m(distance), "{error:e}");
                }
            }
        }
    }
}
