//! `NOTES.md`: a round for people, so that none ends without a written summary.
//!
//! Reference page, section 13.2, in its order; then what this version adds: the rule set, the delivered chunk count of
//! every deadline, findings, lines that were not read. Numbers as the harness prints them.

use super::derive::{Finding, SceneJudgement};
use super::schema::{RoundMetadata, SceneVerdict};
use crate::adjudication::gap_choice::BudgetSource;
use crate::adjudication::outcome::Outcome;
use crate::adjudication::rules::RuleSet;
use rollcheck_engine::text::{plain, printf, python};
use std::fmt::Write as _;

/// The text.
pub fn notes(metadata: &RoundMetadata, scenes: &[SceneJudgement], rules: RuleSet) -> String {
    let mut out = String::new();
    header(&mut out, metadata, rules);
    table(&mut out, scenes);
    bullets(&mut out, scenes);
    harness_errors(&mut out, scenes);
    deadlines(&mut out, scenes);
    findings(&mut out, scenes);
    out.push_str(
        "Machine-readable verdicts: `verdicts.json`. What changed since another round: \
         `just validation-matrix-diff <this round> <other round>`.\n",
    );
    plain::lines(&out)
}

/// One line of markdown from text of a file.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn header(out: &mut String, m: &RoundMetadata, rules: RuleSet) {
    let sha: String = m.executed_sha.chars().take(7).collect();
    let or = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { line(text) };
    let scale = if m.collision_scale.is_empty() {
        "**disabled** (the shipped default)".to_owned()
    } else {
        let mut items: Vec<_> = m.collision_scale.iter().collect();
        items.sort_by(|a, b| a.0.cmp(b.0));
        items
            .iter()
            .map(|(key, value)| format!("{key}={}", python::float(**value)))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let pins = if m.scene_pins.is_empty() {
        "none".to_owned()
    } else {
        m.scene_pins.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
    };
    let overrides = python::boolean(!m.safety_overrides_absent);
    let _ = writeln!(out, "# Round {} — validation matrix @ {}\n", line(&m.round_id), line(&sha));
    if m.generated() {
        let _ = writeln!(out, "Generated data: this round is not evidence about a robot.\n");
    }
    let bullets = [
        format!("Started: {}", line(&m.started_at)),
        format!(
            "Host: {} (GPU: {})",
            or(&m.host, "unknown"),
            or(m.gpu_name.as_deref().unwrap_or_default(), "n/a")
        ),
        format!(
            "Executed SHA: `{}` (worktree clean: {})",
            line(&m.executed_sha),
            python::optional_boolean(m.worktree_clean)
        ),
        format!(
            "Launcher: {}, `OPENRAL_REPO_ROOT={}`",
            or(&m.launcher_path, "not recorded"),
            line(&m.repo_root)
        ),
        format!(
            "Robot: {}, manifest: {}",
            or(m.robot_id.as_deref().unwrap_or_default(), "from scene"),
            or(m.robot_manifest_path.as_deref().unwrap_or_default(), "resolved at launch")
        ),
        format!("Sync groups: {}", or(&m.sync_groups.join(" "), "not recorded")),
        format!("Graded velocity band: {scale}"),
        format!("Stack argv: `{}`", line(&m.stack_argv.join(" "))),
        format!("Scene pins: {pins}"),
        format!("Safety-knob overrides present: **{overrides}**"),
        format!("Gap budgets read by the rule set: {rules}"),
    ];
    for bullet in bullets {
        let _ = writeln!(out, "- {bullet}");
    }
    out.push('\n');
}

fn table(out: &mut String, scenes: &[SceneJudgement]) {
    out.push_str("| scene | outcome | task_success | E-stop pair | min / sweep (m) | GT |\n");
    out.push_str("|---|---|---|---|---|---|\n");
    for judged in scenes {
        let v = &judged.verdict;
        let (pair, distances) = match &v.stop {
            None => ("—".to_owned(), "—".to_owned()),
            Some(stop) => {
                let sweep =
                    stop.sweep_min_distance_m.map_or_else(|| "—".to_owned(), |m| printf::general(m, 7));
                (
                    format!(
                        "`{}` vs `{}` (step {})",
                        cell(&stop.party_a),
                        cell(&stop.party_b),
                        stop.horizon_step
                    ),
                    format!("{} / {sweep}", printf::general(stop.min_distance_m, 7)),
                )
            }
        };
        let _ = writeln!(
            out,
            "| {} | **{}** | {} | {pair} | {distances} | {} |",
            v.scene,
            v.outcome,
            python::optional_boolean(v.task_success_final),
            v.ground_truth.as_ref().map_or("—", |truth| truth.verdict.name()),
        );
    }
    out.push('\n');
}

fn cell(text: &str) -> String {
    line(text).replace('|', "\\|").replace('`', "'")
}

/// Keys of the scenes that a condition holds for.
fn listed(scenes: &[SceneJudgement], holds: impl Fn(&SceneJudgement) -> bool) -> Option<String> {
    let keys: Vec<&str> = scenes.iter().filter(|s| holds(s)).map(|s| s.verdict.scene.as_str()).collect();
    (!keys.is_empty()).then(|| keys.join(", "))
}

fn bullets(out: &mut String, scenes: &[SceneJudgement]) {
    let always = |out: &mut String, what: &str, keys: Option<String>| {
        let _ = writeln!(out, "- {what}: {}.", keys.as_deref().unwrap_or("none"));
    };
    let truth = |v: &SceneVerdict, holds: &dyn Fn(&super::schema::GroundTruthAdjudication) -> bool| {
        v.ground_truth.as_ref().is_some_and(holds)
    };
    always(out, "Exemption active at the trip", listed(scenes, |s| s.exemption_active == Some(true)));
    let disclosed = |s: &SceneJudgement| s.verdict.witness.place_allowance_active_lines > 0;
    always(out, "`place_allowance_active=1` disclosed", listed(scenes, disclosed));
    let deaf = |s: &SceneJudgement| s.verdict.monitor_records == Some(0);
    always(out, "**Monitor received nothing**", listed(scenes, deaf));
    let early = |s: &SceneJudgement| {
        let heard = s.verdict.monitor_records.is_some_and(|n| n > 0);
        heard && s.verdict.ground_truth.is_some() && s.grid_resolution_m.is_none()
    };
    always(out, "Stopped before the monitor saw a voxel grid", listed(scenes, early));
    let unfiltered =
        |s: &SceneJudgement| truth(&s.verdict, &|t| t.probe_collidability_filtered == Some(false));
    if let Some(keys) = listed(scenes, unfiltered) {
        let _ = writeln!(out, "- Probe not collidability-filtered, so a contact is no evidence: {keys}.");
    }
    let grid = |s: &SceneJudgement| truth(&s.verdict, &|t| t.budget_source == BudgetSource::Grid.name());
    if let Some(keys) = listed(scenes, grid) {
        let _ = writeln!(
            out,
            "- Judged with the voxel term alone (`grid-quantization`), a lower bound of the gap: {keys}."
        );
    }
    out.push('\n');
}

fn harness_errors(out: &mut String, scenes: &[SceneJudgement]) {
    let void: Vec<_> = scenes.iter().filter(|s| s.verdict.outcome == Outcome::HarnessError).collect();
    if void.is_empty() {
        return;
    }
    out.push_str("**Harness errors: these scenes say nothing about the policy**\n\n");
    for s in void {
        let _ = writeln!(out, "- `{}`: {}", s.verdict.scene, line(&s.verdict.harness_error_reason));
    }
    out.push('\n');
}

fn deadlines(out: &mut String, scenes: &[SceneJudgement]) {
    let late: Vec<_> = scenes.iter().filter(|s| s.verdict.outcome.is_deadline()).collect();
    if late.is_empty() {
        return;
    }
    out.push_str(
        "**Deadlines: chunks delivered** (a dead graph looks like a deadline; read the count first)\n\n",
    );
    for s in late {
        let count = match s.delivered_chunks {
            Some(0) => "0 chunks: nothing was commanded".to_owned(),
            Some(n) => format!("latest chunk {n}"),
            None => "unknown: the dispatcher did not say".to_owned(),
        };
        let _ = writeln!(out, "- `{}` ({}): {count}", s.verdict.scene, s.verdict.outcome);
    }
    out.push('\n');
}

fn findings(out: &mut String, scenes: &[SceneJudgement]) {
    if scenes.iter().all(|s| s.findings.is_empty()) {
        return;
    }
    out.push_str("**Findings** (none of them changes a verdict)\n\n");
    for s in scenes {
        for finding in &s.findings {
            let _ = writeln!(out, "- `{}`: {}", s.verdict.scene, line(&Finding::text(finding)));
        }
    }
    out.push('\n');
}
