//! Stops of tests.

use crate::rounds::deploy_log::StopLine;

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
