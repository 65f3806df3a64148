//! The filter's scalars, on grids: temperature, sibling share `beta`, restart share `leak`.
//!
//! ```text
//! tau           mean over checks of  ln max(belief in the true phase bin, 1e-9)
//! beta, leak    mean over checks of  log sum_v (P b_{t-1})_v L_t,v
//! ```
//!
//! The temperature changes `L` itself, so its grid is scored by how much belief the truth gets. The predictive must not contain `L_t` itself, or the likelihood would only grow with the leak. Ties go to the
//! smaller value. The fitted leak is stored and printed; the filter runs with `LEAK` unless it is asked for
//! (sentinel page, section 4).

use super::Gain;
use super::error::FitError;
use super::replay::Replay;
use rayon::prelude::*;
use rollcheck_engine::belief::{
    Advance, AdvanceParameters, BeliefTracker, CheckBelief, FilterSettings, Scope,
};
use rollcheck_engine::constants::{BETA, LEAK, TRACK_TAU, phase_bin};
use rollcheck_engine::graph::DemoGraph;
use std::sync::Arc;

/// Values tried for beta.
pub const BETA_GRID: [f64; 7] = [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4];
/// Values tried for leak.
pub const LEAK_GRID: [f64; 7] = [0.0, 1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3];

/// Values tried for the temperature.
pub const TAU_GRID: [f64; 8] = [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0];
/// Smallest belief inside the logarithm of the temperature's score.
const BELIEF_FLOOR: f64 = 1e-9;

/// The best point of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct GridFit {
    /// The value.
    pub value: f64,
    /// Beside the default.
    pub gain: Gain,
    /// Every point with its mean.
    pub grid: Vec<(f64, f64)>,
}

/// Fits the temperature with the other parameters as given.
///
/// # Errors
/// [`FitError::Belief`].
pub fn fit_tau(
    graph: &DemoGraph,
    replays: &[Replay],
    advance: &AdvanceParameters,
    settings: &FilterSettings,
) -> Result<GridFit, FitError> {
    grid(&TAU_GRID, TRACK_TAU, |tau| {
        let settings = FilterSettings { tau, ..*settings };
        mean_over_checks(graph, replays, advance, &settings, |tracker, _, phase| {
            let (belief, bin) = (tracker.belief()?, phase_bin(phase));
            let bins = tracker.scope().bins();
            let mass: f64 =
                belief.iter().zip(bins).filter(|(_, b)| usize::from(**b) == bin).map(|(b, _)| b).sum();
            Some(mass.max(BELIEF_FLOOR).ln())
        })
    })
}

/// Fits beta with the other parameters as given.
///
/// # Errors
/// [`FitError::Belief`].
pub fn fit_beta(
    graph: &DemoGraph,
    replays: &[Replay],
    advance: &AdvanceParameters,
    settings: &FilterSettings,
) -> Result<GridFit, FitError> {
    grid(&BETA_GRID, BETA, |beta| {
        mean_log_predictive(graph, replays, &AdvanceParameters { beta, ..*advance }, settings)
    })
}

/// Fits leak with the other parameters as given.
///
/// # Errors
/// [`FitError::Belief`].
pub fn fit_leak(
    graph: &DemoGraph,
    replays: &[Replay],
    advance: &AdvanceParameters,
    settings: &FilterSettings,
) -> Result<GridFit, FitError> {
    grid(&LEAK_GRID, LEAK, |leak| {
        mean_log_predictive(graph, replays, advance, &FilterSettings { leak, ..*settings })
    })
}

fn grid(
    points: &[f64],
    default: f64,
    score: impl Fn(f64) -> Result<f64, FitError>,
) -> Result<GridFit, FitError> {
    let mut scored = Vec::with_capacity(points.len());
    for &point in points {
        scored.push((point, score(point)?));
    }
    let mut best = scored[0];
    for &(point, mean) in &scored[1..] {
        if mean > best.1 {
            best = (point, mean);
        }
    }
    let of_default = scored.iter().find(|s| s.0 == default).map_or(best.1, |s| s.1);
    Ok(GridFit { value: best.0, gain: Gain { fitted: best.1, default: of_default }, grid: scored })
}

/// Mean log predictive likelihood over all checks that have a prediction and a likelihood.
fn mean_log_predictive(
    graph: &DemoGraph,
    replays: &[Replay],
    advance: &AdvanceParameters,
    settings: &FilterSettings,
) -> Result<f64, FitError> {
    mean_over_checks(graph, replays, advance, settings, |_, belief, _| belief.log_predictive)
}

/// Mean of `score(tracker, outcome, true phase)` over the checks of all replays that have one.
fn mean_over_checks(
    graph: &DemoGraph,
    replays: &[Replay],
    advance: &AdvanceParameters,
    settings: &FilterSettings,
    score: impl Fn(&BeliefTracker, &CheckBelief, f64) -> Option<f64> + Sync,
) -> Result<f64, FitError> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for lane in graph.lanes() {
        let scope = Arc::new(Scope::new(graph, Some(lane.task_id))?);
        let transition = Arc::new(Advance::build(graph, &scope, advance)?);
        let of_lane: Vec<&Replay> = replays.iter().filter(|r| r.task == lane.task_id).collect();
        let scores = of_lane
            .par_iter()
            .map(|replay| {
                let mut tracker = BeliefTracker::new(Arc::clone(&scope), Arc::clone(&transition), *settings)?;
                tracker.reset(Some(replay.owner));
                let mut scores = Vec::with_capacity(replay.checks());
                for (logits, &phase) in replay.logits.iter().zip(&replay.phase) {
                    let outcome = tracker.step(logits)?;
                    scores.extend(score(&tracker, &outcome, phase));
                }
                Ok(scores)
            })
            .collect::<Result<Vec<_>, FitError>>()?;
        for score in scores.into_iter().flatten() {
            sum += score;
            count += 1;
        }
    }
    Ok(sum / f64::from(count.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_point_wins_and_ties_go_to_the_smaller() {
        let fit = grid(&BETA_GRID, BETA, |b| Ok(-(b - 0.1).abs())).unwrap();
        assert_eq!((fit.value, fit.gain.fitted), (0.1, 0.0));
        assert!((fit.gain.default + 0.05).abs() < 1e-15);
        assert_eq!(grid(&LEAK_GRID, LEAK, |_| Ok(1.0)).unwrap().value, 0.0);
    }
}
