//! One file a command: call what does the work, hand the result to the printer.

pub mod completions;
pub mod graph;

use crate::args::Command;
use crate::args::graph::GraphCommand;
use crate::error::CliError;
use crate::exit::Exit;
use crate::printer::Printer;

/// Runs a command.
///
/// # Errors
/// [`CliError`]; the caller reports it.
pub fn run(command: &Command, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    match command {
        Command::Graph(GraphCommand::Build(args)) => graph::build(args, printer),
        Command::Graph(GraphCommand::Info(args)) => graph::info(args, printer),
        Command::Completions { shell } => completions::print(*shell, printer),
    }
}
