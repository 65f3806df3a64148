//! `rollcheck graph ...`

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// A graph command.
#[derive(Debug, Subcommand)]
pub enum GraphCommand {
    /// Build a demonstration graph from recorded episodes
    ///
    /// Reads an .npz with `q` (frames x joints, rad), the gripper command as `action` (last column, > 0
    /// closes) or `gripper` (0 or 1), `demo_start`, `demo_task` and `rate_hz`, and writes `g_nodes.npz` and
    /// `g_edges.npz`. The same episodes give the same bytes on any number of threads. Files of an earlier
    /// build in the folder are replaced.
    #[command(after_help = "Example:\n  rollcheck graph build demos.npz --out artifacts")]
    Build(BuildArgs),
    /// Describe a graph: tasks, entry strata, edges, identity
    ///
    /// Reads and checks both files of the folder, as every other command does. The entry columns tell
    /// whether the gate of the entry rule can be trusted: where the mean of a task's entry stratum lies
    /// further from the mean start pose than the gate, clean starts would be moved too.
    #[command(after_help = "Example:\n  rollcheck graph info artifacts --json")]
    Info(InfoArgs),
}

/// Arguments of `graph build`.
#[derive(Args, Debug)]
pub struct BuildArgs {
    /// Recorded episodes, .npz
    pub demos: PathBuf,
    /// Folder for the graph's files; made where it is missing
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Arguments of `graph info`.
#[derive(Args, Debug)]
pub struct InfoArgs {
    /// Folder with `g_nodes.npz` and `g_edges.npz`
    pub graph: PathBuf,
}
