//! `rollcheck budget`

use super::hull::RobotArgs;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `budget`.
#[derive(Args, Debug)]
pub struct BudgetArgs {
    /// Which robot.
    #[command(flatten)]
    pub robot: RobotArgs,
    /// Edge of a voxel, m
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub resolution: f64,
    /// Mesh of a carried object, in its body frame; may be given again
    #[arg(long = "payload", value_name = "FILE")]
    pub payloads: Vec<PathBuf>,
}
