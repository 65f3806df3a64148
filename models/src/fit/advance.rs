//! The advance weights `pi`, by expectation-maximisation over consecutive checks.
//!
//! ```text
//! c[t, a] = sum_v (A_a L_{t-1})_v L_t,v
//! pi_a   <- mean over t of  pi_a c[t, a] / sum_a' pi_a' c[t, a']
//! ```
//!
//! from the uniform start until no weight changes by 1e-6, at most 500 rounds; then every weight is at least
//! `PI_FLOOR` and they are normalised again (sentinel page, section 4): clean demos advance exactly eight frames
//! a check, rollouts do not.

use super::Gain;
use super::error::FitError;
use super::replay::Replay;
use rayon::prelude::*;
use rollcheck_engine::belief::{Scope, advance_matrix};
use rollcheck_engine::constants::{PI, PI_FLOOR, TRACK_ADVANCE_SET};
use rollcheck_engine::graph::DemoGraph;
use rollcheck_kernels::belief_advance::advance;
use rollcheck_kernels::{Csr, SimdLevel};

const ADVANCES: usize = TRACK_ADVANCE_SET.len();
/// The likelihood as the head gives it. Tempered, neighbours blur into slower advances: at 2 the demos here seem
/// to advance 6 frames a check and at 8 fewer, while they advance exactly 8; at 1 the fit finds 0.93 on 8.
const TEMPERATURE: f64 = 1.0;
const ROUNDS: usize = 500;
const TOLERANCE: f64 = 1e-6;

/// Fitted weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdvanceFit {
    /// One a member of `TRACK_ADVANCE_SET`; floored, then normalised to sum 1.
    pub weights: [f64; ADVANCES],
    /// Rounds until they stood still.
    pub rounds: usize,
    /// Mean log likelihood a transition.
    pub gain: Gain,
}

/// Fits the weights on consecutive checks of the replays.
///
/// # Errors
/// [`FitError::Belief`] for a replay of a task that the graph does not have.
pub fn fit(graph: &DemoGraph, replays: &[Replay]) -> Result<AdvanceFit, FitError> {
    let overlaps = overlaps(graph, replays)?;
    let (fitted, rounds) = maximise(&overlaps);
    let floored = fitted.map(|w| w.max(PI_FLOOR));
    let total: f64 = floored.iter().sum();
    let weights = floored.map(|w| w / total);
    let gain = Gain { fitted: mean_log(&overlaps, &weights), default: mean_log(&overlaps, &PI) };
    Ok(AdvanceFit { weights, rounds, gain })
}

fn overlaps(graph: &DemoGraph, replays: &[Replay]) -> Result<Vec<[f64; ADVANCES]>, FitError> {
    let mut all = Vec::new();
    for lane in graph.lanes() {
        let scope = Scope::new(graph, Some(lane.task_id))?;
        let matrices = TRACK_ADVANCE_SET
            .iter()
            .map(|&a| advance_matrix(graph, &scope, a))
            .collect::<Result<Vec<Csr<f64>>, _>>()?;
        let of_lane: Vec<&Replay> = replays.iter().filter(|r| r.task == lane.task_id).collect();
        let found = of_lane
            .par_iter()
            .map(|replay| {
                let mut moved = vec![0.0; scope.len()];
                replay
                    .likelihoods(TEMPERATURE)
                    .windows(2)
                    .map(|pair| {
                        let mut overlap = [0.0; ADVANCES];
                        for (overlap, matrix) in overlap.iter_mut().zip(&matrices) {
                            advance(SimdLevel::detect(), matrix, &pair[0], &mut moved)?;
                            *overlap = moved.iter().zip(&pair[1]).map(|(a, b)| a * b).sum();
                        }
                        Ok(overlap)
                    })
                    .collect::<Result<Vec<_>, FitError>>()
            })
            .collect::<Result<Vec<_>, FitError>>()?;
        all.extend(found.into_iter().flatten());
    }
    Ok(all)
}

/// Weights and rounds; transitions that no advance explains say nothing.
fn maximise(overlaps: &[[f64; ADVANCES]]) -> ([f64; ADVANCES], usize) {
    let mut weights = [1.0 / ADVANCES as f64; ADVANCES];
    for round in 1..=ROUNDS {
        let (mut next, mut count) = ([0.0; ADVANCES], 0_u32);
        for overlap in overlaps {
            let total = mixture(overlap, &weights);
            if total > 0.0 {
                count += 1;
                for a in 0..ADVANCES {
                    next[a] += weights[a] * overlap[a] / total;
                }
            }
        }
        if count == 0 {
            return (weights, round);
        }
        let next = next.map(|w| w / f64::from(count));
        let change = (0..ADVANCES).map(|a| (next[a] - weights[a]).abs()).fold(0.0, f64::max);
        weights = next;
        if change < TOLERANCE {
            return (weights, round);
        }
    }
    (weights, ROUNDS)
}

fn mixture(overlap: &[f64; ADVANCES], weights: &[f64; ADVANCES]) -> f64 {
    overlap.iter().zip(weights).map(|(c, w)| c * w).sum()
}

fn mean_log(overlaps: &[[f64; ADVANCES]], weights: &[f64; ADVANCES]) -> f64 {
    let logs: Vec<f64> =
        overlaps.iter().map(|o| mixture(o, weights)).filter(|&m| m > 0.0).map(f64::ln).collect();
    logs.iter().sum::<f64>() / logs.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separable_transitions_give_their_shares() {
        let only = |a: usize| {
            let mut overlap = [0.0; ADVANCES];
            overlap[a] = 0.3;
            overlap
        };
        let overlaps = [only(5), only(5), only(5), only(4), [0.0; ADVANCES]];
        let (weights, _) = maximise(&overlaps);
        assert!((weights[5] - 0.75).abs() < 1e-12 && (weights[4] - 0.25).abs() < 1e-12, "{weights:?}");
    }

    #[test]
    fn each_round_raises_the_likelihood() {
        let overlaps: Vec<[f64; ADVANCES]> = (0..20)
            .map(|t| std::array::from_fn(|a| f64::from(((t * 7 + a as u32 * 3) % 11) + 1) / 50.0))
            .collect();
        let (weights, rounds) = maximise(&overlaps);
        assert!(rounds > 1);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(mean_log(&overlaps, &weights) > mean_log(&overlaps, &[1.0 / ADVANCES as f64; ADVANCES]));
    }
}
