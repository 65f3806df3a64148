//! Progress statistic: how much `phase_hat` moved since the check before (sentinel page, section 5).
//!
//! ```text
//! d_t = phase_hat_t - phase_hat_{t-1}        judged against the bank of bin(phase_hat_{t-1})
//! ```
//!
//! There is none at the first check that has a phase, of an episode or after a recovery, and none at a blind
//! check, whose phase is a prediction. A blind check's phase still stands as the one before the next.

use crate::constants::phase_bin;

/// What the progress test saw at one check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgressReading {
    /// Phase bin whose bank applies: that of the check before.
    pub bin: usize,
    /// Change of phase.
    pub change: f64,
}

/// Remembers the phase of the check before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    previous: Option<f64>,
}

impl Progress {
    /// Takes the phase of one check (`None` where there is no belief yet) and reads the test.
    pub fn read(&mut self, phase_hat: Option<f64>, blind: bool) -> Option<ProgressReading> {
        let previous = std::mem::replace(&mut self.previous, phase_hat);
        match (previous, phase_hat) {
            (Some(before), Some(now)) if !blind => {
                Some(ProgressReading { bin: phase_bin(before), change: now - before })
            }
            _ => None,
        }
    }

    /// Forgets the check before: a new episode, or a recovery that moved the arm.
    pub fn reset(&mut self) {
        self.previous = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_phase_and_blind_checks_give_no_statistic() {
        let mut progress = Progress::default();
        assert_eq!(progress.read(None, true), None);
        assert_eq!(progress.read(Some(0.25), false), None);
        assert_eq!(progress.read(Some(0.5), false), Some(ProgressReading { bin: 5, change: 0.25 }));
        assert_eq!(progress.read(Some(0.75), true), None);
        assert_eq!(progress.read(Some(0.5), false), Some(ProgressReading { bin: 15, change: -0.25 }));
        progress.reset();
        assert_eq!(progress.read(Some(0.625), false), None);
    }
}
