//! Writing a round's documents: whole or not at all.

use super::json;
use super::schema::RoundVerdicts;
use crate::rounds::layout::{NOTES_FILE, VERDICTS_FILE};
use rollcheck_engine::store::{StoreError, atomic};
use std::path::{Path, PathBuf};

/// Where both went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// `verdicts.json`
    pub verdicts: PathBuf,
    /// `NOTES.md`
    pub notes: PathBuf,
}

/// Writes `verdicts.json` and `NOTES.md` into a round. Both texts are made before either is written.
///
/// # Errors
/// [`StoreError::Io`].
pub fn documents(round: &Path, verdicts: &RoundVerdicts, notes: &str) -> Result<Written, StoreError> {
    let written = Written { verdicts: round.join(VERDICTS_FILE), notes: round.join(NOTES_FILE) };
    atomic::write(&written.verdicts, &json::write_verdicts(verdicts))?;
    atomic::write(&written.notes, notes.as_bytes())?;
    Ok(written)
}
