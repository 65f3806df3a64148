//! The two regimes put together: `entry` at t = 0, `sentinel` at t > 0.
//!
//! [`EntryPlan`] says whether a start is rewound and where to; [`SentinelModel`] is what workers share,
//! [`SentinelWorker`] one worker's state, [`Sentinel`] a worker with its own head; [`SentinelBatch`] runs
//! many workers in one pass.

pub mod batch;
pub mod entry;
pub mod error;
pub mod model;
mod team;
pub mod worker;

pub use batch::{BatchWindows, SentinelBatch};
pub use entry::EntryPlan;
pub use error::RecoveryError;
pub use model::{Choice, SentinelModel, SentinelSettings};
pub use worker::{CheckReport, Intervention, Sentinel, SentinelWorker};
