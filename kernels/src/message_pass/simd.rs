//! The same arithmetic with the channels of a row side by side.

use super::rows::{Row, add_product, group_sum, row};
use super::{Layer, NORM_EPSILON, Rows, TypedEdges, lane_sum};
use crate::backend::simd_levels;

/// What one row's forward pass leaves for its backward pass.
pub(super) struct RowForward<const D: usize> {
    pub(super) message: Row<D>,
    /// Before the rectifier.
    pub(super) pre: Row<D>,
    /// Normalised, before scale and shift.
    pub(super) normal: Row<D>,
    pub(super) inverse: f32,
}

#[inline(always)]
pub(super) fn row_forward<const D: usize>(
    layer: &Layer<'_>,
    edges: &TypedEdges,
    edge_row: u32,
    own: &Row<D>,
    input: &[f32],
) -> RowForward<D> {
    let mut message = [0.0; D];
    for group in edges.row(edge_row as usize) {
        let sum = group_sum::<D>(input, edges.sources(group));
        let gates = row::<D>(layer.gates, group.relation);
        for c in 0..D {
            message[c] = (gates[c] * group.weight).mul_add(sum[c], message[c]);
        }
    }
    let mut pre = *row::<D>(layer.bias, 0);
    add_product(layer.w_self, own, &mut pre);
    add_product(layer.w_msg, &message, &mut pre);
    let mut x = [0.0; D];
    for c in 0..D {
        x[c] = own[c] + pre[c].max(0.0);
    }
    let mean = lane_sum(&x) / D as f32;
    let mut squares = [0.0; D];
    for c in 0..D {
        squares[c] = (x[c] - mean) * (x[c] - mean);
    }
    let inverse = 1.0 / (lane_sum(&squares) / D as f32 + NORM_EPSILON).sqrt();
    let mut normal = [0.0; D];
    for c in 0..D {
        normal[c] = (x[c] - mean) * inverse;
    }
    RowForward { message, pre, normal, inverse }
}

#[inline(always)]
fn body<const D: usize>(
    layer: &Layer<'_>,
    edges: &TypedEdges,
    rows: &Rows<'_>,
    input: &[f32],
    output: &mut [f32],
) {
    for i in 0..rows.edge_rows.len() {
        let own = row::<D>(input, rows.self_rows[i]);
        let forward = row_forward::<D>(layer, edges, rows.edge_rows[i], own, input);
        let start = rows.out_rows[i] as usize * D;
        let out = &mut output[start..start + D];
        for c in 0..D {
            out[c] = forward.normal[c].mul_add(layer.scale[c], layer.shift[c]);
        }
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
