//! Everything that `quickstart` measures, in one struct that its table, its JSON and its page are made from.

use super::audit::{Audit, audit_sources, disturbed};
use super::latency::CheckTimes;
use super::recording::Recording;
use super::replay::{self, About};
use super::{Artifacts, entry};
use crate::error::CliError;
use crate::report::page::Provenance;
use crate::report::replay::Replay;
use crate::settings::RuleChoice;
use rollcheck_models::audit::EntryAudit;
use rollcheck_models::audit::entry::{EntryRun, Start, runs};
use rollcheck_models::audit::perturb::Disturbance;
use rollcheck_models::fit::FitReport;
use rollcheck_models::train::Scores;
use std::time::Instant;

/// The bundled episodes; `fixtures/demos/README.md` says where they come from.
const DEMOS: (&str, &[u8]) = ("demos_long.npz", include_bytes!("../../../fixtures/demos/demos_long.npz"));
const FAST: (&str, &[u8]) =
    ("rollouts_fast.npz", include_bytes!("../../../fixtures/demos/rollouts_fast.npz"));
const DISPLACED: (&str, &[u8]) =
    ("rollouts_perturbed.npz", include_bytes!("../../../fixtures/demos/rollouts_perturbed.npz"));

/// What every figure made from the bundled episodes must say.
pub const DATA: &str = "Episodes recorded in LIBERO's simulated environments with a scripted expert, not a human; \
                        they say nothing about a policy. Pushes and stalls are generated from the recordings.";

/// The push that the pictured rollout gets.
pub const PUSH: Disturbance = Disturbance::Push(0.4);

/// The bundled episodes.
#[derive(Clone, Debug)]
pub struct Bundled {
    /// Demonstrations, with the start poses of five levels.
    pub demos: Recording,
    /// Clean rollouts of a hastier expert: the shifted set.
    pub fast: Recording,
    /// Rollouts from displaced start poses.
    pub displaced: Recording,
}

impl Bundled {
    /// Reads all three.
    ///
    /// # Errors
    /// [`CliError::Store`] or [`CliError::Demos`]; only a damaged program has them.
    pub fn read() -> Result<Self, CliError> {
        let read = |(name, bytes): (&str, &[u8])| Recording::parse(bytes, name);
        Ok(Self { demos: read(DEMOS)?, fast: read(FAST)?, displaced: read(DISPLACED)? })
    }
}

/// Seconds of each step, in order.
#[derive(Clone, Debug)]
pub struct Stopwatch {
    since: Instant,
    /// Name and seconds.
    pub steps: Vec<(&'static str, f64)>,
}

impl Stopwatch {
    /// Starts.
    pub fn start() -> Self {
        Self { since: Instant::now(), steps: Vec::new() }
    }

    /// Ends a step; gives its seconds.
    pub fn lap(&mut self, step: &'static str) -> f64 {
        let now = Instant::now();
        let seconds = now.duration_since(self.since).as_secs_f64();
        self.since = now;
        self.steps.push((step, seconds));
        seconds
    }

    /// Seconds of all steps.
    pub fn total_s(&self) -> f64 {
        self.steps.iter().map(|s| s.1).sum()
    }
}

/// Entry on given and on recorded starts.
#[derive(Clone, Debug)]
pub struct EntryFigures {
    /// Of the start poses of the file, task in turn, and of every demo's own start without that demo.
    pub starts: EntryAudit,
    /// Mean distance by control step of each level above 0.
    pub approach: Vec<(f64, Vec<f64>)>,
    /// Of the rollouts recorded from displaced poses.
    pub displaced: EntryAudit,
    /// Level (rad) of each such rollout and whether it succeeded, as recorded.
    pub displaced_outcomes: Vec<(f64, bool)>,
}

/// All figures.
#[derive(Clone, Debug)]
pub struct Quickstart {
    /// Graph, head, filter.
    pub artifacts: Artifacts,
    /// Of the fits.
    pub fit: FitReport,
    /// The head alone on the audit split.
    pub scores: Option<Scores>,
    /// Phase, false alarms, detection.
    pub audit: Audit,
    /// Starts put back.
    pub entry: EntryFigures,
    /// A pushed audit demo.
    pub replay: Replay,
    /// Time of a check.
    pub check_ms: CheckTimes,
    /// Seconds by step.
    pub stopwatch: Stopwatch,
}

impl Quickstart {
    /// Rollouts recorded from displaced poses of a level that succeeded, without a rewind; `None` where none
    /// tells.
    pub fn displaced_successes(&self, level: f64) -> Option<usize> {
        let of_level = || self.entry.displaced_outcomes.iter().filter(|o| o.0 == level);
        (of_level().count() > 0).then(|| of_level().filter(|o| o.1).count())
    }
}

/// Plans every start of the bundled files.
///
/// # Errors
/// [`CliError::Recovery`].
pub fn entry_figures(artifacts: &Artifacts, bundled: &Bundled) -> Result<EntryFigures, CliError> {
    let (head, graph) = (&artifacts.trained.head, artifacts.trained.graph());
    let tasks: Vec<i32> = graph.lanes().iter().map(|lane| lane.task_id).collect();
    let rate_hz = bundled.demos.demos.episodes()[0].rate_hz();
    let plan = |starts: Vec<Start>| -> Result<Vec<EntryRun>, CliError> { Ok(runs(head, starts, rate_hz)?) };
    let mut starts = entry::starts_in_turn(&bundled.demos, &tasks);
    starts.extend(entry::recorded(graph, &bundled.demos, &tasks));
    let planned = plan(starts)?;
    let starts = EntryAudit::new(&planned);
    let levels = starts.levels.iter().map(|l| l.level).filter(|level| *level > 0.0);
    Ok(EntryFigures {
        approach: levels.map(|level| (level, entry::approach(&planned, level))).collect(),
        starts,
        displaced: EntryAudit::new(&plan(entry::recorded(graph, &bundled.displaced, &tasks))?),
        displaced_outcomes: match (&bundled.displaced.level, &bundled.displaced.success) {
            (Some(level), Some(success)) => level.iter().copied().zip(success.iter().copied()).collect(),
            _ => Vec::new(),
        },
    })
}

/// A caught rollout: audit demos in order, pushed as the audit's detection pushes them, under the recommended rule,
/// until the first that the rule catches; its title says which that was. Where none is caught, the first of all.
/// How many are caught is the audit's figure, not this picture.
///
/// # Errors
/// [`CliError::Recovery`]; [`CliError::Internal`] when no audit demo can be pushed.
pub fn pictured(artifacts: &Artifacts, bundled: &Bundled) -> Result<Replay, CliError> {
    let model = artifacts.model(RuleChoice::Recommended.settings())?;
    let pushed = disturbed(&audit_sources(artifacts, &bundled.demos), PUSH, artifacts.trained.training.seed);
    let mut first = None;
    for (position, pushed) in pushed.into_iter().enumerate() {
        let owner = pushed.source.owner;
        let demo = owner.map_or_else(|| "an audit demo".to_owned(), |o| format!("audit demo {o}"));
        let about = About {
            title: format!("{demo} of {}, pushed", bundled.demos.file),
            task: bundled.demos.task_words(pushed.source.episode.task_id()),
            perturbations: vec![(pushed.onset, format!("{PUSH} (generated)"))],
            is_phase_known: true,
            provenance: Provenance::default(),
        };
        let mut replay = replay::run(&model, &artifacts.trained.head, pushed.source, about)?;
        if caught_frame(&replay).is_some() {
            replay.title = format!("{}: the first caught, number {} in order", replay.title, position + 1);
            return Ok(replay);
        }
        first.get_or_insert(replay);
    }
    first.ok_or_else(|| CliError::Internal("no audit demo can be pushed".to_owned()))
}

/// The judged frame of the first fire with a target at or after the first disturbance.
pub fn caught_frame(replay: &Replay) -> Option<usize> {
    let onset = replay.perturbations.first().map_or(0, |p| p.0);
    let fires = replay.fires.iter().filter(|f| f.target.is_some());
    fires.map(|f| replay.checks[f.check].frame).find(|&frame| frame >= onset)
}

/// Where a run's figures come from.
pub fn provenance(artifacts: &Artifacts) -> Provenance {
    Provenance {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        graph_hash: artifacts.trained.graph().hash().to_string(),
        head_hash: Some(artifacts.trained.head.hash().to_string()),
        seeds: vec![("split, weights, disturbances".to_owned(), artifacts.trained.training.seed)],
        sources: vec![
            format!("{}: demonstrations; {} and {}: rollouts", DEMOS.0, FAST.0, DISPLACED.0),
            DATA.to_owned(),
        ],
        generated: false,
    }
}
