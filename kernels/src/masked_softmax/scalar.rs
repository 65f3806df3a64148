//! The definition: three passes over the nodes.

use crate::stripes::{STRIPES, join};

/// [`super::masked_softmax`] one node after the other.
pub fn masked_softmax(logits: &[f32], tau: f64, likelihood: &mut [f64]) -> usize {
    let (mut max, mut reached) = (f32::NEG_INFINITY, 0);
    for &logit in logits {
        if logit.is_finite() {
            max = max.max(logit);
            reached += 1;
        }
    }
    let mut sums = [0.0; STRIPES];
    for (i, (&logit, weight)) in logits.iter().zip(likelihood.iter_mut()).enumerate() {
        *weight = weight_of(logit, max, tau);
        sums[i % STRIPES] += *weight;
    }
    if reached > 0 {
        let sum = join(sums);
        for weight in likelihood {
            *weight /= sum;
        }
    }
    reached
}

/// The weight of one node before normalisation; 1 for the largest logit, so the sum is at least 1.
#[inline(always)]
pub(super) fn weight_of(logit: f32, max: f32, tau: f64) -> f64 {
    let weight = exp_nonpositive((f64::from(logit) - f64::from(max)) / tau);
    if logit.is_finite() { weight } else { 0.0 }
}

/// Below this the exponential is 0 even as a subnormal number.
const EXP_ZERO: f64 = -746.0;
/// Adding and taking away `1.5 * 2^52` rounds to a whole number, which then lies in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// `ln 2 - LN_2`, what the nearest f64 misses.
const LN_2_LOW: f64 = 2.319_046_813_846_299_6e-17;
/// `1 / k!` for k = 13 down to 0: the next term is under 2^-57 where `|r| <= ln 2 / 2`.
const TAYLOR: [f64; 14] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];

/// `exp(x)` for `x <= 0`, within two units in the last place; subnormal results are kept.
///
/// ```text
/// x = n ln 2 + r, |r| <= ln 2 / 2        exp(x) = 2^(n div 2) 2^(n - n div 2) sum_k r^k / k!
/// ```
///
/// Products are fused, there is no branch, and the power of two is applied in two steps because `2^n` alone
/// need not be a normal number.
#[inline(always)]
pub fn exp_nonpositive(x: f64) -> f64 {
    let x = x.max(EXP_ZERO);
    let shifted = x.mul_add(std::f64::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(-LN_2_LOW, n.mul_add(-std::f64::consts::LN_2, x));
    let mut sum = TAYLOR[0];
    for &coefficient in &TAYLOR[1..] {
        sum = sum.mul_add(r, coefficient);
    }
    // n is at least -1077: moved up by 2048 it halves as an unsigned number.
    let moved = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(2048);
    let half = moved >> 1;
    let power = |moved_by_1024: u64| f64::from_bits(moved_by_1024.wrapping_sub(1) << 52);
    sum * power(half) * power(moved.wrapping_sub(half))
}
