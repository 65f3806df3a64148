//! `rollcheck hull ...`

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// A hull command.
#[derive(Debug, Subcommand)]
pub enum HullCommand {
    /// Derive slabs, hull and overhang of a robot's links from their meshes
    ///
    /// Prints a YAML fragment for the robot's manifest: for each box link with a mesh its 26-DOP, its exact hull (where it
    /// has at most 320 vertices) and the hull's overhang past the mesh, sampled and raised by a fifth. Nothing is printed
    /// unless every link could be derived.
    #[command(
        after_help = "Example:\n  rollcheck hull derive --robot robot.yaml --meshes meshes > fragment.yaml"
    )]
    Derive(DeriveArgs),
    /// Hold a robot's declared slabs, hulls and overhangs against its meshes
    ///
    /// Exit 3 when a mesh leaves its slabs or hull, an overhang is missing or smaller than the proved one, or a declared
    /// link has no mesh. An overhang that is too large is safe: it is a warning when the recipe does not explain it.
    #[command(after_help = "Example:\n  rollcheck hull check --robot robot.yaml --html check.html")]
    Check(CheckArgs),
    /// Measure how far hulls reach past their meshes
    ///
    /// Three figures a link: the largest distance on the documented grid, what a manifest publishes from it, and the
    /// supremum between two bounds that are 1 nm apart.
    #[command(
        after_help = "Examples:\n  rollcheck hull overhang --robot robot.yaml\n  rollcheck hull overhang --mesh link5.stl"
    )]
    Overhang(OverhangArgs),
}

/// Which robot, and where its meshes are.
#[derive(Args, Clone, Debug)]
pub struct RobotArgs {
    /// The robot's manifest, YAML with `collision_geometry`
    #[arg(long, value_name = "YAML")]
    pub robot: PathBuf,
    /// Folder of the meshes [default: as the manifest names them, beside it]
    #[arg(long, value_name = "DIR")]
    pub meshes: Option<PathBuf>,
}

/// Arguments of `hull derive`.
#[derive(Args, Debug)]
pub struct DeriveArgs {
    /// Which robot.
    #[command(flatten)]
    pub robot: RobotArgs,
    /// Only this link; may be given again
    #[arg(long = "link", value_name = "NAME")]
    pub links: Vec<String>,
    /// Refine the slabs to 320 vertices where the exact hull has more, instead of shipping no hull
    #[arg(long)]
    pub refine: bool,
    /// Write to the nanometre, slabs rounded outwards
    #[arg(long)]
    pub rounded: bool,
    /// Grid of the overhang: intervals along each facet's edge
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u16).range(4..=512))]
    pub samples: u16,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Arguments of `hull check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Which robot.
    #[command(flatten)]
    pub robot: RobotArgs,
    /// How far a mesh may lie outside its slabs and hull, m; published blocks were made from 32-bit floats
    #[arg(long, value_name = "M", default_value_t = rollcheck_engine::geometry::tight::DECLARED_M)]
    pub tolerance: f64,
    /// Write a page with a picture of each link
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Arguments of `hull overhang`.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("of").required(true).args(["robot", "mesh"]))]
pub struct OverhangArgs {
    /// The robot's manifest; declared hulls are measured, else exact ones
    #[arg(long, value_name = "YAML")]
    pub robot: Option<PathBuf>,
    /// Folder of the meshes [default: as the manifest names them, beside it]
    #[arg(long, value_name = "DIR", requires = "robot")]
    pub meshes: Option<PathBuf>,
    /// One mesh file, .stl or .obj
    #[arg(long, value_name = "FILE")]
    pub mesh: Option<PathBuf>,
    /// A mesh whose vertices span the hull [default: the mesh itself]
    #[arg(long, value_name = "FILE", requires = "mesh")]
    pub hull: Option<PathBuf>,
    /// Grid: intervals along each facet's edge
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=512))]
    pub samples: u16,
    /// Lower the grid until a hull has at most this many samples, not below 4 intervals
    #[arg(long, value_name = "COUNT")]
    pub cap: Option<usize>,
    /// Write a page with a picture of each link
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}
