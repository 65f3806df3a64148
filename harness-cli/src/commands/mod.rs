//! One file a command: call what does the work, hand the result to the printer.

pub mod budget;
pub mod completions;
pub mod graph;
pub mod head;
pub mod hull;
pub mod matrix;
pub mod obb;
pub mod quickstart;
pub mod sentinel;
pub mod track;

use crate::args::Command;
use crate::args::graph::GraphCommand;
use crate::args::head::HeadCommand;
use crate::args::hull::HullCommand;
use crate::args::matrix::MatrixCommand;
use crate::args::obb::ObbCommand;
use crate::args::sentinel::SentinelCommand;
use crate::args::track::TrackCommand;
use crate::error::CliError;
use crate::exit::Exit;
use crate::printer::Printer;

/// Runs a command.
///
/// # Errors
/// [`CliError`]; the caller reports it.
pub fn run(command: &Command, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    match command {
        Command::Quickstart(args) => quickstart::run(args, printer),
        Command::Graph(GraphCommand::Build(args)) => graph::build(args, printer),
        Command::Graph(GraphCommand::Info(args)) => graph::info(args, printer),
        Command::Head(HeadCommand::Train(args)) => head::train(args, printer),
        Command::Head(HeadCommand::Eval(args)) => head::eval(args, printer),
        Command::Track(TrackCommand::Fit(args)) => track::fit(args, printer),
        Command::Sentinel(SentinelCommand::Entry(args)) => sentinel::entry::run(args, printer),
        Command::Sentinel(SentinelCommand::Replay(args)) => sentinel::replay::run(args, printer),
        Command::Sentinel(SentinelCommand::Audit(args)) => sentinel::audit::run(args, printer),
        Command::Matrix(MatrixCommand::Verdicts(args)) => matrix::verdicts::run(args, printer),
        Command::Matrix(MatrixCommand::Diff(args)) => matrix::diff::run(args, printer),
        Command::Matrix(MatrixCommand::Import(args)) => matrix::import::run(args, printer),
        Command::Matrix(MatrixCommand::Explain(args)) => matrix::explain::run(args, printer),
        Command::Matrix(MatrixCommand::Replay(args)) => matrix::replay::run(args, printer),
        Command::Matrix(MatrixCommand::Readjudicate(args)) => matrix::readjudicate::run(args, printer),
        Command::Matrix(MatrixCommand::Preflight(args)) => matrix::preflight::run(args, printer),
        Command::Matrix(MatrixCommand::Schema(args)) => matrix::schema(args, printer),
        Command::Hull(HullCommand::Derive(args)) => hull::derive::run(args, printer),
        Command::Hull(HullCommand::Check(args)) => hull::check::run(args, printer),
        Command::Hull(HullCommand::Overhang(args)) => hull::overhang::run(args, printer),
        Command::Obb(ObbCommand::Voxels(args)) => obb::run(args, printer),
        Command::Budget(args) => budget::run(args, printer),
        Command::Completions { shell } => completions::print(*shell, printer),
    }
}
