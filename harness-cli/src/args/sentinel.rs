//! `rollcheck sentinel ...`

use super::ComputeArgs;
use crate::settings::{Perturbation, RuleChoice, StartPose};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// A sentinel command.
#[derive(Debug, Subcommand)]
pub enum SentinelCommand {
    /// t = 0: rewind a start pose that no demonstration started from
    ///
    /// The target is the mean of the task's demonstrated starts that the head reaches; a start further from it
    /// than the gate is rewound by the joint servo, here on the offline plant (one double integrator a joint).
    #[command(
        after_help = "Examples:\n  rollcheck sentinel entry --artifacts artifacts --task 0 --start 0,-0.16,0,-2.44,0.3,2.23,0.79\n  rollcheck sentinel entry --artifacts artifacts --demos demos.npz"
    )]
    Entry(EntryArgs),
    /// t > 0: run the sentinel over one recorded rollout and draw what it saw
    ///
    /// No simulator runs: at a fire the servo is planned on the offline plant, and the recording goes on. A
    /// rollout whose frames are those of a demonstration of the graph is judged without that demonstration.
    /// A push goes in a direction drawn from the head's seed.
    #[command(
        after_help = "Example:\n  rollcheck sentinel replay --artifacts artifacts --rollouts fast.npz --episode 3 \\\n    --perturb push:0.4@60 --rule recommended --html replay.html"
    )]
    Replay(ReplayArgs),
    /// Measure phase, false alarms and detection on held-out episodes
    ///
    /// Runs the method's rule setting and the recommended one over the audit split of the head's seed, clean and
    /// with generated disturbances, and prints every share with its exact 95 % interval. Beside the filter stand
    /// the head alone, elapsed time and nearest neighbours.
    #[command(
        after_help = "Example:\n  rollcheck sentinel audit --artifacts artifacts --demos demos.npz --shifted fast.npz"
    )]
    Audit(AuditArgs),
}

/// Arguments of `sentinel entry`.
#[derive(Args, Debug)]
#[group(id = "starts", required = true, multiple = false, args = ["demos", "start"])]
pub struct EntryArgs {
    /// Folder with graph, head and filter
    #[arg(long, value_name = "DIR")]
    pub artifacts: PathBuf,
    /// Take the start poses of a file: `plus_start_q` where it has them, else each episode's first frame
    #[arg(long, value_name = "FILE")]
    pub demos: Option<PathBuf>,
    /// One start pose: joint positions in rad, separated by commas
    #[arg(long, value_name = "Q,Q,...", allow_hyphen_values = true)]
    pub start: Option<StartPose>,
    /// The task; with --demos all tasks of the graph unless one is named
    #[arg(long, value_name = "ID", required_unless_present = "demos")]
    pub task: Option<i32>,
    /// Where to run.
    #[command(flatten)]
    pub compute: ComputeArgs,
}

/// Arguments of `sentinel replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// Folder with graph, head and filter
    #[arg(long, value_name = "DIR")]
    pub artifacts: PathBuf,
    /// Recorded rollouts, .npz
    #[arg(long, value_name = "FILE")]
    pub rollouts: PathBuf,
    /// Which episode of the file, from 0
    #[arg(long, value_name = "N")]
    pub episode: usize,
    /// Disturb the recording: `push:RAD@FRAME` or `stall@FRAME`
    #[arg(long, value_name = "WHAT")]
    pub perturb: Option<Perturbation>,
    /// Which bets and wealth rule decide a fire
    #[arg(long, value_enum, default_value_t = RuleChoice::Recommended)]
    pub rule: RuleChoice,
    /// Write a page with pictures here
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Where to run.
    #[command(flatten)]
    pub compute: ComputeArgs,
}

/// Arguments of `sentinel audit`.
#[derive(Args, Debug)]
pub struct AuditArgs {
    /// Folder with graph, head and filter
    #[arg(long, value_name = "DIR")]
    pub artifacts: PathBuf,
    /// The episodes that the graph was built from, .npz; the audit split of them is scored
    #[arg(long, value_name = "FILE")]
    pub demos: PathBuf,
    /// Clean episodes of another origin, .npz, printed beside and never inside a claim
    #[arg(long, value_name = "FILE")]
    pub shifted: Option<PathBuf>,
    /// Where to run.
    #[command(flatten)]
    pub compute: ComputeArgs,
}
