//! How much wealth fires (sentinel page, section 5).
//!
//! ```text
//! alpha_half = alpha / 2 / max_interventions       false-alarm share of one test and one fire
//! ville      log E >= -ln(alpha_half)              holds for any p super-uniform given the past
//! episode    log E >  k-th largest of the greatest log E of n clean replays,  k = floor((n + 1) alpha_half)
//! ```
//!
//! The episode threshold needs only that whole episodes are exchangeable, which Ville's does not get from the
//! dependent checks of one episode. It is fitted per test on replays without a reset, counting the checks at
//! which that test could have fired ([`Greatest`]); with `k = 0` there is none.

use super::error::WhenError;
use super::rule::Ruling;

/// When a test's log wealth is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Threshold {
    /// `-ln(alpha_half)`, reached.
    #[default]
    Ville,
    /// Fitted by [`episode_threshold`], exceeded.
    Episode {
        /// Log wealth of the basin test.
        log_basin: f64,
        /// Log wealth of the progress test.
        log_progress: f64,
    },
}

/// The name in tables and on the command line.
impl std::fmt::Display for Threshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ville => "ville",
            Self::Episode { .. } => "episode",
        })
    }
}

/// The greatest log wealth of each test over one clean replay, at checks where it could have fired. `-inf`
/// where there was none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Greatest {
    /// Of the basin test.
    pub log_basin: f64,
    /// Of the progress test.
    pub log_progress: f64,
}

impl Default for Greatest {
    fn default() -> Self {
        Self { log_basin: f64::NEG_INFINITY, log_progress: f64::NEG_INFINITY }
    }
}

impl Greatest {
    /// Takes one check of a replay whose fires are not executed.
    pub fn take(&mut self, ruling: &Ruling) {
        if ruling.basin_open {
            self.log_basin = self.log_basin.max(ruling.log_basin);
        }
        if ruling.progress_open {
            self.log_progress = self.log_progress.max(ruling.log_progress);
        }
    }
}

/// A share such as 0.05 / 2 / 3 is not exact in binary: 120 of them must still make 1.
const ROUNDING: f64 = 1e-9;

/// The k-th largest of `greatest`, one value a clean replay.
///
/// # Errors
/// [`WhenError::TooFewReplays`] when `k = 0`, [`WhenError::Value`] for NaN, [`WhenError::Setting`] for an
/// `alpha_half` outside (0, 1).
pub fn episode_threshold(greatest: &[f64], alpha_half: f64) -> Result<f64, WhenError> {
    if !(alpha_half > 0.0 && alpha_half < 1.0) {
        let (expected, found) = ("more than 0 and less than 1", alpha_half.to_string());
        return Err(WhenError::Setting { setting: "alpha_half", expected, found });
    }
    if let Some(index) = greatest.iter().position(|x| x.is_nan()) {
        let (field, expected, found) = ("greatest log wealth", "a number", "NaN".to_owned());
        return Err(WhenError::Value { field, index, expected, found });
    }
    let n = greatest.len();
    let k = ((n + 1) as f64 * alpha_half + ROUNDING).floor() as usize;
    if k == 0 || n == 0 {
        let needed = ((1.0 / alpha_half - ROUNDING).ceil() as usize - 1).max(1);
        return Err(WhenError::TooFewReplays { found: n, needed, alpha_half });
    }
    let mut descending = greatest.to_vec();
    descending.sort_by(|a, b| b.total_cmp(a));
    // Only a share within rounding of 1 asks for more than there are.
    Ok(descending[k.min(n) - 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_defaults_need_119_replays() {
        let alpha_half = 0.05 / 2.0 / 3.0;
        let replays = |n: u32| (0..n).map(f64::from).collect::<Vec<_>>();
        let refused = episode_threshold(&replays(118), alpha_half).unwrap_err();
        assert_eq!(refused, WhenError::TooFewReplays { found: 118, needed: 119, alpha_half });
        assert_eq!(episode_threshold(&replays(119), alpha_half), Ok(118.0));
        assert_eq!(episode_threshold(&replays(238), alpha_half), Ok(237.0));
        assert_eq!(episode_threshold(&replays(239), alpha_half), Ok(237.0));
        // The measured setting: 112 replays and one allowed fire take the second largest.
        assert_eq!(episode_threshold(&replays(112), 0.025), Ok(110.0));
    }

    #[test]
    fn no_replays_and_no_numbers_are_refused() {
        for alpha_half in [0.5, 1.0 - 1e-12] {
            let refused = episode_threshold(&[], alpha_half).unwrap_err();
            assert_eq!(refused, WhenError::TooFewReplays { found: 0, needed: 1, alpha_half });
        }
        assert_eq!(episode_threshold(&[2.0], 1.0 - 1e-12), Ok(2.0));
        assert!(matches!(episode_threshold(&[1.0, f64::NAN], 0.5), Err(WhenError::Value { index: 1, .. })));
        assert!(matches!(episode_threshold(&[1.0], 0.0), Err(WhenError::Setting { .. })));
    }

    proptest! {
        /// Leave each of n + 1 exchangeable replays out in turn: at most k of them exceed the threshold that
        /// the others give.
        #[test]
        fn false_alarms_of_exchangeable_replays_are_bounded(
            values in prop::collection::vec(0_u8..40, 2..60), alpha_half in 0.02..0.9,
        ) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let mut alarms = 0;
            for i in 0..values.len() {
                let mut others = values.clone();
                let own = others.remove(i);
                match episode_threshold(&others, alpha_half) {
                    Ok(threshold) => alarms += usize::from(own > threshold),
                    Err(e) => prop_assert!(matches!(e, WhenError::TooFewReplays { .. }), "{e}"),
                }
            }
            prop_assert!(alarms as f64 <= values.len() as f64 * alpha_half + 1e-6);
        }
    }
}
