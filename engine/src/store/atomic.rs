//! Reading and writing whole files; a reader never sees half a file.

use super::error::StoreError;
use std::io::Write;
use std::path::{Path, PathBuf};

fn io(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { path, action, source }
}

/// The whole file.
pub fn read(path: &Path) -> Result<Vec<u8>, StoreError> {
    std::fs::read(path).map_err(io(path, "read"))
}

/// Writes the whole file through a [`Writer`]; makes the folder where it is missing. On an error `path` is as it
/// was.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut writer = Writer::create(path)?;
    writer.file.write_all(bytes).map_err(io(path, "write"))?;
    writer.commit()
}

/// A file that grows out of sight: a temporary one in the same folder, which [`Writer::commit`] syncs and renames over
/// the path. Dropped without that it leaves nothing, and the path is as it was.
#[derive(Debug)]
pub struct Writer {
    file: tempfile::NamedTempFile,
    path: PathBuf,
    folder: PathBuf,
}

impl Writer {
    /// Begins; makes the folder where it is missing.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let folder: PathBuf = match path.parent() {
            Some(p) if !p.as_os_str().is_empty() => p.to_owned(),
            _ => PathBuf::from("."),
        };
        std::fs::create_dir_all(&folder).map_err(io(&folder, "create folder"))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".rollcheck-");
        #[cfg(unix)]
        {
            // A temporary file is private by default; the result should be as any written file.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(&folder).map_err(io(path, "write"))?;
        Ok(Self { file, path: path.to_owned(), folder })
    }

    /// Puts the file in place.
    pub fn commit(self) -> Result<(), StoreError> {
        let Self { file, path, folder } = self;
        file.as_file().sync_all().map_err(io(&path, "sync"))?;
        file.persist(&path).map_err(|e| io(&path, "write")(e.error))?;
        // The rename itself must survive a power cut; not every file system lets a folder be synced.
        if let Ok(handle) = std::fs::File::open(&folder) {
            let _ = handle.sync_all();
        }
        Ok(())
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_streamed_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/table.csv");
        let mut writer = Writer::create(&path).unwrap();
        writer.write_all(b"one,").unwrap();
        assert!(!path.exists());
        writer.write_all(b"two").unwrap();
        writer.commit().unwrap();
        assert_eq!(read(&path).unwrap(), b"one,two");

        let mut dropped = Writer::create(&path).unwrap();
        dropped.write_all(b"half").unwrap();
        drop(dropped);
        assert_eq!(read(&path).unwrap(), b"one,two");
        assert_eq!(names(&folder.path().join("a")), ["table.csv"]);
    }

    #[test]
    fn a_folder_in_the_way_is_an_error_that_names_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        std::fs::create_dir(&path).unwrap();
        let error = write(&path, b"x").unwrap_err().to_string();
        assert!(error.contains("table.csv: cannot write"), "{error}");
        assert_eq!(names(folder.path()), ["table.csv"]);
    }
}
