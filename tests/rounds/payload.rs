//! 17.4: payload stops.

use crate::support::{Case, judge, map, pair, recorded, stop};
use rollcheck_eval::adjudication::outcome::GroundTruthVerdict::{Unadjudicated, WithinQuantization};
use rollcheck_eval::adjudication::probe::PairSet;
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::rounds::deploy_log;
use serde_json::{Value, json};

fn payload(partner: &str, kind: &str, min_m: f64, snapshot: Value) -> Case {
    Case::new(
        &format!("kind={kind} a=attached:sim:obj_main b={partner} step=0 min_distance_m={min_m}"),
        snapshot,
    )
}

/// The snapshot of a recorded log.
fn snapshot(round: &str, file: &str) -> Option<Value> {
    let bytes = std::fs::read(recorded(round)?.join(file)).unwrap();
    deploy_log::parse(&bytes, file).unwrap().snapshot.map(Value::Object)
}

#[test]
fn p01_2026_09_07_utensil() {
    let Some(snapshot) = snapshot("2026-09-07-adr0101-live-1", "utensil/run_deploy.log") else { return };
    let case = Case {
        stop: stop("kind=world a=attached:sim:obj_main b=voxel_228622 step=0 min_distance_m=-0.0040461"),
        snapshot,
        grid_m: Some(0.025),
        monitor_records: Some(585),
    };
    let a = case.documented();
    assert_eq!((a.verdict, a.budget.admissible_gap_m), (WithinQuantization, Some(0.109_871)));
    assert_eq!(a.nearest_any_m, Some(0.024_858_349));
    assert_eq!(a.discrepancy_m, Some(0.024_858_349 + 0.004_046_1));
    let overlaps: Vec<f64> = a.uncounted_overlaps.iter().map(|o| o.distance_m).collect();
    assert_eq!((overlaps.len(), overlaps[0]), (3, -0.036_335_58));
}

#[test]
fn p02_p03_2026_09_05_baguette() {
    let Some(folder) = recorded("2026-09-05-217-with204-1") else { return };
    let a = judge(&folder, "baguette", RuleSet::Documented).adjudication.unwrap();
    assert_eq!((a.verdict, a.pair_set), (WithinQuantization, PairSet::PayloadRobot));
    assert_eq!(
        (a.nearest_tripping_party_m, a.budget.admissible_gap_m),
        (Some(0.065_511_265), Some(0.124_555))
    );
    assert_eq!(a.discrepancy_m, Some(0.065_511_265 + 0.001_553_64));
    let file = "baguette/run_deploy_excerpt.log";
    let case = Case {
        stop: stop("kind=self a=attached:sim:obj_main b=panda_link1 step=0 min_distance_m=-0.00155364"),
        snapshot: snapshot("2026-09-05-217-with204-1", file).unwrap(),
        grid_m: None,
        monitor_records: None,
    };
    let a =
        case.without("nearest_payload_robot_pairs").without("nearest_payload_robot_coverage").documented();
    assert_eq!((a.verdict, a.nearest_tripping_party_m, a.discrepancy_m), (Unadjudicated, None, None));
    assert!(a.reason_ids().contains(&"R3"));
}

#[test]
fn p04_one_snapshot_has_a_budget_for_each_comparison() {
    let Some(snapshot) = snapshot("2026-08-23-master-s1", "baguette/run_deploy_excerpt.log") else { return };
    let gap_m = |tail: &str| {
        let case = Case { stop: stop(tail), snapshot: snapshot.clone(), grid_m: None, monitor_records: None };
        case.both().budget.admissible_gap_m
    };
    assert_eq!(gap_m("kind=world a=panda_link5 b=voxel_1 min_distance_m=-0.01"), Some(0.08822));
    assert_eq!(
        gap_m("kind=self a=attached:sim:obj_main b=panda_link1 min_distance_m=-0.01"),
        Some(0.124_555)
    );
    assert_eq!(gap_m("kind=world a=attached:sim:obj_main b=voxel_1 min_distance_m=-0.01"), Some(0.08822));
}

fn overhang(overhang_m: f64, half_m: f64) -> Value {
    json!({"nearest_payload_world_pairs": [pair("obj_main", "counter", 0.01)],
           "adjudication_budget": {"admissible_gap_m": 0.08822, "payload_world_voxel": {
               "max_payload_model_overhang_m": overhang_m, "voxel_half_diagonal_m": half_m,
               "admissible_gap_m": 9.0, "max_corner_slop_m": 9.0}}})
}

#[test]
fn p05_p06_the_payload_block_counts_only_by_the_extended_rules() {
    let world = payload("voxel_1", "world", -0.01, overhang(0.01018, 0.021_651));
    assert_eq!(world.extended().budget.admissible_gap_m, Some(0.01018 + 0.021_651));
    assert_eq!(world.documented().budget.admissible_gap_m, Some(0.08822));
    let arm =
        Case::new("kind=world a=panda_link1 b=voxel_1 min_distance_m=-0.01", overhang(0.01018, 0.021_651));
    assert_eq!(arm.extended().budget.admissible_gap_m, Some(0.08822));
}

#[test]
fn p07_p08_a_zero_voxel_term_of_the_payload_is_the_grid_s_or_unknown() {
    let case = || payload("voxel_1", "world", -0.01, overhang(0.008_907, 0.0));
    assert_eq!(case().extended().budget.admissible_gap_m, Some(0.030_557_635_094_610_965));
    let unknown = case().grid(None).extended();
    assert_eq!((unknown.verdict, unknown.budget.admissible_gap_m), (Unadjudicated, None));
    let mut none = map(overhang(0.0, 0.0));
    none["adjudication_budget"]["payload_world_voxel"] = json!({});
    let none = payload("voxel_1", "world", -0.01, Value::Object(none)).grid(None).extended();
    assert_eq!(none.budget.admissible_gap_m, None, "no fall-through");
}

#[test]
fn p09_a_place_partner_is_the_world() {
    let case = payload(
        "place:sim:sink#4",
        "self",
        -0.01,
        json!({"nearest_payload_world_pairs": [pair("obj_main", "sink", 0.03)],
               "adjudication_budget": {"admissible_gap_m": 0.08822}}),
    );
    let a = case.documented();
    assert_eq!(
        (a.verdict, a.pair_set, a.discrepancy_m),
        (WithinQuantization, PairSet::PayloadWorld, Some(0.04))
    );
}
