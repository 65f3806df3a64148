//! The robot that stops are replayed on: how it moves, and the hull and the box of each link.
//!
//! A hull is that of the link's source mesh, in the link frame, whether or not a stage-2 hull ships: what the safety kernel
//! may compare and what can be measured here are two things, and both are kept. A link that cannot be measured keeps the
//! reason. Metres.

use rollcheck_engine::geometry::files::Description;
use rollcheck_engine::geometry::pose::Pose;
use rollcheck_engine::geometry::robot::{LinkVolume, RobotModel, TightGeometry};
use rollcheck_engine::geometry::slop::box_slop;
use rollcheck_engine::geometry::{ConvexHull, TriangleMesh};
use rollcheck_engine::text::printf::round6;
use std::collections::BTreeMap;

/// A link as it is declared and as it can be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayLink {
    /// The safety kernel's name of it.
    pub name: String,
    /// Its mesh's hull in the link frame, or why there is none.
    pub hull: Result<ConvexHull, String>,
    /// Half extents of its box and where it sits; `None`: its volume is no box.
    pub obb: Option<([f64; 3], Pose)>,
    /// Whether a stage-2 hull ships; `None`: no tight geometry is declared, which says nothing.
    pub has_stage2_hull: Option<bool>,
    /// Overhang of that hull as declared, m; `None`: not measured.
    pub hull_overhang_m: Option<f64>,
    /// Corner slop of the box, m, six decimals; `None`: no box or no mesh.
    pub corner_slop_m: Option<f64>,
}

/// A robot to replay on.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayModel {
    /// Its id in the manifest.
    pub robot: String,
    /// How it moves.
    pub kinematics: Description,
    /// Its declared links, in the manifest's order.
    pub links: Vec<ReplayLink>,
}

impl ReplayModel {
    /// From a manifest, a description, and the mesh of each link by its name, in the link frame, or why there is none.
    pub fn new(
        robot: &RobotModel,
        kinematics: Description,
        meshes: &BTreeMap<String, Result<TriangleMesh, String>>,
    ) -> Self {
        let links = robot.links.iter().map(|link| replay_link(link, meshes.get(&link.link_name))).collect();
        Self { robot: robot.name.clone(), kinematics, links }
    }

    /// A link by the safety kernel's name.
    pub fn link(&self, name: &str) -> Option<&ReplayLink> {
        self.links.iter().find(|link| link.name == name)
    }

    /// Twice the largest corner slop of a link, m: what two boxes may differ by from what they hold. `None` unless every
    /// boxed link was measured, since the largest of some is no bound for all.
    pub fn box_gap_m(&self) -> Option<f64> {
        let mut boxed = self.links.iter().filter(|link| link.obb.is_some()).peekable();
        boxed.peek()?;
        let largest =
            boxed.map(|link| link.corner_slop_m).try_fold(0.0_f64, |m, slop| slop.map(|s| m.max(s)))?;
        Some(round6(2.0 * largest))
    }
}

fn replay_link(link: &LinkVolume, mesh: Option<&Result<TriangleMesh, String>>) -> ReplayLink {
    let mesh = match mesh {
        Some(Ok(mesh)) => Ok(mesh),
        Some(Err(reason)) => Err(reason.clone()),
        None => Err("it has no mesh".to_owned()),
    };
    let obb = link.shape.half_extents_m().map(|half_m| (half_m, link.link_from_box));
    let corner_slop_m = obb.zip(mesh.as_ref().ok()).and_then(|((half_m, link_from_box), mesh)| {
        let box_from_link = link_from_box.inverse();
        let points: Vec<_> = mesh.vertices().iter().map(|p| box_from_link * p).collect();
        Some(round6(box_slop(half_m, &points)?.corner_slop_m))
    });
    let tight = link.tight.as_ref();
    ReplayLink {
        name: link.link_name.clone(),
        hull: mesh.and_then(|mesh| ConvexHull::of(mesh.vertices()).map_err(|e| e.to_string())),
        obb,
        has_stage2_hull: tight.map(TightGeometry::has_stage2_hull),
        hull_overhang_m: tight
            .filter(|tight| tight.has_stage2_hull())
            .and_then(|tight| tight.hull_overhang_m),
        corner_slop_m,
    }
}
