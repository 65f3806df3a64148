//! One episode through the head, kept, so that several rules can be run over the same logits.

use crate::head::{Head, HeadWorker};
use rayon::prelude::*;
use rollcheck_engine::belief::{Likelihood, Logits, Query, Window};
use rollcheck_engine::constants::HIST_H;
use rollcheck_engine::demos::Episode;
use std::sync::Arc;

/// An episode to be watched.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its frames.
    pub episode: Episode,
    /// The demo it is (its own strand is left out), or `None` when the graph has not seen it.
    pub owner: Option<usize>,
    /// True phase of each frame, where there is one.
    pub phase: Vec<f64>,
}

impl Source {
    /// A clean episode: frame `k` has phase `k / (T - 1)`.
    pub fn clean(episode: &Episode, owner: Option<usize>) -> Self {
        let phase = (0..episode.frames()).map(|k| episode.phase(k)).collect();
        Self { episode: episode.clone(), owner, phase }
    }

    /// Number of checks.
    pub fn checks(&self) -> usize {
        self.episode.frames() / HIST_H
    }

    /// The judged frame of a check.
    pub fn judged(check: usize) -> usize {
        HIST_H * check + HIST_H - 1
    }

    /// The window of a check.
    pub fn window(&self, check: usize) -> Window<'_> {
        let (from, to, dof) = (HIST_H * check, HIST_H * (check + 1), self.episode.dof());
        Window {
            q: &self.episode.q_all()[from * dof..to * dof],
            closed: &self.episode.closed_all()[from..to],
            rate_hz: self.episode.rate_hz(),
        }
    }
}

/// An episode with the logits of all its checks.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The episode.
    pub source: Source,
    /// Logits of each check, one a node of the task's lane.
    pub logits: Vec<Logits>,
}

impl Recorded {
    /// Runs the head over episodes of tasks that the graph has, in parallel; results keep their order.
    pub fn all(head: &Arc<Head>, sources: Vec<Source>) -> Vec<Self> {
        sources
            .into_par_iter()
            .map_init(
                || HeadWorker::new(Arc::clone(head)),
                |worker, source| {
                    let lane = Some(source.episode.task_id());
                    let logits = (0..source.checks())
                        .map(|check| {
                            let query =
                                Query { window: source.window(check), lane, without_owner: source.owner };
                            let mut logits = Logits::default();
                            worker.logits(&query, &mut logits);
                            logits
                        })
                        .collect();
                    Self { source, logits }
                },
            )
            .collect()
    }

    /// A head that answers check after check from the record.
    pub fn player(&self) -> Player<'_> {
        Player { logits: &self.logits, next: 0 }
    }
}

/// Plays recorded logits back in order.
#[derive(Debug)]
pub struct Player<'a> {
    logits: &'a [Logits],
    next: usize,
}

impl Likelihood for Player<'_> {
    fn logits(&mut self, _query: &Query<'_>, out: &mut Logits) {
        out.values.clear();
        if let Some(logits) = self.logits.get(self.next) {
            out.values.extend(&logits.values);
        }
        self.next += 1;
    }
}
