//! Declared tight geometry held against the mesh that it stands for.
//!
//! Geometry page, section 7: (a) the mesh inside the slabs, (b) the mesh inside every facet plane of the declared hull, (c)
//! a hull has an overhang, (d) the overhang is large enough, (e) an overhang has a hull. A link without a mesh is the
//! caller's to report. The overhang is proved by the certified supremum, not by a grid that may repeat the first one.

use super::super::hull::ConvexHull;
use super::super::mesh::TriangleMesh;
use super::super::overhang::{
    CHECK_SAMPLES_PER_EDGE, CertifiedOverhang, OverhangProbe, SAMPLES_PER_EDGE, SampledOverhang, emitted_m,
};
use super::super::robot::TightGeometry;
use super::derive::mesh_excess_m;
use super::{TightFault, fault};

/// An overhang may be this much smaller than what is found, m.
pub const OVERHANG_SLACK_M: f64 = 1e-6;
/// A declared overhang this many times the supremum is explained by the recipe: 1.2 and rounding up, and no more.
const EXPLAINED_SLACK_M: f64 = 1.5e-6;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// The declaration is wrong on the unsafe side.
    Violation,
    /// Safe, but not what the mesh gives.
    Warning,
}

/// What is wrong with a declaration.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Finding {
    /// The safety kernel would not load it.
    #[error("{0}")]
    Fault(#[from] TightFault),
    /// (a) The mesh leaves the slabs.
    #[error("the mesh is {excess_m:e} m outside the slabs, at most {tolerance_m:e} m")]
    MeshOutsideDop {
        /// How far, m.
        excess_m: f64,
        /// What is allowed, m.
        tolerance_m: f64,
    },
    /// (b) The mesh leaves the hull.
    #[error("the mesh is {excess_m:e} m outside the declared hull, at most {tolerance_m:e} m")]
    MeshOutsideHull {
        /// How far, m.
        excess_m: f64,
        /// What is allowed, m.
        tolerance_m: f64,
    },
    /// The declared vertices make no hull.
    #[error("the declared hull vertices make no hull: {0}")]
    NoHull(super::super::hull::HullError),
    /// (c) A hull without an overhang.
    #[error("hull vertices are declared without hull_overhang_m")]
    OverhangMissing,
    /// (d) The overhang is too small.
    #[error(
        "hull_overhang_m is {declared_m} m, but the hull reaches {found_m:.9} m past its mesh (slack {OVERHANG_SLACK_M:e} m)"
    )]
    OverhangTooSmall {
        /// What is declared, m.
        declared_m: f64,
        /// What is reached, m.
        found_m: f64,
    },
    /// The overhang is larger than the recipe explains.
    #[error(
        "hull_overhang_m is {declared_m} m where the recipe gives {recipe_m:.6} m (supremum {supremum_m:.9} m): safe, but not from this mesh"
    )]
    OverhangUnexplained {
        /// What is declared, m.
        declared_m: f64,
        /// What the documented recipe gives, m.
        recipe_m: f64,
        /// Upper bound of the supremum, m.
        supremum_m: f64,
    },
    /// The bounds did not meet; the upper one was used.
    #[error("the overhang could not be certified: it lies between {lower_m:.9} and {upper_m:.9} m")]
    NotCertified {
        /// Reached, m.
        lower_m: f64,
        /// Not passed, m.
        upper_m: f64,
    },
}

impl Finding {
    /// How grave it is.
    pub fn kind(&self) -> FindingKind {
        match self {
            Self::OverhangUnexplained { .. } | Self::NotCertified { .. } => FindingKind::Warning,
            _ => FindingKind::Violation,
        }
    }
}

/// What was found on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkCheck {
    /// Vertices of the mesh.
    pub mesh_vertices: usize,
    /// Vertices of the declared hull.
    pub hull_vertices: usize,
    /// How far the mesh reaches outside the slabs, m; at or below 0 inside.
    pub outside_dop_m: f64,
    /// How far the mesh reaches outside the hull, m; `None` without a hull.
    pub outside_hull_m: Option<f64>,
    /// The overhang on the documented grid.
    pub sampled: Option<SampledOverhang>,
    /// The overhang on the documented finer grid.
    pub resampled: Option<SampledOverhang>,
    /// The overhang between two bounds.
    pub certified: Option<CertifiedOverhang>,
    /// What is wrong, in the order above.
    pub findings: Vec<Finding>,
}

impl LinkCheck {
    /// Whether anything is wrong on the unsafe side.
    pub fn violated(&self) -> bool {
        self.findings.iter().any(|finding| finding.kind() == FindingKind::Violation)
    }
}

/// Checks a declaration against its mesh, both in the box frame; `tolerance_m` for "the mesh is inside".
pub fn check(
    half_extents_m: [f64; 3],
    tight: &TightGeometry,
    mesh: &TriangleMesh,
    tolerance_m: f64,
    splits_max: usize,
) -> LinkCheck {
    let mut findings = Vec::new();
    findings.extend(fault(half_extents_m, tight).map(Finding::Fault));
    let outside_dop_m =
        mesh.vertices().iter().fold(f64::NEG_INFINITY, |most, p| most.max(tight.dop.excess_m(p)));
    if outside_dop_m > tolerance_m {
        findings.push(Finding::MeshOutsideDop { excess_m: outside_dop_m, tolerance_m });
    }
    let mut it = LinkCheck {
        mesh_vertices: mesh.vertices().len(),
        hull_vertices: tight.hull_vertices_m.len(),
        outside_dop_m,
        outside_hull_m: None,
        sampled: None,
        resampled: None,
        certified: None,
        findings,
    };
    if !tight.has_stage2_hull() {
        return it;
    }
    let hull = match ConvexHull::of(&tight.hull_vertices_m) {
        Ok(hull) => hull,
        Err(error) => {
            it.findings.push(Finding::NoHull(error));
            return it;
        }
    };
    let excess_m = mesh_excess_m(&hull, mesh.vertices());
    it.outside_hull_m = Some(excess_m);
    if excess_m > tolerance_m {
        it.findings.push(Finding::MeshOutsideHull { excess_m, tolerance_m });
    }
    let probe = OverhangProbe::new(&hull, mesh);
    let sampled = probe.sampled(SAMPLES_PER_EDGE);
    let resampled = probe.sampled(CHECK_SAMPLES_PER_EDGE);
    let certified = probe.certified(splits_max);
    (it.sampled, it.resampled, it.certified) = (Some(sampled), Some(resampled), Some(certified));
    let Some(declared_m) = tight.hull_overhang_m else {
        it.findings.push(Finding::OverhangMissing);
        return it;
    };
    // The upper bound counts: what could not be proved small enough is too small.
    let found_m = certified.upper_m;
    if found_m > declared_m + OVERHANG_SLACK_M {
        it.findings.push(Finding::OverhangTooSmall { declared_m, found_m });
    } else {
        let recipe_m = emitted_m(sampled.max_m);
        // A recipe on another triangulation or a finer grid may come out a step higher.
        if declared_m > 1.2 * found_m + EXPLAINED_SLACK_M && declared_m > recipe_m + OVERHANG_SLACK_M {
            it.findings.push(Finding::OverhangUnexplained { declared_m, recipe_m, supremum_m: found_m });
        }
    }
    if !certified.certified {
        it.findings.push(Finding::NotCertified { lower_m: certified.lower_m, upper_m: certified.upper_m });
    }
    it
}
