//! A file of episodes, with the arrays beside them that entry and audit read.
//!
//! `demo_swapped` marks episodes in the rarer object order; `plus_start_q` and `plus_level` are start poses
//! with their levels (rad); `demo_level` and `demo_success` tell what a rollout started from and how it ended.
//! All optional. Levels are stored in f32 and rounded to a microradian, so that 0.1 is 0.1.

use crate::error::CliError;
use rollcheck_engine::belief::BeliefError;
use rollcheck_engine::demos::{DemoError, DemoSet, Episode, npz as demo_file};
use rollcheck_engine::graph::{DemoGraph, edges, nodes};
use rollcheck_engine::recovery::RecoveryError;
use rollcheck_engine::store::arrays::Dim;
use rollcheck_engine::store::{Arrays, StoreError, npz};
use std::path::Path;

/// Episodes and what their file says of them.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The file, for messages.
    pub file: String,
    /// The episodes.
    pub demos: DemoSet,
    /// Whether each episode handles the objects in the rarer order, where the file tells.
    pub swapped: Option<Vec<bool>>,
    /// Start poses with their levels, rad; empty where the file has none.
    pub starts: Vec<(Vec<f64>, f64)>,
    /// Level (rad) of each episode's own start pose, where the file tells.
    pub level: Option<Vec<f64>>,
    /// Whether each episode succeeded, where the file tells.
    pub success: Option<Vec<bool>>,
}

impl Recording {
    /// Reads a file.
    ///
    /// # Errors
    /// [`CliError::Demos`], [`CliError::Store`].
    pub fn read(path: &Path) -> Result<Self, CliError> {
        Self::from_arrays(&npz::read(path)?)
    }

    /// As [`Self::read`], from a file's bytes.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(bytes: &[u8], file: &str) -> Result<Self, CliError> {
        Self::from_arrays(&npz::parse(bytes, file)?)
    }

    fn from_arrays(arrays: &Arrays) -> Result<Self, CliError> {
        let demos = demo_file::from_arrays(arrays)?;
        let each = [Dim::Is(demos.episodes().len())];
        let flags = |name: &str| match arrays.find(name) {
            Some(_) => arrays.flags(name, &each).map(Some),
            None => Ok(None),
        };
        let level = match arrays.find("demo_level") {
            Some(_) => Some(arrays.f64("demo_level", &each)?.into_iter().map(round_level).collect()),
            None => None,
        };
        Ok(Self {
            file: arrays.file().to_owned(),
            swapped: flags("demo_swapped")?,
            starts: starts(arrays, demos.dof())?,
            level,
            success: flags("demo_success")?,
            demos,
        })
    }

    /// Refuses episodes that are not those a graph was built from.
    ///
    /// # Errors
    /// [`CliError::Store`] with a mismatch that names both graphs.
    pub fn expect_source_of(&self, graph: &DemoGraph) -> Result<(), CliError> {
        if nodes::coarsen(&self.demos) == *graph.nodes() {
            return Ok(());
        }
        Err(CliError::Store(StoreError::HashMismatch {
            file: self.file.clone(),
            what: "graph",
            expected: graph.hash().to_string(),
            found: edges::build(&self.demos)?.hash().to_string(),
        }))
    }

    /// Refuses episodes of another number of joints than a graph has.
    ///
    /// # Errors
    /// [`CliError::Demos`].
    pub fn expect_joints_of(&self, graph: &DemoGraph) -> Result<(), CliError> {
        if self.demos.dof() != graph.dof() {
            return Err(CliError::Demos(DemoError::Dof {
                file: self.file.clone(),
                episode: 0,
                field: "q".to_owned(),
                expected: format!("{} as the graph has", graph.dof()),
                found: self.demos.dof(),
            }));
        }
        Ok(())
    }

    /// Refuses episodes that a graph cannot judge.
    ///
    /// # Errors
    /// [`CliError::Demos`] for other joints, [`CliError::Recovery`] for a task that the graph does not have.
    pub fn expect_judged_by(&self, graph: &DemoGraph) -> Result<(), CliError> {
        self.expect_joints_of(graph)?;
        self.demos.episodes().iter().try_for_each(|episode| expect_task(graph, episode.task_id()))
    }

    /// A task in words, or its number.
    pub fn task_words(&self, task: i32) -> String {
        let known = self.demos.tasks().iter().find(|t| t.id == task).filter(|t| !t.language.is_empty());
        known.map_or_else(|| format!("task {task}"), |t| t.language.clone())
    }
}

/// Refuses a task that the graph does not have, naming those it has.
///
/// # Errors
/// [`CliError::Recovery`].
pub fn expect_task(graph: &DemoGraph, task: i32) -> Result<(), CliError> {
    if graph.lane(task).is_some() {
        return Ok(());
    }
    let known = graph.lanes().iter().map(|lane| lane.task_id).collect();
    Err(CliError::Recovery(RecoveryError::Belief(BeliefError::UnknownTask { task, known })))
}

/// The demo of the graph that an episode is, found by its frames: every node of the strand is a frame of the
/// episode, bit for bit, and both are equally long. Such an episode is judged without its own strand.
pub fn owner_of(graph: &DemoGraph, episode: &Episode) -> Option<usize> {
    if episode.dof() != graph.dof() {
        return None;
    }
    (0..graph.owners()).find(|&owner| {
        let mut strand = graph.strand(owner);
        graph.owner_task(owner) == episode.task_id()
            && graph.frame(strand.end - 1) + 1 == episode.frames()
            && strand.all(|v| graph.q(v) == episode.q(graph.frame(v)))
    })
}

fn starts(arrays: &Arrays, dof: usize) -> Result<Vec<(Vec<f64>, f64)>, StoreError> {
    if arrays.find("plus_start_q").is_none() {
        return Ok(Vec::new());
    }
    let q = arrays.f64("plus_start_q", &[Dim::Any, Dim::Is(dof)])?;
    let level = arrays.f64("plus_level", &[Dim::Is(q.len() / dof)])?;
    Ok(q.chunks(dof).zip(level).map(|(q, level)| (q.to_vec(), round_level(level))).collect())
}

fn round_level(level: f64) -> f64 {
    (level * 1e6).round() / 1e6
}
