//! A live exemption, by two accounts that should agree.
//!
//! ```text
//! active = sweep_min_distance_m < min_distance_m - 1e-9      (strictly deeper, by more than a nanometre)
//! ```
//!
//! Reference page, section 3.1: the inequality is the authority. The safety kernel's own arm and separate lines are the
//! other account; where the two disagree, that is a finding and changes nothing.

use crate::rounds::deploy_log::{KernelLines, StopLine};

/// Differences up to this are none, m.
const NANOMETRE: f64 = 1e-9;

/// Whether an exemption was live; `None` where no sweep was printed.
pub fn active(min_distance_m: f64, sweep_min_distance_m: Option<f64>) -> Option<bool> {
    sweep_min_distance_m.map(|sweep_m| sweep_m < min_distance_m - NANOMETRE)
}

/// How the two accounts disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// A deeper cell was exempted, but no support witness was live.
    ExemptWithoutWitness,
    /// A support witness was live at a stop of the carried object, but no deeper cell was exempted.
    WitnessWithoutExemption,
}

impl Disagreement {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::ExemptWithoutWitness => {
                "the sweep found a deeper cell that was exempted, but the safety kernel's arm and separate lines leave no \
                 support witness live at the stop"
            }
            Self::WitnessWithoutExemption => {
                "a support witness was live at this stop of the carried object by the safety kernel's arm and separate \
                 lines, but no cell deeper than the reported one was exempted"
            }
        }
    }
}

/// Compares the two accounts. A live place allowance exempts cells too, so it explains a deeper sweep.
pub fn disagreement(stop: &StopLine, kernel: &KernelLines) -> Option<Disagreement> {
    let active = active(stop.min_distance_m, stop.sweep_min_distance_m)?;
    let live = kernel.witness_live_at_stop.unwrap_or(false);
    if active && !live && !stop.place_allowance_active {
        return Some(Disagreement::ExemptWithoutWitness);
    }
    // A witness exempts cells of the carried object only: at another party's stop there is nothing to compare.
    if !active && live && super::party::involves_payload(stop) && stop.kind != "self" {
        return Some(Disagreement::WitnessWithoutExemption);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjudication::testing::stop;

    #[test]
    fn deeper_means_by_more_than_a_nanometre() {
        assert_eq!(active(-0.004_184_56, Some(-0.035_533_8)), Some(true));
        assert_eq!(active(-0.02, Some(-0.02)), Some(false));
        assert_eq!(active(-0.02, Some(-0.02 - 5e-10)), Some(false));
        assert_eq!(active(-0.02, Some(-0.01)), Some(false));
        assert_eq!(active(-0.02, None), None);
    }

    #[test]
    fn disagreement_is_found_in_both_directions() {
        let accounts = |sweep_m, live, allowance, party| {
            let mut stop = stop("world", party, "voxel_1", -0.01);
            (stop.sweep_min_distance_m, stop.place_allowance_active) = (sweep_m, allowance);
            disagreement(&stop, &KernelLines { witness_live_at_stop: live, ..KernelLines::default() })
        };
        let payload = "attached:sim:o";
        assert_eq!(accounts(Some(-0.04), Some(true), false, payload), None);
        assert_eq!(accounts(Some(-0.04), None, false, payload), Some(Disagreement::ExemptWithoutWitness));
        assert_eq!(accounts(Some(-0.04), Some(false), true, payload), None, "the allowance explains it");
        let unused = Some(Disagreement::WitnessWithoutExemption);
        assert_eq!(accounts(Some(-0.01), Some(true), false, payload), unused);
        assert_eq!(accounts(Some(-0.01), Some(true), false, "panda_link5"), None);
        assert_eq!(accounts(None, Some(true), false, payload), None, "unknown is not a disagreement");
    }
}
