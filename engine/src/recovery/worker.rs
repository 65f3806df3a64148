//! One worker at t > 0: a window in, a report out, a target when it fires (sentinel page, sections 4 to 6).
//!
//! Order of a check: logits, filter, statistics, p-values, bets, fire, target. A fire with a target resets
//! both wealths at once; the loop then runs the servo and calls [`SentinelWorker::after_recovery`]. A fire
//! without a target is reported and changes nothing. A window that holds a value that is not finite is
//! refused and counted; the belief survives. Nothing is allocated in a check.

use super::error::{RecoveryError, expect_rate};
use super::model::SentinelModel;
use crate::belief::{BeliefTracker, CheckBelief, CheckCounts, CheckKind, Likelihood, Logits, Query, Window};
use crate::constants::HIST_H;
use crate::readout::basin::BasinQuery;
use crate::readout::{BasinReadout, Segment, TargetKind};
use crate::when::basin::{self, BasinReading};
use crate::when::progress::{Progress, ProgressReading};
use crate::when::{Evidence, Fire, PValue, Ruling, UnionRule};
use std::sync::Arc;

/// What a fire led to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intervention {
    /// Which test fired.
    pub fire: Fire,
    /// What the target is made of; without one the fire is not carried out.
    pub target: TargetKind,
}

impl Intervention {
    /// Whether there is a target to go to.
    pub fn is_executed(&self) -> bool {
        self.target != TargetKind::None
    }
}

/// Everything that one check found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckReport {
    /// Checks of the episode before this one.
    pub index: usize,
    /// The filter.
    pub belief: CheckBelief,
    /// Distance to the manifold, where it can be measured.
    pub basin: Option<BasinReading>,
    /// Its p-value.
    pub p_basin: Option<PValue>,
    /// Change of phase, where there is one.
    pub progress: Option<ProgressReading>,
    /// Its p-value.
    pub p_progress: Option<PValue>,
    /// Both log wealths after the bet, and the fire if any.
    pub ruling: Ruling,
    /// What the fire led to.
    pub intervention: Option<Intervention>,
    /// Whether the gripper command of the judged frame closes.
    pub closed: bool,
}

/// A worker's state; the head is passed in, so that many workers can share one's buffers.
#[derive(Clone, Debug)]
pub struct SentinelWorker {
    model: Arc<SentinelModel>,
    lane: usize,
    tracker: BeliefTracker,
    rule: UnionRule,
    progress: Progress,
    readout: BasinReadout,
    checks: usize,
    logits: Logits,
}

impl SentinelWorker {
    /// A worker at the start of an episode of a task.
    ///
    /// # Errors
    /// [`RecoveryError::Belief`] for an unknown task.
    pub fn new(model: Arc<SentinelModel>, task: i32) -> Result<Self, RecoveryError> {
        let lane = model.lane_index(task)?;
        let tracker = model.tracker(lane)?;
        let logits = Logits { values: Vec::with_capacity(model.graph().len()) };
        Ok(Self {
            lane,
            tracker,
            rule: UnionRule::new(model.settings().rule)?,
            progress: Progress::default(),
            readout: BasinReadout::new(model.graph()),
            checks: 0,
            logits,
            model,
        })
    }

    /// Begins an episode of a task.
    ///
    /// # Errors
    /// [`RecoveryError::Belief`] for an unknown task; the worker is then as before.
    pub fn reset(&mut self, task: i32) -> Result<(), RecoveryError> {
        let lane = self.model.lane_index(task)?;
        if lane == self.lane {
            self.tracker.reset(self.model.excluded());
        } else {
            self.tracker = self.model.tracker(lane)?;
            self.lane = lane;
        }
        self.rule.new_episode();
        self.progress.reset();
        self.checks = 0;
        Ok(())
    }

    /// The servo handed the arm back: the next check takes its likelihood and bets no progress.
    pub fn after_recovery(&mut self) {
        self.tracker.after_recovery();
        self.rule.after_recovery();
        self.progress.reset();
    }

    /// The task of the episode.
    pub fn task(&self) -> i32 {
        self.model.lane(self.lane).task_id
    }

    /// What the worker shares with others.
    pub fn model(&self) -> &Arc<SentinelModel> {
        &self.model
    }

    /// Checks, restarts, blind and refused checks of the episode.
    pub fn counts(&self) -> CheckCounts {
        self.tracker.counts()
    }

    /// Fires carried out in the episode.
    pub fn fires(&self) -> usize {
        self.rule.fires()
    }

    /// The belief, one value a node of the task's lane.
    pub fn belief(&self) -> Option<&[f64]> {
        self.tracker.belief()
    }

    /// The logits of the last scored window, one a node of the task's lane.
    pub fn logits(&self) -> &Logits {
        &self.logits
    }

    /// The frames to go to after an executed fire.
    pub fn target(&self) -> &Segment {
        self.readout.segment()
    }

    /// Log wealth that each test must reach, basin first.
    pub fn log_thresholds(&self) -> (f64, f64) {
        self.rule.log_thresholds()
    }

    /// One check.
    ///
    /// # Errors
    /// [`RecoveryError::Window`] and [`RecoveryError::Rate`] for a window of another size or without a rate;
    /// the worker is then as before.
    pub fn check(
        &mut self,
        head: &mut dyn Likelihood,
        window: &Window<'_>,
    ) -> Result<CheckReport, RecoveryError> {
        self.expect_window(window)?;
        let lane = self.model.lane(self.lane);
        let belief = if window.is_finite() {
            let query =
                Query { window: *window, lane: Some(lane.task_id), without_owner: self.model.excluded() };
            head.logits(&query, &mut self.logits);
            self.tracker.step(&self.logits)?
        } else {
            self.tracker.step_refused()?
        };
        let phase_hat = belief.phase_hat();
        let (graph, parameters, banks) = (self.model.graph(), self.model.parameters(), self.model.banks());
        let refused = belief.kind == CheckKind::Refused;
        let basin = phase_hat.filter(|_| !refused).and_then(|phase| {
            basin::read(graph, &parameters.basin, lane, window.newest(), phase, self.model.excluded())
        });
        let p_basin = basin.and_then(|b| banks.basin.p_high(lane.task_id, b.bin, b.ratio()));
        let progress = self.progress.read(phase_hat, belief.is_blind());
        let p_progress = progress.and_then(|p| banks.progress.p_low(lane.task_id, p.bin, p.change));
        let closed = window.newest_closed();
        let ruling = self.rule.observe(&Evidence { p_basin, p_progress, phase_hat, closed });
        let intervention = match (ruling.fire, phase_hat, self.tracker.belief()) {
            // The judged pose of a refused window is unknown: there is nothing to measure a target from.
            (Some(fire), Some(phase_hat), Some(belief)) if !refused => {
                let query = BasinQuery {
                    lane,
                    belief,
                    phase_hat,
                    q: window.newest(),
                    closed,
                    without_owner: self.model.excluded(),
                };
                let target = self.readout.read(graph, &parameters.basin, &query)?;
                Some(Intervention { fire, target })
            }
            (Some(fire), ..) => Some(Intervention { fire, target: TargetKind::None }),
            (None, ..) => None,
        };
        if intervention.is_some_and(|i| i.is_executed()) {
            self.rule.executed();
        }
        let index = self.checks;
        self.checks += 1;
        Ok(CheckReport { index, belief, basin, p_basin, progress, p_progress, ruling, intervention, closed })
    }

    fn expect_window(&self, window: &Window<'_>) -> Result<(), RecoveryError> {
        let expect = |what, expected, found| {
            if expected == found { Ok(()) } else { Err(RecoveryError::Window { what, expected, found }) }
        };
        expect("frames of the window", HIST_H, window.closed.len())?;
        expect("values of the window", HIST_H * self.model.graph().dof(), window.q.len())?;
        expect_rate(window.rate_hz)
    }
}

/// A worker with its own head, fed one frame a control step.
#[derive(Clone, Debug)]
pub struct Sentinel<L> {
    worker: SentinelWorker,
    head: L,
    rate_hz: f64,
    q: Vec<f64>,
    closed: Vec<bool>,
}

impl<L: Likelihood> Sentinel<L> {
    /// A worker at the start of an episode of a task; frames will come at `rate_hz`.
    ///
    /// # Errors
    /// [`RecoveryError::Belief`] for an unknown task, [`RecoveryError::Rate`].
    pub fn new(model: Arc<SentinelModel>, head: L, task: i32, rate_hz: f64) -> Result<Self, RecoveryError> {
        expect_rate(rate_hz)?;
        let dof = model.graph().dof();
        Ok(Self {
            worker: SentinelWorker::new(model, task)?,
            head,
            rate_hz,
            q: Vec::with_capacity(HIST_H * dof),
            closed: Vec::with_capacity(HIST_H),
        })
    }

    /// Takes the frame of a control step: joint positions (rad) and gripper command. Every eighth frame
    /// completes a window and is judged; between checks nothing is computed.
    ///
    /// # Errors
    /// [`RecoveryError::Window`] for another number of joints; the frame is then not taken.
    pub fn observe(&mut self, q: &[f64], closed: bool) -> Result<Option<CheckReport>, RecoveryError> {
        let expected = self.worker.model().graph().dof();
        if q.len() != expected {
            return Err(RecoveryError::Window { what: "joints of the frame", expected, found: q.len() });
        }
        self.q.extend(q);
        self.closed.push(closed);
        if self.closed.len() < HIST_H {
            return Ok(None);
        }
        let window = Window { q: &self.q, closed: &self.closed, rate_hz: self.rate_hz };
        let report = self.worker.check(&mut self.head, &window);
        self.q.clear();
        self.closed.clear();
        report.map(Some)
    }

    /// Begins an episode of a task; the window is empty.
    ///
    /// # Errors
    /// As [`SentinelWorker::reset`].
    pub fn reset(&mut self, task: i32) -> Result<(), RecoveryError> {
        self.worker.reset(task)?;
        self.q.clear();
        self.closed.clear();
        Ok(())
    }

    /// The servo handed the arm back: the window refills with new frames.
    pub fn after_recovery(&mut self) {
        self.worker.after_recovery();
        self.q.clear();
        self.closed.clear();
    }

    /// The worker.
    pub fn worker(&self) -> &SentinelWorker {
        &self.worker
    }

    /// The head.
    pub fn head_mut(&mut self) -> &mut L {
        &mut self.head
    }
}
