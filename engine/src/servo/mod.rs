//! HOW: the joint-space servo that puts the arm back, and what it hands to the policy (sentinel page,
//! section 3).
//!
//! [`pd`] is the law and the state machine for a loop, [`plant`] runs it offline, [`posture`] is the null-space
//! reference that goes with the hand-off.

pub mod error;
pub mod pd;
pub mod plant;
pub mod posture;

pub use error::ServoError;
pub use pd::{Command, Outcome, Servo, ServoEnd, ServoSettings};
pub use plant::{Plan, PlannedStep, plan};
pub use posture::{HandOff, PostureReference};
