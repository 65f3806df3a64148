//! The journal: rows of finished rounds, one JSON line a round, so that a run that was cut short goes on.
//!
//! ```text
//! {"fingerprint":"<hex>","rows":[{"round_path":"...",...},...]}
//! ```
//!
//! In memory stand fingerprints and places alone. A line that is no entry is passed over; reading ends at one that is
//! longer than any (`MAX_LINE`). An entry with a damaged row is not used again: what was wrong may be mended without a
//! trace in size or time. An open journal is locked: one run at a time writes a ledger.

use super::columns::Row;
use super::error::LedgerError;
use super::row::DAMAGED;
use rollcheck_engine::store::StoreError;
use rollcheck_engine::store::append::AppendFile;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Longest line that is read, bytes.
const MAX_LINE: u64 = 64 << 20;

/// Where an entry stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    at: u64,
    bytes: usize,
}

#[derive(Deserialize)]
struct Entry {
    fingerprint: String,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Written<'a> {
    fingerprint: &'a str,
    rows: &'a [Row],
}

/// The journal of one ledger.
#[derive(Debug)]
pub struct Journal {
    file: AppendFile,
    path: PathBuf,
    finished: HashMap<String, Place>,
}

impl Journal {
    /// Opens the journal, or begins it, and finds what is finished. It is held until it is dropped.
    ///
    /// # Errors
    /// [`LedgerError::InUse`] where another run holds it, which then stays as it is; [`LedgerError::Store`].
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        let mut file = AppendFile::open(path).map_err(|error| match error {
            StoreError::InUse { path } => LedgerError::InUse { path },
            error => error.into(),
        })?;
        let failed = |source| StoreError::Io { path: path.to_owned(), action: "read", source };
        let finished = finished(file.read_all()?).map_err(failed)?;
        Ok(Self { file, path: path.to_owned(), finished })
    }

    /// Where the rows of a round stand, if it is finished.
    pub fn find(&self, fingerprint: &str) -> Option<Place> {
        self.finished.get(fingerprint).copied()
    }

    /// Adds a finished round.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn add(&mut self, fingerprint: &str, rows: &[Row]) -> Result<Place, LedgerError> {
        let mut line = serde_json::to_vec(&Written { fingerprint, rows }).map_err(|e| self.broken(&e))?;
        line.push(b'\n');
        let at = self.file.append(&line)?;
        Ok(Place { at, bytes: line.len() })
    }

    /// Waits until everything is on the disk.
    ///
    /// # Errors
    /// [`LedgerError::Store`].
    pub fn sync(&self) -> Result<(), LedgerError> {
        Ok(self.file.sync()?)
    }

    /// The rows of the round with this fingerprint, which stand at `place`.
    ///
    /// # Errors
    /// [`LedgerError`]; [`LedgerError::Journal`] where another entry stands there.
    pub fn rows(&mut self, place: Place, fingerprint: &str) -> Result<Vec<Row>, LedgerError> {
        let line = self.file.read_at(place.at, place.bytes)?;
        let entry: Entry = serde_json::from_slice(&line).map_err(|e| self.broken(&e))?;
        if entry.fingerprint != fingerprint {
            let reason = format!("at byte {}: entry {}, expected {fingerprint}", place.at, entry.fingerprint);
            return Err(LedgerError::Journal { path: self.path.clone(), reason });
        }
        Ok(entry.rows)
    }

    /// Takes the journal away.
    ///
    /// # Errors
    /// [`LedgerError::Store`].
    pub fn remove(self) -> Result<(), LedgerError> {
        Ok(self.file.remove()?)
    }

    fn broken(&self, error: &serde_json::Error) -> LedgerError {
        LedgerError::Journal { path: self.path.clone(), reason: error.to_string() }
    }
}

fn finished(journal: impl Read) -> std::io::Result<HashMap<String, Place>> {
    let mut finished = HashMap::new();
    let mut reader = BufReader::new(journal);
    let (mut at, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let bytes = (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok(finished);
        }
        if let Ok(entry) = serde_json::from_slice::<Entry>(&line) {
            let whole =
                !entry.rows.is_empty() && entry.rows.iter().all(|row| row.status.as_deref() != Some(DAMAGED));
            if whole {
                finished.insert(entry.fingerprint, Place { at, bytes });
            }
        }
        at += bytes as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::row;
    use std::io::Write;

    fn rows() -> Vec<Row> {
        vec![Row {
            scene: Some("fridge".to_owned()),
            status: Some(row::JUDGED.to_owned()),
            margin_m: Some(-0.0),
            min_distance_m: Some(0.1 + 0.2),
            seed: Some(i64::MIN),
            ..Row::default()
        }]
    }

    #[test]
    fn rows_come_back_bit_for_bit_after_garbage_and_a_torn_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.journal.jsonl");
        let mut journal = Journal::open(&path).unwrap();
        journal.add("aa", &rows()).unwrap();
        journal.add("bad", &[row::damaged_round("r", "1", "no")]).unwrap();
        journal.sync().unwrap();
        drop(journal);
        #[allow(clippy::disallowed_methods, reason = "a test damages the file")]
        let mut file = std::fs::File::options().append(true).open(&path).unwrap();
        file.write_all(b"\n\x00\xff garbage\n{\"fingerprint\":\"cc\"}\n{\"fingerprint\":\"dd\",\"rows\":[{\"no\":1}]}\n{\"fin").unwrap();
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(["bad", "cc", "dd"].map(|key| journal.find(key)), [None; 3]);
        let again = journal.add("ee", &rows()).unwrap();
        let first = journal.find("aa").unwrap();
        for (place, fingerprint) in [(first, "aa"), (again, "ee")] {
            let read = journal.rows(place, fingerprint).unwrap();
            assert_eq!(read, rows());
            assert_eq!(read[0].margin_m.map(f64::to_bits), Some((-0.0_f64).to_bits()));
        }
        drop(journal);
        assert!(Journal::open(&path).unwrap().find("ee").is_some());
    }

    #[test]
    fn the_entry_of_another_round_is_not_taken_for_the_one_that_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.journal.jsonl");
        let mut journal = Journal::open(&path).unwrap();
        let place = journal.add("aa", &rows()).unwrap();
        // As long as the entry, and a good one: only its fingerprint tells.
        let text = std::fs::read_to_string(&path).unwrap();
        #[allow(clippy::disallowed_methods, reason = "a test changes the file behind its owner's back")]
        std::fs::write(&path, text.replace("\"aa\"", "\"bb\"")).unwrap();
        let error = journal.rows(place, "aa").unwrap_err();
        assert!(matches!(error, LedgerError::Journal { .. }));
        assert!(error.to_string().ends_with("at byte 0: entry bb, expected aa"), "{error}");
        assert_eq!(journal.rows(place, "bb").unwrap(), rows());
    }

    #[test]
    fn a_second_run_is_refused_while_the_first_holds_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.journal.jsonl");
        let mut journal = Journal::open(&path).unwrap();
        let place = journal.add("aa", &rows()).unwrap();
        assert!(matches!(Journal::open(&path), Err(LedgerError::InUse { path: of }) if of == path));
        assert_eq!(journal.rows(place, "aa").unwrap(), rows());
        drop(journal);
        assert!(Journal::open(&path).unwrap().find("aa").is_some());
    }
}
