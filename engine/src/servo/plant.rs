//! Offline plant: the servo without a simulator (sentinel page, section 3).
//!
//! ```text
//! each tick, SERVO_HZ times a second, each joint:    qd += a dt,   q += qd dt,   dt = 1 / SERVO_HZ
//! ```
//!
//! One double integrator a joint, unit inertia, no coupling, starting at rest; `a` is the law of
//! [`super::pd`], evaluated at every tick; a control step is `SERVO_TICKS` ticks. It stays within 0.02 rad a step
//! of an approach recorded in the simulator.

use super::error::{ServoError, expect_pose};
use super::pd::{Command, Servo, ServoSettings};
use super::posture::HandOff;
use crate::constants::{SERVO_HZ, SERVO_TICKS};
use crate::readout::Segment;
use rollcheck_kernels::knn::distance_sq;

/// One control step of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedStep {
    /// The frame that was followed.
    pub frame: usize,
    /// Joint positions after the step, rad.
    pub q: Vec<f64>,
    /// Distance to that frame after the step, rad.
    pub error_rad: f64,
}

/// A servo run on the offline plant.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The control steps.
    pub steps: Vec<PlannedStep>,
    /// Joint velocities at the end, rad/s.
    pub qd_end: Vec<f64>,
    /// How it ended.
    pub hand_off: HandOff,
}

/// Runs the servo from `q_start` (rad), at rest, along a segment.
///
/// # Errors
/// [`ServoError`].
pub fn plan(settings: ServoSettings, q_start: &[f64], segment: &Segment) -> Result<Plan, ServoError> {
    expect_pose("start", segment.dof(), q_start)?;
    let mut servo = Servo::new(settings, segment.clone())?;
    let mut plant = Plant::at_rest(q_start);
    let mut steps = Vec::with_capacity(settings.step_limit.min(1024));
    loop {
        let (frame, q_target) = match servo.step(&plant.q)? {
            Command::Done(hand_off) => {
                return Ok(Plan { steps, qd_end: plant.qd, hand_off: hand_off.clone() });
            }
            Command::Follow { frame, q_target } => (frame, q_target),
        };
        plant.control_step(&settings, q_target);
        let error_rad = distance_sq(q_target, &plant.q).sqrt();
        steps.push(PlannedStep { frame, q: plant.q.clone(), error_rad });
    }
}

/// Decoupled double integrators.
struct Plant {
    q: Vec<f64>,
    qd: Vec<f64>,
    accelerations: Vec<f64>,
}

impl Plant {
    fn at_rest(q: &[f64]) -> Self {
        Self { q: q.to_vec(), qd: vec![0.0; q.len()], accelerations: vec![0.0; q.len()] }
    }

    fn control_step(&mut self, settings: &ServoSettings, q_target: &[f64]) {
        const DT: f64 = 1.0 / SERVO_HZ;
        for _ in 0..SERVO_TICKS {
            settings.accelerations(q_target, &self.q, &self.qd, &mut self.accelerations);
            for ((q, qd), a) in self.q.iter_mut().zip(&mut self.qd).zip(&self.accelerations) {
                *qd += a * DT;
                *q += *qd * DT;
            }
        }
    }
}
