//! The recorded rounds, with the outcomes that are known of them.

use crate::support::{Cells, parquet_rows, plan, recorded, rows, run};
use rollcheck_eval::adjudication::rules::RuleSet;

fn outcomes(rows: &[Cells], round: &str) -> Vec<(String, String)> {
    let of = rows.iter().filter(|row| row["round_path"].ends_with(round));
    of.map(|row| (row["scene"].clone(), row["outcome"].clone())).collect()
}

fn one<'a>(rows: &'a [Cells], round: &str, scene: &str) -> &'a Cells {
    rows.iter().find(|row| row["round_path"].ends_with(round) && row["scene"] == scene).unwrap()
}

#[test]
fn recorded_rounds_come_to_their_known_outcomes() {
    let Some(rounds) = recorded("recorded_rounds_come_to_their_known_outcomes") else { return };
    let folder = tempfile::tempdir().unwrap();
    let report = run(&plan(&[rounds.join("20*")], folder.path(), &[RuleSet::Documented], false));
    let rows = rows(&report);
    let unadjudicated = "estop-collision-unadjudicated";
    let scenes = ["baguette", "sink_cup", "fridge", "utensil"];
    assert_eq!(
        outcomes(&rows, "2026-08-22-master-1"),
        scenes.map(|scene| (scene.to_owned(), unadjudicated.to_owned()))
    );
    let s1 = outcomes(&rows, "2026-08-23-master-s1");
    let initial = "estop-initial-configuration";
    let expected = [unadjudicated, unadjudicated, initial, initial];
    assert_eq!(s1.iter().map(|(_, outcome)| outcome.as_str()).collect::<Vec<_>>(), expected);
    assert!(outcomes(&rows, "2026-08-23-nav143-s1").iter().all(|(_, outcome)| outcome == "harness-error"));
    assert_eq!(outcomes(&rows, "2026-08-22-harness-1"), [("utensil".to_owned(), "harness-error".to_owned())]);
    for round in ["2026-09-04-post200-2", "2026-09-05-217-with204-1", "2026-09-07-adr0101-live-1"] {
        let damaged = one(&rows, round, "");
        assert_eq!(damaged["status"], "damaged");
        assert!(damaged["damage"].contains("no metadata.json"), "{}", damaged["damage"]);
    }
    let summary = &report.summary;
    assert_eq!((summary.rounds, summary.judged_scenes, summary.damaged.total), (8, 12, 3));
    assert_eq!(summary.generated, None);
    let part = &summary.recorded.as_ref().unwrap().by_rules[0];
    assert_eq!(part.outcomes_in_all[unadjudicated], 7);
    assert_eq!((part.outcomes_in_all[initial], part.outcomes_in_all["harness-error"]), (2, 3));
    assert_eq!(parquet_rows(&report), rows);
}

#[test]
fn rows_hold_the_numbers_of_the_logs() {
    let Some(rounds) = recorded("rows_hold_the_numbers_of_the_logs") else { return };
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(&[rounds.join("2026-08-22-master-1")], folder.path(), &[RuleSet::Documented], false);
    let rows = rows(&run(&plan));
    let baguette = one(&rows, "2026-08-22-master-1", "baguette");
    for (column, value) in [
        ("generated", "false"),
        ("worktree_clean", ""),
        ("ros_domain_id", ""),
        ("artifact_stem", "seed1"),
        ("scene_folder", "bag1"),
        ("party_a", "panda_link5"),
        ("party_b", "voxel_170781"),
        ("min_distance_m", "-0.0209178"),
        ("exemption_active", "false"),
        ("comparison", "arm-world"),
        ("gt_verdict", "unadjudicated"),
        ("certified", "false"),
        ("grid_resolution_m", "0.025"),
        ("quantization_budget_m", "0.021650635094610966"),
        ("probed_pairs", "431"),
        ("distmax_m", "0.1"),
        ("wall_s", "441.6"),
        ("deploy_log_file", "deploy_excerpt.log"),
        ("deploy_log_bytes", "7070"),
        ("changed", ""),
    ] {
        assert_eq!(baguette[column], value, "{column}");
    }
    assert!(baguette["reason_ids"].starts_with("R9"), "{}", baguette["reason_ids"]);
    assert_eq!(one(&rows, "2026-08-22-master-1", "utensil")["goal_sha256"], "");
}

#[test]
fn evidence_from_recorded_verdicts_is_taken_only_when_asked_for_and_marked() {
    let Some(rounds) = recorded("evidence_from_recorded_verdicts_is_taken_only_when_asked_for_and_marked")
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["2026-09-04-post200-2", "2026-09-05-217-with204-1", "2026-09-07-adr0101-live-1"];
    let arguments = arguments.map(|round| rounds.join(round));
    let report = run(&plan(&arguments, folder.path(), &[RuleSet::Documented], true));
    let rows = rows(&report);
    let live = one(&rows, "2026-09-07-adr0101-live-1", "utensil");
    for (column, value) in [
        ("metadata_source", "verdicts.json"),
        ("completed_from_recorded", "true"),
        ("outcome", "estop-collision-within-quantization"),
        ("discrepancy_m", "0.028904449"),
        ("admissible_gap_m", "0.109871"),
        ("recorded_gt_verdict", "real-contact"),
        ("changed", "true"),
    ] {
        assert_eq!(live[column], value, "{column}");
    }
    assert!(live["findings"].contains("overlap by 36.3 mm"), "{}", live["findings"]);
    let unprobed = one(&rows, "2026-09-04-post200-2", "sink_cup");
    assert_eq!(unprobed["outcome"], "estop-collision-unadjudicated");
    assert!(unprobed["reason_ids"].ends_with("R4"), "{}", unprobed["reason_ids"]);
    assert_eq!((unprobed["metadata_source"].as_str(), unprobed["seed"].as_str()), ("assumed", ""));
    let payload = one(&rows, "2026-09-05-217-with204-1", "baguette");
    assert_eq!(payload["discrepancy_m"], "0.067064905");
    assert_eq!(report.summary.damaged.total, 0);
    let agreement = &report.summary.recorded.unwrap().by_rules[0].agreement;
    assert_eq!((agreement.compared, agreement.changed.total), (1, 1));
}
