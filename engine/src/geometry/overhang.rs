//! How far a hull reaches past its source mesh: `sup over x on the hull of dist(x, mesh surface)`.
//!
//! Geometry page, section 5. Two measures of it, both unsigned and in metres:
//!
//! * [`OverhangProbe::sampled`]: a barycentric grid of `n` a facet edge, the documented recipe; its largest value is a lower bound, and
//!   [`emitted_m`] is what the recipe makes of it, `ceil(1.2 max / 1e-6) 1e-6`.
//! * [`OverhangProbe::certified`]: the supremum between two bounds. For a hull triangle `t` and one mesh triangle `m` the distance to `m`
//!   is convex over `t`, so
//!
//! ```text
//! max over corners c of t of min over m of dist(c, m)  <=  sup over t  <=  min over m of max over corners c of dist(c, m)
//! ```
//!
//!   and triangles whose upper bound is above the best lower one are split: along the mesh where they lie on it, else at
//!   their longest edge.
//!
//! Which mesh triangles can matter is known beforehand: `U(t)`, the right-hand side, bounds the distance of every point
//! of `t`, so a triangle farther from `t` than that is never nearest. On a hull that hugs its mesh a dozen of 300 are
//! left, and the children of a split inherit them.

use super::hull::ConvexHull;
use super::mesh::TriangleMesh;
use super::pose::Point;
use super::triangle::distance_sq_to_triangle;
use crate::text::printf::round6;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Grid of the documented recipe: points along a facet's edge less one.
pub const SAMPLES_PER_EDGE: usize = 24;
/// Grid of the documented finer check.
pub const CHECK_SAMPLES_PER_EDGE: usize = 32;
/// Width at which the certified interval is closed, m.
pub const INTERVAL_M: f64 = 1e-9;
/// Aimed at, so that rounding of the difference stays within.
const GOAL_M: f64 = 0.999e-9;
/// A part lies on a mesh triangle when its middle is nearer than this share of its longest edge.
const LIES_ON: f64 = 1e-2;
/// Splits after which an interval is given as wide as it is.
pub const SPLITS_MAX: usize = 4_000_000;

/// Largest distance found on a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampledOverhang {
    /// The largest, m; a lower bound of the supremum.
    pub max_m: f64,
    /// Where on the hull.
    pub at: Point,
    /// On which facet.
    pub facet: usize,
    /// How many points were looked at.
    pub samples: usize,
}

/// The supremum between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CertifiedOverhang {
    /// A distance that is reached, m.
    pub lower_m: f64,
    /// A distance that is not passed, m.
    pub upper_m: f64,
    /// Where on the hull the lower bound is reached.
    pub at: Point,
    /// Triangles that were split.
    pub splits: usize,
    /// Whether the bounds met within [`INTERVAL_M`].
    pub certified: bool,
}

/// What a manifest publishes from a sampled value: a fifth more, rounded up to a micrometre.
pub fn emitted_m(sampled_m: f64) -> f64 {
    micrometres_up(1.2 * sampled_m)
}

/// Up to a micrometre, as the double that six decimals spell: 0.000485, not 0.00048499999999999997.
fn micrometres_up(m: f64) -> f64 {
    round6((m / 1e-6).ceil() * 1e-6)
}

/// What a manifest should publish: the recipe's value, but never less than what is proved. A grid can step over a slot,
/// and an overhang that is too small convicts a correct stop.
pub fn published_m(sampled: &SampledOverhang, certified: &CertifiedOverhang) -> f64 {
    emitted_m(sampled.max_m).max(micrometres_up(certified.upper_m))
}

/// A mesh prepared for the facets of a hull.
#[derive(Clone, Debug)]
pub struct OverhangProbe<'a> {
    hull: &'a ConvexHull,
    triangles: Vec<[Point; 3]>,
    boxes: Vec<Bounds>,
    /// For each facet the triangles that can be nearest to a point of it.
    candidates: Vec<Vec<u32>>,
}

impl<'a> OverhangProbe<'a> {
    /// Prepares; hull and mesh in one frame.
    pub fn new(hull: &'a ConvexHull, mesh: &TriangleMesh) -> Self {
        let triangles: Vec<[Point; 3]> = mesh.facets().collect();
        let boxes: Vec<Bounds> = triangles.iter().map(Bounds::of).collect();
        let candidates = (0..hull.facets().len())
            .map(|facet| {
                let corners = hull.corners(facet);
                let reach = upper_sq(&corners, &triangles, &boxes);
                let around = Bounds::of(&corners);
                let near = |&m: &u32| around.distance_sq(&boxes[m as usize]) <= reach;
                (0..triangles.len() as u32).filter(near).collect()
            })
            .collect();
        Self { hull, triangles, boxes, candidates }
    }

    /// Squared distance to the nearest candidate; `last` is the one tried first and becomes the nearest.
    fn distance_sq(&self, p: &Point, candidates: &[u32], last: &mut u32) -> f64 {
        let mut nearest = distance_sq_to_triangle(p, &self.triangles[*last as usize]);
        let at = Bounds { lo: (*p).into(), hi: (*p).into() };
        for &i in candidates {
            if at.distance_sq(&self.boxes[i as usize]) < nearest {
                let square = distance_sq_to_triangle(p, &self.triangles[i as usize]);
                if square < nearest {
                    nearest = square;
                    *last = i;
                }
            }
        }
        nearest
    }

    /// The documented recipe with `n` intervals along each facet's edge (at least 1).
    pub fn sampled(&self, n: usize) -> SampledOverhang {
        let n = n.max(1);
        let mut best = SampledOverhang { max_m: 0.0, at: self.hull.corners(0)[0], facet: 0, samples: 0 };
        let mut most = -1.0;
        for (facet, candidates) in self.candidates.iter().enumerate() {
            let [a, b, c] = self.hull.corners(facet).map(|p| p.coords);
            let Some(&(mut last)) = candidates.first() else { continue };
            for i in 0..=n {
                for j in 0..=n - i {
                    let weight = |k: usize| k as f64 / n as f64;
                    let p = Point::from(a * weight(i) + b * weight(j) + c * weight(n - i - j));
                    let square = self.distance_sq(&p, candidates, &mut last);
                    best.samples += 1;
                    if square > most {
                        most = square;
                        best = SampledOverhang { max_m: square.sqrt(), at: p, facet, ..best };
                    }
                }
            }
        }
        best
    }

    /// The supremum to within [`INTERVAL_M`], or as near as `splits_max` splits bring it.
    pub fn certified(&self, splits_max: usize) -> CertifiedOverhang {
        let mut best = (-1.0, self.hull.corners(0)[0]);
        let mut open = BinaryHeap::new();
        let mut order = 0;
        for (facet, candidates) in self.candidates.iter().enumerate() {
            let part = self.part(self.hull.corners(facet), candidates, &mut best, &mut order);
            open.push(part);
        }
        let mut splits = 0;
        let mut dropped_m = 0.0_f64;
        while let Some(part) = open.peek() {
            if part.upper_m <= best.0.max(0.0) + GOAL_M || splits >= splits_max {
                break;
            }
            let Some(part) = open.pop() else { break };
            splits += 1;
            for piece in self.pieces(&part) {
                let child = self.part(piece, &part.candidates, &mut best, &mut order);
                // What cannot raise the supremum past the goal is done.
                if child.upper_m > best.0 + GOAL_M {
                    open.push(child);
                } else {
                    dropped_m = dropped_m.max(child.upper_m);
                }
            }
        }
        let lower_m = best.0.max(0.0);
        let open_m = open.peek().map_or(0.0, |part| part.upper_m);
        let upper_m = lower_m.max(open_m).max(dropped_m);
        let certified = upper_m - lower_m <= INTERVAL_M;
        CertifiedOverhang { lower_m, upper_m, at: best.1, splits, certified }
    }

    /// A part cut along the edge of a mesh triangle that it lies on, else in two.
    ///
    /// Where hull and mesh cut one flat side along different diagonals, the far corner of a part is far from each mesh
    /// triangle, and halving would go on along the diagonal without end. Cut there, each piece lies on one triangle.
    fn pieces(&self, part: &Part) -> Vec<[Point; 3]> {
        let [a, b, c] = &part.corners;
        let middle = Point::from((a.coords + b.coords + c.coords) / 3.0);
        let longest = (a - b).norm().max((b - c).norm()).max((c - a).norm());
        let mut nearest = (f64::INFINITY, None);
        for &i in &part.candidates {
            let square = distance_sq_to_triangle(&middle, &self.triangles[i as usize]);
            if square < nearest.0 {
                nearest = (square, Some(i));
            }
        }
        let normal = (b - a).cross(&(c - a));
        if let (square, Some(i)) = nearest
            && square.sqrt() <= LIES_ON * longest
        {
            let corners = &self.triangles[i as usize];
            for (p, q) in [(0, 1), (1, 2), (2, 0)] {
                let across = normal.cross(&(corners[q] - corners[p]));
                let Some(across) = across.try_normalize(0.0) else { continue };
                let sides = part.corners.map(|corner| across.dot(&(corner - corners[p])));
                if let Some(pieces) = cut(&part.corners, sides, 1e-9 * longest) {
                    return pieces;
                }
            }
        }
        halves(&part.corners).to_vec()
    }

    fn part(
        &self,
        corners: [Point; 3],
        candidates: &[u32],
        best: &mut (f64, Point),
        order: &mut usize,
    ) -> Part {
        let mut nearest = [f64::INFINITY; 3];
        let mut upper = f64::INFINITY;
        let mut farthest_corner = Vec::with_capacity(candidates.len());
        for &i in candidates {
            let d = corners.map(|c| distance_sq_to_triangle(&c, &self.triangles[i as usize]).sqrt());
            for k in 0..3 {
                nearest[k] = nearest[k].min(d[k]);
            }
            let most = d[0].max(d[1]).max(d[2]);
            upper = upper.min(most);
            farthest_corner.push(most);
        }
        for k in 0..3 {
            if nearest[k] > best.0 {
                *best = (nearest[k], corners[k]);
            }
        }
        let edges = [(0, 1), (1, 2), (2, 0)].map(|(i, j): (usize, usize)| (corners[i] - corners[j]).norm());
        let longest = edges[0].max(edges[1]).max(edges[2]);
        // No point of the part is farther than its longest edge from the corner that is farthest from a triangle.
        let kept = candidates
            .iter()
            .zip(&farthest_corner)
            .filter(|&(_, &most)| most - longest <= upper)
            .map(|(&i, _)| i)
            .collect();
        *order += 1;
        Part { upper_m: upper, order: *order, corners, candidates: kept }
    }
}

/// A triangle of the hull's surface whose supremum is not known closely enough.
struct Part {
    upper_m: f64,
    /// Breaks ties, so that runs are alike.
    order: usize,
    corners: [Point; 3],
    candidates: Vec<u32>,
}

impl Ord for Part {
    fn cmp(&self, other: &Self) -> Ordering {
        self.upper_m.total_cmp(&other.upper_m).then(other.order.cmp(&self.order))
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Part {}

/// A triangle cut by a plane, from the signed distances of its corners; `None` when the plane does not pass between them
/// by more than `on` on both sides.
fn cut(corners: &[Point; 3], sides: [f64; 3], on: f64) -> Option<Vec<[Point; 3]>> {
    let lo = sides[0].min(sides[1]).min(sides[2]);
    let hi = sides[0].max(sides[1]).max(sides[2]);
    if lo >= -on || hi <= on {
        return None;
    }
    let crossing =
        |i: usize, j: usize| corners[i] + (corners[j] - corners[i]) * (sides[i] / (sides[i] - sides[j]));
    if let Some(i) = sides.iter().position(|side| side.abs() <= on) {
        // Through a corner: the two others are on either side.
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let middle = crossing(j, k);
        return Some(vec![[corners[i], corners[j], middle], [corners[i], middle, corners[k]]]);
    }
    // One corner alone on its side.
    let alone = (0..3).find(|&i| (0..3).all(|j| j == i || (sides[j] > 0.0) != (sides[i] > 0.0)))?;
    let (j, k) = ((alone + 1) % 3, (alone + 2) % 3);
    let (p, q) = (crossing(alone, j), crossing(alone, k));
    Some(vec![[corners[alone], p, q], [p, corners[j], corners[k]], [p, corners[k], q]])
}

/// The two halves of a triangle, cut at the middle of its longest edge.
fn halves(&[a, b, c]: &[Point; 3]) -> [[Point; 3]; 2] {
    let edges = [(a, b, c), (b, c, a), (c, a, b)];
    let longest = |x: &(Point, Point, Point)| (x.0 - x.1).norm_squared();
    let mut cut = edges[0];
    for edge in &edges[1..] {
        if longest(edge) > longest(&cut) {
            cut = *edge;
        }
    }
    let (p, q, other) = cut;
    let middle = nalgebra::center(&p, &q);
    [[p, middle, other], [middle, q, other]]
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    lo: [f64; 3],
    hi: [f64; 3],
}

impl Bounds {
    fn of(corners: &[Point; 3]) -> Self {
        let [a, b, c] = corners;
        Self {
            lo: [0, 1, 2].map(|k| a[k].min(b[k]).min(c[k])),
            hi: [0, 1, 2].map(|k| a[k].max(b[k]).max(c[k])),
        }
    }

    fn distance_sq(&self, other: &Self) -> f64 {
        (0..3)
            .map(|k| (self.lo[k] - other.hi[k]).max(other.lo[k] - self.hi[k]).max(0.0))
            .fold(0.0, |sum, gap| sum + gap * gap)
    }
}

/// `min over m of max over corners of dist(corner, m)`, squared.
fn upper_sq(corners: &[Point; 3], triangles: &[[Point; 3]], boxes: &[Bounds]) -> f64 {
    let mut upper = f64::INFINITY;
    for (triangle, bounds) in triangles.iter().zip(boxes) {
        let mut most = 0.0_f64;
        for corner in corners {
            let around = Bounds { lo: (*corner).into(), hi: (*corner).into() };
            if around.distance_sq(bounds) >= upper {
                most = f64::INFINITY;
                break;
            }
            most = most.max(distance_sq_to_triangle(corner, triangle));
        }
        upper = upper.min(most);
    }
    upper
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box with one face replaced by a pyramid that goes in.
    fn dented_box(depth: f64) -> TriangleMesh {
        let v = |x: f64, y: f64, z: f64| Point::new(x, y, z);
        let quad = |a: Point, b: Point, c: Point, d: Point| [[a, b, c], [a, c, d]];
        let [a, b, c, d] = [v(0.0, 0.0, 0.0), v(2.0, 0.0, 0.0), v(2.0, 2.0, 0.0), v(0.0, 2.0, 0.0)];
        let [e, f, g, h] = [a, b, c, d].map(|p| p + super::super::Vector::new(0.0, 0.0, 3.0));
        let tip = v(1.0, 1.0, 3.0 - depth);
        let mut facets = vec![[e, f, tip], [f, g, tip], [g, h, tip], [h, e, tip]];
        for side in [quad(d, c, b, a), quad(a, b, f, e), quad(b, c, g, f), quad(c, d, h, g), quad(d, a, e, h)]
        {
            facets.extend(side);
        }
        TriangleMesh::weld(facets).unwrap()
    }

    #[test]
    fn a_hull_over_a_pyramid_that_goes_in_overhangs_by_its_centre() {
        // From the middle of the lid to a wall of the pyramid: depth / sqrt(1 + depth^2), half the base being 1.
        for depth in [0.1_f64, 0.5, 1.0] {
            let mesh = dented_box(depth);
            let hull = ConvexHull::of(mesh.vertices()).unwrap();
            let probe = OverhangProbe::new(&hull, &mesh);
            let exact = depth / (1.0 + depth * depth).sqrt();
            let found = probe.certified(SPLITS_MAX);
            assert!(found.certified && found.lower_m <= exact + 1e-12 && found.upper_m >= exact - 1e-12);
            assert!(found.upper_m - found.lower_m <= INTERVAL_M, "{found:?}");
            let sampled = probe.sampled(SAMPLES_PER_EDGE);
            assert!(sampled.max_m <= exact + 1e-12 && sampled.max_m > 0.95 * exact);
            assert_eq!(sampled.samples, hull.facets().len() * 325);
        }
    }

    #[test]
    fn flat_sides_cut_along_other_diagonals_are_certified_at_once() {
        // A turned box in single precision: its sides are flat to 4e-9 m, and mesh and hull cut them as they like.
        let turn = crate::geometry::pose::pose_from_xyz_rpy([0.01, 0.02, -0.03, 0.3, 0.5, -0.7]);
        let stored = |p: Point| (turn * p).map(|x| f64::from(x as f32));
        let [x, y, z] = [0.05, 0.07, 0.12];
        let corner = |i: usize| {
            let side = |k: usize, half: f64| if i >> k & 1 == 1 { half } else { -half };
            stored(Point::new(side(0, x), side(1, y), side(2, z)))
        };
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        for diagonals in 0..64_usize {
            let facets = sides.iter().enumerate().flat_map(|(at, &[a, b, c, d])| {
                let [a, b, c, d] = [a, b, c, d].map(corner);
                if diagonals >> at & 1 == 1 { [[a, b, c], [a, c, d]] } else { [[b, c, d], [b, d, a]] }
            });
            let mesh = TriangleMesh::weld(facets).unwrap();
            let hull = ConvexHull::of(mesh.vertices()).unwrap();
            let found = OverhangProbe::new(&hull, &mesh).certified(1_000);
            assert!(found.certified && found.upper_m < 1e-8, "{diagonals}: {found:?}");
        }
    }

    #[test]
    fn a_cut_keeps_the_area_and_leaves_nothing_across() {
        let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 3.0, 0.0]].map(Point::from);
        let area = |t: &[Point; 3]| 0.5 * (t[1] - t[0]).cross(&(t[2] - t[0])).z;
        for (offset, slope, count) in [(1.0, 0.0, 3), (0.0, 1.0, 2), (0.5, -0.3, 3), (9.0, 0.0, 0)] {
            let side = |p: &Point| p.x - slope * p.y - offset;
            let found = cut(&corners, corners.map(|p| side(&p)), 1e-12).unwrap_or_default();
            assert_eq!(found.len(), count, "{offset} {slope}");
            if count > 0 {
                assert!((found.iter().map(area).sum::<f64>() - 6.0).abs() < 1e-12);
                for piece in &found {
                    let sides = piece.map(|p| side(&p));
                    assert!(sides.iter().all(|s| *s < 1e-12) || sides.iter().all(|s| *s > -1e-12));
                }
            }
        }
    }

    #[test]
    fn a_convex_mesh_has_no_overhang() {
        let mesh = dented_box(-1.0);
        let hull = ConvexHull::of(mesh.vertices()).unwrap();
        let found = OverhangProbe::new(&hull, &mesh).certified(SPLITS_MAX);
        assert!(found.upper_m <= 1e-9 && found.certified, "{found:?}");
    }

    #[test]
    fn what_is_published_is_a_fifth_more_rounded_up() {
        assert_eq!(emitted_m(0.000_215_609), 0.000_259);
        assert_eq!(emitted_m(0.000_119_233), 0.000_144);
        assert_eq!(emitted_m(0.000_403_974), 0.000_485);
        assert_eq!(emitted_m(0.0), 0.0);
    }

    #[test]
    fn candidates_leave_out_nothing_that_is_nearest() {
        let mesh = dented_box(0.7);
        let hull = ConvexHull::of(mesh.vertices()).unwrap();
        let probe = OverhangProbe::new(&hull, &mesh);
        let all: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
        for facet in 0..hull.facets().len() {
            let [a, b, c] = hull.corners(facet).map(|p| p.coords);
            for (u, v) in [(0.2, 0.3), (0.5, 0.5), (0.05, 0.9), (1.0 / 3.0, 1.0 / 3.0)] {
                let p = Point::from(a * u + b * v + c * (1.0 - u - v));
                let of = |candidates: &[u32]| probe.distance_sq(&p, candidates, &mut candidates[0].clone());
                assert_eq!(of(&probe.candidates[facet]), of(&all));
            }
        }
    }
}
