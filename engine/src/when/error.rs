//! Why a bank, a table or a setting of the rule was refused.

/// Input that the tests cannot be run with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WhenError {
    /// A setting is outside what keeps the guarantee.
    #[error("setting `{setting}` is {found}, expected {expected}")]
    Setting {
        /// The setting's name.
        setting: &'static str,
        /// What is expected.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// Arrays of one table that differ in length.
    #[error("`{field}` holds {found} values, expected {expected}")]
    Length {
        /// The array.
        field: &'static str,
        /// The length expected.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// A value that has no place in a bank or table.
    #[error("`{field}`, index {index}: {found}, expected {expected}")]
    Value {
        /// The array.
        field: &'static str,
        /// The place in it.
        index: usize,
        /// What is expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// The episode threshold needs more clean replays than there are.
    #[error(
        "{found} clean replays give no episode threshold at a false-alarm share of {alpha_half:.3e} a test: \
         at least {needed} are needed"
    )]
    TooFewReplays {
        /// Clean replays given.
        found: usize,
        /// The fewest that give a threshold.
        needed: usize,
        /// False-alarm share of one test and one fire.
        alpha_half: f64,
    },
}
