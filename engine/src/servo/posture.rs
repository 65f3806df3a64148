//! What the servo hands to the policy: how it ended, and the posture to hold (sentinel page, section 3,
//! `JQ_POSTURE = target`).
//!
//! An operational-space controller pulls the null space of its task towards a reference posture. Left at the
//! pose the robot started in, it drags a rewound arm back within about two seconds, by up to the whole rewind
//! (measured: 0.47 rad after 3 s from a start 0.5 rad away, against 0.03 rad when it is set). The reference
//! must be the pose that the servo *reached*; the engine returns it, the control loop applies it.

use super::pd::Outcome;

/// Joint positions (rad) to set as the controller's null-space reference.
#[derive(Clone, Debug, PartialEq)]
pub struct PostureReference {
    q: Vec<f64>,
}

impl PostureReference {
    /// The reference for an arm that is now at `q_reached` (rad).
    pub fn reached(q_reached: &[f64]) -> Self {
        Self { q: q_reached.to_vec() }
    }

    /// Joint positions, rad.
    pub fn q(&self) -> &[f64] {
        &self.q
    }
}

/// The end of a servo run.
#[derive(Clone, Debug, PartialEq)]
pub struct HandOff {
    /// How it ended.
    pub outcome: Outcome,
    /// The posture to hold, whether the target was reached or not.
    pub posture: PostureReference,
}
