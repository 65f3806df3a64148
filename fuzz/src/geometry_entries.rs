//! The readers of geometry.

use rollcheck_engine::geometry::files::{
    CloudFileError, MeshFile, MeshFileError, PointFile, description, obj, pcd, ply, robot_yaml, stl,
    voxels_npz,
};
use rollcheck_engine::geometry::kinematics::{Joint, Motion};
use rollcheck_engine::geometry::robot::Shape;
use rollcheck_engine::geometry::{ConvexHull, VoxelGrid};
use rollcheck_engine::store::safetensors;
use std::collections::BTreeMap;

/// Most vertices of a mesh whose hull is built here, so that one input stays fast.
const MAX_HULL_POINTS: usize = 64;

/// A mesh that is accepted has finite vertices and indices within, and no more facets than its file has bytes for.
pub fn stl(bytes: &[u8]) {
    assert_mesh(stl::read_stl(bytes, "input.stl"), bytes);
}

/// As [`stl`].
pub fn obj(bytes: &[u8]) {
    assert_mesh(obj::read_obj(bytes, "input.obj"), bytes);
}

fn assert_mesh(read: Result<MeshFile, MeshFileError>, bytes: &[u8]) {
    let MeshFile { mesh, surplus_bytes } = match read {
        Ok(file) => file,
        Err(error) => return assert!(error.to_string().starts_with("input.")),
    };
    assert!(!mesh.triangles().is_empty() && mesh.triangles().len() <= bytes.len());
    assert!(surplus_bytes < bytes.len() as u64);
    assert!(mesh.vertices().iter().all(|v| v.iter().all(|x| x.is_finite())));
    assert!(mesh.triangles().iter().flatten().all(|&i| (i as usize) < mesh.vertices().len()));
    let condition = mesh.condition();
    assert!(condition.degenerate_triangles <= mesh.triangles().len());
    if mesh.vertices().len() <= MAX_HULL_POINTS
        && let Ok(hull) = ConvexHull::of(mesh.vertices())
    {
        assert!(hull.vertices().len() >= 4 && hull.planes().len() >= 4);
    }
}

/// A collision model that is accepted has positive sizes, ordered finite slabs and names that occur once; a refusal
/// names the file.
pub fn robot_yaml(bytes: &[u8]) {
    let model = match robot_yaml::robot_from_slice(bytes, "robot.yaml") {
        Ok(model) => model,
        Err(error) => return assert!(error.to_string().starts_with("robot.yaml:")),
    };
    for (index, link) in model.links.iter().enumerate() {
        assert!(model.links[..index].iter().all(|other| other.link_name != link.link_name));
        let positive = |x: f64| x > 0.0 && x.is_finite();
        assert!(match link.shape {
            Shape::Box { half_extents_m } => half_extents_m.into_iter().all(positive),
            Shape::Sphere { radius_m } => positive(radius_m),
            Shape::Capsule { radius_m, length_m } => positive(radius_m) && positive(length_m),
        });
        assert!(link.link_from_box.translation.vector.iter().all(|x| x.is_finite()));
        let Some(tight) = &link.tight else { continue };
        let slabs = tight.dop.lo_m.iter().zip(&tight.dop.hi_m);
        assert!(slabs.into_iter().all(|(lo, hi)| lo <= hi && lo.is_finite() && hi.is_finite()));
        assert!(tight.hull_vertices_m.iter().all(|v| v.iter().all(|x| x.is_finite())));
        assert!(tight.hull_overhang_m.is_none_or(|x| x >= 0.0 && x.is_finite()));
    }
}

/// A description that is accepted, URDF or MJCF, has a pose for every link once its joints have positions, and none for
/// a link that an unknown joint carries.
pub fn description(bytes: &[u8]) {
    let robot = match description::description_from_slice(bytes, "robot.xml") {
        Ok(robot) => robot,
        Err(error) => return assert!(error.to_string().starts_with("robot.xml:")),
    };
    let tree = &robot.tree;
    let positions: BTreeMap<String, f64> = tree.moving_joints().map(|name| (name.to_owned(), 0.25)).collect();
    // A chain of following joints may overflow, and then it is refused.
    let Ok(all) = tree.link_poses(&robot.with_mimics(&positions)) else { return };
    assert!(all.iter().all(Option::is_some));
    for pose in all.iter().flatten() {
        let r = pose.rotation.matrix();
        assert!(r.iter().all(|x| x.abs() < 1.0 + 1e-6), "a rotation stays one");
    }
    let none = tree.link_poses(&BTreeMap::new()).expect("no position is not finite");
    for (link, pose) in tree.links().iter().zip(&none) {
        let moves = |(_, joints): &(usize, Vec<Joint>)| joints.iter().any(|j| j.motion != Motion::Fixed);
        assert!(!link.parent.as_ref().is_some_and(moves) || pose.is_none());
    }
    assert!(robot.meshes.iter().all(|mesh| tree.index(&mesh.link).is_some()));
}

/// Points that are accepted are finite, no more than the file has bytes for, and make a grid that holds them.
pub fn ply(bytes: &[u8]) {
    assert_points(ply::read_ply(bytes, "input.ply"), bytes);
}

/// As [`ply`].
pub fn pcd(bytes: &[u8]) {
    assert_points(pcd::read_pcd(bytes, "input.pcd"), bytes);
}

fn assert_points(read: Result<PointFile, CloudFileError>, bytes: &[u8]) {
    let cloud = match read {
        Ok(cloud) => cloud,
        Err(error) => return assert!(error.to_string().starts_with("input.")),
    };
    // Compressed data repeat a byte up to 264 times.
    assert!(cloud.points.len() as u64 + cloud.dropped <= 264 * bytes.len() as u64);
    assert!(cloud.points.iter().all(|p| p.iter().all(|x| x.is_finite())));
    let extent =
        cloud.points.iter().flat_map(|p| p.iter().copied()).fold(0.0_f64, |most, x| most.max(x.abs()));
    // About a hundred cells a side.
    if extent > 0.0 && extent < 1e100 {
        let grid = VoxelGrid::from_points(&cloud.points, extent / 50.0).expect("few cells");
        let occupied = grid.occupied_cells().count();
        assert!(occupied >= 1 && occupied <= cloud.points.len());
    }
}

/// A grid that is accepted places every cell at a finite centre, and its indices lead there and back.
pub fn voxels_npz(bytes: &[u8]) {
    let Ok(arrays) = safetensors::parse(bytes, "input") else { return };
    let Ok(grid) = voxels_npz::grid_from_arrays(&arrays) else { return };
    assert!(grid.resolution_m() > 0.0);
    assert_eq!(grid.size().iter().product::<usize>(), grid.occupied().len());
    for index in grid.occupied_cells() {
        let cell = grid.cell(index).expect("an occupied cell is in the grid");
        assert_eq!(grid.index(cell), Some(index));
        assert!(grid.centre_m(index).is_some());
    }
}
