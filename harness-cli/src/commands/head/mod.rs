//! `rollcheck head train` and `rollcheck head eval`

pub mod summary;

use crate::args::head::{EvalArgs, TrainArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::pipeline::training::{self, TrainingSummary};
use crate::pipeline::{Recording, TrainedHead};
use crate::printer::Printer;
use rollcheck_engine::graph::{DemoGraph, files as graph_files};
use rollcheck_engine::store::StoreError;
use rollcheck_models::head::{HeadWeights, files};
use rollcheck_models::train::checkpoint::CHECKPOINT_FILE;
use rollcheck_models::train::{Checkpoint, EpochReport, TrainConfig};
use std::path::Path;
use std::sync::Arc;
use summary::{EvalResult, TrainResult};

/// Trains a head on a graph's episodes; writes both weight files, and a checkpoint after every epoch.
///
/// # Errors
/// [`CliError`]: files, episodes that are not the graph's, a checkpoint of another run.
pub fn train(args: &TrainArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    args.compute.device.resolve()?;
    let graph = Arc::new(graph_files::read(&args.graph)?);
    let recording = Recording::read(&args.demos)?;
    recording.expect_source_of(&graph)?;
    let mut config = TrainConfig::new(graph.dof(), args.seed);
    config.epochs = args.epochs.map_or(config.epochs, |n| n as usize);
    config.windows_per_epoch = args.windows_per_epoch.map_or(config.windows_per_epoch, |n| n as usize);
    let checkpoint = args.out.join(CHECKPOINT_FILE);
    let resume = if args.resume { Some(read_checkpoint(&checkpoint, &graph, &config)?) } else { None };
    make_folder(&args.out)?;
    if let Some(state) = &resume {
        printer.note(format_args!("going on after epoch {}", state.epochs()));
    }
    let (trained, weights) =
        train_with_progress(printer, &graph, &recording, &config, resume, &mut |state| {
            Ok(state.write(&checkpoint, graph.hash())?)
        })?;
    write(&args.out, &trained, &weights)?;
    for file in [files::HEAD_FILE, files::SAFETENSORS_FILE, CHECKPOINT_FILE] {
        printer.note(format_args!("wrote {}", args.out.join(file).display()));
    }
    printer.result(&TrainResult { hash: trained.head.hash().to_string(), training: trained.training })?;
    Ok(Exit::Done)
}

/// Makes an output folder before anything is computed: one that cannot be made is no reason to wait for.
///
/// # Errors
/// [`CliError::Store`].
pub fn make_folder(folder: &Path) -> Result<(), CliError> {
    let (path, action) = (folder.to_owned(), "create folder");
    Ok(std::fs::create_dir_all(folder).map_err(|source| StoreError::Io { path, action, source })?)
}

/// Trains with a bar by epoch; `keep` takes the state after each.
///
/// # Errors
/// As [`training::run`].
pub fn train_with_progress(
    printer: &mut Printer<'_>,
    graph: &Arc<DemoGraph>,
    recording: &Recording,
    config: &TrainConfig,
    resume: Option<Checkpoint>,
    keep: &mut dyn FnMut(&Checkpoint) -> Result<(), CliError>,
) -> Result<(TrainedHead, HeadWeights), CliError> {
    let mut progress = printer.progress("training: epoch", config.epochs as u64);
    progress.at(resume.as_ref().map_or(0, Checkpoint::epochs) as u64, "");
    training::run(graph, recording, config, resume, &mut |report, state| {
        progress.at(report.epoch as u64, &epoch_words(report));
        keep(state)
    })
}

/// Writes both weight files of a head.
///
/// # Errors
/// [`CliError::Head`].
pub fn write(folder: &Path, trained: &TrainedHead, weights: &HeadWeights) -> Result<(), CliError> {
    let summary = TrainingSummary::to_json(&trained.training)?;
    Ok(files::write(folder, weights, trained.graph().hash(), &summary)?)
}

/// Scores a head on the audit split.
///
/// # Errors
/// [`CliError`]: files, episodes that are not the graph's.
pub fn eval(args: &EvalArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    args.compute.device.resolve()?;
    let trained = TrainedHead::read(&args.artifacts)?;
    let recording = Recording::read(&args.demos)?;
    recording.expect_source_of(trained.graph())?;
    let scores = training::scores(&trained, &recording);
    printer.result(&EvalResult { hash: trained.head.hash().to_string(), scores })?;
    Ok(Exit::Done)
}

fn read_checkpoint(path: &Path, graph: &DemoGraph, config: &TrainConfig) -> Result<Checkpoint, CliError> {
    let len = HeadWeights::initial(config.head, config.seed).len();
    Ok(Checkpoint::read(path, graph.hash(), config, len)?)
}

fn epoch_words(report: &EpochReport) -> String {
    let kept = if report.best { ", best so far" } else { "" };
    format!(
        "loss {:.3}, held out: nll {:.3}, phase error {:.3}{kept}",
        report.train_loss, report.held_out.negative_log_likelihood, report.held_out.phase_mae
    )
}
