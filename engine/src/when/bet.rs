//! Bets: from a p-value to the factor by which wealth grows (sentinel page, section 5).
//!
//! ```text
//! linear   e = 1 + lambda (1 - 2 p)         0 < lambda < 1;  at most 1 + lambda
//! power    e = kappa p^(kappa - 1)          0 < kappa < 1;   unbounded for small p
//! ```
//!
//! Both integrate to 1 over p in (0, 1) and fall with p, so a super-uniform p has a mean factor of at most 1.
//! Neither is ever 0: wealth can always recover.

use super::conformal::PValue;
use super::error::WhenError;
use crate::constants::{POWER_KAPPA, TRACK_LAM};

/// A betting function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bet {
    /// The method's bet.
    Linear {
        /// Slope.
        lambda: f64,
    },
    /// The sharper bet on small p.
    Power {
        /// Exponent.
        kappa: f64,
    },
}

impl Bet {
    /// The linear bet with the method's slope.
    pub const LINEAR: Self = Self::Linear { lambda: TRACK_LAM };
    /// The power bet with the default exponent.
    pub const POWER: Self = Self::Power { kappa: POWER_KAPPA };

    /// `ln e`.
    pub fn log_factor(self, p: PValue) -> f64 {
        match self {
            Self::Linear { lambda } => (lambda * (1.0 - 2.0 * p.get())).ln_1p(),
            Self::Power { kappa } => kappa.ln() + (kappa - 1.0) * p.get().ln(),
        }
    }

    /// Refuses a parameter outside (0, 1).
    pub(super) fn check(self) -> Result<(), WhenError> {
        let (setting, found) = match self {
            Self::Linear { lambda } => ("lambda", lambda),
            Self::Power { kappa } => ("kappa", kappa),
        };
        if found > 0.0 && found < 1.0 {
            return Ok(());
        }
        Err(WhenError::Setting { setting, expected: "more than 0 and less than 1", found: found.to_string() })
    }
}

/// The name in tables and on the command line.
impl std::fmt::Display for Bet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Linear { .. } => "linear",
            Self::Power { .. } => "power",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The p-values a bank of n values can give, each equally likely for an exchangeable score.
    fn mean_factor(bet: Bet, n: usize) -> f64 {
        let p = |k: usize| PValue::new(k as f64 / (n + 1) as f64).unwrap();
        (1..=n + 1).map(|k| bet.log_factor(p(k)).exp()).sum::<f64>() / (n + 1) as f64
    }

    #[test]
    fn factors_are_those_of_the_formulas() {
        let p = PValue::new(0.05).unwrap();
        assert!((Bet::LINEAR.log_factor(p) - 1.72_f64.ln()).abs() < 1e-15);
        assert!((Bet::POWER.log_factor(p) - (0.3 * 0.05_f64.powf(-0.7)).ln()).abs() < 1e-14);
    }

    proptest! {
        /// The mean p of the grid is (n + 2) / (2 (n + 1)), a little above 1/2, which costs lambda / (n + 1).
        #[test]
        fn the_linear_bet_has_mean_one_less_the_grid_step(n in 0_usize..600, lambda in 0.01..0.99) {
            let mean = mean_factor(Bet::Linear { lambda }, n);
            prop_assert!((mean - (1.0 - lambda / (n + 1) as f64)).abs() < 1e-12);
        }

        #[test]
        fn the_power_bet_is_fair_at_worst(n in 0_usize..600, kappa in 0.01..0.99) {
            let mean = mean_factor(Bet::Power { kappa }, n);
            prop_assert!(mean <= 1.0 + 1e-12);
        }
    }
}
