//! Random poses, and parry3d in our types.

use parry3d_f64::math::{Pose as ParryPose, Rotation as ParryRotation, Vector as ParryVector};
use parry3d_f64::query;
use parry3d_f64::shape::{ConvexPolyhedron, Cuboid, Shape};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use rollcheck_engine::geometry::{ConvexHull, Point, Pose, Vector};

pub(crate) struct Random(ChaCha8Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Uniform between two numbers.
    pub(crate) fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * ((self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    pub(crate) fn vector(&mut self, size: f64) -> Vector {
        Vector::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    /// A uniform rotation, and a translation within a cube.
    pub(crate) fn pose(&mut self, size: f64) -> Pose {
        let q = loop {
            let v = [0; 4].map(|_| self.between(-1.0, 1.0));
            let square: f64 = v.iter().map(|x| x * x).sum();
            if (0.01..=1.0).contains(&square) {
                break nalgebra::Quaternion::new(v[0], v[1], v[2], v[3]);
            }
        };
        let rotation = nalgebra::UnitQuaternion::from_quaternion(q).to_rotation_matrix();
        Pose::from_parts(self.vector(size).into(), rotation)
    }

    pub(crate) fn index(&mut self, below: usize) -> usize {
        (self.0.next_u64() % below as u64) as usize
    }
}

pub(crate) fn parry_vector(p: &Point) -> ParryVector {
    ParryVector::new(p.x, p.y, p.z)
}

pub(crate) fn parry_pose(pose: &Pose) -> ParryPose {
    let q = nalgebra::UnitQuaternion::from_rotation_matrix(&pose.rotation);
    let t = pose.translation.vector;
    ParryPose::from_parts(ParryVector::new(t.x, t.y, t.z), ParryRotation::from_xyzw(q.i, q.j, q.k, q.w))
}

pub(crate) fn parry_hull(hull: &ConvexHull) -> ConvexPolyhedron {
    let points: Vec<_> = hull.vertices().iter().map(parry_vector).collect();
    ConvexPolyhedron::from_convex_mesh(points, hull.facets()).unwrap()
}

pub(crate) fn parry_box(half: [f64; 3]) -> Cuboid {
    Cuboid::new(ParryVector::new(half[0], half[1], half[2]))
}

/// parry3d's signed separation.
pub(crate) fn parry_signed(a: &dyn Shape, at_a: &Pose, b: &dyn Shape, at_b: &Pose) -> f64 {
    query::contact(&parry_pose(at_a), a, &parry_pose(at_b), b, 1e3).unwrap().unwrap().dist
}
