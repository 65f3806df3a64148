//! Why demonstrations were refused.

use crate::store::StoreError;

/// A refusal of sentinel page, section 1, with file, episode, field and index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DemoError {
    /// The file itself cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No episodes.
    #[error("{file}: no episodes")]
    Empty {
        /// The file.
        file: String,
    },
    /// A value is not finite.
    #[error(
        "{file}: episode {episode}, field `{field}`, frame {frame}, joint {joint}: {found} is not finite"
    )]
    NotFinite {
        /// The file.
        file: String,
        /// Position of the episode in the file.
        episode: usize,
        /// Name of the array.
        field: String,
        /// Frame inside the episode.
        frame: usize,
        /// Joint (column).
        joint: usize,
        /// The value.
        found: f64,
    },
    /// Finite positions whose difference over time is not.
    #[error(
        "{file}: episode {episode}, field `{field}`, frame {frame}, joint {joint}: {found:e} rad at {rate_hz} \
         Hz makes a velocity that is not finite"
    )]
    Velocity {
        /// The file.
        file: String,
        /// Position of the episode in the file.
        episode: usize,
        /// Name of the array.
        field: String,
        /// Frame inside the episode.
        frame: usize,
        /// Joint (column).
        joint: usize,
        /// The position, rad.
        found: f64,
        /// The episode's rate.
        rate_hz: f64,
    },
    /// A gripper command that says neither open nor closed.
    #[error(
        "{file}: episode {episode}, field `{field}`, frame {frame}: gripper command {found}, expected {expected}"
    )]
    Gripper {
        /// The file.
        file: String,
        /// Position of the episode in the file.
        episode: usize,
        /// Name of the array.
        field: String,
        /// Frame inside the episode.
        frame: usize,
        /// What a command may be.
        expected: &'static str,
        /// The value.
        found: f64,
    },
    /// Too few frames.
    #[error("{file}: episode {episode}, field `{field}`: {frames} frame(s), at least 2 are needed")]
    TooShort {
        /// The file.
        file: String,
        /// Position of the episode in the file.
        episode: usize,
        /// Name of the array.
        field: String,
        /// Frames found.
        frames: usize,
    },
    /// The rate is not a positive number.
    #[error("{file}: episode {episode}, field `rate_hz`: {found} is not a positive rate in Hz")]
    Rate {
        /// The file.
        file: String,
        /// Position of the episode in the file.
        episode: usize,
        /// The value.
        found: f64,
    },
    /// Episodes differ in their number of joints, or the number is not supported.
    #[error("{file}: episode {episode}, field `{field}`: {found} joints, expected {expected}")]
    Dof {
        /// The file.
        file: String,
        /// Position of the episode in the file.
        episode: usize,
        /// Name of the array.
        field: String,
        /// What the other episodes have, or the range the code takes.
        expected: String,
        /// What this one has.
        found: usize,
    },
    /// Episode boundaries do not cut the frames.
    #[error("{file}: field `{field}`, index {index}: {found}, expected {expected}")]
    Boundary {
        /// The file.
        file: String,
        /// Name of the array.
        field: String,
        /// Index in the array.
        index: usize,
        /// What is expected there.
        expected: String,
        /// The value.
        found: i64,
    },
    /// Arrays of different lengths.
    #[error("{file}: field `{field}` holds {found} {unit}, expected {expected} as `{other}` has")]
    Lengths {
        /// The file.
        file: String,
        /// Name of the array.
        field: String,
        /// What is counted.
        unit: &'static str,
        /// The array that sets the length.
        other: String,
        /// The length it sets.
        expected: usize,
        /// The length found.
        found: usize,
    },
}
