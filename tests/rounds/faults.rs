//! Faults that were found once, by what went wrong.

use crate::support::{Case, metadata, pair, scene_of};
use rollcheck_eval::adjudication::outcome::GroundTruthVerdict::Unadjudicated;
use rollcheck_eval::adjudication::outcome::Outcome;
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::rounds::layout::{self, Artifact};
use rollcheck_eval::rounds::read::{self, Digests, hex};
use rollcheck_eval::verdict::derive::{self, SceneContext};
use rollcheck_eval::verdict::{json, notes};
use serde_json::json;
use sha2::{Digest, Sha256};

const STOP: &str = "safety.collision kind=world a=panda_link5 b=voxel_1 step=0 min_distance_m=-0.01\n";

#[cfg(unix)]
#[test]
fn a_device_in_place_of_a_log_is_refused_and_not_read_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("baguette")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("baguette/run_deploy.log")).unwrap();
    let error = read::scene(folder.path(), "baguette", "run", Digests::Skip).unwrap_err();
    assert!(error.to_string().ends_with("run_deploy.log: not a regular file"), "{error}");
}

#[test]
fn half_a_surrogate_pair_or_a_number_beyond_a_double_does_not_lose_its_line() {
    let success = "[n] sim.task_success_final {\"ever_succeeded\": true, \"task_id\": \"x\\udcff\"}\n";
    assert_eq!(scene_of(&[("deploy.log", success)]).verdict.outcome, Outcome::Completed);
    let goal = r#"{"failure_reason": "bad path \udcff", "latest_chunk": 3, "status": 6}"#;
    let judged = scene_of(&[("deploy.log", "up\n"), ("goal.log", goal)]);
    assert_eq!((judged.verdict.outcome, judged.delivered_chunks), (Outcome::DeadlineNoGrasp, Some(3)));
    assert_eq!(judged.verdict.dispatch_failure_reason, "bad path \u{fffd}");
    let snapshot = json!({"nearest_robot_world_pairs": [pair("robot0_link5", "wall", 0.2)],
        "nearest_probe_coverage": crate::support::clean(), "adjudication_budget": {"admissible_gap_m": 0.08822}});
    let text = snapshot.to_string().replacen('{', "{\"stamp\": 1e400, \"sim_time_s\": NaN, ", 1);
    let judged = scene_of(&[("deploy.log", &format!("{STOP}sim.estop_ground_truth_snapshot {text}\n"))]);
    assert_eq!(judged.verdict.outcome, Outcome::EstopCollisionFalsePositive);
    assert_eq!(judged.verdict.ground_truth.unwrap().sim_time_s, None);
}

#[test]
fn a_snapshot_that_does_not_decode_was_recorded_all_the_same() {
    let judged = scene_of(&[("deploy.log", &format!("{STOP}sim.estop_ground_truth_snapshot {{\"a\": \n"))]);
    let a = judged.adjudication.unwrap();
    assert_eq!((a.verdict, a.reason_ids()), (Unadjudicated, vec!["R1"]));
    assert!(
        a.reason_text
            .contains("sim.estop_ground_truth_snapshot was recorded for this stop, but it does not decode")
    );
}

#[test]
fn what_is_no_clear_answer_about_a_cut_is_none_and_leaves_no_margin() {
    let case = |truncated: serde_json::Value| {
        let pairs = json!({"nearest_robot_world_pairs": [pair("robot0_link5", "wall", 0.02)]});
        Case::new("kind=world a=panda_link5 b=voxel_1 min_distance_m=-0.01", pairs)
            .with("adjudication_budget.admissible_gap_m", json!(0.08822))
            .with("nearest_probe_coverage.truncated", truncated)
            .documented()
    };
    assert!(case(json!(false)).margin.is_some());
    for unclear in [json!(true), json!(null), json!("false"), json!(0)] {
        let a = case(unclear);
        assert_eq!((a.reason_ids(), a.margin), (vec!["R3"], None));
    }
}

#[test]
fn a_marker_is_identified_whole_although_its_text_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("baguette")).unwrap();
    let bytes = vec![b'x'; 2 << 20];
    std::fs::write(folder.path().join("baguette/run_launch_failed.txt"), &bytes).unwrap();
    let evidence = read::scene(folder.path(), "baguette", "run", Digests::Sha256).unwrap().unwrap();
    let input = evidence.input(Artifact::LaunchFailed).unwrap();
    assert_eq!((input.bytes, input.sha256.clone()), (2 << 20, Some(hex(&Sha256::digest(&bytes)))));
    assert_eq!(evidence.launch_failed.unwrap().len(), 1 << 20);
}

#[test]
fn a_grid_that_was_seen_is_not_an_early_stop_for_want_of_a_snapshot() {
    let monitor = "{\"event\": \"world_voxels\", \"resolution\": 0.025, \"t\": 1.0}\n";
    let judged = scene_of(&[("deploy.log", STOP), ("monitor.jsonl", monitor)]);
    let text = notes::notes(&metadata(), &[judged], RuleSet::Documented);
    assert!(text.contains("before the monitor saw a voxel grid: none."), "{text}");
}

#[test]
fn what_a_recorded_verdict_knows_of_a_void_run_or_an_early_stop_is_taken_over_too() {
    let complete = |outcome: &str, reason: &str, log: &str| {
        let text = json!({"metadata": {"round_id": "r", "started_at": "s", "executed_sha": "0", "worktree_clean": null},
            "scenes": [{"scene": "baguette", "config_path": "", "seed": 1, "outcome": outcome,
                        "harness_error_reason": reason}]});
        let recorded = json::verdicts_from_slice(text.to_string().as_bytes(), "verdicts.json").unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("baguette")).unwrap();
        std::fs::write(folder.path().join("baguette/run_deploy_excerpt.log"), log).unwrap();
        let mut evidence = read::scene(folder.path(), "baguette", "run", Digests::Skip).unwrap().unwrap();
        derive::complete_from_recorded(&mut evidence, &recorded.scenes[0]);
        let context = SceneContext {
            scene: &layout::MATRIX[0],
            folder: "baguette",
            stem: "run",
            config_path: "",
            config_sha256: None,
            metadata: &recorded.metadata,
        };
        derive::scene(&context, &evidence, RuleSet::Documented).unwrap().verdict
    };
    let void = complete("harness-error", "Nav2 tore down its stack 30.0 s in", "up\n");
    assert_eq!(void.outcome, Outcome::HarnessError);
    assert_eq!(void.harness_error_reason, "Nav2 tore down its stack 30.0 s in");
    let early = complete("estop-initial-configuration", "", STOP);
    assert_eq!(early.outcome, Outcome::EstopInitialConfiguration);
}
