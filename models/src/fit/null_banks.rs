//! The null banks: basin ratio, change of phase and log evidence at every check of the clean replays.

use super::error::FitError;
use super::replay::Replay;
use rayon::prelude::*;
use rollcheck_engine::belief::{Advance, AdvanceParameters, BeliefTracker, FilterSettings, Scope};
use rollcheck_engine::constants::phase_bin;
use rollcheck_engine::graph::DemoGraph;
use rollcheck_engine::track::Banks;
use rollcheck_engine::when::BasinTable;
use rollcheck_engine::when::basin;
use rollcheck_engine::when::pooling::Sample;
use rollcheck_engine::when::progress::Progress;
use std::sync::Arc;

/// Samples of one replay.
#[derive(Default)]
struct Samples {
    basin: Vec<Sample>,
    progress: Vec<Sample>,
    evidence: Vec<Sample>,
}

/// Collects the banks, replay after replay in their order.
///
/// # Errors
/// [`FitError::Belief`].
pub fn collect(
    graph: &DemoGraph,
    replays: &[Replay],
    advance: &AdvanceParameters,
    settings: &FilterSettings,
    table: &BasinTable,
) -> Result<Banks, FitError> {
    let lanes = graph
        .lanes()
        .iter()
        .map(|lane| {
            let scope = Arc::new(Scope::new(graph, Some(lane.task_id))?);
            let transition = Arc::new(Advance::build(graph, &scope, advance)?);
            Ok((lane, scope, transition))
        })
        .collect::<Result<Vec<_>, FitError>>()?;
    let samples = replays
        .par_iter()
        .map(|replay| {
            let Some((lane, scope, transition)) = lanes.iter().find(|l| l.0.task_id == replay.task) else {
                return Ok(Samples::default());
            };
            let mut tracker = BeliefTracker::new(Arc::clone(scope), Arc::clone(transition), *settings)?;
            tracker.reset(Some(replay.owner));
            let mut progress = Progress::default();
            let mut samples = Samples::default();
            let task_id = replay.task;
            for (logits, q) in replay.logits.iter().zip(&replay.q) {
                let belief = tracker.step(logits)?;
                let phase = belief.phase_hat();
                if let Some(phase) = phase {
                    let reading = basin::read(graph, table, lane, q, phase, Some(replay.owner));
                    samples.basin.extend(reading.map(|r| Sample { task_id, bin: r.bin, value: r.ratio() }));
                    let bin = phase_bin(phase);
                    samples.evidence.extend(belief.log_predictive.map(|value| Sample {
                        task_id,
                        bin,
                        value,
                    }));
                }
                let reading = progress.read(phase, belief.is_blind());
                samples.progress.extend(reading.map(|r| Sample { task_id, bin: r.bin, value: r.change }));
            }
            Ok(samples)
        })
        .collect::<Result<Vec<_>, FitError>>()?;
    let mut banks = Banks::default();
    for (replay, samples) in replays.iter().zip(samples) {
        for (bank, samples) in [
            (&mut banks.basin, samples.basin),
            (&mut banks.progress, samples.progress),
            (&mut banks.evidence, samples.evidence),
        ] {
            for sample in samples {
                bank.push(replay.owner, sample);
            }
        }
    }
    Ok(banks)
}
