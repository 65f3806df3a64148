//! Stops and snapshots of tests.

use crate::rounds::deploy_log::StopLine;
use serde_json::{Map, Value, json};

/// A stop at a predicted step.
pub(crate) fn stop(kind: &str, party_a: &str, party_b: &str, min_distance_m: f64) -> StopLine {
    StopLine {
        line: 1,
        kind: kind.to_owned(),
        party_a: party_a.to_owned(),
        party_b: party_b.to_owned(),
        horizon_step: 0,
        min_distance_m,
        sweep_min_distance_m: Some(min_distance_m),
        place_allowance_active: false,
        place_target: String::new(),
        depth_is_box_bound: false,
    }
}

/// A coverage block that attests everything.
pub(crate) fn clean() -> Value {
    json!({"truncated": false, "probed_pairs": 12, "distmax_m": 0.1,
           "noncollidable_side_geoms_excluded": 3, "uncertified_pairs": 0})
}

/// A pair at a distance.
pub(crate) fn pair(body_a: &str, body_b: &str, distance_m: f64) -> Value {
    json!({"body_a": body_a, "body_b": body_b, "distance_m": distance_m})
}

/// An object.
pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("no object: {other}"),
    }
}
