//! Why a head was refused.

use rollcheck_engine::store::StoreError;

/// A head that cannot be read or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HeadError {
    /// The file cannot be read, or was made for another graph.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A size is not supported.
    #[error("head: `{field}` is {found}, expected {expected}")]
    Config {
        /// The size.
        field: &'static str,
        /// What is supported.
        expected: String,
        /// The value.
        found: String,
    },
    /// A weight is not finite.
    #[error("head: weight `{name}`, index {index}: {found} is not finite")]
    NotFinite {
        /// The tensor.
        name: String,
        /// Flat index.
        index: usize,
        /// The value.
        found: f32,
    },
    /// The tensor library failed; not reachable from a well-formed head.
    #[error("head: tensor operation failed: {0}")]
    Tensor(#[from] candle_core::Error),
}
