//! False alarms on clean episodes and detection on disturbed ones, per rule.
//!
//! No arm moves: after a fire both wealths start again and the recording goes on. An episode is a false alarm when
//! any fire with a target comes; a disturbance is detected when such a fire comes at or after its onset, with the
//! delay in checks from the first check that judges a disturbed frame.

use super::interval::Share;
use super::perturb::{Disturbance, Disturbed};
use super::recorded::{Recorded, Source};
use rayon::prelude::*;
use rollcheck_engine::constants::HIST_H;
use rollcheck_engine::recovery::{RecoveryError, SentinelModel, SentinelWorker};
use serde::Serialize;
use std::sync::Arc;

/// False alarms of one rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FalseAlarms {
    /// Episodes with a fire.
    pub episodes: Share,
    /// Fires in all.
    pub fires: usize,
}

/// Detection of one disturbance by one rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Detection {
    /// What was done.
    pub disturbance: Disturbance,
    /// Episodes where a fire followed.
    pub detected: Share,
    /// Median delay of those, in checks.
    pub median_delay_checks: Option<f64>,
}

/// Checks at which a worker fires with a target over a recorded episode.
///
/// # Errors
/// [`RecoveryError`].
pub fn fires(model: &SentinelModel, recorded: &Recorded) -> Result<Vec<usize>, RecoveryError> {
    let source = &recorded.source;
    let model = match source.owner {
        Some(owner) => model.without_owner(owner),
        None => model.clone(),
    };
    let mut worker = SentinelWorker::new(Arc::new(model), source.episode.task_id())?;
    let mut player = recorded.player();
    let mut fires = Vec::new();
    for check in 0..source.checks() {
        let report = worker.check(&mut player, &source.window(check))?;
        if report.intervention.is_some_and(|i| i.is_executed()) {
            fires.push(check);
        }
    }
    Ok(fires)
}

/// False alarms over clean episodes.
///
/// # Errors
/// [`RecoveryError`].
pub fn false_alarms(model: &SentinelModel, clean: &[Recorded]) -> Result<FalseAlarms, RecoveryError> {
    let counts = clean
        .par_iter()
        .map(|recorded| fires(model, recorded).map(|f| f.len()))
        .collect::<Result<Vec<_>, _>>()?;
    let alarmed = counts.iter().filter(|&&n| n > 0).count();
    Ok(FalseAlarms { episodes: Share::new(alarmed, clean.len()), fires: counts.iter().sum() })
}

/// The first check that judges a frame at or after `onset`.
pub fn first_check(onset: usize) -> usize {
    (onset + 1).div_ceil(HIST_H).saturating_sub(1)
}

/// Detection over disturbed episodes of one kind; `onsets` belong to `recorded`.
///
/// # Errors
/// [`RecoveryError`].
pub fn detection(
    model: &SentinelModel,
    disturbance: Disturbance,
    recorded: &[Recorded],
    onsets: &[usize],
) -> Result<Detection, RecoveryError> {
    let delays = recorded
        .par_iter()
        .zip(onsets)
        .map(|(recorded, &onset)| {
            let first = first_check(onset);
            Ok(fires(model, recorded)?.into_iter().find(|&c| c >= first).map(|c| c - first))
        })
        .collect::<Result<Vec<Option<usize>>, RecoveryError>>()?;
    let mut found: Vec<usize> = delays.into_iter().flatten().collect();
    found.sort_unstable();
    let median = (!found.is_empty()).then(|| {
        let half = found.len() / 2;
        if found.len() % 2 == 1 { found[half] as f64 } else { (found[half - 1] + found[half]) as f64 / 2.0 }
    });
    Ok(Detection {
        disturbance,
        detected: Share::new(found.len(), recorded.len()),
        median_delay_checks: median,
    })
}

/// Episodes and onsets apart, as [`detection`] takes them.
pub fn unzip(disturbed: Vec<Disturbed>) -> (Vec<Source>, Vec<usize>) {
    disturbed.into_iter().map(|d| (d.source, d.onset)).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_check_judges_the_onset_or_a_later_frame() {
        for onset in 0..100 {
            let first = first_check(onset);
            assert!(Source::judged(first) >= onset);
            assert!(first == 0 || Source::judged(first - 1) < onset);
        }
    }
}
