//! `rollcheck quickstart`

use super::ComputeArgs;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `quickstart`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  rollcheck quickstart\n  rollcheck quickstart --seed 3 --out try-3 --json > quickstart.json"
)]
pub struct QuickstartArgs {
    /// Folder for artifacts and report; made where it is missing
    #[arg(long, value_name = "DIR", default_value = "rollcheck-quickstart")]
    pub out: PathBuf,
    /// Seed of the split, the weights and the perturbations
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Passes over a seeded sample of windows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub epochs: Option<u32>,
    /// Where to run.
    #[command(flatten)]
    pub compute: ComputeArgs,
}
