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

/// Writes to a temporary file in the same folder, syncs it, and renames it over `path`; makes the folder
/// where it is missing. On an error `path` is as it was.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
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
    let mut file = builder.tempfile_in(&folder).map_err(io(path, "write"))?;
    file.write_all(bytes).map_err(io(path, "write"))?;
    file.as_file().sync_all().map_err(io(path, "sync"))?;
    file.persist(path).map_err(|e| io(path, "write")(e.error))?;
    // The rename itself must survive a power cut; not every file system lets a folder be synced.
    if let Ok(handle) = std::fs::File::open(&folder) {
        let _ = handle.sync_all();
    }
    Ok(())
}
