//! What a replay says, in sentences and as an object. Nothing is decided here. Words in millimetres, the object in metres.

use super::measure::{LinkPair, StateReplay, Unmeasured};
use super::model::ReplayLink;
use super::states::{PREDICTED_FIELD, StateFault, StateSource};
use super::{Replay, StopSource};
use crate::adjudication::party::{self, Comparison};
use crate::rounds::deploy_log::StopLine;
use rollcheck_engine::geometry::Point;
use rollcheck_engine::geometry::hull_distance::{DistanceMethod, SignedDistance};
use rollcheck_engine::text::printf;
use serde_json::{Value, json};

/// A length in millimetres with six significant digits, as the safety kernel prints metres.
pub fn reported_mm(m: f64) -> String {
    format!("{} mm", printf::general(1000.0 * m, 6))
}

/// A measured length in millimetres: a thousandth of one, signed.
pub fn measured_mm(m: f64) -> String {
    // Adding +0 keeps a zero from printing its sign.
    format!("{:+.3} mm", (1e6 * m).round() / 1e3 + 0.0)
}

/// What a reader must know, most important first; each a whole sentence without its full stop.
pub fn sentences(replay: &Replay) -> Vec<String> {
    let mut all = state_sentences(replay);
    match (&replay.stop, replay.comparison()) {
        (None, _) => all.push("no stop is on record, so no pair is named".to_owned()),
        (Some((stop, _)), Some(Comparison::LinkLink)) => {
            all.extend(replay.named().map(|pair| pair_sentence(pair, replay)));
            all.extend(reported_sentence(stop, replay));
            all.extend(replay.named_links.iter().filter_map(hull_sentence));
        }
        (Some((stop, _)), _) => all.push(format!(
            "'{}' against '{}' is no pair of links: neither a carried object nor a voxel has a hull here, so nothing of \
             that pair was measured",
            stop.party_a, stop.party_b
        )),
    }
    all
}

/// Which state is held against the reported number, and what is missing.
fn state_sentences(replay: &Replay) -> Vec<String> {
    let mut all = Vec::new();
    match replay.held_against().map(|s| s.state.source) {
        Some(StateSource::Predicted) => {
            let also = match replay.state(StateSource::Measured) {
                Some(_) => "; the measured one, after it, is beside it",
                None => "",
            };
            all.push(format!(
                "joints of `{PREDICTED_FIELD}`: the predicted state on which the check tripped{also}"
            ));
        }
        Some(StateSource::Measured) => {
            all.push("joints of `robot_joint_state`: the simulator's state after the stop".to_owned());
        }
        None => all.push("no joint state of this stop is on record, so nothing was replayed".to_owned()),
    }
    let predicted = replay.missing.iter().find(|(source, _)| *source == StateSource::Predicted);
    if let (Some((_, fault)), Some((stop, _))) = (predicted, &replay.stop) {
        let mm = reported_mm(stop.min_distance_m);
        if stop.horizon_step >= 0 {
            let why = match fault {
                StateFault::NotRecorded { .. } => String::new(),
                other => format!(": {other}"),
            };
            all.push(format!("the reported {mm} belongs to a predicted state not on record{why}"));
        } else {
            all.push(format!("the reported {mm} belongs to the state measured when the check ran"));
        }
    }
    let measured = replay.missing.iter().find(|(source, _)| *source == StateSource::Measured);
    all.extend(measured.map(|(_, fault)| format!("no measured state: {fault}")));
    all
}

fn pair_sentence(pair: &LinkPair, replay: &Replay) -> String {
    let LinkPair { a, b, .. } = pair;
    let state = replay.held_against().map_or("", |s| s.state.source.name());
    let hulls = match &pair.hulls {
        Ok(found) if found.distance_m > 0.0 => format!("apart by {}", positive_mm(found.distance_m)),
        Ok(found) => format!("overlap by {}", positive_mm(-found.distance_m)),
        Err(reason) => return format!("{a} against {b} could not be measured: {reason}"),
    };
    let boxes = match &pair.boxes_m {
        Ok(m) => format!("their boxes' number is {}", measured_mm(*m)),
        Err(reason) => format!("their boxes give no number: {reason}"),
    };
    format!(
        "in the {state} state the hulls of {a} and {b} {}{hulls}; {boxes}",
        if hulls.starts_with("apart") { "are " } else { "" }
    )
}

fn positive_mm(m: f64) -> String {
    format!("{:.3} mm", 1000.0 * m + 0.0)
}

/// How the reported number stands to the two that were replayed.
fn reported_sentence(stop: &StopLine, replay: &Replay) -> Option<String> {
    let pair = replay.named()?;
    let (boxes_m, hulls_m) = (pair.boxes_m.as_ref().ok()?, pair.hulls.as_ref().ok()?.distance_m);
    let less = |m: f64| measured_mm(stop.min_distance_m - m);
    let of = if stop.depth_is_box_bound {
        "the stop line calls it a bound of the boxes"
    } else {
        "the stop line does not call it a bound of the boxes"
    };
    Some(format!("reported less boxes {}, reported less hulls {}; {of}", less(*boxes_m), less(hulls_m)))
}

/// What ships for a link, where that is not its hull.
fn hull_sentence(link: &ReplayLink) -> Option<String> {
    let name = &link.name;
    let measured = link.hull.as_ref().ok().map(|hull| hull.vertices().len());
    let vertices = measured.map_or_else(String::new, |n| {
        format!("; measured here is the hull of its whole source mesh, {n} vertices")
    });
    match link.has_stage2_hull {
        Some(true) => None,
        Some(false) => {
            Some(format!("no stage-2 hull ships for {name}: the safety kernel compares its box{vertices}"))
        }
        None => Some(format!("whether a stage-2 hull ships for {name} is not declared{vertices}")),
    }
}

/// For programs, metres and radians.
pub fn json(replay: &Replay) -> Value {
    let stop = replay.stop.as_ref().map(|(stop, source)| {
        json!({
            "source": source.name(), "line": Some(stop.line).filter(|&line| line > 0), "kind": stop.kind,
            "party_a": stop.party_a, "party_b": stop.party_b, "horizon_step": stop.horizon_step,
            "min_distance_m": stop.min_distance_m,
            // The account of the kernel does not carry it.
            "depth_is_box_bound": Some(stop.depth_is_box_bound).filter(|_| *source != StopSource::Evidence),
            "comparison": party::comparison(stop).name(),
        })
    });
    let missing = |(source, fault): &(StateSource, StateFault)| json!({"state": source.name(), "field": source.field(), "reason": fault.to_string()});
    json!({
        "robot": replay.robot, "stop": stop,
        "held_against": replay.held_against().map(|s| s.state.source.name()),
        "states": replay.states.iter().map(state_json).collect::<Vec<_>>(),
        "missing_states": replay.missing.iter().map(missing).collect::<Vec<_>>(),
        "sentences": sentences(replay),
    })
}

fn state_json(replay: &StateReplay) -> Value {
    let state = &replay.state;
    let joints: serde_json::Map<String, Value> =
        state.joints.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "state": state.source.name(), "field": state.source.field(), "joint_positions_rad": joints,
        "named_pair": replay.named.as_ref().map(pair_json),
        "pairs": replay.pairs.iter().map(pair_json).collect::<Vec<_>>(),
        "left_out": replay.left_out.iter()
            .map(|reason| json!({"link": reason.link(), "reason": reason.to_string()})).collect::<Vec<_>>(),
    })
}

fn pair_json(pair: &LinkPair) -> Value {
    let point = |p: &Point| [p.x, p.y, p.z];
    let hulls = pair.hulls.as_ref().ok();
    let reasons: Vec<String> = [pair.hulls.as_ref().err(), pair.boxes_m.as_ref().err()]
        .into_iter()
        .flatten()
        .map(Unmeasured::to_string)
        .collect();
    json!({
        "link_a": pair.a, "link_b": pair.b, "adjacent": pair.adjacent,
        "distance_m": hulls.map(|f| f.distance_m), "certified": hulls.map(SignedDistance::certified),
        "certificate_gap_m": hulls.map(|f| f.certificate_gap_m).filter(|gap| gap.is_finite()),
        "method": hulls.map(|f| method(f.method)),
        "witness_a_xyz": hulls.map(|f| point(&f.witness_a)), "witness_b_xyz": hulls.map(|f| point(&f.witness_b)),
        "box_sat_m": pair.boxes_m.as_ref().ok(), "probe_m": pair.probe_m,
        "reasons": reasons,
    })
}

/// As printed.
pub fn method(method: DistanceMethod) -> &'static str {
    match method {
        DistanceMethod::Gjk => "gjk",
        DistanceMethod::Epa => "epa",
        DistanceMethod::Exhaustive => "exhaustive",
    }
}
