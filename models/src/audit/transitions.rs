//! How plausible the phase estimate moves from check to check, and how far it is from the truth.

use super::baselines;
use super::recorded::{Recorded, Source};
use rayon::prelude::*;
use rollcheck_engine::recovery::{RecoveryError, SentinelModel, SentinelWorker};
use serde::Serialize;
use std::sync::Arc;

/// A change of phase a check up to which it is plausible.
pub const PLAUSIBLE: f64 = 0.05;
/// A change of phase above which it jumps.
pub const JUMP: f64 = 0.3;
/// A change of phase below minus which it goes back.
pub const BACKWARD: f64 = 0.1;

/// Shares over consecutive checks, and the error, pooled over episodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Transitions {
    /// Consecutive pairs of checks that both have an estimate.
    pub transitions: usize,
    /// Share that moves by at most [`PLAUSIBLE`].
    pub plausible_share: f64,
    /// Share that moves by more than [`JUMP`].
    pub jump_share: f64,
    /// Share that goes back by more than [`BACKWARD`].
    pub backward_share: f64,
    /// Mean absolute error of the phase.
    pub phase_mae: f64,
    /// Checks with an estimate and a true phase.
    pub checks: usize,
    /// Checks without an estimate; never counted as right.
    pub unknown: usize,
}

impl Transitions {
    /// Pools (estimates, true phases) of episodes.
    pub fn pool<'a>(episodes: impl IntoIterator<Item = (&'a [Option<f64>], &'a [f64])>) -> Self {
        let (mut plausible, mut jump, mut backward, mut moves) = (0_usize, 0_usize, 0_usize, 0_usize);
        let (mut error, mut checks, mut unknown) = (0.0, 0_usize, 0_usize);
        for (estimates, truth) in episodes {
            for pair in estimates.windows(2) {
                if let [Some(before), Some(now)] = *pair {
                    let change = now - before;
                    moves += 1;
                    plausible += usize::from(change.abs() <= PLAUSIBLE);
                    jump += usize::from(change.abs() > JUMP);
                    backward += usize::from(change < -BACKWARD);
                }
            }
            for (estimate, truth) in estimates.iter().zip(truth) {
                match estimate {
                    Some(estimate) => {
                        error += (estimate - truth).abs();
                        checks += 1;
                    }
                    None => unknown += 1,
                }
            }
        }
        let share = |count: usize| count as f64 / moves.max(1) as f64;
        Self {
            transitions: moves,
            plausible_share: share(plausible),
            jump_share: share(jump),
            backward_share: share(backward),
            phase_mae: error / checks.max(1) as f64,
            checks,
            unknown,
        }
    }
}

/// Estimates of every method on one episode.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseTrack {
    /// The true phase at each check.
    pub truth: Vec<f64>,
    /// Belief filter over the head.
    pub filtered: Vec<Option<f64>>,
    /// The head alone.
    pub memoryless: Vec<Option<f64>>,
    /// Elapsed time.
    pub clock: Vec<Option<f64>>,
    /// Nearest nodes.
    pub knn: Vec<Option<f64>>,
}

impl PhaseTrack {
    /// All estimates of an episode. `counted` names the demos whose durations the clock may know.
    ///
    /// # Errors
    /// [`RecoveryError`].
    pub fn new(
        model: &SentinelModel,
        recorded: &Recorded,
        counted: impl Fn(usize) -> bool,
    ) -> Result<Self, RecoveryError> {
        let (graph, source) = (model.graph(), &recorded.source);
        let model = match source.owner {
            Some(owner) => model.without_owner(owner),
            None => model.clone(),
        };
        let mut worker = SentinelWorker::new(Arc::new(model), source.episode.task_id())?;
        let mut player = recorded.player();
        let mut filtered = Vec::with_capacity(source.checks());
        for check in 0..source.checks() {
            filtered.push(worker.check(&mut player, &source.window(check))?.belief.phase_hat());
        }
        Ok(Self {
            truth: (0..source.checks()).map(|c| source.phase[Source::judged(c)]).collect(),
            filtered,
            memoryless: baselines::memoryless(graph, recorded),
            clock: baselines::clock(graph, source, counted),
            knn: baselines::knn_phase(graph, source),
        })
    }
}

/// The pooled figures of every method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PhaseTable {
    /// Episodes pooled.
    pub episodes: usize,
    /// Belief filter over the head.
    pub filtered: Transitions,
    /// The head alone.
    pub memoryless: Transitions,
    /// Elapsed time.
    pub clock: Transitions,
    /// Nearest nodes.
    pub knn: Transitions,
}

impl PhaseTable {
    /// Scores recorded episodes; those of a task that the graph does not have are refused.
    ///
    /// # Errors
    /// [`RecoveryError`].
    pub fn new(
        model: &SentinelModel,
        recorded: &[Recorded],
        counted: impl Fn(usize) -> bool + Sync,
    ) -> Result<(Self, Vec<PhaseTrack>), RecoveryError> {
        let tracks = recorded
            .par_iter()
            .map(|r| PhaseTrack::new(model, r, &counted))
            .collect::<Result<Vec<_>, _>>()?;
        Ok((Self::of(&tracks.iter().collect::<Vec<_>>()), tracks))
    }

    /// Pools tracks.
    pub fn of(tracks: &[&PhaseTrack]) -> Self {
        let pool = |estimates: fn(&PhaseTrack) -> &[Option<f64>]| {
            Transitions::pool(tracks.iter().map(|t| (estimates(t), t.truth.as_slice())))
        };
        Self {
            episodes: tracks.len(),
            filtered: pool(|t| &t.filtered),
            memoryless: pool(|t| &t.memoryless),
            clock: pool(|t| &t.clock),
            knn: pool(|t| &t.knn),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_counted_by_hand() {
        let estimates = [Some(0.1), Some(0.15), Some(0.6), None, Some(0.5), Some(0.39), Some(0.39)];
        let truth = [0.1, 0.1, 0.1, 0.1, 0.5, 0.5, 0.5];
        let t = Transitions::pool([(&estimates[..], &truth[..])]);
        assert_eq!((t.transitions, t.checks, t.unknown), (4, 6, 1));
        assert_eq!((t.plausible_share, t.jump_share, t.backward_share), (0.5, 0.25, 0.25));
        assert!((t.phase_mae - (0.05 + 0.5 + 0.11 + 0.11) / 6.0).abs() < 1e-12);
    }
}
