//! 17.5: link-link stops.

use crate::support::{Case, clean, judge, pair, recorded, stop};
use rollcheck_eval::adjudication::outcome::GroundTruthVerdict::{
    RealContact, Unadjudicated, WithinQuantization,
};
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::rounds::deploy_log;
use serde_json::{Value, json};

/// The base case: link5 and link7 at `d_m`, box budget 0.1724.
fn base(d_m: f64, min_m: f64, box_bound: bool) -> Case {
    let flag = u8::from(box_bound);
    Case::new(
        &format!(
            "kind=self a=panda_link5 b=panda_link7 step=0 min_distance_m={min_m} depth_is_box_bound={flag}"
        ),
        json!({"nearest_robot_world_pairs": [pair("robot0_link5", "wall", 0.212_256_613)],
               "nearest_link_link_pairs": [pair("robot0_link4", "robot0_link5", -0.02), pair("robot0_link7", "robot0_link5", d_m)],
               "nearest_link_link_coverage": clean(),
               "adjudication_budget": {"link_link": {"admissible_gap_box_m": 0.1724}}}),
    )
}

const MIN_M: f64 = -0.031_965_7;

fn hulls(case: Case, link5: Value, link7: Value) -> Case {
    case.with(
        "adjudication_budget.collision_model_slop.links",
        json!({"panda_link5": link5, "panda_link7": link7}),
    )
}

#[test]
fn l01_2026_09_04_sink_cup() {
    let Some(folder) = recorded("2026-09-04-post200-2") else { return };
    let a = judge(&folder, "sink_cup", RuleSet::Documented).adjudication.unwrap();
    assert_eq!((a.verdict, a.nearest_tripping_party_m, a.discrepancy_m), (Unadjudicated, None, None));
    assert!(
        a.reason_text.contains("self-pair")
            && a.reason_text.contains("never measures one robot link against another")
    );
    assert!(!a.reason_text.contains("0.212"), "the clearance to the world is not quoted");
}

#[test]
fn l02_links_in_contact() {
    let a = base(-0.0015, MIN_M, true).both();
    assert_eq!((a.verdict, a.nearest_tripping_party_m), (RealContact, Some(-0.0015)));
    assert_eq!(a.contact_has_tripping_party, Some(true));
    assert_eq!(a.uncounted_overlaps.len(), 1, "the named pair is counted, its neighbour is not");
}

#[test]
fn l03_l05_l12_a_missing_overhang_leaves_a_hull_pair_unadjudicated() {
    let known = json!({"hull_overhang_m": 0.000_13});
    for case in [
        base(0.004, MIN_M, false),
        hulls(base(0.0001, -0.00005, false), known.clone(), json!({})),
        hulls(base(0.0001, -0.00005, false), known, json!({"hull_overhang_m": null})),
    ] {
        let a = case.both();
        assert_eq!((a.verdict, a.budget.admissible_gap_m, a.reason_ids()), (Unadjudicated, None, vec!["R5"]));
        assert!(a.reason_text.contains("hull fidelity") && a.reason_text.contains("hull_overhang_m"));
        assert!(a.reason_text.contains("'panda_link5'") && a.reason_text.contains("'panda_link7'"));
    }
}

#[test]
fn l04_l13_a_hull_budget_is_the_sum_of_the_two_links() {
    let a = hulls(
        base(0.0001, -0.00005, false),
        json!({"hull_overhang_m": 0.000_13}),
        json!({"hull_overhang_m": 0.000_07}),
    )
    .both();
    assert_eq!((a.verdict, a.budget.admissible_gap_m), (WithinQuantization, Some(0.0002)));
    let a = hulls(
        base(0.02, MIN_M, false),
        json!({"hull_overhang_m": 0.000_259, "has_stage2_hull": true}),
        json!({"hull_overhang_m": 0.000_089, "has_stage2_hull": true}),
    )
    .both();
    assert_eq!(a.budget.admissible_gap_m, Some(0.000_348));
}

#[test]
fn l06_two_boxes_without_a_budget_are_not_charged_a_voxel() {
    let a = base(0.004, MIN_M, true).without("adjudication_budget").both();
    assert_eq!((a.verdict, a.budget.admissible_gap_m, a.budget.source.name()), (Unadjudicated, None, ""));
}

#[test]
fn l07_without_measured_links_there_is_no_pair() {
    let a = base(-0.0015, MIN_M, true)
        .without("nearest_link_link_pairs")
        .without("nearest_link_link_coverage")
        .both();
    assert_eq!((a.verdict, a.reason_ids(), a.nearest_tripping_party_m), (Unadjudicated, vec!["R4"], None));
}

#[test]
fn l08_the_named_pair_of_2026_09_07_is_seen() {
    let Some(folder) = recorded("2026-09-07-adr0101-live-1") else { return };
    let bytes = std::fs::read(folder.join("utensil/run_deploy.log")).unwrap();
    let snapshot = deploy_log::parse(&bytes, "log").unwrap().snapshot.unwrap();
    let case = Case {
        stop: stop("kind=self a=panda_link3 b=panda_link4 step=0 min_distance_m=-0.01"),
        snapshot: Value::Object(snapshot),
        grid_m: Some(0.025),
        monitor_records: Some(585),
    };
    let a = case.both();
    assert_eq!((a.verdict, a.nearest_any_m), (RealContact, Some(-0.036_335_58)));
}

#[test]
fn l09_l10_l11_no_hull_is_charged_as_boxes_only_by_the_extended_rules_and_only_when_stated() {
    let none = |has: Value| {
        hulls(
            base(0.004, MIN_M, false)
                .with("adjudication_budget.link_link.admissible_gap_box_m", json!(0.1764)),
            json!({"hull_overhang_m": null, "has_stage2_hull": has}),
            json!({"hull_overhang_m": 0.000_089, "has_stage2_hull": true}),
        )
    };
    let stated = none(json!(false));
    assert_eq!(stated.extended().budget.admissible_gap_m, Some(0.1764));
    assert_eq!(
        (stated.documented().budget.admissible_gap_m, stated.documented().verdict),
        (None, Unadjudicated)
    );
    assert_eq!(none(json!(true)).both().budget.admissible_gap_m, None);
}

#[test]
fn l14_two_boxes_within_their_slop() {
    let a = base(0.02, MIN_M, true).both();
    assert_eq!((a.verdict, a.discrepancy_m), (WithinQuantization, Some(0.02 + 0.031_965_7)));
}
