//! The same sums for a block of points at once: joints outside, points inside.

use crate::backend::simd_levels;

/// Points of one block: 64 sums stay in registers or the first cache level.
const BLOCK: usize = 64;

#[inline(always)]
fn body(query: &[f64], points: &[f64], out: &mut [f64]) {
    let n = out.len();
    for (block, sums) in out.chunks_mut(BLOCK).enumerate() {
        let start = block * BLOCK;
        sums.fill(0.0);
        for (j, &x) in query.iter().enumerate() {
            let row = &points[j * n + start..j * n + start + sums.len()];
            for (sum, &p) in sums.iter_mut().zip(row) {
                let difference = x - p;
                *sum += difference * difference;
            }
        }
    }
}

simd_levels! {
    /// [`super::scalar::distances_sq`] under the instructions of `level`.
    pub(super) fn distances_sq(query: &[f64], points: &[f64], out: &mut [f64]) = body
}
