//! One step of the belief: carry it along the graph, then weigh it with the likelihood.
//!
//! ```text
//! advance    out[r]       = sum_e values[e] belief[column[e]]              entries e of row r, in order
//! update     posterior[v] = ((1 - leak) predicted[v] + leak likelihood[v]) likelihood[v] / total
//!            total        = sum_v of the numerators
//! ```
//!
//! (sentinel page, section 4). Beliefs are f64 on the CPU: they are held to 1e-9 against the golden data
//! and decide through p-values that have no slack. Products are fused, as [`scalar`] writes them; sums over
//! nodes are striped, sums over a row go in entry order. Values are not checked: what is to happen when
//! `total` underflows is the filter's decision, so it is returned, not hidden.

pub mod scalar;
mod simd;

use crate::backend::SimdLevel;
use crate::csr::Csr;
use crate::error::{KernelError, expect_len};

/// The sums that go with an update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Masses {
    /// Mass of the unnormalised posterior.
    pub total: f64,
    /// Predictive likelihood, `sum_v predicted[v] likelihood[v]`.
    pub evidence: f64,
    /// `sum_v likelihood[v]^2`; times `leak` it is the restart's part of `total`.
    pub likelihood_sq: f64,
}

impl Masses {
    /// Whether a posterior could be normalised. If not, `posterior` is left unnormalised.
    pub fn is_normalised(&self) -> bool {
        self.total > 0.0 && self.total.is_finite()
    }
}

/// How a belief is spread over nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Concentration {
    /// `sum_v belief[v]^2`.
    pub sum_sq: f64,
    /// The node with the largest belief; ties go to the lower one. 0 without nodes.
    pub largest: usize,
}

/// `out = transition * belief`; `transition` has row = destination, column = source.
///
/// # Errors
/// [`KernelError::Length`] when a slice does not fit the matrix.
pub fn advance(
    level: SimdLevel,
    transition: &Csr<f64>,
    belief: &[f64],
    out: &mut [f64],
) -> Result<(), KernelError> {
    expect_len("belief_advance::advance", "belief", transition.columns(), belief.len())?;
    expect_len("belief_advance::advance", "out", transition.rows(), out.len())?;
    simd::advance(level, transition, belief, out);
    Ok(())
}

/// Mixes prediction and likelihood, multiplies with the likelihood, and normalises where it can
/// ([`Masses::is_normalised`]).
///
/// # Errors
/// [`KernelError::Length`] when the slices differ in length.
pub fn update(
    level: SimdLevel,
    predicted: &[f64],
    likelihood: &[f64],
    leak: f64,
    posterior: &mut [f64],
) -> Result<Masses, KernelError> {
    expect_len("belief_advance::update", "likelihood", predicted.len(), likelihood.len())?;
    expect_len("belief_advance::update", "posterior", predicted.len(), posterior.len())?;
    Ok(simd::update(level, predicted, likelihood, leak, posterior))
}

/// Sum of squares and the largest entry of a belief.
pub fn concentration(level: SimdLevel, belief: &[f64]) -> Concentration {
    simd::concentration(level, belief)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn advance_is_the_matrix_product() {
        let p = Csr::from_rows(vec![vec![(0, 0.25)], vec![], vec![(0, 0.75), (1, 1.0)]], 2).unwrap();
        let mut out = [f64::NAN; 3];
        advance(SimdLevel::detect(), &p, &[0.5, 0.5], &mut out).unwrap();
        assert_eq!(out, [0.125, 0.0, 0.875]);
    }

    #[test]
    fn update_follows_the_formula() {
        let (predicted, likelihood, leak) = ([0.5, 0.5, 0.0], [0.5, 0.25, 0.25], 0.25);
        let mut posterior = [0.0; 3];
        let masses = update(SimdLevel::detect(), &predicted, &likelihood, leak, &mut posterior).unwrap();
        // Numerators: (0.375 + 0.125) 0.5, (0.375 + 0.0625) 0.25, 0.0625 * 0.25.
        let total = 0.25 + 0.109_375 + 0.015_625;
        assert_eq!(masses, Masses { total, evidence: 0.375, likelihood_sq: 0.375 });
        assert_eq!(posterior, [0.25 / total, 0.109_375 / total, 0.015_625 / total]);
    }

    #[test]
    fn disjoint_supports_without_a_leak_have_no_mass() {
        let mut posterior = [f64::NAN; 2];
        let masses = update(SimdLevel::detect(), &[1.0, 0.0], &[0.0, 1.0], 0.0, &mut posterior).unwrap();
        assert!(!masses.is_normalised());
        assert_eq!((masses.total, posterior), (0.0, [0.0, 0.0]));
    }

    #[test]
    fn a_subnormal_total_still_normalises() {
        let mut posterior = [f64::NAN; 2];
        let masses = update(SimdLevel::detect(), &[1e-160; 2], &[1e-160; 2], 0.0, &mut posterior).unwrap();
        assert!(masses.is_normalised() && masses.total < f64::MIN_POSITIVE);
        assert_eq!(posterior, [0.5; 2]);
    }

    #[test]
    fn the_largest_entry_is_the_first_of_equals() {
        for level in SimdLevel::supported() {
            let found = concentration(level, &[0.25, 0.375, 0.0, 0.375]);
            assert_eq!(found, Concentration { sum_sq: 0.0625 + 2.0 * 0.140_625, largest: 1 });
            assert_eq!(concentration(level, &[]), Concentration { sum_sq: 0.0, largest: 0 });
        }
    }

    #[test]
    fn wrong_lengths_are_refused() {
        let p = Csr::from_rows(vec![vec![(0, 1.0)]], 1).unwrap();
        let level = SimdLevel::portable();
        let refused = |argument, op| KernelError::Length { op, argument, expected: 1, found: 2 };
        let advanced = "belief_advance::advance";
        assert_eq!(advance(level, &p, &[1.0; 2], &mut [0.0]), Err(refused("belief", advanced)));
        assert_eq!(advance(level, &p, &[1.0], &mut [0.0; 2]), Err(refused("out", advanced)));
        let updated = "belief_advance::update";
        let posterior = &mut [0.0; 2];
        assert_eq!(update(level, &[1.0], &[1.0; 2], 0.0, posterior), Err(refused("likelihood", updated)));
        assert_eq!(update(level, &[1.0], &[1.0], 0.0, posterior), Err(refused("posterior", updated)));
    }

    fn values(n: usize) -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(prop_oneof![Just(0.0), 0.0_f64..1.0, 0.0_f64..1e-170], n)
    }

    proptest! {
        #[test]
        fn every_level_gives_the_scalar_bits(
            (predicted, likelihood) in (0_usize..70).prop_flat_map(|n| (values(n), values(n))),
            leak in 0.0_f64..0.3,
            pattern in any::<u64>(),
        ) {
            let n = predicted.len();
            let rows = (0..n as u32).map(|r| {
                let entry = |c: u32| (pattern.rotate_left(r * 7 + c) % 4 == 0).then_some((c, f64::from(c + 1) / 17.0));
                (0..n as u32).filter_map(entry).collect()
            });
            let transition = Csr::from_rows(rows.collect(), n).unwrap();
            let (mut expected_advance, mut expected_update) = (vec![f64::NAN; n], vec![f64::NAN; n]);
            scalar::advance(&transition, &predicted, &mut expected_advance);
            let expected = scalar::update(&predicted, &likelihood, leak, &mut expected_update);
            for level in SimdLevel::supported() {
                let mut out = vec![f64::NAN; n];
                advance(level, &transition, &predicted, &mut out).unwrap();
                prop_assert_eq!(&out, &expected_advance, "{}", level.name());
                let masses = update(level, &predicted, &likelihood, leak, &mut out).unwrap();
                prop_assert_eq!(masses, expected, "{}", level.name());
                prop_assert_eq!(&out, &expected_update, "{}", level.name());
                prop_assert_eq!(concentration(level, &predicted), scalar::concentration(&predicted));
            }
        }
    }
}
