//! What an op refuses: shapes that do not fit. Values are never refused here.

/// A shape error of an op.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// A slice has the wrong length.
    #[error("{op}: `{argument}` holds {found} values, expected {expected}")]
    Length {
        /// The op that was called.
        op: &'static str,
        /// The argument's name.
        argument: &'static str,
        /// The length that the other arguments imply.
        expected: usize,
        /// The length given.
        found: usize,
    },
    /// A sparse matrix is not well formed.
    #[error("sparse matrix: {reason} (row {row})")]
    Csr {
        /// The first bad row.
        row: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// Compares a length with what the other arguments imply.
pub(crate) fn expect_len(
    op: &'static str,
    argument: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), KernelError> {
    if expected == found { Ok(()) } else { Err(KernelError::Length { op, argument, expected, found }) }
}
