//! One check of one worker: the belief before it and the logits of its window give the belief after it.
//!
//! ```text
//! L  = softmax(logits / tau)                    over the reached nodes of the scope
//! b' = [(1 - leak) P b + leak L] L / sum        leak is eps of the page
//! ```
//!
//! in the order of sentinel page, section 4: the logits come restricted to the scope, then temperature,
//! softmax, prediction, mix, product, normalisation, outputs. The cases that the formula leaves open:
//!
//! - no belief yet (an episode without start prior, or the first check after a recovery): `b' = L`;
//! - the product has no mass: `b' = L`, a restart. With `leak > 0` the sum is at least `leak / N`, so this
//!   needs `leak = 0`;
//! - nothing reached, or a window that was refused: `b' = P b`; without a belief there is still none.
//!
//! Pure: no state but what is passed in.

use super::advance::Advance;
use super::error::BeliefError;
use super::likelihood::Logits;
use super::scope::Scope;
use crate::constants::{LEAK, LOG_EVIDENCE_FLOOR, TRACK_TAU};
use rollcheck_kernels::SimdLevel;
use rollcheck_kernels::belief_advance::{concentration, update};
use rollcheck_kernels::masked_softmax::masked_softmax;
use rollcheck_kernels::weighted_mean::weighted_moments;

/// How the filter runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterSettings {
    /// Share that restarts at the current observation in every check, 0 to 1.
    pub leak: f64,
    /// Temperature of the likelihood, positive; 1 is the method.
    pub tau: f64,
    /// Whether an episode starts from the entry stratum instead of from its first likelihood.
    pub start_prior: bool,
}

impl Default for FilterSettings {
    fn default() -> Self {
        Self { leak: LEAK, tau: TRACK_TAU, start_prior: true }
    }
}

impl FilterSettings {
    /// Whether every setting is what it may be.
    ///
    /// # Errors
    /// [`BeliefError::Parameter`], naming the first that is not.
    pub fn check(&self) -> Result<(), BeliefError> {
        let refuse = |name: &str, expected, found| {
            Err(BeliefError::Parameter { name: name.to_owned(), expected, found })
        };
        if !(0.0..=1.0).contains(&self.leak) {
            return refuse("leak", "a share from 0 to 1", self.leak);
        }
        if !(self.tau.is_finite() && self.tau > 0.0) {
            return refuse("tau", "a positive finite temperature", self.tau);
        }
        Ok(())
    }
}

/// What a check has to go on.
#[derive(Clone, Copy, Debug)]
pub enum Observation<'a> {
    /// The head's logits, one a node of the scope, `-inf` where not reached.
    Logits(&'a Logits),
    /// The window held a value that is not finite; the head was not asked.
    Refused,
}

/// Where the belief of a check came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckKind {
    /// The likelihood alone: there was no belief before.
    First,
    /// The filter's update.
    Updated,
    /// The likelihood alone: the update had no mass.
    Restarted,
    /// The prediction alone, if there was a belief: no node was reached. The progress test does not bet,
    /// the basin test does.
    Blind,
    /// The prediction alone, if there was a belief: the window was refused. Neither test bets.
    Refused,
}

/// What a belief says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeliefSummary {
    /// Expected phase.
    pub phase_hat: f64,
    /// Standard deviation of the phase.
    pub spread: f64,
    /// The most probable node, global id; ties go to the lower one.
    pub map_node: u32,
    /// Effective support, `1 / sum b^2`, nodes.
    pub effective_support: f64,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckBelief {
    /// Where the belief came from.
    pub kind: CheckKind,
    /// Nodes reached.
    pub reached: usize,
    /// What the belief says; `None` while there is none.
    pub summary: Option<BeliefSummary>,
    /// Share of the posterior that the restart term brought; `None` where nothing was mixed.
    pub restart_share: Option<f64>,
    /// `log sum_v (P b)_v L_v`, at least [`LOG_EVIDENCE_FLOOR`]; `None` without a prediction or a
    /// likelihood.
    pub log_predictive: Option<f64>,
}

impl CheckBelief {
    /// Expected phase, if there is a belief.
    pub fn phase_hat(&self) -> Option<f64> {
        self.summary.map(|s| s.phase_hat)
    }

    /// Whether the check had no likelihood: nothing reached, or the window refused.
    pub fn is_blind(&self) -> bool {
        matches!(self.kind, CheckKind::Blind | CheckKind::Refused)
    }

    /// Whether the update had no mass and the belief restarted from the likelihood.
    pub fn is_restarted(&self) -> bool {
        self.kind == CheckKind::Restarted
    }
}

/// Working memory of [`check`], made once for a scope.
#[derive(Clone, Debug)]
pub struct Workspace {
    likelihood: Vec<f64>,
    advanced: Vec<f64>,
    predicted: Vec<f64>,
    level: SimdLevel,
}

impl Workspace {
    /// Room for the nodes of a scope.
    pub fn new(scope: &Scope) -> Self {
        let zeros = vec![0.0; scope.len()];
        Self {
            likelihood: zeros.clone(),
            advanced: zeros.clone(),
            predicted: zeros,
            level: SimdLevel::detect(),
        }
    }
}

/// Runs one check. `belief` holds one value a node of the scope: `prior` before, `posterior` after it.
/// `posterior` is not written while there is no belief ([`CheckBelief::summary`] is `None`). Allocates
/// nothing.
///
/// # Errors
/// [`BeliefError::Logits`] and [`BeliefError::Kernel`] when a slice has not one value a node.
pub fn check(
    scope: &Scope,
    advance: &Advance,
    settings: &FilterSettings,
    prior: Option<&[f64]>,
    observation: Observation<'_>,
    workspace: &mut Workspace,
    posterior: &mut [f64],
) -> Result<CheckBelief, BeliefError> {
    let Workspace { likelihood, advanced, predicted, level } = workspace;
    let level = *level;
    let reached = match observation {
        Observation::Refused => 0,
        Observation::Logits(logits) => {
            let (expected, found) = (scope.len(), logits.values.len());
            if expected != found {
                return Err(BeliefError::Logits { scope: Box::new(scope.id().clone()), expected, found });
            }
            masked_softmax(level, &logits.values, settings.tau, likelihood)?
        }
    };
    let mut outcome = CheckBelief {
        kind: CheckKind::First,
        reached,
        summary: None,
        restart_share: None,
        log_predictive: None,
    };
    if reached == 0 {
        outcome.kind = match observation {
            Observation::Refused => CheckKind::Refused,
            Observation::Logits(_) => CheckKind::Blind,
        };
        let Some(prior) = prior else { return Ok(outcome) };
        advance.apply(prior, advanced, posterior)?;
    } else if let Some(prior) = prior {
        advance.apply(prior, advanced, predicted)?;
        let masses = update(level, predicted, likelihood, settings.leak, posterior)?;
        outcome.log_predictive = Some(masses.evidence.ln().max(LOG_EVIDENCE_FLOOR));
        if masses.is_normalised() {
            outcome.kind = CheckKind::Updated;
            outcome.restart_share = Some((settings.leak * masses.likelihood_sq / masses.total).min(1.0));
        } else {
            outcome.kind = CheckKind::Restarted;
            outcome.restart_share = Some(1.0);
            posterior.copy_from_slice(likelihood);
        }
    } else {
        posterior.copy_from_slice(likelihood);
    }
    outcome.summary = Some(summarise(scope, level, posterior)?);
    Ok(outcome)
}

fn summarise(scope: &Scope, level: SimdLevel, belief: &[f64]) -> Result<BeliefSummary, BeliefError> {
    let phase = weighted_moments(level, belief, scope.phases())?;
    let concentration = concentration(level, belief);
    Ok(BeliefSummary {
        phase_hat: phase.mean,
        spread: phase.deviation,
        map_node: scope.nodes()[concentration.largest],
        effective_support: 1.0 / concentration.sum_sq,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_cannot_be_are_refused_by_name() {
        let refused = |settings: FilterSettings| settings.check().unwrap_err().to_string();
        let usual = FilterSettings::default();
        assert_eq!(usual.check(), Ok(()));
        for leak in [-1e-9, 1.5, f64::NAN] {
            assert_eq!(
                refused(FilterSettings { leak, ..usual }),
                format!("parameter `leak`: {leak}, expected a share from 0 to 1")
            );
        }
        for tau in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            assert_eq!(
                refused(FilterSettings { tau, ..usual }),
                format!("parameter `tau`: {tau}, expected a positive finite temperature")
            );
        }
    }
}
