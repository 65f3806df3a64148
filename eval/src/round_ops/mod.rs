//! Rounds beside each other.
//!
//! [`diff`] compares two rounds, [`diff_text`] prints that.

pub mod diff;
pub mod diff_text;
