//! t = 0: whether a start pose is rewound, and where to (sentinel page, section 3).
//!
//! The head sees the static window `repeat(q_0, 8)` and says which nodes are reachable; the target is the
//! uniform mean of the entry stratum; the arm moves only when it is further than `JQ_GATE` from it.

use super::error::{RecoveryError, expect_rate};
use crate::belief::{Likelihood, Logits, Query, Window};
use crate::constants::HIST_H;
use crate::graph::DemoGraph;
use crate::readout::{EntryReadout, EntryTarget, needs_rewind};
use crate::servo::{Plan, ServoSettings, plan};
use rollcheck_kernels::knn::distance_sq;

/// The answer for one start pose.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryPlan {
    /// The target, its segment and its stratum.
    pub target: EntryTarget,
    /// `||q_0 - q*||`, rad.
    pub error_rad: f64,
    /// Whether the start is rewound: `error_rad > JQ_GATE`.
    pub rewind: bool,
}

impl EntryPlan {
    /// Asks the head about a start pose `q0` (rad).
    ///
    /// `without_owner` leaves out a demo, when the start is that demo's own.
    ///
    /// # Errors
    /// [`RecoveryError::Window`] for another number of joints, [`RecoveryError::Start`] for a value that is
    /// not finite, [`RecoveryError::Rate`], [`RecoveryError::Belief`] for an unknown task,
    /// [`RecoveryError::Readout`] for an empty stratum, saying which condition emptied it.
    pub fn new(
        graph: &DemoGraph,
        head: &mut dyn Likelihood,
        task: i32,
        q0: &[f64],
        closed: bool,
        rate_hz: f64,
        without_owner: Option<usize>,
    ) -> Result<Self, RecoveryError> {
        if q0.len() != graph.dof() {
            let (expected, found) = (graph.dof(), q0.len());
            return Err(RecoveryError::Window { what: "joints of the start pose", expected, found });
        }
        if let Some(joint) = q0.iter().position(|x| !x.is_finite()) {
            return Err(RecoveryError::Start { joint, found: q0[joint] });
        }
        expect_rate(rate_hz)?;
        if graph.lane(task).is_none() {
            let known = graph.lanes().iter().map(|l| l.task_id).collect();
            return Err(crate::belief::BeliefError::UnknownTask { task, known }.into());
        }
        let window = Window { q: &q0.repeat(HIST_H), closed: &[closed; HIST_H], rate_hz };
        let mut logits = Logits::default();
        head.logits(&Query { window, lane: Some(task), without_owner }, &mut logits);
        let target = EntryReadout { graph, without_owner }.target(task, &logits.values)?;
        let error_rad = distance_sq(q0, &target.q).sqrt();
        let rewind = needs_rewind(q0, &target.q);
        Ok(Self { target, error_rad, rewind })
    }

    /// The servo run on the offline plant, from rest at `q0` (rad).
    ///
    /// # Errors
    /// [`RecoveryError::Servo`].
    pub fn servo(&self, settings: ServoSettings, q0: &[f64]) -> Result<Plan, RecoveryError> {
        Ok(plan(settings, q0, &self.target.segment)?)
    }
}
