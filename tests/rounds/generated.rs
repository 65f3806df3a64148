//! Every scene of the generated rounds, as it lies in `fixtures/rounds`, gives what its spec says must come out.
//!
//! The specs never see the rules and the rules never see the specs, so an error in either shows here. This runs without
//! any recorded data.

use crate::support::copy_of;
use rollcheck_eval::adjudication::adjudicate::Adjudication;
use rollcheck_eval::adjudication::outcome::Outcome;
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::round_ops::import;
use rollcheck_eval::round_ops::import_rules::{ImportArgs, LEGACY_STEM};
use rollcheck_eval::rounds::layout::DEFAULT_RSKILL_ID;
use rollcheck_eval::verdict::derive::{self, Finding, SceneJudgement};
use rollcheck_eval::verdict::round::{self, MetadataSource, Options, RecordedRound};
use rollcheck_eval::verdict::{json, notes};
use rollcheck_fixtures::rounds::{Layout, RoundSpec, SceneSpec, all_outcomes};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn folder(spec: &RoundSpec) -> PathBuf {
    rollcheck_fixtures::path("rounds").join(&spec.id)
}

/// The round as read; one of the older layout is imported first, into memory.
fn read(spec: &RoundSpec) -> RecordedRound {
    let folder = folder(spec);
    if spec.layout == Layout::Harness {
        return round::read(&folder, &Options::default()).unwrap();
    }
    let imported = import::import(&folder, &import_args(spec)).unwrap();
    let metadata = json::metadata_from_slice(&imported.metadata, "metadata.json").unwrap();
    let options = Options { stem: Some(imported.stem), ..Options::default() };
    round::read_as(&folder, metadata, MetadataSource::Metadata, &options).unwrap()
}

fn import_args(spec: &RoundSpec) -> ImportArgs {
    ImportArgs {
        round_id: spec.id.clone(),
        executed_sha: spec.sha.clone(),
        stem: LEGACY_STEM.to_owned(),
        scene_aliases: Vec::new(),
        seed: 1,
        rskill_id: DEFAULT_RSKILL_ID.to_owned(),
        host: String::new(),
        gpu_name: None,
        sync_groups: Vec::new(),
        started_at: String::new(),
        imported_from: String::new(),
    }
}

fn judged(recorded: &RecordedRound, rules: RuleSet) -> Vec<SceneJudgement> {
    let judge =
        |scene| derive::scene(&recorded.context(scene), scene.evidence.as_ref().unwrap(), rules).unwrap();
    recorded.scenes.iter().map(judge).collect()
}

/// Calls `f` with every scene's spec, name, and judgement by both rule sets.
fn every(mut f: impl FnMut(&SceneSpec, &str, &SceneJudgement, &SceneJudgement)) {
    for round in all_outcomes() {
        let recorded = read(&round);
        let (documented, extended) =
            (judged(&recorded, RuleSet::Documented), judged(&recorded, RuleSet::Extended));
        let keys: Vec<&str> = recorded.scenes.iter().map(|scene| scene.scene.key).collect();
        assert_eq!(keys, round.scenes.iter().map(|s| s.scene.key()).collect::<Vec<_>>(), "{}", round.id);
        for ((spec, documented), extended) in round.scenes.iter().zip(&documented).zip(&extended) {
            f(spec, &format!("{}/{}", round.id, spec.scene.key()), documented, extended);
        }
    }
}

fn verdict(judgement: &SceneJudgement) -> &'static str {
    judgement.adjudication.as_ref().map_or("", |a| a.verdict.name())
}

fn withdrawn_from(a: &Adjudication) -> &'static str {
    if a.verdict == a.ladder_verdict { "" } else { a.ladder_verdict.name() }
}

/// What a spec calls a finding, of a judgement.
fn findings(judgement: &SceneJudgement) -> BTreeSet<&'static str> {
    let mut found: BTreeSet<&str> = judgement
        .findings
        .iter()
        .map(|finding| match finding {
            Finding::ContactElsewhere { .. } => "contact-of-others",
            Finding::UncountedOverlap { .. } => "adjacent-links-overlap",
            Finding::Exemption(_) => "exemption-disagrees",
            Finding::Unread(unread) => panic!("a generated file has lines that were not read: {unread}"),
        })
        .collect();
    if judgement.exemption_active == Some(true) {
        found.insert("exemption");
    }
    if judgement.verdict.witness.place_allowance_active_lines > 0 {
        found.insert("allowance");
    }
    found
}

#[test]
fn outcomes_and_verdicts_are_those_of_the_specs_by_both_rule_sets() {
    every(|spec, name, documented, extended| {
        let expected = &spec.expected;
        assert_eq!(documented.verdict.outcome.name(), expected.outcome, "{name}");
        assert_eq!(verdict(documented), expected.verdict, "{name}");
        let other =
            if expected.extended_verdict.is_empty() { expected.verdict } else { expected.extended_verdict };
        assert_eq!(verdict(extended), other, "{name}, extended");
        let recorded = documented.verdict.ground_truth.as_ref().map_or("", |truth| truth.verdict.name());
        assert_eq!(recorded, expected.verdict, "{name}: the document says what was found");
    });
}

#[test]
fn reasons_and_withdrawals_are_those_of_the_specs() {
    every(|spec, name, documented, _| {
        let (ids, withdrawn, text) = documented
            .adjudication
            .as_ref()
            .map_or((Vec::new(), "", ""), |a| (a.reason_ids(), withdrawn_from(a), a.reason_text.as_str()));
        // Of a verdict that stands nothing is said.
        let ids = if verdict(documented) == "unadjudicated" { ids } else { Vec::new() };
        assert_eq!(ids, spec.expected.reasons, "{name}");
        assert_eq!(withdrawn, spec.expected.withdrawn_from, "{name}");
        assert_eq!(text.is_empty(), ids.is_empty(), "{name}: {text}");
        let prefix = format!("withdrawn from '{withdrawn}': ");
        assert_eq!(text.starts_with(&prefix), !withdrawn.is_empty(), "{name}: {text}");
    });
}

#[test]
fn void_runs_are_those_of_the_specs() {
    every(|spec, name, documented, _| {
        let reason = documented.verdict.harness_error_reason.as_str();
        let cause = documented.harness_error.as_ref().map_or("", |error| error.cause.id());
        let expected = spec.expected.void_by;
        let first = match expected.first().copied().unwrap_or_default() {
            "G1" | "G2" => "goal",
            other => other,
        };
        assert_eq!(cause, first, "{name}: {reason}");
        assert_eq!(reason.is_empty(), first.is_empty(), "{name}");
        for (id, words) in [
            ("F2", "ros2 launch aborted: "),
            ("F3", "no deploy log"),
            ("F5", "Nav2 tore down its stack"),
            ("F6", "lifecycle transition '"),
            ("G1", "the dispatcher raised"),
            ("G2", "no status line"),
        ] {
            assert_eq!(reason.contains(words), expected.contains(&id), "{name}: {id} and {reason:?}");
        }
    });
}

#[test]
fn findings_are_those_of_the_specs_and_stand_in_the_notes() {
    every(|spec, name, documented, extended| {
        let expected: BTreeSet<&str> = spec.expected.findings.iter().copied().collect();
        assert_eq!(findings(documented), expected, "{name}");
        assert_eq!(findings(extended), expected, "{name}: no budget changes a finding");
    });
    for round in all_outcomes() {
        let recorded = read(&round);
        let scenes = judged(&recorded, RuleSet::Documented);
        let text = notes::notes(&recorded.metadata, &scenes, RuleSet::Documented);
        for finding in scenes.iter().flat_map(|scene| &scene.findings) {
            assert!(text.contains(&finding.text()), "{}: {}", round.id, finding.text());
        }
    }
}

/// A set that shows everything is only worth that while it does.
#[test]
fn every_outcome_reason_cause_and_rule_of_difference_occurs() {
    let (mut outcomes, mut reasons, mut causes) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut deciding, mut differing) = (BTreeSet::new(), BTreeSet::new());
    every(|_, _, documented, extended| {
        outcomes.insert(documented.verdict.outcome);
        causes.extend(documented.harness_error.as_ref().map(|error| error.cause.id()));
        if let (Some(by_document), Some(by_newest)) = (&documented.adjudication, &extended.adjudication) {
            reasons.extend(by_document.reason_ids());
            deciding.extend([by_document, by_newest].map(|a| format!("{:?}", a.budget.rule)));
            if by_document.verdict != by_newest.verdict {
                differing.insert(format!("{:?}", by_newest.budget.rule));
            }
        }
    });
    assert_eq!(outcomes, BTreeSet::from(Outcome::ALL));
    let all = ["R1", "R2", "R3", "R4", "R5", "R6a", "R6b", "R6c", "R7", "R8", "R9"];
    assert_eq!(reasons, BTreeSet::from(all));
    assert_eq!(causes, BTreeSet::from(["F1", "F2", "F3", "F4", "F5", "F6", "goal"]));
    let rules = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    // D-4, D-2, D-3 in this order.
    assert_eq!(differing, rules(&["BoxForHull", "PayloadOverhang", "Rederived"]));
    let single = ["SelfCollision", "Published", "BoxPair", "HullPair", "VoxelTerm", "None"];
    assert_eq!(deciding, &differing | &rules(&single));
}

/// Reading writes nothing, and what is derived twice is the same bytes.
#[test]
fn deriving_twice_gives_the_same_bytes_and_leaves_the_round_alone() {
    for round in all_outcomes().iter().filter(|round| round.layout == Layout::Harness) {
        let copy = copy_of(&folder(round));
        let documents = || {
            let recorded = round::read(copy.path(), &Options::default()).unwrap();
            let scenes = judged(&recorded, RuleSet::Extended);
            let verdicts = derive::round(&recorded.metadata, &scenes, RuleSet::Extended);
            let bytes = json::write_verdicts(&verdicts);
            assert_eq!(json::verdicts_from_slice(&bytes, "verdicts.json").unwrap(), verdicts);
            (bytes, notes::notes(&recorded.metadata, &scenes, RuleSet::Extended))
        };
        assert!(documents() == documents(), "{}", round.id);
        assert!(!copy.path().join("verdicts.json").exists());
    }
}
