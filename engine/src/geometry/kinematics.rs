//! Where the links of a robot are for given joint positions.
//!
//! ```text
//! root_from_child = root_from_parent * parent_from_joint * motion(axis, position)
//! ```
//!
//! A [`KinematicTree`] is read from URDF or MJCF, or is the built-in [`panda`]. Links stand parents first; the root frame
//! is that of the first link. Metres, radians; a rotation is positive about its axis by the right hand.

use super::pose::{Pose, Vector, pose_from_xyz_rpy};
use nalgebra::{Rotation3, Translation3, Unit};
use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

/// How a joint moves its child.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Not at all.
    Fixed,
    /// About an axis through the joint's origin, rad.
    Revolute {
        /// The axis, in the joint's frame.
        axis: Unit<Vector>,
    },
    /// Along an axis, m.
    Prismatic {
        /// The axis, in the joint's frame.
        axis: Unit<Vector>,
    },
}

/// What holds a link to its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name; empty where a file gives none to a fixed one.
    pub name: String,
    /// Where it sits.
    pub parent_from_joint: Pose,
    /// How it moves.
    pub motion: Motion,
}

/// A link and what holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Index of its parent and the joints between, from the parent outwards; `None` for a root.
    pub parent: Option<(usize, Vec<Joint>)>,
}

/// Why links make no tree, or joint positions no pose.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KinematicsError {
    /// No link at all.
    #[error("no links")]
    Empty,
    /// Two links of one name.
    #[error("link `{name}` is given twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// A link stands before its parent.
    #[error("link `{name}` stands before its parent")]
    Order {
        /// The link.
        name: String,
    },
    /// A position is NaN or infinite.
    #[error("joint `{joint}`: the position is not finite")]
    NotFinite {
        /// The joint.
        joint: String,
    },
}

/// Links and joints, parents first.
#[derive(Clone, Debug, PartialEq)]
pub struct KinematicTree {
    links: Vec<Link>,
}

impl KinematicTree {
    /// A tree of links, parents first.
    ///
    /// # Errors
    /// [`KinematicsError`].
    pub fn new(links: Vec<Link>) -> Result<Self, KinematicsError> {
        if links.is_empty() {
            return Err(KinematicsError::Empty);
        }
        let mut seen = std::collections::BTreeSet::new();
        for (index, link) in links.iter().enumerate() {
            if !seen.insert(&link.name) {
                return Err(KinematicsError::Twice { name: link.name.clone() });
            }
            if link.parent.as_ref().is_some_and(|&(parent, _)| parent >= index) {
                return Err(KinematicsError::Order { name: link.name.clone() });
            }
        }
        Ok(Self { links })
    }

    /// The links, parents first.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Index of a link.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|link| link.name == name)
    }

    /// Names of the joints that move, in the order of their links.
    pub fn moving_joints(&self) -> impl Iterator<Item = &str> + '_ {
        self.links
            .iter()
            .filter_map(|link| link.parent.as_ref())
            .flat_map(|(_, joints)| joints)
            .filter(|joint| joint.motion != Motion::Fixed)
            .map(|joint| joint.name.as_str())
    }

    /// `root_from_link` of every link that the given joint positions (rad, m) place.
    ///
    /// A link with a joint of unknown position, and all it carries, has no pose: `None`, never a guess of zero.
    ///
    /// # Errors
    /// [`KinematicsError::NotFinite`].
    pub fn link_poses(
        &self,
        positions: &BTreeMap<String, f64>,
    ) -> Result<Vec<Option<Pose>>, KinematicsError> {
        let mut poses: Vec<Option<Pose>> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            let Some((parent, joints)) = &link.parent else {
                poses.push(Some(Pose::identity()));
                continue;
            };
            let mut pose = poses[*parent];
            for joint in joints {
                let motion = match joint.motion {
                    Motion::Fixed => Some(Pose::identity()),
                    Motion::Revolute { axis } => position(positions, joint)?.map(|angle| {
                        Pose::from_parts(Translation3::identity(), Rotation3::from_axis_angle(&axis, angle))
                    }),
                    Motion::Prismatic { axis } => position(positions, joint)?
                        .map(|way| Pose::from_parts((axis.into_inner() * way).into(), Rotation3::identity())),
                };
                pose = pose.zip(motion).map(|(pose, motion)| pose * joint.parent_from_joint * motion);
            }
            poses.push(pose);
        }
        Ok(poses)
    }

    /// The first joint on the way to a link that has no position.
    pub fn missing_joint(&self, link: usize, positions: &BTreeMap<String, f64>) -> Option<&str> {
        let mut at = Some(link);
        let mut missing = None;
        while let Some((parent, joints)) = at.and_then(|i| self.links[i].parent.as_ref()) {
            let unknown =
                |joint: &&Joint| joint.motion != Motion::Fixed && !positions.contains_key(&joint.name);
            missing = joints.iter().find(unknown).map(|joint| joint.name.as_str()).or(missing);
            at = Some(*parent);
        }
        missing
    }
}

fn position(positions: &BTreeMap<String, f64>, joint: &Joint) -> Result<Option<f64>, KinematicsError> {
    match positions.get(&joint.name) {
        Some(value) if !value.is_finite() => Err(KinematicsError::NotFinite { joint: joint.name.clone() }),
        value => Ok(value.copied()),
    }
}

/// The Franka Emika Panda: `panda_link0` to `panda_link7` and `panda_link8` (the flange), joints `panda_joint1` to
/// `panda_joint7`, all about their z axes.
///
/// Origins are those of Franka's robot description (`franka_description`, Apache-2.0), x y z roll pitch yaw in m and
/// rad; they equal the modified Denavit-Hartenberg table of Franka's documentation (d1 0.333, d3 0.316, a4 0.0825,
/// a5 -0.0825, d5 0.384, a7 0.088, flange 0.107).
pub fn panda() -> KinematicTree {
    const ORIGINS: [[f64; 6]; 7] = [
        [0.0, 0.0, 0.333, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, -FRAC_PI_2, 0.0, 0.0],
        [0.0, -0.316, 0.0, FRAC_PI_2, 0.0, 0.0],
        [0.0825, 0.0, 0.0, FRAC_PI_2, 0.0, 0.0],
        [-0.0825, 0.384, 0.0, -FRAC_PI_2, 0.0, 0.0],
        [0.0, 0.0, 0.0, FRAC_PI_2, 0.0, 0.0],
        [0.088, 0.0, 0.0, FRAC_PI_2, 0.0, 0.0],
    ];
    let joint =
        |name: String, origin, motion| Joint { name, parent_from_joint: pose_from_xyz_rpy(origin), motion };
    let turning = Motion::Revolute { axis: Vector::z_axis() };
    let mut links = vec![Link { name: "panda_link0".to_owned(), parent: None }];
    for (i, origin) in ORIGINS.into_iter().enumerate() {
        let joints = vec![joint(format!("panda_joint{}", i + 1), origin, turning)];
        links.push(Link { name: format!("panda_link{}", i + 1), parent: Some((i, joints)) });
    }
    let flange = vec![joint("panda_joint8".to_owned(), [0.0, 0.0, 0.107, 0.0, 0.0, 0.0], Motion::Fixed)];
    links.push(Link { name: "panda_link8".to_owned(), parent: Some((7, flange)) });
    KinematicTree { links }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Point;

    fn at(positions: &[f64]) -> BTreeMap<String, f64> {
        positions.iter().enumerate().map(|(i, &q)| (format!("panda_joint{}", i + 1), q)).collect()
    }

    fn flange(positions: &[f64]) -> Pose {
        panda().link_poses(&at(positions)).unwrap().pop().unwrap().unwrap()
    }

    #[test]
    fn the_panda_at_zero_and_at_ready_has_its_flange_where_the_lengths_say() {
        // Upright: out by a7, up by d1 + d3 + d5 less the flange, which points down.
        let zero = flange(&[0.0; 7]) * Point::origin();
        assert!((zero - Point::new(0.088, 0.0, 0.333 + 0.316 + 0.384 - 0.107)).norm() < 1e-12);
        // The ready pose in closed form, in the plane of the arm (q1 = q3 = q5 = 0).
        let (q2, q4, q6) = (-0.3_f64, -2.2_f64, 2.0_f64);
        let along = |angle: f64, way: f64| (way * angle.sin(), way * angle.cos());
        let mut angle = q2;
        let mut p = (0.0, 0.333);
        let mut go = |angle: f64, up: f64, out: f64| {
            let (ux, uz) = along(angle, up);
            p = (p.0 + ux + out * angle.cos(), p.1 + uz - out * angle.sin());
        };
        go(angle, 0.316, 0.0825);
        angle -= q4;
        go(angle, 0.384, -0.0825);
        angle -= q6;
        go(angle, 0.0, 0.088);
        go(angle, -0.107, 0.0);
        let ready = flange(&[0.0, q2, 0.0, q4, 0.0, q6, 0.0]) * Point::origin();
        assert!((ready - Point::new(p.0, 0.0, p.1)).norm() < 1e-12, "{ready} {p:?}");
    }

    #[test]
    fn a_joint_without_a_position_leaves_what_it_carries_without_a_pose() {
        let tree = panda();
        let mut positions = at(&[0.0; 7]);
        positions.remove("panda_joint5");
        let poses = tree.link_poses(&positions).unwrap();
        assert_eq!(poses.iter().filter(|pose| pose.is_some()).count(), 5);
        assert_eq!(tree.missing_joint(7, &positions), Some("panda_joint5"));
        assert_eq!(tree.missing_joint(4, &positions), None);
        positions.insert("panda_joint5".to_owned(), f64::NAN);
        let error = tree.link_poses(&positions).unwrap_err();
        assert_eq!(error, KinematicsError::NotFinite { joint: "panda_joint5".to_owned() });
        assert_eq!(tree.moving_joints().count(), 7);
    }

    #[test]
    fn links_that_make_no_tree_are_refused() {
        let link = |name: &str, parent: Option<usize>| Link {
            name: name.to_owned(),
            parent: parent.map(|index| (index, vec![])),
        };
        assert_eq!(KinematicTree::new(vec![]), Err(KinematicsError::Empty));
        let twice = KinematicTree::new(vec![link("a", None), link("a", Some(0))]);
        assert_eq!(twice, Err(KinematicsError::Twice { name: "a".to_owned() }));
        let order = KinematicTree::new(vec![link("a", Some(0))]);
        assert_eq!(order, Err(KinematicsError::Order { name: "a".to_owned() }));
    }
}
