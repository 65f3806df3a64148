//! The same number for a register of cells at once: axes outside, cells inside.

use super::{BoxAxes, SlabAxes};
use crate::backend::simd_levels;

macro_rules! body {
    ($name:ident, $real:ty, $lanes:literal) => {
        mod $name {
            use super::BoxAxes;

            pub(super) const LANES: usize = $lanes;

            /// The fifteen axes in this width.
            pub(super) struct Wide {
                base: [$real; 3],
                grid: [$real; 3],
                face: [[$real; 3]; 3],
                edge: [[$real; 2]; 9],
                offset: [$real; 15],
                reach: [$real; 15],
            }

            #[inline(always)]
            pub(super) fn widen(axes: &BoxAxes) -> Wide {
                Wide {
                    base: axes.base.map(|v| v as $real),
                    grid: axes.grid.map(|v| v as $real),
                    face: axes.face.map(|n| n.map(|v| v as $real)),
                    edge: axes.edge.map(|n| n.map(|v| v as $real)),
                    offset: axes.offset.map(|v| v as $real),
                    reach: axes.reach.map(|v| v as $real),
                }
            }

            // A function, not a closure: a closure would be compiled without the level's instructions.
            #[inline(always)]
            pub(super) fn lanes(
                axes: &Wide,
                x: &[f32; LANES],
                y: &[f32; LANES],
                z: &[f32; LANES],
            ) -> [$real; LANES] {
                let Wide { base, grid, face, edge, offset, reach } = axes;
                let mut largest = [<$real>::NEG_INFINITY; LANES];
                for l in 0..LANES {
                    let d0 = <$real>::from(x[l]) - base[0];
                    let d1 = <$real>::from(y[l]) - base[1];
                    let d2 = <$real>::from(z[l]) - base[2];
                    let mut most = <$real>::NEG_INFINITY;
                    macro_rules! take {
                        ($at:expr, $along:expr) => {{
                            let gap = <$real>::abs($along) - reach[$at];
                            most = if gap > most { gap } else { most };
                        }};
                    }
                    macro_rules! one {
                        ($k:literal, $d:ident) => {
                            take!($k, grid[$k].mul_add($d, offset[$k]))
                        };
                    }
                    macro_rules! three {
                        ($j:literal) => {
                            take!(
                                3 + $j,
                                face[$j][0].mul_add(
                                    d0,
                                    face[$j][1].mul_add(d1, face[$j][2].mul_add(d2, offset[3 + $j]))
                                )
                            )
                        };
                    }
                    macro_rules! two {
                        ($e:literal, $u:ident, $v:ident) => {
                            take!(6 + $e, edge[$e][0].mul_add($u, edge[$e][1].mul_add($v, offset[6 + $e])))
                        };
                    }
                    one!(0, d0);
                    one!(1, d1);
                    one!(2, d2);
                    three!(0);
                    three!(1);
                    three!(2);
                    two!(0, d1, d2);
                    two!(1, d1, d2);
                    two!(2, d1, d2);
                    two!(3, d0, d2);
                    two!(4, d0, d2);
                    two!(5, d0, d2);
                    two!(6, d0, d1);
                    two!(7, d0, d1);
                    two!(8, d0, d1);
                    largest[l] = most;
                }
                largest
            }
        }

        #[inline(always)]
        fn $name(axes: &BoxAxes, x: &[f32], y: &[f32], z: &[f32], out: &mut [$real]) {
            use $name::{LANES, lanes, widen};
            let axes = &widen(axes);
            let mut xs = x.chunks_exact(LANES);
            let mut ys = y.chunks_exact(LANES);
            let mut zs = z.chunks_exact(LANES);
            let mut outs = out.chunks_exact_mut(LANES);
            for (((x, y), z), out) in (&mut xs).zip(&mut ys).zip(&mut zs).zip(&mut outs) {
                if let (Ok(x), Ok(y), Ok(z)) = (x.try_into(), y.try_into(), z.try_into()) {
                    out.copy_from_slice(&lanes(axes, x, y, z));
                }
            }
            // The tail in a padded register: the same arithmetic a lane.
            let rest = outs.into_remainder();
            let mut padded = [[0.0_f32; LANES]; 3];
            for (to, from) in padded.iter_mut().zip([xs.remainder(), ys.remainder(), zs.remainder()]) {
                to[..from.len()].copy_from_slice(from);
            }
            let last = lanes(axes, &padded[0], &padded[1], &padded[2]);
            rest.copy_from_slice(&last[..rest.len()]);
        }
    };
}

body!(body_f64, f64, 8);
body!(body_f32, f32, 16);

simd_levels! {
    /// [`super::scalar::sat`] of each cell.
    pub(super) fn sat_f64(axes: &BoxAxes, x: &[f32], y: &[f32], z: &[f32], out: &mut [f64]) = body_f64
}

simd_levels! {
    /// [`super::scalar::sat`] of each cell, in `f32`.
    pub(super) fn sat_f32(axes: &BoxAxes, x: &[f32], y: &[f32], z: &[f32], out: &mut [f32]) = body_f32
}

/// Values of which one minimum is taken at a time.
pub(super) const MINIMUM_BLOCK: usize = 512;

#[inline(always)]
fn minimum_body(values: &[f64]) -> f64 {
    let mut least = [f64::INFINITY; 16];
    let mut chunks = values.chunks_exact(16);
    for chunk in &mut chunks {
        for (m, &v) in least.iter_mut().zip(chunk) {
            *m = if v < *m { v } else { *m };
        }
    }
    let rest = chunks.remainder().iter().copied();
    least.into_iter().chain(rest).fold(f64::INFINITY, |m, v| if v < m { v } else { m })
}

simd_levels! {
    /// The smallest value; infinity without one.
    pub(super) fn minimum(values: &[f64]) -> f64 = minimum_body
}

const SLAB_LANES: usize = 16;

#[inline(always)]
fn slab_lanes(
    axes: &SlabAxes,
    x: &[f32; SLAB_LANES],
    y: &[f32; SLAB_LANES],
    z: &[f32; SLAB_LANES],
) -> [f64; SLAB_LANES] {
    let mut d = [[0.0_f64; SLAB_LANES]; 3];
    for l in 0..SLAB_LANES {
        d[0][l] = f64::from(x[l]) - axes.base[0];
        d[1][l] = f64::from(y[l]) - axes.base[1];
        d[2][l] = f64::from(z[l]) - axes.base[2];
    }
    let mut largest = [f64::NEG_INFINITY; SLAB_LANES];
    for (n, (offset, reach)) in axes.axis.iter().zip(axes.offset.iter().zip(&axes.reach)) {
        for l in 0..SLAB_LANES {
            let along = n[0].mul_add(d[0][l], n[1].mul_add(d[1][l], n[2].mul_add(d[2][l], *offset)));
            let gap = along.abs() - reach;
            largest[l] = if gap > largest[l] { gap } else { largest[l] };
        }
    }
    largest
}

#[inline(always)]
fn slab_body(axes: &SlabAxes, x: &[f32], y: &[f32], z: &[f32], out: &mut [f64]) {
    let mut start = 0;
    while start < out.len() {
        let n = SLAB_LANES.min(out.len() - start);
        let mut padded = [[0.0_f32; SLAB_LANES]; 3];
        for (to, from) in padded.iter_mut().zip([x, y, z]) {
            to[..n].copy_from_slice(&from[start..start + n]);
        }
        let values = slab_lanes(axes, &padded[0], &padded[1], &padded[2]);
        out[start..start + n].copy_from_slice(&values[..n]);
        start += n;
    }
}

simd_levels! {
    /// [`super::scalar::slab`] of each cell.
    pub(super) fn slab_f64(axes: &SlabAxes, x: &[f32], y: &[f32], z: &[f32], out: &mut [f64]) = slab_body
}
