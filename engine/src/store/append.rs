//! A file that only ever grows: notes of finished work, so that work that was cut short can go on.
//!
//! Unlike [`super::atomic`] it is there while it is written, so a reader must expect a last record that is torn. A file
//! whose last line is not finished gets its end of line first: what is appended never joins a torn record.
//!
//! One process at a time: the file is locked while it is open, and who comes second is refused before it writes a byte.
//! The lock goes with the process, however that ends.

use super::error::StoreError;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that is read anywhere and written at its end, by one process.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    path: PathBuf,
    bytes: u64,
}

impl AppendFile {
    /// Opens a file, or makes it, and its folder where that is missing, and locks it until it is dropped.
    ///
    /// # Errors
    /// [`StoreError::InUse`] where somebody else has it open; [`StoreError::Io`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            let failed = |source| StoreError::Io { path: folder.to_owned(), action: "create folder", source };
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let file = loop {
            #[allow(clippy::disallowed_methods, reason = "its readers expect a torn end; see the module")]
            let file = File::options().read(true).append(true).create(true).open(path);
            let file = file.map_err(io(path, "write"))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(StoreError::InUse { path: path.to_owned() }),
                Err(TryLockError::Error(source)) => return Err(io(path, "lock")(source)),
            }
            // Who had it before may have taken it away between the two.
            if stands_at(&file, path).map_err(io(path, "read"))? {
                break file;
            }
        };
        let mut opened = Self { file, path: path.to_owned(), bytes: 0 };
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

    /// Everything from the first byte. A second handle could not read on systems whose locks bind readers.
    pub fn read_all(&mut self) -> Result<impl Read + '_, StoreError> {
        self.file.seek(SeekFrom::Start(0)).map_err(io(&self.path, "read"))?;
        Ok(&self.file)
    }

    /// Takes the file away; it is locked until it is gone.
    pub fn remove(self) -> Result<(), StoreError> {
        std::fs::remove_file(&self.path).map_err(io(&self.path, "remove"))
    }
}

/// Whether this file is still the one at its path.
#[cfg(unix)]
fn stands_at(file: &File, path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let identity = |of: std::fs::Metadata| (of.dev(), of.ino());
    match std::fs::metadata(path) {
        Ok(found) => Ok(identity(found) == identity(file.metadata()?)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Elsewhere the standard library has no identity to compare; a file that is gone is told all the same.
#[cfg(not(unix))]
fn stands_at(_: &File, path: &Path) -> std::io::Result<bool> {
    path.try_exists()
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

    #[test]
    fn who_comes_second_is_refused_and_the_file_keeps_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.jsonl");
        let mut first = AppendFile::open(&path).unwrap();
        first.append(b"one\ntw").unwrap();
        for _ in 0..2 {
            let refused = AppendFile::open(&path).unwrap_err();
            assert!(matches!(&refused, StoreError::InUse { path: of } if *of == path), "{refused}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"one\ntw", "no end of line was added to it");
        assert_eq!(first.append(b"o\n").unwrap(), 6);
        let mut all = Vec::new();
        first.read_all().unwrap().read_to_end(&mut all).unwrap();
        assert_eq!(all, b"one\ntwo\n");
        drop(first);
        assert_eq!(AppendFile::open(&path).unwrap().bytes(), 8);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_ever_holds_a_file_that_was_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.jsonl");
        let work = || {
            for _ in 0..300 {
                if let Ok(mut held) = AppendFile::open(&path) {
                    assert_eq!(held.append(b"mine\n").unwrap(), 0);
                    assert_eq!(std::fs::read(&path).unwrap(), b"mine\n");
                    held.remove().unwrap();
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(work);
            }
        });
        assert!(!path.exists());
    }
}
