//! A triangle mesh in the frame of its link, metres, and what can be said of its condition.
//!
//! Vertices are welded by exact equality of the three coordinates, -0 being +0 (geometry page, section 7: the published
//! point counts depend on it), in order of first mention. Everything that is measured uses vertices and triangles
//! only, so a mesh that is not watertight is measured and reported, never refused. What is refused: no triangle, an
//! index past the vertices, a coordinate that is not finite or beyond 1e6 m.

use super::pose::{Point, Vector};
use std::collections::{BTreeMap, HashMap};

/// Largest coordinate, m: squares and products of it stay far from overflow.
pub const COORDINATE_MAX_M: f64 = 1e6;

/// A triangle mesh; at least one triangle, all coordinates finite and within [`COORDINATE_MAX_M`], all indices within.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<Point>,
    triangles: Vec<[u32; 3]>,
}

/// Why triangles make no mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// Nothing to measure.
    #[error("no triangles")]
    NoTriangles,
    /// A coordinate is NaN or infinite.
    #[error("non-finite vertex in facet {facet} (counted from 0)")]
    NonFinite {
        /// The first such facet.
        facet: usize,
    },
    /// A vertex of no triangle has a coordinate that is NaN, infinite or too large.
    #[error(
        "vertex {index} (counted from 0), which no facet uses, is not finite or beyond {COORDINATE_MAX_M:e} m"
    )]
    BadVertex {
        /// The first such vertex.
        index: usize,
    },
    /// A coordinate is larger than any robot.
    #[error(
        "facet {facet} (counted from 0) reaches {found_m:e} m from the origin, expected at most {COORDINATE_MAX_M:e} m"
    )]
    TooFar {
        /// The first such facet.
        facet: usize,
        /// The coordinate, m.
        found_m: f64,
    },
    /// A triangle names a vertex that is not there.
    #[error("facet {facet} (counted from 0) names vertex {index}, expected less than {vertices}")]
    Index {
        /// The first such facet.
        facet: usize,
        /// What it names.
        index: u32,
        /// How many there are.
        vertices: usize,
    },
    /// More vertices than an index can name.
    #[error("{found} vertices, expected at most {}", u32::MAX)]
    TooMany {
        /// How many there are.
        found: usize,
    },
}

/// What is odd about a mesh without making it unusable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshCondition {
    /// Triangles without area: two corners equal or all three on a line.
    pub degenerate_triangles: usize,
    /// Edges that do not have exactly two triangles, running opposite ways. None: watertight.
    pub open_edges: usize,
    /// Vertices of no triangle. They count for hull, slabs and slop, not for the surface.
    pub unreferenced_vertices: usize,
}

impl TriangleMesh {
    /// The mesh of a soup of triangles, welded.
    ///
    /// # Errors
    /// [`MeshError`].
    pub fn weld(facets: impl IntoIterator<Item = [Point; 3]>) -> Result<Self, MeshError> {
        let mut welded = Welder::default();
        let mut triangles = Vec::new();
        for (facet, corners) in facets.into_iter().enumerate() {
            for corner in &corners {
                check(corner, facet)?;
            }
            triangles.push(corners.map(|corner| welded.index(corner)));
        }
        if welded.vertices.len() > u32::MAX as usize {
            return Err(MeshError::TooMany { found: welded.vertices.len() });
        }
        Self::new(welded.vertices, triangles)
    }

    /// An indexed mesh; equal vertices are welded, unreferenced ones kept.
    ///
    /// # Errors
    /// [`MeshError`].
    pub fn from_indexed(vertices: &[Point], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        if vertices.len() > u32::MAX as usize {
            return Err(MeshError::TooMany { found: vertices.len() });
        }
        for (facet, corners) in triangles.iter().enumerate() {
            for &index in corners {
                let Some(corner) = vertices.get(index as usize) else {
                    return Err(MeshError::Index { facet, index, vertices: vertices.len() });
                };
                check(corner, facet)?;
            }
        }
        if let Some(index) = vertices.iter().position(|p| check(p, 0).is_err()) {
            return Err(MeshError::BadVertex { index });
        }
        let mut welded = Welder::default();
        let kept: Vec<u32> = vertices.iter().map(|&p| welded.index(p)).collect();
        let renamed = triangles.iter().map(|corners| corners.map(|i| kept[i as usize])).collect();
        Self::new(welded.vertices, renamed)
    }

    fn new(vertices: Vec<Point>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        if triangles.is_empty() {
            return Err(MeshError::NoTriangles);
        }
        Ok(Self { vertices, triangles })
    }

    /// Vertices, in order of first mention, m.
    pub fn vertices(&self) -> &[Point] {
        &self.vertices
    }

    /// Triangles as vertex indices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of each triangle.
    pub fn facets(&self) -> impl ExactSizeIterator<Item = [Point; 3]> + '_ {
        self.triangles.iter().map(|corners| corners.map(|i| self.vertices[i as usize]))
    }

    /// The same mesh in another frame: `map` is applied to every vertex.
    #[must_use]
    pub fn map(&self, map: impl FnMut(&Point) -> Point) -> Self {
        Self { vertices: self.vertices.iter().map(map).collect(), triangles: self.triangles.clone() }
    }

    /// Enclosed volume, m^3, by the divergence theorem; meaningful when watertight.
    pub fn volume_m3(&self) -> f64 {
        self.facets().map(|[a, b, c]| a.coords.dot(&b.coords.cross(&c.coords)) / 6.0).sum()
    }

    /// What is odd about it.
    pub fn condition(&self) -> MeshCondition {
        let mut edges: BTreeMap<(u32, u32), (u32, u32)> = BTreeMap::new();
        let mut used = vec![false; self.vertices.len()];
        let mut degenerate_triangles = 0;
        for &[a, b, c] in &self.triangles {
            let [p, q, r] = [a, b, c].map(|i| self.vertices[i as usize]);
            let normal: Vector = (q - p).cross(&(r - p));
            degenerate_triangles += usize::from(normal == Vector::zeros());
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let count = edges.entry((from.min(to), from.max(to))).or_default();
                if from < to { count.0 += 1 } else { count.1 += 1 }
            }
            for i in [a, b, c] {
                used[i as usize] = true;
            }
        }
        MeshCondition {
            degenerate_triangles,
            open_edges: edges.values().filter(|&&count| count != (1, 1)).count(),
            unreferenced_vertices: used.iter().filter(|&&used| !used).count(),
        }
    }
}

impl MeshCondition {
    /// Every edge has its two triangles.
    pub fn watertight(self) -> bool {
        self.open_edges == 0
    }
}

fn check(p: &Point, facet: usize) -> Result<(), MeshError> {
    if p.iter().any(|x| !x.is_finite()) {
        return Err(MeshError::NonFinite { facet });
    }
    let found_m = p.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if found_m > COORDINATE_MAX_M { Err(MeshError::TooFar { facet, found_m }) } else { Ok(()) }
}

#[derive(Default)]
struct Welder {
    vertices: Vec<Point>,
    index: HashMap<[u64; 3], u32>,
}

impl Welder {
    fn index(&mut self, p: Point) -> u32 {
        // Adding +0 turns -0 into +0 and nothing else.
        let key = [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
        *self.index.entry(key).or_insert_with(|| {
            self.vertices.push(p);
            (self.vertices.len() - 1) as u32
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> Vec<[Point; 3]> {
        let [o, x, y, z] =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.0, 0.0, 1.0]].map(Point::from);
        vec![[o, y, x], [o, x, z], [o, z, y], [x, y, z]]
    }

    #[test]
    fn a_soup_is_welded_in_order_of_first_mention_and_minus_zero_is_zero() {
        let mesh = TriangleMesh::weld(tetrahedron()).unwrap();
        assert_eq!(mesh.vertices().len(), 4);
        assert_eq!(mesh.triangles()[0], [0, 1, 2]);
        assert!((mesh.volume_m3() - 1.0 / 6.0).abs() < 1e-15);
        assert_eq!(mesh.condition(), MeshCondition::default());
        let twice = [[-0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]].map(Point::from);
        let mesh = TriangleMesh::weld([twice]).unwrap();
        assert_eq!(mesh.triangles(), [[0, 0, 1]]);
        assert_eq!(mesh.condition().degenerate_triangles, 1);
    }

    #[test]
    fn what_is_odd_is_counted() {
        let mut facets = tetrahedron();
        facets.pop();
        let open = TriangleMesh::weld(facets).unwrap();
        assert_eq!(open.condition().open_edges, 3);
        assert!(!open.condition().watertight());
        let far = Point::new(9.0, 9.0, 9.0);
        let vertices: Vec<Point> = [open.vertices(), &[far]].concat();
        let mesh = TriangleMesh::from_indexed(&vertices, open.triangles()).unwrap();
        assert_eq!(mesh.condition().unreferenced_vertices, 1);
        assert_eq!(mesh.vertices().len(), 5);
    }

    #[test]
    fn what_makes_no_mesh_is_refused() {
        assert_eq!(TriangleMesh::weld([]), Err(MeshError::NoTriangles));
        let mut facets = tetrahedron();
        facets[3][1].y = f64::NAN;
        assert_eq!(TriangleMesh::weld(facets.clone()), Err(MeshError::NonFinite { facet: 3 }));
        facets[3][1].y = -2e6;
        assert_eq!(TriangleMesh::weld(facets), Err(MeshError::TooFar { facet: 3, found_m: 2e6 }));
        let o = Point::origin();
        let error = TriangleMesh::from_indexed(&[o], &[[0, 0, 0], [0, 0, 1]]).unwrap_err();
        assert_eq!(error, MeshError::Index { facet: 1, index: 1, vertices: 1 });
        let unused = [o, Point::new(f64::NAN, 0.0, 0.0)];
        assert_eq!(TriangleMesh::from_indexed(&unused, &[[0, 0, 0]]), Err(MeshError::BadVertex { index: 1 }));
        assert_eq!(TriangleMesh::from_indexed(&[o], &[]), Err(MeshError::NoTriangles));
    }
}
