//! The same three passes, eight nodes at a time.

use super::scalar::weight_of;
use crate::backend::simd_levels;
use crate::stripes::{STRIPES, join};

#[inline(always)]
fn body(logits: &[f32], tau: f64, likelihood: &mut [f64]) -> usize {
    let (chunks, rest) = logits.as_chunks::<STRIPES>();
    let (mut maxima, mut counts) = ([f32::NEG_INFINITY; STRIPES], [0_u32; STRIPES]);
    for chunk in chunks {
        reach(chunk, &mut maxima, &mut counts);
    }
    reach(rest, &mut maxima, &mut counts);
    let max = maxima.into_iter().fold(f32::NEG_INFINITY, f32::max);
    let reached = counts.into_iter().sum::<u32>() as usize;

    let mut sums = [0.0; STRIPES];
    let (weights, last_weights) = likelihood.as_chunks_mut::<STRIPES>();
    for (chunk, out) in chunks.iter().zip(weights) {
        weigh(chunk, max, tau, out, &mut sums);
    }
    weigh(rest, max, tau, last_weights, &mut sums);
    if reached > 0 {
        let sum = join(sums);
        for weight in likelihood {
            *weight /= sum;
        }
    }
    reached
}

#[inline(always)]
fn reach(logits: &[f32], maxima: &mut [f32; STRIPES], counts: &mut [u32; STRIPES]) {
    for ((&logit, max), count) in logits.iter().zip(maxima).zip(counts) {
        let finite = logit.is_finite();
        *max = max.max(if finite { logit } else { f32::NEG_INFINITY });
        *count += u32::from(finite);
    }
}

#[inline(always)]
fn weigh(logits: &[f32], max: f32, tau: f64, out: &mut [f64], sums: &mut [f64; STRIPES]) {
    for ((&logit, weight), sum) in logits.iter().zip(out).zip(sums) {
        *weight = weight_of(logit, max, tau);
        *sum += *weight;
    }
}

simd_levels! {
    /// [`super::scalar::masked_softmax`] under the instructions of `level`.
    pub(super) fn masked_softmax(logits: &[f32], tau: f64, likelihood: &mut [f64]) -> usize = body
}
