//! From a judged scene to its row.
//!
//! Nothing is read and nothing judged here. A row repeats what the verdict and its adjudication say, field by field; what
//! stands in no verdict (margin, findings, digests) comes from the evidence. A text that is empty is null. A longer
//! text than any reader wants is cut at [`MAX_TEXT`], and NUL characters, which no table carries, become U+FFFD. A number
//! that is not finite is null, as it is in `verdicts.json`.

use super::columns::Row;
use crate::adjudication::party;
use crate::adjudication::rules::RuleSet;
use crate::rounds::evidence::{InputFile, SceneEvidence};
use crate::rounds::layout::{Artifact, DEFAULT_RSKILL_ID, MatrixScene};
use crate::verdict::derive::{Finding, SceneJudgement};
use crate::verdict::round::MetadataSource;
use crate::verdict::schema::{RoundMetadata, SceneVerdict};

/// [`Row::status`] of a row with a verdict.
pub const JUDGED: &str = "judged";
/// [`Row::status`] of a row without.
pub const DAMAGED: &str = "damaged";
/// What stands for a variable that a round records as not set.
pub const UNSET: &str = "unset";
/// Longest text of a cell, bytes.
pub const MAX_TEXT: usize = 16 << 10;

/// What is known of a round as a whole.
#[derive(Clone, Copy, Debug)]
pub struct RoundFacts<'a> {
    /// Its folder as found, with `/`.
    pub path: &'a str,
    /// Version of the tool.
    pub tool_version: &'a str,
    /// What ran.
    pub metadata: &'a RoundMetadata,
    /// Where that was read.
    pub source: MetadataSource,
    /// Identity of `metadata.json`.
    pub metadata_sha256: Option<&'a str>,
    /// Stem of the artifacts.
    pub stem: &'a str,
    /// The keys `ros_domain_id` and `ros_automatic_discovery_range` are there: an empty value says something.
    pub ros_recorded: [bool; 2],
    /// Something about the round that every row repeats among its findings.
    pub remark: Option<&'a str>,
}

/// What is known of a scene before it is judged.
#[derive(Clone, Copy, Debug)]
pub struct SceneFacts<'a> {
    /// Which scene.
    pub scene: &'a MatrixScene,
    /// Its folder, relative to the round.
    pub folder: &'a str,
    /// Its configuration.
    pub config_path: &'a str,
    /// That file's SHA-256.
    pub config_sha256: Option<&'a str>,
}

/// A judged scene with what it was judged from.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The evidence.
    pub evidence: &'a SceneEvidence,
    /// The judgement.
    pub judgement: &'a SceneJudgement,
    /// By which rules.
    pub rules: RuleSet,
    /// The verdict that the round holds already.
    pub recorded: Option<&'a SceneVerdict>,
    /// Evidence was taken from that verdict.
    pub completed: bool,
}

/// A round that cannot be read.
pub fn damaged_round(path: &str, tool_version: &str, damage: &str) -> Row {
    Row {
        round_path: text(path),
        status: text(DAMAGED),
        damage: text(damage),
        tool_version: text(tool_version),
        ..Row::default()
    }
}

/// A readable round without anything that could be judged.
pub fn empty_round(facts: &RoundFacts<'_>, damage: &str) -> Row {
    Row { status: text(DAMAGED), damage: text(damage), ..of_round(facts) }
}

/// A scene whose files cannot be taken as evidence.
pub fn damaged_scene(facts: &RoundFacts<'_>, scene: &SceneFacts<'_>, damage: &str) -> Row {
    Row {
        status: text(DAMAGED),
        damage: text(damage),
        findings: facts.remark.and_then(text),
        ..of_scene(facts, scene)
    }
}

/// A judged scene.
pub fn judged(facts: &RoundFacts<'_>, scene: &SceneFacts<'_>, judged: &Judged<'_>) -> Row {
    let Judged { evidence, judgement, rules, recorded, completed } = *judged;
    let row = Row {
        status: text(JUDGED),
        rule_set: text(rules.name()),
        completed_from_recorded: Some(completed),
        ..of_scene(facts, scene)
    };
    let row = with_outcome(row, facts, judgement);
    let row = with_stop(row, judgement);
    let row = with_ground_truth(row, judgement);
    let row = with_run(row, evidence, judgement);
    let row = with_inputs(row, evidence);
    with_recorded(row, judgement, recorded)
}

fn of_round(facts: &RoundFacts<'_>) -> Row {
    let metadata = facts.metadata;
    let known = facts.source != MetadataSource::Assumed;
    let variable = |value: &str, recorded: bool| match value {
        "" => recorded.then(|| UNSET.to_owned()),
        value => text(value),
    };
    let [domain_recorded, range_recorded] = facts.ros_recorded;
    Row {
        round_path: text(facts.path),
        round_id: text(&metadata.round_id),
        tool_version: text(facts.tool_version),
        generated: Some(metadata.generated()),
        metadata_source: text(match facts.source {
            MetadataSource::Metadata => "metadata.json",
            MetadataSource::Verdicts => "verdicts.json",
            MetadataSource::Assumed => "assumed",
        }),
        started_at: text(&metadata.started_at),
        host: text(&metadata.host),
        executed_sha: text(&metadata.executed_sha),
        worktree_clean: metadata.worktree_clean,
        robot_id: metadata.robot_id.as_deref().and_then(text),
        gpu_name: metadata.gpu_name.as_deref().and_then(text),
        seed: known.then_some(metadata.seed),
        rskill_id: text(metadata.rskill_id().unwrap_or(DEFAULT_RSKILL_ID)),
        artifact_stem: text(facts.stem),
        ros_domain_id: variable(&metadata.ros_domain_id, domain_recorded),
        ros_automatic_discovery_range: variable(&metadata.ros_automatic_discovery_range, range_recorded),
        metadata_sha256: facts.metadata_sha256.and_then(text),
        findings: facts.remark.and_then(text),
        ..Row::default()
    }
}

fn of_scene(facts: &RoundFacts<'_>, scene: &SceneFacts<'_>) -> Row {
    Row {
        scene: text(scene.scene.key),
        scene_folder: text(scene.folder),
        config_path: text(scene.config_path),
        config_sha256: scene.config_sha256.and_then(text),
        ..of_round(facts)
    }
}

fn with_outcome(row: Row, facts: &RoundFacts<'_>, judgement: &SceneJudgement) -> Row {
    let verdict = &judgement.verdict;
    let (id, condition) = judgement.outcome_rule.words();
    let void = judgement.harness_error.as_ref();
    let findings = judgement.findings.iter().map(Finding::text);
    let findings: Vec<String> = findings.chain(facts.remark.map(str::to_owned)).collect();
    Row {
        outcome: text(verdict.outcome.name()),
        outcome_rule: text(&format!("{id}: {condition}")),
        task_success_final: verdict.task_success_final,
        task_success_ever: verdict.task_success_ever,
        task_success_steps: verdict.task_success_steps,
        task_success_transitions: verdict.task_success_transitions,
        harness_error_cause: void.and_then(|void| text(void.cause.id())),
        harness_error_reason: void.and_then(|void| text(&void.reason)),
        findings: text(&findings.join("; ")),
        ..row
    }
}

fn with_stop(row: Row, judgement: &SceneJudgement) -> Row {
    let Some(stop) = &judgement.stop else { return row };
    Row {
        stop_kind: text(&stop.kind),
        party_a: text(&stop.party_a),
        party_b: text(&stop.party_b),
        horizon_step: Some(stop.horizon_step),
        min_distance_m: number(Some(stop.min_distance_m)),
        sweep_min_distance_m: number(stop.sweep_min_distance_m),
        place_allowance_active: Some(stop.place_allowance_active),
        place_target: text(&stop.place_target),
        depth_is_box_bound: Some(stop.depth_is_box_bound),
        exemption_active: judgement.exemption_active,
        involves_payload: Some(party::involves_payload(stop)),
        ..row
    }
}

fn with_ground_truth(row: Row, judgement: &SceneJudgement) -> Row {
    let Some(a) = &judgement.adjudication else { return row };
    let of_pair = |key: &str| a.nearest_pair.get(key).and_then(serde_json::Value::as_str).and_then(text);
    let probed = a.truncated.is_some();
    Row {
        comparison: text(a.comparison.name()),
        pair_set: probed.then(|| a.pair_set.name().to_owned()),
        gt_verdict: text(a.verdict.name()),
        rung: text(a.rung.id()),
        reason_ids: text(&a.reason_ids().join("+")),
        unadjudicated_reason: text(&a.reason_text),
        stop_class: a.stop_class.as_deref().and_then(text),
        sim_time_s: number(a.sim_time_s),
        grid_resolution_m: number(a.grid_resolution_m),
        quantization_budget_m: number(a.budget.quantization_m),
        admissible_gap_m: number(a.budget.admissible_gap_m),
        budget_source: text(a.budget.source.name()),
        budget_rule: text(a.budget.rule.name()),
        filtered: probed.then_some(a.attestation.collidability_filtered),
        certified: probed.then_some(a.attestation.distance_certified),
        nearest_any_m: number(a.nearest_any_m),
        nearest_body_a: of_pair("body_a"),
        nearest_body_b: of_pair("body_b"),
        nearest_geom_a: of_pair("geom_a"),
        nearest_geom_b: of_pair("geom_b"),
        nearest_tripping_party_m: number(a.nearest_tripping_party_m),
        discrepancy_m: number(a.discrepancy_m),
        margin_quantity: a.margin.map(|margin| margin.quantity.to_owned()),
        margin_m: number(a.margin.map(|margin| margin.margin_m)),
        probed_pairs: a.probed_pairs,
        probe_truncated: a.truncated,
        distmax_m: number(a.distmax_m),
        payload_contacts: a.payload_contacts,
        contact_involves_tripping_party: a.contact_has_tripping_party,
        ..row
    }
}

fn with_run(row: Row, evidence: &SceneEvidence, judgement: &SceneJudgement) -> Row {
    let verdict = &judgement.verdict;
    let witness = &verdict.witness;
    let composed = |key: &str| {
        let fields = &judgement.composition.as_ref()?.fields;
        fields.iter().find(|(name, _)| name == key)?.1.parse().ok()
    };
    let skipped: u64 = evidence.unread.iter().map(|unread| unread.lines.lines).sum();
    Row {
        attach_t_s: number(witness.attach_t_s),
        detach_t_s: number(witness.detach_t_s),
        support_id: witness.support_id.as_deref().and_then(text),
        kernel_witness_armed: Some(witness.kernel_witness_armed),
        kernel_witness_separated: Some(witness.kernel_witness_separated),
        place_declaration_seen: Some(witness.place_declaration_seen),
        place_region_armed: Some(witness.place_region_armed),
        place_allowance_active_lines: Some(witness.place_allowance_active_lines),
        monitor_records: verdict.monitor_records,
        dispatch_failure_reason: text(&verdict.dispatch_failure_reason),
        delivered_chunks: judgement.delivered_chunks,
        wall_s: number(verdict.wall_s),
        lines_skipped: Some(skipped as i64),
        effective_layout_id: composed("effective_layout_id"),
        effective_style_id: composed("effective_style_id"),
        ..row
    }
}

fn with_inputs(row: Row, evidence: &SceneEvidence) -> Row {
    let sha256 = |artifact: Artifact| evidence.input(artifact).and_then(|input| input.sha256.clone());
    let log: Option<&InputFile> = evidence.log_file.and_then(|artifact| evidence.input(artifact));
    Row {
        deploy_log_file: log.map(|log| log.artifact.suffix().to_owned()),
        deploy_log_sha256: log.and_then(|log| log.sha256.clone()),
        deploy_log_bytes: log.map(|log| log.bytes as i64),
        monitor_sha256: sha256(Artifact::Monitor),
        goal_sha256: sha256(Artifact::Goal),
        launch_failed_sha256: sha256(Artifact::LaunchFailed),
        ..row
    }
}

fn with_recorded(row: Row, judgement: &SceneJudgement, recorded: Option<&SceneVerdict>) -> Row {
    let Some(recorded) = recorded else { return row };
    let recorded_truth = recorded.ground_truth.as_ref().map(|truth| truth.verdict);
    let truth = judgement.adjudication.as_ref().map(|a| a.verdict);
    Row {
        recorded_outcome: text(recorded.outcome.name()),
        recorded_gt_verdict: recorded_truth.and_then(|verdict| text(verdict.name())),
        changed: Some(recorded.outcome != judgement.verdict.outcome || recorded_truth != truth),
        ..row
    }
}

/// A text as a cell holds it.
fn text(text: &str) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    let cut = text.floor_char_boundary(MAX_TEXT);
    let mut cell = text[..cut].replace('\0', "\u{fffd}");
    if cut < text.len() {
        cell.push('…');
    }
    Some(cell)
}

/// A number as a cell holds it.
fn number(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters_and_carry_no_nul() {
        assert_eq!(text(""), None);
        assert_eq!(text("a\0b"), Some("a\u{fffd}b".to_owned()));
        let long = "ü".repeat(MAX_TEXT);
        let cell = text(&long).unwrap();
        assert_eq!((cell.len(), cell.chars().last()), (MAX_TEXT + "…".len(), Some('…')));
    }

    #[test]
    fn a_number_that_is_not_finite_is_null() {
        assert_eq!(number(Some(f64::NAN)), None);
        assert_eq!(number(Some(f64::INFINITY)), None);
        assert_eq!(number(Some(-0.0)).map(f64::to_bits), Some((-0.0_f64).to_bits()));
    }
}
