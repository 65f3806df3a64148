//! Gradient of one round, row after row in the order of the row lists.
//!
//! With `x = h + relu(u)`, `n = (x - mean) * inverse`, `y = n * scale + shift`:
//!
//! ```text
//! dn = dy * scale          dx = (dn - mean(dn) - n * mean(dn * n)) * inverse
//! du = dx where u > 0      dW_self += h du'     dW_msg += m du'     dbias += du
//! dh = dx + W_self du      dm = W_msg du
//! dgate_r += dm * sum_u h_u / deg_r             dh_u += dm * gate_r / deg_r
//! ```
//!
//! One thread a window; windows are summed in order by the caller, so threads do not change a bit.

use super::rows::{add_outer, add_row, back_product, group_sum, row};
use super::simd::row_forward;
use super::{Layer, Rows, TypedEdges, lane_sum};
use crate::backend::simd_levels;

/// Gradients of a round's weights and input, shaped as [`Layer`] and the input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gradient {
    /// As the input rows.
    pub input: Vec<f32>,
    /// `R x D`.
    pub gates: Vec<f32>,
    /// `D x D`.
    pub w_self: Vec<f32>,
    /// `D x D`.
    pub w_msg: Vec<f32>,
    /// `D`.
    pub bias: Vec<f32>,
    /// `D`.
    pub scale: Vec<f32>,
    /// `D`.
    pub shift: Vec<f32>,
}

impl Gradient {
    /// Zeros for a layer of `width` channels, `relations` gates and an input of `input_len` values.
    pub fn zeros(width: usize, relations: usize, input_len: usize) -> Self {
        Self {
            input: vec![0.0; input_len],
            gates: vec![0.0; relations * width],
            w_self: vec![0.0; width * width],
            w_msg: vec![0.0; width * width],
            bias: vec![0.0; width],
            scale: vec![0.0; width],
            shift: vec![0.0; width],
        }
    }
}

#[inline(always)]
fn body<const D: usize>(
    layer: &Layer<'_>,
    edges: &TypedEdges,
    rows: &Rows<'_>,
    input: &[f32],
    grad_output: &[f32],
    gradient: &mut Gradient,
) {
    let scale = row::<D>(layer.scale, 0);
    for i in 0..rows.edge_rows.len() {
        let own = row::<D>(input, rows.self_rows[i]);
        let forward = row_forward::<D>(layer, edges, rows.edge_rows[i], own, input);
        let dy = row::<D>(grad_output, rows.out_rows[i]);
        let (mut dn, mut dscale, mut dn_n) = ([0.0; D], [0.0; D], [0.0; D]);
        for c in 0..D {
            dn[c] = dy[c] * scale[c];
            dscale[c] = dy[c] * forward.normal[c];
            dn_n[c] = dn[c] * forward.normal[c];
        }
        add_row(&mut gradient.scale, 0, &dscale);
        add_row(&mut gradient.shift, 0, dy);
        let (mean, slope) = (lane_sum(&dn) / D as f32, lane_sum(&dn_n) / D as f32);
        let (mut dx, mut du) = ([0.0; D], [0.0; D]);
        for c in 0..D {
            dx[c] = (dn[c] - mean - forward.normal[c] * slope) * forward.inverse;
            du[c] = if forward.pre[c] > 0.0 { dx[c] } else { 0.0 };
        }
        add_row(&mut gradient.bias, 0, &du);
        add_outer(&mut gradient.w_self, own, &du);
        add_outer(&mut gradient.w_msg, &forward.message, &du);
        let back = back_product(layer.w_self, &du);
        for c in 0..D {
            dx[c] += back[c];
        }
        add_row(&mut gradient.input, rows.self_rows[i], &dx);
        let dm = back_product(layer.w_msg, &du);
        for group in edges.row(rows.edge_rows[i] as usize) {
            let sum = group_sum::<D>(input, edges.sources(group));
            let gates = row::<D>(layer.gates, group.relation);
            let (mut dgate, mut dh) = ([0.0; D], [0.0; D]);
            for c in 0..D {
                dgate[c] = dm[c] * group.weight * sum[c];
                dh[c] = dm[c] * group.weight * gates[c];
            }
            add_row(&mut gradient.gates, group.relation, &dgate);
            for &u in edges.sources(group) {
                add_row(&mut gradient.input, u, &dh);
            }
        }
    }
}

simd_levels! {
    /// The whole gradient under the instructions of `level`.
    pub(super) fn run<const D>(
        layer: &Layer<'_>,
        edges: &TypedEdges,
        rows: &Rows<'_>,
        input: &[f32],
        grad_output: &[f32],
        gradient: &mut Gradient,
    ) = body
}
