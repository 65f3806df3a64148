//! All that one scene says, parsed; nothing judged.

use super::deploy_log::DeployLog;
use super::goal::GoalLog;
use super::layout::Artifact;
use super::lines::Skipped;
use super::monitor::Monitor;
use indexmap::IndexMap;

/// A recorded scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneEvidence {
    /// The deploy log; without lines where there is none.
    pub log: DeployLog,
    /// Which file it was read from.
    pub log_file: Option<Artifact>,
    /// The monitor stream; `None` without a file.
    pub monitor: Option<Monitor>,
    /// The goal log.
    pub goal: GoalLog,
    /// Stripped text of the marker of a graph that never came up.
    pub launch_failed: Option<String>,
    /// Why a recorded verdict calls the run void, where evidence was completed from it.
    pub recorded_void: Option<String>,
    /// Files that exist, by their key, relative to the round.
    pub artifacts: IndexMap<String, String>,
    /// Files that were read, with their identity.
    pub inputs: Vec<InputFile>,
    /// What of them was not read.
    pub unread: Vec<Unread>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// Its kind.
    pub artifact: Artifact,
    /// Relative to the round.
    pub path: String,
    /// Bytes read.
    pub bytes: u64,
    /// SHA-256, lowercase hex, where asked for.
    pub sha256: Option<String>,
}

/// Lines of a file that say nothing to anybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Relative to the round.
    pub path: String,
    /// Which lines.
    pub lines: Skipped,
    /// Why.
    pub reason: UnreadReason,
}

/// Why lines were not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadReason {
    /// Above the limit of [`super::lines::MAX_LINE`].
    TooLong,
    /// No JSON object where one was expected.
    NoObject,
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, lines, reason } = self;
        let why = match reason {
            UnreadReason::TooLong => "longer than 64 MiB",
            UnreadReason::NoObject => "no JSON object",
        };
        let s = if lines.lines == 1 { "" } else { "s" };
        write!(f, "{path}: {} line{s} skipped, {why}; the first is line {}", lines.lines, lines.first)
    }
}

impl SceneEvidence {
    /// Records the monitor received; `None` without a file.
    pub fn monitor_records(&self) -> Option<i64> {
        self.monitor.as_ref().map(|monitor| monitor.records)
    }

    /// Edge of a voxel, m.
    pub fn grid_resolution_m(&self) -> Option<f64> {
        self.monitor.as_ref().and_then(|monitor| monitor.grid_resolution_m)
    }

    /// Identity of a file that was read.
    pub fn input(&self, artifact: Artifact) -> Option<&InputFile> {
        self.inputs.iter().find(|input| input.artifact == artifact)
    }
}
