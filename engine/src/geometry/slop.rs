//! How far a box stands off the mesh that it holds.
//!
//! ```text
//! face_slop[k] = half_k - max over points of |q_k|              (negative: the mesh pokes out)
//! corner_slop  = max over the 8 corners of min over points of |corner - q|
//! ```
//!
//! Geometry page, section 3. The points are the mesh's vertices in the box frame: nearest vertex, not nearest surface,
//! so the slop is an upper bound of the corner's distance to the mesh. Metres. No points, no slop: never 0.

use super::pose::Point;

/// Slop of a link's box, m.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxSlop {
    /// Points that it was measured against.
    pub points: usize,
    /// Between each pair of faces and the points.
    pub face_slop_m: [f64; 3],
    /// Of each corner; corner `i` is at `+half` in coordinate `k` where bit `2 - k` of `i` is set.
    pub per_corner_m: [f64; 8],
    /// The largest of them.
    pub corner_slop_m: f64,
}

/// The corners of a box about the origin, z fastest.
pub fn box_corners(half_extents_m: [f64; 3]) -> [Point; 8] {
    [0, 1, 2, 3, 4, 5, 6, 7].map(|i| {
        let side = |k: usize| if i >> (2 - k) & 1 == 1 { half_extents_m[k] } else { -half_extents_m[k] };
        Point::new(side(0), side(1), side(2))
    })
}

/// The slop of a box about points in its frame; `None` without a point.
pub fn box_slop(half_extents_m: [f64; 3], points: &[Point]) -> Option<BoxSlop> {
    if points.is_empty() {
        return None;
    }
    let reach = |k: usize| points.iter().fold(0.0_f64, |m, q| m.max(q[k].abs()));
    let face_slop_m = [0, 1, 2].map(|k| half_extents_m[k] - reach(k));
    let per_corner_m = box_corners(half_extents_m).map(|corner| nearest_m(&corner, points));
    let corner_slop_m = per_corner_m.iter().fold(0.0_f64, |m, &s| m.max(s));
    Some(BoxSlop { points: points.len(), face_slop_m, per_corner_m, corner_slop_m })
}

/// Distance to the nearest of some points, m; infinite without one.
pub fn nearest_m(from: &Point, points: &[Point]) -> f64 {
    points.iter().fold(f64::INFINITY, |m, q| m.min((from - q).norm_squared())).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_around_its_own_corners_has_no_slop_and_around_its_centre_half_a_diagonal() {
        let half = [1.0, 2.0, 2.0];
        let tight = box_slop(half, &box_corners(half)).unwrap();
        assert_eq!((tight.points, tight.face_slop_m, tight.corner_slop_m), (8, [0.0; 3], 0.0));
        let loose = box_slop(half, &[Point::origin()]).unwrap();
        assert_eq!((loose.face_slop_m, loose.corner_slop_m), (half, 3.0));
        assert_eq!(box_slop(half, &[]), None);
        let poking = box_slop(half, &[Point::new(1.5, 0.0, 0.0)]).unwrap();
        assert_eq!(poking.face_slop_m, [-0.5, 2.0, 2.0]);
    }
}
