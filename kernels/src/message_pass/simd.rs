//! The same arithmetic with the channels of a row side by side and rows in blocks.

use super::rows::{BLOCK, Row, add_products, group_sum, row};
use super::{Layer, NORM_EPSILON, Rows, TypedEdges, lane_sum};
use crate::backend::simd_levels;

/// What a block's forward pass leaves for its backward pass.
pub(super) struct BlockForward<const D: usize, const B: usize> {
    pub(super) own: [Row<D>; B],
    pub(super) message: [Row<D>; B],
    /// Before the rectifier.
    pub(super) pre: [Row<D>; B],
    /// Normalised, before scale and shift.
    pub(super) normal: [Row<D>; B],
    pub(super) inverse: [f32; B],
}

/// The typed mean of a row's in-edges.
#[inline(always)]
fn message<const D: usize>(layer: &Layer<'_>, edges: &TypedEdges, edge_row: u32, input: &[f32]) -> Row<D> {
    let mut message = [0.0; D];
    for group in edges.row(edge_row as usize) {
        let gates = row::<D>(layer.gates, group.relation);
        match edges.sources(group) {
            // Temporal relations have one in-edge; a sum of one is the row itself.
            &[u] => {
                let h = row::<D>(input, u);
                for c in 0..D {
                    message[c] = (gates[c] * group.weight).mul_add(0.0 + h[c], message[c]);
                }
            }
            sources => {
                let sum = group_sum::<D>(input, sources);
                for c in 0..D {
                    message[c] = (gates[c] * group.weight).mul_add(sum[c], message[c]);
                }
            }
        }
    }
    message
}

/// The rows `start .. start + B` of the row lists.
#[inline(always)]
pub(super) fn block_forward<const D: usize, const B: usize>(
    layer: &Layer<'_>,
    edges: &TypedEdges,
    rows: &Rows<'_>,
    start: usize,
    input: &[f32],
) -> BlockForward<D, B> {
    let bias = row::<D>(layer.bias, 0);
    let mut out = BlockForward {
        own: [[0.0; D]; B],
        message: [[0.0; D]; B],
        pre: [*bias; B],
        normal: [[0.0; D]; B],
        inverse: [0.0; B],
    };
    for b in 0..B {
        out.own[b] = *row::<D>(input, rows.self_rows[start + b]);
        out.message[b] = message::<D>(layer, edges, rows.edge_rows[start + b], input);
    }
    add_products(layer.w_self, &out.own, &mut out.pre);
    add_products(layer.w_msg, &out.message, &mut out.pre);
    for b in 0..B {
        let mut x = [0.0; D];
        for c in 0..D {
            x[c] = out.pre[b][c].max(0.0);
        }
        let mean = lane_sum(&x) / D as f32;
        let mut squares = [0.0; D];
        for c in 0..D {
            squares[c] = (x[c] - mean) * (x[c] - mean);
        }
        out.inverse[b] = 1.0 / (lane_sum(&squares) / D as f32 + NORM_EPSILON).sqrt();
        for c in 0..D {
            out.normal[b][c] = (x[c] - mean) * out.inverse[b];
        }
    }
    out
}

#[inline(always)]
fn block<const D: usize, const B: usize>(
    layer: &Layer<'_>,
    edges: &TypedEdges,
    rows: &Rows<'_>,
    start: usize,
    input: &[f32],
    output: &mut [f32],
) {
    let forward = block_forward::<D, B>(layer, edges, rows, start, input);
    for b in 0..B {
        let at = rows.out_rows[start + b] as usize * D;
        let out = &mut output[at..at + D];
        for c in 0..D {
            out[c] = forward.own[b][c] + forward.normal[b][c].mul_add(layer.scale[c], layer.shift[c]);
        }
    }
}

#[inline(always)]
fn body<const D: usize>(
    layer: &Layer<'_>,
    edges: &TypedEdges,
    rows: &Rows<'_>,
    input: &[f32],
    output: &mut [f32],
) {
    let whole = rows.edge_rows.len() / BLOCK * BLOCK;
    for start in (0..whole).step_by(BLOCK) {
        block::<D, BLOCK>(layer, edges, rows, start, input, output);
    }
    for start in whole..rows.edge_rows.len() {
        block::<D, 1>(layer, edges, rows, start, input, output);
    }
}

simd_levels! {
    /// [`super::scalar::forward`] under the instructions of `level`.
    pub(super) fn forward<const D>(
        layer: &Layer<'_>,
        edges: &TypedEdges,
        rows: &Rows<'_>,
        input: &[f32],
        output: &mut [f32],
    ) = body
}
