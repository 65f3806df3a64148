//! The one verdict file that a harness recorded.

use crate::support::{judge, recorded};
use rollcheck_eval::adjudication::outcome::{GroundTruthVerdict, Outcome};
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::rounds::layout;
use rollcheck_eval::rounds::read::{self, Digests};
use rollcheck_eval::verdict::derive::{self, Finding, SceneContext};
use rollcheck_eval::verdict::round;

#[test]
fn the_ground_truth_of_2026_09_07_is_reproduced_but_for_the_pair_that_was_wrongly_counted() {
    let Some(folder) = recorded("2026-09-07-adr0101-live-1") else { return };
    let verdicts = round::recorded_verdicts(&folder).unwrap().unwrap();
    let theirs = &verdicts.scenes[0];
    let mut evidence = read::scene(&folder, "utensil", "run", Digests::Skip).unwrap().unwrap();
    derive::complete_from_recorded(&mut evidence, theirs);
    let context = SceneContext {
        scene: layout::scene("utensil").unwrap(),
        folder: "utensil",
        stem: "run",
        config_path: &theirs.config_path,
        config_sha256: theirs.config_sha256.as_deref(),
        metadata: &verdicts.metadata,
    };
    let judged = derive::scene(&context, &evidence, RuleSet::Documented).unwrap();
    let ours = judged.verdict;
    assert_eq!(ours.outcome, Outcome::EstopCollisionWithinQuantization);
    let (mine, recorded) = (ours.ground_truth.clone().unwrap(), theirs.ground_truth.clone().unwrap());
    assert_eq!(
        (mine.verdict, recorded.verdict),
        (GroundTruthVerdict::WithinQuantization, GroundTruthVerdict::RealContact)
    );
    let mut as_recorded = mine.clone();
    as_recorded.verdict = recorded.verdict;
    as_recorded.nearest_any_m = recorded.nearest_any_m;
    as_recorded.nearest_pair = recorded.nearest_pair.clone();
    assert_eq!(as_recorded, recorded, "every other field");
    assert_eq!(mine.nearest_any_m, Some(0.024_858_349));
    assert_eq!(ours.stop, theirs.stop);
    assert_eq!(ours.witness, theirs.witness);
    assert_eq!((ours.monitor_records, ours.wall_s), (theirs.monitor_records, theirs.wall_s));
    assert_eq!(ours.dispatch_failure_reason, theirs.dispatch_failure_reason);
    let overlap =
        judged.findings.iter().find(|f| matches!(f, Finding::UncountedOverlap { .. })).unwrap().text();
    assert!(
        overlap.contains("`robot0_link3`")
            && overlap.contains("`robot0_link4`")
            && overlap.contains("36.3 mm"),
        "{overlap}"
    );
}

#[test]
fn the_stop_of_2026_08_23_sink_cup_is_an_arm_s_although_its_class_says_payload() {
    let Some(folder) = recorded("2026-08-23-master-s1") else { return };
    let judged = judge(&folder, "sink_cup", RuleSet::Documented);
    let truth = judged.verdict.ground_truth.unwrap();
    assert_eq!(truth.stop_class.as_deref(), Some("attached_payload"));
    assert_eq!((truth.nearest_tripping_party_m, truth.nearest_any_m), (Some(0.091_427), Some(0.0)));
    assert!(
        truth.unadjudicated_reason.contains("visual mesh"),
        "a 0 m pair of the payload, not attested solid"
    );
}
