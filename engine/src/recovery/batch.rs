//! `B` workers in one pass.
//!
//! Each thread owns a fixed share of the workers and one head's buffers. A worker's answers depend on its
//! own windows alone, so they are the same for any `B` and any number of threads.

use super::error::RecoveryError;
use super::model::SentinelModel;
use super::team::{Team, Work};
use super::worker::{CheckReport, SentinelWorker};
use crate::belief::{CheckCounts, Likelihood, Window};
use crate::constants::HIST_H;
use crate::readout::Segment;
use std::sync::Arc;

/// The windows of one pass, worker after worker.
#[derive(Clone, Copy, Debug)]
pub struct BatchWindows<'a> {
    /// `B x HIST_H x dof` joint positions, rad.
    pub q: &'a [f64],
    /// `B x HIST_H` gripper commands.
    pub closed: &'a [bool],
    /// `B`: whether the worker has a window; others are left alone.
    pub active: &'a [bool],
    /// Frames per second.
    pub rate_hz: f64,
}

/// One worker with the buffers its window is copied to.
struct Seat {
    worker: SentinelWorker,
    q: Vec<f64>,
    closed: [bool; HIST_H],
    active: bool,
    report: Option<Result<CheckReport, RecoveryError>>,
}

struct Share<L> {
    head: L,
    rate_hz: f64,
    seats: Vec<Seat>,
}

impl<L: Likelihood + Send + 'static> Work for Share<L> {
    fn run(&mut self) {
        for seat in &mut self.seats {
            seat.report = seat.active.then(|| {
                let window = Window { q: &seat.q, closed: &seat.closed, rate_hz: self.rate_hz };
                seat.worker.check(&mut self.head, &window)
            });
        }
    }
}

/// `B` workers over a few threads.
pub struct SentinelBatch<L> {
    team: Team<Share<L>>,
    model: Arc<SentinelModel>,
    workers: usize,
    reports: Vec<Option<CheckReport>>,
}

impl<L: Likelihood + Send + 'static> SentinelBatch<L> {
    /// Workers for the episodes of `tasks`, over `threads` threads; `head` makes a thread's head.
    ///
    /// # Errors
    /// [`RecoveryError::Belief`] for an unknown task.
    pub fn new(
        model: Arc<SentinelModel>,
        tasks: &[i32],
        threads: usize,
        mut head: impl FnMut() -> L,
    ) -> Result<Self, RecoveryError> {
        let threads = threads.clamp(1, tasks.len().max(1));
        let mut shares: Vec<Share<L>> =
            (0..threads).map(|_| Share { head: head(), rate_hz: 0.0, seats: Vec::new() }).collect();
        for (i, &task) in tasks.iter().enumerate() {
            shares[i % threads].seats.push(Seat {
                worker: SentinelWorker::new(Arc::clone(&model), task)?,
                q: vec![0.0; HIST_H * model.graph().dof()],
                closed: [false; HIST_H],
                active: false,
                report: None,
            });
        }
        let workers = tasks.len();
        Ok(Self { team: Team::new(shares), model, workers, reports: vec![None; workers] })
    }

    /// Number of workers, `B`.
    pub fn len(&self) -> usize {
        self.workers
    }

    /// Whether there are no workers.
    pub fn is_empty(&self) -> bool {
        self.workers == 0
    }

    /// One check of every active worker: a report each, `None` for the others.
    ///
    /// # Errors
    /// [`RecoveryError::Window`] when a slice has not the batch's size: no worker is then checked. The first
    /// worker's own error otherwise; the other workers have had their check.
    pub fn check(&mut self, windows: &BatchWindows<'_>) -> Result<&[Option<CheckReport>], RecoveryError> {
        let frame = self.model.graph().dof() * HIST_H;
        let expect = |what, expected, found| {
            if expected == found { Ok(()) } else { Err(RecoveryError::Window { what, expected, found }) }
        };
        expect("workers with a flag", self.workers, windows.active.len())?;
        expect("values of all windows", self.workers * frame, windows.q.len())?;
        expect("gripper flags of all windows", self.workers * HIST_H, windows.closed.len())?;
        let threads = self.team.len();
        for t in 0..threads {
            self.team.with(t, |share| {
                share.rate_hz = windows.rate_hz;
                for (k, seat) in share.seats.iter_mut().enumerate() {
                    let b = t + k * threads;
                    seat.active = windows.active[b];
                    seat.q.copy_from_slice(&windows.q[b * frame..(b + 1) * frame]);
                    seat.closed.copy_from_slice(&windows.closed[b * HIST_H..(b + 1) * HIST_H]);
                }
            });
        }
        if !self.team.run() {
            return Err(RecoveryError::Thread);
        }
        let mut first_error = None;
        for t in 0..threads {
            let reports = &mut self.reports;
            self.team.with(t, |share| {
                for (k, seat) in share.seats.iter_mut().enumerate() {
                    let b = t + k * threads;
                    reports[b] = match seat.report.take() {
                        Some(Ok(report)) => Some(report),
                        Some(Err(error)) => {
                            if first_error.as_ref().is_none_or(|&(worker, _)| b < worker) {
                                first_error = Some((b, error));
                            }
                            None
                        }
                        None => None,
                    };
                }
            });
        }
        match first_error {
            Some((_, error)) => Err(error),
            None => Ok(&self.reports),
        }
    }

    /// Begins an episode of a task for one worker.
    ///
    /// # Errors
    /// [`RecoveryError::Worker`], [`RecoveryError::Belief`].
    pub fn reset(&mut self, worker: usize, task: i32) -> Result<(), RecoveryError> {
        self.with(worker, |w| w.reset(task))?
    }

    /// The servo handed the arm of one worker back.
    ///
    /// # Errors
    /// [`RecoveryError::Worker`].
    pub fn after_recovery(&mut self, worker: usize) -> Result<(), RecoveryError> {
        self.with(worker, SentinelWorker::after_recovery)
    }

    /// The frames that one worker's last executed fire goes to.
    ///
    /// # Errors
    /// [`RecoveryError::Worker`].
    pub fn target(&mut self, worker: usize) -> Result<Segment, RecoveryError> {
        self.with(worker, |w| w.target().clone())
    }

    /// The counts of one worker's episode.
    ///
    /// # Errors
    /// [`RecoveryError::Worker`].
    pub fn counts(&mut self, worker: usize) -> Result<CheckCounts, RecoveryError> {
        self.with(worker, |w| w.counts())
    }

    fn with<T>(
        &mut self,
        worker: usize,
        f: impl FnOnce(&mut SentinelWorker) -> T,
    ) -> Result<T, RecoveryError> {
        if worker >= self.workers {
            return Err(RecoveryError::Worker { workers: self.workers, found: worker });
        }
        let threads = self.team.len();
        Ok(self.team.with(worker % threads, |share| f(&mut share.seats[worker / threads].worker)))
    }
}
