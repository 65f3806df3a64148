//! Rows of `D` channels and the products that ops share.
//!
//! Products take [`BLOCK`] rows at a time, sixteen channels of each in registers: one row alone would wait
//! for its own chain of additions, and every row would read the matrix anew. A row's own order of
//! operations does not depend on the block, so neither do its bits.

/// Rows of one block.
pub(crate) const BLOCK: usize = 4;
/// Channels of a row that are summed together.
const LANES: usize = 16;

/// Channels of one row.
pub(crate) type Row<const D: usize> = [f32; D];

/// Row `r` of a table.
#[inline(always)]
pub(crate) fn row<const D: usize>(table: &[f32], r: u32) -> &Row<D> {
    let start = r as usize * D;
    table[start..start + D].first_chunk().unwrap_or(&[0.0; D])
}

/// `table[r] += values`.
#[inline(always)]
pub(crate) fn add_row<const D: usize>(table: &mut [f32], r: u32, values: &Row<D>) {
    let start = r as usize * D;
    for (t, v) in table[start..start + D].iter_mut().zip(values) {
        *t += v;
    }
}

/// Sum of the rows `sources` of a table.
#[inline(always)]
pub(crate) fn group_sum<const D: usize>(table: &[f32], sources: &[u32]) -> Row<D> {
    let mut sum = [0.0; D];
    for &u in sources {
        let h = row::<D>(table, u);
        for c in 0..D {
            sum[c] += h[c];
        }
    }
    sum
}

/// `sums[b] += matrix' x[b]` for each row of a block, input channels upward, fused. `matrix`: `D x D`, row =
/// input channel.
#[inline(always)]
pub(crate) fn add_products<const D: usize, const B: usize>(
    matrix: &[f32],
    x: &[Row<D>; B],
    sums: &mut [Row<D>; B],
) {
    for start in (0..D).step_by(LANES) {
        let mut acc = [[0.0_f32; LANES]; B];
        for b in 0..B {
            acc[b].copy_from_slice(&sums[b][start..start + LANES]);
        }
        for (k, weights) in matrix.chunks_exact(D).enumerate().take(D) {
            let weights: &[f32; LANES] = weights[start..start + LANES].first_chunk().unwrap_or(&[0.0; LANES]);
            for b in 0..B {
                let value = x[b][k];
                for c in 0..LANES {
                    acc[b][c] = weights[c].mul_add(value, acc[b][c]);
                }
            }
        }
        for b in 0..B {
            sums[b][start..start + LANES].copy_from_slice(&acc[b]);
        }
    }
}

/// `matrix += left[b] right[b]'` for each row of a block, rows in order, fused.
#[inline(always)]
pub(crate) fn add_outers<const D: usize, const B: usize>(
    matrix: &mut [f32],
    left: &[Row<D>; B],
    right: &[Row<D>; B],
) {
    for (k, weights) in matrix.chunks_exact_mut(D).enumerate().take(D) {
        for b in 0..B {
            let value = left[b][k];
            for c in 0..D {
                weights[c] = right[b][c].mul_add(value, weights[c]);
            }
        }
    }
}

/// The transposed `D x D` matrix, so that a product with it is an [`add_products`].
pub(crate) fn transposed(width: usize, matrix: &[f32]) -> Vec<f32> {
    (0..width * width).map(|i| matrix[(i % width) * width + i / width]).collect()
}
