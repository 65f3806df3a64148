//! Adjudication: what ground truth says about one stop.
//!
//! ```text
//! bound       = nearest distance of the tripping party
//!               or, where asked for and nothing else is known of two links, their replayed distance
//!               or the probe's range, when it measured pairs, was not cut short and found none of that party
//! discrepancy = bound - distance that the safety kernel reported
//! margin      = gap budget - discrepancy        (contact: 0 - nearest distance of all)
//! ```
//!
//! Reference page, section 9. Last of all a verdict is withdrawn when the probe does not attest that its distances are
//! certified; no number changes. Nothing is rounded. All in metres.

use super::gap_choice::{self, BudgetRule, BudgetSource, GapBudget};
use super::ladder::{self, Numbers, Rung};
use super::outcome::GroundTruthVerdict;
use super::party::{self, Comparison};
use super::probe::{self, Attestation, PairSet};
use super::reason::{self, Reason};
use super::rules::RuleSet;
use super::stand_in::StandIn;
use crate::rounds::deploy_log::StopLine;
use crate::rounds::json;
use crate::rounds::snapshot::{Pair, Snapshot, SnapshotFault};
use serde_json::{Map, Value};

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The stop.
    pub stop: &'a StopLine,
    /// The decoded snapshot, where one was recorded.
    pub snapshot: Option<&'a Map<String, Value>>,
    /// A snapshot was recorded and does not decode.
    pub snapshot_lost: bool,
    /// Edge of a voxel, m.
    pub grid_resolution_m: Option<f64>,
    /// Records the monitor received; `None` without a file.
    pub monitor_records: Option<i64>,
    /// Which reading of the budgets.
    pub rules: RuleSet,
}

/// What the nearest distance of the tripping party is known to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Measured, m.
    Measured(f64),
    /// Replayed from recorded joints, m.
    Replayed(f64),
    /// Nothing within the probe's range, m: a strict lower bound.
    BeyondRange(f64),
    /// Nobody knows.
    Unknown,
}

impl Bound {
    /// Its length, m.
    pub fn value_m(self) -> Option<f64> {
        match self {
            Self::Measured(m) | Self::Replayed(m) | Self::BeyondRange(m) => Some(m),
            Self::Unknown => None,
        }
    }
}

/// The number that decided, and how far it lies from where the verdict would change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// `discrepancy_m` or `nearest_any_m`.
    pub quantity: &'static str,
    /// Its value, m.
    pub value_m: f64,
    /// The value it is compared with, m.
    pub threshold_m: f64,
    /// Threshold less value, m.
    pub margin_m: f64,
}

/// Two links that overlap and are not the stop's own pair.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkOverlap {
    /// First link.
    pub body_a: String,
    /// Second link.
    pub body_b: String,
    /// Distance, m; at or below zero.
    pub distance_m: f64,
}

/// What was found, with everything it was found from.
#[derive(Clone, Debug, PartialEq)]
pub struct Adjudication {
    /// The verdict.
    pub verdict: GroundTruthVerdict,
    /// The rung that decided, before any withdrawal.
    pub rung: Rung,
    /// What the ladder said, before any withdrawal.
    pub ladder_verdict: GroundTruthVerdict,
    /// Why the ladder cannot say.
    pub reason: Option<Reason>,
    /// The verdict was withdrawn, or would have been: distances are not certified.
    pub not_certified: bool,
    /// The reason as written, or empty.
    pub reason_text: String,
    /// Which rule set.
    pub rules: RuleSet,
    /// The comparison.
    pub comparison: Comparison,
    /// The list that answered.
    pub pair_set: PairSet,
    /// Pairs of it that are the stop's own.
    pub party_pairs: usize,
    /// What the probe attests.
    pub attestation: Attestation,
    /// The probe was cut short; `None` without a snapshot.
    pub truncated: Option<bool>,
    /// The probe's range, m.
    pub distmax_m: Option<f64>,
    /// Pairs it measured.
    pub probed_pairs: Option<i64>,
    /// The budget.
    pub budget: GapBudget,
    /// Nearest distance of all contact pairs, m.
    pub nearest_any_m: Option<f64>,
    /// The pair behind it, as recorded.
    pub nearest_pair: Map<String, Value>,
    /// Nearest distance of the tripping party, m.
    pub nearest_tripping_party_m: Option<f64>,
    /// What is known of that distance.
    pub bound: Bound,
    /// What is to be explained, m.
    pub discrepancy_m: Option<f64>,
    /// Distance to the threshold, where numbers decided.
    pub margin: Option<Margin>,
    /// Whether the pair in contact has a tripping party; `None` when contact did not decide.
    pub contact_has_tripping_party: Option<bool>,
    /// Overlaps of links that are not counted as contact.
    pub uncounted_overlaps: Vec<LinkOverlap>,
    /// Edge of a voxel, m.
    pub grid_resolution_m: Option<f64>,
    /// The replayed distance, where one stood in.
    pub replayed: Option<StandIn>,
    /// Class the simulator gave the stop.
    pub stop_class: Option<String>,
    /// Simulated time, s.
    pub sim_time_s: Option<f64>,
    /// Contacts of the payload; `None` without a snapshot.
    pub payload_contacts: Option<i64>,
}

impl Adjudication {
    /// Ids of the reasons, in the order of the text.
    pub fn reason_ids(&self) -> Vec<&'static str> {
        let withdrawn = self.not_certified.then_some("R9");
        withdrawn.into_iter().chain(self.reason.as_ref().map(Reason::id)).collect()
    }
}

/// Judges a stop.
///
/// # Errors
/// [`SnapshotFault`]: a needed value of the snapshot is not what it must be. No verdict is invented for it.
pub fn adjudicate(question: &Question<'_>) -> Result<Adjudication, SnapshotFault> {
    adjudicate_with(question, None)
}

/// Judges a stop, with a replayed distance where nothing else is known of two links.
///
/// # Errors
/// As [`adjudicate`].
pub fn adjudicate_with(
    question: &Question<'_>,
    replay: Option<&StandIn>,
) -> Result<Adjudication, SnapshotFault> {
    let Some(object) = question.snapshot else { return Ok(without_snapshot(question)) };
    let snapshot = Snapshot::from_object(object)?;
    let Question { stop, grid_resolution_m, monitor_records, rules, .. } = *question;
    let comparison = party::comparison(stop);
    let probe = probe::choose(comparison, stop, &snapshot);
    let unprobed = probe.pair_set == PairSet::Unprobed;
    let party_nearest = probe::nearest(&probe.party_pairs, probe.pair_set.name())?;
    let any_nearest = probe::nearest(&probe::contact_pairs(&snapshot, &probe), "contact pairs")?;
    let nearest_tripping_party_m = party_nearest.map(|(distance_m, _)| distance_m);
    let nearest_any_m = any_nearest.map(|(distance_m, _)| distance_m);

    let coverage = probe.coverage;
    let truncated = coverage.is_none_or(|block| block.truncated);
    let distmax_m = coverage.and_then(|block| block.distmax_m);
    let probed_pairs = coverage.and_then(|block| block.probed_pairs);
    let measured_some = probed_pairs.is_some_and(|pairs| pairs != 0);
    let bound = match (nearest_tripping_party_m, distmax_m) {
        (Some(distance_m), _) => Bound::Measured(distance_m),
        (None, Some(range_m)) if !unprobed && !truncated && measured_some => Bound::BeyondRange(range_m),
        _ => Bound::Unknown,
    };
    let replayed = replay.filter(|_| StandIn::applies(comparison, bound != Bound::Unknown));
    let bound = replayed.map_or(bound, |stand_in| Bound::Replayed(stand_in.distance_m));
    let pair_set = if replayed.is_some() { PairSet::Replayed } else { probe.pair_set };
    let discrepancy_m = bound.value_m().map(|bound_m| bound_m - stop.min_distance_m);
    let budget = gap_choice::choose(comparison, stop, snapshot.budget.as_ref(), grid_resolution_m, rules);
    let budget = match replayed {
        Some(stand_in) => stand_in.budget(stop, budget),
        None => budget,
    };
    let (rung, ladder_verdict, reason) = ladder::climb(&Numbers {
        comparison,
        pair_set,
        party_a: &stop.party_a,
        party_b: &stop.party_b,
        depth_is_box_bound: stop.depth_is_box_bound,
        nearest_any_m,
        filtered: probe.attestation.collidability_filtered,
        truncated,
        budget_m: budget.admissible_gap_m,
        source: budget.source,
        discrepancy_m,
        monitor_records,
        doubt: replayed.and_then(|stand_in| stand_in.doubt(stop)),
    });
    let not_certified = !probe.attestation.distance_certified;
    let (verdict, reason_text) = if not_certified {
        let old = Some(ladder_verdict).filter(|&old| old != GroundTruthVerdict::Unadjudicated);
        let text = reason::withdrawn(old.map(GroundTruthVerdict::name), reason.as_ref());
        (GroundTruthVerdict::Unadjudicated, text)
    } else {
        (ladder_verdict, reason.as_ref().map(ToString::to_string).unwrap_or_default())
    };
    Ok(Adjudication {
        verdict,
        rung,
        ladder_verdict,
        reason,
        not_certified,
        reason_text,
        rules,
        comparison,
        pair_set,
        party_pairs: probe.party_pairs.len(),
        attestation: probe.attestation,
        truncated: Some(truncated),
        distmax_m,
        probed_pairs,
        margin: margin(rung, nearest_any_m, discrepancy_m, budget.admissible_gap_m),
        budget,
        nearest_any_m,
        nearest_pair: any_nearest.map(|(_, pair)| recorded(&pair)).unwrap_or_default(),
        nearest_tripping_party_m,
        bound,
        discrepancy_m,
        contact_has_tripping_party: any_nearest
            .filter(|_| rung == Rung::Contact)
            .map(|(_, pair)| has_tripping_party(&pair, stop, &snapshot)),
        uncounted_overlaps: uncounted_overlaps(&snapshot, stop, comparison),
        grid_resolution_m,
        replayed: replayed.cloned(),
        stop_class: snapshot.stop_class.clone(),
        sim_time_s: snapshot.sim_time_s,
        payload_contacts: Some(snapshot.payload_contacts),
    })
}

/// None where a condition decided that compares no numbers.
fn margin(
    rung: Rung,
    nearest_any_m: Option<f64>,
    discrepancy_m: Option<f64>,
    budget_m: Option<f64>,
) -> Option<Margin> {
    let (quantity, value_m, threshold_m) = match rung {
        Rung::Contact | Rung::ContactNotFiltered => ("nearest_any_m", nearest_any_m?, 0.0),
        Rung::BeyondPublished | Rung::BeyondReplay | Rung::BeyondGrid | Rung::Within => {
            ("discrepancy_m", discrepancy_m?, budget_m?)
        }
        _ => return None,
    };
    Some(Margin { quantity, value_m, threshold_m, margin_m: threshold_m - value_m })
}

/// The pair as it is written: the record, with what was no number as null.
fn recorded(pair: &Pair<'_>) -> Map<String, Value> {
    pair.record.iter().map(|(key, value)| (key.clone(), json::written(value))).collect()
}

/// Whether a pair has a party of the stop: a link by its simulator name, the payload by the lists that measure it.
fn has_tripping_party(pair: &Pair<'_>, stop: &StopLine, snapshot: &Snapshot<'_>) -> bool {
    let named = [&stop.party_a, &stop.party_b].map(|party| party::simulator_name(party));
    let by_name = named.iter().any(|name| pair.body_a == name || pair.body_b == name);
    let lists = [&snapshot.payload_world, &snapshot.payload_robot];
    let of_payload = lists.iter().any(|list| list.iter().any(|p| std::ptr::eq(p.record, pair.record)));
    by_name || (party::involves_payload(stop) && of_payload)
}

fn uncounted_overlaps(snapshot: &Snapshot<'_>, stop: &StopLine, comparison: Comparison) -> Vec<LinkOverlap> {
    let named = [&stop.party_a, &stop.party_b].map(|party| party::simulator_name(party));
    let is_named = |pair: &Pair<'_>| {
        let [a, b] = &named;
        (pair.body_a == a && pair.body_b == b) || (pair.body_a == b && pair.body_b == a)
    };
    let counted = |pair: &Pair<'_>| comparison == Comparison::LinkLink && is_named(pair);
    snapshot
        .link_link
        .iter()
        .filter(|pair| !counted(pair))
        .filter_map(|pair| {
            let distance_m = pair.distance_m.filter(|&distance_m| distance_m < 0.0)?;
            Some(LinkOverlap { body_a: pair.body_a.to_owned(), body_b: pair.body_b.to_owned(), distance_m })
        })
        .collect()
}

fn without_snapshot(question: &Question<'_>) -> Adjudication {
    let reason = if question.snapshot_lost { Reason::SnapshotLost } else { Reason::NoSnapshot };
    Adjudication {
        verdict: GroundTruthVerdict::Unadjudicated,
        rung: Rung::NoSnapshot,
        ladder_verdict: GroundTruthVerdict::Unadjudicated,
        reason_text: reason.to_string(),
        reason: Some(reason),
        not_certified: false,
        rules: question.rules,
        comparison: party::comparison(question.stop),
        pair_set: PairSet::Unprobed,
        party_pairs: 0,
        attestation: Attestation { collidability_filtered: false, distance_certified: false },
        truncated: None,
        distmax_m: None,
        probed_pairs: None,
        budget: GapBudget {
            admissible_gap_m: None,
            source: BudgetSource::Unknown,
            rule: BudgetRule::None,
            terms: Vec::new(),
            quantization_m: None,
        },
        nearest_any_m: None,
        nearest_pair: Map::new(),
        nearest_tripping_party_m: None,
        bound: Bound::Unknown,
        discrepancy_m: None,
        margin: None,
        contact_has_tripping_party: None,
        uncounted_overlaps: Vec::new(),
        grid_resolution_m: None,
        replayed: None,
        stop_class: None,
        sim_time_s: None,
        payload_contacts: None,
    }
}
