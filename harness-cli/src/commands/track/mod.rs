//! `rollcheck track fit`

pub mod summary;

use crate::args::track::FitArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::pipeline::{Recording, TrainedHead};
use crate::printer::Printer;
use rollcheck_engine::track::file;
use rollcheck_models::fit;
use summary::FitResult;

/// Fits the filter, the null banks and the basins on the fit part of the head's split.
///
/// # Errors
/// [`CliError`]: files, episodes that are not the graph's, nothing to fit on.
pub fn fit(args: &FitArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    args.compute.device.resolve()?;
    let trained = TrainedHead::read(&args.artifacts)?;
    let recording = Recording::read(&args.demos)?;
    recording.expect_source_of(trained.graph())?;
    let (parameters, report) = fit::fit(&trained.head, &recording.demos, &trained.split.fit)?;
    file::write(&args.artifacts, &parameters)?;
    printer.note(format_args!("wrote {}", args.artifacts.join(file::TRACK_FILE).display()));
    printer.result(&FitResult { parameters, report })?;
    Ok(Exit::Done)
}
