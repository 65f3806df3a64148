//! A stop measured again from what is on record: the robot's links in the recorded joint states, their hulls and boxes.
//!
//! ```text
//! evidence, manifest, meshes, kinematics -> states -> poses -> hulls, boxes, all pairs -> beside the reported depth
//! ```
//!
//! Geometry page, sections 2.1, 2.4 and 4. [`states`] says which joint states are on record, [`model`] what the robot is,
//! [`measure`] what its links do in a state, [`account`] says it in words and as an object. [`replay`] decides nothing: it
//! is offered to the adjudication as a marked extra source ([`StandIn`]) that changes no outcome unless asked for.

pub mod account;
pub mod measure;
pub mod model;
pub mod states;

pub use measure::{LinkPair, StateReplay, Unmeasured};
pub use model::{ReplayLink, ReplayModel};
pub use states::{JointState, StateFault, StateSource};

use crate::adjudication::party::{self, Comparison};
use crate::adjudication::stand_in::{ReplayedState, StandIn};
use crate::rounds::deploy_log::{DeployLog, StopLine};
use crate::rounds::json;
use measure::ProbePair;
use serde_json::{Map, Value};

/// Where the stop was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopSource {
    /// The safety kernel's line in the log.
    Line,
    /// The recorded verdict.
    RecordedVerdict,
    /// `collision_evidence`, in a log without that line.
    Evidence,
}

impl StopSource {
    /// As printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "stop line",
            Self::RecordedVerdict => "recorded verdict",
            Self::Evidence => "collision_evidence",
        }
    }
}

/// A stop, replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The robot's id in its manifest.
    pub robot: String,
    /// The stop and where it was read; `None`: no stop is on record.
    pub stop: Option<(StopLine, StopSource)>,
    /// States that are on record, the predicted one first.
    pub states: Vec<StateReplay>,
    /// States that are not, and why.
    pub missing: Vec<(StateSource, StateFault)>,
    /// The links of the stop that are declared, in its order.
    pub named_links: Vec<ReplayLink>,
    /// Twice the largest corner slop of the manifest's boxes, m; `None`: not every box was measured.
    pub box_gap_m: Option<f64>,
}

/// Replays the stop of a log.
pub fn replay(log: &DeployLog, model: &ReplayModel) -> Replay {
    let snapshot = log.snapshot.as_ref();
    let block = states::collision_evidence(snapshot, log.evidence.as_ref());
    let stop = match &log.stop {
        Some(stop) if stop.line == 0 => Some((stop.clone(), StopSource::RecordedVerdict)),
        Some(stop) => Some((stop.clone(), StopSource::Line)),
        None => block.and_then(states::stop_of_evidence).map(|stop| (stop, StopSource::Evidence)),
    };
    let line = stop.as_ref().map(|(stop, _)| stop);
    let recorded = states::recorded(line, snapshot, log.evidence.as_ref());
    let named = line.filter(|stop| party::comparison(stop) == Comparison::LinkLink);
    let named_names = named.map(|stop| (stop.party_a.as_str(), stop.party_b.as_str()));
    let probe = snapshot.map(probe_pairs).unwrap_or_default();
    let (mut states, mut missing) = (Vec::new(), Vec::new());
    for (source, state) in
        [(StateSource::Predicted, recorded.predicted), (StateSource::Measured, recorded.measured)]
    {
        match state {
            Ok(state) => states.push(measure::measure(model, &state, named_names, &probe)),
            Err(fault) => missing.push((source, fault)),
        }
    }
    let named_links =
        named.into_iter().flat_map(|s| [&s.party_a, &s.party_b]).filter_map(|name| model.link(name).cloned());
    Replay {
        robot: model.robot.clone(),
        named_links: named_links.collect(),
        box_gap_m: model.box_gap_m(),
        stop,
        states,
        missing,
    }
}

impl Replay {
    /// What was compared; `None` without a stop.
    pub fn comparison(&self) -> Option<Comparison> {
        self.stop.as_ref().map(|(stop, _)| party::comparison(stop))
    }

    /// What was measured in a state.
    pub fn state(&self, source: StateSource) -> Option<&StateReplay> {
        self.states.iter().find(|s| s.state.source == source)
    }

    /// The state that the reported number is held against: the predicted one where it is on record.
    pub fn held_against(&self) -> Option<&StateReplay> {
        self.states.first()
    }

    /// Whether that state is the one on which the check tripped.
    pub fn replayed_state(&self) -> Option<ReplayedState> {
        let (stop, _) = self.stop.as_ref()?;
        Some(match self.held_against()?.state.source {
            StateSource::Predicted => ReplayedState::OfTheCheck,
            // A check of the measured state leaves none: the simulator's is the nearest to it.
            StateSource::Measured if stop.horizon_step < 0 => ReplayedState::OfTheCheck,
            StateSource::Measured => ReplayedState::AfterTheStop,
        })
    }

    /// The stop's own pair there.
    pub fn named(&self) -> Option<&LinkPair> {
        self.held_against()?.named.as_ref()
    }

    /// What can stand in for a distance that the probe did not measure: a certified one, of two declared links.
    pub fn stand_in(&self) -> Option<StandIn> {
        let pair = self.named()?;
        let found = pair.hulls.as_ref().ok().filter(|found| found.certified())?;
        let [a, b] = self.named_links.as_slice() else { return None };
        Some(StandIn {
            distance_m: found.distance_m,
            state: self.replayed_state()?,
            state_field: self.held_against()?.state.source.field(),
            both_hulled: a.has_stage2_hull == Some(true) && b.has_stage2_hull == Some(true),
            box_gap_m: self.box_gap_m,
            overhang_m: [a.hull_overhang_m, b.hull_overhang_m],
        })
    }
}

/// The link-link pairs of the probe; one without a number or names is none.
fn probe_pairs(snapshot: &Map<String, Value>) -> Vec<ProbePair> {
    let items = snapshot.get("nearest_link_link_pairs").and_then(Value::as_array);
    let pair = |item: &Value| {
        let text = |key: &str| json::text(item.get(key)).map(str::to_owned);
        Some(ProbePair {
            body_a: text("body_a")?,
            body_b: text("body_b")?,
            distance_m: item.get("distance_m").and_then(Value::as_f64)?,
            certified: item.get("distance_certified").and_then(Value::as_bool) == Some(true),
        })
    };
    items.into_iter().flatten().filter_map(pair).collect()
}

#[cfg(test)]
mod tests;
