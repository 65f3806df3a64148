//! `rollcheck sentinel audit`

use super::audit_summary::AuditResult;
use crate::args::sentinel::AuditArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::pipeline::training::SplitSizes;
use crate::pipeline::{Artifacts, Recording, audit, latency};
use crate::printer::Printer;
use crate::settings::RuleChoice;

/// Measures phase, false alarms, detection and the time of a check on the audit split.
///
/// # Errors
/// [`CliError`]: files, episodes that are not the graph's, a shifted set that the graph cannot judge.
pub fn run(args: &AuditArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    args.compute.device.resolve()?;
    let artifacts = Artifacts::read(&args.artifacts)?;
    let graph = artifacts.trained.graph();
    let recording = Recording::read(&args.demos)?;
    recording.expect_source_of(graph)?;
    let shifted = args.shifted.as_deref().map(Recording::read).transpose()?;
    if let Some(set) = &shifted {
        set.expect_judged_by(graph)?;
    }
    let audit = {
        let mut progress = printer.progress("audit: step", audit::STEPS);
        audit::run(&artifacts, &recording, shifted.as_ref(), &mut |done, next| progress.at(done, next))?
    };
    let model = artifacts.model(RuleChoice::Recommended.settings())?;
    let sources = audit::audit_sources(&artifacts, &recording);
    let check_ms = latency::check_times(&model, &artifacts.trained.head, &sources)?;
    printer.result(&AuditResult {
        graph_hash: graph.hash().to_string(),
        head_hash: artifacts.trained.head.hash().to_string(),
        seed: artifacts.trained.training.seed,
        split: SplitSizes::of(&artifacts.trained.split),
        demos: recording.file,
        shifted: shifted.map(|s| s.file),
        audit,
        check_ms,
    })?;
    Ok(Exit::Done)
}
