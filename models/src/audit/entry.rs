//! Entry at t = 0 on given start poses, on the offline plant.

use super::interval::Share;
use crate::head::{Head, HeadWorker};
use rayon::prelude::*;
use rollcheck_engine::demos::DemoSet;
use rollcheck_engine::recovery::{EntryPlan, RecoveryError};
use rollcheck_engine::servo::{Plan, ServoEnd, ServoSettings};
use serde::Serialize;
use std::sync::Arc;

/// A start pose of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// The task.
    pub task: i32,
    /// Joint positions, rad.
    pub q: Vec<f64>,
    /// How far it was perturbed, rad; 0 for a recorded start.
    pub level: f64,
    /// Whether the gripper command closes.
    pub closed: bool,
    /// The demo it is from, which is left out.
    pub owner: Option<usize>,
}

/// One start with its plan; the servo ran only where the start is rewound.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryRun {
    /// The start.
    pub start: Start,
    /// Target and gate.
    pub plan: EntryPlan,
    /// The servo's run.
    pub servo: Option<Plan>,
}

impl EntryRun {
    /// Distance to `q*` when frame 0 counted as reached, or at the end, rad; before the servo where it did not run.
    pub fn error_after_rad(&self) -> f64 {
        let Some(servo) = &self.servo else { return self.plan.error_rad };
        let step = servo.hand_off.outcome.approach_steps.unwrap_or(servo.steps.len());
        match step.checked_sub(1).and_then(|s| servo.steps.get(s)) {
            Some(step) => step.error_rad,
            None => self.plan.error_rad,
        }
    }
}

/// The starts of one level.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelAudit {
    /// The level, rad.
    pub level: f64,
    /// Starts that were rewound.
    pub rewound: Share,
    /// Rewound starts that the servo brought to the target.
    pub reached: Share,
    /// Control steps until frame 0 was reached: least, median, most.
    pub approach_steps: Option<(usize, usize, usize)>,
    /// Mean distance to `q*` before and after, over rewound starts, rad.
    pub error_before_rad: Option<f64>,
    /// As above, after.
    pub error_after_rad: Option<f64>,
    /// Smallest and largest entry stratum.
    pub stratum: Option<(usize, usize)>,
}

/// Entry over many starts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EntryAudit {
    /// By level, ascending; level 0 are recorded starts.
    pub levels: Vec<LevelAudit>,
    /// Mean distance to `q*` before, over all rewound starts of a level above 0, rad.
    pub error_before_rad: Option<f64>,
    /// As above, after the servo.
    pub error_after_rad: Option<f64>,
}

/// Plans every start; order is kept.
///
/// # Errors
/// The first start's [`RecoveryError`].
pub fn runs(head: &Arc<Head>, starts: Vec<Start>, rate_hz: f64) -> Result<Vec<EntryRun>, RecoveryError> {
    let settings = ServoSettings::default();
    starts
        .into_par_iter()
        .map_init(
            || HeadWorker::new(Arc::clone(head)),
            |worker, start| {
                let (graph, owner) = (head.graph(), start.owner);
                let plan = EntryPlan::new(graph, worker, start.task, &start.q, start.closed, rate_hz, owner)?;
                let servo = if plan.rewind { Some(plan.servo(settings, &start.q)?) } else { None };
                Ok(EntryRun { start, plan, servo })
            },
        )
        .collect()
}

/// The first frame of each demo, without that demo.
pub fn recorded_starts(demos: &DemoSet, owners: &[usize]) -> Vec<Start> {
    owners
        .iter()
        .map(|&owner| {
            let episode = &demos.episodes()[owner];
            Start {
                task: episode.task_id(),
                q: episode.q(0).to_vec(),
                level: 0.0,
                closed: episode.closed(0),
                owner: Some(owner),
            }
        })
        .collect()
}

impl EntryAudit {
    /// Pools runs by level.
    pub fn new(runs: &[EntryRun]) -> Self {
        let mut levels: Vec<f64> = runs.iter().map(|r| r.start.level).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        let of = |keep: &dyn Fn(&EntryRun) -> bool| -> Vec<&EntryRun> {
            runs.iter().filter(|r| keep(r)).collect()
        };
        let rewound = of(&|r| r.start.level > 0.0 && r.plan.rewind);
        Self {
            levels: levels
                .iter()
                .map(|&level| level_audit(level, &of(&|r| r.start.level == level)))
                .collect(),
            error_before_rad: mean(&rewound, |r| r.plan.error_rad),
            error_after_rad: mean(&rewound, EntryRun::error_after_rad),
        }
    }
}

fn level_audit(level: f64, runs: &[&EntryRun]) -> LevelAudit {
    let rewound: Vec<&EntryRun> = runs.iter().copied().filter(|r| r.plan.rewind).collect();
    let outcome = |r: &&EntryRun| r.servo.as_ref().map(|s| s.hand_off.outcome);
    let mut steps: Vec<usize> = rewound.iter().filter_map(outcome).filter_map(|o| o.approach_steps).collect();
    steps.sort_unstable();
    let reached = rewound.iter().filter_map(outcome).filter(|o| o.end == ServoEnd::Reached).count();
    let strata = || runs.iter().map(|r| r.plan.target.counts.reached);
    LevelAudit {
        level,
        rewound: Share::new(rewound.len(), runs.len()),
        reached: Share::new(reached, rewound.len()),
        approach_steps: match (steps.first(), steps.last()) {
            (Some(&least), Some(&most)) => Some((least, steps[steps.len() / 2], most)),
            _ => None,
        },
        error_before_rad: mean(&rewound, |r| r.plan.error_rad),
        error_after_rad: mean(&rewound, EntryRun::error_after_rad),
        stratum: strata().min().zip(strata().max()),
    }
}

fn mean(runs: &[&EntryRun], f: impl Fn(&EntryRun) -> f64) -> Option<f64> {
    (!runs.is_empty()).then(|| runs.iter().map(|r| f(r)).sum::<f64>() / runs.len() as f64)
}
