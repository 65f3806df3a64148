//! The generated block arm (`fixtures/meshes`): every closed form from the files, through the public readers.

use rollcheck_engine::geometry::budget::payload_slop;
use rollcheck_engine::geometry::files::voxels_npz::read_voxels;
use rollcheck_engine::geometry::files::{
    Description, RobotFile, read_kinematics, read_mesh, read_points, read_robot,
};
use rollcheck_engine::geometry::obb::Obb;
use rollcheck_engine::geometry::obb_voxel::CellList;
use rollcheck_engine::geometry::overhang::{OverhangProbe, SPLITS_MAX};
use rollcheck_engine::geometry::robot::LinkVolume;
use rollcheck_engine::geometry::slop::{BoxSlop, box_slop};
use rollcheck_engine::geometry::tight::{DECLARED_M, check};
use rollcheck_engine::geometry::{ConvexHull, Point, Pose, TriangleMesh, Vector, VoxelGrid};
use rollcheck_kernels::SimdLevel;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Half a unit of the last place of an f32 below 0.25 m, three times over.
const FILE_M: f64 = 3e-8;

fn path(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/meshes")).join(name)
}

fn robot() -> RobotFile {
    read_robot(&path("robot.yaml")).unwrap()
}

fn mesh_in_box(robot: &RobotFile, link: &LinkVolume) -> TriangleMesh {
    let box_from_link = link.link_from_box.inverse();
    read_mesh(&robot.mesh_path(link, None).unwrap()).unwrap().map(|p| box_from_link * p)
}

/// Name, mesh vertices, hull vertices, face slop in mm, corner slop in mm, overhang in m, volume in m^3.
type Expected = (&'static str, usize, usize, [f64; 3], f64, f64, Option<f64>);

fn expected() -> Vec<Expected> {
    vec![
        ("block_link1", 8, 8, [3.0, 4.0, 12.0], 13.0, 0.0, Some(8.0 * 0.046_875 * 0.0625 * 0.078_125)),
        // The corner over the slope and the nearest vertex, 1, 82 and 2 mm apart.
        ("block_link2", 6, 6, [1.0, 2.0, 2.0], 6729_f64.sqrt(), 0.0, Some(0.12 * 0.08 / 2.0 * 0.1)),
        // Half base 4, depth 3: 3 * 4 / 5 cm. Prism less pyramid.
        ("block_link3", 9, 8, [2.0, 3.0, 6.0], 7.0, 0.024, Some(0.08 * 0.08 * (0.1 - 0.03 / 3.0))),
        // Lower corner (51, 51, 91) and (32, 24, 70) or (24, 32, 70) of a ring.
        ("block_link4", 74, 74, [1.0, 1.0, 1.0], 1531_f64.sqrt(), 0.0, None),
        // Half of the 1/16 m that is cut out.
        (
            "block_link5",
            12,
            10,
            [3.125, 3.125, 3.75],
            // The corner over the cut: 3.125 and 65.625 mm along x and y.
            (3.125_f64.powi(2) + 65.625_f64.powi(2) + 3.75_f64.powi(2)).sqrt(),
            1.0 / 32.0,
            Some((0.093_75_f64.powi(2) - 0.0625_f64.powi(2)) * 0.0625),
        ),
    ]
}

#[test]
fn slop_and_overhang_of_the_block_arm_are_their_closed_forms() {
    let robot = robot();
    assert_eq!(robot.model.name, "block_arm");
    let expected = expected();
    assert_eq!(robot.model.links.len(), expected.len());
    for (name, vertices, hull_vertices, face_mm, corner_mm, overhang_m, volume_m3) in expected {
        let link = robot.model.link(name).unwrap();
        let mesh = mesh_in_box(&robot, link);
        assert!(mesh.condition().watertight(), "{name}");
        let hull = ConvexHull::of(mesh.vertices()).unwrap();
        assert_eq!((mesh.vertices().len(), hull.vertices().len()), (vertices, hull_vertices), "{name}");
        // Outwards turned facets have a volume above 0; a convex mesh has its hull's.
        let volume = mesh.volume_m3();
        let exact = volume_m3.unwrap_or_else(|| hull.volume_m3());
        assert!((volume - exact).abs() < 1e-8 * exact.max(0.1), "{name}: {volume} {exact}");
        let BoxSlop { points, face_slop_m, corner_slop_m, .. } =
            box_slop(link.shape.half_extents_m().unwrap(), mesh.vertices()).unwrap();
        assert_eq!(points, vertices);
        for k in 0..3 {
            assert!((face_slop_m[k] - face_mm[k] * 1e-3).abs() < FILE_M, "{name}: {face_slop_m:?}");
        }
        assert!((corner_slop_m - corner_mm * 1e-3).abs() < FILE_M, "{name}: {corner_slop_m}");
        let found = OverhangProbe::new(&hull, &mesh).certified(SPLITS_MAX);
        assert!(found.certified, "{name}: {found:?}");
        assert!(found.lower_m <= overhang_m + FILE_M && found.upper_m >= overhang_m - FILE_M, "{found:?}");
    }
}

#[test]
fn the_declared_tight_geometry_passes_its_check() {
    let robot = robot();
    for (name, vertices, hull_vertices, _, _, overhang_m, _) in expected() {
        let link = robot.model.link(name).unwrap();
        let tight = link.tight.as_ref().unwrap();
        let mesh = mesh_in_box(&robot, link);
        let half = link.shape.half_extents_m().unwrap();
        let found = check(half, tight, &mesh, DECLARED_M, SPLITS_MAX);
        assert!(found.findings.is_empty(), "{name}: {:?}", found.findings);
        assert_eq!((found.mesh_vertices, found.hull_vertices), (vertices, hull_vertices), "{name}");
        let declared_m = tight.hull_overhang_m.unwrap();
        assert!(declared_m >= overhang_m && declared_m <= 1.2 * overhang_m + 1.000_001e-6, "{name}");
        // Two micrometres under the supremum is refused.
        if overhang_m > 0.0 {
            let mut low = tight.clone();
            low.hull_overhang_m = Some(overhang_m - 2e-6);
            assert!(check(half, &low, &mesh, DECLARED_M, SPLITS_MAX).violated(), "{name}");
        }
    }
}

#[test]
fn the_payload_is_a_box_of_its_size() {
    let mesh = read_mesh(&path("payload.stl")).unwrap();
    assert_eq!((mesh.vertices().len(), mesh.volume_m3()), (8, 8.0 / 64.0 / 32.0 * 3.0 / 64.0));
    let slop = payload_slop("payload", &mesh);
    assert_eq!((slop.points, slop.half_extents_m), (8, [1.0 / 64.0, 1.0 / 32.0, 3.0 / 64.0]));
    assert!(slop.corner_slop_m == 0.0 && slop.model_overhang_m < 1e-8, "{slop:?}");
}

fn zero() -> BTreeMap<String, f64> {
    (1..=4).map(|i| (format!("block_joint{i}"), 0.0)).collect()
}

fn pose(robot: &Description, link: &str, positions: &BTreeMap<String, f64>) -> Pose {
    robot.tree.link_poses(positions).unwrap()[robot.tree.index(link).unwrap()].unwrap()
}

#[test]
fn both_descriptions_place_the_block_arm_alike() {
    let urdf = read_kinematics(&path("block_arm.urdf")).unwrap();
    let mjcf = read_kinematics(&path("block_arm.xml")).unwrap();
    for robot in [&urdf, &mjcf] {
        assert_eq!(robot.name, "block_arm");
        let joints: Vec<_> = robot.tree.moving_joints().collect();
        assert_eq!(joints, ["block_joint1", "block_joint2", "block_joint3", "block_joint4"]);
        // The second joint turns y up to z and z to -y.
        let at = |link, positions: &BTreeMap<String, f64>| pose(robot, link, positions) * Point::origin();
        assert!((at("block_link5", &zero()) - Point::new(0.05, -0.1, 1.05)).norm() < 1e-12);
        // A quarter turn of the base swings the shoulder's 0.05 m from x to y, and the elbow with it.
        let mut turned = zero();
        turned.insert("block_joint1".to_owned(), std::f64::consts::FRAC_PI_2);
        assert!((at("block_link5", &turned) - Point::new(0.1, 0.05, 1.05)).norm() < 1e-12);
    }
    let positions = zero().into_keys().zip([0.3, -0.7, 1.1, -0.4]).collect();
    for link in ["block_link1", "block_link2", "block_link3", "block_link4", "block_link5"] {
        let [a, b] = [&urdf, &mjcf].map(|robot| pose(robot, link, &positions).to_homogeneous());
        assert!((a - b).amax() < 1e-12, "{link}");
        let meshes = [&urdf, &mjcf].map(|robot| robot.meshes.iter().find(|mesh| mesh.link == link).unwrap());
        assert_eq!(meshes[0].path, meshes[1].path);
        assert_eq!(Some(&meshes[0].path), self::robot().model.link(link).unwrap().mesh.as_ref());
    }
}

#[test]
fn the_nearest_cell_has_its_two_known_distances() {
    let cube = Obb { world_from_box: Pose::identity(), half_extents_m: [0.1; 3] };
    for (file, occupied, sat_m, distance_m) in
        [("voxels.npz", 4, 0.12, 0.13), ("voxels_turned.npz", 2, 0.04, 0.05)]
    {
        let grid = read_voxels(&path(file)).unwrap();
        assert_eq!((grid.size(), grid.resolution_m()), ([8, 6, 4], 0.025));
        let cells = CellList::occupied(&grid);
        assert_eq!(cells.len(), occupied, "{file}");
        let level = SimdLevel::portable();
        let by_sat = cells.nearest_by_sat(level, &cube).unwrap();
        let by_distance = cells.nearest_by_distance(level, &cube).unwrap().unwrap();
        assert_eq!((by_sat.index, by_distance.index), (0, 0), "{file}");
        assert!((by_sat.value_m - sat_m).abs() < 1e-12, "{file}: {by_sat:?}");
        assert!((by_distance.value_m - distance_m).abs() < 1e-9, "{file}: {by_distance:?}");
    }
    // The lattice's x axis.
    let turned = read_voxels(&path("voxels_turned.npz")).unwrap();
    let x = turned.base_from_grid_rotation() * Vector::x();
    assert!((x - Vector::new(0.28, 0.96, 0.0)).norm() < 1e-15);
}

#[test]
fn both_clouds_are_the_centres_of_the_occupied_cells() {
    let grid = read_voxels(&path("voxels.npz")).unwrap();
    let occupied: Vec<usize> = grid.occupied_cells().collect();
    for file in ["points.ply", "points.pcd"] {
        let points = read_points(&path(file)).unwrap().points;
        assert_eq!(points.len(), occupied.len());
        let mut sorted = points.clone();
        sorted.sort_by(|a, b| (a.z, a.y, a.x).partial_cmp(&(b.z, b.y, b.x)).unwrap());
        for (point, &cell) in sorted.iter().zip(&occupied) {
            assert!((point - grid.centre_m(cell).unwrap()).norm() < 1e-9, "{file}");
        }
        let again = VoxelGrid::from_points(&points, grid.resolution_m()).unwrap();
        assert_eq!(again.occupied_cells().count(), occupied.len());
    }
}
