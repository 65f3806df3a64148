//! What the workers of a suite share: graph, transitions, banks, radii, settings.

use super::error::RecoveryError;
use crate::belief::{Advance, BeliefError, BeliefTracker, FilterSettings, Scope};
use crate::constants::LEAK;
use crate::graph::{DemoGraph, Lane};
use crate::servo::ServoSettings;
use crate::track::TrackParameters;
use crate::track::parameters::PreparedBanks;
use crate::when::RuleSettings;
use std::sync::Arc;

/// Where a setting of the filter comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// This value.
    Fixed(f64),
    /// The one that was fitted for the suite.
    Fitted,
}

impl Choice {
    fn or_fitted(self, fitted: f64) -> f64 {
        match self {
            Self::Fixed(value) => value,
            Self::Fitted => fitted,
        }
    }
}

/// How the sentinel runs.
///
/// The null banks were made with `LEAK`, the fitted temperature and the start prior. Under another leak, temperature or
/// start the p-values no longer compare like with like, so such settings are for studying the filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SentinelSettings {
    /// Restart share. The fitted one hardly filters (sentinel page, section 4), so `LEAK` by default.
    pub leak: Choice,
    /// Temperature of the likelihood. The fitted one by default: how much too sure a head is depends on how
    /// long it was trained; `Fixed(TRACK_TAU)` is the page's value, 1 the method's.
    pub tau: Choice,
    /// Whether an episode starts from the entry stratum.
    pub start_prior: bool,
    /// The rule.
    pub rule: RuleSettings,
    /// The servo.
    pub servo: ServoSettings,
}

impl SentinelSettings {
    /// The default filter with a rule.
    pub fn new(rule: RuleSettings) -> Self {
        Self {
            leak: Choice::Fixed(LEAK),
            tau: Choice::Fitted,
            start_prior: true,
            rule,
            servo: ServoSettings::default(),
        }
    }
}

/// The filter's nodes and transition of one task.
#[derive(Clone, Debug)]
struct LaneModel {
    scope: Arc<Scope>,
    advance: Arc<Advance>,
}

/// Shared by all workers of a suite; read-only.
#[derive(Clone, Debug)]
pub struct SentinelModel {
    graph: Arc<DemoGraph>,
    parameters: Arc<TrackParameters>,
    lanes: Arc<Vec<LaneModel>>,
    banks: PreparedBanks,
    settings: SentinelSettings,
    filter: FilterSettings,
    without_owner: Option<usize>,
}

impl SentinelModel {
    /// Joins a graph and what was fitted on it.
    ///
    /// # Errors
    /// [`RecoveryError::OtherGraph`]; [`RecoveryError::Belief`], [`RecoveryError::When`] and
    /// [`RecoveryError::Servo`] for settings out of range.
    pub fn new(
        graph: Arc<DemoGraph>,
        parameters: Arc<TrackParameters>,
        settings: SentinelSettings,
    ) -> Result<Self, RecoveryError> {
        if parameters.graph != *graph.hash() {
            let (expected, found) = (graph.hash().clone(), parameters.graph.clone());
            return Err(RecoveryError::OtherGraph { expected, found });
        }
        let lanes = graph
            .lanes()
            .iter()
            .map(|lane| {
                let scope = Scope::new(&graph, Some(lane.task_id))?;
                let advance = Advance::build(&graph, &scope, &parameters.advance)?;
                Ok(LaneModel { scope: Arc::new(scope), advance: Arc::new(advance) })
            })
            .collect::<Result<Vec<_>, BeliefError>>()?;
        let banks = parameters.banks.prepare(None);
        let filter = filter_of(&parameters, &settings);
        let model =
            Self { graph, parameters, lanes: Arc::new(lanes), banks, settings, filter, without_owner: None };
        model.check()?;
        Ok(model)
    }

    fn check(&self) -> Result<(), RecoveryError> {
        self.filter.check()?;
        self.settings.rule.check()?;
        self.settings.servo.check()?;
        Ok(())
    }

    /// The same suite under other settings; transitions and banks are shared.
    ///
    /// # Errors
    /// As [`SentinelModel::new`].
    pub fn with_settings(&self, settings: SentinelSettings) -> Result<Self, RecoveryError> {
        let filter = filter_of(&self.parameters, &settings);
        let model = Self { settings, filter, ..self.clone() };
        model.check()?;
        Ok(model)
    }

    /// The same suite without one demo: not in the banks, the start prior, the neighbours or the targets.
    /// Transitions and radii keep it (sentinel page, section 4).
    #[must_use]
    pub fn without_owner(&self, owner: usize) -> Self {
        Self { banks: self.parameters.banks.prepare(Some(owner)), without_owner: Some(owner), ..self.clone() }
    }

    /// The graph.
    pub fn graph(&self) -> &Arc<DemoGraph> {
        &self.graph
    }

    /// What was fitted.
    pub fn parameters(&self) -> &TrackParameters {
        &self.parameters
    }

    /// The settings.
    pub fn settings(&self) -> &SentinelSettings {
        &self.settings
    }

    /// The demo that is left out.
    pub fn excluded(&self) -> Option<usize> {
        self.without_owner
    }

    pub(super) fn banks(&self) -> &PreparedBanks {
        &self.banks
    }

    /// Position of a task among the lanes.
    pub(super) fn lane_index(&self, task: i32) -> Result<usize, RecoveryError> {
        let lanes = self.graph.lanes();
        lanes.iter().position(|l| l.task_id == task).ok_or_else(|| {
            BeliefError::UnknownTask { task, known: lanes.iter().map(|l| l.task_id).collect() }.into()
        })
    }

    pub(super) fn lane(&self, index: usize) -> &Lane {
        &self.graph.lanes()[index]
    }

    pub(super) fn tracker(&self, lane: usize) -> Result<BeliefTracker, RecoveryError> {
        let LaneModel { scope, advance } = &self.lanes[lane];
        let mut tracker = BeliefTracker::new(Arc::clone(scope), Arc::clone(advance), self.filter)?;
        tracker.reset(self.without_owner);
        Ok(tracker)
    }
}

fn filter_of(parameters: &TrackParameters, settings: &SentinelSettings) -> FilterSettings {
    FilterSettings {
        leak: settings.leak.or_fitted(parameters.leak),
        tau: settings.tau.or_fitted(parameters.tau),
        start_prior: settings.start_prior,
    }
}
