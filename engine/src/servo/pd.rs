//! Joint-space PD servo along a target segment (sentinel page, section 3, HOW).
//!
//! ```text
//! a = kp (q* - q) - kd qd        kd = 2 sqrt(kp): critically damped       rad/s^2, each joint
//! ```
//!
//! With unit inertia `a` is the torque; a loop with a dynamics model applies `M(q) a + bias`. `q*` is frame 0
//! until `||q* - q|| <= tolerance` (2-norm, rad), then frames 1, 2, ... to the last, one a control step. Approach
//! and following both count against the step limit. A state of another number of joints or with a value that is
//! not finite is refused; it counts no step.

use super::error::{ServoError, expect_finite, expect_pose};
use super::posture::{HandOff, PostureReference};
use crate::constants::{JQ_EPS, JQ_KP, JQ_MAX, SEG_K, SERVO_HZ};
use crate::readout::Segment;
use rollcheck_kernels::knn::distance_sq;

/// Gains and limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServoSettings {
    /// Proportional gain, 1/s^2.
    pub kp: f64,
    /// Distance to frame 0 at which it counts as reached, rad.
    pub tolerance_rad: f64,
    /// Control steps at most.
    pub step_limit: usize,
}

impl Default for ServoSettings {
    fn default() -> Self {
        Self { kp: JQ_KP, tolerance_rad: JQ_EPS, step_limit: JQ_MAX }
    }
}

impl ServoSettings {
    /// Derivative gain that damps critically, 1/s.
    pub fn kd(&self) -> f64 {
        2.0 * self.kp.sqrt()
    }

    /// The law: joint accelerations `out` (rad/s^2) from positions `q` (rad) and velocities `qd` (rad/s) towards
    /// `q_target` (rad).
    pub fn accelerations(&self, q_target: &[f64], q: &[f64], qd: &[f64], out: &mut [f64]) {
        let kd = self.kd();
        for (((out, target), q), qd) in out.iter_mut().zip(q_target).zip(q).zip(qd) {
            *out = self.kp * (target - q) - kd * qd;
        }
    }

    /// Refuses settings with which the servo would not arrive.
    ///
    /// # Errors
    /// [`ServoError::Setting`].
    pub fn check(&self) -> Result<(), ServoError> {
        // Semi-implicit steps of a critically damped joint are stable below sqrt(kp) dt = 2 sqrt(2) - 2.
        let fastest = (2.0 * 2.0_f64.sqrt() - 2.0) * SERVO_HZ;
        if !(self.kp > 0.0 && self.kp < fastest * fastest) {
            let expected =
                format!("more than 0, less than {:.0} (stable at {SERVO_HZ} Hz)", fastest * fastest);
            return Err(ServoError::Setting { setting: "kp", expected, found: self.kp });
        }
        if !(self.tolerance_rad.is_finite() && self.tolerance_rad > 0.0) {
            let (expected, found) = ("more than 0 rad".to_owned(), self.tolerance_rad);
            return Err(ServoError::Setting { setting: "tolerance_rad", expected, found });
        }
        Ok(())
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServoEnd {
    /// Frame 0 was reached and every frame followed.
    Reached,
    /// The step limit was spent before that: blocked, or out of reach.
    StepLimit,
}

/// A finished run in figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub end: ServoEnd,
    /// Control steps until frame 0 was within the tolerance; `None` if it never was.
    pub approach_steps: Option<usize>,
    /// Control steps in all.
    pub steps: usize,
    /// The frame that was followed last.
    pub frame: usize,
    /// Distance to that frame at the end, rad.
    pub error_rad: f64,
}

/// What to do in the coming control step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command<'a> {
    /// Apply the law towards this frame.
    Follow {
        /// Place of the frame in the segment.
        frame: usize,
        /// Its joint positions, rad.
        q_target: &'a [f64],
    },
    /// Stop, set the posture, and let the policy go on.
    Done(&'a HandOff),
}

/// One run of the servo, asked before every control step.
#[derive(Clone, Debug, PartialEq)]
pub struct Servo {
    settings: ServoSettings,
    segment: Segment,
    frame: usize,
    steps: usize,
    approach_steps: Option<usize>,
    hand_off: Option<HandOff>,
}

impl Servo {
    /// A run towards a segment.
    ///
    /// # Errors
    /// [`ServoError::Setting`], [`ServoError::NotFinite`].
    pub fn new(settings: ServoSettings, segment: Segment) -> Result<Self, ServoError> {
        settings.check()?;
        expect_finite("segment", segment.as_slice())?;
        Ok(Self { settings, segment, frame: 0, steps: 0, approach_steps: None, hand_off: None })
    }

    /// The settings.
    pub fn settings(&self) -> &ServoSettings {
        &self.settings
    }

    /// Takes the arm's joint positions `q` (rad) and says what to do in the coming control step. Once done it
    /// stays done.
    ///
    /// # Errors
    /// [`ServoError::Joints`], [`ServoError::NotFinite`].
    pub fn step(&mut self, q: &[f64]) -> Result<Command<'_>, ServoError> {
        expect_pose("q", self.segment.dof(), q)?;
        if self.hand_off.is_none() {
            self.hand_off = self.advance(q).map(|end| self.finish(end, q));
        }
        Ok(match &self.hand_off {
            Some(hand_off) => Command::Done(hand_off),
            None => Command::Follow { frame: self.frame, q_target: self.segment.frame(self.frame) },
        })
    }

    /// Moves on to the frame of the coming step and counts it, or says how the run ended.
    fn advance(&mut self, q: &[f64]) -> Option<ServoEnd> {
        let arrives = self.approach_steps.is_none() && self.error_rad(q) <= self.settings.tolerance_rad;
        if arrives {
            self.approach_steps = Some(self.steps);
        }
        let follows = self.approach_steps.is_some();
        if follows && self.frame == SEG_K - 1 {
            return Some(ServoEnd::Reached);
        }
        if self.steps == self.settings.step_limit {
            return Some(ServoEnd::StepLimit);
        }
        self.frame += usize::from(follows);
        self.steps += 1;
        None
    }

    fn finish(&self, end: ServoEnd, q: &[f64]) -> HandOff {
        let Self { frame, steps, approach_steps, .. } = *self;
        let outcome = Outcome { end, approach_steps, steps, frame, error_rad: self.error_rad(q) };
        HandOff { outcome, posture: PostureReference::reached(q) }
    }

    /// Distance to the frame that is followed, rad.
    fn error_rad(&self, q: &[f64]) -> f64 {
        distance_sq(self.segment.frame(self.frame), q).sqrt()
    }
}
