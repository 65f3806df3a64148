//! Training of the head (sentinel page, section 2).
//!
//! `windows` says what is asked and what the answer is, `field` weighs it, `subgraph` and `ops` bring the
//! kernels under candle's autograd, `loss` scores one window, `optimizer` holds the moments, [`trainer`]
//! runs the epochs, `metrics` scores held-out demos, `checkpoint` lets a run go on.

pub mod checkpoint;
pub mod error;
pub mod field;
mod loss;
pub mod metrics;
pub mod ops;
mod optimizer;
pub mod subgraph;
pub mod trainer;
pub mod windows;

pub use checkpoint::Checkpoint;
pub use error::TrainError;
pub use metrics::Scores;
pub use trainer::{EpochReport, TrainConfig, Trained, train};
