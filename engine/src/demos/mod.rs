//! Demonstrations: episodes of joint states, checked once, and the files they come from.

pub mod episode;
pub mod error;
pub mod npz;

pub use episode::{DemoSet, Episode, TaskInfo};
pub use error::DemoError;
