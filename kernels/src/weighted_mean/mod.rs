//! Means under weights that need not be normalised.
//!
//! ```text
//! weighted_mean       total = sum_v weights[v]      out[j] = sum_v weights[v] rows[v][j] / total
//! weighted_moments    mean  as above for one column   deviation = sqrt(sum_v weights[v] (x[v] - mean)^2 / total)
//! ```
//!
//! `weighted_moments` gives `phase_hat` and its spread (sentinel page, section 4). f64, products fused, sums striped
//! over v. The deviation is taken around the mean in a second pass: a difference of
//! second moments would lose it where the weights sit on one node. `total` is returned and decides whether
//! the means mean anything: where it is not a positive finite number, they do not.

pub mod scalar;
mod simd;

use crate::backend::SimdLevel;
use crate::error::{KernelError, expect_len};

/// Mean and deviation of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Sum of the weights.
    pub total: f64,
    /// Weighted mean.
    pub mean: f64,
    /// Weighted standard deviation.
    pub deviation: f64,
}

/// Weighted mean of the rows of a table (`weights.len() x out.len()`, row-major); returns the weights' sum.
///
/// # Errors
/// [`KernelError::Length`] when `rows` has another size.
pub fn weighted_mean(
    level: SimdLevel,
    weights: &[f64],
    rows: &[f64],
    out: &mut [f64],
) -> Result<f64, KernelError> {
    expect_len("weighted_mean", "rows", weights.len() * out.len(), rows.len())?;
    Ok(simd::weighted_mean(level, weights, rows, out))
}

/// Weighted mean and deviation of one value a weight.
///
/// # Errors
/// [`KernelError::Length`] when the slices differ in length.
pub fn weighted_moments(level: SimdLevel, weights: &[f64], values: &[f64]) -> Result<Moments, KernelError> {
    expect_len("weighted_moments", "values", weights.len(), values.len())?;
    Ok(simd::weighted_moments(level, weights, values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_mean_of_rows_is_taken_per_column() {
        let mut out = [f64::NAN; 2];
        let rows = [1.0, 10.0, 2.0, 20.0, 5.0, 50.0];
        let total = weighted_mean(SimdLevel::detect(), &[1.0, 2.0, 1.0], &rows, &mut out).unwrap();
        assert_eq!((total, out), (4.0, [2.5, 25.0]));
    }

    #[test]
    fn moments_of_a_two_point_distribution() {
        let found = weighted_moments(SimdLevel::detect(), &[0.25, 0.75], &[0.0, 1.0]).unwrap();
        assert_eq!(found.mean, 0.75);
        assert_eq!(found.deviation, (0.25 * 0.75_f64).sqrt());
    }

    #[test]
    fn weights_on_one_node_have_no_deviation() {
        let found = weighted_moments(SimdLevel::detect(), &[0.0, 1.0, 0.0], &[0.2, 0.7, 0.9]).unwrap();
        assert_eq!(found, Moments { total: 1.0, mean: 0.7, deviation: 0.0 });
    }

    #[test]
    fn no_weight_shows_in_the_total() {
        let mut out = [0.0];
        assert_eq!(weighted_mean(SimdLevel::detect(), &[0.0; 2], &[1.0, 2.0], &mut out).unwrap(), 0.0);
        assert!(out[0].is_nan());
    }

    #[test]
    fn wrong_lengths_are_refused() {
        let level = SimdLevel::portable();
        let refused = |op, argument, expected| KernelError::Length { op, argument, expected, found: 5 };
        assert_eq!(
            weighted_mean(level, &[1.0; 2], &[0.0; 5], &mut [0.0; 3]),
            Err(refused("weighted_mean", "rows", 6))
        );
        assert_eq!(
            weighted_moments(level, &[1.0; 2], &[0.0; 5]),
            Err(refused("weighted_moments", "values", 2))
        );
    }

    fn table() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, usize)> {
        (1_usize..40, 0_usize..20).prop_flat_map(|(n, dof)| {
            (prop::collection::vec(0.1_f64..1.0, n), prop::collection::vec(-3.0_f64..3.0, n * dof), Just(dof))
        })
    }

    fn bits(values: &[f64]) -> Vec<u64> {
        values.iter().map(|x| x.to_bits()).collect()
    }

    proptest! {
        #[test]
        fn every_level_gives_the_scalar_bits((weights, rows, dof) in table()) {
            let mut expected = vec![0.0; dof];
            let total = scalar::weighted_mean(&weights, &rows, &mut expected);
            for level in SimdLevel::supported() {
                let mut out = vec![0.0; dof];
                prop_assert_eq!(weighted_mean(level, &weights, &rows, &mut out).unwrap().to_bits(), total.to_bits());
                prop_assert_eq!(bits(&out), bits(&expected), "{}", level.name());
                let found = weighted_moments(level, &weights, &weights).unwrap();
                let wanted = scalar::weighted_moments(&weights, &weights);
                prop_assert_eq!(
                    bits(&[found.total, found.mean, found.deviation]),
                    bits(&[wanted.total, wanted.mean, wanted.deviation])
                );
            }
        }

        #[test]
        fn moments_and_mean_of_one_column_agree(pairs in prop::collection::vec((0.1_f64..1.0, -3.0_f64..3.0), 1..40)) {
            let (weights, values): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let mut out = [0.0];
            let total = weighted_mean(SimdLevel::detect(), &weights, &values, &mut out).unwrap();
            let moments = weighted_moments(SimdLevel::detect(), &weights, &values).unwrap();
            prop_assert_eq!((moments.total, moments.mean), (total, out[0]));
        }
    }
}
