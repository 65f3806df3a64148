//! MJCF: bodies, joints and collision meshes of a `<mujoco>` model.
//!
//! ```text
//! body     pos and one of quat (w x y z), euler, axisangle, xyaxes, zaxis, in its parent body
//! joint    hinge or slide, with pos, axis and ref in the body; several act in order, each about its own point
//! geom     type mesh, in the body; one with contype and conaffinity 0 only shows and is left out
//! ```
//!
//! The first link is the `world`. Angles are degrees unless the compiler says radian; Euler angles turn in its `eulerseq`
//! (lower case: about the turned axes). Default classes count: the element's own, else the nearest `childclass`. A
//! `frame` moves what it holds. A joint that starts at `ref` turns by `position - ref`. Joints without a name are named
//! by their body, and bodies without one by number, so that nothing known is placed by a guess.
//!
//! Refused, with the line: ball and free joints and mocap bodies (their pose is no single number), `include`, `attach`,
//! `replicate`, `composite` and `flexcomp` (they would add bodies unseen), global coordinates, a mesh with its own
//! reference pose. Equality constraints are not followed: a recording has the positions of both joints.
//!
//! Read by our own code over an XML tree, so that a refusal has its line.

use super::bytes::shown;
use super::description::{Description, LinkMesh, OtherShape};
use super::error::KinematicsFileError;
use super::xml::Element;
use crate::geometry::kinematics::{Joint, KinematicTree, Link, Motion};
use crate::geometry::pose::{Pose, Vector};
use nalgebra::{Matrix3, Quaternion, Rotation3, Translation3, Unit, UnitQuaternion};
use std::collections::BTreeMap;

/// Shortest vector or quaternion that has a direction.
const LENGTH_MIN: f64 = 1e-9;

/// What the `compiler` elements say.
struct Compiler {
    radian: bool,
    eulerseq: String,
    meshdir: String,
}

/// A default class: the parent, and what it says of each kind of element.
struct Class<'a> {
    parent: Option<usize>,
    elements: BTreeMap<&'a str, Vec<Element<'a>>>,
}

struct Model<'a> {
    compiler: Compiler,
    classes: Vec<Class<'a>>,
    class_names: BTreeMap<&'a str, usize>,
    /// Mesh assets by name.
    meshes: BTreeMap<String, Element<'a>>,
}

/// A body, or a frame of it, that is still to be read.
struct Pending<'a> {
    element: Element<'a>,
    link: usize,
    /// Places what the element holds in the body's frame; not the identity inside a `frame`.
    body_from_here: Pose,
    childclass: usize,
}

pub(super) fn description(root: Element) -> Result<Description, KinematicsFileError> {
    const UNREAD: [&str; 5] = ["include", "attach", "replicate", "composite", "flexcomp"];
    if let Some(node) = root.node.descendants().find(|node| UNREAD.contains(&node.tag_name().name())) {
        let expected = "a model with all bodies written out (save it from the simulator)";
        let element = Element { node, ..root };
        return Err(element.refused("", expected, &shown(element.name())));
    }
    let model = Model::read(root)?;
    let mut links = vec![Link { name: "world".to_owned(), parent: None }];
    let (mut meshes, mut others) = (Vec::new(), Vec::new());
    let mut stack: Vec<Pending> = Vec::new();
    for element in root.all("worldbody") {
        stack.push(Pending { element, link: 0, body_from_here: Pose::identity(), childclass: 0 });
    }
    stack.reverse();
    while let Some(at) = stack.pop() {
        let mut inner = Vec::new();
        for child in at.element.children() {
            let childclass = model.class(child, "childclass", at.childclass)?;
            match child.name() {
                "geom" => {
                    let name = &links[at.link].name;
                    model.geom(child, name, &at, &mut meshes, &mut others)?;
                }
                "frame" => {
                    let body_from_here = at.body_from_here * model.pose(child, None)?;
                    inner.push(Pending { element: child, link: at.link, body_from_here, childclass });
                }
                "body" => {
                    let parent_from_body = at.body_from_here * model.pose(child, None)?;
                    let link = links.len();
                    let name = match child.attr("name") {
                        Some(name) if !name.is_empty() => name.to_owned(),
                        _ => format!("(body {link})"),
                    };
                    let joints = model.joints(child, &name, childclass, parent_from_body)?;
                    links.push(Link { name, parent: Some((at.link, joints)) });
                    let body_from_here = Pose::identity();
                    inner.push(Pending { element: child, link, body_from_here, childclass });
                }
                "joint" | "freejoint" if at.element.name() != "body" => {
                    return Err(child.refused("", "a joint directly in a body", "it elsewhere"));
                }
                _ => {}
            }
        }
        stack.extend(inner.into_iter().rev());
    }
    refuse_twice(root, &links)?;
    let tree = KinematicTree::new(links)
        .map_err(|source| KinematicsFileError::Tree { file: root.file.to_owned(), source })?;
    let name = root.attr("model").unwrap_or_default().to_owned();
    Ok(Description { name, tree, meshes, others, mimics: Vec::new() })
}

fn refuse_twice(root: Element, links: &[Link]) -> Result<(), KinematicsFileError> {
    let mut seen = std::collections::BTreeSet::new();
    let joints = links.iter().filter_map(|link| link.parent.as_ref()).flat_map(|(_, joints)| joints);
    for joint in joints.filter(|joint| joint.motion != Motion::Fixed) {
        if !seen.insert(joint.name.as_str()) {
            return Err(root.refused("joint", "a name that no other joint has", &shown(&joint.name)));
        }
    }
    Ok(())
}

impl<'a> Model<'a> {
    fn read(root: Element<'a>) -> Result<Self, KinematicsFileError> {
        let mut compiler = Compiler { radian: false, eulerseq: "xyz".to_owned(), meshdir: String::new() };
        for element in root.all("compiler") {
            match element.attr("angle") {
                None => {}
                Some("radian") => compiler.radian = true,
                Some("degree") => compiler.radian = false,
                Some(other) => return Err(element.refused("angle", "radian or degree", &shown(other))),
            }
            if let Some(sequence) = element.attr("eulerseq") {
                let known = sequence.len() == 3 && sequence.chars().all(|c| "xyzXYZ".contains(c));
                if !known {
                    return Err(element.refused("eulerseq", "three of xyzXYZ", &shown(sequence)));
                }
                sequence.clone_into(&mut compiler.eulerseq);
            }
            if let Some(other) = element.attr("coordinate").filter(|&c| c != "local") {
                return Err(element.refused("coordinate", "local", &shown(other)));
            }
            if let Some(folder) = element.attr("meshdir").or(element.attr("assetdir")) {
                folder.trim_end_matches('/').clone_into(&mut compiler.meshdir);
            }
        }
        let mut model = Self {
            compiler,
            classes: vec![Class { parent: None, elements: BTreeMap::new() }],
            class_names: BTreeMap::from([("main", 0)]),
            meshes: BTreeMap::new(),
        };
        model.read_classes(root)?;
        for mesh in root.all("asset").flat_map(|asset| asset.all("mesh")) {
            let named = mesh.attr("name").filter(|name| !name.is_empty());
            let name = named.or_else(|| Some(stem(mesh.attr("file")?)));
            if let Some(name) = name
                && model.meshes.insert(name.to_owned(), mesh).is_some()
            {
                return Err(mesh.refused("", "a name that no other mesh has", &shown(name)));
            }
        }
        Ok(model)
    }

    fn read_classes(&mut self, root: Element<'a>) -> Result<(), KinematicsFileError> {
        let mut stack: Vec<(Element, Option<usize>)> = root.all("default").map(|d| (d, None)).collect();
        stack.reverse();
        while let Some((element, parent)) = stack.pop() {
            let class = match (parent, element.attr("class")) {
                // The outermost class is the root of all, under any name.
                (None, name) => {
                    self.class_names.insert(name.unwrap_or("main"), 0);
                    0
                }
                (Some(parent), Some(name)) if !name.is_empty() => {
                    let class = self.classes.len();
                    if self.class_names.insert(name, class).is_some() {
                        return Err(element.refused("class", "a name that no other class has", &shown(name)));
                    }
                    self.classes.push(Class { parent: Some(parent), elements: BTreeMap::new() });
                    class
                }
                (Some(_), _) => return Err(element.refused("class", "a name", "nothing")),
            };
            let mut inner = Vec::new();
            for child in element.children() {
                if child.name() == "default" {
                    inner.push((child, Some(class)));
                } else {
                    self.classes[class].elements.entry(child.name()).or_default().push(child);
                }
            }
            stack.extend(inner.into_iter().rev());
        }
        Ok(())
    }

    /// The class that an attribute names, else the one around.
    fn class(&self, element: Element, attr: &str, around: usize) -> Result<usize, KinematicsFileError> {
        match element.attr(attr) {
            None => Ok(around),
            Some(name) => {
                let class = self.class_names.get(name).copied();
                class.ok_or_else(|| element.refused(attr, "the name of a default class", &shown(name)))
            }
        }
    }

    /// An attribute of the element, else of its class, else of the classes around that.
    fn attr(&self, element: Element<'a>, class: usize, attr: &str) -> Option<&'a str> {
        if let Some(value) = element.attr(attr) {
            return Some(value);
        }
        let mut at = Some(class);
        while let Some(class) = at.and_then(|index| self.classes.get(index)) {
            let mut said = class.elements.get(element.name()).into_iter().flatten().rev();
            if let Some(value) = said.find_map(|default| default.attr(attr)) {
                return Some(value);
            }
            at = class.parent;
        }
        None
    }

    fn numbers<const N: usize>(
        &self,
        element: Element<'a>,
        class: Option<usize>,
        attr: &str,
    ) -> Result<Option<[f64; N]>, KinematicsFileError> {
        let value = match class {
            Some(class) => self.attr(element, class, attr),
            None => element.attr(attr),
        };
        value.map(|value| element.parsed(attr, value)).transpose()
    }

    fn angle(&self, value: f64) -> f64 {
        if self.compiler.radian { value } else { value.to_radians() }
    }

    /// `pos` and orientation of a body, frame or geom; bodies and frames have no class.
    fn pose(&self, element: Element<'a>, class: Option<usize>) -> Result<Pose, KinematicsFileError> {
        let [x, y, z] = self.numbers(element, class, "pos")?.unwrap_or_default();
        Ok(Pose::from_parts(Translation3::new(x, y, z), self.rotation(element, class)?))
    }

    fn rotation(
        &self,
        element: Element<'a>,
        class: Option<usize>,
    ) -> Result<Rotation3<f64>, KinematicsFileError> {
        // An orientation of the element itself stands before one of its class.
        let own =
            ["quat", "axisangle", "euler", "xyaxes", "zaxis"].iter().filter(|&&a| element.attr(a).is_some());
        let own: Vec<_> = own.collect();
        if let [first, second, ..] = own.as_slice() {
            return Err(element.refused(first, "one orientation", &format!("also {second}")));
        }
        let class = if own.is_empty() { class } else { None };
        let no_length = |attr| element.refused(attr, "a direction", "no length");
        if let Some([w, x, y, z]) = self.numbers(element, class, "quat")? {
            let quat = UnitQuaternion::try_new(Quaternion::new(w, x, y, z), LENGTH_MIN);
            return finite(quat.map(UnitQuaternion::to_rotation_matrix)).ok_or_else(|| no_length("quat"));
        }
        if let Some([x, y, z, angle]) = self.numbers(element, class, "axisangle")? {
            let axis = Unit::try_new(Vector::new(x, y, z), LENGTH_MIN);
            let rotation = axis.map(|axis| Rotation3::from_axis_angle(&axis, self.angle(angle)));
            return finite(rotation).ok_or_else(|| no_length("axisangle"));
        }
        if let Some(angles) = self.numbers::<3>(element, class, "euler")? {
            let mut rotation = Rotation3::identity();
            for (letter, angle) in self.compiler.eulerseq.chars().zip(angles) {
                let axis = match letter.to_ascii_lowercase() {
                    'x' => Vector::x_axis(),
                    'y' => Vector::y_axis(),
                    _ => Vector::z_axis(),
                };
                let turn = Rotation3::from_axis_angle(&axis, self.angle(angle));
                rotation = if letter.is_ascii_lowercase() { rotation * turn } else { turn * rotation };
            }
            return Ok(rotation);
        }
        if let Some([a, b, c, d, e, f]) = self.numbers(element, class, "xyaxes")? {
            let x = Vector::new(a, b, c).try_normalize(LENGTH_MIN);
            let along = |x: Vector| Vector::new(d, e, f) - x * x.dot(&Vector::new(d, e, f));
            let axes = x.and_then(|x| Some((x, along(x).try_normalize(LENGTH_MIN)?)));
            let rotation = axes
                .map(|(x, y)| Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, y, x.cross(&y)])));
            return finite(rotation).ok_or_else(|| no_length("xyaxes"));
        }
        if let Some([x, y, z]) = self.numbers(element, class, "zaxis")? {
            let up = Vector::z();
            let rotation = Vector::new(x, y, z).try_normalize(LENGTH_MIN).map(|to| {
                // Opposite: half a turn about x, as the simulator has it.
                let axis = Unit::try_new(up.cross(&to), 1e-12).unwrap_or_else(Vector::x_axis);
                Rotation3::from_axis_angle(&axis, up.cross(&to).norm().atan2(up.dot(&to)))
            });
            return finite(rotation).ok_or_else(|| no_length("zaxis"));
        }
        Ok(Rotation3::identity())
    }

    /// The joints of a body, from its parent outwards, so that the last leads to the body's frame.
    fn joints(
        &self,
        body: Element<'a>,
        name: &str,
        childclass: usize,
        parent_from_body: Pose,
    ) -> Result<Vec<Joint>, KinematicsFileError> {
        if body.attr("mocap") == Some("true") {
            return Err(body.refused("mocap", "a body that joints place", "one that moves freely"));
        }
        let mut joints = Vec::new();
        // From the last joint's frame to the next joint's.
        let mut before = parent_from_body;
        for child in body.children().filter(|child| matches!(child.name(), "joint" | "freejoint")) {
            let class = self.class(child, "class", childclass)?;
            let kind = if child.name() == "freejoint" {
                "free"
            } else {
                self.attr(child, class, "type").unwrap_or("hinge")
            };
            if !matches!(kind, "hinge" | "slide") {
                return Err(child.refused("type", "hinge or slide", &shown(kind)));
            }
            let axis = Vector::from(self.numbers(child, Some(class), "axis")?.unwrap_or([0.0, 0.0, 1.0]));
            let axis = Unit::try_new(axis, LENGTH_MIN)
                .filter(|axis| axis.norm() > 0.5 && axis.iter().all(|x| x.is_finite()))
                .ok_or_else(|| child.refused("axis", "a direction", "no length"))?;
            let [x, y, z] = self.numbers(child, Some(class), "pos")?.unwrap_or_default();
            let [reference] = self.numbers(child, Some(class), "ref")?.unwrap_or_default();
            let anchor = Pose::from_parts(Translation3::new(x, y, z), Rotation3::identity());
            let (motion, back) = if kind == "hinge" {
                let back = Rotation3::from_axis_angle(&axis, -self.angle(reference));
                (Motion::Revolute { axis }, Pose::from_parts(Translation3::identity(), back))
            } else {
                let back = Translation3::from(axis.into_inner() * -reference);
                (Motion::Prismatic { axis }, Pose::from_parts(back, Rotation3::identity()))
            };
            let named = child.attr("name").filter(|name| !name.is_empty()).map(str::to_owned);
            joints.push(Joint {
                name: named.unwrap_or_else(|| format!("(joint {} of {name})", joints.len())),
                parent_from_joint: before * anchor,
                motion,
            });
            before = back * anchor.inverse();
        }
        if joints.is_empty() || before != Pose::identity() {
            joints.push(Joint { name: String::new(), parent_from_joint: before, motion: Motion::Fixed });
        }
        Ok(joints)
    }

    fn geom(
        &self,
        geom: Element<'a>,
        link: &str,
        at: &Pending,
        meshes: &mut Vec<LinkMesh>,
        others: &mut Vec<OtherShape>,
    ) -> Result<(), KinematicsFileError> {
        let class = self.class(geom, "class", at.childclass)?;
        let [contype] = self.numbers(geom, Some(class), "contype")?.unwrap_or([1.0]);
        let [conaffinity] = self.numbers(geom, Some(class), "conaffinity")?.unwrap_or([1.0]);
        if contype == 0.0 && conaffinity == 0.0 {
            return Ok(());
        }
        let kind = self.attr(geom, class, "type").unwrap_or("sphere");
        // A mesh beside another type only fits that shape to it.
        if kind != "mesh" {
            others.push(OtherShape { link: link.to_owned(), kind: kind.to_owned() });
            return Ok(());
        }
        let name = self.attr(geom, class, "mesh").ok_or_else(|| geom.refused("mesh", "a mesh", "nothing"))?;
        let Some(&asset) = self.meshes.get(name) else {
            return Err(geom.refused("mesh", "the name of a mesh asset", &shown(name)));
        };
        let asset_class = self.class(asset, "class", 0)?;
        if let Some(attr) = ["refpos", "refquat"].into_iter().find(|attr| asset.attr(attr).is_some()) {
            return Err(asset.refused(attr, "a mesh without a reference pose", "one"));
        }
        let file = asset.need("file")?;
        let folder = &self.compiler.meshdir;
        let bare = folder.is_empty() || file.starts_with('/');
        meshes.push(LinkMesh {
            link: link.to_owned(),
            path: if bare { file.to_owned() } else { format!("{folder}/{file}") },
            scale: self.numbers(asset, Some(asset_class), "scale")?.unwrap_or([1.0; 3]),
            link_from_mesh: at.body_from_here * self.pose(geom, Some(class))?,
        });
        Ok(())
    }
}

/// Numbers near the limits of f64 overflow on their way.
fn finite(rotation: Option<Rotation3<f64>>) -> Option<Rotation3<f64>> {
    rotation
        .filter(|r| r.matrix().iter().all(|x| x.is_finite()) && (r.matrix().determinant() - 1.0).abs() < 1e-6)
}

/// The name of a file without folder and ending.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
