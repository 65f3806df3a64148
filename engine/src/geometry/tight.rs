//! Tight geometry of a link: slabs and a stage-2 hull, derived from its mesh or held against it.
//!
//! ```text
//! mesh <= hull <= 26-DOP <= box        each link exact by construction
//! ```
//!
//! Geometry page, sections 5 to 7. Everything is in the box frame of the link, metres. [`fault`] says whether declared
//! slabs and vertices may be used at all, as the safety kernel does at load; [`mod@derive`] makes them from a mesh;
//! [`mod@check`] holds declared ones against the mesh they stand for. An overhang is measured or absent, never 0 for want of
//! a measurement.

pub mod check;
pub mod derive;
pub mod polytope;

pub use check::{Finding, FindingKind, LinkCheck, check};
pub use derive::{DerivedTight, HullDecision, TightError, derive};

use super::dop::{DOP_SLABS, Dop26};
use super::robot::TightGeometry;

/// Most vertices of a stage-2 hull: what a check may cost. Never cut down to it.
pub const MAX_TIGHT_HULL_VERTICES: usize = 320;
/// How far a declared hull vertex may lie outside a declared slab, m.
pub const HULL_IN_DOP_M: f64 = 1e-9;
/// How far a mesh may lie outside a block that the same run derived, m.
pub const DERIVED_M: f64 = 1e-9;
/// How far a mesh read from a file may lie outside a declared block, m: published blocks were made from 32-bit floats about
/// another origin (section 6, "Float trap").
pub const DECLARED_M: f64 = 1e-7;

/// Why declared tight geometry must not be used; the safety kernel's status tokens.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TightFault {
    /// A slab is not finite or upside down.
    #[error("degenerate: slab {slab} runs from {lo_m} to {hi_m} m")]
    Degenerate {
        /// Which, from 0.
        slab: usize,
        /// Its lower end.
        lo_m: f64,
        /// Its upper end.
        hi_m: f64,
    },
    /// One of the first three slabs leaves the box.
    #[error(
        "escapes_box: slab {slab} runs from {lo_m} to {hi_m} m, past the box's half extent of {half_m} m"
    )]
    EscapesBox {
        /// Which, from 0.
        slab: usize,
        /// Its lower end.
        lo_m: f64,
        /// Its upper end.
        hi_m: f64,
        /// The half extent.
        half_m: f64,
    },
    /// A hull vertex lies outside a slab.
    #[error(
        "hull_escapes_dop: hull vertex {vertex} is {excess_m:e} m outside the slabs, at most {HULL_IN_DOP_M:e} m"
    )]
    HullEscapesDop {
        /// Which, from 0.
        vertex: usize,
        /// How far, m.
        excess_m: f64,
    },
    /// More vertices than a check may cost.
    #[error("too_many_vertices: {found} hull vertices, expected at most {MAX_TIGHT_HULL_VERTICES}")]
    TooManyVertices {
        /// How many.
        found: usize,
    },
    /// An overhang that is no length.
    #[error("degenerate: hull_overhang_m is {found}, expected a finite length of at least 0")]
    Overhang {
        /// What it is.
        found: f64,
    },
    /// An overhang without a hull that it could belong to.
    #[error("degenerate: hull_overhang_m is declared without hull vertices")]
    OverhangWithoutHull,
}

impl TightFault {
    /// The safety kernel's status token.
    pub fn token(&self) -> &'static str {
        match self {
            Self::Degenerate { .. } | Self::Overhang { .. } | Self::OverhangWithoutHull => "degenerate",
            Self::EscapesBox { .. } => "escapes_box",
            Self::HullEscapesDop { .. } => "hull_escapes_dop",
            Self::TooManyVertices { .. } => "too_many_vertices",
        }
    }
}

/// The first reason why declared tight geometry must not be used in a box; `None`: status `ok`.
pub fn fault(half_extents_m: [f64; 3], tight: &TightGeometry) -> Option<TightFault> {
    slab_fault(half_extents_m, &tight.dop).or_else(|| {
        let found = tight.hull_vertices_m.len();
        if found > MAX_TIGHT_HULL_VERTICES {
            return Some(TightFault::TooManyVertices { found });
        }
        for (vertex, p) in tight.hull_vertices_m.iter().enumerate() {
            let excess_m = tight.dop.excess_m(p);
            // Not "greater than": what is no number is outside.
            if excess_m.is_nan() || excess_m > HULL_IN_DOP_M {
                return Some(TightFault::HullEscapesDop { vertex, excess_m });
            }
        }
        match tight.hull_overhang_m {
            Some(found) if !found.is_finite() || found < 0.0 => Some(TightFault::Overhang { found }),
            Some(_) if !tight.has_stage2_hull() => Some(TightFault::OverhangWithoutHull),
            _ => None,
        }
    })
}

fn slab_fault(half_extents_m: [f64; 3], dop: &Dop26) -> Option<TightFault> {
    for slab in 0..DOP_SLABS {
        let (lo_m, hi_m) = (dop.lo_m[slab], dop.hi_m[slab]);
        if !(lo_m.is_finite() && hi_m.is_finite() && lo_m <= hi_m) {
            return Some(TightFault::Degenerate { slab, lo_m, hi_m });
        }
    }
    for (slab, &half_m) in half_extents_m.iter().enumerate() {
        let (lo_m, hi_m) = (dop.lo_m[slab], dop.hi_m[slab]);
        // No tolerance: the voxel window is cut from the box.
        if lo_m < -half_m || hi_m > half_m {
            return Some(TightFault::EscapesBox { slab, lo_m, hi_m, half_m });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::slop::box_corners;

    fn declared() -> ([f64; 3], TightGeometry) {
        let vertices = box_corners([0.1, 0.2, 0.3]).to_vec();
        let dop = Dop26::around(&vertices).unwrap();
        let tight = TightGeometry { dop, hull_vertices_m: vertices, hull_overhang_m: Some(0.0) };
        ([0.1, 0.2, 0.3], tight)
    }

    #[test]
    fn limits_are_those_of_the_safety_kernel() {
        let (half, good) = declared();
        assert_eq!(fault(half, &good), None);
        let broken = |change: &dyn Fn(&mut TightGeometry)| {
            let mut tight = good.clone();
            change(&mut tight);
            fault(half, &tight).map(|f| f.token())
        };
        assert_eq!(broken(&|t| t.dop.lo_m[4] = f64::NAN), Some("degenerate"));
        assert_eq!(broken(&|t| t.dop.lo_m[4] = t.dop.hi_m[4]), Some("hull_escapes_dop"));
        assert_eq!(broken(&|t| t.dop.hi_m[1] = 0.2_f64.next_up()), Some("escapes_box"));
        assert_eq!(broken(&|t| t.dop.lo_m[0] = (-0.1_f64).next_down()), Some("escapes_box"));
        assert_eq!(broken(&|t| t.dop.hi_m[12] -= 0.9e-9), None);
        assert_eq!(broken(&|t| t.dop.hi_m[12] -= 1.1e-9), Some("hull_escapes_dop"));
        assert_eq!(broken(&|t| t.hull_vertices_m = vec![t.hull_vertices_m[0]; 320]), None);
        assert_eq!(
            broken(&|t| t.hull_vertices_m = vec![t.hull_vertices_m[0]; 321]),
            Some("too_many_vertices")
        );
        assert_eq!(broken(&|t| t.hull_overhang_m = Some(-1e-9)), Some("degenerate"));
        assert_eq!(broken(&|t| t.hull_overhang_m = Some(f64::INFINITY)), Some("degenerate"));
        assert_eq!(broken(&|t| t.hull_vertices_m.clear()), Some("degenerate"));
        assert_eq!(broken(&|t| t.hull_overhang_m = None), None);
    }
}
