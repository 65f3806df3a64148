//! The geometry that gap budgets rest on: boxes, voxels, slabs, hulls, and how far each is from the mesh it stands for.
//!
//! Files are read in [`files`]; everything else is pure. Start with [`robot::RobotModel`] (what a manifest declares) and
//! [`mesh::TriangleMesh`] (what it is measured against). Metres, radians, f64 throughout.

pub mod budget;
pub mod dop;
pub mod files;
pub mod hull;
pub mod hull_distance;
pub mod kinematics;
pub mod mesh;
pub mod obb;
pub mod obb_voxel;
pub mod overhang;
pub mod pose;
pub mod robot;
pub mod slop;
pub mod staged_check;
pub mod support_excess;
pub mod tight;
pub mod triangle;
pub mod voxel_grid;

pub use hull::{ConvexHull, HullError};
pub use mesh::{MeshError, TriangleMesh};
pub use pose::{Point, Pose, Vector};
pub use voxel_grid::{VoxelGrid, VoxelGridError};
