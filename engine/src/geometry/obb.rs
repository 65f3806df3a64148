//! Oriented boxes, and the safety kernel's number between two of them.
//!
//! ```text
//! gap(n) = |n . (c_b - c_a)| - r_a(n) - r_b(n)        r(n) = sum_k half_k |axis_k . n|
//! sat_m  = max over the 3 + 3 face normals and the 9 cross products of edges
//! ```
//!
//! Geometry page, section 2.1. Overlapping, `sat_m` is minus the penetration depth. Apart, it is a lower bound of the
//! Euclidean distance, exact only where a face is among the nearest features. A cross product shorter than 1e-9 is left
//! out. A box that is not finite has no number: NaN. Metres.

use super::pose::{Pose, Vector};

/// Cross products of edges shorter than this are no axes.
pub const CROSS_MIN: f64 = 1e-9;

/// A box placed in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// Half its edges, m.
    pub half_extents_m: [f64; 3],
    /// Where its centre is and how it is turned.
    pub world_from_box: Pose,
}

impl Obb {
    /// Whether all its numbers are.
    pub fn is_finite(&self) -> bool {
        let pose = &self.world_from_box;
        let numbers = pose.rotation.matrix().iter().chain(pose.translation.vector.iter());
        numbers.chain(&self.half_extents_m).all(|x| x.is_finite())
    }

    /// Its three edges' directions, in the world.
    pub fn axes(&self) -> [Vector; 3] {
        let r = self.world_from_box.rotation.matrix();
        [0, 1, 2].map(|k| r.column(k).into_owned())
    }

    /// Half its extent along a unit vector of the world, m.
    pub fn reach_m(&self, direction: &Vector) -> f64 {
        self.axes().iter().zip(self.half_extents_m).map(|(axis, half)| half * axis.dot(direction).abs()).sum()
    }
}

/// The largest gap between two boxes over their fifteen axes, m: the number that the safety kernel prints.
pub fn sat_m(a: &Obb, b: &Obb) -> f64 {
    if !(a.is_finite() && b.is_finite()) {
        return f64::NAN;
    }
    let (axes_a, axes_b) = (a.axes(), b.axes());
    let between = b.world_from_box.translation.vector - a.world_from_box.translation.vector;
    let gap = |n: &Vector| n.dot(&between).abs() - a.reach_m(n) - b.reach_m(n);
    let faces = axes_a.iter().chain(&axes_b).copied();
    let edges = axes_a.iter().flat_map(|u| axes_b.iter().map(|v| u.cross(v)));
    let crossed = edges.filter(|n| n.norm() >= CROSS_MIN).map(|n| n.normalize());
    faces.chain(crossed).fold(f64::NEG_INFINITY, |largest, n| largest.max(gap(&n)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::pose::pose_from_xyz_rpy;

    fn cube(at: [f64; 6], half_m: f64) -> Obb {
        Obb { half_extents_m: [half_m; 3], world_from_box: pose_from_xyz_rpy(at) }
    }

    #[test]
    fn boxes_side_by_side_corner_to_corner_and_overlapping() {
        let origin = cube([0.0; 6], 0.5);
        assert_eq!(sat_m(&origin, &cube([2.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.5)), 1.0);
        assert_eq!(sat_m(&origin, &cube([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.5)), 0.0);
        assert_eq!(sat_m(&origin, &cube([0.75, 0.0, 0.0, 0.0, 0.0, 0.0], 0.5)), -0.25);
        // Corner to corner the largest axis gap is kept: 1, where the distance is sqrt 3.
        assert_eq!(sat_m(&origin, &cube([2.0, 2.0, 2.0, 0.0, 0.0, 0.0], 0.5)), 1.0);
        // Turned by 45 degrees about z, edge against face.
        let turned = cube([1.5, 0.0, 0.0, 0.0, 0.0, std::f64::consts::FRAC_PI_4], 0.5);
        assert!((sat_m(&origin, &turned) - (1.0 - 0.5_f64.sqrt())).abs() < 1e-15);
    }
}
