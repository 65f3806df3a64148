//! `rollcheck completions SHELL`

use crate::args::Cli;
use crate::error::CliError;
use crate::exit::Exit;
use crate::printer::Printer;
use clap::CommandFactory;
use clap_complete::Shell;

/// Prints the completion script of a shell.
///
/// # Errors
/// [`CliError::Stdout`], [`CliError::Internal`].
pub fn print(shell: Shell, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "rollcheck", &mut script);
    let script = String::from_utf8(script).map_err(|e| CliError::Internal(e.to_string()))?;
    printer.data(&script)?;
    Ok(Exit::Done)
}
