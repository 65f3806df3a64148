//! Rows of `D` channels and the products that ops share; the compiler keeps a row in vector registers.

use super::lane_sum;

/// Channels of one row; the compiler keeps them in vector registers.
pub(crate) type Row<const D: usize> = [f32; D];

#[inline(always)]
pub(crate) fn row<const D: usize>(table: &[f32], r: u32) -> &Row<D> {
    let start = r as usize * D;
    table[start..start + D].first_chunk().unwrap_or(&[0.0; D])
}

/// Sum of the input rows of a group.
#[inline(always)]
pub(crate) fn group_sum<const D: usize>(input: &[f32], sources: &[u32]) -> Row<D> {
    let mut sum = [0.0; D];
    for &u in sources {
        let h = row::<D>(input, u);
        for c in 0..D {
            sum[c] += h[c];
        }
    }
    sum
}

/// `sum += matrix' x`, input channels upward.
#[inline(always)]
pub(crate) fn add_product<const D: usize>(matrix: &[f32], x: &Row<D>, sum: &mut Row<D>) {
    for (k, weights) in matrix.chunks_exact(D).enumerate() {
        let value = x[k];
        for c in 0..D {
            sum[c] = weights[c].mul_add(value, sum[c]);
        }
    }
}

/// `matrix += left right'`.
#[inline(always)]
pub(crate) fn add_outer<const D: usize>(matrix: &mut [f32], left: &Row<D>, right: &Row<D>) {
    for (k, weights) in matrix.chunks_exact_mut(D).enumerate() {
        let value = left[k];
        for c in 0..D {
            weights[c] = right[c].mul_add(value, weights[c]);
        }
    }
}

/// `matrix x`: sums over the output channels of each input channel.
#[inline(always)]
pub(crate) fn back_product<const D: usize>(matrix: &[f32], x: &Row<D>) -> Row<D> {
    let mut out = [0.0; D];
    for (k, weights) in matrix.chunks_exact(D).enumerate() {
        let mut products = [0.0; D];
        for c in 0..D {
            products[c] = weights[c] * x[c];
        }
        out[k] = lane_sum(&products);
    }
    out
}

#[inline(always)]
pub(crate) fn add_row<const D: usize>(table: &mut [f32], r: u32, values: &Row<D>) {
    let start = r as usize * D;
    for (t, v) in table[start..start + D].iter_mut().zip(values) {
        *t += v;
    }
}
