//! The belief of one worker over the checks of an episode.
//!
//! Holds what [`filter::check`](super::filter::check) needs from one check to the next: the belief, whether
//! there is one, and the counts of what went other than usual. An episode begins with
//! [`BeliefTracker::reset`]; after a servo the window refills and [`BeliefTracker::after_recovery`] lets the
//! next check start from its likelihood alone, since the policy did not move the arm there (sentinel page,
//! section 4).

use super::advance::Advance;
use super::error::BeliefError;
use super::filter::{CheckBelief, CheckKind, FilterSettings, Observation, Workspace, check};
use super::likelihood::Logits;
use super::scope::Scope;
use std::sync::Arc;

/// What happened since the episode began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckCounts {
    /// Checks, of every kind.
    pub checks: u64,
    /// Restarts because the update had no mass.
    pub restarts: u64,
    /// Checks that reached no node.
    pub blind: u64,
    /// Checks whose window was refused; not among `blind`.
    pub refused: u64,
}

/// The filter of one worker. Allocates when made, never in a check.
#[doc(alias = "GraphTracker")]
#[derive(Clone, Debug)]
pub struct BeliefTracker {
    scope: Arc<Scope>,
    advance: Arc<Advance>,
    settings: FilterSettings,
    belief: Vec<f64>,
    next: Vec<f64>,
    has_belief: bool,
    workspace: Workspace,
    counts: CheckCounts,
}

impl BeliefTracker {
    /// A tracker at the start of an episode ([`BeliefTracker::reset`] without an excluded demo).
    ///
    /// # Errors
    /// [`BeliefError::Parameter`]; [`BeliefError::ForeignScope`] when `advance` was built for other nodes.
    pub fn new(
        scope: Arc<Scope>,
        advance: Arc<Advance>,
        settings: FilterSettings,
    ) -> Result<Self, BeliefError> {
        settings.check()?;
        if advance.scope() != scope.id() {
            return Err(BeliefError::ForeignScope {
                expected: Box::new(scope.id().clone()),
                found: Box::new(advance.scope().clone()),
            });
        }
        let zeros = vec![0.0; scope.len()];
        let mut tracker = Self {
            workspace: Workspace::new(&scope),
            scope,
            advance,
            settings,
            belief: zeros.clone(),
            next: zeros,
            has_belief: false,
            counts: CheckCounts::default(),
        };
        tracker.reset(None);
        Ok(tracker)
    }

    /// Begins an episode: counts are zero, the belief is the start prior if the settings want one.
    ///
    /// `without_owner` is the demo under test of a leave-one-demo-out replay: it holds no part of the start
    /// prior (its logits are `-inf` already). Where it is the only demo of the scope there is no prior.
    pub fn reset(&mut self, without_owner: Option<usize>) {
        self.counts = CheckCounts::default();
        self.has_belief =
            self.settings.start_prior && self.scope.start_prior(without_owner, &mut self.belief) > 0;
    }

    /// Forgets the belief, keeps the counts: the next check takes its likelihood.
    pub fn after_recovery(&mut self) {
        self.has_belief = false;
    }

    /// A check of a window that the head has scored.
    ///
    /// # Errors
    /// [`BeliefError::Logits`] when there is not one logit a node; the tracker is as before.
    pub fn step(&mut self, logits: &Logits) -> Result<CheckBelief, BeliefError> {
        self.observe(Observation::Logits(logits))
    }

    /// A check of a window that was refused because a value in it is not finite; the belief survives.
    ///
    /// # Errors
    /// None that this tracker's own construction leaves possible.
    pub fn step_refused(&mut self) -> Result<CheckBelief, BeliefError> {
        self.observe(Observation::Refused)
    }

    fn observe(&mut self, observation: Observation<'_>) -> Result<CheckBelief, BeliefError> {
        let prior = self.has_belief.then_some(self.belief.as_slice());
        let outcome = check(
            &self.scope,
            &self.advance,
            &self.settings,
            prior,
            observation,
            &mut self.workspace,
            &mut self.next,
        )?;
        if outcome.summary.is_some() {
            std::mem::swap(&mut self.belief, &mut self.next);
            self.has_belief = true;
        }
        self.counts.checks += 1;
        match outcome.kind {
            CheckKind::First | CheckKind::Updated => {}
            CheckKind::Restarted => self.counts.restarts += 1,
            CheckKind::Blind => self.counts.blind += 1,
            CheckKind::Refused => self.counts.refused += 1,
        }
        Ok(outcome)
    }

    /// The belief by local index, if there is one.
    pub fn belief(&self) -> Option<&[f64]> {
        self.has_belief.then_some(self.belief.as_slice())
    }

    /// What happened since the episode began.
    pub fn counts(&self) -> CheckCounts {
        self.counts
    }

    /// The nodes.
    pub fn scope(&self) -> &Arc<Scope> {
        &self.scope
    }

    /// The transition.
    pub fn advance(&self) -> &Arc<Advance> {
        &self.advance
    }

    /// The settings.
    pub fn settings(&self) -> &FilterSettings {
        &self.settings
    }
}
