//! Why there is no target.

use super::entry::StratumCounts;

/// Input that gives no target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadoutError {
    /// No node meets the three conditions of entry.
    #[error("no entry target for task {task_id}: {counts}")]
    EmptyStratum {
        /// The task asked for.
        task_id: i32,
        /// How many nodes each condition left.
        counts: StratumCounts,
    },
    /// Values that do not belong to the graph or the lane.
    #[error("`{field}` holds {found} values, expected {expected}")]
    Length {
        /// What was given.
        field: &'static str,
        /// The length expected.
        expected: usize,
        /// The length found.
        found: usize,
    },
}

/// Refuses values of another length than the graph or the lane gives.
pub(super) fn expect_len(field: &'static str, expected: usize, found: usize) -> Result<(), ReadoutError> {
    if found == expected { Ok(()) } else { Err(ReadoutError::Length { field, expected, found }) }
}
