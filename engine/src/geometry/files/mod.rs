//! The files that geometry comes from: meshes, robot manifests, kinematic descriptions, grids and clouds.
//!
//! Every reader has a form on bytes, which touches no path, and one on a path, which refuses a file above its size limit
//! before holding it. A count in a file is a claim: nothing is allocated from it. Errors name the file and, for what is
//! inside, the facet (from 0), the line (from 1) or the field.

mod bytes;
pub mod description;
pub mod error;
pub mod mesh;
pub mod mjcf;
pub mod obj;
pub mod pcd;
pub mod ply;
pub mod points;
pub mod robot_yaml;
pub mod stl;
pub mod urdf;
pub mod voxels_npz;
mod xml;

pub use description::{Description, LinkMesh, read_kinematics};
pub use error::{CloudFileError, KinematicsFileError, MeshFileError, RobotFileError};
pub use mesh::{MeshFile, read_mesh, read_mesh_file};
pub use points::{PointFile, read_points};
pub use robot_yaml::{RobotFile, read_robot};
