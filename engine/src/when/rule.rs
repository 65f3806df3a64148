//! The rule of one episode: the union of both tests, and its gates (sentinel page, section 5).
//!
//! At each check, in this order:
//!
//! 1. bets, where the check is due (`BET_EVERY`) and a p-value is there. The progress test is *closed*, for bets
//!    and fire alike, once `phase_hat >= 1 - 1/NBINS_ALIGN` and where the phase is unknown: a finished task
//!    has stopped advancing and would save up wealth;
//! 2. a fire, when a test's current log wealth is over its threshold. None while the judged frame's gripper
//!    command closes (bets go on; a crossing is not remembered) and none once `max_interventions` were
//!    executed.
//!
//! A fire is a proposal: where it has no target the caller leaves it, and nothing is counted or reset. One that
//! is carried out is told by [`UnionRule::executed`], which resets both wealths; the servo's end by
//! [`UnionRule::after_recovery`], which restarts the count of checks. [`UnionRule::new_episode`] restarts all.

use super::conformal::PValue;
use super::eprocess::Wealth;
use super::error::WhenError;
use super::settings::RuleSettings;
use super::threshold::Threshold;
use crate::constants::NBINS_ALIGN;

/// What one check says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// p-value of the basin test; `None` bets nothing.
    pub p_basin: Option<PValue>,
    /// p-value of the progress test; `None` bets nothing.
    pub p_progress: Option<PValue>,
    /// Phase estimate; `None` where there is no belief.
    pub phase_hat: Option<f64>,
    /// Whether the judged frame's gripper command closes.
    pub closed: bool,
}

/// Which test fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fire {
    /// The arm is off the manifold.
    Basin,
    /// The phase has stopped advancing.
    Progress,
    /// Both.
    Both,
}

/// What the rule says of one check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ruling {
    /// Log wealth of the basin test after the bet.
    pub log_basin: f64,
    /// Log wealth of the progress test after the bet.
    pub log_progress: f64,
    /// Whether the basin test could have fired here, had its wealth been enough.
    pub basin_open: bool,
    /// Whether the progress test could have fired here.
    pub progress_open: bool,
    /// The fire, if any.
    pub fire: Option<Fire>,
}

/// The rule's state in one episode.
#[doc(alias = "FilterRule")]
#[derive(Clone, Debug, PartialEq)]
pub struct UnionRule {
    settings: RuleSettings,
    basin: Wealth,
    progress: Wealth,
    /// Checks since the episode began or the last recovery ended.
    checks: usize,
    fires: usize,
}

impl UnionRule {
    /// The rule at the start of an episode.
    ///
    /// # Errors
    /// [`WhenError::Setting`].
    pub fn new(settings: RuleSettings) -> Result<Self, WhenError> {
        settings.check()?;
        let wealth = Wealth::new(settings.wealth)?;
        Ok(Self { settings, basin: wealth, progress: wealth, checks: 0, fires: 0 })
    }

    /// The settings.
    pub fn settings(&self) -> &RuleSettings {
        &self.settings
    }

    /// Fires executed in this episode.
    pub fn fires(&self) -> usize {
        self.fires
    }

    /// Fires that may still be executed.
    pub fn fires_left(&self) -> usize {
        self.settings.max_interventions - self.fires
    }

    /// Takes one check: bets, then looks for a fire.
    pub fn observe(&mut self, evidence: &Evidence) -> Ruling {
        const FINISHED: f64 = 1.0 - 1.0 / NBINS_ALIGN as f64;
        let advancing = evidence.phase_hat.is_some_and(|phase| phase < FINISHED);
        if self.checks.is_multiple_of(self.settings.bet_every) {
            if let Some(p) = evidence.p_basin {
                self.basin.bet(self.settings.bet.log_factor(p));
            }
            if let Some(p) = evidence.p_progress.filter(|_| advancing) {
                self.progress.bet(self.settings.bet.log_factor(p));
            }
        }
        self.checks += 1;

        let (log_basin, log_progress) = (self.basin.log_e(), self.progress.log_e());
        let basin_open = !evidence.closed && self.fires_left() > 0;
        let progress_open = basin_open && advancing;
        let (basin_over, progress_over) = self.over(log_basin, log_progress);
        let fire = match (basin_open && basin_over, progress_open && progress_over) {
            (true, true) => Some(Fire::Both),
            (true, false) => Some(Fire::Basin),
            (false, true) => Some(Fire::Progress),
            (false, false) => None,
        };
        Ruling { log_basin, log_progress, basin_open, progress_open, fire }
    }

    /// The log wealth that each test must reach (Ville) or exceed (episode), basin first.
    pub fn log_thresholds(&self) -> (f64, f64) {
        match self.settings.threshold {
            Threshold::Ville => {
                let log = -self.settings.alpha_half().ln();
                (log, log)
            }
            Threshold::Episode { log_basin, log_progress } => (log_basin, log_progress),
        }
    }

    fn over(&self, log_basin: f64, log_progress: f64) -> (bool, bool) {
        let (basin, progress) = self.log_thresholds();
        match self.settings.threshold {
            Threshold::Ville => (log_basin >= basin, log_progress >= progress),
            Threshold::Episode { .. } => (log_basin > basin, log_progress > progress),
        }
    }

    /// The fire of the last check is carried out: counted, and both wealths start again.
    pub fn executed(&mut self) {
        self.fires = (self.fires + 1).min(self.settings.max_interventions);
        self.basin.reset();
        self.progress.reset();
    }

    /// The servo has handed the arm back: checks are counted anew, so the next one bets. It has no progress
    /// p-value, see [`super::progress::Progress::reset`].
    pub fn after_recovery(&mut self) {
        self.checks = 0;
    }

    /// Everything as at the start of an episode.
    pub fn new_episode(&mut self) {
        self.basin.reset();
        self.progress.reset();
        (self.checks, self.fires) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::when::{Bet, WealthRule};
    use proptest::prelude::*;

    fn strange(phase_hat: f64, closed: bool) -> Evidence {
        let p = PValue::new(0.001);
        Evidence { p_basin: p, p_progress: p, phase_hat: Some(phase_hat), closed }
    }

    fn rule(settings: RuleSettings) -> UnionRule {
        UnionRule::new(settings).unwrap()
    }

    #[test]
    fn a_fire_without_a_target_costs_nothing_and_comes_again() {
        let mut rule = rule(RuleSettings::method());
        let first = (0..9).map(|_| rule.observe(&strange(0.5, false))).last().unwrap();
        assert_eq!(first.fire, Some(Fire::Both));
        let again = rule.observe(&strange(0.5, false));
        assert_eq!((again.fire, rule.fires()), (Some(Fire::Both), 0));
        assert!(again.log_basin > first.log_basin);
        rule.executed();
        let after = rule.observe(&Evidence { phase_hat: Some(0.5), ..Evidence::default() });
        assert_eq!((after.log_basin, after.fire, rule.fires_left()), (0.0, None, 2));
    }

    #[test]
    fn a_recovery_restarts_the_count_of_checks() {
        let settings = RuleSettings { bet_every: 3, ..RuleSettings::method() };
        let bets = |rule: &mut UnionRule| {
            let before = rule.basin.bets();
            rule.observe(&strange(0.5, false));
            rule.basin.bets() > before
        };
        let mut rule = rule(settings);
        let seen: Vec<bool> = (0..5).map(|_| bets(&mut rule)).collect();
        assert_eq!(seen, [true, false, false, true, false]);
        rule.after_recovery();
        assert!(bets(&mut rule));
        assert!(!bets(&mut rule));
    }

    #[test]
    fn an_unknown_phase_closes_the_progress_test_only() {
        let mut rule = rule(RuleSettings::method());
        let ruling = rule.observe(&Evidence { phase_hat: None, ..strange(0.5, false) });
        assert_eq!((ruling.basin_open, ruling.progress_open), (true, false));
        assert_eq!(ruling.log_progress, 0.0);
        assert!(ruling.log_basin > 0.0);
    }

    #[test]
    fn the_episode_threshold_is_exceeded_not_reached() {
        let one_bet = Bet::LINEAR.log_factor(PValue::new(0.001).unwrap());
        let fires_at = |log_basin| {
            let threshold = Threshold::Episode { log_basin, log_progress: f64::INFINITY };
            rule(RuleSettings { threshold, ..RuleSettings::method() }).observe(&strange(0.5, false)).fire
        };
        assert_eq!(fires_at(one_bet), None);
        assert_eq!(fires_at(one_bet - 1e-12), Some(Fire::Basin));
    }

    proptest! {
        #[test]
        fn never_more_fires_than_allowed_and_none_through_a_gate(
            checks in prop::collection::vec((0.001..1.0_f64, 0.001..0.1_f64, 0.0..1.0_f64, any::<bool>()), 0..200),
            max_interventions in 1_usize..5,
            bet_every in 1_usize..4,
            target in any::<bool>(),
        ) {
            let settings = RuleSettings {
                max_interventions, bet_every, wealth: WealthRule::UNIFORM, bet: Bet::POWER,
                ..RuleSettings::method()
            };
            let mut rule = rule(settings);
            let mut executed = 0;
            for (basin, progress, phase_hat, closed) in checks {
                let ruling = rule.observe(&Evidence {
                    p_basin: PValue::new(basin),
                    p_progress: PValue::new(progress),
                    phase_hat: Some(phase_hat),
                    closed,
                });
                if let Some(fire) = ruling.fire {
                    prop_assert!(!closed);
                    prop_assert!(phase_hat < 0.95 || fire == Fire::Basin);
                    if target {
                        rule.executed();
                        executed += 1;
                    }
                }
            }
            prop_assert!(executed <= max_interventions);
            prop_assert_eq!(rule.fires(), executed);
        }
    }
}
