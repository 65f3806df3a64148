//! `rollcheck matrix verdicts`

use super::replay as stops;
use crate::args::matrix::VerdictsArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::printer::{Printer, Render};
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::replay::{ReplayModel, replay};
use rollcheck_eval::verdict::derive::{self, Finding, SceneJudgement};
use rollcheck_eval::verdict::round::{self, Options, RecordedRound};
use rollcheck_eval::verdict::write::{Documents, Staged};
use rollcheck_eval::verdict::{excerpts, notes, write};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Reads a round, derives its verdicts, writes both documents and says what came of it.
///
/// # Errors
/// [`CliError::Round`], [`CliError::Store`], [`CliError::Excerpt`], [`CliError::Stdout`]; with a replay those of reading a
/// robot.
pub fn run(args: &VerdictsArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    let options = Options { stem: args.stem.clone(), ..Options::default() };
    let recorded = round::read(&args.round, &options)?;
    let rules = args.rules.rule_set();
    let robot = stops::asked_robot(&args.replay, printer)?;
    let scenes = judge(&recorded, rules, robot.as_ref())?;
    let mut staged = Staged::default();
    if args.excerpts {
        for scene in &recorded.scenes {
            excerpts::stage(&mut staged, &recorded.folder, scene, &recorded.stem)?;
        }
    }
    publish(&recorded, &scenes, rules, None, staged, printer)
}

/// Judges every scene; one that cannot be judged refuses the round, so that no verdict rests on half of it. With a robot, a
/// replay stands in for the distance of two links that nobody measured.
///
/// # Errors
/// [`CliError::Round`].
pub fn judge(
    recorded: &RecordedRound,
    rules: RuleSet,
    robot: Option<&ReplayModel>,
) -> Result<Vec<SceneJudgement>, CliError> {
    let mut judged = Vec::new();
    for scene in &recorded.scenes {
        let evidence = match &scene.evidence {
            Ok(evidence) => evidence,
            Err(error) => return Err(CliError::Scene(error.to_string())),
        };
        let stand_in = robot.and_then(|robot| replay(&evidence.log, robot).stand_in());
        judged.push(derive::scene_with(&recorded.context(scene), evidence, rules, stand_in.as_ref())?);
    }
    Ok(judged)
}

/// Writes both documents and what is staged already, all or none, and prints the result, behind `imported` where the
/// round was imported.
///
/// # Errors
/// [`CliError::Store`], [`CliError::Stdout`].
pub fn publish(
    recorded: &RecordedRound,
    scenes: &[SceneJudgement],
    rules: RuleSet,
    imported: Option<&str>,
    mut staged: Staged,
    printer: &mut Printer<'_>,
) -> Result<Exit, CliError> {
    let verdicts = derive::round(&recorded.metadata, scenes, rules);
    let text = notes::notes(&recorded.metadata, scenes, rules);
    let beside = staged.len();
    let written = write::documents(&mut staged, &recorded.folder, &verdicts, &text)?;
    for file in staged.commit()?.iter().take(beside) {
        printer.note(format_args!("wrote {}", file.display()));
    }
    for scene in scenes {
        for finding in &scene.findings {
            if let Finding::Unread(unread) = finding {
                printer.warning(unread);
            }
        }
    }
    if scenes.is_empty() {
        printer
            .warning(format_args!("{}: no scene folder of this round is there", recorded.folder.display()));
    }
    let round_id = &recorded.metadata.round_id;
    printer.result(&Verdicts { round_id, rules, scenes, written: &written, imported })?;
    Ok(Exit::Done)
}

struct Verdicts<'a> {
    round_id: &'a str,
    rules: RuleSet,
    scenes: &'a [SceneJudgement],
    written: &'a Documents,
    imported: Option<&'a str>,
}

impl Render for Verdicts<'_> {
    fn json(&self) -> Value {
        let scene = |s: &SceneJudgement| {
            let skipped: u64 = s
                .findings
                .iter()
                .map(|f| if let Finding::Unread(unread) = f { unread.lines.lines } else { 0 })
                .sum();
            json!({
                "scene": s.verdict.scene, "outcome": s.verdict.outcome.name(),
                "ground_truth": s.verdict.ground_truth.as_ref().map(|t| t.verdict.name()),
                "unadjudicated_reason": s.verdict.ground_truth.as_ref().map(|t| t.unadjudicated_reason.as_str()),
                "harness_error_reason": s.verdict.harness_error_reason, "delivered_chunks": s.delivered_chunks,
                "lines_skipped": skipped,
                "findings": s.findings.iter().map(Finding::text).collect::<Vec<_>>(),
            })
        };
        json!({
            "round_id": self.round_id, "rule_set": self.rules.name(), "imported": self.imported,
            "scenes": self.scenes.iter().map(scene).collect::<Vec<_>>(),
            "verdicts": self.written.verdicts.display().to_string(),
            "notes": self.written.notes.display().to_string(),
        })
    }

    fn text(&self) -> String {
        let mut out = String::new();
        if let Some(imported) = self.imported {
            let _ = writeln!(out, "{imported}");
        }
        for scene in self.scenes {
            let _ = writeln!(out, "{:<10} {}", scene.verdict.scene, scene.verdict.outcome);
        }
        let Documents { verdicts, notes } = self.written;
        let _ = writeln!(out, "\nverdicts -> {}", verdicts.display());
        let _ = writeln!(out, "notes    -> {}", notes.display());
        out
    }
}
