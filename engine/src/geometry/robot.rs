//! A robot's collision model as its manifest declares it: one volume a link, and for box links tight geometry.
//!
//! Geometry page, sections 1, 2.3, 2.4, 6. Everything tight is in the box frame of its link; `link_from_box` places it.
//! Whether declared tight geometry may be used is decided in [`super::tight`], not here.

use super::dop::Dop26;
use super::pose::{Point, Pose};

/// The shape of a link volume, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// An oriented box: `|q_k| <= half_extents_m[k]`.
    Box {
        /// Half its edges.
        half_extents_m: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Its radius.
        radius_m: f64,
    },
    /// A segment along z, blown up.
    Capsule {
        /// Its radius.
        radius_m: f64,
        /// Length of the segment, without the caps.
        length_m: f64,
    },
}

impl Shape {
    /// The half extents of a box.
    pub fn half_extents_m(self) -> Option<[f64; 3]> {
        if let Self::Box { half_extents_m } = self { Some(half_extents_m) } else { None }
    }
}

/// Slabs and hull of a link as declared, in its box frame.
#[derive(Clone, Debug, PartialEq)]
pub struct TightGeometry {
    /// The 13 slabs.
    pub dop: Dop26,
    /// Vertices of the stage-2 hull, m; empty where none ships.
    pub hull_vertices_m: Vec<Point>,
    /// How far the hull reaches past its source mesh, m. Absent means not measured, never 0.
    pub hull_overhang_m: Option<f64>,
}

impl TightGeometry {
    /// Whether a stage-2 hull ships.
    pub fn has_stage2_hull(&self) -> bool {
        !self.hull_vertices_m.is_empty()
    }
}

/// One declared collision volume.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkVolume {
    /// The safety kernel's name of the link.
    pub link_name: String,
    /// Path of its source mesh as written, where the manifest names one.
    pub mesh: Option<String>,
    /// Its shape.
    pub shape: Shape,
    /// `origin_xyz_rpy` as a transform.
    pub link_from_box: Pose,
    /// `origin_xyz_rpy` as written, m and rad.
    pub origin_xyz_rpy: [f64; 6],
    /// Tight geometry, where declared.
    pub tight: Option<TightGeometry>,
}

/// The collision model of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotModel {
    /// Its id.
    pub name: String,
    /// Its volumes, in the manifest's order; names are unique.
    pub links: Vec<LinkVolume>,
}

impl RobotModel {
    /// A volume by its link's name.
    pub fn link(&self, name: &str) -> Option<&LinkVolume> {
        self.links.iter().find(|link| link.link_name == name)
    }
}
