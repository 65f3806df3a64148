//! Reading a file under a size limit, and taking numbers out of its bytes.

use crate::store::StoreError;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Why there are no bytes.
pub(super) enum BytesError {
    /// The system said no.
    Store(StoreError),
    /// More bytes than are read.
    TooLarge {
        /// How many at least.
        found: u64,
    },
}

/// The bytes of a file of at most `bytes_max`. A larger one is refused by its size, before a byte is read; one whose
/// size is not known beforehand (a pipe) when it goes past the limit.
pub(super) fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, BytesError> {
    let failed = |source| BytesError::Store(StoreError::Io { path: path.to_owned(), action: "read", source });
    let file = File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?.len();
    if found > bytes_max {
        return Err(BytesError::TooLarge { found });
    }
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > bytes_max {
        return Err(BytesError::TooLarge { found: bytes.len() as u64 });
    }
    Ok(bytes)
}

/// `N` bytes at an offset.
pub(super) fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

/// Text of a file shown in an error: its beginning.
pub(super) fn shown(text: &str) -> String {
    const CHARS: usize = 60;
    let text = text.trim();
    let mut short: String = text.chars().take(CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > CHARS {
        short.push_str("...");
    }
    format!("`{short}`")
}
