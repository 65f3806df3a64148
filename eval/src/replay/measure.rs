//! Distances between the links of a robot in one recorded state.
//!
//! ```text
//! hulls   signed distance of the source meshes' hulls, exact, with witness points and the bounds that prove it
//! boxes   largest gap over fifteen axes: the number that the safety kernel prints for two boxes
//! ```
//!
//! Geometry page, sections 2.1 and 2.4. Poses are in the frame of the description's first link, metres. What cannot be
//! measured has its reason; nothing stands in for it.

use super::model::{ReplayLink, ReplayModel};
use super::states::{JointState, StateSource};
use crate::adjudication::party;
use rollcheck_engine::geometry::ConvexHull;
use rollcheck_engine::geometry::hull_distance::{HullDistance, SignedDistance};
use rollcheck_engine::geometry::kinematics::KinematicsError;
use rollcheck_engine::geometry::obb::{self, Obb};
use rollcheck_engine::geometry::pose::Pose;

/// Why a link or a pair could not be measured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unmeasured {
    /// The manifest declares no such link.
    #[error("link `{link}` is unknown: the robot declares no such link")]
    UnknownLink {
        /// As the stop names it.
        link: String,
    },
    /// The description has no such link.
    #[error("link `{link}` is not in the kinematics: nothing says where it is")]
    NotInTree {
        /// The link.
        link: String,
    },
    /// A joint on the way to it has no recorded position.
    #[error("link `{link}`: the position of joint `{joint}` is not on record")]
    MissingJoint {
        /// The link.
        link: String,
        /// The joint.
        joint: String,
    },
    /// It has no mesh, or its mesh has no hull.
    #[error("link `{link}` has no hull: {reason}")]
    NoHull {
        /// The link.
        link: String,
        /// Why.
        reason: String,
    },
    /// Its volume is no box.
    #[error("link `{link}` has no box")]
    NoBox {
        /// The link.
        link: String,
    },
}

impl Unmeasured {
    /// The link it is about.
    pub fn link(&self) -> &str {
        match self {
            Self::UnknownLink { link }
            | Self::NotInTree { link }
            | Self::MissingJoint { link, .. }
            | Self::NoHull { link, .. }
            | Self::NoBox { link } => link,
        }
    }
}

/// Two links.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkPair {
    /// First link.
    pub a: String,
    /// Second link.
    pub b: String,
    /// One carries the other: they overlap for ever and are permitted to.
    pub adjacent: bool,
    /// Distance of their hulls, with witness points in the frame of the description's first link.
    pub hulls: Result<SignedDistance, Unmeasured>,
    /// Their boxes' number, m.
    pub boxes_m: Result<f64, Unmeasured>,
    /// What the simulator's probe measured for this pair, m, where it did and the state is its own.
    pub probe_m: Option<f64>,
}

impl LinkPair {
    /// Whether these are the two links.
    pub fn is(&self, a: &str, b: &str) -> bool {
        (self.a == a && self.b == b) || (self.a == b && self.b == a)
    }
}

/// What was measured in one state.
#[derive(Clone, Debug, PartialEq)]
pub struct StateReplay {
    /// The state.
    pub state: JointState,
    /// The stop's own pair, where two links are named.
    pub named: Option<LinkPair>,
    /// Every pair of hulls that could be measured, nearest first; equal distances in the manifest's order.
    pub pairs: Vec<LinkPair>,
    /// Links that are in none of them, in the manifest's order.
    pub left_out: Vec<Unmeasured>,
}

/// A distance that the probe measured between two links, by the simulator's names.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbePair {
    /// First body.
    pub body_a: String,
    /// Second body.
    pub body_b: String,
    /// Distance, m.
    pub distance_m: f64,
    /// The probe vouches for it.
    pub certified: bool,
}

struct Placed<'a> {
    link: &'a ReplayLink,
    tree_index: Option<usize>,
    at: Result<Pose, Unmeasured>,
}

/// Measures all pairs of links in a state; `named` are the stop's two links.
pub fn measure(
    model: &ReplayModel,
    state: &JointState,
    named: Option<(&str, &str)>,
    probe: &[ProbePair],
) -> StateReplay {
    let placed = place(model, state);
    let probe = if state.source == StateSource::Measured { probe } else { &[] };
    let mut work = HullDistance::default();
    let mut pairs = Vec::new();
    for (i, a) in placed.iter().enumerate() {
        for b in &placed[i + 1..] {
            pairs.push(pair(model, a, b, probe, &mut work));
        }
    }
    let named = named.map(|(a, b)| {
        pairs.iter().find(|pair| pair.is(a, b)).cloned().unwrap_or_else(|| unknown_pair(model, a, b))
    });
    pairs.retain(|pair| pair.hulls.is_ok());
    let distance_m = |pair: &LinkPair| pair.hulls.as_ref().map_or(f64::INFINITY, |found| found.distance_m);
    pairs.sort_by(|x, y| distance_m(x).total_cmp(&distance_m(y)));
    let left_out = placed
        .iter()
        .filter_map(|p| match (&p.at, &p.link.hull) {
            (Err(reason), _) => Some(reason.clone()),
            (_, Err(reason)) => Some(no_hull(p.link, reason)),
            _ => None,
        })
        .collect();
    StateReplay { state: state.clone(), named, pairs, left_out }
}

fn place<'a>(model: &'a ReplayModel, state: &JointState) -> Vec<Placed<'a>> {
    let tree = &model.kinematics.tree;
    let positions = model.kinematics.with_mimics(&state.positions());
    let (poses, overflown) = match tree.link_poses(&positions) {
        Ok(poses) => (poses, None),
        // Recorded positions are finite; one that follows another by a factor need not be.
        Err(KinematicsError::NotFinite { joint }) => (Vec::new(), Some(joint)),
        Err(_) => (Vec::new(), None),
    };
    let one = |link: &'a ReplayLink| {
        let simulator = party::simulator_name(&link.name);
        let tree_index = tree.index(&link.name).or_else(|| tree.index(&simulator));
        let name = || link.name.clone();
        let at = tree_index.ok_or_else(|| Unmeasured::NotInTree { link: name() }).and_then(|index| {
            poses.get(index).copied().flatten().ok_or_else(|| Unmeasured::MissingJoint {
                link: name(),
                joint: overflown
                    .clone()
                    .or_else(|| tree.missing_joint(index, &positions).map(str::to_owned))
                    .unwrap_or_default(),
            })
        });
        Placed { link, tree_index, at }
    };
    model.links.iter().map(one).collect()
}

fn pair(
    model: &ReplayModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    probe: &[ProbePair],
    work: &mut HullDistance,
) -> LinkPair {
    let parent = |p: &Placed<'_>| {
        p.tree_index.and_then(|i| model.kinematics.tree.links()[i].parent.as_ref()).map(|&(parent, _)| parent)
    };
    let carries =
        |up: &Placed<'_>, down: &Placed<'_>| up.tree_index.is_some() && parent(down) == up.tree_index;
    let hulls = hull(a).and_then(|(hull_a, at_a)| {
        let (hull_b, at_b) = hull(b)?;
        Ok(work.measure(hull_a, &at_a, hull_b, &at_b))
    });
    let obb = |p: &Placed<'_>| -> Result<Obb, Unmeasured> {
        let at = p.at.clone()?;
        let (half_extents_m, link_from_box) =
            p.link.obb.ok_or_else(|| Unmeasured::NoBox { link: p.link.name.clone() })?;
        Ok(Obb { half_extents_m, world_from_box: at * link_from_box })
    };
    let boxes_m = obb(a).and_then(|box_a| Ok(obb::sat_m(&box_a, &obb(b)?)));
    let bodies = [a, b].map(|p| party::simulator_name(&p.link.name));
    let is_pair = |p: &&ProbePair| {
        (p.body_a == bodies[0] && p.body_b == bodies[1]) || (p.body_a == bodies[1] && p.body_b == bodies[0])
    };
    LinkPair {
        a: a.link.name.clone(),
        b: b.link.name.clone(),
        adjacent: carries(a, b) || carries(b, a),
        hulls,
        boxes_m,
        probe_m: probe.iter().filter(|p| p.certified).find(is_pair).map(|p| p.distance_m),
    }
}

fn hull<'a>(p: &Placed<'a>) -> Result<(&'a ConvexHull, Pose), Unmeasured> {
    let at = p.at.clone()?;
    p.link.hull.as_ref().map(|hull| (hull, at)).map_err(|reason| no_hull(p.link, reason))
}

fn no_hull(link: &ReplayLink, reason: &str) -> Unmeasured {
    Unmeasured::NoHull { link: link.name.clone(), reason: reason.to_owned() }
}

/// A pair of which at least one link is not declared, or a link against itself.
fn unknown_pair(model: &ReplayModel, a: &str, b: &str) -> LinkPair {
    let link = if model.link(a).is_none() { a } else { b }.to_owned();
    let reason = Unmeasured::UnknownLink { link };
    LinkPair {
        a: a.to_owned(),
        b: b.to_owned(),
        adjacent: false,
        hulls: Err(reason.clone()),
        boxes_m: Err(reason),
        probe_m: None,
    }
}
