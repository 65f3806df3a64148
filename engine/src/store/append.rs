//! A file that only ever grows: notes of finished work, so that work that was cut short can go on.
//!
//! Unlike [`super::atomic`] it is there while it is written, so a reader must expect a last record that is torn. A file
//! whose last line is not finished gets its end of line first: what is appended never joins a torn record.

use super::error::StoreError;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that is read anywhere and written at its end.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    path: PathBuf,
    bytes: u64,
}

impl AppendFile {
    /// Opens a file, or makes it, and its folder where that is missing.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            let failed = |source| StoreError::Io { path: folder.to_owned(), action: "create folder", source };
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        #[allow(clippy::disallowed_methods, reason = "its readers expect a torn end; see the module")]
        let file = File::options().read(true).append(true).create(true).open(path);
        let mut opened = Self { file: file.map_err(io(path, "write"))?, path: path.to_owned(), bytes: 0 };
        opened.end_line()?;
        Ok(opened)
    }

    fn end_line(&mut self) -> Result<(), StoreError> {
        self.bytes = self.file.seek(SeekFrom::End(0)).map_err(io(&self.path, "read"))?;
        let Some(last) = self.bytes.checked_sub(1) else { return Ok(()) };
        if self.read_at(last, 1)? != b"\n" {
            self.append(b"\n")?;
        }
        Ok(())
    }

    /// Bytes it holds.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes at the end; gives where that begins. Not yet safe from a power cut, see [`Self::sync`].
    pub fn append(&mut self, bytes: &[u8]) -> Result<u64, StoreError> {
        let at = self.bytes;
        self.file.write_all(bytes).map_err(io(&self.path, "write"))?;
        self.bytes += bytes.len() as u64;
        Ok(at)
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(io(&self.path, "sync"))
    }

    /// Exactly `count` bytes from `at`.
    pub fn read_at(&mut self, at: u64, count: usize) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![0; count];
        self.file
            .seek(SeekFrom::Start(at))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(io(&self.path, "read"))?;
        Ok(bytes)
    }

    /// Takes the file away.
    pub fn remove(self) -> Result<(), StoreError> {
        std::fs::remove_file(&self.path).map_err(io(&self.path, "remove"))
    }
}

fn io(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { path, action, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_last_line_is_ended_before_anything_is_added() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/notes.jsonl");
        let mut notes = AppendFile::open(&path).unwrap();
        assert_eq!(notes.append(b"one\n").unwrap(), 0);
        assert_eq!(notes.append(b"tw").unwrap(), 4);
        notes.sync().unwrap();
        drop(notes);
        let mut notes = AppendFile::open(&path).unwrap();
        assert_eq!(notes.append(b"three\n").unwrap(), 7);
        assert_eq!(notes.read_at(0, 13).unwrap(), b"one\ntw\nthree\n");
        assert_eq!(notes.bytes(), 13);
        assert!(notes.read_at(7, 7).is_err());
        notes.remove().unwrap();
        assert!(!path.exists());
    }
}
