//! The conditions of a verdict, in order; the first that holds decides.
//!
//! Reference page, section 9.5. Contact outranks everything that keeps one from judging, and is not keyed to the party
//! that the safety kernel named. All comparisons are of raw doubles in metres.

use super::gap_choice::BudgetSource;
use super::outcome::GroundTruthVerdict;
use super::party::Comparison;
use super::probe::PairSet;
use super::reason::Reason;
use super::stand_in::Doubt;

/// What the ladder looks at.
#[derive(Clone, Debug)]
pub struct Numbers<'a> {
    /// The comparison.
    pub comparison: Comparison,
    /// The list that answers.
    pub pair_set: PairSet,
    /// First party.
    pub party_a: &'a str,
    /// Second party.
    pub party_b: &'a str,
    /// The reported depth bounds boxes.
    pub depth_is_box_bound: bool,
    /// Nearest distance of all contact pairs, m.
    pub nearest_any_m: Option<f64>,
    /// Both sides are attested solid.
    pub filtered: bool,
    /// The probe was cut short.
    pub truncated: bool,
    /// Gap budget, m.
    pub budget_m: Option<f64>,
    /// Where it comes from.
    pub source: BudgetSource,
    /// What is to be explained, m.
    pub discrepancy_m: Option<f64>,
    /// Records the monitor received; `None` without a file.
    pub monitor_records: Option<i64>,
    /// What keeps a replayed distance from convicting; `None` where none was used, or nothing does.
    pub doubt: Option<Doubt>,
}

/// A rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// Before the ladder: no snapshot.
    NoSnapshot,
    /// In contact, attested solid.
    Contact,
    /// In contact, not attested solid.
    ContactNotFiltered,
    /// The probe was cut short.
    Truncated,
    /// Two links, unprobed.
    Unprobed,
    /// Two links without a budget.
    NoPairBudget,
    /// No budget.
    NoBudget,
    /// Nothing to compare.
    NoDiscrepancy,
    /// Beyond a published budget.
    BeyondPublished,
    /// Beyond the budget, by a replay that does not prove it.
    BeyondReplay,
    /// Beyond the voxel term.
    BeyondGrid,
    /// Within the budget.
    Within,
}

impl Rung {
    /// Its number on the reference page.
    pub fn id(self) -> &'static str {
        match self {
            Self::NoSnapshot => "0",
            Self::Contact => "1a",
            Self::ContactNotFiltered => "1b",
            Self::Truncated => "2",
            Self::Unprobed => "3",
            Self::NoPairBudget => "4",
            Self::NoBudget => "5",
            Self::NoDiscrepancy => "6",
            Self::BeyondPublished => "7a",
            Self::BeyondReplay => "7c",
            Self::BeyondGrid => "7b",
            Self::Within => "8",
        }
    }

    /// The condition, in words.
    pub fn condition(self) -> &'static str {
        match self {
            Self::NoSnapshot => "no snapshot was recorded",
            Self::Contact => "the nearest pair is at or below 0 m and both sides are attested solid",
            Self::ContactNotFiltered => "the nearest pair is at or below 0 m but not attested solid",
            Self::Truncated => "the probe was cut short, or does not say",
            Self::Unprobed => "two links, and no link was measured against another",
            Self::NoPairBudget => "two links without a gap budget",
            Self::NoBudget => "no gap budget is known",
            Self::NoDiscrepancy => "no distance of the tripping party is known",
            Self::BeyondPublished => "the discrepancy exceeds the published gap budget",
            Self::BeyondReplay => {
                "the discrepancy exceeds the gap budget, but the replay it rests on does not prove the stop false"
            }
            Self::BeyondGrid => "the discrepancy exceeds the voxel term, which is only a lower bound",
            Self::Within => "the discrepancy is within the gap budget",
        }
    }
}

/// Climbs: the rung, its verdict, and why nobody can say.
pub fn climb(n: &Numbers<'_>) -> (Rung, GroundTruthVerdict, Option<Reason>) {
    use GroundTruthVerdict::{FalsePositive, RealContact, Unadjudicated, WithinQuantization};
    let unadjudicated = |rung, reason| (rung, Unadjudicated, Some(reason));
    if let Some(nearest_m) = n.nearest_any_m.filter(|&nearest_m| nearest_m <= 0.0) {
        if n.filtered {
            return (Rung::Contact, RealContact, None);
        }
        return unadjudicated(Rung::ContactNotFiltered, Reason::NotFiltered { nearest_m });
    }
    if n.truncated {
        return unadjudicated(Rung::Truncated, Reason::Truncated);
    }
    let parties = || (n.party_a.to_owned(), n.party_b.to_owned());
    if n.pair_set == PairSet::Unprobed {
        let (party_a, party_b) = parties();
        return unadjudicated(Rung::Unprobed, Reason::UnprobedSelfPair { party_a, party_b });
    }
    let Some(budget_m) = n.budget_m else {
        if n.comparison == Comparison::LinkLink {
            let (party_a, party_b) = parties();
            let reason = if n.depth_is_box_bound {
                Reason::NoBoxBudget { party_a, party_b }
            } else {
                Reason::NoHullBudget { party_a, party_b }
            };
            return unadjudicated(Rung::NoPairBudget, reason);
        }
        let reason = match n.monitor_records {
            Some(0) => Reason::DeafMonitor,
            None => Reason::NoMonitor,
            Some(_) => Reason::NoGridYet,
        };
        return unadjudicated(Rung::NoBudget, reason);
    };
    let Some(discrepancy_m) = n.discrepancy_m else {
        let party_a = n.party_a.to_owned();
        return unadjudicated(Rung::NoDiscrepancy, Reason::PartyNotProbed { party_a });
    };
    if discrepancy_m > budget_m {
        if n.source == BudgetSource::Grid {
            let reason = Reason::BeyondLowerBound { discrepancy_m, voxel_term_m: budget_m };
            return unadjudicated(Rung::BeyondGrid, reason);
        }
        if let Some(doubt) = n.doubt {
            let reason = Reason::ReplayProvesNothing { discrepancy_m, budget_m, doubt };
            return unadjudicated(Rung::BeyondReplay, reason);
        }
        return (Rung::BeyondPublished, FalsePositive, None);
    }
    (Rung::Within, WithinQuantization, None)
}
