//! The definition: one node after the other.

use super::LogitHead;
use crate::message_pass::lane_sum;

/// [`super::forward`] without any vector form; the arguments must fit together.
pub fn forward(width: usize, head: &LogitHead<'_>, rows: &[u32], states: &[f32], logits: &mut [f32]) {
    for (logit, &r) in logits.iter_mut().zip(rows) {
        let h = &states[r as usize * width..][..width];
        let products: Vec<f32> = (0..width)
            .map(|c| {
                let sum = (0..width).fold(head.query[c], |s, k| head.matrix[k * width + c].mul_add(h[k], s));
                sum.max(0.0) * head.out[c]
            })
            .collect();
        *logit = lane_sum(&products);
    }
}
