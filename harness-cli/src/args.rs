//! What was typed, and the help that goes with it. What it means is decided in [`crate::settings`].
//!
//! One file a command group.

pub mod budget;
pub mod compute;
pub mod graph;
pub mod head;
pub mod hull;
pub mod matrix;
pub mod obb;
pub mod quickstart;
pub mod sentinel;
pub mod track;

pub use compute::ComputeArgs;

use crate::exit;
use crate::printer::Output;
use clap::{Args, Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  rollcheck quickstart
  rollcheck graph build demos.npz --out artifacts
  rollcheck head train --demos demos.npz --graph artifacts --out artifacts
  rollcheck track fit --demos demos.npz --artifacts artifacts
  rollcheck sentinel audit --artifacts artifacts --demos demos.npz
  rollcheck matrix verdicts rounds/2026-08-22-master-1
  rollcheck budget --robot robot.yaml --resolution 0.025
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
    /// Everything at once, from the demonstrations in this program to a report
    ///
    /// Builds the graph, trains a head, fits the filter, and measures all of it on held-out episodes: phase, false
    /// alarms and detection, starts put back, one rollout in pictures, time of a check. The episodes were recorded
    /// in a simulator with a scripted expert; they say nothing about a policy.
    Quickstart(quickstart::QuickstartArgs),
    /// Build a demonstration graph, or describe one
    #[command(subcommand)]
    Graph(graph::GraphCommand),
    /// Train or score the head
    #[command(subcommand)]
    Head(head::HeadCommand),
    /// Fit the filter
    #[command(subcommand)]
    Track(track::TrackCommand),
    /// Put starts back, watch rollouts, measure how well
    #[command(subcommand)]
    Sentinel(sentinel::SentinelCommand),
    /// Judge recorded validation rounds: verdicts, differences, reasons
    #[command(subcommand)]
    Matrix(matrix::MatrixCommand),
    /// Derive, check and measure the hulls that stand for a robot's links
    #[command(subcommand)]
    Hull(hull::HullCommand),
    /// Measure boxes against voxel grids
    #[command(subcommand)]
    Obb(obb::ObbCommand),
    /// Print the gap budgets of a robot: what a stop may be off by before it is false
    ///
    /// The `adjudication_budget` block that a simulator's snapshot carries, measured from the robot's meshes: corner and
    /// face slop of each link's box, the overhang of each declared hull, and the sums for every kind of stop, by the worst
    /// link and per link.
    #[command(
        after_help = "Example:\n  rollcheck budget --robot robot.yaml --resolution 0.025 --payload cup.stl --json"
    )]
    Budget(budget::BudgetArgs),
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

    #[test]
    fn definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_start_is_a_pose_or_an_episode_but_not_both() {
        let base = ["rollcheck", "sentinel", "entry", "--artifacts", "a", "--task", "0"];
        let parse = |more: &[&str]| Cli::try_parse_from(base.iter().chain(more)).is_ok();
        assert!(parse(&["--start", "0,-0.16,0,-2.44,0,2.23,0.79"]));
        assert!(parse(&["--demos", "d.npz"]));
        assert!(!parse(&[]));
        assert!(!parse(&["--demos", "d.npz", "--start", "0,1"]));
        let without_task = ["rollcheck", "sentinel", "entry", "--artifacts", "a", "--start", "0,1"];
        assert!(Cli::try_parse_from(without_task).is_err());
    }
}
