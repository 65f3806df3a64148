//! Gradient of one round, row after row in the order of the row lists.
//!
//! With `a = relu(u)`, `n = (a - mean) * inverse`, `y = h + n * scale + shift`:
//!
//! ```text
//! dn = dy * scale          da = (dn - mean(dn) - n * mean(dn * n)) * inverse
//! du = da where u > 0      dW_self += h du'     dW_msg += m du'     dbias += du
//! dh = dy + W_self du      dm = W_msg du
//! dgate_r += dm * sum_u h_u / deg_r             dh_u += dm * gate_r / deg_r
//! ```
//!
//! One thread a window; windows are summed in order by the caller, so threads do not change a bit.

use super::rows::{BLOCK, add_outers, add_products, add_row, group_sum, row, transposed};
use super::simd::block_forward;
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

/// Transposed matrices of a layer.
struct Back {
    w_self: Vec<f32>,
    w_msg: Vec<f32>,
}

#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "one block of the op")]
fn block<const D: usize, const B: usize>(
    layer: &Layer<'_>,
    back: &Back,
    edges: &TypedEdges,
    rows: &Rows<'_>,
    start: usize,
    input: &[f32],
    grad_output: &[f32],
    gradient: &mut Gradient,
) {
    let forward = block_forward::<D, B>(layer, edges, rows, start, input);
    let scale = row::<D>(layer.scale, 0);
    let (mut dh, mut du) = ([[0.0; D]; B], [[0.0; D]; B]);
    for b in 0..B {
        let dy = row::<D>(grad_output, rows.out_rows[start + b]);
        let (mut dn, mut dscale, mut dn_n) = ([0.0; D], [0.0; D], [0.0; D]);
        let normal = &forward.normal[b];
        for c in 0..D {
            dn[c] = dy[c] * scale[c];
            dscale[c] = dy[c] * normal[c];
            dn_n[c] = dn[c] * normal[c];
        }
        add_row(&mut gradient.scale, 0, &dscale);
        add_row(&mut gradient.shift, 0, dy);
        let (mean, slope) = (lane_sum(&dn) / D as f32, lane_sum(&dn_n) / D as f32);
        for c in 0..D {
            let da = (dn[c] - mean - normal[c] * slope) * forward.inverse[b];
            du[b][c] = if forward.pre[b][c] > 0.0 { da } else { 0.0 };
            dh[b][c] = dy[c];
        }
        add_row(&mut gradient.bias, 0, &du[b]);
    }
    add_outers(&mut gradient.w_self, &forward.own, &du);
    add_outers(&mut gradient.w_msg, &forward.message, &du);
    add_products(&back.w_self, &du, &mut dh);
    let mut dm = [[0.0; D]; B];
    add_products(&back.w_msg, &du, &mut dm);
    for b in 0..B {
        add_row(&mut gradient.input, rows.self_rows[start + b], &dh[b]);
        for group in edges.row(rows.edge_rows[start + b] as usize) {
            let sum = group_sum::<D>(input, edges.sources(group));
            let gates = row::<D>(layer.gates, group.relation);
            let (mut dgate, mut dsource) = ([0.0; D], [0.0; D]);
            for c in 0..D {
                let share = dm[b][c] * group.weight;
                dgate[c] = share * sum[c];
                dsource[c] = share * gates[c];
            }
            add_row(&mut gradient.gates, group.relation, &dgate);
            for &u in edges.sources(group) {
                add_row(&mut gradient.input, u, &dsource);
            }
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
    let back = Back { w_self: transposed(D, layer.w_self), w_msg: transposed(D, layer.w_msg) };
    let whole = rows.edge_rows.len() / BLOCK * BLOCK;
    for start in (0..whole).step_by(BLOCK) {
        block::<D, BLOCK>(layer, &back, edges, rows, start, input, grad_output, gradient);
    }
    for start in whole..rows.edge_rows.len() {
        block::<D, 1>(layer, &back, edges, rows, start, input, grad_output, gradient);
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
