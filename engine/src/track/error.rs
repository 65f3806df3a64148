//! Why fitted parameters were refused.

use crate::belief::BeliefError;
use crate::store::StoreError;
use crate::when::WhenError;

/// A `g_track.npz` that cannot be read or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrackError {
    /// The file cannot be read, or was made for another graph or head.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A transition parameter is out of range.
    #[error("{file}: {source}")]
    Advance {
        /// The file.
        file: String,
        /// What is wrong.
        source: BeliefError,
    },
    /// A bank or the basin table is malformed.
    #[error("{file}: {part}: {source}")]
    When {
        /// The file.
        file: String,
        /// The bank or table.
        part: &'static str,
        /// What is wrong.
        source: WhenError,
    },
}
