//! The same arithmetic with channels side by side, and its gradient.

use super::{LogitGradient, LogitHead};
use crate::backend::simd_levels;
use crate::message_pass::lane_sum;
use crate::message_pass::rows::{BLOCK, Row, add_outers, add_products, add_row, row, transposed};

#[inline(always)]
fn block_states<const D: usize, const B: usize>(rows: &[u32], states: &[f32]) -> [Row<D>; B] {
    let mut h = [[0.0; D]; B];
    for b in 0..B {
        h[b] = *row::<D>(states, rows[b]);
    }
    h
}

#[inline(always)]
fn forward_block<const D: usize, const B: usize>(
    head: &LogitHead<'_>,
    rows: &[u32],
    states: &[f32],
    logits: &mut [f32],
) {
    let out = row::<D>(head.out, 0);
    let mut sums = [*row::<D>(head.query, 0); B];
    add_products(head.matrix, &block_states::<D, B>(rows, states), &mut sums);
    for b in 0..B {
        for c in 0..D {
            sums[b][c] = sums[b][c].max(0.0) * out[c];
        }
        logits[b] = lane_sum(&sums[b]);
    }
}

#[inline(always)]
fn forward_body<const D: usize>(head: &LogitHead<'_>, rows: &[u32], states: &[f32], logits: &mut [f32]) {
    let whole = rows.len() / BLOCK * BLOCK;
    for start in (0..whole).step_by(BLOCK) {
        forward_block::<D, BLOCK>(head, &rows[start..], states, &mut logits[start..]);
    }
    for start in whole..rows.len() {
        forward_block::<D, 1>(head, &rows[start..], states, &mut logits[start..]);
    }
}

#[inline(always)]
fn backward_block<const D: usize, const B: usize>(
    head: &LogitHead<'_>,
    back: &[f32],
    rows: &[u32],
    states: &[f32],
    grad_logits: &[f32],
    gradient: &mut LogitGradient,
) {
    let out = row::<D>(head.out, 0);
    let h = block_states::<D, B>(rows, states);
    let mut sums = [*row::<D>(head.query, 0); B];
    add_products(head.matrix, &h, &mut sums);
    let mut dsum = [[0.0; D]; B];
    for b in 0..B {
        let mut dout = [0.0; D];
        for c in 0..D {
            dout[c] = sums[b][c].max(0.0) * grad_logits[b];
            dsum[b][c] = if sums[b][c] > 0.0 { out[c] * grad_logits[b] } else { 0.0 };
        }
        add_row(&mut gradient.out, 0, &dout);
        add_row(&mut gradient.query, 0, &dsum[b]);
    }
    add_outers(&mut gradient.matrix, &h, &dsum);
    let mut dh = [[0.0; D]; B];
    add_products(back, &dsum, &mut dh);
    for b in 0..B {
        add_row(&mut gradient.states, rows[b], &dh[b]);
    }
}

#[inline(always)]
fn backward_body<const D: usize>(
    head: &LogitHead<'_>,
    rows: &[u32],
    states: &[f32],
    grad_logits: &[f32],
    gradient: &mut LogitGradient,
) {
    let back = transposed(D, head.matrix);
    let whole = rows.len() / BLOCK * BLOCK;
    for start in (0..whole).step_by(BLOCK) {
        backward_block::<D, BLOCK>(head, &back, &rows[start..], states, &grad_logits[start..], gradient);
    }
    for start in whole..rows.len() {
        backward_block::<D, 1>(head, &back, &rows[start..], states, &grad_logits[start..], gradient);
    }
}

simd_levels! {
    /// [`super::scalar::forward`] under the instructions of `level`.
    pub(super) fn forward<const D>(
        head: &LogitHead<'_>, rows: &[u32], states: &[f32], logits: &mut [f32],
    ) = forward_body
}

simd_levels! {
    /// The gradient under the instructions of `level`.
    pub(super) fn backward<const D>(
        head: &LogitHead<'_>, rows: &[u32], states: &[f32], grad_logits: &[f32], gradient: &mut LogitGradient,
    ) = backward_body
}
