//! Signed distance between two hulls.

use super::hull::ConvexHull;
use super::pose::{Point, Pose, Vector};
use parry3d_f64::math::{Pose as ParryPose, Vector as ParryVector};

/// How a distance was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistanceMethod {
    /// Apart; GJK.
    Gjk,
    /// Overlapping; an inner polytope grown until its nearest facet is one of the Minkowski difference.
    Epa,
    /// Overlapping; every face normal of both and every crossing of edges.
    Exhaustive,
}

/// A signed distance with its certificate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedDistance {
    /// Gap, or minus the penetration depth, m.
    pub distance_m: f64,
    /// Point of `a`, in the world, m.
    pub witness_a: Point,
    /// Point of `b`, in the world, m.
    pub witness_b: Point,
    /// Unit vector from `a` to `b` along which they are nearest, or have to be moved least.
    pub axis: Vector,
    /// Upper less lower bound of the distance, m.
    pub certificate_gap_m: f64,
    /// How it was found.
    pub method: DistanceMethod,
}

impl SignedDistance {
    /// Whether the bounds meet within 1e-9 m.
    pub fn certified(&self) -> bool {
        self.certificate_gap_m <= 1e-9
    }
}

/// The signed distance between two hulls, each placed in the world.
pub fn hull_hull(
    a: &ConvexHull,
    world_from_a: &Pose,
    b: &ConvexHull,
    world_from_b: &Pose,
) -> SignedDistance {
    use parry3d_f64::shape::ConvexPolyhedron;
    let shape = |hull: &ConvexHull| {
        let points: Vec<_> = hull.vertices().iter().map(|p| ParryVector::new(p.x, p.y, p.z)).collect();
        ConvexPolyhedron::from_convex_mesh(points, hull.facets())
    };
    let at = |pose: &Pose| {
        let q = nalgebra::UnitQuaternion::from_rotation_matrix(&pose.rotation);
        let t = pose.translation.vector;
        ParryPose::from_parts(
            ParryVector::new(t.x, t.y, t.z),
            parry3d_f64::math::Rotation::from_xyzw(q.i, q.j, q.k, q.w),
        )
    };
    let (Some(sa), Some(sb)) = (shape(a), shape(b)) else { unreachable!() };
    let contact = parry3d_f64::query::contact(&at(world_from_a), &sa, &at(world_from_b), &sb, 100.0);
    let Ok(Some(c)) = contact else { unreachable!() };
    let point = |v: ParryVector| Point::new(v.x, v.y, v.z);
    SignedDistance {
        distance_m: c.dist,
        witness_a: point(c.point1),
        witness_b: point(c.point2),
        axis: point(c.normal1).coords,
        certificate_gap_m: f64::INFINITY,
        method: DistanceMethod::Gjk,
    }
}
