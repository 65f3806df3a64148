//! Why the servo refused.

/// Settings, poses or states that the servo does not follow.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ServoError {
    /// A setting out of range.
    #[error("servo setting `{setting}` is {found}, expected {expected}")]
    Setting {
        /// The setting's name.
        setting: &'static str,
        /// What is expected.
        expected: String,
        /// What was given.
        found: f64,
    },
    /// Another number of joints than the target has.
    #[error("`{field}` has {found} joints, the target {expected}")]
    Joints {
        /// What was given.
        field: &'static str,
        /// Joints of the target.
        expected: usize,
        /// Joints found.
        found: usize,
    },
    /// A value that is not finite.
    #[error("`{field}`, index {index}: {found} is not finite")]
    NotFinite {
        /// What was given.
        field: &'static str,
        /// The joint; in a segment, the place among its `SEG_K x dof` values.
        index: usize,
        /// The value.
        found: f64,
    },
}

/// Refuses values that are not finite.
pub(super) fn expect_finite(field: &'static str, values: &[f64]) -> Result<(), ServoError> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(ServoError::NotFinite { field, index, found: values[index] }),
        None => Ok(()),
    }
}

/// Refuses a pose of another number of joints, or one that is not finite.
pub(super) fn expect_pose(field: &'static str, expected: usize, q: &[f64]) -> Result<(), ServoError> {
    if q.len() != expected {
        return Err(ServoError::Joints { field, expected, found: q.len() });
    }
    expect_finite(field, q)
}
