//! `rollcheck head ...`

use super::ComputeArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// A head command.
#[derive(Debug, Subcommand)]
pub enum HeadCommand {
    /// Train a head on a graph's demonstrations
    ///
    /// Demonstrations are split by owner, stratified by task: 70 % train, 15 % choose the epoch and the
    /// filter's settings, 15 % are kept for the audit. The same seed gives the same weights. A checkpoint is
    /// written after every epoch; `--resume` goes on from it under the same settings.
    #[command(
        after_help = "Example:\n  rollcheck head train --demos demos.npz --graph artifacts --out artifacts"
    )]
    Train(TrainArgs),
    /// Score a trained head on the audit split
    ///
    /// Memoryless: every window on its own, without the demonstration it is from. Beside it stand elapsed time
    /// over the mean duration, and the mean phase of the nearest nodes.
    #[command(after_help = "Example:\n  rollcheck head eval --demos demos.npz --artifacts artifacts")]
    Eval(EvalArgs),
}

/// Arguments of `head train`.
#[derive(Args, Debug)]
pub struct TrainArgs {
    /// The episodes that the graph was built from, .npz
    #[arg(long, value_name = "FILE")]
    pub demos: PathBuf,
    /// Folder with the graph
    #[arg(long, value_name = "DIR")]
    pub graph: PathBuf,
    /// Folder for `g_head.npz` and `g_head.safetensors`
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Seed of the split, the weights and the windows
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Passes over a seeded sample of windows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub epochs: Option<u32>,
    /// Windows in an epoch
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub windows_per_epoch: Option<u32>,
    /// Go on from the checkpoint in the output folder
    #[arg(long)]
    pub resume: bool,
    /// Where to run.
    #[command(flatten)]
    pub compute: ComputeArgs,
}

/// Arguments of `head eval`.
#[derive(Args, Debug)]
pub struct EvalArgs {
    /// The episodes that the graph was built from, .npz
    #[arg(long, value_name = "FILE")]
    pub demos: PathBuf,
    /// Folder with graph and head
    #[arg(long, value_name = "DIR")]
    pub artifacts: PathBuf,
    /// Where to run.
    #[command(flatten)]
    pub compute: ComputeArgs,
}
