//! Signed distance between two hulls: gap, or true penetration depth, with the bounds that prove it.
//!
//! Geometry page, sections 2.4 and 8. The op in `kernels` iterates (GJK apart, EPA overlapping) until an upper and a lower
//! bound meet; where they do not meet within 1e-9 m, [`exhaustive`] looks at every feature, and the answer says so. The
//! safety kernel stops at "they overlap"; parry3d gives depths that can be too small, the unsafe side.

pub mod exhaustive;

use super::hull::ConvexHull;
use super::pose::{Point, Pose, Vector, rows};
use rollcheck_kernels::SimdLevel;
use rollcheck_kernels::hull_distance::{self as op, Iteration, Workspace};

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
    /// Gap, or minus the penetration depth, m; NaN where a pose is not finite. NaN where a pose is not finite.
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
    /// No distance: a pose that is not finite.
    fn unknown(method: DistanceMethod) -> Self {
        let nowhere = Point::new(f64::NAN, f64::NAN, f64::NAN);
        Self {
            distance_m: f64::NAN,
            witness_a: nowhere,
            witness_b: nowhere,
            axis: nowhere.coords,
            certificate_gap_m: f64::INFINITY,
            method,
        }
    }

    /// Whether the bounds meet within 1e-9 m.
    pub fn certified(&self) -> bool {
        self.certificate_gap_m <= 1e-9
    }
}

/// Measures pairs of hulls; keeps its buffers between calls.
#[derive(Clone, Debug)]
pub struct HullDistance {
    level: SimdLevel,
    work: Workspace,
}

impl Default for HullDistance {
    fn default() -> Self {
        Self::new(SimdLevel::detect())
    }
}

impl HullDistance {
    /// With the vector instructions of `level`; every level gives the same bits.
    pub fn new(level: SimdLevel) -> Self {
        Self { level, work: Workspace::default() }
    }

    /// What iterating alone finds: in the frame of A, certified or not; `None` for a pose
    /// that is not finite.
    pub fn iterate(&mut self, a: &ConvexHull, b: &ConvexHull, a_from_b: &Pose) -> Option<op::Answer> {
        if !is_finite(a_from_b) {
            return None;
        }
        op::signed_distance(self.level, a.lanes(), b.lanes(), &rows(a_from_b), &mut self.work).ok()
    }

    /// The signed distance between two hulls, each placed in the world.
    pub fn measure(
        &mut self,
        a: &ConvexHull,
        world_from_a: &Pose,
        b: &ConvexHull,
        world_from_b: &Pose,
    ) -> SignedDistance {
        let a_from_b = world_from_a.inverse() * world_from_b;
        match self.iterate(a, b, &a_from_b) {
            Some(found) if found.certified() => SignedDistance {
                distance_m: found.distance,
                witness_a: world_from_a * Point::from(found.witness_a),
                witness_b: world_from_a * Point::from(found.witness_b),
                axis: world_from_a.rotation * Vector::from(found.axis),
                certificate_gap_m: found.gap,
                method: match found.iteration {
                    Iteration::Gjk => DistanceMethod::Gjk,
                    Iteration::Epa => DistanceMethod::Epa,
                },
            },
            _ => exhaustive::hull_hull(a, world_from_a, b, world_from_b),
        }
    }
}

fn is_finite(pose: &Pose) -> bool {
    pose.rotation.matrix().iter().chain(pose.translation.vector.iter()).all(|x| x.is_finite())
}

/// The signed distance between two hulls, each placed in the world. For many pairs keep a [`HullDistance`].
pub fn hull_hull(a: &ConvexHull, world_from_a: &Pose, b: &ConvexHull, world_from_b: &Pose) -> SignedDistance {
    HullDistance::default().measure(a, world_from_a, b, world_from_b)
}
