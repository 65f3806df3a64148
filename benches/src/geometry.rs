//! Links and poses for the geometry benches: the Panda's where its files are at hand, else generated ones of its size.
//!
//! A generated link is a capsule of 152 vertices and 300 triangles, as the Panda's meshes have, with every third vertex
//! pressed in a little, so that its hull overhangs it.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use rollcheck_engine::geometry::files::{read_mesh, read_robot};
use rollcheck_engine::geometry::kinematics;
use rollcheck_engine::geometry::robot::{LinkVolume, Shape};
use rollcheck_engine::geometry::tight::derive::{OverLimit, derive};
use rollcheck_engine::geometry::{ConvexHull, Point, Pose, TriangleMesh, VoxelGrid};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One link: its box, its mesh in the box frame, and its exact hull there.
#[derive(Clone, Debug)]
pub struct BenchLink {
    /// The declared volume.
    pub volume: LinkVolume,
    /// The mesh, in the box frame, m.
    pub mesh: TriangleMesh,
    /// The exact hull of the mesh.
    pub hull: ConvexHull,
}

/// Seven links and where they came from.
#[derive(Clone, Debug)]
pub struct BenchArm {
    /// `panda` or `generated`.
    pub name: &'static str,
    /// The links, from the base outwards.
    pub links: Vec<BenchLink>,
}

/// The Panda's links, or generated ones where its files are not at hand.
pub fn arm() -> BenchArm {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("ROLLCHECK_SHARED").map_or(beside, PathBuf::from).join("panda");
    recorded(&folder).map_or_else(
        || BenchArm { name: "generated", links: (0..7).map(|i| generated(100 + i)).collect() },
        |links| BenchArm { name: "panda", links },
    )
}

fn recorded(folder: &Path) -> Option<Vec<BenchLink>> {
    let robot = read_robot(&folder.join("panda_tight_geometry.yaml")).ok()?;
    let link = |volume: &LinkVolume| {
        let box_from_link = volume.link_from_box.inverse();
        let mesh = read_mesh(&robot.mesh_path(volume, None).ok()?).ok()?.map(|p| box_from_link * p);
        let hull = ConvexHull::of(mesh.vertices()).ok()?;
        Some(BenchLink { volume: volume.clone(), mesh, hull })
    };
    robot.model.links.iter().map(link).collect()
}

fn generated(seed: u64) -> BenchLink {
    const RINGS: u32 = 10;
    const STEPS: u32 = 15;
    let mut random = Uniform::new(seed);
    let (radius, length) = (random.between(0.04, 0.06), random.between(0.04, 0.1));
    let mut vertices = vec![Point::new(0.0, 0.0, -length - radius)];
    for ring in 0..RINGS {
        for step in 0..STEPS {
            let phi = (f64::from(ring) + 0.5 - f64::from(RINGS) / 2.0) * 0.28;
            let theta =
                std::f64::consts::TAU * (f64::from(step) + 0.5 * f64::from(ring % 2)) / f64::from(STEPS);
            let dent = if (ring + step) % 3 == 0 { 0.997 } else { 1.0 };
            let r = radius * phi.cos() * dent;
            let z = radius * phi.sin() + if ring < RINGS / 2 { -length } else { length };
            vertices.push(Point::new(r * theta.cos(), 1.3 * r * theta.sin(), z));
        }
    }
    vertices.push(Point::new(0.0, 0.0, length + radius));
    let at = |ring: u32, step: u32| 1 + ring * STEPS + step % STEPS;
    let top = RINGS * STEPS + 1;
    let mut triangles = Vec::new();
    for step in 0..STEPS {
        triangles.push([0, at(0, step + 1), at(0, step)]);
        triangles.push([top, at(RINGS - 1, step), at(RINGS - 1, step + 1)]);
        for ring in 0..RINGS - 1 {
            let [a, b] = [at(ring, step), at(ring, step + 1)];
            let [c, d] = [at(ring + 1, step), at(ring + 1, step + 1)];
            triangles.push([a, b, d]);
            triangles.push([a, d, c]);
        }
    }
    #[allow(clippy::expect_used, reason = "a constant of this program")]
    let mesh = TriangleMesh::from_indexed(&vertices, &triangles).expect("a capsule is a mesh");
    let half = [0, 1, 2].map(|k| mesh.vertices().iter().fold(0.0_f64, |m, p| m.max(p[k].abs())) + 1e-4);
    #[allow(clippy::expect_used, reason = "as above")]
    let made = derive(half, &mesh, OverLimit::NoHull, 1, 0).expect("a capsule has tight geometry");
    #[allow(clippy::expect_used, reason = "as above")]
    let hull = ConvexHull::of(mesh.vertices()).expect("a capsule has a hull");
    let volume = LinkVolume {
        link_name: format!("link{seed}"),
        mesh: None,
        shape: Shape::Box { half_extents_m: half },
        link_from_box: Pose::identity(),
        origin_xyz_rpy: [0.0; 6],
        tight: Some(made.tight),
    };
    BenchLink { volume, mesh, hull }
}

/// Seeded uniform numbers.
#[derive(Clone, Debug)]
pub struct Uniform(ChaCha8Rng);

impl Uniform {
    /// A stream of its own.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Between two numbers.
    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * ((self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

/// `world_from_box` of the seven links for random joint positions of a Panda, within its limits to a tenth of a radian.
pub fn random_poses(arm: &BenchArm, random: &mut Uniform) -> Vec<Pose> {
    const LIMITS: [(f64, f64); 7] =
        [(-2.8, 2.8), (-1.7, 1.7), (-2.8, 2.8), (-3.0, -0.1), (-2.8, 2.8), (0.0, 3.7), (-2.8, 2.8)];
    let joints: BTreeMap<String, f64> = LIMITS
        .iter()
        .enumerate()
        .map(|(i, &(lo, hi))| (format!("panda_joint{}", i + 1), random.between(lo, hi)))
        .collect();
    let links = kinematics::panda().link_poses(&joints).unwrap_or_default();
    let placed = arm.links.iter().zip(links.into_iter().skip(1));
    placed.map(|(link, pose)| pose.unwrap_or_else(Pose::identity) * link.volume.link_from_box).collect()
}

/// A cube of `side` cells of 25 mm about the arm's base, every cell occupied by chance `share`.
pub fn grid(side: usize, share: f64, random: &mut Uniform) -> VoxelGrid {
    let occupied = (0..side * side * side).map(|_| u8::from(random.between(0.0, 1.0) < share)).collect();
    #[allow(clippy::expect_used, reason = "a constant of this program")]
    VoxelGrid::new([side; 3], [-0.8, -0.8, -0.3], 0.025, nalgebra::Rotation3::identity(), occupied)
        .expect("a cube of cells is a grid")
}
