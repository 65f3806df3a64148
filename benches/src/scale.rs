//! Demonstrations of the size of a full suite, generated from recorded ones.
//!
//! LIBERO's long suite has 500 demonstrations of ten tasks and makes 28,476 nodes; the recordings hold five
//! of the tasks. Each generated demonstration is one recorded episode, of the same task or of the one that
//! stands in for it, moved along a smooth monotone time warp and a smooth joint offset:
//!
//! ```text
//! w(u)  = u + sum_m a_m sin(pi m u) / (pi m)       u = k / (T' - 1) in [0, 1],  sum_m |a_m| <= 0.3
//! q'[k] = q(w(u) (T - 1)) + offset_task + sum_m c_m sin(pi m u + phi_m)          rad, per joint
//! ```
//!
//! `q(x)` interpolates linearly between the frames around `x`; the gripper command is that of the nearest
//! frame, so episodes keep their grasps. `w' > 0`, `w(0) = 0` and `w(1) = 1`: order, start and end stay.
//! `T' = T` times a factor near 0.9 that is the same for all and chosen so that the set makes the asked
//! number of nodes, times a jitter of 10 %. A joint moves at most twice as fast as in its source.
//!
//! The result is a file's arrays in the layout that [`rollcheck_engine::demos::npz`] reads, with
//! `generated` set, the seed, and the source episode of each demonstration.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use rollcheck_engine::demos::{DemoSet, Episode};
use rollcheck_engine::graph::nodes::representatives;
use rollcheck_engine::store::{Arrays, Data};
use std::f64::consts::PI;

/// What to generate. The default is the long suite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Tasks; those the recordings lack stand on a copy of one that they have.
    pub tasks: usize,
    /// Demonstrations of each task.
    pub demos_per_task: usize,
    /// Nodes that the whole set should make, met within a percent.
    pub nodes: usize,
    /// Seed of every random choice.
    pub seed: u64,
}

impl Default for Scale {
    fn default() -> Self {
        Self { tasks: 10, demos_per_task: 50, nodes: 28_476, seed: 1 }
    }
}

/// Terms of a warp.
const WARP_TERMS: usize = 3;
/// Bound of `sum |a_m|`: the warp's slope stays within 0.7 and 1.3.
const WARP: f64 = 0.3;
/// Terms of the joint noise; the fastest makes two periods an episode.
const NOISE_TERMS: usize = 4;
/// Bound of each noise term, rad.
const NOISE_RAD: f64 = 0.006;
/// Bound of the constant offset of a copied task, rad.
const OFFSET_RAD: f64 = 0.05;
/// Bound of the jitter of a length.
const JITTER: f64 = 0.1;
/// Corrections of the common length factor; the count is nearly linear in it, so three are plenty.
const CORRECTIONS: usize = 3;

/// One demonstration to be made.
struct Plan<'a> {
    source: &'a Episode,
    source_index: usize,
    task_id: i32,
    warp: [f64; WARP_TERMS],
    jitter: f64,
    offset: Vec<f64>,
    /// Amplitude, rad, and angle of each term of each joint.
    noise: Vec<[(f64, f64); NOISE_TERMS]>,
}

/// Generates a set from `source`. The same arguments make the same arrays.
pub fn generate(source: &DemoSet, scale: &Scale) -> Arrays {
    let plans = plan(source, scale);
    let mut factor = 1.0;
    for _ in 0..CORRECTIONS {
        let nodes: usize = plans.iter().map(|p| representatives(&p.closed(p.frames(factor))).len()).sum();
        factor *= scale.nodes as f64 / nodes as f64;
    }
    arrays(source, scale, &plans, factor)
}

fn plan<'a>(source: &'a DemoSet, scale: &Scale) -> Vec<Plan<'a>> {
    let mut rng = ChaCha8Rng::seed_from_u64(scale.seed);
    let mut recorded: Vec<i32> = source.episodes().iter().map(Episode::task_id).collect();
    recorded.sort_unstable();
    recorded.dedup();
    let mut plans = Vec::with_capacity(scale.tasks * scale.demos_per_task);
    let mut copies = 0;
    for task_id in 0..scale.tasks as i32 {
        let zero = vec![0.0; source.dof()];
        let (origin, offset) = if recorded.contains(&task_id) {
            (task_id, zero)
        } else {
            copies += 1;
            let offset = zero.iter().map(|_| symmetric(&mut rng, OFFSET_RAD)).collect();
            (recorded[(copies - 1) % recorded.len()], offset)
        };
        let episodes: Vec<usize> =
            (0..source.episodes().len()).filter(|&i| source.episodes()[i].task_id() == origin).collect();
        for demo in 0..scale.demos_per_task {
            let source_index = episodes[demo % episodes.len()];
            plans.push(Plan {
                source: &source.episodes()[source_index],
                source_index,
                task_id,
                warp: std::array::from_fn(|_| symmetric(&mut rng, WARP / WARP_TERMS as f64)),
                jitter: 1.0 + symmetric(&mut rng, JITTER),
                offset: offset.clone(),
                noise: (0..source.dof())
                    .map(|_| {
                        std::array::from_fn(|_| (symmetric(&mut rng, NOISE_RAD), symmetric(&mut rng, PI)))
                    })
                    .collect(),
            });
        }
    }
    plans
}

fn arrays(source: &DemoSet, scale: &Scale, plans: &[Plan<'_>], factor: f64) -> Arrays {
    let mut q = Vec::new();
    let mut gripper = Vec::new();
    let mut start = vec![0_i32];
    for plan in plans {
        let frames = plan.frames(factor);
        // Single precision, as recorded: what is written and what is built from are the same numbers.
        q.extend(plan.q(frames).iter().map(|&x| x as f32));
        gripper.extend(plan.closed(frames).iter().map(|&c| u8::from(c)));
        start.push(gripper.len() as i32);
    }
    let mut arrays = Arrays::new("generated demonstrations");
    arrays.push("q", &[gripper.len(), source.dof()], Data::F32(q));
    arrays.push("gripper", &[gripper.len()], Data::U8(gripper));
    arrays.push("demo_start", &[start.len()], Data::I32(start));
    let of_demos = |value: fn(&Plan<'_>) -> i32| Data::I32(plans.iter().map(value).collect());
    arrays.push("demo_task", &[plans.len()], of_demos(|p| p.task_id));
    arrays.push("demo_source", &[plans.len()], of_demos(|p| p.source_index as i32));
    let rates = plans.iter().map(|p| p.source.rate_hz()).collect();
    arrays.push("rate_hz", &[plans.len()], Data::F64(rates));
    arrays.push("generated", &[], Data::Bool(vec![true]));
    arrays.push("generator_seed", &[], Data::I64(vec![scale.seed as i64]));
    arrays
}

impl Plan<'_> {
    /// Length, at least two frames.
    fn frames(&self, factor: f64) -> usize {
        ((self.source.frames() as f64 * factor * self.jitter).round() as usize).max(2)
    }

    /// Where in the source frame `k` of `frames` lies, frames.
    fn position(&self, k: usize, frames: usize) -> f64 {
        let u = k as f64 / (frames - 1) as f64;
        let bend: f64 = (1_u32..)
            .zip(self.warp)
            .map(|(m, a)| {
                let rate = PI * f64::from(m);
                a * (rate * u).sin() / rate
            })
            .sum();
        let last = (self.source.frames() - 1) as f64;
        ((u + bend) * last).clamp(0.0, last)
    }

    fn closed(&self, frames: usize) -> Vec<bool> {
        (0..frames).map(|k| self.source.closed(self.position(k, frames).round() as usize)).collect()
    }

    fn q(&self, frames: usize) -> Vec<f64> {
        let mut out = Vec::with_capacity(frames * self.source.dof());
        for k in 0..frames {
            let u = k as f64 / (frames - 1) as f64;
            let position = self.position(k, frames);
            let before = position.floor() as usize;
            let after = (before + 1).min(self.source.frames() - 1);
            let share = position - before as f64;
            for (j, (offset, noise)) in self.offset.iter().zip(&self.noise).enumerate() {
                let (from, to) = (self.source.q(before)[j], self.source.q(after)[j]);
                let wave: f64 = (1_u32..)
                    .zip(noise)
                    .map(|(m, (amplitude, angle))| amplitude * (PI * f64::from(m) * u + angle).sin())
                    .sum();
                out.push(from + (to - from) * share + offset + wave);
            }
        }
        out
    }
}

/// Uniform in `[-bound, bound)`.
fn symmetric(rng: &mut ChaCha8Rng, bound: f64) -> f64 {
    const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;
    ((rng.next_u64() >> 11) as f64 * UNIT * 2.0 - 1.0) * bound
}

#[cfg(test)]
mod tests {
    use super::*;
    use rollcheck_engine::demos::npz as demo_file;
    use rollcheck_engine::graph::nodes::coarsen;
    use rollcheck_engine::store::npz;
    use std::path::Path;
    use std::sync::LazyLock;

    static SOURCE: LazyLock<DemoSet> = LazyLock::new(|| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/demos/demos_long.npz");
        demo_file::read(&file).unwrap()
    });

    fn small() -> Scale {
        Scale { tasks: 3, demos_per_task: 2, nodes: 360, seed: 7 }
    }

    #[test]
    fn the_default_is_the_size_of_the_long_suite() {
        let arrays = generate(&SOURCE, &Scale::default());
        let set = demo_file::from_arrays(&arrays).unwrap();
        assert_eq!(set.episodes().len(), 500);
        let nodes = coarsen(&set);
        assert!(nodes.len().abs_diff(28_476) < 285, "{} nodes", nodes.len());
        let mut tasks = nodes.task_id;
        tasks.dedup();
        assert_eq!(tasks, (0..10).collect::<Vec<_>>());
        assert_eq!(arrays.flags("generated", &[]).unwrap(), [true]);
    }

    #[test]
    fn the_same_seed_makes_the_same_bytes_and_another_does_not() {
        let bytes = |scale: &Scale| npz::format(&generate(&SOURCE, scale)).unwrap();
        assert_eq!(bytes(&small()), bytes(&small()));
        assert_ne!(bytes(&small()), bytes(&Scale { seed: 8, ..small() }));
    }

    /// Fastest change between frames, rad/s, of each joint.
    fn fastest(episode: &Episode) -> Vec<f64> {
        (0..episode.dof())
            .map(|j| {
                let step = |k: usize| (episode.q(k)[j] - episode.q(k - 1)[j]).abs() * episode.rate_hz();
                (1..episode.frames()).map(step).fold(0.0, f64::max)
            })
            .collect()
    }

    #[test]
    fn no_joint_moves_twice_as_fast_as_in_its_source() {
        let arrays = generate(&SOURCE, &Scale::default());
        let set = demo_file::from_arrays(&arrays).unwrap();
        let source = arrays.i32("demo_source", &[rollcheck_engine::store::arrays::Dim::Any]).unwrap();
        for (episode, &index) in set.episodes().iter().zip(&source) {
            let original = &SOURCE.episodes()[index as usize];
            for (j, (made, recorded)) in fastest(episode).iter().zip(fastest(original)).enumerate() {
                assert!(*made <= 2.0 * recorded, "joint {j} of source {index}: {made} against {recorded}");
            }
        }
    }

    #[test]
    fn episodes_keep_their_grasps_their_start_and_their_end() {
        let changes = |e: &Episode| e.closed_all().windows(2).filter(|w| w[0] != w[1]).count();
        for plan in plan(&SOURCE, &Scale::default()) {
            let frames = plan.frames(0.9);
            assert_eq!(plan.position(0, frames), 0.0);
            assert!((plan.position(frames - 1, frames) - (plan.source.frames() - 1) as f64).abs() < 1e-9);
            assert!((1..frames).all(|k| plan.position(k, frames) > plan.position(k - 1, frames)));
            let kept = plan.closed(frames).windows(2).filter(|w| w[0] != w[1]).count();
            assert_eq!(kept, changes(plan.source));
        }
    }
}
