//! `rollcheck matrix diff`

use crate::args::matrix::DiffArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::printer::{Printer, Render};
use rollcheck_engine::store::atomic;
use rollcheck_eval::round_ops::diff::{ScopeRecorded, Side, diff};
use rollcheck_eval::round_ops::diff_text;
use rollcheck_eval::rounds::layout::{METADATA_FILE, VERDICTS_FILE};
use rollcheck_eval::verdict::json;
use rollcheck_eval::verdict::round::{self, ReadError};
use rollcheck_eval::verdict::schema::{RoundDiff, RoundVerdicts};
use serde_json::Value;
use std::path::Path;

/// Compares two rounds.
///
/// # Errors
/// [`CliError::Round`], [`CliError::Store`], [`CliError::Stdout`].
pub fn run(args: &DiffArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    let (new, new_scope) = side(&args.round)?;
    let (baseline, baseline_scope) = side(&args.baseline)?;
    let difference =
        diff(Side { verdicts: &new, scope: new_scope }, Side { verdicts: &baseline, scope: baseline_scope });
    if let Some(out) = &args.out {
        atomic::write(out, &json::write_diff(&difference))?;
        printer.note(format_args!("wrote {}", out.display()));
    }
    printer.result(&Difference(&difference))?;
    Ok(Exit::Done)
}

/// A round's verdicts, and which fields of the DDS scope its metadata have.
fn side(folder: &Path) -> Result<(RoundVerdicts, Option<ScopeRecorded>), CliError> {
    let file = folder.join(VERDICTS_FILE);
    let Some(bytes) = round::document(&file)? else {
        return Err(ReadError::Missing { folder: folder.to_owned(), file: VERDICTS_FILE }.into());
    };
    let file = file.display().to_string();
    let verdicts = json::verdicts_from_slice(&bytes, &file)?;
    let path = folder.join(METADATA_FILE);
    // What a round did not record is not unset: the recorded keys say which it is.
    let metadata = match round::document(&path)? {
        Some(bytes) => Some(json::object_from_slice(&bytes, &path.display().to_string())?),
        None => json::object_from_slice(&bytes, &file)?.get("metadata").and_then(Value::as_object).cloned(),
    };
    Ok((verdicts, metadata.as_ref().map(ScopeRecorded::of)))
}

struct Difference<'a>(&'a RoundDiff);

impl Render for Difference<'_> {
    fn json(&self) -> Value {
        // A struct with text keys is a JSON object.
        serde_json::to_value(self.0).unwrap_or_default()
    }

    fn text(&self) -> String {
        diff_text::text(self.0)
    }
}
