//! Vertices of an intersection of half spaces, and refining slabs to a vertex limit.
//!
//! About an inner point `c` the half space `n . x <= d` becomes the dual point `n / (d - n . c)`; facets of the dual
//! points' hull are vertices of the intersection.
//!
//! Refinement (geometry page, section 6): begin with the 26 planes; of the exact hull's facet planes add the one through
//! which the polytope pokes most, ties to the lower index; leave out one that would bring the vertices over the limit,
//! trying each once; stop when nothing pokes out by more than 1e-9 m.

use super::super::dop::{DOP_AXES, Dop26};
use super::super::hull::{ConvexHull, Plane};
use super::super::pose::{Point, Vector};
use std::collections::{BTreeMap, BTreeSet};

/// Nothing is added for less than this, m.
const POKES_M: f64 = 1e-9;
/// Vertices nearer than this are one, m.
const SAME_M: f64 = 1e-9;
/// Three planes whose determinant is below this do not meet in a point.
const DETERMINANT_MIN: f64 = 1e-9;

/// The 26 half spaces of slabs.
pub fn slab_planes(dop: &Dop26) -> Vec<Plane> {
    let axes = DOP_AXES.iter().zip(dop.lo_m.iter().zip(&dop.hi_m));
    axes.flat_map(|(axis, (lo, hi))| {
        let n = Vector::from(*axis);
        [
            Plane { normal: n, offset_m: *hi, rounding_m: 0.0 },
            Plane { normal: -n, offset_m: -lo, rounding_m: 0.0 },
        ]
    })
    .collect()
}

/// The vertices of slabs by the documented recipe: every triple of the 26 planes, kept when inside all slabs within 1e-9,
/// rounded to nine decimals, each once, ascending. Empty for degenerate slabs.
pub fn dop_vertices(dop: &Dop26) -> Vec<Point> {
    let planes = slab_planes(dop);
    let mut found: Vec<[i64; 3]> = Vec::new();
    for i in 0..planes.len() {
        for j in i + 1..planes.len() {
            for k in j + 1..planes.len() {
                if let Some(p) = meeting_point(&planes[i], &planes[j], &planes[k])
                    && dop.excess_m(&p) <= SAME_M
                {
                    found.push([p.x, p.y, p.z].map(|x| (x * 1e9).round_ties_even() as i64));
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|p| Point::from(p.map(|x| x as f64 / 1e9))).collect()
}

fn meeting_point(a: &Plane, b: &Plane, c: &Plane) -> Option<Point> {
    let (bc, ca, ab) = (b.normal.cross(&c.normal), c.normal.cross(&a.normal), a.normal.cross(&b.normal));
    let determinant = a.normal.dot(&bc);
    if determinant.abs() <= DETERMINANT_MIN {
        return None;
    }
    Some(Point::from((bc * a.offset_m + ca * b.offset_m + ab * c.offset_m) / determinant))
}

/// A bounded intersection of half spaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Polytope {
    /// Its vertices, m; those nearer than 1e-9 m are one.
    pub vertices: Vec<Point>,
    /// Its edges as pairs of vertices.
    pub edges: Vec<[usize; 2]>,
}

impl Polytope {
    /// The intersection of half spaces that all hold `inside` strictly; `None` when it is not bounded or the dual hull
    /// cannot be built.
    pub fn new(planes: &[Plane], inside: &Point) -> Option<Self> {
        let dual: Vec<Point> =
            planes.iter().map(|plane| Point::from(plane.normal / -plane.excess_m(inside))).collect();
        let hull = ConvexHull::of(&dual).ok()?;
        let mut vertices: Vec<Point> = Vec::with_capacity(hull.facets().len());
        let mut of_facet = Vec::with_capacity(hull.facets().len());
        let dual_planes = hull.planes();
        if dual_planes.len() != hull.facets().len() {
            return None;
        }
        for plane in dual_planes {
            // The origin has to be inside the dual hull, or the intersection has no end.
            if plane.offset_m <= 0.0 {
                return None;
            }
            let p = inside + plane.normal / plane.offset_m;
            let known = vertices.iter().position(|q| (p - q).norm() <= SAME_M);
            of_facet.push(known.unwrap_or(vertices.len()));
            if known.is_none() {
                vertices.push(p);
            }
        }
        // Dual facets that share an edge are ends of an edge here.
        let mut beside = BTreeMap::new();
        let mut edges = BTreeSet::new();
        for (&[a, b, c], &vertex) in hull.facets().iter().zip(&of_facet) {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                if let Some(&other) = beside.get(&(to, from))
                    && other != vertex
                {
                    edges.insert([vertex.min(other), vertex.max(other)]);
                }
                beside.insert((from, to), vertex);
            }
        }
        Some(Self { vertices, edges: edges.into_iter().collect() })
    }

    /// How many vertices are left when a plane is added: those it cuts off go, and each edge it crosses brings one,
    /// unless it crosses at a vertex.
    fn count_with(&self, plane: &Plane) -> usize {
        let excess: Vec<f64> = self.vertices.iter().map(|p| plane.excess_m(p)).collect();
        let kept = excess.iter().filter(|&&e| e <= SAME_M).count();
        let crossed = |&&[i, j]: &&[usize; 2]| {
            let (lo, hi) = (excess[i].min(excess[j]), excess[i].max(excess[j]));
            hi > SAME_M && lo < -SAME_M
        };
        kept + self.edges.iter().filter(crossed).count()
    }

    fn pokes_m(&self, plane: &Plane) -> f64 {
        self.vertices.iter().fold(f64::NEG_INFINITY, |m, p| m.max(plane.excess_m(p)))
    }
}

/// What refining gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Refined {
    /// Vertices of the polytope, m.
    pub vertices: Vec<Point>,
    /// Facet planes of the hull that were taken.
    pub accepted: usize,
    /// Facet planes that were left out for the limit.
    pub skipped: usize,
}

/// Slabs refined towards a hull with at most `limit` vertices; `None` when the slabs hold no volume.
pub fn refine(dop: &Dop26, hull: &ConvexHull, limit: usize) -> Option<Refined> {
    let centre =
        hull.vertices().iter().fold(Vector::zeros(), |sum, p| sum + p.coords) / hull.vertices().len() as f64;
    let inside = Point::from(centre);
    let mut planes = slab_planes(dop);
    let mut current = Polytope::new(&planes, &inside)?;
    if current.vertices.len() > limit {
        return None;
    }
    let mut open = hull.planes();
    let mut pokes: Vec<f64> = open.iter().map(|plane| current.pokes_m(plane)).collect();
    let (mut accepted, mut skipped) = (0, 0);
    loop {
        let mut most: Option<(f64, usize)> = None;
        for (place, &by_m) in pokes.iter().enumerate() {
            if by_m > POKES_M && most.is_none_or(|(m, _)| by_m > m) {
                most = Some((by_m, place));
            }
        }
        let Some((_, place)) = most else { break };
        pokes.remove(place);
        let plane = open.remove(place);
        // Counting first: most candidates fail here, and building costs a hull.
        let next = (current.count_with(&plane) <= limit).then(|| {
            planes.push(plane);
            Polytope::new(&planes, &inside).filter(|next| next.vertices.len() <= limit)
        });
        match next {
            Some(Some(next)) => {
                current = next;
                accepted += 1;
                for (by_m, plane) in pokes.iter_mut().zip(&open) {
                    *by_m = current.pokes_m(plane);
                }
            }
            Some(None) => {
                planes.pop();
                skipped += 1;
            }
            None => skipped += 1,
        }
    }
    Some(Refined { vertices: current.vertices, accepted, skipped })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::slop::box_corners;

    #[test]
    fn slabs_of_a_box_have_its_corners() {
        let half = [0.1, 0.2, 0.3];
        let dop = Dop26::around(&box_corners(half)).unwrap();
        let mut by_recipe = dop_vertices(&dop);
        assert_eq!(by_recipe.len(), 8);
        by_recipe.sort_by(|a, b| a.iter().partial_cmp(b.iter()).unwrap());
        for (found, corner) in by_recipe.iter().zip(box_corners(half)) {
            assert!((found - corner).norm() < 1e-9);
        }
        let by_dual = Polytope::new(&slab_planes(&dop), &Point::origin()).unwrap();
        assert_eq!((by_dual.vertices.len(), by_dual.edges.len()), (8, 12));
        let corner = Plane {
            normal: Vector::new(1.0, 1.0, 1.0).normalize(),
            offset_m: 0.5 / 3.0_f64.sqrt(),
            rounding_m: 0.0,
        };
        assert_eq!(by_dual.count_with(&corner), 10);
    }

    #[test]
    fn refining_reaches_a_hull_whose_planes_fit() {
        // A wedge: its slanted plane is none of the 13 axes.
        let wedge = [
            [0.0, 0.0, 0.0],
            [0.3, 0.0, 0.0],
            [0.0, 0.1, 0.0],
            [0.0, 0.0, 0.2],
            [0.3, 0.0, 0.2],
            [0.0, 0.1, 0.2],
        ]
        .map(Point::from);
        let hull = ConvexHull::of(&wedge).unwrap();
        let dop = Dop26::around(&wedge).unwrap();
        let refined = refine(&dop, &hull, 320).unwrap();
        assert_eq!((refined.vertices.len(), refined.accepted, refined.skipped), (6, 1, 0));
        let none = refine(&dop, &hull, dop_vertices(&dop).len() - 1);
        assert_eq!(none, None);
    }

    #[test]
    fn half_spaces_without_an_end_have_no_vertices() {
        let plane = |n: Vector| Plane { normal: n, offset_m: 1.0, rounding_m: 0.0 };
        let open = [
            plane(Vector::x()),
            plane(-Vector::x()),
            plane(Vector::y()),
            plane(-Vector::y()),
            plane(Vector::z()),
        ];
        assert_eq!(Polytope::new(&open, &Point::origin()), None);
    }
}
