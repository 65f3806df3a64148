//! Nearest points of triangles and segments. Metres.
//!
//! The regions of a triangle and the clamping of two segments follow Ericson, Real-Time Collision Detection (2005),
//! sections 5.1.5 and 5.1.9. A triangle thinner than 1e-12 of its length is its three edges.

use super::pose::{Point, Vector};

/// Area over squared length below which a triangle is its edges.
const THIN: f64 = 1e-12;

/// The point of a triangle nearest to `p`.
pub fn nearest_on_triangle(p: &Point, [a, b, c]: &[Point; 3]) -> Point {
    let (ab, ac) = (b - a, c - a);
    let longest = ab.norm_squared().max(ac.norm_squared());
    // The regions are told apart by areas, which here are rounding.
    if ab.cross(&ac).norm_squared() <= (THIN * longest).powi(2) {
        return nearest_on_edges(p, [a, b, c]);
    }
    let ap = p - a;
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return *a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return *b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * ratio(d1, d1 - d3);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return *c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * ratio(d2, d2 - d6);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ratio(d4 - d3, (d4 - d3) + (d5 - d6));
    }
    let whole = va + vb + vc;
    a + ab * (vb / whole) + ac * (vc / whole)
}

fn nearest_on_edges(p: &Point, [a, b, c]: [&Point; 3]) -> Point {
    let mut best = (f64::INFINITY, *a);
    for (from, to) in [(a, b), (b, c), (a, c)] {
        let along = to - from;
        let on = from + along * ratio(along.dot(&(p - from)), along.norm_squared()).clamp(0.0, 1.0);
        let square = (p - on).norm_squared();
        if square < best.0 {
            best = (square, on);
        }
    }
    best.1
}

/// Squared distance of a point from a triangle, m^2.
pub fn distance_sq_to_triangle(p: &Point, triangle: &[Point; 3]) -> f64 {
    (p - nearest_on_triangle(p, triangle)).norm_squared()
}

/// The nearest points of two segments, one on each.
pub fn nearest_on_segments([p1, q1]: &[Point; 2], [p2, q2]: &[Point; 2]) -> (Point, Point) {
    let (d1, d2): (Vector, Vector) = (q1 - p1, q2 - p2);
    let r = p1 - p2;
    let (a, e, f) = (d1.norm_squared(), d2.norm_squared(), d2.dot(&r));
    let (c, b) = (d1.dot(&r), d1.dot(&d2));
    let cross = a * e - b * b;
    let mut s = if cross > 0.0 { ((b * f - c * e) / cross).clamp(0.0, 1.0) } else { 0.0 };
    let mut t = ratio(b * s + f, e);
    if t < 0.0 {
        t = 0.0;
        s = ratio(-c, a).clamp(0.0, 1.0);
    } else if t > 1.0 {
        t = 1.0;
        s = ratio(b - c, a).clamp(0.0, 1.0);
    }
    (p1 + d1 * s, p2 + d2 * t)
}

/// A quotient that is 0 where nothing is divided by nothing.
fn ratio(over: f64, under: f64) -> f64 {
    if under == 0.0 { 0.0 } else { over / under }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_seven_regions_of_a_triangle() {
        let triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 3.0, 0.0]].map(Point::from);
        for (p, expected) in [
            ([1.0, 1.0, 2.0], [1.0, 1.0, 0.0]),
            ([-1.0, -1.0, 1.0], [0.0, 0.0, 0.0]),
            ([6.0, -1.0, 0.0], [4.0, 0.0, 0.0]),
            ([-1.0, 5.0, 0.0], [0.0, 3.0, 0.0]),
            ([2.0, -1.0, 0.5], [2.0, 0.0, 0.0]),
            ([-2.0, 1.5, 0.0], [0.0, 1.5, 0.0]),
            // The hypotenuse's normal is (3, 4) / 5.
            ([2.0 + 3.0, 1.5 + 4.0, 0.0], [2.0, 1.5, 0.0]),
        ] {
            let found = nearest_on_triangle(&Point::from(p), &triangle);
            assert!((found - Point::from(expected)).norm() < 1e-15, "{p:?}: {found}");
        }
    }

    #[test]
    fn a_triangle_without_area_is_what_is_left_of_it() {
        let [o, x, y] = [[0.0; 3], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0]].map(Point::from);
        let p = Point::new(1.5, 1.0, 0.0);
        assert_eq!(nearest_on_triangle(&p, &[o, x, y]), Point::new(1.5, 0.0, 0.0));
        assert_eq!(nearest_on_triangle(&p, &[o, y, x]), Point::new(1.5, 0.0, 0.0));
        assert_eq!(nearest_on_triangle(&p, &[o, o, o]), o);
        assert_eq!(nearest_on_triangle(&p, &[o, o, x]), Point::new(1.5, 0.0, 0.0));
        let slanted = [0.3, 0.9, 1.7].map(|s| Point::new(s, 0.7 * s, -0.4 * s));
        let on = nearest_on_triangle(&p, &slanted);
        let exact = slanted[2].coords.normalize();
        assert!((on.coords - exact * exact.dot(&p.coords)).norm() < 1e-15);
        assert_eq!(nearest_on_triangle(&p, &[o, x, x]), Point::new(1.5, 0.0, 0.0));
    }

    proptest! {
        #[test]
        fn no_point_of_a_triangle_or_of_segments_is_nearer(
            v in prop::array::uniform12(-1.0_f64..1.0), s in 0.0_f64..1.0, t in 0.0_f64..1.0,
        ) {
            let [p, a, b, c] = [0, 3, 6, 9].map(|i| Point::new(v[i], v[i + 1], v[i + 2]));
            let found = (p - nearest_on_triangle(&p, &[a, b, c])).norm();
            let (u, w) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
            prop_assert!(found <= (p - (a + (b - a) * u + (c - a) * w)).norm() + 1e-12);
            let (on_first, on_second) = nearest_on_segments(&[p, a], &[b, c]);
            let any = (p + (a - p) * s) - (b + (c - b) * t);
            prop_assert!((on_first - on_second).norm() <= any.norm() + 1e-12);
        }
    }
}
