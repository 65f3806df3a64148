//! The journal: rows of finished rounds, one JSON line a round, so that a run that was cut short goes on.
//!
//! ```text
//! {"fingerprint":"<hex>","rows":[{"round_path":"...",...},...]}
//! ```
//!
//! In memory stand fingerprints and places alone. A line that is no entry is passed over; reading ends at one that is
//! longer than any ([`MAX_LINE`]). An entry with a damaged row is not used again: what was wrong may be mended without a
//! trace in size or time.

use super::columns::Row;
use super::error::LedgerError;
use super::row::DAMAGED;
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
    /// Opens the journal, or begins it, and finds what is finished.
    ///
    /// # Errors
    /// [`LedgerError::Store`].
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        let file = AppendFile::open(path)?;
        let finished = finished(path).map_err(|source| rollcheck_engine::store::StoreError::Io {
            path: path.to_owned(),
            action: "read",
            source,
        })?;
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

    /// The rows at a place.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn rows(&mut self, place: Place) -> Result<Vec<Row>, LedgerError> {
        let line = self.file.read_at(place.at, place.bytes)?;
        let entry: Entry = serde_json::from_slice(&line).map_err(|e| self.broken(&e))?;
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

fn finished(path: &Path) -> std::io::Result<HashMap<String, Place>> {
    let mut finished = HashMap::new();
    let mut reader = BufReader::new(std::fs::File::open(path)?);
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
        for place in [first, again] {
            let read = journal.rows(place).unwrap();
            assert_eq!(read, rows());
            assert_eq!(read[0].margin_m.map(f64::to_bits), Some((-0.0_f64).to_bits()));
        }
        drop(journal);
        assert!(Journal::open(&path).unwrap().find("ee").is_some());
    }
}
