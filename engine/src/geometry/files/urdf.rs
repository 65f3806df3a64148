//! URDF: links, joints and collision meshes of a `<robot>`.
//!
//! ```text
//! link     collision: origin (xyz, rpy), geometry mesh (filename, scale)
//! joint    type fixed | revolute | continuous | prismatic, origin, parent, child, axis (default x), mimic
//! ```
//!
//! A tree: one root, every other link with one parent. Following joints (`mimic`) are kept apart in
//! [`Description::mimics`]. Refused: joints of other types (their position is no single number), circles, second roots,
//! a text that xacro has not expanded. Limits, inertias, visuals and transmissions are not read. Links come out parents
//! first, children in the order of their joints.
//!
//! Read by our own code over an XML tree, so that a refusal has its line.

use super::bytes::shown;
use super::description::{Description, LinkMesh, Mimic, OtherShape};
use super::error::KinematicsFileError;
use super::xml::Element;
use crate::geometry::kinematics::{Joint, KinematicTree, Link, Motion};
use crate::geometry::pose::{Pose, Vector, pose_from_xyz_rpy};
use nalgebra::Unit;
use std::collections::{BTreeMap, BTreeSet};

struct Arm<'a> {
    element: Element<'a>,
    child: usize,
    joint: Joint,
}

pub(super) fn description(root: Element) -> Result<Description, KinematicsFileError> {
    refuse_xacro(root)?;
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut links: Vec<Element> = Vec::new();
    for link in root.all("link") {
        if names.insert(link.need("name")?, links.len()).is_some() {
            return Err(link.refused("", "a name that no other link has", "it again"));
        }
        links.push(link);
    }
    let Some(&first) = links.first() else {
        return Err(root.refused("", "links", "none"));
    };
    let mut has_parent = vec![false; links.len()];
    let mut arms: Vec<Vec<Arm>> = links.iter().map(|_| Vec::new()).collect();
    let mut joints: BTreeSet<&str> = BTreeSet::new();
    let mut mimics = Vec::new();
    for element in root.all("joint") {
        let name = element.need("name")?;
        if !joints.insert(name) {
            return Err(element.refused("", "a name that no other joint has", "it again"));
        }
        let end = |tag: &'static str| {
            let end = element.child(tag).ok_or_else(|| element.refused(tag, "a link", "nothing"))?;
            let link = end.need("link")?;
            names.get(link).copied().ok_or_else(|| end.refused("link", "the name of a link", &shown(link)))
        };
        let (parent, child) = (end("parent")?, end("child")?);
        if has_parent[child] {
            let found = format!("a second parent of {}", shown(links[child].need("name")?));
            return Err(element.refused("child", "a link without a parent", &found));
        }
        has_parent[child] = true;
        let joint =
            Joint { name: name.to_owned(), parent_from_joint: origin(element)?, motion: motion(element)? };
        mimics.extend(mimic(element)?);
        arms[parent].push(Arm { element, child, joint });
    }
    if let Some(mimic) = mimics.iter().find(|mimic| !joints.contains(mimic.of.as_str())) {
        let found = format!("{} for {}", shown(&mimic.of), shown(&mimic.joint));
        return Err(root.refused("mimic", "the name of a joint", &found));
    }
    let roots: Vec<usize> = (0..links.len()).filter(|&i| !has_parent[i]).collect();
    let &[start] = roots.as_slice() else {
        let (at, found) = match roots.get(1) {
            Some(&second) => (links[second], format!("{} of them", roots.len())),
            None => (first, "none: the joints make a circle".to_owned()),
        };
        return Err(at.refused("", "one link without a parent", &found));
    };
    let tree = order(&links, arms, start)?;
    let tree = KinematicTree::new(tree)
        .map_err(|source| KinematicsFileError::Tree { file: root.file.to_owned(), source })?;
    let (mut meshes, mut others) = (Vec::new(), Vec::new());
    for link in links {
        collisions(link, &mut meshes, &mut others)?;
    }
    let name = root.attr("name").unwrap_or_default().to_owned();
    Ok(Description { name, tree, meshes, others, mimics })
}

fn refuse_xacro(root: Element) -> Result<(), KinematicsFileError> {
    let macros = |node: &roxmltree::Node| node.tag_name().namespace().is_some_and(|ns| ns.contains("xacro"));
    match root.node.descendants().find(macros) {
        Some(node) => {
            Err(Element { node, ..root }.refused("", "a URDF that xacro has expanded", "a xacro element"))
        }
        None => Ok(()),
    }
}

/// Links from the root outwards.
fn order(links: &[Element], mut arms: Vec<Vec<Arm>>, root: usize) -> Result<Vec<Link>, KinematicsFileError> {
    let mut tree = Vec::with_capacity(links.len());
    // What is on the stack was reached from the root; the last is the next.
    let mut stack = vec![(root, None)];
    while let Some((at, parent)) = stack.pop() {
        let index = tree.len();
        tree.push(Link { name: links[at].need("name")?.to_owned(), parent });
        for arm in arms[at].drain(..).rev() {
            stack.push((arm.child, Some((index, vec![arm.joint]))));
        }
    }
    match arms.into_iter().flatten().next() {
        Some(arm) => Err(arm.element.refused("", "joints that start at the root link", "a circle")),
        None => Ok(tree),
    }
}

fn origin(element: Element) -> Result<Pose, KinematicsFileError> {
    let Some(origin) = element.child("origin") else { return Ok(Pose::identity()) };
    let [x, y, z] = origin.numbers("xyz")?.unwrap_or_default();
    let [roll, pitch, yaw] = origin.numbers("rpy")?.unwrap_or_default();
    Ok(pose_from_xyz_rpy([x, y, z, roll, pitch, yaw]))
}

fn motion(element: Element) -> Result<Motion, KinematicsFileError> {
    let axis = || {
        let axis = element.child("axis").map(|axis| axis.numbers("xyz")).transpose()?.flatten();
        let axis = Vector::from(axis.unwrap_or([1.0, 0.0, 0.0]));
        // Also a vector so long that its length overflows.
        Unit::try_new(axis, 1e-9)
            .filter(|unit| unit.iter().all(|x| x.is_finite()) && unit.norm() > 0.5)
            .ok_or_else(|| element.refused("axis", "a direction", "no length"))
    };
    match element.need("type")? {
        "fixed" => Ok(Motion::Fixed),
        "revolute" | "continuous" => Ok(Motion::Revolute { axis: axis()? }),
        "prismatic" => Ok(Motion::Prismatic { axis: axis()? }),
        other => Err(element.refused("type", "fixed, revolute, continuous or prismatic", &shown(other))),
    }
}

fn mimic(element: Element) -> Result<Option<Mimic>, KinematicsFileError> {
    let Some(mimic) = element.child("mimic") else { return Ok(None) };
    let [multiplier] = mimic.numbers("multiplier")?.unwrap_or([1.0]);
    let [offset] = mimic.numbers("offset")?.unwrap_or([0.0]);
    let of = mimic.need("joint")?.to_owned();
    Ok(Some(Mimic { joint: element.need("name")?.to_owned(), of, multiplier, offset }))
}

fn collisions(
    link: Element,
    meshes: &mut Vec<LinkMesh>,
    others: &mut Vec<OtherShape>,
) -> Result<(), KinematicsFileError> {
    let name = link.need("name")?;
    for collision in link.all("collision") {
        let geometry = collision.child("geometry").and_then(|geometry| geometry.children().next());
        let shape = geometry.ok_or_else(|| collision.refused("geometry", "a shape", "nothing"))?;
        if shape.name() != "mesh" {
            others.push(OtherShape { link: name.to_owned(), kind: shape.name().to_owned() });
            continue;
        }
        meshes.push(LinkMesh {
            link: name.to_owned(),
            path: shape.need("filename")?.to_owned(),
            scale: shape.numbers("scale")?.unwrap_or([1.0; 3]),
            link_from_mesh: origin(collision)?,
        });
    }
    Ok(())
}
