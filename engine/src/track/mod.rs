//! What is fitted once a suite for the filter and its rules, and the file it lives in (`g_track.npz`).

pub mod error;
pub mod file;
pub mod parameters;

pub use error::TrackError;
pub use parameters::{Banks, TrackParameters};
