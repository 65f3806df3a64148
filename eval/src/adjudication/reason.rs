//! Why nobody can say what a stop was.
//!
//! Reference page, section 11. The words are our own; the fragments that other tools search for are kept. Distances have
//! six significant digits.

use super::stand_in::Doubt;
use rollcheck_engine::text::printf;
use std::fmt;

/// A reason.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// R1: no snapshot.
    NoSnapshot,
    /// R1: a snapshot was recorded, and does not decode.
    SnapshotLost,
    /// R2: in contact, but perhaps with something that cannot collide.
    NotFiltered {
        /// Nearest distance, m.
        nearest_m: f64,
    },
    /// R3: the probe was cut short, or does not say that it was not.
    Truncated,
    /// R4: two links, and no link was measured against another.
    UnprobedSelfPair {
        /// First party.
        party_a: String,
        /// Second party.
        party_b: String,
    },
    /// R5: two hulls, and an overhang is missing.
    NoHullBudget {
        /// First party.
        party_a: String,
        /// Second party.
        party_b: String,
    },
    /// R5: two boxes, and no budget is published.
    NoBoxBudget {
        /// First party.
        party_a: String,
        /// Second party.
        party_b: String,
    },
    /// R6a: the monitor heard nothing.
    DeafMonitor,
    /// R6b: there is no monitor file.
    NoMonitor,
    /// R6c: the run stopped before a grid was seen.
    NoGridYet,
    /// R7: no probed pair has the named party.
    PartyNotProbed {
        /// The party.
        party_a: String,
    },
    /// R8: beyond a budget that is only a lower bound.
    BeyondLowerBound {
        /// Discrepancy, m.
        discrepancy_m: f64,
        /// Voxel term, m.
        voxel_term_m: f64,
    },
    /// E1, of this engine: a replayed distance does not convict.
    ReplayProvesNothing {
        /// Discrepancy, m.
        discrepancy_m: f64,
        /// Gap budget, m.
        budget_m: f64,
        /// Why not.
        doubt: Doubt,
    },
}

impl Reason {
    /// Its id on the reference page; `E` is this engine's own.
    pub fn id(&self) -> &'static str {
        match self {
            Self::NoSnapshot | Self::SnapshotLost => "R1",
            Self::NotFiltered { .. } => "R2",
            Self::Truncated => "R3",
            Self::UnprobedSelfPair { .. } => "R4",
            Self::NoHullBudget { .. } | Self::NoBoxBudget { .. } => "R5",
            Self::DeafMonitor => "R6a",
            Self::NoMonitor => "R6b",
            Self::NoGridYet => "R6c",
            Self::PartyNotProbed { .. } => "R7",
            Self::BeyondLowerBound { .. } => "R8",
            Self::ReplayProvesNothing { .. } => "E1",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let m = |x: f64| printf::general(x, 6);
        match self {
            Self::NoSnapshot => {
                write!(f, "no sim.estop_ground_truth_snapshot was recorded for this stop")
            }
            Self::SnapshotLost => write!(
                f,
                "a sim.estop_ground_truth_snapshot was recorded for this stop, but it does not decode, so there is none \
                 to judge by"
            ),
            Self::NotFiltered { nearest_m } => write!(
                f,
                "the nearest pair is at {} m, but the robot or payload side of the probe is not attested as \
                 collidability-filtered, so it may be a visual mesh",
                m(*nearest_m)
            ),
            Self::Truncated => write!(
                f,
                "the probe was cut short by its call budget, or its coverage is missing, so an absent pair proves \
                 nothing"
            ),
            Self::UnprobedSelfPair { party_a, party_b } => write!(
                f,
                "self-pair of '{party_a}' and '{party_b}': this snapshot's probe never measures one robot link against \
                 another"
            ),
            Self::NoHullBudget { party_a, party_b } => write!(
                f,
                "the depth of '{party_a}' and '{party_b}' has hull fidelity and a hull_overhang_m is missing, so no gap \
                 can be charged"
            ),
            Self::NoBoxBudget { party_a, party_b } => write!(
                f,
                "the depth of '{party_a}' and '{party_b}' is a bound of their boxes (not hull fidelity) and no box budget \
                 is published, so no gap can be charged"
            ),
            Self::DeafMonitor => write!(
                f,
                "no gap budget: none is published and the monitor received nothing, which is a harness reason: the grid \
                 resolution is missing evidence"
            ),
            Self::NoMonitor => write!(
                f,
                "no gap budget: none is published and there is no monitor JSONL, so the grid resolution is unknown"
            ),
            Self::NoGridYet => write!(
                f,
                "no gap budget: none is published and the run stopped before the monitor saw a voxel grid"
            ),
            Self::PartyNotProbed { party_a } => {
                write!(f, "no probed pair involves '{party_a}' and the probe's range bounds nothing")
            }
            Self::BeyondLowerBound { discrepancy_m, voxel_term_m } => write!(
                f,
                "the discrepancy of {} m exceeds the voxel term of {} m, but that is only a lower bound of the gap and no \
                 adjudication_budget is published",
                m(*discrepancy_m),
                m(*voxel_term_m)
            ),
            Self::ReplayProvesNothing { discrepancy_m, budget_m, doubt } => write!(
                f,
                "the discrepancy of {} m exceeds the gap budget of {} m, but by engine-replay, which does not prove the stop \
                 false: {}",
                m(*discrepancy_m),
                m(*budget_m),
                doubt.text()
            ),
        }
    }
}

/// R9, as part of a reason text.
pub const NOT_CERTIFIED: &str =
    "the probe's distances are not attested as certified (uncertified_pairs is missing or not zero)";

/// The whole text when a verdict is withdrawn: what was taken back, R9, and the ladder's own reason.
pub fn withdrawn(old: Option<&str>, own: Option<&Reason>) -> String {
    let prefix = old.map(|old| format!("withdrawn from '{old}': ")).unwrap_or_default();
    let own = own.map(|own| format!("; besides, {own}")).unwrap_or_default();
    format!("{prefix}{NOT_CERTIFIED}{own}")
}
