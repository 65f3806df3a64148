//! The definition: one column after the other, nodes in order.

use super::Moments;
use crate::stripes::{STRIPES, join};

/// Striped sum of `weights[v] value(v)`.
fn weighted_sum(weights: &[f64], value: impl Fn(usize) -> f64) -> f64 {
    let mut sums = [0.0; STRIPES];
    for (v, &weight) in weights.iter().enumerate() {
        sums[v % STRIPES] = weight.mul_add(value(v), sums[v % STRIPES]);
    }
    join(sums)
}

/// [`super::weighted_mean`] column by column.
pub fn weighted_mean(weights: &[f64], rows: &[f64], out: &mut [f64]) -> f64 {
    let columns = out.len();
    let total = weighted_sum(weights, |_| 1.0);
    for (j, mean) in out.iter_mut().enumerate() {
        *mean = weighted_sum(weights, |v| rows[v * columns + j]) / total;
    }
    total
}

/// [`super::weighted_moments`] in two passes.
pub fn weighted_moments(weights: &[f64], values: &[f64]) -> Moments {
    let total = weighted_sum(weights, |_| 1.0);
    let mean = weighted_sum(weights, |v| values[v]) / total;
    let variance = weighted_sum(weights, |v| (values[v] - mean) * (values[v] - mean)) / total;
    Moments { total, mean, deviation: variance.sqrt() }
}
