//! Writing a round's documents: all of them, or none.
//!
//! Every file is complete beside its place before the first is put there, and nothing may stand in the way of any.

use super::json;
use super::schema::RoundVerdicts;
use crate::rounds::layout::{NOTES_FILE, VERDICTS_FILE};
use rollcheck_engine::store::StoreError;
use rollcheck_engine::store::atomic::Writer;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Files that are complete and not yet in place.
#[derive(Debug, Default)]
pub struct Staged {
    files: Vec<(PathBuf, Writer)>,
}

impl Staged {
    /// Adds a whole file.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn add(&mut self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let mut writer = begin(path)?;
        writer.write_all(bytes).map_err(|source| failed(path, source))?;
        self.push(path, writer);
        Ok(())
    }

    /// Adds a file that was begun with [`begin`] and is complete.
    pub fn push(&mut self, path: &Path, writer: Writer) {
        self.files.push((path.to_owned(), writer));
    }

    /// Files that are staged.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Nothing is staged.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Puts every file in place; gives their paths, in the order in which they were added.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn commit(self) -> Result<Vec<PathBuf>, StoreError> {
        let put = |(path, writer): (PathBuf, Writer)| writer.commit().map(|()| path);
        self.files.into_iter().map(put).collect()
    }
}

/// Begins a file beside its place.
///
/// # Errors
/// [`StoreError::Io`], also when something that is no file stands in its place.
pub fn begin(path: &Path) -> Result<Writer, StoreError> {
    if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return Err(failed(path, io::Error::new(io::ErrorKind::IsADirectory, "a folder is in the way")));
    }
    Writer::create(path)
}

/// An error of writing.
pub fn failed(path: &Path, source: io::Error) -> StoreError {
    StoreError::Io { path: path.to_owned(), action: "write", source }
}

/// Where a round's documents go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Documents {
    /// `verdicts.json`
    pub verdicts: PathBuf,
    /// `NOTES.md`
    pub notes: PathBuf,
}

/// Stages `verdicts.json` and `NOTES.md` of a round.
///
/// # Errors
/// [`StoreError::Io`].
pub fn documents(
    staged: &mut Staged,
    round: &Path,
    verdicts: &RoundVerdicts,
    notes: &str,
) -> Result<Documents, StoreError> {
    let documents = Documents { verdicts: round.join(VERDICTS_FILE), notes: round.join(NOTES_FILE) };
    staged.add(&documents.verdicts, &json::write_verdicts(verdicts))?;
    staged.add(&documents.notes, notes.as_bytes())?;
    Ok(documents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_way_of_one_keeps_all_from_being_written() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("NOTES.md")).unwrap();
        let mut staged = Staged::default();
        staged.add(&folder.path().join("verdicts.json"), b"{}").unwrap();
        let error = staged.add(&folder.path().join("NOTES.md"), b"#").unwrap_err().to_string();
        assert!(error.ends_with("NOTES.md: cannot write: a folder is in the way"), "{error}");
        drop(staged);
        let names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["NOTES.md"]);
    }
}
