//! The collision model in a robot manifest.
//!
//! ```yaml
//! name: panda_mobile                 # or robot_id, or robot
//! collision_geometry:
//!   - link_name: panda_link4
//!     mesh: meshes/link4.stl         # where named, relative to the manifest's folder
//!     shape: {shape: box, half_extents_m: [x, y, z]}   # or sphere: radius_m; capsule: radius_m, length_m
//!     origin_xyz_rpy: [x, y, z, roll, pitch, yaw]      # absent: the link's own frame
//!     tight_geometry: {dop_lo_m: [13], dop_hi_m: [13], hull_vertices_m: [[x, y, z], ...], hull_overhang_m: x}
//! ```
//!
//! Geometry page, sections 1 and 6. Read as PyYAML reads it, so that `1e-3` is text, and refused with the spelling that
//! is a number. Other keys are not read. Only the form is decided here: positive finite sizes, 13 slabs,
//! link names that occur once. Whether tight geometry may be used (inside its box, few enough vertices) is decided in
//! [`crate::geometry::tight`]. An absent or null overhang stays absent.

use super::bytes::{self, BytesError, shown};
use super::error::{MeshFileError, RobotFileError};
use crate::geometry::dop::{DOP_SLABS, Dop26};
use crate::geometry::pose::{Point, pose_from_xyz_rpy};
use crate::geometry::robot::{LinkVolume, RobotModel, Shape, TightGeometry};
use crate::store::yaml::{self, Yaml};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where a list of volumes stands.
const LIST: &str = "collision_geometry";

/// A manifest's collision model and where its meshes are looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotFile {
    /// What it declares.
    pub model: RobotModel,
    /// The manifest's folder.
    pub folder: PathBuf,
}

/// The collision model of a manifest.
///
/// # Errors
/// [`RobotFileError`].
pub fn read_robot(path: &Path) -> Result<RobotFile, RobotFileError> {
    let file = path.display().to_string();
    let bytes_max = yaml::BYTES_MAX as u64;
    let bytes = bytes::read(path, bytes_max).map_err(|error| match error {
        BytesError::Store(error) => error.into(),
        BytesError::TooLarge { found } => RobotFileError::TooLarge { file: file.clone(), found, bytes_max },
    })?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    Ok(RobotFile { model: robot_from_slice(&bytes, &file)?, folder })
}

impl RobotFile {
    /// The mesh file of a link: what the manifest names, relative to its folder; with `meshes` a file of that name, or
    /// `<link>.stl`, or the same without the robot's prefix (`panda_link4`: `link4.stl`), in that folder.
    ///
    /// # Errors
    /// [`MeshFileError::NoneFound`] with every path that was looked for.
    pub fn mesh_path(&self, link: &LinkVolume, meshes: Option<&Path>) -> Result<PathBuf, MeshFileError> {
        let tried = self.mesh_candidates(link, meshes);
        match tried.iter().find(|path| path.is_file()) {
            Some(path) => Ok(path.clone()),
            None => Err(MeshFileError::NoneFound { link: link.link_name.clone(), tried }),
        }
    }

    /// Where [`Self::mesh_path`] looks, in order.
    fn mesh_candidates(&self, link: &LinkVolume, meshes: Option<&Path>) -> Vec<PathBuf> {
        let mut tried = Vec::new();
        match (meshes, &link.mesh) {
            (Some(folder), Some(mesh)) => tried.extend(Path::new(mesh).file_name().map(|f| folder.join(f))),
            (None, Some(mesh)) => return vec![self.folder.join(mesh)],
            _ => {}
        }
        let folder = meshes.unwrap_or(&self.folder);
        let name = link.link_name.as_str();
        // A name with a separator in it would leave the folder.
        let plain = |name: &&str| !name.is_empty() && !name.contains(['/', '\\']);
        let bare = name.split_once('_').map(|(_, bare)| bare);
        for stem in [Some(name), bare].into_iter().flatten().filter(plain) {
            for ending in ["stl", "obj"] {
                tried.push(folder.join(format!("{stem}.{ending}")));
            }
        }
        tried
    }
}

/// The collision model in the bytes of a manifest; `file` names it in errors.
///
/// # Errors
/// [`RobotFileError`].
pub fn robot_from_slice(bytes: &[u8], file: &str) -> Result<RobotModel, RobotFileError> {
    let root = Yaml::read(bytes, file)?;
    let root = Field { file, path: String::new(), value: Some(&root) };
    let named = ["robot", "name", "robot_id"]
        .iter()
        .map(|key| root.get(key))
        .find(|f| matches!(f.value, Some(Yaml::Text(_))));
    let name = match named {
        Some(field) => field.text()?.to_owned(),
        None => return Err(root.get("name").refused("the robot's name, as `robot`, `name` or `robot_id`")),
    };
    let list = root.get(LIST);
    let items = list.seq("a list of link volumes")?;
    let mut links = Vec::with_capacity(items.len());
    let mut seen = BTreeSet::new();
    for index in 0..items.len() {
        let link = link(&list.item(items, index))?;
        if !seen.insert(link.link_name.clone()) {
            return Err(list.item(items, index).get("link_name").refused("a name that no other volume has"));
        }
        links.push(link);
    }
    Ok(RobotModel { name, links })
}

fn link(field: &Field) -> Result<LinkVolume, RobotFileError> {
    let link_name = field.get("link_name").text()?.to_owned();
    // From here on the path says which link it is.
    let field = Field { path: format!("{} ({link_name})", field.path), ..field.clone() };
    let mesh = field.get("mesh").optional().map(|mesh| mesh.text().map(str::to_owned)).transpose()?;
    let origin = field.get("origin_xyz_rpy").optional();
    let origin_xyz_rpy =
        origin.map_or(Ok([0.0; 6]), |origin| origin.numbers::<6>("x, y, z, roll, pitch, yaw"))?;
    Ok(LinkVolume {
        mesh,
        shape: shape(&field.get("shape"))?,
        link_from_box: pose_from_xyz_rpy(origin_xyz_rpy),
        origin_xyz_rpy,
        tight: field.get("tight_geometry").optional().map(|tight| tight_geometry(&tight)).transpose()?,
        link_name,
    })
}

fn shape(field: &Field) -> Result<Shape, RobotFileError> {
    let kind = field.get("shape");
    match kind.text()? {
        "box" => {
            let half = field.get("half_extents_m");
            let half_extents_m = half.numbers::<3>("half the edges along x, y, z")?;
            for (k, &extent) in half_extents_m.iter().enumerate() {
                if extent <= 0.0 {
                    return Err(half.at(k).refused("a length above 0"));
                }
            }
            Ok(Shape::Box { half_extents_m })
        }
        "sphere" => Ok(Shape::Sphere { radius_m: field.get("radius_m").length()? }),
        "capsule" => Ok(Shape::Capsule {
            radius_m: field.get("radius_m").length()?,
            length_m: field.get("length_m").length()?,
        }),
        _ => Err(kind.refused("`box`, `sphere` or `capsule`")),
    }
}

fn tight_geometry(field: &Field) -> Result<TightGeometry, RobotFileError> {
    let (lo, hi) = (field.get("dop_lo_m"), field.get("dop_hi_m"));
    let lo_m = lo.numbers::<DOP_SLABS>("lower ends of the slabs")?;
    let hi_m = hi.numbers::<DOP_SLABS>("upper ends of the slabs")?;
    let vertices = field.get("hull_vertices_m");
    let mut hull_vertices_m = Vec::new();
    if let Some(vertices) = vertices.optional() {
        let items = vertices.seq("a list of vertices")?;
        for index in 0..items.len() {
            hull_vertices_m.push(Point::from(vertices.item(items, index).numbers::<3>("x, y, z")?));
        }
    }
    let overhang = field.get("hull_overhang_m").optional();
    let hull_overhang_m = overhang.as_ref().map(Field::number).transpose()?;
    Ok(TightGeometry { dop: Dop26 { lo_m, hi_m }, hull_vertices_m, hull_overhang_m })
}

/// A value and where it stands.
#[derive(Clone)]
struct Field<'a> {
    file: &'a str,
    path: String,
    value: Option<&'a Yaml>,
}

impl<'a> Field<'a> {
    fn get(&self, key: &str) -> Self {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Field { file: self.file, path, value: self.value.and_then(|value| value.get(key)) }
    }

    fn item(&self, items: &'a [Yaml], index: usize) -> Self {
        Field { file: self.file, path: format!("{}[{index}]", self.path), value: items.get(index) }
    }

    /// An item of a value that is a list.
    fn at(&self, index: usize) -> Self {
        self.item(self.value.and_then(Yaml::as_seq).unwrap_or_default(), index)
    }

    /// `None` where the field is absent or null.
    fn optional(self) -> Option<Self> {
        if matches!(self.value, None | Some(Yaml::Null)) { None } else { Some(self) }
    }

    fn text(&self) -> Result<&'a str, RobotFileError> {
        let text = self.value.and_then(Yaml::as_str).filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| self.refused("text"))
    }

    fn seq(&self, what: &str) -> Result<&'a [Yaml], RobotFileError> {
        self.value.and_then(Yaml::as_seq).ok_or_else(|| self.refused(what))
    }

    fn number(&self) -> Result<f64, RobotFileError> {
        let number = match self.value {
            Some(Yaml::Int(i)) => Some(*i as f64),
            Some(Yaml::Float(x)) if x.is_finite() => Some(*x),
            Some(Yaml::Text(text)) => {
                // PyYAML wants a point and a signed exponent.
                if let Some(value) = text.parse::<f64>().ok().filter(|x| x.is_finite()) {
                    let hint = format!("a number (YAML 1.1 reads this as text; write {value:?})");
                    return Err(self.refused(&hint));
                }
                None
            }
            _ => None,
        };
        number.ok_or_else(|| self.refused("a finite number"))
    }

    fn length(&self) -> Result<f64, RobotFileError> {
        let number = self.number()?;
        if number > 0.0 { Ok(number) } else { Err(self.refused("a length above 0")) }
    }

    fn numbers<const N: usize>(&self, what: &str) -> Result<[f64; N], RobotFileError> {
        let expected = format!("{N} numbers ({what})");
        let items = self.seq(&expected)?;
        if items.len() != N {
            return Err(self.refused(&expected));
        }
        let mut numbers = [0.0; N];
        for (index, number) in numbers.iter_mut().enumerate() {
            *number = self.item(items, index).number()?;
        }
        Ok(numbers)
    }

    fn refused(&self, expected: &str) -> RobotFileError {
        let found = match self.value {
            None => "nothing".to_owned(),
            Some(Yaml::Null) => "null".to_owned(),
            Some(Yaml::Bool(b)) => b.to_string(),
            Some(Yaml::Int(i)) => i.to_string(),
            Some(Yaml::Float(x)) => x.to_string(),
            Some(Yaml::Text(text)) => format!("the text {}", shown(text)),
            Some(Yaml::Seq(items)) => format!("a list of {}", items.len()),
            Some(Yaml::Map(_)) => "a mapping".to_owned(),
        };
        // Names of links come from the file.
        let field = self.path.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
        let field = if field.is_empty() { "the document".to_owned() } else { field };
        RobotFileError::Field { file: self.file.to_owned(), field, expected: expected.to_owned(), found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::tight;
    use crate::testing::shared;

    const SMALL: &str = "\
robot_id: small
other: {unread: true}
collision_geometry:
  - link_name: arm_base
    shape: {shape: sphere, radius_m: 1}
  - link_name: arm_upper
    mesh: meshes/upper.STL
    shape: {shape: capsule, radius_m: 0.05, length_m: 0.3}
    origin_xyz_rpy: [0, 0.1, 0, 0.0, 0.0, 1.5]
  - link_name: arm_hand
    shape: {shape: box, half_extents_m: [0.1, 0.2, 0.3]}
    tight_geometry:
      dop_lo_m: [-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, 13]
      dop_hi_m: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
      hull_vertices_m: [[0.0, 1, 2.5]]
";

    fn error(from: &str, to: &str) -> String {
        assert!(SMALL.contains(from), "{from}");
        let text = SMALL.replacen(from, to, 1);
        robot_from_slice(text.as_bytes(), "r.yaml").unwrap_err().to_string()
    }

    #[test]
    fn a_manifest_is_read_and_absent_stays_absent() {
        let model = robot_from_slice(SMALL.as_bytes(), "r.yaml").unwrap();
        assert_eq!(model.name, "small");
        assert_eq!(model.links[0].shape, Shape::Sphere { radius_m: 1.0 });
        assert_eq!(model.links[0].link_from_box, pose_from_xyz_rpy([0.0; 6]));
        assert_eq!(model.links[1].shape, Shape::Capsule { radius_m: 0.05, length_m: 0.3 });
        assert_eq!(model.links[1].origin_xyz_rpy, [0.0, 0.1, 0.0, 0.0, 0.0, 1.5]);
        let tight = model.link("arm_hand").unwrap().tight.as_ref().unwrap();
        assert_eq!((tight.dop.lo_m[12], tight.dop.hi_m[3]), (13.0, 4.0));
        assert_eq!(tight.hull_vertices_m, [Point::new(0.0, 1.0, 2.5)]);
        assert_eq!(tight.hull_overhang_m, None);
    }

    #[test]
    fn what_is_malformed_is_refused_with_its_field() {
        assert_eq!(
            error("[0.1, 0.2, 0.3]", "[0.1, 1e-3, 0.3]"),
            "r.yaml: collision_geometry[2] (arm_hand).shape.half_extents_m[1]: expected a number \
             (YAML 1.1 reads this as text; write 0.001), found the text `1e-3`"
        );
        assert_eq!(
            error("[0.1, 0.2, 0.3]", "[0.1, 0.2, 0]"),
            "r.yaml: collision_geometry[2] (arm_hand).shape.half_extents_m[2]: expected a length above 0, found 0"
        );
        assert_eq!(
            error("[0.1, 0.2, 0.3]", "[0.1, 0.2]"),
            "r.yaml: collision_geometry[2] (arm_hand).shape.half_extents_m: expected 3 numbers \
             (half the edges along x, y, z), found a list of 2"
        );
        assert_eq!(
            error("11, 12, 13]\n      h", "11, 12]\n      h"),
            "r.yaml: collision_geometry[2] (arm_hand).tight_geometry.dop_hi_m: expected 13 numbers \
             (upper ends of the slabs), found a list of 12"
        );
        assert_eq!(
            error("[[0.0, 1, 2.5]]", "[[0.0, 1, .nan]]"),
            "r.yaml: collision_geometry[2] (arm_hand).tight_geometry.hull_vertices_m[0][2]: expected a finite \
             number, found NaN"
        );
        // What is a number and must not be used is for the check to say, of all links at once.
        let read = |from: &str, to: &str| {
            robot_from_slice(SMALL.replacen(from, to, 1).as_bytes(), "r.yaml").unwrap()
        };
        let fault = |robot: &RobotModel| {
            let link = robot.links.last().unwrap();
            tight::fault(link.shape.half_extents_m().unwrap(), link.tight.as_ref().unwrap()).unwrap().token()
        };
        assert_eq!(fault(&read("12, 13]\n      h", "12, 12.5]\n      h")), "degenerate");
        let negative = read("[[0.0, 1, 2.5]]", "[[0.0, 1, 2.5]]\n      hull_overhang_m: -0.5");
        assert_eq!(negative.links.last().unwrap().tight.as_ref().unwrap().hull_overhang_m, Some(-0.5));
        assert_eq!(
            error("arm_upper", "arm_base"),
            "r.yaml: collision_geometry[1].link_name: expected a name that no other volume has, found the text \
             `arm_base`"
        );
        assert_eq!(
            error("collision_geometry", "volumes"),
            "r.yaml: collision_geometry: expected a list of link volumes, found nothing"
        );
        assert_eq!(
            error("radius_m: 1}", "radius_m: -1}"),
            "r.yaml: collision_geometry[0] (arm_base).shape.radius_m: expected a length above 0, found -1"
        );
        assert!(error("shape: sphere", "shape: cone").contains("expected `box`, `sphere` or `capsule`"));
        assert!(error("robot_id", "id").contains("r.yaml: name: expected the robot's name"));
        assert!(robot_from_slice(b"[]", "r.yaml").is_err());
    }

    #[test]
    fn a_mesh_is_looked_for_by_the_manifest_then_by_the_link_and_what_was_tried_is_said() {
        let model = robot_from_slice(SMALL.as_bytes(), "r.yaml").unwrap();
        let made = tempfile::tempdir().unwrap();
        let robot = RobotFile { model, folder: made.path().join("robot") };
        let (base, upper) = (robot.model.link("arm_base").unwrap(), robot.model.link("arm_upper").unwrap());
        let put = |path: &str| crate::store::atomic::write(&made.path().join(path), b"x").unwrap();
        let none = robot.mesh_path(base, Some(&made.path().join("m"))).unwrap_err().to_string();
        for tried in ["m/arm_base.stl", "m/arm_base.obj", "m/base.stl", "m/base.obj"] {
            assert!(none.contains(tried), "{none}");
        }
        put("m/base.obj");
        put("m/upper.STL");
        put("robot/meshes/upper.STL");
        assert!(robot.mesh_path(base, Some(&made.path().join("m"))).unwrap().ends_with("m/base.obj"));
        assert!(robot.mesh_path(upper, Some(&made.path().join("m"))).unwrap().ends_with("m/upper.STL"));
        assert!(robot.mesh_path(upper, None).unwrap().ends_with("robot/meshes/upper.STL"));
        assert!(robot.mesh_path(base, None).is_err());
    }

    #[test]
    fn the_published_panda_is_read() {
        let Some(path) = shared("the_published_panda_is_read", "panda/panda_tight_geometry.yaml") else {
            return;
        };
        let robot = read_robot(&path).unwrap();
        assert_eq!(robot.model.name, "panda_mobile");
        let names: Vec<_> = robot.model.links.iter().map(|link| link.link_name.as_str()).collect();
        assert_eq!(names, [1, 2, 3, 4, 5, 6, 7].map(|i| format!("panda_link{i}")));
        let link2 = robot.model.link("panda_link2").unwrap();
        assert_eq!(link2.shape.half_extents_m(), Some([0.0552, 0.0719, 0.1407]));
        let tight = link2.tight.as_ref().unwrap();
        assert_eq!(tight.hull_vertices_m.len(), 152);
        assert_eq!(tight.hull_overhang_m, Some(0.000_217));
        // Slabs are tangent to the hull, whose vertices are the mesh's.
        let around = Dop26::around(&tight.hull_vertices_m).unwrap();
        for i in 0..DOP_SLABS {
            assert!((around.lo_m[i] - tight.dop.lo_m[i]).abs() < 1e-9, "slab {i}");
            assert!((around.hi_m[i] - tight.dop.hi_m[i]).abs() < 1e-9, "slab {i}");
        }
        let link1 = robot.model.link("panda_link1").unwrap().tight.as_ref().unwrap();
        assert!(!link1.has_stage2_hull() && link1.hull_overhang_m.is_none());
        let mesh = robot.mesh_path(link2, Some(&path.with_file_name("meshes"))).unwrap();
        assert!(mesh.ends_with("meshes/link2.stl"));
    }
}
