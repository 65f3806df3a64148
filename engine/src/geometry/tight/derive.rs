//! Tight geometry made from a mesh.

use super::super::dop::Dop26;
use super::super::hull::{ConvexHull, HullError};
use super::super::mesh::TriangleMesh;
use super::super::overhang::{CertifiedOverhang, OverhangProbe, SampledOverhang, published_m};
use super::super::robot::TightGeometry;
use super::{DERIVED_M, MAX_TIGHT_HULL_VERTICES, TightFault, fault, polytope};
use crate::geometry::Point;

/// What becomes of a hull with more vertices than a check may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverLimit {
    /// No hull ships: the slabs stay, the overhang is absent.
    NoHull,
    /// The slabs are refined to the limit and ship as the hull.
    Refine,
}

/// Whether a stage-2 hull ships.
#[derive(Clone, Debug, PartialEq)]
pub enum HullDecision {
    /// The exact hull of the mesh.
    Exact,
    /// The exact hull has too many vertices and none ships.
    None,
    /// The slabs, refined.
    Refined {
        /// Facet planes of the exact hull that were taken.
        accepted: usize,
    },
}

/// Tight geometry with what it was decided from.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedTight {
    /// What a manifest declares; its overhang is the published one: the grid's and a fifth more, never less than
    /// the proved one, rounded up.
    pub tight: TightGeometry,
    /// Vertices of the exact hull.
    pub exact_hull_vertices: usize,
    /// Facets of the exact hull.
    pub exact_hull_facets: usize,
    /// Which hull ships.
    pub decision: HullDecision,
    /// Smallest distance of the first three slabs from the box, m.
    pub inward_margin_m: f64,
    /// The shipped hull's overhang on the documented grid.
    pub sampled: Option<SampledOverhang>,
    /// The shipped hull's overhang between two bounds.
    pub certified: Option<CertifiedOverhang>,
}

/// Why no tight geometry can be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TightError {
    /// The mesh has no hull.
    #[error(transparent)]
    Hull(#[from] HullError),
    /// What was made may not be used: the box is smaller than the mesh.
    #[error(transparent)]
    Fault(#[from] TightFault),
    /// The slabs cannot be refined.
    #[error("the slabs could not be refined to {MAX_TIGHT_HULL_VERTICES} vertices")]
    NotRefined,
    /// A refined hull does not hold its mesh.
    #[error("the refined hull leaves the mesh outside by {excess_m:e} m, at most {DERIVED_M:e} m")]
    MeshEscapes {
        /// How far, m.
        excess_m: f64,
    },
}

/// Derives slabs and hull of a mesh in the box frame, with the overhang on a grid of `samples_per_edge`.
///
/// # Errors
/// [`TightError`].
pub fn derive(
    half_extents_m: [f64; 3],
    mesh: &TriangleMesh,
    over_limit: OverLimit,
    samples_per_edge: usize,
    splits_max: usize,
) -> Result<DerivedTight, TightError> {
    let exact = ConvexHull::of(mesh.vertices())?;
    let dop = Dop26::around(mesh.vertices()).ok_or(HullError::TooFew { found: 0 })?;
    let slabs_only = TightGeometry { dop, hull_vertices_m: Vec::new(), hull_overhang_m: None };
    if let Some(fault) = fault(half_extents_m, &slabs_only) {
        return Err(fault.into());
    }
    let (hull_vertices_m, decision) = if exact.vertices().len() <= MAX_TIGHT_HULL_VERTICES {
        (exact.vertices().to_vec(), HullDecision::Exact)
    } else if over_limit == OverLimit::NoHull {
        (Vec::new(), HullDecision::None)
    } else {
        let refined =
            polytope::refine(&dop, &exact, MAX_TIGHT_HULL_VERTICES).ok_or(TightError::NotRefined)?;
        let accepted = refined.accepted;
        (refined.vertices, HullDecision::Refined { accepted })
    };
    let mut sampled = None;
    let mut certified = None;
    if !hull_vertices_m.is_empty() {
        let hull = match decision {
            HullDecision::Exact => exact.clone(),
            _ => ConvexHull::of(&hull_vertices_m)?,
        };
        let excess_m = mesh_excess_m(&hull, mesh.vertices());
        if excess_m > DERIVED_M {
            return Err(TightError::MeshEscapes { excess_m });
        }
        let probe = OverhangProbe::new(&hull, mesh);
        sampled = Some(probe.sampled(samples_per_edge));
        certified = Some(probe.certified(splits_max));
    }
    let hull_overhang_m = sampled.zip(certified).map(|(s, c)| published_m(&s, &c));
    let tight = TightGeometry { dop, hull_vertices_m, hull_overhang_m };
    if let Some(fault) = fault(half_extents_m, &tight) {
        return Err(fault.into());
    }
    Ok(DerivedTight {
        inward_margin_m: inward_margin_m(half_extents_m, &dop),
        tight,
        exact_hull_vertices: exact.vertices().len(),
        exact_hull_facets: exact.facets().len(),
        decision,
        sampled,
        certified,
    })
}

/// Smallest distance of the first three slabs from the box, m; negative when they leave it.
pub fn inward_margin_m(half_extents_m: [f64; 3], dop: &Dop26) -> f64 {
    half_extents_m
        .iter()
        .enumerate()
        .fold(f64::INFINITY, |least, (k, half)| least.min(half - dop.hi_m[k]).min(half + dop.lo_m[k]))
}

/// How far a mesh reaches outside a hull's facet planes beyond rounding, m; at or below 0 inside.
pub fn mesh_excess_m(hull: &ConvexHull, vertices: &[Point]) -> f64 {
    let planes = hull.planes();
    vertices.iter().fold(f64::NEG_INFINITY, |most, p| {
        planes.iter().fold(most, |most, plane| most.max(plane.sure_excess_m(p)))
    })
}
