//! A replayed distance in place of one that the probe did not measure.
//!
//! Offered, never taken unasked: without it every outcome is the documented one. It stands in only for the distance of two
//! links of which nothing else is known, and as their distance alone: it is no contact that the simulator measured, so it
//! never makes a `real-contact`, and every other condition of the ladder stays before it. It convicts (`false-positive`)
//! only where the reported number is known to be of the state and of the fidelity that was replayed. All in metres.

use super::gap_choice::{BudgetRule, BudgetSource, GapBudget, Term};
use super::party::Comparison;
use crate::rounds::deploy_log::StopLine;
use rollcheck_engine::text::printf;

/// What the source is called wherever it was used.
pub const SOURCE: &str = "engine-replay";

/// Whether the replayed state is the one on which the check tripped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayedState {
    /// It is.
    OfTheCheck,
    /// It is the simulator's after the stop, and the check tripped on a predicted one.
    AfterTheStop,
}

/// A replayed distance with what the robot's manifest says of the pair.
#[derive(Clone, Debug, PartialEq)]
pub struct StandIn {
    /// Signed distance of the two links' hulls; certified.
    pub distance_m: f64,
    /// Which state it was replayed in.
    pub state: ReplayedState,
    /// The field that the state was read from.
    pub state_field: &'static str,
    /// Both links declare a stage-2 hull.
    pub both_hulled: bool,
    /// Twice the largest corner slop of the manifest's boxes.
    pub box_gap_m: Option<f64>,
    /// Declared overhang of each link, in the stop's order.
    pub overhang_m: [Option<f64>; 2],
}

/// Why a replay does not prove a stop false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The pair overlaps in the replay.
    Overlap,
    /// The reported number belongs to a state that is not on record.
    OtherState,
    /// The line does not say that the depth is a bound of the boxes, but two hulls that trip at depth always give one.
    Fidelity,
}

impl Doubt {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Overlap => "the pair overlaps in the replay",
            Self::OtherState => "the reported depth belongs to a predicted state that is not on record",
            Self::Fidelity => {
                "the stop line does not say whether the reported depth is of boxes or of hulls, and below zero between \
                 two hulled links it is of boxes"
            }
        }
    }
}

impl StandIn {
    /// Whether it may be asked at all: two links, and nothing else is known of their distance.
    pub fn applies(comparison: Comparison, known: bool) -> bool {
        comparison == Comparison::LinkLink && !known
    }

    /// What keeps it from convicting.
    pub fn doubt(&self, stop: &StopLine) -> Option<Doubt> {
        if self.distance_m <= 0.0 {
            return Some(Doubt::Overlap);
        }
        if self.state == ReplayedState::AfterTheStop {
            return Some(Doubt::OtherState);
        }
        (self.both_hulled && !stop.depth_is_box_bound && stop.min_distance_m < 0.0).then_some(Doubt::Fidelity)
    }

    /// The budget from the manifest's terms where none is published; the published one stands where there is one.
    #[must_use]
    pub fn budget(&self, stop: &StopLine, published: GapBudget) -> GapBudget {
        if published.admissible_gap_m.is_some() {
            return published;
        }
        let term = |name: String, value_m| Term { name, value_m };
        let (gap_m, rule, terms) = if stop.depth_is_box_bound {
            let name = "robot manifest: 2 * largest corner slop".to_owned();
            (self.box_gap_m, BudgetRule::BoxPair, vec![term(name, self.box_gap_m)])
        } else {
            let [a, b] = self.overhang_m;
            let name = |link: &str| format!("robot manifest: hull_overhang_m of {link}");
            let terms = vec![term(name(&stop.party_a), a), term(name(&stop.party_b), b)];
            (a.zip(b).map(|(a, b)| printf::round6(a + b)), BudgetRule::HullPair, terms)
        };
        let source = if gap_m.is_some() { BudgetSource::RobotFile } else { BudgetSource::Unknown };
        GapBudget {
            admissible_gap_m: gap_m,
            source,
            rule,
            terms: [published.terms, terms].concat(),
            quantization_m: published.quantization_m,
        }
    }
}
