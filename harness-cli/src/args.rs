//! What was typed, and the help that goes with it. What it means is decided in [`crate::settings`].
//!
//! One file a command group. A group that stands here but not in [`Command`] is not offered yet.

pub mod compute;
pub mod graph;
pub mod head;
pub mod quickstart;
pub mod sentinel;
pub mod track;

pub use compute::ComputeArgs;

use crate::exit;
use crate::printer::Output;
use clap::{Args, Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  rollcheck graph build demos.npz --out artifacts
  rollcheck graph info artifacts --json
  rollcheck completions zsh > _rollcheck";

/// Watches a frozen robot policy against demonstrations, and measures how well it does so.
///
/// From joint-space demonstrations alone: where an arm should be, when a rollout has left what was
/// demonstrated, and where to put it back. Research software; it is not a safety function.
#[derive(Debug, Parser)]
#[command(
    name = "rollcheck",
    version,
    max_term_width = 100,
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{}", exit::TABLE),
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Threads to compute with; results do not depend on it [default: one a core]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print one JSON object on standard output, also for an error
    #[arg(long, global = true)]
    pub json: bool,
    /// Say only what was asked for: no notes, no progress; warnings and errors stay
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Show no progress
    #[arg(long, global = true)]
    pub no_progress: bool,
}

impl GlobalArgs {
    /// How results and everything else are to be written.
    pub fn output(self) -> Output {
        Output { json: self.json, quiet: self.quiet, progress: !(self.quiet || self.no_progress) }
    }
}

/// A command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Build a demonstration graph, or describe one
    #[command(subcommand)]
    Graph(graph::GraphCommand),
    /// Print shell completions
    #[command(after_help = "Example:\n  rollcheck completions bash > /etc/bash_completion.d/rollcheck")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// A group that is not offered yet, so that its definitions are checked all the same.
    #[derive(Debug, Parser)]
    enum NotOffered {
        Quickstart(quickstart::QuickstartArgs),
        #[command(subcommand)]
        Head(head::HeadCommand),
        #[command(subcommand)]
        Track(track::TrackCommand),
        #[command(subcommand)]
        Sentinel(sentinel::SentinelCommand),
    }

    #[test]
    fn definitions_are_consistent() {
        Cli::command().debug_assert();
        NotOffered::command().debug_assert();
    }

    #[test]
    fn a_start_is_a_pose_or_an_episode_but_not_both() {
        let base = ["rollcheck", "sentinel", "entry", "--artifacts", "a", "--task", "0"];
        let parse = |more: &[&str]| NotOffered::try_parse_from(base.iter().chain(more)).is_ok();
        assert!(parse(&["--start", "0,-0.16,0,-2.44,0,2.23,0.79"]));
        assert!(parse(&["--demos", "d.npz"]));
        assert!(!parse(&[]));
        assert!(!parse(&["--demos", "d.npz", "--start", "0,1"]));
    }
}
