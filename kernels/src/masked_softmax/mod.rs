//! Logits to a likelihood over the reached nodes.
//!
//! ```text
//! likelihood[v] = exp((logits[v] - max) / tau) / sum_u exp((logits[u] - max) / tau)    v, u reached
//! likelihood[v] = 0                                                                    otherwise
//! ```
//!
//! `max` is the largest logit of a reached node. Logits are f32, as the head gives them; everything after
//! them is f64, and the sum is striped (sentinel page, sections 2 and 4). A node is reached when its logit
//! is finite: `-inf` is the mask, and a NaN or `+inf` is read as masked too, so that nothing a head may
//! return puts a NaN into a belief. The exponential is the polynomial of
//! [`scalar::exp_nonpositive`], not the platform's, so that the bits do not depend on a C library.

pub mod scalar;
mod simd;

use crate::backend::SimdLevel;
use crate::error::{KernelError, expect_len};

/// Fills `likelihood` and returns the number of reached nodes. Without any, `likelihood` is all zero.
///
/// `tau` is the temperature, positive.
///
/// # Errors
/// [`KernelError::Length`] when the slices differ in length.
pub fn masked_softmax(
    level: SimdLevel,
    logits: &[f32],
    tau: f64,
    likelihood: &mut [f64],
) -> Result<usize, KernelError> {
    expect_len("masked_softmax", "likelihood", logits.len(), likelihood.len())?;
    Ok(simd::masked_softmax(level, logits, tau, likelihood))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MASKED: f32 = f32::NEG_INFINITY;

    fn softmax(logits: &[f32], tau: f64) -> (usize, Vec<f64>) {
        let mut out = vec![f64::NAN; logits.len()];
        let reached = masked_softmax(SimdLevel::detect(), logits, tau, &mut out).unwrap();
        (reached, out)
    }

    #[test]
    fn masked_nodes_get_nothing_and_the_rest_sums_to_one() {
        let (reached, likelihood) = softmax(&[0.0, MASKED, 2.0_f32.ln(), MASKED], 1.0);
        assert_eq!(reached, 2);
        assert_eq!((likelihood[1], likelihood[3]), (0.0, 0.0));
        assert!((likelihood[0] - 1.0 / 3.0).abs() < 1e-7 && (likelihood[2] - 2.0 / 3.0).abs() < 1e-7);
    }

    #[test]
    fn temperature_divides_the_logits() {
        let (_, hot) = softmax(&[0.0, 3.0, -1.0], 2.0);
        let (_, halved) = softmax(&[0.0, 1.5, -0.5], 1.0);
        assert_eq!(hot, halved);
    }

    #[test]
    fn large_logits_do_not_overflow_and_tiny_ones_underflow_to_zero() {
        assert_eq!(softmax(&[1e4, 1e4 - 800.0, f32::MIN], 1.0), (3, vec![1.0, 0.0, 0.0]));
        assert_eq!(softmax(&[f32::MAX, f32::MIN], 5e-324), (2, vec![1.0, 0.0]));
    }

    #[test]
    fn nothing_reached_gives_zeros() {
        assert_eq!(softmax(&[MASKED; 3], 1.0), (0, vec![0.0; 3]));
        assert_eq!(softmax(&[], 1.0), (0, vec![]));
    }

    #[test]
    fn broken_logits_count_as_masked() {
        let (reached, likelihood) = softmax(&[f32::NAN, 1.0, f32::INFINITY], 1.0);
        assert_eq!((reached, likelihood), (1, vec![0.0, 1.0, 0.0]));
    }

    #[test]
    fn slices_of_different_length_are_refused() {
        let error = masked_softmax(SimdLevel::portable(), &[0.0; 3], 1.0, &mut [0.0; 2]).unwrap_err();
        let op = "masked_softmax";
        assert_eq!(error, KernelError::Length { op, argument: "likelihood", expected: 3, found: 2 });
    }

    #[test]
    fn the_exponential_is_exact_where_it_must_be() {
        assert_eq!(scalar::exp_nonpositive(0.0), 1.0);
        assert_eq!(scalar::exp_nonpositive(-0.0), 1.0);
        assert_eq!(scalar::exp_nonpositive(f64::NEG_INFINITY), 0.0);
        assert_eq!(scalar::exp_nonpositive(-746.0), 0.0);
        // Below the normal range the result is a subnormal, not zero.
        assert_eq!(scalar::exp_nonpositive(-745.0), 5e-324);
    }

    proptest! {
        #[test]
        fn the_exponential_is_within_two_units_in_the_last_place(x in -708.0_f64..=0.0) {
            let (found, expected) = (scalar::exp_nonpositive(x), x.exp());
            prop_assert!((found - expected).abs() <= 2.0 * f64::EPSILON * expected, "{found} {expected}");
        }

        #[test]
        fn every_level_gives_the_scalar_bits(
            logits in prop::collection::vec(
                prop_oneof![Just(MASKED), Just(f32::NAN), -30.0_f32..30.0, -1e30_f32..1e30], 0..70),
            tau in 0.1_f64..5.0,
        ) {
            let mut expected = vec![f64::NAN; logits.len()];
            let reached = scalar::masked_softmax(&logits, tau, &mut expected);
            let sum: f64 = expected.iter().sum();
            prop_assert!((sum - f64::from(u8::from(reached > 0))).abs() < 1e-12);
            for level in SimdLevel::supported() {
                let mut out = vec![f64::NAN; logits.len()];
                prop_assert_eq!(masked_softmax(level, &logits, tau, &mut out).unwrap(), reached);
                prop_assert_eq!(&out, &expected, "{}", level.name());
            }
        }
    }
}
