//! The definition: one row after the other, one channel after the other.

use super::{Layer, NORM_EPSILON, Rows, TypedEdges, lane_sum};

/// [`super::forward`] without any vector form; the arguments must fit together.
pub fn forward(
    width: usize,
    layer: &Layer<'_>,
    edges: &TypedEdges,
    rows: &Rows<'_>,
    input: &[f32],
    output: &mut [f32],
) {
    for i in 0..rows.edge_rows.len() {
        let own = &input[rows.self_rows[i] as usize * width..][..width];
        let mut message = vec![0.0_f32; width];
        for group in edges.row(rows.edge_rows[i] as usize) {
            for c in 0..width {
                let mut sum = 0.0_f32;
                for &u in edges.sources(group) {
                    sum += input[u as usize * width + c];
                }
                let gate = layer.gates[group.relation as usize * width + c] * group.weight;
                message[c] = gate.mul_add(sum, message[c]);
            }
        }
        let mut x = vec![0.0_f32; width];
        for c in 0..width {
            let mut sum = layer.bias[c];
            for k in 0..width {
                sum = layer.w_self[k * width + c].mul_add(own[k], sum);
            }
            for k in 0..width {
                sum = layer.w_msg[k * width + c].mul_add(message[k], sum);
            }
            x[c] = sum.max(0.0);
        }
        let mean = lane_sum(&x) / width as f32;
        let squares: Vec<f32> = x.iter().map(|v| (v - mean) * (v - mean)).collect();
        let inverse = 1.0 / (lane_sum(&squares) / width as f32 + NORM_EPSILON).sqrt();
        let out = &mut output[rows.out_rows[i] as usize * width..][..width];
        for c in 0..width {
            out[c] = own[c] + ((x[c] - mean) * inverse).mul_add(layer.scale[c], layer.shift[c]);
        }
    }
}
