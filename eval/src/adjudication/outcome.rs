//! The one outcome of a scene, and the order in which its causes outrank each other.
//!
//! Reference page, section 7: success, then a void run, then no stop at all, then a stop before any action, then
//! what adjudication says. The adjudication is computed and kept whatever decides.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a scene came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The task succeeded; the only success.
    Completed,
    /// Stopped, and solid geometry was in contact.
    EstopCollisionReal,
    /// Stopped, and the nearest geometry is farther than the gap budget explains.
    EstopCollisionFalsePositive,
    /// Stopped conservatively, by an amount that the gap budget explains.
    EstopCollisionWithinQuantization,
    /// Stopped, and nobody can say: not a synonym for fine.
    EstopCollisionUnadjudicated,
    /// Stopped before any action reached the robot.
    EstopInitialConfiguration,
    /// Neither stop nor success, with a grasp.
    DeadlineAfterGrasp,
    /// Neither stop nor success nor grasp.
    DeadlineNoGrasp,
    /// The run left no usable artifact set.
    HarnessError,
}

impl Outcome {
    /// Every outcome, in the order in which they are listed.
    pub const ALL: [Self; 9] = [
        Self::Completed,
        Self::EstopCollisionReal,
        Self::EstopCollisionFalsePositive,
        Self::EstopCollisionWithinQuantization,
        Self::EstopCollisionUnadjudicated,
        Self::EstopInitialConfiguration,
        Self::DeadlineAfterGrasp,
        Self::DeadlineNoGrasp,
        Self::HarnessError,
    ];

    /// As written in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::EstopCollisionReal => "estop-collision-real",
            Self::EstopCollisionFalsePositive => "estop-collision-false-positive",
            Self::EstopCollisionWithinQuantization => "estop-collision-within-quantization",
            Self::EstopCollisionUnadjudicated => "estop-collision-unadjudicated",
            Self::EstopInitialConfiguration => "estop-initial-configuration",
            Self::DeadlineAfterGrasp => "deadline-after-grasp",
            Self::DeadlineNoGrasp => "deadline-no-grasp",
            Self::HarnessError => "harness-error",
        }
    }

    /// Ran out of time: neither a stop nor a success.
    pub fn is_deadline(self) -> bool {
        matches!(self, Self::DeadlineAfterGrasp | Self::DeadlineNoGrasp)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the simulator's ground truth says about a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GroundTruthVerdict {
    /// Solid geometry in contact.
    RealContact,
    /// Farther away than the gap budget explains.
    FalsePositive,
    /// Explained by the gap budget.
    WithinQuantization,
    /// Cannot be said, for a stated reason.
    Unadjudicated,
}

impl GroundTruthVerdict {
    /// As written in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::RealContact => "real-contact",
            Self::FalsePositive => "false-positive",
            Self::WithinQuantization => "within-quantization",
            Self::Unadjudicated => "unadjudicated",
        }
    }

    /// The outcome of a stop that nothing outranks.
    pub fn outcome(self) -> Outcome {
        match self {
            Self::RealContact => Outcome::EstopCollisionReal,
            Self::FalsePositive => Outcome::EstopCollisionFalsePositive,
            Self::WithinQuantization => Outcome::EstopCollisionWithinQuantization,
            Self::Unadjudicated => Outcome::EstopCollisionUnadjudicated,
        }
    }
}

impl fmt::Display for GroundTruthVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which condition decided the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeRule {
    /// The task succeeded at some time.
    Success,
    /// The run is void.
    HarnessError,
    /// No stop, with a grasp.
    NoStopAfterGrasp,
    /// No stop and no grasp.
    NoStop,
    /// The stop came before any action.
    InitialConfiguration,
    /// Ground truth.
    Adjudication,
}

impl OutcomeRule {
    /// Its row in section 7 of the reference page, and the condition in words.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Success => ("1", "the task was in success at some time"),
            Self::HarnessError => ("2", "the run left no usable artifact set"),
            Self::NoStopAfterGrasp => ("3", "no stop was recorded, and an object was attached"),
            Self::NoStop => ("4", "no stop was recorded, and nothing was attached"),
            Self::InitialConfiguration => ("5", "the stop came before any action reached the robot"),
            Self::Adjudication => ("6 to 9", "ground truth decides"),
        }
    }
}

/// What the outcome is decided from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Causes {
    /// The task succeeded at some time; only a clear yes counts.
    pub ever_succeeded: Option<bool>,
    /// The run is void.
    pub void: bool,
    /// An object was attached.
    pub attached: bool,
    /// The stop came before any action.
    pub initial_configuration: bool,
    /// What ground truth says; `None` without a stop.
    pub ground_truth: Option<GroundTruthVerdict>,
}

/// The outcome, by the first condition that holds.
pub fn decide(causes: &Causes) -> (Outcome, OutcomeRule) {
    if causes.ever_succeeded == Some(true) {
        return (Outcome::Completed, OutcomeRule::Success);
    }
    if causes.void {
        return (Outcome::HarnessError, OutcomeRule::HarnessError);
    }
    match causes.ground_truth {
        None if causes.attached => (Outcome::DeadlineAfterGrasp, OutcomeRule::NoStopAfterGrasp),
        None => (Outcome::DeadlineNoGrasp, OutcomeRule::NoStop),
        Some(_) if causes.initial_configuration => {
            (Outcome::EstopInitialConfiguration, OutcomeRule::InitialConfiguration)
        }
        Some(verdict) => (verdict.outcome(), OutcomeRule::Adjudication),
    }
}
