//! The Panda's meshes and numbers, read where they lie.

use rollcheck_engine::geometry::files::{RobotFile, read_mesh, read_robot};
use rollcheck_engine::geometry::robot::LinkVolume;
use rollcheck_engine::geometry::{ConvexHull, TriangleMesh};
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};

pub(crate) struct Panda {
    folder: PathBuf,
    pub(crate) robot: RobotFile,
    pub(crate) golden: Value,
}

/// The folder, or a visible skip.
pub(crate) fn panda(test: &str) -> Option<Panda> {
    let root = std::env::var_os("ROLLCHECK_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let folder = root.join("panda");
    if !folder.exists() {
        // Past the harness, which keeps what a passing test prints.
        let _ = writeln!(std::io::stderr(), "SKIPPED {test}: there is no {}", folder.display());
        return None;
    }
    let robot = read_robot(&folder.join("panda_tight_geometry.yaml")).unwrap();
    let golden = json(&folder.join("golden.json"));
    Some(Panda { folder, robot, golden })
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

impl Panda {
    pub(crate) fn links(&self) -> &[LinkVolume] {
        &self.robot.model.links
    }

    pub(crate) fn link(&self, number: usize) -> &LinkVolume {
        self.robot.model.link(&format!("panda_link{number}")).unwrap()
    }

    /// The published and reproduced numbers of a link.
    pub(crate) fn numbers(&self, link: &LinkVolume) -> &Value {
        &self.golden["links"][&link.link_name]
    }

    /// A link's mesh in its own frame.
    pub(crate) fn mesh(&self, link: &LinkVolume) -> TriangleMesh {
        read_mesh(&self.robot.mesh_path(link, None).unwrap()).unwrap()
    }

    /// A link's mesh in its box frame.
    pub(crate) fn mesh_in_box(&self, link: &LinkVolume) -> TriangleMesh {
        let box_from_link = link.link_from_box.inverse();
        self.mesh(link).map(|p| box_from_link * p)
    }

    /// The exact hull of a link's mesh, in the link frame.
    pub(crate) fn hull(&self, number: usize) -> ConvexHull {
        ConvexHull::of(self.mesh(self.link(number)).vertices()).unwrap()
    }

    pub(crate) fn distances(&self) -> Value {
        json(&self.folder.join("golden_distances.json"))
    }
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

pub(crate) fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    let found: Vec<f64> = value.as_array().unwrap().iter().map(number).collect();
    found.try_into().unwrap()
}
