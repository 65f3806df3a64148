//! Which reading of the gap budgets applies.
//!
//! The two rule sets differ in three places of the reference page (section 16: D-2, D-3, D-4): the budget of a
//! payload against the world, the budget of an arm link when the published voxel term is zero, and a pair of which
//! one link has no hull. Everything else is common to both.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A rule set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleSet {
    /// As the harness document states them: published budgets as they stand.
    #[default]
    Documented,
    /// As the newest harness applies them: payload overhang, re-derived voxel term, box budget without a hull.
    Extended,
}

impl RuleSet {
    /// Both, in the order in which they are printed.
    pub const ALL: [Self; 2] = [Self::Documented, Self::Extended];

    /// As written in files and typed on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Extended => "extended",
        }
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for RuleSet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|r| r.name() == text)
            .ok_or_else(|| format!("expected `documented` or `extended`, found `{text}`"))
    }
}
