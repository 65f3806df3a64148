//! What tests of this crate share.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder below the recorded data: `ROLLCHECK_SHARED`, or `shared` beside the repository. Without it, says so past
/// the harness's capture.
pub(crate) fn shared(test: &str, below: &str) -> Option<PathBuf> {
    let root = std::env::var_os("ROLLCHECK_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let folder = root.join(below);
    if folder.exists() {
        return Some(folder);
    }
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: there is no {}", folder.display());
    None
}
