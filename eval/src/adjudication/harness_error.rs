//! The ways a run left no usable artifact set.
//!
//! Reference page, sections 5 to 7. The first that holds gives the reason; an empty log that was never written is one
//! of them, a quiet log is none. Absence of success and of a stop is what a silently dead graph produces too, so each way
//! has its own test.

use crate::rounds::evidence::SceneEvidence;
use rollcheck_engine::text::printf;

/// A bond lost later than this belongs to a run that did its work, s. Killed runs lost theirs by 100.8 s, the earliest
/// loss in a completed run was at 199.6 s.
pub const EARLY_BOND_LOSS_S: f64 = 120.0;

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// F1: the action server never appeared.
    NeverCameUp,
    /// F2: the launch threw.
    LaunchException,
    /// F3: there is no log.
    NoLog,
    /// F4: the command line was rejected.
    Usage,
    /// F5: navigation tore itself down early.
    BondLoss,
    /// F6: a lifecycle transition timed out.
    LifecycleTimeout,
    /// The dispatcher raised, or wrote no status.
    Dispatcher,
    /// A recorded verdict says so; the files that show it were not kept.
    Recorded,
}

impl Cause {
    /// Its id on the reference page.
    pub fn id(self) -> &'static str {
        match self {
            Self::NeverCameUp => "F1",
            Self::LaunchException => "F2",
            Self::NoLog => "F3",
            Self::Usage => "F4",
            Self::BondLoss => "F5",
            Self::LifecycleTimeout => "F6",
            Self::Dispatcher => "goal",
            Self::Recorded => "recorded",
        }
    }
}

/// A void run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarnessError {
    /// Which way.
    pub cause: Cause,
    /// In words.
    pub reason: String,
}

/// Finds the first way, launch failures before the dispatcher's.
pub fn find(evidence: &SceneEvidence) -> Option<HarnessError> {
    let found = |cause, reason| Some(HarnessError { cause, reason });
    if let Some((cause, reason)) = launch_failure(evidence) {
        return found(cause, reason);
    }
    let goal = &evidence.goal;
    if goal.has_lines && goal.status.is_none() {
        let reason = goal.failure_reason();
        if !reason.is_empty() {
            return found(Cause::Dispatcher, reason);
        }
    }
    evidence.recorded_void.clone().and_then(|reason| found(Cause::Recorded, reason))
}

fn launch_failure(evidence: &SceneEvidence) -> Option<(Cause, String)> {
    let log = &evidence.log;
    let aborted = log.launch_exception.as_deref().filter(|detail| !detail.is_empty());
    if let Some(marker) = &evidence.launch_failed {
        let text = if marker.is_empty() { "the rSkill action server never appeared" } else { marker };
        let also = aborted.map(|detail| format!(" (ros2 launch aborted: {detail})")).unwrap_or_default();
        return Some((Cause::NeverCameUp, format!("{text}{also}")));
    }
    if let Some(detail) = aborted {
        return Some((Cause::LaunchException, format!("ros2 launch aborted: {detail}")));
    }
    if !log.has_lines {
        return Some((
            Cause::NoLog,
            "no deploy log: the run was never started, or its log is lost".to_owned(),
        ));
    }
    let first = log.first_line.as_deref().unwrap_or_default();
    if first.starts_with(crate::rounds::deploy_log::USAGE_BANNER) {
        let detail = log.usage_detail.as_deref().unwrap_or(first).trim();
        return Some((Cause::Usage, format!("the deploy CLI rejected its own argv: {detail}")));
    }
    if let Some(loss) = log.bond_loss.as_ref().filter(|loss| loss.elapsed_s <= EARLY_BOND_LOSS_S) {
        let elapsed = printf::one_decimal(loss.elapsed_s);
        let reason = format!("Nav2 tore down its stack {elapsed} s in: no heartbeat from {}", loss.server);
        return Some((Cause::BondLoss, reason));
    }
    let timeout = log.lifecycle_timeout.as_ref()?;
    let node = if timeout.node.is_empty() { "<unnamed>" } else { &timeout.node };
    let reason = format!(
        "lifecycle transition '{}' on '{node}' never advanced ({}s)",
        timeout.transition, timeout.seconds
    );
    Some((Cause::LifecycleTimeout, reason))
}
