//! Training queries: what is asked, and what the answer is.
//!
//! A window ends at any frame from 7 on; its target phase and bin are those of its newest frame. Its own
//! strand is removed, so the node to be named is the nearest one of another demo of the task within one
//! bin. `ENTRY_STATIC` windows repeat an episode's first frame: the shape of every t = 0 query.

use super::field::{cleanliness, nearest_other};
use crate::random::Random;
use rollcheck_engine::belief::Window;
use rollcheck_engine::constants::{HIST_H, NBINS_ALIGN, phase_bin};
use rollcheck_engine::demos::DemoSet;
use rollcheck_engine::graph::DemoGraph;

/// What a window ends at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Eight consecutive frames.
    Moving,
    /// The first frame, eight times.
    EntryStatic,
}

/// A training or scoring query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The demo.
    pub owner: usize,
    /// The newest frame.
    pub frame: usize,
    /// Its kind.
    pub kind: Kind,
    /// Task of the demo.
    pub task: i32,
    /// Phase of the newest frame.
    pub phase: f64,
    /// Phase bin of the newest frame.
    pub bin: usize,
    /// Nearest node of another demo, where there is one.
    pub target: Option<u32>,
    /// Cleanliness.
    pub weight: f64,
}

/// Buffers of one window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowBuffer {
    /// `HIST_H x dof`, rad.
    pub q: Vec<f64>,
    /// Gripper commands.
    pub closed: Vec<bool>,
    /// Hz.
    pub rate_hz: f64,
}

impl WindowBuffer {
    /// The window that ends at a frame of a demo.
    pub fn of(demos: &DemoSet, owner: usize, frame: usize, kind: Kind) -> Self {
        let episode = &demos.episodes()[owner];
        let frames = (0..HIST_H).map(|k| match kind {
            Kind::Moving => frame + k + 1 - HIST_H,
            Kind::EntryStatic => 0,
        });
        let (mut q, mut closed) = (Vec::with_capacity(HIST_H * episode.dof()), Vec::with_capacity(HIST_H));
        for k in frames {
            q.extend(episode.q(k));
            closed.push(episode.closed(k));
        }
        Self { q, closed, rate_hz: episode.rate_hz() }
    }

    /// As [`WindowBuffer::of`] for training: as if the arm had moved at another speed and along a path beside
    /// the demo's. Frame `k` is read `(HIST_H - 1 - k) * speed` frames before the newest, linearly between
    /// frames, held at the episode's start; the offset (rad) is the same for all frames.
    pub fn varied(demos: &DemoSet, sample: &Sample, variation: &Variation) -> Self {
        let mut window = Self::of(demos, sample.owner, sample.frame, sample.kind);
        let (episode, dof) = (&demos.episodes()[sample.owner], demos.dof());
        for k in 0..HIST_H {
            if sample.kind == Kind::Moving {
                let back = (HIST_H - 1 - k) as f64 * variation.speed;
                let at = (sample.frame as f64 - back).max(0.0);
                let (before, share) = (at.floor() as usize, at.fract());
                let after = (before + 1).min(sample.frame);
                for j in 0..dof {
                    window.q[k * dof + j] =
                        (1.0 - share) * episode.q(before)[j] + share * episode.q(after)[j];
                }
                window.closed[k] = episode.closed(before);
            }
            for j in 0..dof {
                window.q[k * dof + j] += variation.offset_rad[j];
            }
        }
        window
    }

    /// The borrowed form.
    pub fn view(&self) -> Window<'_> {
        Window { q: &self.q, closed: &self.closed, rate_hz: self.rate_hz }
    }
}

/// How a training window differs from the recorded one.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// Speed over the recorded one.
    pub speed: f64,
    /// Offset of each joint, rad.
    pub offset_rad: Vec<f64>,
}

impl Variation {
    /// Speed log-uniform within a factor of `speed_factor`, offsets normal; depends on seed, epoch and the
    /// number of the draw alone.
    pub fn draw(random: &mut Random, dof: usize, speed_factor: f64, offset_rad: f64) -> Self {
        let speed = speed_factor.powf(2.0 * random.uniform() - 1.0);
        Self { speed, offset_rad: (0..dof).map(|_| random.normal() * offset_rad).collect() }
    }
}

/// Bandwidth (rad) of each (task, bin) cell of some owners, for the cleanliness weight.
pub type Bandwidth<'a> = dyn Fn(i32, usize) -> Option<f64> + Sync + 'a;

/// One sample.
pub fn sample(
    graph: &DemoGraph,
    demos: &DemoSet,
    owner: usize,
    frame: usize,
    kind: Kind,
    bandwidth: &Bandwidth<'_>,
) -> Sample {
    let episode = &demos.episodes()[owner];
    let (task, phase) = (episode.task_id(), episode.phase(frame));
    let bin = phase_bin(phase);
    let nearest = nearest_other(graph, task, owner, bin, episode.q(frame));
    let weight = cleanliness(nearest.map(|n| n.distance_rad), bandwidth(task, bin));
    Sample { owner, frame, kind, task, phase, bin, target: nearest.map(|n| n.node), weight }
}

/// The queries of an epoch: `count` draws, one in `static_every` of them `ENTRY_STATIC`.
///
/// Draw `i` of epoch `e` depends on seed, `e` and `i` alone, so a resumed run asks the same.
pub fn draw(
    demos: &DemoSet,
    owners: &[usize],
    seed: u64,
    epoch: usize,
    count: usize,
    static_every: usize,
) -> Vec<(usize, usize, Kind)> {
    let long: Vec<usize> =
        owners.iter().copied().filter(|&o| demos.episodes()[o].frames() >= HIST_H).collect();
    let windows = |o: usize| demos.episodes()[o].frames() + 1 - HIST_H;
    let total: usize = long.iter().map(|&o| windows(o)).sum();
    let mut random = Random::new(seed, 1 + epoch as u64);
    (0..count)
        .filter_map(|i| {
            let at_start = random.below(owners.len().max(1));
            let mut at = random.below(total.max(1));
            if i % static_every == static_every - 1 || total == 0 {
                return owners.get(at_start).map(|&o| (o, 0, Kind::EntryStatic));
            }
            let owner = long.iter().copied().find(|&o| {
                let inside = at < windows(o);
                if !inside {
                    at -= windows(o);
                }
                inside
            })?;
            Some((owner, at + HIST_H - 1, Kind::Moving))
        })
        .collect()
}

/// The checks of a demo: the newest frames of its disjoint windows.
pub fn checks(frames: usize) -> impl Iterator<Item = usize> {
    (0..frames / HIST_H).map(|t| HIST_H * t + HIST_H - 1)
}

/// Number of phase bins, as the size of a marginal.
pub const BINS: usize = NBINS_ALIGN;
