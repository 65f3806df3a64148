//! 17.2: outcomes and launch failures.

use crate::support::{copy_of, judge, judge_all, recorded, scene_of};
use rollcheck_eval::adjudication::harness_error::Cause;
use rollcheck_eval::adjudication::outcome::{GroundTruthVerdict, Outcome};
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::verdict::derive::SceneJudgement;
use rollcheck_eval::verdict::notes;

const UP: &str = "[runtime_node-2] up\n";
const USAGE: &str = "Usage: openral deploy sim [OPTIONS]\nTry 'openral deploy sim --help' for help.\n\
    ╭─ Error ──────╮\n│ No such option: --no-enable-reasoner (Possible options: │\n\
    │ --no-enable-reward-monitor, --no-enable-scene-vlm, --no-enable-slam) │\n╰──────────────╯\n";
const LAUNCH: &str = "[ERROR] [launch]: Caught exception in launch (see debug for traceback): executable \
    'payload_footprint_node.py' not found on the libexec directory '/w/install/lib/openral_nav2_bringup'\n\
    [n] sim.task_success_final {\"ever_succeeded\": false}\n";
const TRACEBACK: &str = "Traceback (most recent call last):\n  File \"/w/dispatch.py\", line 114, in <module>\n\
    RuntimeError: /openral/execute_rskill unavailable\n";
const BANNER: &str = "deploy sim → robot=panda_mobile (manifest.name=panda_mobile)\n";

fn bond(banner: &str, first: &str, heartbeat: &str, server: &str) -> SceneJudgement {
    let log = format!(
        "{banner}[x-6] [INFO] [{first}] [x]: Spinning\n[lifecycle_manager-24] [INFO] [{heartbeat}] \
         [lifecycle_manager_navigation]: Have not received a heartbeat from {server}.\n"
    );
    scene_of(&[("deploy.log", &log)])
}

#[test]
fn o01_an_empty_folder_is_a_harness_error() {
    let v = scene_of(&[]).verdict;
    assert_eq!(v.outcome, Outcome::HarnessError);
    assert!(v.harness_error_reason.starts_with("no deploy log"));
}

#[test]
fn o02_a_quiet_log_is_a_deadline() {
    let v = scene_of(&[("deploy.log", UP)]).verdict;
    assert_eq!((v.outcome, v.harness_error_reason.as_str()), (Outcome::DeadlineNoGrasp, ""));
}

#[test]
fn o03_the_marker_voids_the_run() {
    let files =
        [("deploy.log", UP), ("launch_failed.txt", "/openral/execute_rskill never appeared within 600 s\n")];
    let v = scene_of(&files).verdict;
    assert_eq!(v.outcome, Outcome::HarnessError);
    assert_eq!(v.harness_error_reason, "/openral/execute_rskill never appeared within 600 s");
    assert_eq!(v.artifacts["launch_failed"], "baguette/run_launch_failed.txt");
    let empty = scene_of(&[("deploy.log", LAUNCH), ("launch_failed.txt", " \n")]).verdict;
    assert!(
        empty
            .harness_error_reason
            .starts_with("the rSkill action server never appeared (ros2 launch aborted: ")
    );
}

#[test]
fn o04_a_usage_error_is_no_deadline() {
    let v = scene_of(&[("deploy.log", USAGE)]).verdict;
    assert_eq!((v.outcome, v.stop), (Outcome::HarnessError, None));
    assert_eq!(
        v.harness_error_reason,
        "the deploy CLI rejected its own argv: No such option: --no-enable-reasoner (Possible options:"
    );
    let Some(folder) = recorded("2026-08-22-harness-1") else { return };
    let recorded = judge(&folder, "utensil", RuleSet::Documented).verdict;
    assert_eq!(recorded.harness_error_reason, v.harness_error_reason);
}

#[test]
fn o05_notes_list_harness_errors() {
    let scenes = [scene_of(&[("deploy.log", USAGE)])];
    let text = notes::notes(&crate::support::metadata(), &scenes, RuleSet::Documented);
    assert!(text.contains("Harness errors"));
    assert!(text.contains("- `baguette`: the deploy CLI rejected its own argv"));
}

#[test]
fn o06_o07_a_launch_that_threw_voids_the_run_whatever_the_dispatcher_says() {
    let judged = scene_of(&[("deploy_excerpt.log", LAUNCH), ("goal.log", TRACEBACK)]);
    let v = judged.verdict;
    assert_eq!(v.outcome, Outcome::HarnessError);
    assert_eq!(
        v.harness_error_reason,
        "ros2 launch aborted: executable 'payload_footprint_node.py' not found on the libexec directory \
         '/w/install/lib/openral_nav2_bringup'"
    );
    assert_eq!(
        v.dispatch_failure_reason,
        "the dispatcher raised: RuntimeError: /openral/execute_rskill unavailable"
    );
    assert_eq!(v.wall_s, None);
    let Some(folder) = recorded("2026-08-23-nav143-s1") else { return };
    for recorded in judge_all(&folder) {
        assert_eq!(recorded.verdict.outcome, Outcome::HarnessError);
        assert!(recorded.verdict.harness_error_reason.contains("payload_footprint_node.py"));
        assert_eq!(recorded.verdict.dispatch_failure_reason, v.dispatch_failure_reason);
    }
}

#[test]
fn o08_a_dispatcher_that_raised_voids_the_run() {
    let judged = scene_of(&[("deploy.log", UP), ("goal.log", TRACEBACK)]);
    assert_eq!(judged.verdict.outcome, Outcome::HarnessError);
    assert!(judged.verdict.harness_error_reason.contains("the dispatcher raised"));
    assert_eq!(judged.harness_error.unwrap().cause, Cause::Dispatcher);
    let blank = scene_of(&[("deploy.log", UP), ("goal.log", "\n\n")]).verdict;
    assert_eq!(blank.outcome, Outcome::DeadlineNoGrasp, "a blank goal log is no failure");
}

#[test]
fn o09_an_overrun_stays_a_deadline() {
    let goal = r#"{"latest_chunk": 7, "status": -1, "success": false}"#;
    let judged = scene_of(&[("deploy.log", UP), ("goal.log", goal)]);
    assert_eq!(judged.verdict.outcome, Outcome::DeadlineNoGrasp);
    assert_eq!((judged.verdict.harness_error_reason.as_str(), judged.delivered_chunks), ("", Some(7)));
}

#[test]
fn o10_a_bond_lost_early_voids_the_run() {
    let judged = bond(BANNER, "1788722735.736059938", "1788722791.091044863", "controller_server");
    let reason = judged.verdict.harness_error_reason;
    assert_eq!(reason, "Nav2 tore down its stack 55.4 s in: no heartbeat from controller_server");
}

#[test]
fn o11_o12_a_bond_lost_late_does_not() {
    for (first, heartbeat) in
        [("1788730745.557623891", "1788730945.114840635"), ("1788722816.824323974", "1788723222.705796928")]
    {
        let v = bond(BANNER, first, heartbeat, "smoother_server").verdict;
        assert_eq!((v.outcome, v.harness_error_reason.as_str()), (Outcome::DeadlineNoGrasp, ""));
    }
}

#[test]
fn o13_without_the_banner_the_bond_rule_declines() {
    let v = bond("  argv: ros2 launch x\n", "1788722735.5", "1788722736.5", "controller_server").verdict;
    assert_eq!(v.outcome, Outcome::DeadlineNoGrasp);
}

#[test]
fn o14_o15_a_quiet_banner_log_is_a_deadline_and_thirty_seconds_are_early() {
    assert_eq!(scene_of(&[("deploy.log", BANNER)]).verdict.outcome, Outcome::DeadlineNoGrasp);
    let reason =
        bond(BANNER, "1788722700.0", "1788722730.0", "controller_server").verdict.harness_error_reason;
    assert!(reason.contains("30.0") && reason.contains("controller_server"));
    let limit = bond(BANNER, "1788722700.0", "1788722820.0", "controller_server").verdict;
    assert_eq!(limit.outcome, Outcome::HarnessError, "120 s is still early");
}

#[test]
fn o10_to_o12_o16_the_recorded_ceiling_runs() {
    for (file, reason) in [
        (
            "utensil_off_r01_never_came_up.log",
            "lifecycle transition 'configure' on '/openral_hal_panda_mobile' never advanced (300.0s)",
        ),
        (
            "sink_cup_off_r07_torn_down.log",
            "Nav2 tore down its stack 55.4 s in: no heartbeat from controller_server",
        ),
        ("utensil_off_r07_completed_earliest_teardown.log", ""),
        ("fridge_off_r10_completed.log", ""),
    ] {
        let Some(folder) = recorded("ceiling-2026-09-06") else { return };
        let log = std::fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(scene_of(&[("deploy.log", &log)]).verdict.harness_error_reason, reason, "{file}");
    }
}

#[test]
fn o16_o17_a_transition_that_timed_out_voids_the_run() {
    let log = |node: &str| {
        let line = format!(
            "{BANNER}[python3-13] RuntimeError: transition 'configure' on '{node}' did not advance the FSM within \
             300.0s (post-call state='', response.success=None)\n"
        );
        scene_of(&[("deploy.log", &line)]).verdict
    };
    let v = log("/openral_hal_panda_mobile");
    assert_eq!(v.outcome, Outcome::HarnessError);
    assert_eq!(
        v.harness_error_reason,
        "lifecycle transition 'configure' on '/openral_hal_panda_mobile' never advanced (300.0s)"
    );
    assert!(log("").harness_error_reason.contains("'<unnamed>'"));
}

#[test]
fn o18_success_at_any_time_outranks_everything() {
    let log = format!("{LAUNCH}[n] x\n")
        .replace("\"ever_succeeded\": false", "\"ever_succeeded\": true, \"success\": false");
    let v = scene_of(&[("deploy.log", &log), ("goal.log", TRACEBACK)]).verdict;
    assert_eq!((v.outcome, v.task_success_final), (Outcome::Completed, Some(false)));
    assert!(!v.harness_error_reason.is_empty(), "the reason is kept beside it");
    let text = "[n] sim.task_success_final {\"ever_succeeded\": \"true\", \"steps\": 3.5}\n";
    let unclear = scene_of(&[("deploy.log", text)]).verdict;
    assert_eq!((unclear.outcome, unclear.task_success_ever), (Outcome::DeadlineNoGrasp, None));
    assert_eq!(unclear.task_success_steps, None);
}

#[test]
fn o19_no_scene_of_2026_08_22_is_void() {
    let Some(folder) = recorded("2026-08-22-master-1") else { return };
    let outcomes: Vec<Outcome> = judge_all(&folder).iter().map(|s| s.verdict.outcome).collect();
    assert_eq!(outcomes, [Outcome::EstopCollisionUnadjudicated; 4]);
}

#[test]
fn o20_a_grasp_without_a_stop_is_a_deadline_after_it() {
    let monitor = "{\"event\": \"attachment_state\", \"objects\": [{\"id\": \"sim:o\"}], \"t\": 9.25}\n";
    let v = scene_of(&[("deploy.log", UP), ("monitor.jsonl", monitor)]).verdict;
    assert_eq!((v.outcome, v.witness.attach_t_s), (Outcome::DeadlineAfterGrasp, Some(9.25)));
}

#[test]
fn o21_a_stop_before_any_action_is_the_scene_s() {
    let Some(folder) = recorded("2026-08-22-master-1") else { return };
    let copy = copy_of(&folder);
    let log = copy.path().join("fridge1/seed1_deploy_excerpt.log");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, format!("{text}[n] sim.estop_initial_configuration {{\"stop_seq\": 1}}\n")).unwrap();
    let outcomes: Vec<Outcome> = judge_all(copy.path()).iter().map(|s| s.verdict.outcome).collect();
    let unadjudicated = Outcome::EstopCollisionUnadjudicated;
    assert_eq!(outcomes, [unadjudicated, unadjudicated, Outcome::EstopInitialConfiguration, unadjudicated]);
}

#[test]
fn o22_the_initial_configuration_of_2026_08_23_keeps_its_adjudication() {
    let Some(folder) = recorded("2026-08-23-master-s1") else { return };
    let v = judge(&folder, "fridge", RuleSet::Documented).verdict;
    assert_eq!(v.outcome, Outcome::EstopInitialConfiguration);
    assert_eq!(v.ground_truth.unwrap().verdict, GroundTruthVerdict::Unadjudicated);
    let alone =
        scene_of(&[("deploy.log", "[n] sim.estop_initial_configuration {\"stop_seq\": 1}\n")]).verdict;
    assert_eq!(alone.outcome, Outcome::DeadlineNoGrasp, "without a stop it has no effect");
}
