//! What the recovery loop refuses.

use crate::belief::BeliefError;
use crate::readout::ReadoutError;
use crate::servo::ServoError;
use crate::store::GraphHash;
use crate::when::WhenError;

/// A recovery that cannot be set up or a check that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecoveryError {
    /// The filter.
    #[error(transparent)]
    Belief(#[from] BeliefError),
    /// The rule.
    #[error(transparent)]
    When(#[from] WhenError),
    /// The target.
    #[error(transparent)]
    Readout(#[from] ReadoutError),
    /// The servo.
    #[error(transparent)]
    Servo(#[from] ServoError),
    /// Parameters of another graph.
    #[error("parameters were fitted for graph {found}, this is graph {expected}")]
    OtherGraph {
        /// The graph in use.
        expected: GraphHash,
        /// The parameters' graph.
        found: GraphHash,
    },
    /// A window of the wrong size.
    #[error("{what}: {found}, expected {expected}")]
    Window {
        /// What was counted.
        what: &'static str,
        /// What is expected.
        expected: usize,
        /// What was found.
        found: usize,
    },
    /// A rate that is not a positive number.
    #[error("rate is {found} Hz, expected a positive number")]
    Rate {
        /// The rate given.
        found: f64,
    },
    /// A start pose that is not of finite numbers.
    #[error("start pose, joint {joint}: {found} is not finite")]
    Start {
        /// The joint.
        joint: usize,
        /// The value.
        found: f64,
    },
    /// A worker number outside the batch.
    #[error("worker {found}, the batch has {workers}")]
    Worker {
        /// Workers of the batch.
        workers: usize,
        /// The number given.
        found: usize,
    },
    /// A thread of the batch stopped; a bug.
    #[error("a thread of the batch stopped")]
    Thread,
}

/// Refuses a rate that is not a positive number: velocities would not be numbers either.
pub(super) fn expect_rate(rate_hz: f64) -> Result<(), RecoveryError> {
    if rate_hz.is_finite() && rate_hz > 0.0 { Ok(()) } else { Err(RecoveryError::Rate { found: rate_hz }) }
}
