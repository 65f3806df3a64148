//! Why a graph was refused.

use crate::store::StoreError;
use rollcheck_kernels::KernelError;

/// A graph that cannot be built or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The file cannot be read, or its arrays have the wrong type or shape.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A relation is not a well-formed sparse matrix.
    #[error("{file}: relation `{relation}`: {source}")]
    Relation {
        /// The file.
        file: String,
        /// The relation's name.
        relation: &'static str,
        /// What is wrong with it.
        source: KernelError,
    },
    /// Node arrays that contradict each other.
    #[error("{file}: node {node}, field `{field}`: {found}, expected {expected}")]
    Node {
        /// The file.
        file: String,
        /// The node id.
        node: usize,
        /// The field.
        field: &'static str,
        /// What is expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// More nodes than ids can number.
    #[error("{found} nodes, at most {limit} can be numbered")]
    TooLarge {
        /// Nodes of the input.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// Demonstrations that another graph was made from.
    #[error("the demonstrations do not make this graph: {what} is {found}, expected {expected}")]
    OtherDemos {
        /// What differs first.
        what: String,
        /// The graph's.
        expected: String,
        /// The demonstrations'.
        found: String,
    },
}
