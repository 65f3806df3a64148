//! What the belief filter refuses.

use super::scope::ScopeId;
use rollcheck_kernels::KernelError;

/// A filter that cannot be set up, or an input that does not belong to it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BeliefError {
    /// The graph has no demo of this task.
    #[error("task {task} is not in the graph, which has the tasks {known:?}")]
    UnknownTask {
        /// The task asked for.
        task: i32,
        /// The tasks of the graph, ascending.
        known: Vec<i32>,
    },
    /// A parameter is outside what it may be.
    #[error("parameter `{name}`: {found}, expected {expected}")]
    Parameter {
        /// The parameter, with its index where it has one.
        name: String,
        /// What it may be.
        expected: &'static str,
        /// What was given.
        found: f64,
    },
    /// Two parts of a filter were made for different nodes.
    #[error("made for {found}, used with {expected}")]
    ForeignScope {
        /// The nodes it is used with.
        expected: Box<ScopeId>,
        /// The nodes it was made for.
        found: Box<ScopeId>,
    },
    /// A head gave another number of logits than there are nodes.
    #[error("{found} logits for {scope}, which has {expected} nodes")]
    Logits {
        /// The nodes of the filter.
        scope: Box<ScopeId>,
        /// Their number.
        expected: usize,
        /// Logits given.
        found: usize,
    },
    /// Slices that do not fit the filter's nodes.
    #[error(transparent)]
    Kernel(#[from] KernelError),
}
