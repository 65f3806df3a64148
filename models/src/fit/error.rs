//! Why nothing was fitted.

use rollcheck_engine::belief::BeliefError;
use rollcheck_engine::graph::GraphError;
use rollcheck_engine::recovery::RecoveryError;
use rollcheck_kernels::KernelError;

/// A fit or an audit that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// No demo has a window.
    #[error("no check to fit on: none of the {owners} demos of the fit part has eight frames")]
    NoReplays {
        /// Demos of the part.
        owners: usize,
    },
    /// Demonstrations that are not those of the graph.
    #[error(transparent)]
    OtherDemos(#[from] GraphError),
    /// The filter.
    #[error(transparent)]
    Belief(#[from] BeliefError),
    /// An op.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The sentinel.
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
}
