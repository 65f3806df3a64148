//! `rollcheck graph build` and `rollcheck graph info`

pub mod summary;

use crate::args::graph::{BuildArgs, InfoArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::printer::Printer;
use rollcheck_engine::constants::JQ_GATE;
use rollcheck_engine::demos;
use rollcheck_engine::graph::{edges, files};
use std::path::Path;
use summary::GraphSummary;

/// Reads episodes, builds the graph, writes both files and describes them.
///
/// # Errors
/// [`CliError::Demos`], [`CliError::Graph`], [`CliError::Stdout`].
pub fn build(args: &BuildArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    let demos = demos::npz::read(&args.demos)?;
    let graph = edges::build(&demos)?;
    files::write(&args.out, &graph)?;
    for file in [files::NODES_FILE, files::EDGES_FILE] {
        printer.note(format_args!("wrote {}", args.out.join(file).display()));
    }
    describe(&GraphSummary::of(&graph), &args.out, printer)
}

/// Reads a graph and describes it.
///
/// # Errors
/// [`CliError::Graph`], [`CliError::Stdout`].
pub fn info(args: &InfoArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    let graph = files::read(&args.graph)?;
    describe(&GraphSummary::of(&graph), &args.graph, printer)
}

fn describe(summary: &GraphSummary, folder: &Path, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    for task in &summary.tasks {
        if task.entry_to_start_rad > JQ_GATE {
            printer.warning(format_args!(
                "{}: task {}: the entry stratum's mean lies {:.3} rad from the mean start pose, beyond the gate \
                 of {JQ_GATE} rad: the entry rule would move clean starts",
                folder.display(),
                task.task_id,
                task.entry_to_start_rad
            ));
        }
    }
    printer.result(summary)?;
    Ok(Exit::Done)
}
