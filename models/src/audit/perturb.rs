//! Disturbed recordings: an arm pushed off its path, an arm that stands still.
//!
//! A push ramps over eight frames to a joint offset of a given norm in a random direction, which stays. A stall
//! holds one pose for 200 frames, then the recording goes on. Both begin where the gripper is open, between 15 and
//! 50 % of the episode (sentinel page, section 5). The arm that is measured is not the arm that was recorded, so
//! a disturbed recording says something of the rules, nothing of a policy.

use super::recorded::Source;
use crate::random::Random;
use rollcheck_engine::demos::Episode;
use rollcheck_engine::demos::episode::Origin;
use serde::Serialize;

/// Frames over which a push ramps up.
pub const RAMP: usize = 8;
/// Frames that a stall lasts.
pub const STALL: usize = 200;
/// Shares of the episode between which a disturbance begins.
pub const ONSET: (f64, f64) = (0.15, 0.50);

/// A kind of disturbance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Disturbance {
    /// A joint offset of this norm, rad.
    Push(f64),
    /// The arm frozen.
    Stall,
}

impl Disturbance {
    /// The four that are audited.
    pub const ALL: [Self; 4] = [Self::Push(0.1), Self::Push(0.2), Self::Push(0.4), Self::Stall];
}

impl std::fmt::Display for Disturbance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Push(norm) => write!(f, "push {norm} rad"),
            Self::Stall => f.write_str("stall"),
        }
    }
}

/// A disturbed episode.
#[derive(Clone, Debug)]
pub struct Disturbed {
    /// The episode, with the phase that the undisturbed recording has at each frame.
    pub source: Source,
    /// First disturbed frame.
    pub onset: usize,
}

/// Disturbs an episode at a seeded frame and direction; `None` when the gripper is never open in the range.
pub fn disturb(source: &Source, disturbance: Disturbance, random: &mut Random) -> Option<Disturbed> {
    let frames = source.episode.frames();
    let edge = |share: f64| (share * (frames - 1) as f64).ceil() as usize;
    let open: Vec<usize> =
        (edge(ONSET.0)..=edge(ONSET.1).min(frames - 1)).filter(|&k| !source.episode.closed(k)).collect();
    if open.is_empty() {
        return None;
    }
    let onset = open[random.below(open.len())];
    let direction = direction(source.episode.dof(), random);
    at(source, disturbance, onset, &direction)
}

/// Disturbs an episode at a frame; `direction` is a unit vector over the joints (a stall has none).
pub fn at(source: &Source, disturbance: Disturbance, onset: usize, direction: &[f64]) -> Option<Disturbed> {
    let episode = &source.episode;
    if onset >= episode.frames() {
        return None;
    }
    let (mut q, mut closed, mut phase) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..episode.frames() {
        let share = match disturbance {
            Disturbance::Push(norm) if k >= onset => norm * ((k - onset + 1) as f64 / RAMP as f64).min(1.0),
            _ => 0.0,
        };
        let held = if disturbance == Disturbance::Stall && k == onset { STALL + 1 } else { 1 };
        for _ in 0..held {
            q.extend(episode.q(k).iter().zip(direction).map(|(x, d)| x + share * d));
            closed.push(episode.closed(k));
            phase.push(source.phase[k]);
        }
    }
    let origin = Origin { file: "disturbed episode", episode: 0, field: "q" };
    let episode =
        Episode::new(q, episode.dof(), closed, episode.task_id(), episode.rate_hz(), origin).ok()?;
    Some(Disturbed { source: Source { episode, owner: source.owner, phase }, onset })
}

/// A uniformly random unit vector.
pub fn direction(dof: usize, random: &mut Random) -> Vec<f64> {
    let draws: Vec<f64> = (0..dof).map(|_| random.normal()).collect();
    let norm = draws.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    draws.iter().map(|x| x / norm).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        let q = (0..100).flat_map(|k| [f64::from(k) * 0.01, 1.0]).collect();
        let closed = (0..100).map(|k| k >= 30).collect();
        let origin = Origin { file: "test", episode: 0, field: "q" };
        Source::clean(&Episode::new(q, 2, closed, 0, 20.0, origin).unwrap(), None)
    }

    #[test]
    fn a_push_ramps_to_its_norm_and_stays() {
        let pushed = at(&source(), Disturbance::Push(0.4), 20, &[0.6, 0.8]).unwrap().source.episode;
        assert_eq!(pushed.q(19), source().episode.q(19));
        assert!((pushed.q(20)[1] - (1.0 + 0.8 * 0.05)).abs() < 1e-12);
        assert!((pushed.q(27)[1] - 1.32).abs() < 1e-12);
        assert!((pushed.q(99)[0] - (0.99 + 0.24)).abs() < 1e-12);
    }

    #[test]
    fn a_stall_holds_and_goes_on() {
        let stalled = at(&source(), Disturbance::Stall, 20, &[1.0, 0.0]).unwrap();
        let episode = &stalled.source.episode;
        assert_eq!(episode.frames(), 300);
        assert_eq!(episode.q(20), episode.q(220));
        assert_eq!(episode.q(221), source().episode.q(21));
        assert_eq!(stalled.source.phase[220], stalled.source.phase[20]);
    }

    #[test]
    fn disturbances_begin_while_the_gripper_is_open() {
        for seed in 0..20 {
            let disturbed = disturb(&source(), Disturbance::Stall, &mut Random::new(seed, 0)).unwrap();
            assert!((15..30).contains(&disturbed.onset), "{}", disturbed.onset);
        }
        let never = {
            let s = source();
            let q = s.episode.q_all().to_vec();
            let origin = Origin { file: "test", episode: 0, field: "q" };
            Source::clean(&Episode::new(q, 2, vec![true; 100], 0, 20.0, origin).unwrap(), None)
        };
        assert!(disturb(&never, Disturbance::Stall, &mut Random::new(0, 0)).is_none());
    }
}
