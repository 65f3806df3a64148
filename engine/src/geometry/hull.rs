//! Convex hulls of points: vertices in the order of the points, facets outward, planes.
//!
//! Geometry page, sections 6 and 8. The hull comes from parry3d (quickhull), which has its own order of vertices; they
//! are put back into the points' order here, because published hulls keep it. Every point is then held against every
//! facet plane, so a hull that lost a point is an error and not a smaller hull.

use super::pose::{Point, Vector};
use parry3d_f64::math::Vector as ParryVector;
use parry3d_f64::transformation::try_convex_hull;
use rollcheck_kernels::hull_distance::{LANES, Vertices};
use std::collections::HashMap;

/// Largest distance of a point outside a facet plane that rounding explains, m per metre of size.
const OUTSIDE_MAX: f64 = 1e-12;
/// Roundings that go into a facet's plane and the product with a point.
const ROUNDINGS: f64 = 8.0;
/// Points are flat when none is farther than this from one plane, m per metre of size.
const FLAT_MAX: f64 = 1e-9;

/// A convex polytope with volume.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexHull {
    vertices: Vec<Point>,
    source: Vec<u32>,
    facets: Vec<[u32; 3]>,
    lanes: [Vec<f64>; 3],
}

/// The half space `normal . x <= offset_m` of a facet; `normal` is a unit vector pointing out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Outward unit normal.
    pub normal: Vector,
    /// Distance of the plane from the origin along the normal, m.
    pub offset_m: f64,
    /// How far a point as far out as the hull's may seem to be outside for rounding alone, m: a thin facet's normal is known
    /// only to the rounding of its corners over its height.
    pub rounding_m: f64,
}

impl Plane {
    /// Signed distance of a point, m; positive outside.
    pub fn excess_m(&self, point: &Point) -> f64 {
        self.normal.dot(&point.coords) - self.offset_m
    }

    /// As [`Self::excess_m`], less what rounding explains.
    pub fn sure_excess_m(&self, point: &Point) -> f64 {
        self.excess_m(point) - self.rounding_m
    }
}

/// Why points have no hull.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HullError {
    /// Fewer than four different points.
    #[error("{found} different points, a hull needs at least 4")]
    TooFew {
        /// How many.
        found: usize,
    },
    /// All in one plane.
    #[error("coplanar points: no hull (all within {thickness_m:e} m of one plane)")]
    Flat {
        /// How far the farthest is from it, m.
        thickness_m: f64,
    },
    /// A coordinate is NaN or infinite.
    #[error("point {index} is not finite")]
    NotFinite {
        /// Which.
        index: usize,
    },
    /// The construction gave up.
    #[error("the convex hull could not be built: {reason}")]
    Failed {
        /// What it said.
        reason: String,
    },
    /// A point lies outside what was built.
    #[error("the convex hull that was built leaves point {index} outside by {excess_m:e} m")]
    Outside {
        /// Which.
        index: usize,
        /// How far, m.
        excess_m: f64,
    },
}

impl ConvexHull {
    /// The hull of points.
    ///
    /// # Errors
    /// [`HullError`].
    pub fn of(points: &[Point]) -> Result<Self, HullError> {
        if let Some(index) = points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
            return Err(HullError::NotFinite { index });
        }
        let mut first: HashMap<[u64; 3], u32> = HashMap::with_capacity(points.len());
        for (index, p) in points.iter().enumerate() {
            first.entry(key(&[p.x, p.y, p.z])).or_insert(index as u32);
        }
        if first.len() < 4 {
            return Err(HullError::TooFew { found: first.len() });
        }
        let size_m = refuse_flat(points)?;

        let cloud: Vec<ParryVector> = points.iter().map(|p| ParryVector::new(p.x, p.y, p.z)).collect();
        let (built, facets) =
            try_convex_hull(&cloud).map_err(|e| HullError::Failed { reason: format!("{e:?}") })?;
        let mut order = Vec::with_capacity(built.len());
        for (at, v) in built.iter().enumerate() {
            let Some(&source) = first.get(&key(&[v.x, v.y, v.z])) else {
                return Err(HullError::Failed { reason: "it moved a vertex".to_owned() });
            };
            order.push((source, at));
        }
        order.sort_unstable();
        let mut place = vec![0_u32; built.len()];
        for (new, &(_, old)) in order.iter().enumerate() {
            place[old] = new as u32;
        }
        let source: Vec<u32> = order.into_iter().map(|(source, _)| source).collect();
        let mut facets: Vec<[u32; 3]> =
            facets.into_iter().map(|f| lowest_first(f.map(|i| place[i as usize]))).collect();
        facets.sort_unstable();
        let vertices: Vec<Point> = source.iter().map(|&i| points[i as usize]).collect();
        let lanes = [0, 1, 2].map(|k| padded(&vertices, k));
        let hull = Self { vertices, source, facets, lanes };
        hull.refuse_outside(points, size_m)?;
        Ok(hull)
    }

    fn refuse_outside(&self, points: &[Point], size_m: f64) -> Result<(), HullError> {
        let planes = self.planes();
        if self.vertices.len() < 4 || planes.len() < 4 {
            return Err(HullError::Failed { reason: "what was built has no volume".to_owned() });
        }
        for (index, point) in points.iter().enumerate() {
            let excess_m =
                planes.iter().fold(f64::NEG_INFINITY, |e, plane| e.max(plane.sure_excess_m(point)));
            if excess_m > OUTSIDE_MAX * size_m {
                return Err(HullError::Outside { index, excess_m });
            }
        }
        Ok(())
    }

    /// Vertices, in the order of the points they were taken from, m.
    pub fn vertices(&self) -> &[Point] {
        &self.vertices
    }

    /// For each vertex its index among the points.
    pub fn source(&self) -> &[u32] {
        &self.source
    }

    /// Facets as triangles of vertex indices, counter-clockwise from outside, ascending.
    pub fn facets(&self) -> &[[u32; 3]] {
        &self.facets
    }

    /// The corners of a facet.
    pub fn corners(&self, facet: usize) -> [Point; 3] {
        self.facets[facet].map(|i| self.vertices[i as usize])
    }

    /// The plane of each facet, in the order of [`Self::facets`]; facets without area have none and are left out.
    pub fn planes(&self) -> Vec<Plane> {
        let reach = self.vertices.iter().fold(0.0_f64, |m, p| m.max(p.coords.amax()));
        (0..self.facets.len())
            .filter_map(|facet| {
                let [a, b, c] = self.corners(facet);
                let area = (b - a).cross(&(c - a));
                let normal = area.try_normalize(0.0)?;
                let longest = (b - a).norm_squared().max((c - a).norm_squared()).max((c - b).norm_squared());
                // A coordinate's rounding over the facet's height, as far out as the hull reaches.
                let lever = 1.0 + (2.0 * reach) * longest.sqrt() / area.norm();
                let rounding_m = ROUNDINGS * f64::EPSILON * reach * lever;
                Some(Plane { normal, offset_m: normal.dot(&a.coords), rounding_m })
            })
            .collect()
    }

    /// The vertices as the op takes them.
    pub fn lanes(&self) -> Vertices<'_> {
        let [x, y, z] = &self.lanes;
        Vertices { x, y, z }
    }

    /// Enclosed volume, m^3.
    pub fn volume_m3(&self) -> f64 {
        (0..self.facets.len())
            .map(|facet| {
                let [a, b, c] = self.corners(facet).map(|p| p.coords);
                a.dot(&b.cross(&c)) / 6.0
            })
            .sum()
    }

    /// The eight corners of a box as a hull, m; the box is centred at the origin.
    pub fn of_box(half_extents_m: [f64; 3]) -> Result<Self, HullError> {
        let corner = |i: usize| {
            let side = |k: usize| if i >> k & 1 == 1 { half_extents_m[k] } else { -half_extents_m[k] };
            Point::new(side(0), side(1), side(2))
        };
        let corners: Vec<Point> = (0..8).map(corner).collect();
        Self::of(&corners)
    }
}

/// One coordinate of the vertices, filled up with the last.
fn padded(vertices: &[Point], k: usize) -> Vec<f64> {
    let last = vertices.last().map_or(0.0, |p| p[k]);
    let mut lane: Vec<f64> = vertices.iter().map(|p| p[k]).collect();
    lane.resize(vertices.len().next_multiple_of(LANES), last);
    lane
}

fn key(p: &[f64; 3]) -> [u64; 3] {
    // Adding +0 turns -0 into +0 and nothing else.
    p.map(|x| (x + 0.0).to_bits())
}

fn lowest_first([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a < b && a < c {
        [a, b, c]
    } else if b < c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

/// The size of a cloud, m, unless it lies in a plane.
fn refuse_flat(points: &[Point]) -> Result<f64, HullError> {
    let farthest = |measure: &dyn Fn(&Point) -> f64| {
        let mut best = (points[0], 0.0);
        for p in points {
            let way = measure(p);
            if way > best.1 {
                best = (*p, way);
            }
        }
        best
    };
    let a = points[0];
    let (b, size_m) = farthest(&|p| (p - a).norm());
    let along = (b - a).try_normalize(0.0).unwrap_or_else(Vector::zeros);
    let (c, width_m) = farthest(&|p| (p - a).cross(&along).norm());
    let normal = along.cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vector::zeros);
    let (_, thickness_m) = farthest(&|p| (p - a).dot(&normal).abs());
    if width_m <= FLAT_MAX * size_m || thickness_m <= FLAT_MAX * size_m {
        return Err(HullError::Flat { thickness_m });
    }
    Ok(size_m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_its_eight_corners_and_twelve_facets() {
        let hull = ConvexHull::of_box([1.0, 2.0, 3.0]).unwrap();
        assert_eq!((hull.vertices().len(), hull.facets().len()), (8, 12));
        assert!((hull.volume_m3() - 48.0).abs() < 1e-12);
        for plane in hull.planes() {
            assert_eq!(plane.normal.abs().sum(), 1.0);
            assert_eq!(plane.offset_m, plane.normal.abs().dot(&Vector::new(1.0, 2.0, 3.0)));
        }
    }

    #[test]
    fn vertices_keep_the_order_of_the_points_and_inner_points_are_left_out() {
        let points = [
            [0.1, 0.1, 0.1],
            [0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 0.0],
        ]
        .map(Point::from);
        let hull = ConvexHull::of(&points).unwrap();
        assert_eq!(hull.source(), [1, 2, 4, 5]);
        assert_eq!(hull.facets().len(), 4);
        assert!((hull.volume_m3() - 1.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn points_without_volume_have_no_hull() {
        let flat = [[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [1.0, 1.0, 0.5]].map(Point::from);
        assert_eq!(ConvexHull::of(&flat), Err(HullError::Flat { thickness_m: 0.0 }));
        let line = [0.0, 1.0, 2.0, 3.0].map(|x| Point::new(x, 2.0 * x, -x));
        assert!(matches!(ConvexHull::of(&line), Err(HullError::Flat { .. })));
        assert_eq!(ConvexHull::of(&flat[..3]), Err(HullError::TooFew { found: 3 }));
        assert_eq!(ConvexHull::of(&[flat[0]; 9]), Err(HullError::TooFew { found: 1 }));
        assert_eq!(ConvexHull::of(&[]), Err(HullError::TooFew { found: 0 }));
        // Found by mutation: so long and thin that what is built has no volume.
        let thin = [
            [0.0, 0.0, 0.0],
            [0.0, 0.1, 0.0],
            [0.1, 0.0, 0.0],
            [0.1, -33_554_432.0, 2e-41],
            [0.0, 0.0, 0.1],
            [0.0, 0.0, 3e-43],
        ]
        .map(Point::from);
        assert!(matches!(ConvexHull::of(&thin), Err(HullError::Failed { .. })));
        let mut bad = flat;
        bad[2].z = f64::INFINITY;
        assert_eq!(ConvexHull::of(&bad), Err(HullError::NotFinite { index: 2 }));
    }
}
