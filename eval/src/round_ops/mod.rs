//! Rounds beside each other, and rounds that came from elsewhere.
//!
//! [`diff`] compares two rounds, [`diff_text`] prints that. [`import`] makes a round queryable that shell scripts
//! recorded, by the [`import_rules`], from what [`argv`] and [`stamp`] find in its deploy logs.

pub mod argv;
pub mod diff;
pub mod diff_text;
pub mod import;
pub mod import_rules;
pub mod stamp;
