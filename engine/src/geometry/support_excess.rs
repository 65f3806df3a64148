//! How far one convex set reaches past another: the largest difference of their support functions.
//!
//! ```text
//! excess(u) = h_C(u) - h_mesh(u)          h_S(u) = max over points of S of u . p
//! u_i: phi = acos(1 - 2 (i + 0.5) / n), theta = pi (1 + sqrt 5) (i + 0.5)        (Fibonacci directions)
//! ```
//!
//! Geometry page, section 6. Metres.

use super::pose::{Point, Vector};
use std::f64::consts::PI;

/// Directions of the published figures.
pub const DIRECTIONS: usize = 20_000;

/// Largest and median excess over the directions, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupportExcess {
    /// The largest.
    pub max_m: f64,
    /// The median (mean of the middle two).
    pub median_m: f64,
    /// Direction of the largest.
    pub direction: [f64; 3],
}

/// The `i`-th of `n` Fibonacci directions, a unit vector.
pub fn fibonacci_direction(i: usize, n: usize) -> Vector {
    let at = i as f64 + 0.5;
    let phi = (1.0 - 2.0 * at / n as f64).acos();
    let theta = PI * (1.0 + 5.0_f64.sqrt()) * at;
    Vector::new(theta.cos() * phi.sin(), theta.sin() * phi.sin(), phi.cos())
}

/// The excess of the hull of `outer` over that of `inner`; `None` when either has no point or `n` is 0.
pub fn support_excess(outer: &[Point], inner: &[Point], n: usize) -> Option<SupportExcess> {
    if outer.is_empty() || inner.is_empty() || n == 0 {
        return None;
    }
    let reach =
        |points: &[Point], u: &Vector| points.iter().fold(f64::NEG_INFINITY, |m, p| m.max(u.dot(&p.coords)));
    let mut max = (f64::NEG_INFINITY, Vector::zeros());
    let mut all = Vec::with_capacity(n);
    for i in 0..n {
        let u = fibonacci_direction(i, n);
        let excess = reach(outer, &u) - reach(inner, &u);
        if excess > max.0 {
            max = (excess, u);
        }
        all.push(excess);
    }
    all.sort_unstable_by(f64::total_cmp);
    let median_m = f64::midpoint(all[(n - 1) / 2], all[n / 2]);
    Some(SupportExcess { max_m: max.0, median_m, direction: max.1.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::slop::box_corners;

    #[test]
    fn a_cube_reaches_past_its_inscribed_octahedron_by_its_corner() {
        let tips: Vec<Point> = [0, 1, 2]
            .into_iter()
            .flat_map(|k| {
                [1.0, -1.0].map(|s| {
                    let mut p = Point::origin();
                    p[k] = s;
                    p
                })
            })
            .collect();
        // Along (1, 1, 1) / sqrt 3: sqrt 3 against 1 / sqrt 3.
        let found = support_excess(&box_corners([1.0; 3]), &tips, DIRECTIONS).unwrap();
        let exact = 3.0_f64.sqrt() - 1.0 / 3.0_f64.sqrt();
        assert!(found.max_m <= exact + 1e-12 && found.max_m > exact - 0.03, "{}", found.max_m);
        assert_eq!(support_excess(&tips, &tips, 100).unwrap().max_m, 0.0);
        assert_eq!(support_excess(&tips, &[], 100), None);
    }

    #[test]
    fn directions_are_unit_and_cover_both_poles() {
        let n = 1000;
        for i in 0..n {
            assert!((fibonacci_direction(i, n).norm() - 1.0).abs() < 1e-14);
        }
        assert!(fibonacci_direction(0, n).z > 0.998 && fibonacci_direction(n - 1, n).z < -0.998);
    }
}
