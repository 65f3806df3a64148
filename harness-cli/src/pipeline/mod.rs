//! What several commands do in the same way: read a folder's artifacts, train, fit, measure, replay.
//!
//! Composition and timing only: every number comes from `models` or `engine`. [`robot`] is a manifest with its meshes; [`recording`] is a file of
//! episodes with what it carries beside them, [`artifacts`] a folder with graph, head and filter; [`training`],
//! [`entry`], [`audit`], [`replay`] and [`latency`] are one step each; [`robot_model`] is a
//! robot from its files; [`quickstart`] holds what all of them found.

pub mod artifacts;
pub mod audit;
pub mod entry;
pub mod latency;
pub mod quickstart;
pub mod recording;
pub mod replay;
pub mod robot;
pub mod robot_model;
pub mod training;

pub use artifacts::{Artifacts, TrainedHead};
pub use recording::Recording;
