//! Why a training run was refused or stopped.

use crate::head::HeadError;
use rollcheck_engine::graph::GraphError;
use rollcheck_engine::store::StoreError;

/// A training run that cannot start or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The head or its tensors.
    #[error(transparent)]
    Head(#[from] HeadError),
    /// The checkpoint's file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A setting is out of range.
    #[error("training: `{field}` is {found}, expected {expected}")]
    Config {
        /// The setting.
        field: &'static str,
        /// What is allowed.
        expected: String,
        /// The value.
        found: String,
    },
    /// Nothing to train on, or nothing to choose the epoch by.
    #[error("training: no windows for `{part}`: {reason}")]
    NoWindows {
        /// Part of the split.
        part: &'static str,
        /// Why there are none.
        reason: String,
    },
    /// Demonstrations that are not those of the graph.
    #[error(transparent)]
    OtherDemos(#[from] GraphError),
    /// The loss is no longer a number.
    #[error("training: loss is {found} in epoch {epoch}, batch {batch}")]
    Diverged {
        /// Epoch, from 1.
        epoch: usize,
        /// Batch of the epoch, from 0.
        batch: usize,
        /// The loss.
        found: f64,
    },
    /// A checkpoint of another run.
    #[error("{file}: made with `{field}` {found}, this run has {expected}")]
    OtherRun {
        /// The checkpoint.
        file: String,
        /// The setting that differs.
        field: String,
        /// This run's.
        expected: String,
        /// The checkpoint's.
        found: String,
    },
}

impl From<candle_core::Error> for TrainError {
    fn from(error: candle_core::Error) -> Self {
        Self::Head(HeadError::Tensor(error))
    }
}
