//! `rollcheck obb ...`

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// A box command.
#[derive(Debug, Subcommand)]
pub enum ObbCommand {
    /// Measure boxes against the occupied cells of a voxel grid
    ///
    /// For each box: the cell with the smallest `sat_m` (what the safety kernel prints: exact when overlapping, a lower
    /// bound when apart), the cell with the smallest `distance_m` (Euclidean), and how many cells trip at the margin. The
    /// grid is an .npz with `occupied` (u8; z, y, x), `origin`, `resolution` and optionally `quaternion` (x, y, z, w), or a
    /// .ply or .pcd cloud with `--resolution`.
    #[command(
        after_help = "Examples:\n  rollcheck obb voxels scene.npz --half 0.05,0.07,0.14 --pose 0.1,0,0.5,0,0,0.3\n  rollcheck obb voxels scan.ply --resolution 0.025 --robot robot.yaml --joints 0,-0.3,0,-2.2,0,2,0.8 --staged"
    )]
    Voxels(VoxelsArgs),
}

/// Arguments of `obb voxels`.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("boxes").required(true).args(["half", "robot"]))]
pub struct VoxelsArgs {
    /// The grid (.npz) or points (.ply, .pcd)
    pub grid: PathBuf,
    /// Edge of a cell for points, m
    #[arg(long, value_name = "M")]
    pub resolution: Option<f64>,
    /// Half extents of one box, m
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', num_args = 1, allow_hyphen_values = true)]
    pub half: Option<Vec<f64>>,
    /// Where that box is in the grid's base frame, m and rad [default: at the origin]
    #[arg(
        long,
        value_name = "X,Y,Z,R,P,Y",
        value_delimiter = ',',
        num_args = 1,
        allow_hyphen_values = true,
        requires = "half"
    )]
    pub pose: Option<Vec<f64>>,
    /// Every box link of a robot
    #[arg(long, value_name = "YAML")]
    pub robot: Option<PathBuf>,
    /// Joint positions of the robot in the order of its moving joints, rad
    #[arg(
        long,
        value_name = "Q1,Q2,...",
        value_delimiter = ',',
        num_args = 1,
        allow_hyphen_values = true,
        requires = "robot"
    )]
    pub joints: Option<Vec<f64>>,
    /// The robot's kinematics, URDF or MJCF [default: the Franka Panda]
    #[arg(long, value_name = "FILE", requires = "robot")]
    pub urdf: Option<PathBuf>,
    /// Trip at this distance, m
    #[arg(long, value_name = "M", default_value_t = 0.0, allow_hyphen_values = true)]
    pub margin: f64,
    /// Also run the safety kernel's staged check: slabs, hulls within 32 runs, box
    #[arg(long)]
    pub staged: bool,
    /// Write both numbers of every cell, CSV
    #[arg(long, value_name = "FILE")]
    pub per_cell: Option<PathBuf>,
}
