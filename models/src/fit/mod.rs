//! What the filter and its rules need, fitted on clean leave-one-demo-out replays (sentinel page, sections 4
//! to 6): `g_track.npz`.
//!
//! [`replay`] runs the head over the demos of the fit part, each without its own strand; [`advance`] fits pi,
//! [`filter`] fits temperature, beta and leak, [`null_banks`] collects what the statistics are on clean replays. Radii and
//! bandwidths come from the nodes of the same demos, measured against all others.

pub mod advance;
pub mod error;
pub mod filter;
pub mod null_banks;
pub mod replay;

pub use error::FitError;
pub use replay::Replay;

use crate::head::Head;
use rollcheck_engine::belief::{AdvanceParameters, FilterSettings};
use rollcheck_engine::demos::DemoSet;
use rollcheck_engine::track::TrackParameters;
use rollcheck_engine::when::BasinTable;
use serde::Serialize;
use std::sync::Arc;

/// A fitted value beside the default, by mean log likelihood.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gain {
    /// Of the fitted value.
    pub fitted: f64,
    /// Of the unfitted default.
    pub default: f64,
}

/// What the fits found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FitReport {
    /// Demos replayed.
    pub replays: usize,
    /// Checks of those replays.
    pub checks: usize,
    /// Rounds of expectation-maximisation.
    pub em_rounds: usize,
    /// Mean log belief in the true phase bin, by temperature.
    pub tau: Gain,
    /// Mean of `log sum_a pi_a c_a` a transition.
    pub pi: Gain,
    /// Mean log predictive likelihood a check.
    pub beta: Gain,
    /// Mean log predictive likelihood a check.
    pub leak: Gain,
    /// Each grid point of the temperature with its mean.
    pub tau_grid: Vec<(f64, f64)>,
    /// Each grid point of beta with its mean.
    pub beta_grid: Vec<(f64, f64)>,
    /// Each grid point of leak with its mean.
    pub leak_grid: Vec<(f64, f64)>,
}

/// Fits everything on the demos `owners`.
///
/// # Errors
/// [`FitError::NoReplays`] when no demo has a window.
pub fn fit(
    head: &Arc<Head>,
    demos: &DemoSet,
    owners: &[usize],
) -> Result<(TrackParameters, FitReport), FitError> {
    let graph = head.graph();
    let replays = replay::replays(head, demos, owners);
    let checks: usize = replays.iter().map(Replay::checks).sum();
    if checks == 0 {
        return Err(FitError::NoReplays { owners: owners.len() });
    }
    graph.made_from(demos)?;
    let unfitted = FilterSettings::default();
    let pi = advance::fit(graph, &replays)?;
    let mut advance = AdvanceParameters { pi: pi.weights, ..AdvanceParameters::default() };
    let tau = filter::fit_tau(graph, &replays, &advance, &unfitted)?;
    let settings = FilterSettings { tau: tau.value, ..unfitted };
    let beta = filter::fit_beta(graph, &replays, &advance, &settings)?;
    advance.beta = beta.value;
    let leak = filter::fit_leak(graph, &replays, &advance, &settings)?;
    let sampled = |owner: usize| owners.contains(&owner);
    let basin = BasinTable::of_graph(graph, sampled, |_| true);
    let banks = null_banks::collect(graph, &replays, &advance, &settings, &basin)?;
    let report = FitReport {
        replays: replays.len(),
        checks,
        em_rounds: pi.rounds,
        tau: tau.gain,
        pi: pi.gain,
        beta: beta.gain,
        leak: leak.gain,
        tau_grid: tau.grid,
        beta_grid: beta.grid,
        leak_grid: leak.grid,
    };
    let parameters = TrackParameters {
        advance,
        leak: leak.value,
        tau: settings.tau,
        banks,
        basin,
        replays: report.replays,
        checks,
        summary: serde_json::to_string(&report).unwrap_or_default(),
        graph: graph.hash().clone(),
        head: head.hash().clone(),
    };
    Ok((parameters, report))
}
