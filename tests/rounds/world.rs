//! 17.3: world stops.

use crate::support::{Case, judge, pair, recorded};
use rollcheck_eval::adjudication::gap_choice::{BudgetSource, voxel_term_m};
use rollcheck_eval::adjudication::ladder::Rung;
use rollcheck_eval::adjudication::outcome::GroundTruthVerdict::{
    FalsePositive, RealContact, Unadjudicated, WithinQuantization,
};
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::adjudication::{Question, adjudicate};
use rollcheck_eval::verdict::schema::GroundTruthAdjudication;
use serde_json::json;

fn arm(link: &str, min_m: f64, pairs: serde_json::Value) -> Case {
    Case::new(
        &format!("kind=world a=panda_{link} b=voxel_1 step=0 min_distance_m={min_m}"),
        json!({"nearest_robot_world_pairs": pairs}),
    )
}

fn truth(round: &str, scene: &str) -> Option<GroundTruthAdjudication> {
    judge(&recorded(round)?, scene, RuleSet::Documented).verdict.ground_truth
}

#[test]
fn a01_a_stop_without_a_snapshot_cannot_be_judged() {
    let stop = crate::support::stop("kind=world a=panda_link1 b=voxel_1 min_distance_m=0");
    let question = Question {
        stop: &stop,
        snapshot: None,
        snapshot_lost: false,
        grid_resolution_m: Some(0.025),
        monitor_records: Some(3),
        rules: RuleSet::Documented,
    };
    let a = adjudicate(&question).unwrap();
    assert_eq!((a.verdict, a.reason_ids()), (Unadjudicated, vec!["R1"]));
    assert!(a.reason_text.contains("sim.estop_ground_truth_snapshot"));
    assert_eq!((a.grid_resolution_m, a.budget.quantization_m, a.discrepancy_m), (None, None, None));
    let v = crate::support::scene_of(&[("deploy.log", "safety.collision a=l min_distance_m=-1\n")]).verdict;
    let written = serde_json::to_value(v.ground_truth.unwrap()).unwrap();
    let defaults = json!({"verdict": "unadjudicated", "stop_class": null, "sim_time_s": null, "grid_resolution_m": null,
        "quantization_budget_m": null, "admissible_gap_m": null, "budget_source": "",
        "probe_collidability_filtered": null, "probe_distance_certified": null, "unadjudicated_reason": a.reason_text,
        "nearest_any_m": null, "nearest_tripping_party_m": null, "nearest_pair": {}, "discrepancy_m": null,
        "probed_pairs": null, "probe_truncated": null, "distmax_m": null, "payload_contacts": null});
    assert_eq!(written, defaults, "every other field at its default");
}

#[test]
fn a02_2026_08_22_baguette() {
    let Some(t) = truth("2026-08-22-master-1", "baguette") else { return };
    assert_eq!((t.verdict, t.discrepancy_m), (Unadjudicated, Some(0.1 + 0.020_917_8)));
    assert_eq!(
        (t.budget_source.as_str(), t.nearest_any_m, t.probed_pairs),
        ("grid-quantization", None, Some(431))
    );
    assert!(
        t.unadjudicated_reason.contains("lower bound")
            && t.unadjudicated_reason.contains("uncertified_pairs")
    );
    assert_eq!((t.probe_collidability_filtered, t.probe_distance_certified), (Some(false), Some(false)));
}

fn a03(min_m: f64) -> Case {
    arm("link1", min_m, json!([pair("robot0_link1", "wall", 0.043_256)]))
}

#[test]
fn a03_within_the_voxel_term() {
    let a = a03(0.03).both();
    assert_eq!((a.verdict, a.discrepancy_m), (WithinQuantization, Some(0.043_256 - 0.03)));
    assert_eq!(a.budget.source, BudgetSource::Grid);
}

#[test]
fn a04_beyond_the_voxel_term_nothing_is_proved() {
    let a = a03(-0.017_276_4).both();
    assert_eq!(
        (a.verdict, a.discrepancy_m, a.reason_ids()),
        (Unadjudicated, Some(0.043_256 + 0.017_276_4), vec!["R8"])
    );
    assert!(a.reason_text.contains("0.0605324 m") && a.reason_text.contains("0.0216506 m"));
    assert!(a.reason_text.to_lowercase().contains("lower bound"));
}

#[test]
fn a05_a_verdict_is_withdrawn_without_certification() {
    let a = a03(0.03).uncertified().both();
    assert_eq!(a.verdict, Unadjudicated);
    assert!(a.reason_text.starts_with("withdrawn from 'within-quantization': "));
    assert!(!a.attestation.distance_certified && a.attestation.collidability_filtered);
    assert_eq!(a.discrepancy_m, Some(0.043_256 - 0.03), "no number changes");
}

#[test]
fn a06_2026_08_23_utensil() {
    let Some(t) = truth("2026-08-23-master-s1", "utensil") else { return };
    assert_eq!(
        (t.verdict, t.admissible_gap_m, t.quantization_budget_m),
        (Unadjudicated, Some(0.088_22), None)
    );
    assert!(t.unadjudicated_reason.starts_with("withdrawn from 'within-quantization': "));
    assert_eq!(t.budget_source, "hal-adjudication-budget");
}

#[test]
fn a07_2026_08_22_sink_cup() {
    let Some(t) = truth("2026-08-22-master-1", "sink_cup") else { return };
    assert_eq!((t.verdict, t.nearest_any_m), (Unadjudicated, Some(-0.001_759)));
    assert!(t.unadjudicated_reason.contains("visual mesh"));
    assert_eq!(t.nearest_pair["geom_a"].as_str().or(t.nearest_pair["geom_b"].as_str()), Some("obj_reg_bbox"));
    assert_eq!((t.stop_class.as_deref(), t.payload_contacts), (Some("attached_payload"), Some(6)));
    assert_eq!(t.probe_collidability_filtered, Some(false));
}

#[test]
fn a08_2026_08_22_fridge() {
    let Some(t) = truth("2026-08-22-master-1", "fridge") else { return };
    assert_eq!((t.verdict, t.nearest_any_m, t.payload_contacts), (Unadjudicated, Some(0.0), Some(0)));
    assert_eq!(t.nearest_pair["geom_a"], "robot0_g25_vis");
}

#[test]
fn a09_2026_08_23_fridge() {
    let Some(t) = truth("2026-08-23-master-s1", "fridge") else { return };
    assert_eq!((t.verdict, t.nearest_any_m), (Unadjudicated, Some(0.0)));
    assert_eq!(t.nearest_pair["geom_a"], "robot0_g42_vis");
    assert_eq!(t.nearest_pair["geom_b"], "fridge_main_group_g43");
    assert!(t.unadjudicated_reason.contains("visual mesh"));
}

#[test]
fn a10_contact_is_not_keyed_to_the_named_party() {
    let a = arm("link7", -0.01, json!([pair("robot0_link6", "wall", 0.0)])).both();
    assert_eq!((a.verdict, a.rung), (RealContact, Rung::Contact));
    assert_eq!(a.contact_has_tripping_party, Some(false));
    let own = arm("link6", -0.01, json!([pair("robot0_link6", "wall", -0.0)])).both();
    assert_eq!((own.verdict, own.contact_has_tripping_party), (RealContact, Some(true)));
}

#[test]
fn a11_a12_a13_attestations_are_keys_and_a_zero() {
    let one_block = |block: serde_json::Value| {
        let case = arm("link7", -0.01, json!([]))
            .without("nearest_payload_world_coverage")
            .without("nearest_payload_robot_coverage")
            .with("nearest_probe_coverage", block);
        let a = case.both().attestation;
        (a.collidability_filtered, a.distance_certified)
    };
    assert_eq!(one_block(json!({"noncollidable_side_geoms_excluded": 12})), (true, false));
    assert!(!one_block(json!({"noncollidable_world_geoms_excluded": 917})).0);
    assert!(one_block(json!({"uncertified_pairs": 0})).1);
    assert!(!one_block(json!({"uncertified_pairs": 2})).1);
    assert!(!one_block(json!({"probed_pairs": 2})).1);
    assert_eq!(one_block(json!({})), (false, false), "no block attests nothing");
    let other =
        arm("link7", -0.01, json!([])).with("nearest_payload_robot_coverage", json!({"truncated": false}));
    assert!(!other.both().attestation.collidability_filtered, "every block is checked, whichever is used");
}

fn a14() -> Case {
    arm("link5", -0.01, json!([pair("robot0_link5", "wall", 0.2)]))
        .with("adjudication_budget.admissible_gap_m", json!(0.08822))
}

#[test]
fn a14_beyond_a_published_budget() {
    let a = a14().documented();
    assert_eq!((a.verdict, a.discrepancy_m), (FalsePositive, Some(0.2 + 0.01)));
    assert_eq!(a.margin.unwrap().margin_m, 0.08822 - (0.2 + 0.01));
}

#[test]
fn a15_a_probe_that_was_cut_short_proves_nothing() {
    let a = a14().with("nearest_probe_coverage.truncated", json!(true)).documented();
    assert_eq!((a.verdict, a.reason_ids()), (Unadjudicated, vec!["R3"]));
    assert!(a.reason_text.contains("call budget"));
}

#[test]
fn a16_a17_a18_without_a_budget_the_monitor_says_why() {
    let reason = |records| {
        let a = a14().without("adjudication_budget").grid(None).records(records).both();
        assert_eq!((a.verdict, a.budget.admissible_gap_m), (Unadjudicated, None));
        (a.reason_ids().join("+"), a.reason_text)
    };
    let (id, text) = reason(Some(0));
    assert_eq!(id, "R6a");
    assert!(text.contains("harness reason"));
    let (id, text) = reason(Some(412));
    assert_eq!(id, "R6c");
    assert!(text.contains("stopped before the monitor saw a voxel grid") && !text.contains("harness reason"));
    let (id, text) = reason(None);
    assert_eq!(id, "R6b");
    assert!(text.contains("no monitor JSONL"));
}

#[test]
fn a19_no_pair_and_no_bound() {
    let a = arm("link5", -0.01, json!([pair("robot0_link1", "wall", 0.05)]))
        .with("nearest_probe_coverage.probed_pairs", json!(0))
        .with("adjudication_budget.admissible_gap_m", json!(0.08822))
        .documented();
    assert_eq!((a.verdict, a.reason_ids()), (Unadjudicated, vec!["R7"]));
    assert!(a.reason_text.contains("'panda_link5'"));
}

#[test]
fn a20_a21_an_empty_probe_bounds_from_below() {
    let by = |gap_m: f64| {
        arm("link5", -0.020_917_8, json!([]))
            .with("nearest_probe_coverage.probed_pairs", json!(431))
            .with("adjudication_budget.admissible_gap_m", json!(gap_m))
            .documented()
    };
    assert_eq!((by(0.08822).verdict, by(0.08822).discrepancy_m), (FalsePositive, Some(0.1 + 0.020_917_8)));
    assert_eq!(by(0.13).verdict, WithinQuantization);
}

fn a22(half_m: f64, gap_m: f64) -> Case {
    arm("link4", -0.01, json!([pair("robot0_link4", "wall", 0.05)])).with(
        "adjudication_budget",
        json!({"max_corner_slop_m": 0.08822, "voxel_half_diagonal_m": half_m, "admissible_gap_m": gap_m}),
    )
}

#[test]
fn a22_a23_a_zero_voxel_term_is_rederived_only_by_the_extended_rules() {
    let case = a22(0.0, 0.08822);
    assert_eq!(case.extended().budget.admissible_gap_m, Some(0.109_870_635_094_610_98));
    assert_eq!(case.extended().budget.admissible_gap_m, Some(0.08822 + voxel_term_m(0.025)));
    assert_eq!(case.documented().budget.admissible_gap_m, Some(0.08822));
}

#[test]
fn a24_a25_a_published_voxel_term_stands_and_so_does_an_unknown_grid() {
    assert_eq!(a22(0.021_651, 0.109_871).extended().budget.admissible_gap_m, Some(0.109_871));
    assert_eq!(a22(0.0, 0.08822).grid(None).both().budget.admissible_gap_m, Some(0.08822));
    let alone = arm("link4", -0.01, json!([])).with("adjudication_budget.admissible_gap_m", json!(0.08822));
    assert_eq!(alone.both().budget.admissible_gap_m, Some(0.08822));
}
