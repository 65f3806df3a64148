//! Options of commands that run the head.

use crate::settings::DeviceChoice;
use clap::Args;

/// Where the head runs.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ComputeArgs {
    /// `auto`, `cpu`, `cuda` or `cuda:N`
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub device: DeviceChoice,
}
