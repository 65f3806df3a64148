//! A robot description: where its links are, and which meshes they collide with. URDF or MJCF, by the root element.

use super::bytes::{self, BytesError};
use super::error::KinematicsFileError;
use super::xml::{self, Element};
use super::{mjcf, urdf};
use crate::geometry::kinematics::KinematicTree;
use crate::geometry::pose::Pose;
use std::collections::BTreeMap;
use std::path::Path;

/// Largest description that is read, bytes.
pub const DESCRIPTION_BYTES_MAX: u64 = 16 << 20;

/// What a URDF or MJCF says of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The robot's name; empty where the file gives none.
    pub name: String,
    /// Its links and joints. The root frame is that of the first link (MJCF: the world).
    pub tree: KinematicTree,
    /// Meshes that collide, in the file's order.
    pub meshes: Vec<LinkMesh>,
    /// Colliding shapes that are no mesh, so that none is lost unseen.
    pub others: Vec<OtherShape>,
    /// Joints that follow another.
    pub mimics: Vec<Mimic>,
}

/// A collision mesh of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkMesh {
    /// The link.
    pub link: String,
    /// The file as written; MJCF: with the mesh folder of its compiler before it.
    pub path: String,
    /// Scale of each axis of the mesh's own frame, applied first.
    pub scale: [f64; 3],
    /// Places the scaled mesh in the link's frame.
    pub link_from_mesh: Pose,
}

/// A collision shape that is no mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherShape {
    /// The link.
    pub link: String,
    /// `box`, `sphere`, `cylinder`, ...
    pub kind: String,
}

/// `position = multiplier * position of the other + offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic {
    /// The joint that follows.
    pub joint: String,
    /// The joint that leads.
    pub of: String,
    /// Factor.
    pub multiplier: f64,
    /// Offset, rad or m.
    pub offset: f64,
}

impl Description {
    /// Positions with those of following joints added. A given position stands, as a recording knows better; one that
    /// follows an unknown joint stays unknown.
    #[must_use]
    pub fn with_mimics(&self, positions: &BTreeMap<String, f64>) -> BTreeMap<String, f64> {
        let mut followers: BTreeMap<&str, Vec<&Mimic>> = BTreeMap::new();
        for mimic in &self.mimics {
            followers.entry(&mimic.of).or_default().push(mimic);
        }
        let mut all = positions.clone();
        let mut known: Vec<(&str, f64)> =
            positions.iter().map(|(name, &value)| (name.as_str(), value)).collect();
        while let Some((lead, value)) = known.pop() {
            for mimic in followers.remove(lead).unwrap_or_default() {
                if !all.contains_key(&mimic.joint) {
                    let follows = mimic.multiplier * value + mimic.offset;
                    all.insert(mimic.joint.clone(), follows);
                    known.push((&mimic.joint, follows));
                }
            }
        }
        all
    }
}

/// The description in a file.
///
/// # Errors
/// [`KinematicsFileError`].
pub fn read_kinematics(path: &Path) -> Result<Description, KinematicsFileError> {
    let file = path.display().to_string();
    let bytes_max = DESCRIPTION_BYTES_MAX;
    match bytes::read(path, bytes_max) {
        Ok(bytes) => description_from_slice(&bytes, &file),
        Err(BytesError::Store(error)) => Err(error.into()),
        Err(BytesError::TooLarge { found }) => Err(KinematicsFileError::TooLarge { file, found, bytes_max }),
    }
}

/// The description in bytes; `file` names it in errors.
///
/// # Errors
/// [`KinematicsFileError`].
pub fn description_from_slice(bytes: &[u8], file: &str) -> Result<Description, KinematicsFileError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|e| KinematicsFileError::NotText { file: file.to_owned(), at: e.valid_up_to() })?;
    let document = xml::parse(text.strip_prefix('\u{feff}').unwrap_or(text), file)?;
    let root = Element { node: document.root_element(), file };
    match root.name() {
        "robot" => urdf::description(root),
        "mujoco" => mjcf::description(root),
        other => {
            let found = other.chars().take(60).collect();
            Err(KinematicsFileError::Root { file: file.to_owned(), found })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::kinematics::{Motion, panda};
    use crate::geometry::pose::{Point, pose_from_xyz_rpy};
    use nalgebra::{Rotation3, Translation3, UnitQuaternion, Vector3};
    use proptest::prelude::*;
    use std::fmt::Write as _;

    fn read(text: &str) -> Description {
        description_from_slice(text.as_bytes(), "r.xml").unwrap()
    }

    fn error(text: &str) -> String {
        description_from_slice(text.as_bytes(), "r.xml").unwrap_err().to_string()
    }

    /// The built-in arm written as URDF; links in reverse order, as their order is free.
    fn panda_urdf() -> String {
        let tree = panda();
        let mut text = String::from("<?xml version=\"1.0\"?>\n<robot name=\"panda\">\n");
        for link in tree.links().iter().rev() {
            writeln!(text, "  <link name=\"{}\"/>", link.name).unwrap();
        }
        for link in tree.links() {
            let Some((parent, joints)) = &link.parent else { continue };
            let joint = &joints[0];
            let t = joint.parent_from_joint.translation.vector;
            let (r, p, y) = joint.parent_from_joint.rotation.euler_angles();
            let (kind, axis) = match joint.motion {
                Motion::Fixed => ("fixed", ""),
                _ => ("revolute", "<axis xyz=\"0 0 2\"/>"),
            };
            writeln!(text,
                "  <joint name=\"{}\" type=\"{kind}\">\n    <origin xyz=\"{} {} {}\" rpy=\"{r} {p} {y}\"/>\n    \
                 <parent link=\"{}\"/><child link=\"{}\"/>{axis}\n  </joint>",
                joint.name,
                t.x,
                t.y,
                t.z,
                tree.links()[*parent].name,
                link.name
            ).unwrap();
        }
        text + "</robot>\n"
    }

    /// The built-in arm written as MJCF, with quaternions that are not of unit length.
    fn panda_mjcf() -> String {
        let tree = panda();
        let mut text = String::from(
            "<mujoco model=\"panda\"><compiler angle=\"radian\"/><default><default class=\"arm\">\
             <joint axis=\"0 0 3\"/></default></default><worldbody>\n<body name=\"panda_link0\" childclass=\"arm\">\n",
        );
        for link in tree.links() {
            let Some((_, joints)) = &link.parent else { continue };
            let joint = &joints[0];
            let t = joint.parent_from_joint.translation.vector;
            let q = UnitQuaternion::from_rotation_matrix(&joint.parent_from_joint.rotation);
            let [w, x, y, z] = [q.w, q.i, q.j, q.k].map(|v| 2.0 * v);
            write!(
                text,
                "<body name=\"{}\" pos=\"{} {} {}\" quat=\"{w} {x} {y} {z}\">",
                link.name, t.x, t.y, t.z
            )
            .unwrap();
            if joint.motion != Motion::Fixed {
                write!(text, "<joint name=\"{}\"/>", joint.name).unwrap();
            }
        }
        text + &"</body>".repeat(9) + "</worldbody></mujoco>\n"
    }

    proptest! {
        #[test]
        fn the_panda_as_urdf_and_as_mjcf_stands_where_the_built_in_one_does(q in prop::array::uniform7(-3.0..3.0)) {
            let positions: BTreeMap<String, f64> =
                q.iter().enumerate().map(|(i, &q)| (format!("panda_joint{}", i + 1), q)).collect();
            let built_in = panda();
            let expected = built_in.link_poses(&positions).unwrap();
            for text in [panda_urdf(), panda_mjcf()] {
                let tree = read(&text).tree;
                let poses = tree.link_poses(&positions).unwrap();
                for (link, pose) in built_in.links().iter().zip(&expected) {
                    let ours = poses[tree.index(&link.name).unwrap()].unwrap().to_homogeneous();
                    prop_assert!((ours - pose.unwrap().to_homogeneous()).amax() < 1e-12, "{}", link.name);
                }
                prop_assert_eq!(tree.moving_joints().collect::<Vec<_>>(), built_in.moving_joints().collect::<Vec<_>>());
            }
        }

        #[test]
        fn any_text_is_answered(
            text in "(<(robot|mujoco|worldbody|body|link|joint|geom|default)( (name|type|pos|quat|class)=\"[a-z0-9 .]{0,4}\"){0,2}/?>|</[a-z]{3,6}>){0,8}",
        ) {
            let _ = description_from_slice(text.as_bytes(), "r.xml");
        }
    }

    #[test]
    fn urdf_meshes_keep_scale_and_place_and_other_shapes_are_named() {
        let text = "<robot name='r'><link name='base'><visual><geometry><mesh filename='v.dae'/></geometry></visual>\
                    <collision><origin xyz='1 2 3' rpy='0 0 1.5'/><geometry><mesh filename='package://m/a.stl' \
                    scale='0.001 0.001 -0.001'/></geometry></collision><collision><geometry><box size='1 1 1'/>\
                    </geometry></collision></link></robot>";
        let robot = read(text);
        assert_eq!(
            robot.meshes,
            [LinkMesh {
                link: "base".to_owned(),
                path: "package://m/a.stl".to_owned(),
                scale: [0.001, 0.001, -0.001],
                link_from_mesh: pose_from_xyz_rpy([1.0, 2.0, 3.0, 0.0, 0.0, 1.5]),
            }]
        );
        assert_eq!(robot.others, [OtherShape { link: "base".to_owned(), kind: "box".to_owned() }]);
    }

    const HAND: &str = "<robot name='h'>
<link name='a'/><link name='b'/><link name='c'/>
<joint name='f1' type='prismatic'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/></joint>
<joint name='f2' type='prismatic'><parent link='a'/><child link='c'/><axis xyz='0 1 0'/>
<mimic joint='f1' multiplier='-1' offset='0.01'/></joint>
</robot>";

    #[test]
    fn a_joint_that_follows_is_placed_by_its_leader() {
        let hand = read(HAND);
        let positions = hand.with_mimics(&BTreeMap::from([("f1".to_owned(), 0.04)]));
        let poses = hand.tree.link_poses(&positions).unwrap();
        let c = poses[hand.tree.index("c").unwrap()].unwrap() * Point::origin();
        assert!((c - Point::new(0.0, -0.03, 0.0)).norm() < 1e-15);
        let recorded = BTreeMap::from([("f1".to_owned(), 0.04), ("f2".to_owned(), 0.5)]);
        assert_eq!(hand.with_mimics(&recorded), recorded);
        assert_eq!(hand.with_mimics(&BTreeMap::new()), BTreeMap::new());
        // A chain, led from its far end.
        let chain = HAND.replace("<mimic joint='f1'", "<mimic joint='f3'").replace(
            "</robot>",
            "<link name='d'/><joint name='f3' type='revolute'><parent link='a'/><child link='d'/>\n\
             <mimic joint='f1' multiplier='2'/></joint></robot>",
        );
        let positions = read(&chain).with_mimics(&BTreeMap::from([("f1".to_owned(), 0.5)]));
        assert_eq!((positions["f3"], positions["f2"]), (1.0, -0.99));
    }

    #[test]
    fn a_urdf_that_is_no_tree_is_refused_with_its_line() {
        let with = |from: &str, to: &str| {
            assert!(HAND.contains(from), "{from}");
            error(&HAND.replacen(from, to, 1))
        };
        assert_eq!(
            with("type='prismatic'", "type='planar'"),
            "r.xml:3: <joint> `f1` type: expected fixed, revolute, continuous or prismatic, found `planar`"
        );
        assert_eq!(
            with("<child link='c'/>", "<child link='b'/>"),
            "r.xml:4: <joint> `f2` child: expected a link without a parent, found a second parent of `b`"
        );
        assert_eq!(
            with("<child link='b'/>", "<child link='x'/>"),
            "r.xml:3: <child> link: expected the name of a link, found `x`"
        );
        assert_eq!(
            with("<parent link='a'/><child link='b'/>", "<parent link='b'/><child link='b'/>"),
            "r.xml:3: <joint> `f1`: expected joints that start at the root link, found a circle"
        );
        assert_eq!(
            with("<link name='a'/>", "<link name='a'/><link name='d'/>"),
            "r.xml:2: <link> `d`: expected one link without a parent, found 2 of them"
        );
        assert_eq!(
            with("<link name='a'/>", "<link name='a'/><link name='a'/>"),
            "r.xml:2: <link> `a`: expected a name that no other link has, found it again"
        );
        assert_eq!(
            with("xyz='0 1 0'", "xyz='0 0 0'"),
            "r.xml:3: <joint> `f1` axis: expected a direction, found no length"
        );
        assert_eq!(
            with("xyz='0 1 0'", "xyz='0 1'"),
            "r.xml:3: <axis> xyz: expected 3 finite numbers, found `0 1`"
        );
        assert!(
            with("mimic joint='f1'", "mimic joint='g'")
                .contains("expected the name of a joint, found `g` for `f2`")
        );
        let xacro =
            "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<xacro:include filename='x'/></robot>";
        assert!(error(xacro).starts_with("r.xml:2: <include>: expected a URDF that xacro has expanded"));
        assert!(error("<robot/>").contains("expected links, found none"));
        assert!(error("<sdf/>").contains("the root element is <sdf>"));
        assert!(error("<robot>").starts_with("r.xml: not XML:"));
        assert!(description_from_slice(b"<robot name='\xff'/>", "r.xml").is_err());
    }

    fn body(compiler: &str, body: &str) -> String {
        format!(
            "<mujoco><compiler {compiler}/><worldbody>\n<body name='b' {body}</body></worldbody></mujoco>"
        )
    }

    /// World pose of body `b`.
    fn placed(text: &str, positions: &[(&str, f64)]) -> Pose {
        let tree = read(text).tree;
        let positions = positions.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        tree.link_poses(&positions).unwrap()[tree.index("b").unwrap()].unwrap()
    }

    fn assert_close(a: &Pose, b: &Pose) {
        assert!((a.to_homogeneous() - b.to_homogeneous()).amax() < 1e-12, "{a} {b}");
    }

    fn turn(axis: [f64; 3], angle: f64) -> Rotation3<f64> {
        Rotation3::new(Vector3::from(axis) * angle)
    }

    #[test]
    fn every_orientation_of_a_body_is_read() {
        let rotated = |rotation| Pose::from_parts(Translation3::identity(), rotation);
        let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let intrinsic = turn(x, 0.1) * turn(y, 0.2) * turn(z, 0.3);
        assert_close(&placed(&body("angle='radian'", "euler='.1 .2 .3'>"), &[]), &rotated(intrinsic));
        let extrinsic = turn(z, 0.3) * turn(y, 0.2) * turn(x, 0.1);
        assert_close(
            &placed(&body("angle='radian' eulerseq='XYZ'", "euler='.1 .2 .3'>"), &[]),
            &rotated(extrinsic),
        );
        let degrees = turn(z, std::f64::consts::FRAC_PI_6);
        assert_close(&placed(&body("", "axisangle='0 0 2 30'>"), &[]), &rotated(degrees));
        assert_close(
            &placed(&body("", "xyaxes='0 1 0 -1 7 0'>"), &[]),
            &rotated(turn(z, std::f64::consts::FRAC_PI_2)),
        );
        assert_close(&placed(&body("", "zaxis='0 0 -1'>"), &[]), &rotated(turn(x, std::f64::consts::PI)));
        assert_close(
            &placed(&body("", "zaxis='3 0 0'>"), &[]),
            &rotated(turn(y, std::f64::consts::FRAC_PI_2)),
        );
    }

    #[test]
    fn joints_of_a_body_act_in_order_each_about_its_own_point() {
        let text = body(
            "angle='radian'",
            "pos='1 0 0'><joint name='j' axis='0 0 1' pos='.5 0 0' ref='.2'/>\
             <joint name='s' type='slide' axis='2 0 0' ref='.1'/><joint name='k' axis='1 0 0' pos='0 .3 0'/>",
        );
        // At the references nothing moves.
        let rest = Pose::from_parts(Translation3::new(1.0, 0.0, 0.0), Rotation3::identity());
        assert_close(&placed(&text, &[("j", 0.2), ("s", 0.1), ("k", 0.0)]), &rest);
        let about = |p: [f64; 3], r: Rotation3<f64>| {
            let to = Pose::from_parts(Translation3::from(p), Rotation3::identity());
            to * Pose::from_parts(Translation3::identity(), r) * to.inverse()
        };
        let expected = rest
            * about([0.5, 0.0, 0.0], turn([0.0, 0.0, 1.0], 0.7))
            * Pose::from_parts(Translation3::new(0.4, 0.0, 0.0), Rotation3::identity())
            * about([0.0, 0.3, 0.0], turn([1.0, 0.0, 0.0], -0.4));
        assert_close(&placed(&text, &[("j", 0.9), ("s", 0.5), ("k", -0.4)]), &expected);
    }

    #[test]
    fn mjcf_meshes_follow_classes_frames_and_the_mesh_folder() {
        let text = "<mujoco><compiler meshdir='assets/'/><default><geom contype='0' conaffinity='0'/>\
                    <default class='c'><geom type='mesh' contype='1' pos='0 0 1'/><mesh scale='2 2 2'/></default></default>\
                    <asset><mesh file='sub/hand.stl' class='c'/></asset><worldbody><body name='b' childclass='c'>\
                    <frame pos='1 0 0'><geom mesh='hand'/><body name='inner' pos='0 5 0'/></frame>\
                    <geom class='main' mesh='hand' type='mesh'/><geom type='box' size='1 1 1'/>\
                    </body></worldbody></mujoco>";
        let robot = read(text);
        assert_eq!(robot.meshes.len(), 1);
        assert_eq!((robot.meshes[0].path.as_str(), robot.meshes[0].scale), ("assets/sub/hand.stl", [2.0; 3]));
        assert_close(&robot.meshes[0].link_from_mesh, &pose_from_xyz_rpy([1.0, 0.0, 1.0, 0.0, 0.0, 0.0]));
        assert_eq!(robot.others, [OtherShape { link: "b".to_owned(), kind: "box".to_owned() }]);
        let inner =
            robot.tree.link_poses(&BTreeMap::new()).unwrap()[robot.tree.index("inner").unwrap()].unwrap();
        assert_close(&inner, &pose_from_xyz_rpy([1.0, 5.0, 0.0, 0.0, 0.0, 0.0]));
    }

    #[test]
    fn what_mjcf_would_place_otherwise_is_refused_with_its_line() {
        assert_eq!(
            error(&body("", "><freejoint/>")),
            "r.xml:2: <freejoint> type: expected hinge or slide, found `free`"
        );
        assert!(
            error(&body("", "><joint name='q' type='ball'/>"))
                .contains("<joint> `q` type: expected hinge or slide")
        );
        assert!(error(&body("", "mocap='true'>")).contains("one that moves freely"));
        assert!(error(&body("", "quat='0 0 0 0'>")).contains("<body> `b` quat: expected a direction"));
        assert!(
            error(&body("", "quat='1 0 0 0' euler='0 0 0'>"))
                .contains("expected one orientation, found also euler")
        );
        assert!(
            error(&body("", "><geom type='mesh' mesh='m'/>")).contains("the name of a mesh asset, found `m`")
        );
        assert!(error(&body("", "><geom class='m'/>")).contains("the name of a default class, found `m`"));
        assert!(error(&body("", "><include file='x'/>")).contains("found `include`"));
        assert!(error(&body("coordinate='global'", ">")).contains("expected local"));
        assert!(error(&body("", "><body name='b'/>")).contains("link `b` is given twice"));
        assert!(error(&body("", "><joint name='j'/><joint name='j'/>")).contains("found `j`"));
    }

    #[test]
    fn depth_is_not_bounded_by_the_stack() {
        let deep = 50_000;
        let text = format!(
            "<mujoco><worldbody>{}{}</worldbody></mujoco>",
            "<body>".repeat(deep),
            "</body>".repeat(deep)
        );
        assert_eq!(read(&text).tree.links().len(), deep + 1);
    }
}
