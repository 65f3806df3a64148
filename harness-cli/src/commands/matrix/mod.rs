//! `rollcheck matrix ...`: recorded validation rounds.

pub mod diff;
pub mod explain;
pub mod import;
pub mod ledger_text;
pub mod one_scene;
pub mod preflight;
pub mod readjudicate;
pub mod replay;
pub mod verdicts;

use crate::args::matrix::SchemaArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::printer::Printer;
use rollcheck_eval::verdict::json_schema;

/// Prints the JSON Schema of a document.
///
/// # Errors
/// [`CliError::Stdout`].
pub fn schema(args: &SchemaArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    printer.data(&json_schema::text(args.document.document()))?;
    Ok(Exit::Done)
}
