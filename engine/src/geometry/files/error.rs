//! Why a file of geometry is refused. Each message names the file.

use crate::geometry::kinematics::KinematicsError;
use crate::geometry::mesh::MeshError;
use crate::geometry::voxel_grid::VoxelGridError;
use crate::store::StoreError;
use crate::store::yaml::YamlError;
use std::path::PathBuf;

/// A mesh file that gives no mesh.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshFileError {
    /// It cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// More bytes than any collision mesh.
    #[error("{file}: {found} bytes, expected at most {bytes_max}")]
    TooLarge {
        /// The file.
        file: String,
        /// Its size.
        found: u64,
        /// The limit.
        bytes_max: u64,
    },
    /// The name ends in something else.
    #[error("{file}: a mesh is read from .stl or .obj, found {found}")]
    Extension {
        /// The file.
        file: String,
        /// What its name ends in.
        found: String,
    },
    /// No byte.
    #[error("{file}: empty file")]
    Empty {
        /// The file.
        file: String,
    },
    /// Well-formed as far as it goes, but nothing in it.
    #[error("{file}: no triangles ({detail})")]
    NoTriangles {
        /// The file.
        file: String,
        /// What is there instead.
        detail: String,
    },
    /// Binary STL with fewer or more facets than its header says.
    #[error("{file}: {}the count says {declared} facets, there are bytes for {present}", if *present < u64::from(*declared) { "cut short: " } else { "" })]
    Count {
        /// The file.
        file: String,
        /// What the header says.
        declared: u32,
        /// Whole facets in the file.
        present: u64,
    },
    /// Something in the text.
    #[error("{file}:{line}: expected {expected}, found {found}")]
    Line {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What may stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// Triangles that make no mesh.
    #[error("{file}: {source}")]
    Mesh {
        /// The file.
        file: String,
        /// Why.
        source: MeshError,
    },
    /// No mesh file for a link.
    #[error("link `{link}`: no mesh file; tried {}", tried.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", "))]
    NoneFound {
        /// The link.
        link: String,
        /// Every path that was looked for.
        tried: Vec<PathBuf>,
    },
}

/// A robot manifest that gives no collision model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RobotFileError {
    /// It cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Not YAML.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// More bytes than any manifest.
    #[error("{file}: {found} bytes, expected at most {bytes_max}")]
    TooLarge {
        /// The file.
        file: String,
        /// Its size.
        found: u64,
        /// The limit.
        bytes_max: u64,
    },
    /// A field that is missing or has another form.
    #[error("{file}: {field}: expected {expected}, found {found}")]
    Field {
        /// The file.
        file: String,
        /// Its path, `collision_geometry[3] (panda_link4).shape.half_extents_m[1]`.
        field: String,
        /// What may stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
}

/// A URDF or MJCF that gives no kinematic tree.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KinematicsFileError {
    /// It cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// More bytes than any description.
    #[error("{file}: {found} bytes, expected at most {bytes_max}")]
    TooLarge {
        /// The file.
        file: String,
        /// Its size.
        found: u64,
        /// The limit.
        bytes_max: u64,
    },
    /// Not UTF-8.
    #[error("{file}: not UTF-8 from byte {at}")]
    NotText {
        /// The file.
        file: String,
        /// The first byte that is not.
        at: usize,
    },
    /// Not XML.
    #[error("{file}: not XML: {reason}")]
    Xml {
        /// The file.
        file: String,
        /// What is wrong, with line and column.
        reason: String,
    },
    /// Another kind of XML.
    #[error("{file}: the root element is <{found}>, expected <robot> (URDF) or <mujoco> (MJCF)")]
    Root {
        /// The file.
        file: String,
        /// Its root element.
        found: String,
    },
    /// An element or attribute that is missing, malformed or not read.
    #[error("{file}:{line}: {what}: expected {expected}, found {found}")]
    At {
        /// The file.
        file: String,
        /// Line, from 1.
        line: u32,
        /// The element and attribute.
        what: String,
        /// What may stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// Links that make no tree.
    #[error("{file}: {source}")]
    Tree {
        /// The file.
        file: String,
        /// Why.
        source: KinematicsError,
    },
}

/// A point cloud or voxel grid that is not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CloudFileError {
    /// It cannot be read, or its arrays are not what they should be.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// More bytes than are read.
    #[error("{file}: {found} bytes, expected at most {bytes_max}")]
    TooLarge {
        /// The file.
        file: String,
        /// Its size.
        found: u64,
        /// The limit.
        bytes_max: u64,
    },
    /// The name ends in something else.
    #[error("{file}: points are read from .ply or .pcd, found {found}")]
    Extension {
        /// The file.
        file: String,
        /// What its name ends in.
        found: String,
    },
    /// Something in the header or in a row of text.
    #[error("{file}:{line}: expected {expected}, found {found}")]
    Line {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What may stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// Binary data that are shorter than the header says, or cannot be unpacked.
    #[error("{file}: {reason}")]
    Data {
        /// The file.
        file: String,
        /// What is wrong, with the sizes.
        reason: String,
    },
    /// Values that make no grid.
    #[error("{file}: {source}")]
    Grid {
        /// The file.
        file: String,
        /// Why.
        source: VoxelGridError,
    },
}
