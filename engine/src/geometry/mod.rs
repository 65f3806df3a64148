//! The geometry that gap budgets rest on: boxes, voxels, slabs, hulls, and how far each is from the mesh it stands for.
//!
//! Files are read in [`files`]; everything else is pure. Start with [`robot::RobotModel`] (what a manifest declares) and
//! [`mesh::TriangleMesh`] (what it is measured against). Metres, radians, f64 throughout.

pub mod dop;
pub mod files;
pub mod hull;
pub mod hull_distance;
pub mod kinematics;
pub mod mesh;
pub mod pose;
pub mod robot;
pub mod voxel_grid;

pub use hull::{ConvexHull, HullError};
pub use mesh::{MeshError, TriangleMesh};
pub use pose::{Point, Pose, Vector};
pub use voxel_grid::{VoxelGrid, VoxelGridError};
