//! Rounds beside each other, and rounds that came from elsewhere.
//!
//! [`diff`] compares two rounds, [`diff_text`] prints that. [`import`] makes a round queryable that shell scripts
//! recorded, by the [`import_rules`], from what [`argv`] and [`stamp`] find in its deploy logs.
//!
//! Before a round: [`splice`] copies scenes, [`command`] and [`environment`] are what would be launched, [`preflight`] asks
//! every guard. Beside one: [`readiness`] decides, [`gate`] waits.

pub mod argv;
pub mod command;
pub mod diff;
pub mod diff_text;
pub mod environment;
pub mod gate;
pub mod import;
pub mod import_rules;
pub mod preflight;
pub mod readiness;
pub mod splice;
pub mod stamp;
