//! The same sums: for a table a block of columns side by side, for one column eight nodes at a time.

use super::Moments;
use crate::backend::simd_levels;
use crate::stripes::{STRIPES, join};

/// Columns of one block: a register's worth.
const COLUMNS: usize = 8;

#[inline(always)]
fn mean_body(weights: &[f64], rows: &[f64], out: &mut [f64]) -> f64 {
    let columns = out.len();
    let total = weighted_sum(weights, weights, |_| 1.0);
    for (block, means) in out.chunks_mut(COLUMNS).enumerate() {
        let (start, width) = (block * COLUMNS, means.len());
        let mut sums = [[0.0; COLUMNS]; STRIPES];
        for (v, &weight) in weights.iter().enumerate() {
            let row = &rows[v * columns + start..v * columns + start + width];
            for (sum, &x) in sums[v % STRIPES].iter_mut().zip(row) {
                *sum = weight.mul_add(x, *sum);
            }
        }
        for (j, mean) in means.iter_mut().enumerate() {
            *mean = join(sums.map(|stripe| stripe[j])) / total;
        }
    }
    total
}

#[inline(always)]
fn moments_body(weights: &[f64], values: &[f64]) -> Moments {
    let total = weighted_sum(weights, weights, |_| 1.0);
    let mean = weighted_sum(weights, values, |x| x) / total;
    let variance = weighted_sum(weights, values, |x| (x - mean) * (x - mean)) / total;
    Moments { total, mean, deviation: variance.sqrt() }
}

/// Striped sum of `weights[v] of(values[v])`.
#[inline(always)]
fn weighted_sum(weights: &[f64], values: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; STRIPES];
    let (w_chunks, w_rest) = weights.as_chunks::<STRIPES>();
    let (x_chunks, x_rest) = values.as_chunks::<STRIPES>();
    for (w, x) in w_chunks.iter().zip(x_chunks) {
        add(w, x, &of, &mut sums);
    }
    add(w_rest, x_rest, &of, &mut sums);
    join(sums)
}

#[inline(always)]
fn add(weights: &[f64], values: &[f64], of: &impl Fn(f64) -> f64, sums: &mut [f64; STRIPES]) {
    for ((&w, &x), sum) in weights.iter().zip(values).zip(sums) {
        *sum = w.mul_add(of(x), *sum);
    }
}

simd_levels! {
    /// [`super::scalar::weighted_mean`] under the instructions of `level`.
    pub(super) fn weighted_mean(weights: &[f64], rows: &[f64], out: &mut [f64]) -> f64 = mean_body
}
simd_levels! {
    /// [`super::scalar::weighted_moments`] under the instructions of `level`.
    pub(super) fn weighted_moments(weights: &[f64], values: &[f64]) -> Moments = moments_body
}
