//! Rigid transforms, named `a_from_b`: `world_from_link * link_point` is a point of the world. Metres, radians.
//!
//! ```text
//! origin_xyz_rpy = (x, y, z, roll, pitch, yaw)      R = Rz(yaw) Ry(pitch) Rx(roll)      p_a = R p_b + t
//! ```
//!
//! Geometry page, section 1. The rotation is kept as a matrix: what enters as a matrix leaves as the same bits.

use nalgebra::{IsometryMatrix3, Point3, Rotation3, Translation3, Vector3};

/// A rigid transform.
pub type Pose = IsometryMatrix3<f64>;
/// A point, m.
pub type Point = Point3<f64>;
/// A direction, or a difference of points, m.
pub type Vector = Vector3<f64>;

/// The transform of a fixed-axis `(x, y, z, roll, pitch, yaw)`, metres and radians.
pub fn pose_from_xyz_rpy(xyz_rpy: [f64; 6]) -> Pose {
    let [x, y, z, roll, pitch, yaw] = xyz_rpy;
    Pose::from_parts(Translation3::new(x, y, z), Rotation3::from_euler_angles(roll, pitch, yaw))
}

/// Rows of `[R | t]`, the form that ops take: `out[r] = m[r][0..3] . p + m[r][3]`.
pub fn rows(pose: &Pose) -> [[f64; 4]; 3] {
    let r = pose.rotation.matrix();
    let t = &pose.translation.vector;
    [0, 1, 2].map(|i| [r[(i, 0)], r[(i, 1)], r[(i, 2)], t[i]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn roll_acts_first_and_yaw_last() {
        // x stays under roll, goes to -z under pitch of 90 degrees, and yaw turns about z only.
        let pose = pose_from_xyz_rpy([1.0, 2.0, 3.0, 0.3, FRAC_PI_2, 0.7]);
        let moved = pose * Point::new(1.0, 0.0, 0.0);
        assert!((moved - Point::new(1.0, 2.0, 2.0)).norm() < 1e-15);
        // The published origin of panda_link4 against the product of the three axis rotations.
        let [roll, pitch, yaw] = [1.1575_f64, 0.3623_f64, 0.6286_f64];
        let axis = |axis, angle| Rotation3::from_axis_angle(&axis, angle);
        let product =
            axis(Vector::z_axis(), yaw) * axis(Vector::y_axis(), pitch) * axis(Vector::x_axis(), roll);
        let ours = pose_from_xyz_rpy([0.0, 0.0, 0.0, roll, pitch, yaw]).rotation;
        assert!((product.matrix() - ours.matrix()).abs().max() < 1e-15);
    }

    #[test]
    fn rows_apply_like_the_pose() {
        let pose = pose_from_xyz_rpy([0.1, -0.2, 0.3, 0.4, -0.5, 0.6]);
        let p = Point::new(0.7, 0.8, -0.9);
        let by_rows = rows(&pose).map(|r| r[0] * p.x + r[1] * p.y + r[2] * p.z + r[3]);
        assert!((pose * p - Point::from(by_rows)).norm() < 1e-15);
    }
}
