//! The entries of the readers of recorded rounds, and of what is decided from what they read.

use rollcheck_engine::store::yaml;
use rollcheck_eval::adjudication::gap_choice::BudgetSource;
use rollcheck_eval::adjudication::outcome::GroundTruthVerdict;
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::adjudication::{Adjudication, Question, adjudicate};
use rollcheck_eval::round_ops::{argv, diff, diff_text, stamp};
use rollcheck_eval::rounds::deploy_log::{self, DeployLog, LogScanner, StopLine};
use rollcheck_eval::rounds::error::RoundError;
use rollcheck_eval::rounds::evidence::SceneEvidence;
use rollcheck_eval::rounds::goal::{self, GoalLog};
use rollcheck_eval::rounds::json as recorded;
use rollcheck_eval::rounds::layout::MATRIX;
use rollcheck_eval::rounds::lines::{self, Block, Skipped};
use rollcheck_eval::rounds::monitor::{self, Monitor, MonitorScanner};
use rollcheck_eval::rounds::scene::SceneConfig;
use rollcheck_eval::verdict::derive::{self, SceneContext};
use rollcheck_eval::verdict::explain::Explanation;
use rollcheck_eval::verdict::schema::{RoundMetadata, RoundVerdicts};
use rollcheck_eval::verdict::{json, notes};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Stands inside for numbers that JSON does not have; what is written must not show it.
const INNER_MARK: char = '\u{f8ff}';

/// A log in blocks says what it says as a whole; so do its errors. What is counted is in the log.
pub fn deploy_log(bytes: &[u8]) {
    let whole = deploy_log::parse(bytes, "log");
    assert_same(&whole, &log_in_blocks(bytes), "the log");
    let Ok(log) = whole else { return };
    let last = bytes.split(|&b| b == b'\n').count() as u64;
    if let Some(stop) = &log.stop {
        assert!(stop.min_distance_m.is_finite() && stop.sweep_min_distance_m.is_none_or(f64::is_finite));
        assert!((1..=last).contains(&stop.line) && !stop.party_a.contains(char::is_whitespace));
    }
    assert!(log.snapshot_line <= last && (log.snapshot_line > 0) == log.snapshot.is_some());
    assert!(log.kernel.witness_live_at_stop.is_none() || log.stop.is_some());
    assert!(log.has_lines != bytes.is_empty());
    let lines = lines::python_lines(bytes).count() as i64;
    for count in [log.kernel.witness_armed, log.kernel.witness_separated, log.kernel.place_allowance_active] {
        assert!((0..=lines).contains(&count), "{count} lines counted of {lines}");
    }
}

fn log_in_blocks(bytes: &[u8]) -> Result<DeployLog, RoundError> {
    let mut scanner = LogScanner::new("log");
    for block in blocks(bytes) {
        scanner.feed(block)?;
    }
    Ok(scanner.finish(Skipped::default()))
}

/// As [`deploy_log`], for the monitor stream.
pub fn monitor(bytes: &[u8]) {
    let whole = monitor::parse(bytes, "monitor");
    assert_same(&whole, &monitor_in_blocks(bytes), "the stream");
    let Ok(monitor) = whole else { return };
    let lines = bytes.split(|&b| b == b'\n' || b == b'\r').count() as u64;
    assert!(monitor.records as u64 + monitor.skipped.lines <= lines);
    assert!((monitor.skipped.first > 0) == (monitor.skipped.lines > 0));
    assert_no_mark(monitor.support_id.as_deref().unwrap_or_default(), bytes);
}

fn monitor_in_blocks(bytes: &[u8]) -> Result<Monitor, RoundError> {
    let mut scanner = MonitorScanner::new("monitor");
    for block in blocks(bytes) {
        scanner.feed(block)?;
    }
    Ok(scanner.finish())
}

/// As [`deploy_log`], for the goal log; a log that says anything has a reason or a status.
pub fn goal(bytes: &[u8]) {
    let whole = goal::parse(bytes);
    let mut in_blocks = GoalLog::default();
    for block in blocks(bytes) {
        in_blocks.feed(block.bytes);
    }
    assert_eq!(whole, in_blocks, "the log says something else in blocks");
    let reason = whole.failure_reason();
    assert_no_mark(&reason, bytes);
    if whole.status.is_none() {
        assert_eq!(reason.is_empty(), whole.last_line.is_none());
        assert!(!whole.traceback || reason.starts_with("the dispatcher raised: "));
    }
}

/// Cuts behind newlines, at places that the bytes themselves choose.
fn blocks(bytes: &[u8]) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let (mut start, mut line, mut first_line, mut chance) = (0, 1, 1, bytes.len() as u32);
    for (at, &byte) in bytes.iter().enumerate() {
        chance = chance.wrapping_mul(31).wrapping_add(u32::from(byte));
        if byte == b'\n' {
            line += 1;
            if chance & 0x300 != 0 {
                blocks.push(Block { bytes: &bytes[start..=at], first_line });
                (start, first_line) = (at + 1, line);
            }
        }
    }
    if start < bytes.len() {
        blocks.push(Block { bytes: &bytes[start..], first_line });
    }
    blocks
}

fn assert_same<T: PartialEq + std::fmt::Debug>(
    whole: &Result<T, RoundError>,
    in_blocks: &Result<T, RoundError>,
    what: &str,
) {
    match (whole, in_blocks) {
        (Ok(whole), Ok(in_blocks)) => assert_eq!(whole, in_blocks, "{what} says something else in blocks"),
        (Err(whole), Err(in_blocks)) => assert_eq!(whole.to_string(), in_blocks.to_string()),
        (whole, in_blocks) => panic!("{what} as a whole: {whole:?}; in blocks: {in_blocks:?}"),
    }
}

fn assert_no_mark(text: &str, bytes: &[u8]) {
    let own = String::from_utf8_lossy(bytes).contains(INNER_MARK)
        || bytes.windows(5).any(|w| w.eq_ignore_ascii_case(b"\\uf8f"));
    assert!(own || !text.contains(INNER_MARK), "an inner mark is shown: {text:?}");
}

/// A stop line, a newline and a snapshot: whatever they say, the ladder is climbed as it stands on the page, both
/// rule sets agree on everything but the budget, and the verdict can be written, read, told and explained.
pub fn snapshot_adjudicate(bytes: &[u8]) {
    let end = bytes.iter().position(|&b| b == b'\n').unwrap_or(bytes.len());
    let Ok(log) = deploy_log::parse(&bytes[..end], "log") else { return };
    let Some(stop) = &log.stop else { return };
    let text = String::from_utf8_lossy(&bytes[bytes.len().min(end + 1)..]);
    let snapshot = recorded::decode_object(&text);
    for grid_resolution_m in [None, Some(0.025)] {
        for monitor_records in [None, Some(0), Some(412)] {
            let by = |rules| {
                adjudicate(&Question {
                    stop,
                    snapshot: snapshot.as_ref(),
                    snapshot_lost: false,
                    grid_resolution_m,
                    monitor_records,
                    rules,
                })
            };
            match (by(RuleSet::Documented), by(RuleSet::Extended)) {
                (Ok(documented), Ok(extended)) => {
                    assert_ladder(&documented, stop);
                    assert_ladder(&extended, stop);
                    assert_agreement(&documented, &extended);
                }
                (Err(documented), Err(extended)) => assert_eq!(documented, extended),
                _ => panic!("one rule set reads what the other cannot"),
            }
        }
    }
    let evidence = SceneEvidence {
        log: DeployLog { snapshot, snapshot_line: 2, ..log.clone() },
        monitor: Some(Monitor { grid_resolution_m: Some(0.025), ..Monitor::default() }),
        ..SceneEvidence::default()
    };
    for rules in RuleSet::ALL {
        assert_writable(&evidence, rules, bytes);
    }
}

fn assert_ladder(a: &Adjudication, stop: &StopLine) {
    use GroundTruthVerdict::{FalsePositive, RealContact, Unadjudicated, WithinQuantization};
    let contact = a.nearest_any_m.is_some_and(|m| m <= 0.0);
    if contact && a.attestation.collidability_filtered {
        assert_eq!(a.ladder_verdict, RealContact, "solid geometry in contact");
    } else {
        assert_ne!(a.ladder_verdict, RealContact, "no solid geometry in contact");
    }
    assert_eq!(a.verdict == Unadjudicated, !a.reason_text.is_empty());
    assert_eq!(a.verdict == Unadjudicated, !a.reason_ids().is_empty());
    assert!(a.verdict == a.ladder_verdict || (a.not_certified && a.verdict == Unadjudicated));
    assert!(!a.not_certified || a.verdict == Unadjudicated);
    if let (Some(discrepancy_m), Some(bound_m)) = (a.discrepancy_m, a.bound.value_m()) {
        assert_eq!(discrepancy_m, bound_m - stop.min_distance_m);
    }
    let numbers = a.discrepancy_m.zip(a.budget.admissible_gap_m);
    match a.ladder_verdict {
        FalsePositive => {
            assert!(numbers.is_some_and(|(discrepancy_m, gap_m)| discrepancy_m > gap_m));
            assert_eq!(
                a.budget.source,
                BudgetSource::Published,
                "the voxel term proves nothing beyond itself"
            );
            assert_eq!(a.truncated, Some(false));
        }
        WithinQuantization => {
            assert!(numbers.is_some_and(|(discrepancy_m, gap_m)| discrepancy_m <= gap_m));
            assert_eq!(a.truncated, Some(false));
        }
        RealContact | Unadjudicated => {}
    }
    assert_eq!(a.budget.admissible_gap_m.is_none(), a.budget.source == BudgetSource::Unknown);
    assert!(a.nearest_tripping_party_m.is_none() || a.party_pairs > 0);
}

/// All but the budget and what follows from it.
fn assert_agreement(documented: &Adjudication, extended: &Adjudication) {
    let measured = |a: &Adjudication| {
        (
            (a.ladder_verdict == GroundTruthVerdict::RealContact, a.not_certified, a.attestation),
            (a.nearest_any_m, a.nearest_tripping_party_m, a.bound, a.discrepancy_m),
            (a.comparison, a.pair_set, a.party_pairs, a.truncated, a.distmax_m, a.probed_pairs),
            (a.nearest_pair.clone(), a.contact_has_tripping_party, a.uncounted_overlaps.clone()),
        )
    };
    assert_eq!(measured(documented), measured(extended));
    if documented.budget == extended.budget {
        assert_eq!(Adjudication { rules: RuleSet::Documented, ..extended.clone() }, *documented);
    }
}

fn assert_writable(evidence: &SceneEvidence, rules: RuleSet, bytes: &[u8]) {
    let metadata = least_metadata();
    let context = SceneContext {
        scene: &MATRIX[0],
        folder: "baguette",
        stem: "run",
        config_path: MATRIX[0].config,
        config_sha256: None,
        metadata: &metadata,
    };
    let Ok(judgement) = derive::scene(&context, evidence, rules) else { return };
    let scenes = [judgement];
    let verdicts = derive::round(&metadata, &scenes, rules);
    let written = json::write_verdicts(&verdicts);
    let read = json::verdicts_from_slice(&written, "verdicts.json").expect("own output is read");
    assert_eq!(json::write_verdicts(&read), written, "verdicts changed on their way");
    let explanation = Explanation {
        round_id: "r",
        rules,
        judgement: &scenes[0],
        log_file: None,
        config: None,
        recorded: read.scenes.first(),
        from_recorded: false,
    };
    let told = [
        String::from_utf8(written).expect("JSON is UTF-8"),
        notes::notes(&metadata, &scenes, rules),
        explanation.text(),
        explanation.json().to_string(),
    ];
    for text in &told {
        assert_no_mark(text, bytes);
    }
}

fn least_metadata() -> RoundMetadata {
    let text = br#"{"round_id": "r", "started_at": "t", "executed_sha": "s", "worktree_clean": null}"#;
    json::metadata_from_slice(text, "metadata.json").expect("the required keys are there")
}

/// Metadata that are accepted are written and read again as the same, to the same bytes, in ASCII.
pub fn metadata(bytes: &[u8]) {
    if let Ok(map) = json::object_from_slice(bytes, "metadata.json") {
        let written = json::write_sorted(&map);
        let again: Map<String, Value> =
            json::object_from_slice(&written, "metadata.json").expect("own output is read");
        assert!(written.is_ascii() && again == map);
    }
    let Ok(metadata) = json::metadata_from_slice(bytes, "metadata.json") else { return };
    let written = json::write_metadata(&metadata);
    let again = json::metadata_from_slice(&written, "metadata.json").expect("own output is read");
    assert_eq!(metadata, again, "metadata changed on their way");
    assert_eq!(written, json::write_metadata(&again));
    let _ = (metadata.scene_configs(), metadata.rskill_id(), metadata.generated());
}

/// As [`metadata`], for a round's verdicts.
pub fn verdicts(bytes: &[u8]) {
    let Ok(verdicts) = json::verdicts_from_slice(bytes, "verdicts.json") else { return };
    let written = json::write_verdicts(&verdicts);
    let again = json::verdicts_from_slice(&written, "verdicts.json").expect("own output is read");
    assert_eq!(verdicts, again, "verdicts changed on their way");
    assert_eq!(written, json::write_verdicts(&again));
}

/// Two rounds' verdicts, one after the other: their difference is told and written, a round does not differ from
/// itself, and the other way round the same scenes change.
pub fn diff(bytes: &[u8]) {
    // The first closing brace at the beginning of a line ends the first document.
    let end = bytes.windows(2).position(|w| w == b"\n}").map_or(bytes.len(), |at| at + 2);
    let (new, baseline) = bytes.split_at(end);
    let Ok(new) = json::verdicts_from_slice(new, "new") else { return };
    assert_told(&new, &new);
    if has_each_scene_once(&new) {
        let same = diff::diff(&new, &new);
        assert!(same.is_reproducibility() && same.changed_scenes().next().is_none());
        assert!(same.scenes.iter().all(|scene| scene.changed_fields.is_empty()));
    }
    let Ok(baseline) = json::verdicts_from_slice(baseline, "baseline") else { return };
    assert_told(&new, &baseline);
    if has_each_scene_once(&new) && has_each_scene_once(&baseline) {
        let changed = |new, baseline| {
            let diff = diff::diff(new, baseline);
            diff.changed_scenes().map(str::to_owned).collect::<HashSet<_>>()
        };
        assert_eq!(changed(&new, &baseline), changed(&baseline, &new));
    }
}

fn has_each_scene_once(round: &RoundVerdicts) -> bool {
    let mut seen = HashSet::new();
    round.scenes.iter().all(|scene| seen.insert(scene.scene.as_str()))
}

fn assert_told(new: &RoundVerdicts, baseline: &RoundVerdicts) {
    let diff = diff::diff(new, baseline);
    let written = json::write_diff(&diff);
    let again = json::diff_from_slice(&written, "difference").expect("own output is read");
    assert_eq!(diff, again, "a difference changed on its way");
    assert!(diff_text::text(&diff).ends_with('\n'));
}

/// A scene file is read the same way twice, shown, or refused with a place that is in it.
pub fn scene_yaml(bytes: &[u8]) {
    let read = SceneConfig::from_yaml(bytes, "scene.yaml");
    assert_eq!(read, SceneConfig::from_yaml(bytes, "scene.yaml"));
    match read {
        Ok(scene) => {
            let shown = format!("{} {} {} {}", scene.id, scene.seed, scene.layout_ids, scene.place_target);
            assert!(!shown.trim().is_empty());
        }
        Err(yaml::YamlError::At { line, column, .. }) => {
            let lines = 2 + bytes.iter().filter(|&&b| matches!(b, b'\n' | b'\r')).count();
            assert!((1..=lines).contains(&line) && column >= 1, "line {line} of {lines}, column {column}");
        }
        Err(_) => {}
    }
}

/// Lines of a deploy log: a launch command is one, its stack is sorted and part of it, its robot's path is put
/// together again from its parts, and a stamp is a date.
pub fn import_argv(bytes: &[u8]) {
    for line in lines::python_lines(bytes).map(lines::text) {
        let Some(tokens) = argv::argv_tokens(&line) else { continue };
        assert!(tokens.iter().any(|token| token == "launch"));
        let stack = argv::stack_tokens(&tokens);
        assert!(stack.is_sorted());
        assert!(stack.iter().all(|token| token.contains(":=") && tokens.contains(token)));
        if let Some(robot) = argv::robot_facts(&tokens) {
            let path = format!("robot_yaml:={}/{}", robot.repo_root, robot.robot_manifest_path);
            assert!(tokens.contains(&path), "{path}");
            assert!(!robot.robot_id.contains('/'));
        }
    }
    if let Some(stamp) = stamp::first_stamp(bytes) {
        let date = stamp::started_at(stamp).expect("ten digits that start with 1 are a date");
        assert!(date.is_ascii() && date.ends_with("+00:00") && matches!(date.len(), 25 | 32), "{date}");
    }
}
