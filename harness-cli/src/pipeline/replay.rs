//! One episode through the sentinel, check by check, as the page draws it.
//!
//! No arm moves, as in the audit: when a fire has a target, the servo's run to it is planned on the offline plant
//! from the judged pose, and the recording goes on. Distances to the manifold are those of the basin test at
//! the believed phase: of the judged pose, and of the pose that the servo heads for.

use crate::error::CliError;
use crate::report::page::{Fact, Provenance};
use crate::report::replay::{FireKind, Manifold, Replay, ReplayCheck, ReplayFire, ServoCurve};
use rollcheck_engine::readout::TargetKind;
use rollcheck_engine::recovery::{CheckReport, SentinelModel, SentinelWorker};
use rollcheck_engine::servo::{Plan, ServoEnd, ServoSettings, plan};
use rollcheck_engine::when::{Fire, basin};
use rollcheck_kernels::knn::distance_sq;
use rollcheck_models::audit::{Recorded, Source, baselines};
use rollcheck_models::head::Head;
use std::sync::Arc;

/// What the page says of a rollout beside what the sentinel saw.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Which episode.
    pub title: String,
    /// The task in words.
    pub task: String,
    /// What was done to the recording: frame and words.
    pub perturbations: Vec<(usize, String)>,
    /// Whether the true phase of each frame is known.
    pub is_phase_known: bool,
    /// Where the figures come from.
    pub provenance: Provenance,
}

/// Replays an episode under the model's rule.
///
/// # Errors
/// [`CliError::Recovery`].
pub fn run(
    model: &SentinelModel,
    head: &Arc<Head>,
    source: Source,
    about: About,
) -> Result<Replay, CliError> {
    let model = Arc::new(source.owner.map_or_else(|| model.clone(), |owner| model.without_owner(owner)));
    let recorded = Recorded::all(head, vec![source]).remove(0);
    let source = &recorded.source;
    let memoryless = baselines::memoryless(model.graph(), &recorded);
    let mut worker = SentinelWorker::new(Arc::clone(&model), source.episode.task_id())?;
    let mut player = recorded.player();
    let (mut checks, mut fires) = (Vec::new(), Vec::new());
    for (check, phase_memoryless) in memoryless.into_iter().enumerate() {
        let report = worker.check(&mut player, &source.window(check))?;
        let frame = Source::judged(check);
        checks.push(ReplayCheck {
            frame,
            phase_memoryless,
            phase_filtered: report.belief.phase_hat(),
            phase_spread: report.belief.summary.map(|s| s.spread),
            phase_true: about.is_phase_known.then(|| source.phase[frame]),
            log_wealth_basin: Some(report.ruling.log_basin),
            log_wealth_progress: Some(report.ruling.log_progress),
            distance_rad: report.basin.map(|b| b.distance_rad),
            radius_rad: report.basin.map(|b| b.radius_rad),
        });
        if let Some(fire) = fire(&worker, &report, source.episode.q(frame))? {
            fires.push(ReplayFire { check, ..fire });
        }
    }
    let mut facts = Vec::new();
    if source.owner.is_some() {
        facts.push(
            Fact::new("own strand", "left out").with_note("the rollout is a demonstration of the graph"),
        );
    }
    Ok(Replay {
        title: about.title,
        task: about.task,
        rule: model.settings().rule.to_string(),
        rate_hz: source.episode.rate_hz(),
        log_threshold: worker.log_thresholds().0,
        checks,
        fires,
        perturbations: about.perturbations,
        closed_frames: closed_stretches(source.episode.closed_all()),
        facts,
        provenance: about.provenance,
    })
}

/// What a check's fire led to; the servo starts at the judged pose `q` (rad).
fn fire(worker: &SentinelWorker, report: &CheckReport, q: &[f64]) -> Result<Option<ReplayFire>, CliError> {
    let Some(intervention) = report.intervention else { return Ok(None) };
    let kind = match intervention.fire {
        Fire::Basin => FireKind::Basin,
        Fire::Progress => FireKind::Progress,
        Fire::Both => FireKind::Both,
    };
    let target = match intervention.target {
        TargetKind::Weighted => "weighted mean",
        TargetKind::Nearest => "nearest node",
        TargetKind::None => {
            return Ok(Some(ReplayFire { check: 0, kind, ..ReplayFire::default() }));
        }
    };
    let (model, settings) = (worker.model(), worker.model().settings().servo);
    let segment = worker.target();
    let planned = plan(settings, q, segment).map_err(rollcheck_engine::recovery::RecoveryError::Servo)?;
    let target_reading = report.belief.phase_hat().and_then(|phase| {
        let lane = model.graph().lane(worker.task())?;
        let table = &model.parameters().basin;
        basin::read(model.graph(), table, lane, segment.frame(0), phase, model.excluded())
    });
    let target_distance_rad = distance_sq(q, segment.frame(0)).sqrt();
    Ok(Some(ReplayFire {
        check: 0,
        kind,
        target: Some(target.to_owned()),
        target_distance_rad: Some(target_distance_rad),
        servo: Some(curve(&planned, &settings, target_distance_rad)),
        manifold: Some(Manifold {
            before_rad: report.basin.map(|b| b.distance_rad),
            target_rad: target_reading.map(|b| b.distance_rad),
            radius_rad: target_reading.map(|b| b.radius_rad),
        }),
    }))
}

fn curve(planned: &Plan, settings: &ServoSettings, before_rad: f64) -> ServoCurve {
    let outcome = planned.hand_off.outcome;
    let outcome_words = match (outcome.end, outcome.approach_steps) {
        (ServoEnd::Reached, Some(steps)) => format!("reached after {steps} steps"),
        _ => format!("stopped at the limit of {} steps", settings.step_limit),
    };
    let distance_rad: Vec<f64> =
        std::iter::once(before_rad).chain(planned.steps.iter().map(|s| s.error_rad)).collect();
    let arrived = outcome.approach_steps.unwrap_or(planned.steps.len());
    ServoCurve {
        error_after_rad: distance_rad[arrived.min(distance_rad.len() - 1)],
        distance_rad,
        tolerance_rad: settings.tolerance_rad,
        outcome: outcome_words,
        steps: outcome.steps,
    }
}

/// First and last frame of each stretch with the gripper commanded closed.
fn closed_stretches(closed: &[bool]) -> Vec<(usize, usize)> {
    let mut stretches: Vec<(usize, usize)> = Vec::new();
    for (frame, _) in closed.iter().enumerate().filter(|(_, closed)| **closed) {
        match stretches.last_mut() {
            Some((_, last)) if *last + 1 == frame => *last = frame,
            _ => stretches.push((frame, frame)),
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_touch_the_ends_and_single_frames() {
        let closed = [true, true, false, true, false, false, true];
        assert_eq!(closed_stretches(&closed), [(0, 1), (3, 3), (6, 6)]);
        assert!(closed_stretches(&[false; 3]).is_empty());
    }
}
