//! `rollcheck track ...`

use super::ComputeArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// A filter command.
#[derive(Debug, Subcommand)]
pub enum TrackCommand {
    /// Fit the filter, the null banks and the basins from clean replays
    ///
    /// Replays the demonstrations of the fit part, each without its own strand, and writes `g_track.npz`, stamped
    /// with the graph and the head it was fitted for. The split is that of the head's seed.
    #[command(after_help = "Example:\n  rollcheck track fit --demos demos.npz --artifacts artifacts")]
    Fit(FitArgs),
}

/// Arguments of `track fit`.
#[derive(Args, Debug)]
pub struct FitArgs {
    /// The episodes that the graph was built from, .npz
    #[arg(long, value_name = "FILE")]
    pub demos: PathBuf,
    /// Folder with graph and head; `g_track.npz` is written into it
    #[arg(long, value_name = "DIR")]
    pub artifacts: PathBuf,
    /// Where to run.
    #[command(flatten)]
    pub compute: ComputeArgs,
}
