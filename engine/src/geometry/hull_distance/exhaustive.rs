//! The distance by every feature: slow, and what the fast one is held against.
//!
//! ```text
//! s(n)  = min over B of n . p - max over A of n . p
//! apart:        the nearest of all vertex-triangle and edge-edge pairs; the largest s(n) bounds it from below
//! overlapping:  depth = - max s(n) over the facet normals of both and the products of edges whose arcs cross
//! ```
//!
//! Geometry page, section 2.4. An edge of A and one of B make a facet of A - B exactly when the arc between the normals
//! beside the one crosses, on the unit sphere, the arc between the negated normals beside the other. Every axis that
//! could win is evaluated over all vertices, so one too many does no harm.

use super::super::hull::ConvexHull;
use super::super::pose::{Point, Pose, Vector};
use super::super::triangle::{nearest_on_segments, nearest_on_triangle};
use super::{DistanceMethod, SignedDistance};

/// Arcs that miss by less than this are taken to cross.
const ARC_SLACK: f64 = 1e-9;

/// Corners this close to a supporting plane are looked at for the point where two sides meet, m. A wide net: of what is in it
/// the nearest pair is taken, and how far that is apart is told.
const LEVEL_M: f64 = 1e-6;

struct Edge {
    ends: [Point; 2],
    normals: [Vector; 2],
}

struct Placed {
    points: Vec<Point>,
    triangles: Vec<[Point; 3]>,
    normals: Vec<Vector>,
    edges: Vec<Edge>,
}

impl Placed {
    fn new(hull: &ConvexHull, pose: &Pose) -> Self {
        let points: Vec<Point> = hull.vertices().iter().map(|p| pose * p).collect();
        let corners = |f: &[u32; 3]| f.map(|i| points[i as usize]);
        let triangles: Vec<[Point; 3]> = hull.facets().iter().map(corners).collect();
        let normal =
            |[a, b, c]: &[Point; 3]| (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vector::zeros);
        let normals: Vec<Vector> = triangles.iter().map(normal).collect();
        let mut beside = std::collections::BTreeMap::new();
        for (facet, &[a, b, c]) in hull.facets().iter().enumerate() {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                beside.insert((from, to), facet);
            }
        }
        let edge = |(&(from, to), &facet): (&(u32, u32), &usize)| {
            let other = *beside.get(&(to, from)).filter(|_| from < to)?;
            let ends = [from, to].map(|i| points[i as usize]);
            Some(Edge { ends, normals: [normals[facet], normals[other]] })
        };
        let edges = beside.iter().filter_map(edge).collect();
        Self { points, triangles, normals, edges }
    }

    /// The features of which every corner is at a height along `n`, moved by `out`.
    fn level(&self, n: &Vector, height: f64, out: Vector) -> Self {
        let at = |p: &Point| (n.dot(&p.coords) - height).abs() <= LEVEL_M;
        let moved = |p: &Point| p + out;
        Self {
            points: self.points.iter().filter(|p| at(p)).map(moved).collect(),
            triangles: self
                .triangles
                .iter()
                .filter(|t| t.iter().all(at))
                .map(|t| t.map(|p| p + out))
                .collect(),
            normals: Vec::new(),
            edges: self
                .edges
                .iter()
                .filter(|e| e.ends.iter().all(at))
                .map(|e| Edge { ends: e.ends.map(|p| p + out), normals: e.normals })
                .collect(),
        }
    }

    fn highest(&self, n: &Vector) -> f64 {
        self.points.iter().fold(f64::NEG_INFINITY, |m, p| m.max(n.dot(&p.coords)))
    }

    fn lowest(&self, n: &Vector) -> f64 {
        self.points.iter().fold(f64::INFINITY, |m, p| m.min(n.dot(&p.coords)))
    }
}

/// The signed distance between two hulls, each placed in the world.
pub fn hull_hull(a: &ConvexHull, world_from_a: &Pose, b: &ConvexHull, world_from_b: &Pose) -> SignedDistance {
    if !(super::is_finite(world_from_a) && super::is_finite(world_from_b)) {
        return SignedDistance::unknown(DistanceMethod::Exhaustive);
    }
    let (a, b) = (Placed::new(a, world_from_a), Placed::new(b, world_from_b));
    let (separation_m, axis) = best_axis(&a, &b);
    if separation_m > 0.0 {
        let (witness_a, witness_b) = nearest(&a, &b);
        let between = witness_b - witness_a;
        let distance_m = between.norm();
        let mut lower = (separation_m, axis);
        if let Some(n) = between.try_normalize(0.0) {
            let along = b.lowest(&n) - a.highest(&n);
            if along > lower.0 {
                lower = (along, n);
            }
        }
        let (lower_m, axis) = lower;
        let certificate_gap_m = distance_m - lower_m;
        let method = DistanceMethod::Exhaustive;
        return SignedDistance { distance_m, witness_a, witness_b, axis, certificate_gap_m, method };
    }
    // With B moved out by the depth the two touch: the nearest points of what is level there are one point of each.
    let (height_a, height_b) = (a.highest(&axis), b.lowest(&axis));
    let out = axis * -separation_m;
    let (on_a, on_b) = nearest(&a.level(&axis, height_a, Vector::zeros()), &b.level(&axis, height_b, out));
    let (witness_a, witness_b) = (on_a, on_b - out);
    let residual = (witness_b - witness_a - axis * separation_m).norm();
    SignedDistance {
        distance_m: separation_m,
        witness_a,
        witness_b,
        axis,
        // Every facet of the Minkowski difference was looked at; what is left is how far the two points are apart.
        certificate_gap_m: residual,
        method: DistanceMethod::Exhaustive,
    }
}

/// The axis with the largest separation, and that, m.
fn best_axis(a: &Placed, b: &Placed) -> (f64, Vector) {
    let mut best = (f64::NEG_INFINITY, Vector::x());
    let mut offer = |n: Vector| {
        let s = b.lowest(&n) - a.highest(&n);
        if s > best.0 {
            best = (s, n);
        }
        best.0
    };
    for n in a.normals.iter().filter(|n| **n != Vector::zeros()) {
        offer(*n);
    }
    let mut floor = f64::NEG_INFINITY;
    for n in b.normals.iter().filter(|n| **n != Vector::zeros()) {
        floor = offer(-n);
    }
    for ea in &a.edges {
        let along_a = ea.ends[1] - ea.ends[0];
        let [n1, n2] = &ea.normals;
        for eb in &b.edges {
            if !arcs_cross(n1, n2, &-eb.normals[0], &-eb.normals[1]) {
                continue;
            }
            let along_b = eb.ends[1] - eb.ends[0];
            let Some(mut n) = along_a.cross(&along_b).try_normalize(1e-15) else { continue };
            if n.dot(&(n1 + n2)) < 0.0 {
                n = -n;
            }
            if n.dot(&(eb.ends[0] - ea.ends[0])) > floor - ARC_SLACK {
                floor = offer(n);
            }
        }
    }
    best
}

/// Whether the shorter great arcs from `n1` to `n2` and from `m1` to `m2` cross, or nearly so.
fn arcs_cross(n1: &Vector, n2: &Vector, m1: &Vector, m2: &Vector) -> bool {
    let (n, m) = (n1.cross(n2), m1.cross(m2));
    let (c1, c2) = (m1.dot(&n), m2.dot(&n));
    let (d1, d2) = (n1.dot(&m), n2.dot(&m));
    let opposite = |x: f64, y: f64| x * y <= ARC_SLACK * ARC_SLACK;
    // Both pairs of ends on opposite sides, and the arcs on the same hemisphere.
    opposite(c1, c2) && opposite(d1, d2) && c1 * d2 >= -ARC_SLACK * ARC_SLACK
}

fn nearest(a: &Placed, b: &Placed) -> (Point, Point) {
    let mut best = (f64::INFINITY, Point::origin(), Point::origin());
    let mut offer = |p: Point, q: Point| {
        let square = (p - q).norm_squared();
        if square < best.0 {
            best = (square, p, q);
        }
    };
    for ea in &a.edges {
        for eb in &b.edges {
            let (p, q) = nearest_on_segments(&ea.ends, &eb.ends);
            offer(p, q);
        }
    }
    for p in &a.points {
        for q in &b.points {
            offer(*p, *q);
        }
        for eb in &b.edges {
            let (_, q) = nearest_on_segments(&[*p, *p], &eb.ends);
            offer(*p, q);
        }
        for triangle in &b.triangles {
            offer(*p, nearest_on_triangle(p, triangle));
        }
    }
    for q in &b.points {
        for ea in &a.edges {
            let (p, _) = nearest_on_segments(&ea.ends, &[*q, *q]);
            offer(p, *q);
        }
        for triangle in &a.triangles {
            offer(nearest_on_triangle(q, triangle), *q);
        }
    }
    (best.1, best.2)
}
