//! The same arithmetic with channels side by side, and its gradient.

use super::{LogitGradient, LogitHead};
use crate::backend::simd_levels;
use crate::message_pass::lane_sum;
use crate::message_pass::rows::{Row, add_outer, add_product, add_row, back_product, row};

#[inline(always)]
fn hidden<const D: usize>(head: &LogitHead<'_>, h: &Row<D>) -> Row<D> {
    let mut sum = *row::<D>(head.query, 0);
    add_product(head.matrix, h, &mut sum);
    sum
}

#[inline(always)]
fn forward_body<const D: usize>(head: &LogitHead<'_>, rows: &[u32], states: &[f32], logits: &mut [f32]) {
    let out = row::<D>(head.out, 0);
    for (logit, &r) in logits.iter_mut().zip(rows) {
        let mut products = hidden(head, row::<D>(states, r));
        for c in 0..D {
            products[c] = products[c].max(0.0) * out[c];
        }
        *logit = lane_sum(&products);
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
    let out = row::<D>(head.out, 0);
    for (&g, &r) in grad_logits.iter().zip(rows) {
        let h = row::<D>(states, r);
        let sum = hidden(head, h);
        let (mut dout, mut dsum) = ([0.0; D], [0.0; D]);
        for c in 0..D {
            dout[c] = sum[c].max(0.0) * g;
            dsum[c] = if sum[c] > 0.0 { out[c] * g } else { 0.0 };
        }
        add_row(&mut gradient.out, 0, &dout);
        add_row(&mut gradient.query, 0, &dsum);
        add_outer(&mut gradient.matrix, h, &dsum);
        add_row(&mut gradient.states, r, &back_product(head.matrix, &dsum));
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
