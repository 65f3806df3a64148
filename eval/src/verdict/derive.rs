//! From evidence to verdicts: the same evidence gives the same bytes.
//!
//! Reference page, sections 7 and 12. Nothing is read here. Where a finding does not change a verdict, it stands beside
//! it ([`Finding`]).

use super::schema::{
    GroundTruthAdjudication, RoundMetadata, RoundVerdicts, SCHEMA_VERSION, SceneVerdict, StopEvidence,
    WitnessTimeline,
};
use crate::adjudication::adjudicate::adjudicate_with;
use crate::adjudication::exemption::{self, Disagreement};
use crate::adjudication::harness_error::{self, HarnessError};
use crate::adjudication::outcome::{self, Causes, Outcome, OutcomeRule};
use crate::adjudication::rules::RuleSet;
use crate::adjudication::stand_in::{self, StandIn};
use crate::adjudication::{Adjudication, Question};
use crate::rounds::deploy_log::{SceneComposition, StopLine};
use crate::rounds::error::RoundError;
use crate::rounds::evidence::{SceneEvidence, Unread};
use crate::rounds::layout::{Artifact, DEFAULT_RSKILL_ID, MatrixScene};
use serde_json::{Map, Value};

/// Key in `verdicts.json` that names the rule set.
pub const RULE_SET_KEY: &str = "rule_set";
/// Key in `ground_truth` that is there when the pair in contact has no tripping party.
pub const CONTACT_ELSEWHERE_KEY: &str = "contact_involves_tripping_party";

/// What a scene is called and where it was configured.
#[derive(Clone, Copy, Debug)]
pub struct SceneContext<'a> {
    /// Which scene.
    pub scene: &'a MatrixScene,
    /// Its folder, relative to the round.
    pub folder: &'a str,
    /// Stem of its artifacts.
    pub stem: &'a str,
    /// Its configuration.
    pub config_path: &'a str,
    /// That file's SHA-256.
    pub config_sha256: Option<&'a str>,
    /// What ran.
    pub metadata: &'a RoundMetadata,
}

/// Something a reader should know that changes no verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The pair whose contact decided has neither tripping party.
    ContactElsewhere {
        /// First body.
        body_a: String,
        /// Second body.
        body_b: String,
        /// Distance, m.
        distance_m: f64,
    },
    /// Two links overlap that are not counted.
    UncountedOverlap {
        /// First link.
        body_a: String,
        /// Second link.
        body_b: String,
        /// Distance, m.
        distance_m: f64,
        /// Overlapping pairs in all.
        pairs: usize,
    },
    /// The two accounts of an exemption disagree.
    Exemption(Disagreement),
    /// Lines were not read.
    Unread(Unread),
}

impl Finding {
    /// In words.
    pub fn text(&self) -> String {
        let mm = |distance_m: f64| format!("{:.1} mm", -1000.0 * distance_m);
        match self {
            Self::ContactElsewhere { body_a, body_b, distance_m } => format!(
                "the pair in contact is `{body_a}` and `{body_b}` ({} deep): neither is a party of the stop",
                mm(*distance_m)
            ),
            Self::UncountedOverlap { body_a, body_b, distance_m, pairs } => format!(
                "links `{body_a}` and `{body_b}` overlap by {} ({pairs} overlapping link pair{} in all); permitted overlaps \
                 of links are not counted as contact, while the harness of 2026-09-05 to 2026-09-07 counted them and \
                 recorded such stops as real-contact",
                mm(*distance_m),
                if *pairs == 1 { "" } else { "s" }
            ),
            Self::Exemption(disagreement) => disagreement.text().to_owned(),
            Self::Unread(unread) => unread.to_string(),
        }
    }
}

/// A judged scene: the verdict, and everything it was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneJudgement {
    /// As written.
    pub verdict: SceneVerdict,
    /// Which condition decided the outcome.
    pub outcome_rule: OutcomeRule,
    /// What ground truth says; `None` without a stop.
    pub adjudication: Option<Adjudication>,
    /// The stop.
    pub stop: Option<StopLine>,
    /// A live exemption at the stop; `None` without a stop or a sweep.
    pub exemption_active: Option<bool>,
    /// Edge of a voxel that the monitor saw, m; `None` when it saw no grid.
    pub grid_resolution_m: Option<f64>,
    /// Why the run is void.
    pub harness_error: Option<HarnessError>,
    /// Action chunks that were delivered; `None` when the dispatcher did not say.
    pub delivered_chunks: Option<i64>,
    /// The kitchen that was composed, where the log says.
    pub composition: Option<SceneComposition>,
    /// What a reader should know.
    pub findings: Vec<Finding>,
}

/// Key in `ground_truth` that is there when a replayed distance stood in.
pub const SOURCE_KEY: &str = "source";

/// Judges a scene.
///
/// # Errors
/// [`RoundError::Field`]: a needed value of the snapshot is not what it must be.
pub fn scene(
    context: &SceneContext<'_>,
    evidence: &SceneEvidence,
    rules: RuleSet,
) -> Result<SceneJudgement, RoundError> {
    scene_with(context, evidence, rules, None)
}

/// Judges a scene, with a replayed distance where nothing else is known of two links.
///
/// # Errors
/// As [`scene`].
pub fn scene_with(
    context: &SceneContext<'_>,
    evidence: &SceneEvidence,
    rules: RuleSet,
    replay: Option<&StandIn>,
) -> Result<SceneJudgement, RoundError> {
    let log = &evidence.log;
    let adjudication = log
        .stop
        .as_ref()
        .map(|stop| {
            let question = Question {
                stop,
                snapshot: log.snapshot.as_ref(),
                snapshot_lost: log.snapshot_lost,
                grid_resolution_m: evidence.grid_resolution_m(),
                monitor_records: evidence.monitor_records(),
                rules,
            };
            adjudicate_with(&question, replay)
        })
        .transpose()
        .map_err(|fault| RoundError::Field {
            file: evidence.log_file.unwrap_or(Artifact::DeployLog).path(context.folder, context.stem),
            line: Some(log.snapshot_line).filter(|&line| line > 0),
            field: format!("sim.estop_ground_truth_snapshot {}", fault.field),
            expected: fault.expected,
            found: fault.found,
        })?;
    let void = harness_error::find(evidence);
    let boolean = |key: &str| log.task_success.as_ref()?.get(key)?.as_bool();
    let integer = |key: &str| log.task_success.as_ref()?.get(key)?.as_i64();
    let attach_t_s = evidence.monitor.as_ref().and_then(|monitor| monitor.attach_t_s);
    let (outcome, outcome_rule) = outcome::decide(&Causes {
        ever_succeeded: boolean("ever_succeeded"),
        void: void.is_some(),
        attached: attach_t_s.is_some(),
        initial_configuration: log.initial_configuration.is_some(),
        ground_truth: adjudication.as_ref().map(|a| a.verdict),
    });
    let metadata = context.metadata;
    let exemption_active =
        log.stop.as_ref().and_then(|s| exemption::active(s.min_distance_m, s.sweep_min_distance_m));
    let verdict = SceneVerdict {
        scene: context.scene.key.to_owned(),
        config_path: context.config_path.to_owned(),
        config_sha256: context.config_sha256.map(str::to_owned),
        seed: metadata.seed,
        prompt: context.scene.prompt.to_owned(),
        rskill_id: metadata.rskill_id().unwrap_or(DEFAULT_RSKILL_ID).to_owned(),
        outcome,
        task_success_final: boolean("success"),
        task_success_ever: boolean("ever_succeeded"),
        task_success_steps: integer("steps"),
        task_success_transitions: integer("transitions"),
        stop: log.stop.as_ref().map(stop_evidence),
        ground_truth: adjudication.as_ref().map(ground_truth),
        witness: witness(evidence),
        monitor_records: evidence.monitor_records(),
        dispatch_failure_reason: evidence.goal.failure_reason(),
        wall_s: evidence.goal.status.as_ref().and_then(|status| status.wall_s),
        artifacts: evidence.artifacts.clone(),
        harness_error_reason: void.as_ref().map(|v| v.reason.clone()).unwrap_or_default(),
        extra: Map::new(),
    };
    Ok(SceneJudgement {
        findings: findings(evidence, adjudication.as_ref()),
        verdict,
        outcome_rule,
        adjudication,
        stop: log.stop.clone(),
        exemption_active,
        grid_resolution_m: evidence.grid_resolution_m(),
        harness_error: void,
        delivered_chunks: evidence.goal.status.as_ref().and_then(|status| status.latest_chunk),
        composition: log.composition.clone(),
    })
}

/// The document of a round.
pub fn round(metadata: &RoundMetadata, scenes: &[SceneJudgement], rules: RuleSet) -> RoundVerdicts {
    RoundVerdicts {
        schema_version: SCHEMA_VERSION.to_owned(),
        metadata: metadata.clone(),
        scenes: scenes.iter().map(|scene| scene.verdict.clone()).collect(),
        extra: Map::from_iter([(RULE_SET_KEY.to_owned(), Value::from(rules.name()))]),
    }
}

fn stop_evidence(stop: &StopLine) -> StopEvidence {
    StopEvidence {
        kind: stop.kind.clone(),
        party_a: stop.party_a.clone(),
        party_b: stop.party_b.clone(),
        horizon_step: stop.horizon_step,
        min_distance_m: stop.min_distance_m,
        sweep_min_distance_m: stop.sweep_min_distance_m,
        place_allowance_active: stop.place_allowance_active,
        place_target: stop.place_target.clone(),
        depth_is_box_bound: stop.depth_is_box_bound,
        extra: Map::new(),
    }
}

/// The stop as a recorded verdict holds it, for a log that was not kept whole.
pub fn recorded_stop(stop: &StopEvidence) -> StopLine {
    StopLine {
        line: 0,
        kind: stop.kind.clone(),
        party_a: stop.party_a.clone(),
        party_b: stop.party_b.clone(),
        horizon_step: stop.horizon_step,
        min_distance_m: stop.min_distance_m,
        sweep_min_distance_m: stop.sweep_min_distance_m,
        place_allowance_active: stop.place_allowance_active,
        place_target: stop.place_target.clone(),
        depth_is_box_bound: stop.depth_is_box_bound,
    }
}

/// Takes from a recorded verdict what the round's own files no longer say: stop, grid, monitor count, witness, success
/// and goal. The snapshot stays that of the log.
pub fn complete_from_recorded(evidence: &mut SceneEvidence, recorded: &SceneVerdict) {
    let log = &mut evidence.log;
    if log.stop.is_none() {
        log.stop = recorded.stop.as_ref().map(recorded_stop);
        log.kernel.witness_armed = recorded.witness.kernel_witness_armed;
        log.kernel.witness_separated = recorded.witness.kernel_witness_separated;
        log.kernel.place_region_armed = recorded.witness.place_region_armed;
        log.kernel.place_allowance_active = recorded.witness.place_allowance_active_lines;
    }
    if log.task_success.is_none() {
        let mut map = Map::new();
        let success =
            [("ever_succeeded", recorded.task_success_ever), ("success", recorded.task_success_final)];
        map.extend(success.into_iter().filter_map(|(k, v)| Some((k.to_owned(), Value::from(v?)))));
        let counts =
            [("steps", recorded.task_success_steps), ("transitions", recorded.task_success_transitions)];
        map.extend(counts.into_iter().filter_map(|(k, v)| Some((k.to_owned(), Value::from(v?)))));
        log.task_success = Some(map).filter(|map| !map.is_empty());
    }
    if evidence.monitor.is_none()
        && let Some(records) = recorded.monitor_records
    {
        evidence.monitor = Some(crate::rounds::monitor::Monitor {
            records,
            grid_resolution_m: recorded.ground_truth.as_ref().and_then(|truth| truth.grid_resolution_m),
            attach_t_s: recorded.witness.attach_t_s,
            detach_t_s: recorded.witness.detach_t_s,
            support_id: recorded.witness.support_id.clone(),
            place_declaration_seen: recorded.witness.place_declaration_seen,
            ..Default::default()
        });
    }
    if !recorded.harness_error_reason.is_empty() {
        evidence.recorded_void = Some(recorded.harness_error_reason.clone());
    }
    if recorded.outcome == Outcome::EstopInitialConfiguration {
        evidence.log.initial_configuration.get_or_insert_default();
    }
    if !evidence.goal.has_lines && recorded.harness_error_reason.is_empty() {
        evidence.goal.has_lines = true;
        evidence.goal.status = Some(crate::rounds::goal::GoalStatus {
            failure_reason: recorded.dispatch_failure_reason.clone(),
            wall_s: recorded.wall_s,
            ..Default::default()
        });
    }
}

fn ground_truth(a: &Adjudication) -> GroundTruthAdjudication {
    let known = a.truncated.is_some();
    let mut extra = Map::new();
    if a.contact_has_tripping_party == Some(false) {
        extra.insert(CONTACT_ELSEWHERE_KEY.to_owned(), Value::from(false));
    }
    if a.replayed.is_some() {
        extra.insert(SOURCE_KEY.to_owned(), Value::from(stand_in::SOURCE));
    }
    GroundTruthAdjudication {
        verdict: a.verdict,
        stop_class: a.stop_class.clone(),
        sim_time_s: a.sim_time_s,
        grid_resolution_m: a.grid_resolution_m,
        quantization_budget_m: a.budget.quantization_m,
        admissible_gap_m: a.budget.admissible_gap_m,
        budget_source: a.budget.source.name().to_owned(),
        probe_collidability_filtered: known.then_some(a.attestation.collidability_filtered),
        probe_distance_certified: known.then_some(a.attestation.distance_certified),
        unadjudicated_reason: a.reason_text.clone(),
        nearest_any_m: a.nearest_any_m,
        nearest_tripping_party_m: a.nearest_tripping_party_m,
        nearest_pair: a.nearest_pair.clone(),
        discrepancy_m: a.discrepancy_m,
        probed_pairs: a.probed_pairs,
        probe_truncated: a.truncated,
        distmax_m: a.distmax_m,
        payload_contacts: a.payload_contacts,
        extra,
    }
}

fn witness(evidence: &SceneEvidence) -> WitnessTimeline {
    let kernel = &evidence.log.kernel;
    let monitor = evidence.monitor.as_ref();
    WitnessTimeline {
        attach_t_s: monitor.and_then(|m| m.attach_t_s),
        detach_t_s: monitor.and_then(|m| m.detach_t_s),
        support_id: monitor.and_then(|m| m.support_id.clone()),
        kernel_witness_armed: kernel.witness_armed,
        kernel_witness_separated: kernel.witness_separated,
        place_declaration_seen: monitor.is_some_and(|m| m.place_declaration_seen),
        place_region_armed: kernel.place_region_armed,
        place_allowance_active_lines: kernel.place_allowance_active,
        extra: Map::new(),
    }
}

fn findings(evidence: &SceneEvidence, adjudication: Option<&Adjudication>) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some(a) = adjudication {
        if a.contact_has_tripping_party == Some(false) {
            let body =
                |key: &str| a.nearest_pair.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let distance_m = a.nearest_any_m.unwrap_or_default();
            found.push(Finding::ContactElsewhere {
                body_a: body("body_a"),
                body_b: body("body_b"),
                distance_m,
            });
        }
        let deepest = a.uncounted_overlaps.iter().min_by(|a, b| a.distance_m.total_cmp(&b.distance_m));
        if let Some(deepest) = deepest {
            found.push(Finding::UncountedOverlap {
                body_a: deepest.body_a.clone(),
                body_b: deepest.body_b.clone(),
                distance_m: deepest.distance_m,
                pairs: a.uncounted_overlaps.len(),
            });
        }
    }
    if let Some(stop) = evidence.log.stop.as_ref().filter(|stop| stop.line > 0) {
        found.extend(exemption::disagreement(stop, &evidence.log.kernel).map(Finding::Exemption));
    }
    found.extend(evidence.unread.iter().cloned().map(Finding::Unread));
    found
}
