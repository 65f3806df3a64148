//! Why a ledger could not be written. What is wrong with a round is a row, never an error.

use rollcheck_engine::store::StoreError;
use std::path::PathBuf;

/// A ledger that could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// A file that cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something that is no file stands where one belongs.
    #[error("{}: not a regular file, cannot write here", path.display())]
    InTheWay {
        /// The path.
        path: PathBuf,
    },
    /// The journal is held by another run.
    #[error("{}: another run writes this ledger; wait for it or choose another folder", path.display())]
    InUse {
        /// The journal.
        path: PathBuf,
    },
    /// A table that cannot be encoded or written.
    #[error("{}: cannot write: {reason}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What its writer says.
        reason: String,
    },
    /// The journal changed while it was in use.
    #[error("{}: changed by somebody else: {reason}", path.display())]
    Journal {
        /// The journal.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
}
