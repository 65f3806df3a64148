//! One demonstration, validated: finite, one number of joints, at least two frames, a positive rate.

use super::error::DemoError;
use crate::constants::DOF_RANGE;

/// One recorded episode. Frames `0 .. T-1` at a constant rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    q: Vec<f64>,
    dof: usize,
    closed: Vec<bool>,
    task_id: i32,
    rate_hz: f64,
}

/// Where an episode came from, for messages.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The file.
    pub file: &'a str,
    /// Position of the episode in the file.
    pub episode: usize,
    /// Name of the array with the joint positions.
    pub field: &'a str,
}

impl Episode {
    /// Checks and wraps one episode.
    ///
    /// `q`: `T x dof` joint positions, rad, row-major. `closed`: the gripper *command* of each frame.
    ///
    /// # Errors
    /// [`DemoError`] when a value is not finite, there are fewer than two frames, `dof` is outside 1 to 16,
    /// the rate is not positive, a velocity overflows, or the lengths differ.
    pub fn new(
        q: Vec<f64>,
        dof: usize,
        closed: Vec<bool>,
        task_id: i32,
        rate_hz: f64,
        origin: Origin<'_>,
    ) -> Result<Self, DemoError> {
        let (file, episode, field) = (origin.file.to_owned(), origin.episode, origin.field.to_owned());
        if !DOF_RANGE.contains(&dof) {
            let expected = format!("{} to {}", DOF_RANGE.start(), DOF_RANGE.end());
            return Err(DemoError::Dof { file, episode, field, expected, found: dof });
        }
        let frames = q.len() / dof;
        if frames * dof != q.len() || frames != closed.len() {
            return Err(DemoError::Lengths {
                file,
                field: "gripper".to_owned(),
                unit: "frames",
                other: field,
                expected: frames,
                found: closed.len(),
            });
        }
        if frames < 2 {
            return Err(DemoError::TooShort { file, episode, field, frames });
        }
        if !(rate_hz.is_finite() && rate_hz > 0.0) {
            return Err(DemoError::Rate { file, episode, found: rate_hz });
        }
        if let Some(at) = q.iter().position(|x| !x.is_finite()) {
            let (frame, joint, found) = (at / dof, at % dof, q[at]);
            return Err(DemoError::NotFinite { file, episode, field, frame, joint, found });
        }
        if let Some(at) = velocity_overflow(&q, dof, rate_hz) {
            let (frame, joint, found) = (at / dof, at % dof, q[at]);
            return Err(DemoError::Velocity { file, episode, field, frame, joint, found, rate_hz });
        }
        Ok(Self { q, dof, closed, task_id, rate_hz })
    }

    /// Number of frames, `T`.
    pub fn frames(&self) -> usize {
        self.closed.len()
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.dof
    }

    /// Joint positions of frame `k`, rad.
    pub fn q(&self, k: usize) -> &[f64] {
        &self.q[k * self.dof..(k + 1) * self.dof]
    }

    /// Joint positions of all frames, `T x dof`, rad.
    pub fn q_all(&self) -> &[f64] {
        &self.q
    }

    /// Gripper command of frame `k`: true closes.
    pub fn closed(&self, k: usize) -> bool {
        self.closed[k]
    }

    /// Gripper commands of all frames.
    pub fn closed_all(&self) -> &[bool] {
        &self.closed
    }

    /// The base task.
    pub fn task_id(&self) -> i32 {
        self.task_id
    }

    /// Frames per second.
    pub fn rate_hz(&self) -> f64 {
        self.rate_hz
    }

    /// Phase of frame `k`: `k / (T - 1)`.
    pub fn phase(&self, k: usize) -> f64 {
        k as f64 / (self.frames() - 1) as f64
    }
}

/// The first value whose step from one of the two frames before it is no finite velocity. Finite positions
/// are not enough: 1e308 rad at 20 Hz would put an infinite `qdot` into a graph that its reader refuses.
fn velocity_overflow(q: &[f64], dof: usize, rate_hz: f64) -> Option<usize> {
    (dof..q.len()).find(|&at| {
        let step = (q[at] - q[at - dof]) * rate_hz;
        let two_steps = at.checked_sub(2 * dof).map_or(0.0, |back| (q[at] - q[back]) * (rate_hz / 2.0));
        !(step.is_finite() && two_steps.is_finite())
    })
}

/// A task's number and words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskInfo {
    /// The id used by episodes.
    pub id: i32,
    /// The instruction, or empty.
    pub language: String,
}

/// Episodes that belong together: one number of joints, input order kept.
#[derive(Clone, Debug, PartialEq)]
pub struct DemoSet {
    episodes: Vec<Episode>,
    tasks: Vec<TaskInfo>,
}

impl DemoSet {
    /// Checks that the episodes agree in their number of joints.
    ///
    /// # Errors
    /// [`DemoError::Empty`], [`DemoError::Dof`].
    pub fn new(episodes: Vec<Episode>, tasks: Vec<TaskInfo>, origin: Origin<'_>) -> Result<Self, DemoError> {
        let Some(first) = episodes.first() else {
            return Err(DemoError::Empty { file: origin.file.to_owned() });
        };
        if let Some(episode) = episodes.iter().position(|e| e.dof() != first.dof()) {
            return Err(DemoError::Dof {
                file: origin.file.to_owned(),
                episode,
                field: origin.field.to_owned(),
                expected: first.dof().to_string(),
                found: episodes[episode].dof(),
            });
        }
        Ok(Self { episodes, tasks })
    }

    /// The episodes; the position is the owner.
    pub fn episodes(&self) -> &[Episode] {
        &self.episodes
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.episodes[0].dof()
    }

    /// What is known of the tasks in words.
    pub fn tasks(&self) -> &[TaskInfo] {
        &self.tasks
    }

    /// Number of frames of all episodes.
    pub fn frames(&self) -> usize {
        self.episodes.iter().map(Episode::frames).sum()
    }
}
