//! Wealth of one test: a product, or a mixture over start times (sentinel page, section 5).
//!
//! ```text
//! product     E_t = E_{t-1} e_t                                     E_0 = 1
//! mixture     M_t = (M_{t-1} + w_t) e_t,   E_t = M_t + u_t          M_0 = 0,  u_t = 1 - (w_1 + ... + w_t)
//!
//! half        w_1 = 1/2,  w_t = 1 / (2 (H - 1)) for t = 2 .. H      u_t = (H - t) / (2 (H - 1)),  t = 1 .. H
//! uniform     w_t = 1 / H               for t = 1 .. H              u_t = (H - t) / H
//! telescope   w_t = 1 / (t (t + 1))     for every t                 u_t = 1 / (t + 1)
//! ```
//!
//! `t` counts bets since the last reset, `H` is the horizon; after it `w_t = u_t = 0`. A mixture puts aside
//! what it has not started yet, so a change late in an episode does not first have to win back what the clean
//! part lost. With factors of mean at most 1 each of them has mean at most 1, so it reaches `1 / a` with
//! probability at most `a` (Ville). Kept as logarithms; never clipped.

use super::error::WhenError;
use crate::constants::MIXTURE_HORIZON;

/// How wealth is made of factors. A horizon is the number of bets of the longest rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WealthRule {
    /// One process from the first bet on (the method).
    Product,
    /// Half of the stake starts at the first bet, the rest evenly over the horizon.
    Half {
        /// Bets planned for, at least 2.
        horizon: usize,
    },
    /// The stake starts evenly over the horizon.
    Uniform {
        /// Bets planned for, at least 1.
        horizon: usize,
    },
    /// The stake starts ever more slowly, without a horizon.
    Telescope,
}

impl WealthRule {
    /// `half` with the default horizon.
    pub const HALF: Self = Self::Half { horizon: MIXTURE_HORIZON };
    /// `uniform` with the default horizon.
    pub const UNIFORM: Self = Self::Uniform { horizon: MIXTURE_HORIZON };

    /// Share of the stake that starts at bet `t`, counted from 1.
    pub fn weight(self, t: usize) -> f64 {
        match self {
            Self::Product => f64::from(u8::from(t == 1)),
            Self::Half { .. } if t == 1 => 0.5,
            Self::Half { horizon } if t <= horizon => 0.5 / (horizon - 1) as f64,
            Self::Uniform { horizon } if t <= horizon => 1.0 / horizon as f64,
            Self::Half { .. } | Self::Uniform { .. } => 0.0,
            Self::Telescope => 1.0 / (t as f64 * (t as f64 + 1.0)),
        }
    }

    /// Share of the stake not started after `t` bets.
    pub fn unspent(self, t: usize) -> f64 {
        match self {
            _ if t == 0 => 1.0,
            Self::Product => 0.0,
            Self::Half { horizon } => horizon.saturating_sub(t) as f64 / (2 * (horizon - 1)) as f64,
            Self::Uniform { horizon } => horizon.saturating_sub(t) as f64 / horizon as f64,
            Self::Telescope => 1.0 / (t as f64 + 1.0),
        }
    }

    /// Refuses a horizon without room for its weights.
    pub(super) fn check(self) -> Result<(), WhenError> {
        let (found, least, expected) = match self {
            Self::Product | Self::Telescope => return Ok(()),
            Self::Half { horizon } => (horizon, 2, "at least 2 bets"),
            Self::Uniform { horizon } => (horizon, 1, "at least 1 bet"),
        };
        if found >= least {
            return Ok(());
        }
        Err(WhenError::Setting { setting: "horizon", expected, found: found.to_string() })
    }
}

/// The name in tables and on the command line.
impl std::fmt::Display for WealthRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Product => "product",
            Self::Half { .. } => "half",
            Self::Uniform { .. } => "uniform",
            Self::Telescope => "telescope",
        })
    }
}

/// The running wealth of one test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wealth {
    rule: WealthRule,
    bets: usize,
    /// `ln M_t`; what started multiplied by its factors.
    log_started: f64,
}

impl Wealth {
    /// Wealth 1, nothing bet.
    ///
    /// # Errors
    /// [`WhenError::Setting`] for a horizon without room for its weights.
    pub fn new(rule: WealthRule) -> Result<Self, WhenError> {
        rule.check()?;
        Ok(Self { rule, bets: 0, log_started: f64::NEG_INFINITY })
    }

    /// One bet that paid the factor `exp(log_factor)`.
    pub fn bet(&mut self, log_factor: f64) {
        self.bets += 1;
        self.log_started = log_sum(self.log_started, self.rule.weight(self.bets).ln()) + log_factor;
    }

    /// `log E_t`.
    pub fn log_e(&self) -> f64 {
        log_sum(self.log_started, self.rule.unspent(self.bets).ln())
    }

    /// Bets since the last reset.
    pub fn bets(&self) -> usize {
        self.bets
    }

    /// Wealth 1 again, bets counted anew.
    pub fn reset(&mut self) {
        self.bets = 0;
        self.log_started = f64::NEG_INFINITY;
    }
}

/// `ln(exp(a) + exp(b))`; `-inf` is an empty summand.
fn log_sum(a: f64, b: f64) -> f64 {
    let (low, high) = (a.min(b), a.max(b));
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rules() -> impl Strategy<Value = WealthRule> {
        prop_oneof![
            Just(WealthRule::Product),
            (2_usize..80).prop_map(|horizon| WealthRule::Half { horizon }),
            (1_usize..80).prop_map(|horizon| WealthRule::Uniform { horizon }),
            Just(WealthRule::Telescope),
        ]
    }

    /// Every sequence of `bets` factors, each drawn from `factors`; mean of the final wealth.
    fn mean_wealth(rule: WealthRule, factors: &[f64], bets: u32) -> f64 {
        let sequences = factors.len().pow(bets);
        let total: f64 = (0..sequences)
            .map(|mut code| {
                let mut wealth = Wealth::new(rule).unwrap();
                for _ in 0..bets {
                    wealth.bet(factors[code % factors.len()].ln());
                    code /= factors.len();
                }
                wealth.log_e().exp()
            })
            .sum();
        total / sequences as f64
    }

    proptest! {
        #[test]
        fn weights_and_what_is_left_sum_to_one(rule in rules(), bets in 0_usize..200) {
            let spent: f64 = (1..=bets).map(|t| rule.weight(t)).sum();
            prop_assert!(spent <= 1.0 + 1e-12);
            prop_assert!((spent + rule.unspent(bets) - 1.0).abs() < 1e-12);
        }

        /// Fair factors: wealth keeps its mean of 1 whatever the rule, by enumeration of all outcomes.
        #[test]
        fn fair_factors_keep_the_mean_at_one(rule in rules(), lambda in 0.05..0.95, bets in 0_u32..6) {
            let factors: Vec<f64> = [0.125, 0.375, 0.625, 0.875].map(|p| 1.0 + lambda * (1.0 - 2.0 * p)).to_vec();
            prop_assert!((mean_wealth(rule, &factors, bets) - 1.0).abs() < 1e-12);
        }

        /// The p-values of a bank of n values, equally likely: wealth falls by the grid's cost, never grows.
        #[test]
        fn conformal_bets_never_gain_on_average(rule in rules(), n in 1_usize..6, bets in 0_u32..5) {
            let p = |k: usize| k as f64 / (n + 1) as f64;
            let linear: Vec<f64> = (1..=n + 1).map(|k| 1.0 + 0.8 * (1.0 - 2.0 * p(k))).collect();
            let mean = mean_wealth(rule, &linear, bets);
            prop_assert!(mean <= 1.0 + 1e-12);
            if rule == WealthRule::Product {
                let expected = (1.0 - 0.8 / (n + 1) as f64).powi(bets as i32);
                prop_assert!((mean - expected).abs() < 1e-12);
            }
        }

        #[test]
        fn a_reset_forgets_everything(rule in rules(), factors in prop::collection::vec(-3.0..3.0, 0..90)) {
            let mut wealth = Wealth::new(rule).unwrap();
            for &factor in &factors {
                wealth.bet(factor);
            }
            prop_assert!(wealth.log_e().is_finite());
            wealth.reset();
            prop_assert_eq!(wealth, Wealth::new(rule).unwrap());
            prop_assert_eq!(wealth.log_e(), 0.0);
        }
    }

    #[test]
    fn horizons_without_room_are_refused() {
        assert!(Wealth::new(WealthRule::Uniform { horizon: 0 }).is_err());
        assert!(Wealth::new(WealthRule::Half { horizon: 1 }).is_err());
    }
}
