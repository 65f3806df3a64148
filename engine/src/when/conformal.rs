//! Conformal p-values against a null bank (sentinel page, section 5).
//!
//! ```text
//! basin     p = (1 + #{null >= s}) / (n + 1)        large distances are strange
//! progress  p = (1 + #{null <= d}) / (n + 1)        small advances are strange
//! ```
//!
//! With the score exchangeable with the `n` null values, `P(p <= a) <= a`; ties only make p larger. An empty
//! bank knows nothing and gives 1. A score that is NaN has no p-value.

/// A p-value, in (0, 1].
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct PValue(f64);

impl PValue {
    /// A value in (0, 1]; `None` for anything else, NaN included.
    pub fn new(p: f64) -> Option<Self> {
        (p > 0.0 && p <= 1.0).then_some(Self(p))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// How strange it is that the score is as large as `score`. `null` is ascending.
pub fn p_high(null: &[f64], score: f64) -> Option<PValue> {
    (!score.is_nan()).then(|| ratio(null.len() - null.partition_point(|&x| x < score), null.len()))
}

/// How strange it is that the score is as small as `score`. `null` is ascending.
pub fn p_low(null: &[f64], score: f64) -> Option<PValue> {
    (!score.is_nan()).then(|| ratio(null.partition_point(|&x| x <= score), null.len()))
}

fn ratio(as_strange: usize, n: usize) -> PValue {
    PValue((1 + as_strange) as f64 / (n + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ties_count_as_strange_and_an_empty_bank_gives_one() {
        let null = [1.0, 2.0, 2.0, 5.0];
        assert_eq!(p_high(&null, 2.0).map(PValue::get), Some(4.0 / 5.0));
        assert_eq!(p_low(&null, 2.0).map(PValue::get), Some(4.0 / 5.0));
        assert_eq!(p_high(&null, f64::INFINITY).map(PValue::get), Some(1.0 / 5.0));
        assert_eq!(p_high(&[], 3.0).map(PValue::get), Some(1.0));
        assert_eq!(p_low(&null, f64::NAN), None);
        for p in [0.0, -0.5, 1.5, f64::NAN] {
            assert_eq!(PValue::new(p), None);
        }
    }

    proptest! {
        /// Exchangeable values: each of the n + 1 is equally likely to be the score, so the chance that
        /// p <= k / (n + 1) is the share of them for which it holds. It is at most k / (n + 1), and exactly
        /// that without ties.
        #[test]
        fn super_uniform_when_exchangeable(values in prop::collection::vec(0_u8..30, 1..25)) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let n1 = values.len();
            let distinct = {
                let mut sorted = values.clone();
                sorted.sort_by(f64::total_cmp);
                sorted.windows(2).all(|w| w[0] < w[1])
            };
            for p_value in [p_high, p_low] {
                let p: Vec<f64> = (0..n1)
                    .map(|score| {
                        let mut null = values.clone();
                        null.remove(score);
                        null.sort_by(f64::total_cmp);
                        p_value(&null, values[score]).unwrap().get()
                    })
                    .collect();
                for k in 1..=n1 {
                    let at_most = p.iter().filter(|&&p| p <= k as f64 / n1 as f64).count();
                    prop_assert!(at_most <= k);
                    prop_assert!(!distinct || at_most == k);
                }
            }
        }
    }
}
