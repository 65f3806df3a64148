//! WHEN: two tests that bet against "this is still a clean replay" (sentinel page, section 5).
//!
//! [`basin`] and [`progress`] measure one number a check; [`bank`] holds what clean replays measured and
//! [`conformal`] turns a number into a p-value; [`bet`] and [`eprocess`] turn p-values into wealth; [`rule`]
//! decides. [`basin_table`] holds the radii that the basin test divides by, pooled as the banks are
//! ([`pooling`]).

pub mod bank;
pub mod basin;
pub mod basin_table;
pub mod bet;
pub mod conformal;
pub mod eprocess;
pub mod error;
pub mod pooling;
pub mod progress;
pub mod rule;
pub mod settings;
pub mod threshold;

pub use bank::{NullBank, PreparedBank};
pub use basin_table::{BasinCell, BasinTable};
pub use bet::Bet;
pub use conformal::PValue;
pub use eprocess::{Wealth, WealthRule};
pub use error::WhenError;
pub use rule::{Evidence, Fire, Ruling, UnionRule};
pub use settings::RuleSettings;
pub use threshold::Threshold;
