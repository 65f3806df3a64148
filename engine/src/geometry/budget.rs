//! The gap budgets of a robot: what two representations of the same geometry may differ by before a stop is false.
//!
//! ```text
//! arm link against voxel     corner_slop + half-diagonal                  worst link for all, and per link
//! payload against voxel      payload model overhang + half-diagonal
//! payload against link       worst link corner slop + payload corner slop
//! link against link, box     2 * worst corner slop
//! link against link, hulls   overhang(a) + overhang(b), per link, never a maximum
//! ```
//!
//! Geometry page, sections 3 and 4. [`AdjudicationBudget`] is the block a snapshot carries, with its keys in its order.
//! Published numbers are rounded to six decimals; sums are of published numbers and the unrounded half-diagonal, and
//! are rounded again. A link that cannot be measured is unresolved; an overhang that was not measured is null; a robot
//! without a measured link has no budget. Metres.

use super::dop::Dop26;
use super::hull::ConvexHull;
use super::mesh::TriangleMesh;
use super::pose::{Point, Vector};
use super::slop::{box_corners, box_slop, nearest_m};
use super::tight::polytope::dop_vertices;
use super::voxel_grid::half_diagonal_m;
use crate::text::printf::round6;
use indexmap::IndexMap;
use serde::Serialize;

/// The probe's range when no budget is wider, m.
pub const PROBE_DISTMAX_DEFAULT_M: f64 = 0.1;

/// What is known of a link.
#[derive(Clone, Debug)]
pub struct LinkInput<'a> {
    /// The safety kernel's name of it.
    pub name: &'a str,
    /// Half extents of its box, m; `None`: it has no box.
    pub half_extents_m: Option<[f64; 3]>,
    /// Its mesh's vertices in its box frame, m; `None`: it has no mesh.
    pub points: Option<&'a [Point]>,
    /// Whether a stage-2 hull ships; `None`: nothing is declared.
    pub has_stage2_hull: Option<bool>,
    /// Its hull's overhang as published, m; `None`: not measured.
    pub hull_overhang_m: Option<f64>,
}

/// What a carried object adds.
#[derive(Clone, Debug, PartialEq)]
pub struct PayloadSlop {
    /// Its name.
    pub name: String,
    /// Vertices it was measured against.
    pub points: usize,
    /// Half extents of the box that stands for it, m: the bounds of its mesh.
    pub half_extents_m: [f64; 3],
    /// The box's corner slop, m.
    pub corner_slop_m: f64,
    /// Farthest vertex of the solid that the world check uses to its nearest sample, m.
    pub model_overhang_m: f64,
    /// Whether that solid is the 26-DOP; else it is the box, because the slabs have no volume.
    pub refined: bool,
}

/// Slop of the links.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CollisionModelSlop {
    /// Of each link by name, in the robot's order.
    pub links: IndexMap<String, LinkSlop>,
    /// The largest corner slop, m; null without a measured link.
    pub max_corner_slop_m: Option<f64>,
    /// How it was measured.
    pub method: &'static str,
    /// Links without a box, a mesh or a point.
    pub unresolved_links: Vec<String>,
}

/// Slop of one link, m.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkSlop {
    /// Points it was measured against.
    pub collision_points_sampled: usize,
    /// Largest distance of a corner from its nearest point.
    pub corner_slop_m: f64,
    /// Between each pair of faces and the points.
    pub face_slop_m: [f64; 3],
    /// Whether a stage-2 hull ships; absent is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_stage2_hull: Option<bool>,
    /// The hull's overhang; null: no hull, or not measured.
    pub hull_overhang_m: Option<f64>,
    /// Half extents of the box.
    pub obb_half_extents_m: [f64; 3],
}

/// Link against link at box fidelity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkLinkBudget {
    /// Twice the largest corner slop, m.
    pub admissible_gap_box_m: f64,
    /// That slop, m.
    pub max_corner_slop_m: f64,
    /// What it is for.
    pub rule: &'static str,
}

/// Payload against voxel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PayloadWorldVoxelBudget {
    /// Overhang plus half-diagonal, m.
    pub admissible_gap_m: f64,
    /// Largest overhang of a carried object's model, m.
    pub max_payload_model_overhang_m: f64,
    /// What it is for.
    pub rule: &'static str,
    /// Half the body diagonal of a cell, m.
    pub voxel_half_diagonal_m: f64,
}

/// Payload against link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SelfCollisionBudget {
    /// Largest link slop plus largest payload slop, m.
    pub admissible_gap_m: f64,
    /// Largest corner slop of a link, m.
    pub max_link_corner_slop_m: f64,
    /// Largest corner slop of a carried object, m.
    pub max_payload_corner_slop_m: f64,
    /// The carried objects.
    pub payload_slop: PayloadSlopBlock,
    /// What it is for.
    pub rule: &'static str,
}

/// Slop of the carried objects.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PayloadSlopBlock {
    /// The largest, m.
    pub max_corner_slop_m: f64,
    /// How it was measured.
    pub method: &'static str,
    /// Of each object by name.
    pub objects: IndexMap<String, PayloadObject>,
    /// Objects that could not be measured.
    pub unresolved_objects: Vec<String>,
}

/// Slop of one carried object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PayloadObject {
    /// Points it was measured against.
    pub collision_points_sampled: usize,
    /// Corner slop of its box, m.
    pub corner_slop_m: f64,
    /// How far the solid of the world check reaches past its points, m.
    pub model_overhang_m: f64,
    /// Boxes that stand for it.
    pub n_box_primitives: usize,
    /// Primitives that stand for it.
    pub n_primitives: usize,
}

/// The `adjudication_budget` block.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AdjudicationBudget {
    /// Arm link against voxel by the worst link, m.
    pub admissible_gap_m: f64,
    /// Slop of the links.
    pub collision_model_slop: CollisionModelSlop,
    /// Link against link, box fidelity.
    pub link_link: LinkLinkBudget,
    /// Largest corner slop of a link, m.
    pub max_corner_slop_m: f64,
    /// Payload against voxel, when carrying.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_world_voxel: Option<PayloadWorldVoxelBudget>,
    /// The probe's range without a wider budget, m.
    pub probe_distmax_default_m: f64,
    /// The probe's range, m: widened to the largest budget, never narrowed.
    pub probe_distmax_used_m: f64,
    /// What the top-level gap is for.
    pub rule: &'static str,
    /// Payload against link, when carrying.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_collision: Option<SelfCollisionBudget>,
    /// Half the body diagonal of a cell, m.
    pub voxel_half_diagonal_m: f64,
}

/// Sums of one link beside those of the worst, m.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PerLinkBudget {
    /// Its own corner slop plus half-diagonal.
    pub admissible_gap_m: f64,
    /// By how much the worst link's sum forgives more.
    pub forgiven_by_worst_link_m: f64,
    /// Its own corner slop plus the payload's, when carrying.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_collision_gap_m: Option<f64>,
}

/// Sums of two links, m.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairBudget {
    /// First link.
    pub link_a: String,
    /// Second link.
    pub link_b: String,
    /// The two corner slops: what a stop of boxes may be off by.
    pub box_gap_m: f64,
    /// By how much twice the worst slop forgives more.
    pub forgiven_by_worst_link_m: f64,
    /// The two overhangs: what a stop of hulls may be off by; null when either is not measured.
    pub hull_gap_m: Option<f64>,
}

/// Why there is no budget.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// No link could be measured.
    #[error("no budget: no link of the robot has a box and a mesh (unresolved: {})", unresolved.join(", "))]
    NoLinks {
        /// All of them.
        unresolved: Vec<String>,
    },
    /// The edge of a cell is no length.
    #[error("resolution: expected a finite length above 0 m, found {found}")]
    Resolution {
        /// What it is.
        found: f64,
    },
}

const METHOD: &str = "corner of the box to the nearest vertex of the link's solid meshes: an upper bound of the corner's distance to the surface";
const PAYLOAD_METHOD: &str = "corner of the object's box (the bounds of its mesh) to the nearest vertex of the mesh; a simulator that publishes other primitives has other numbers";
const RULE: &str =
    "arm link against voxel: corner slop of the worst link plus half the body diagonal of a cell";
const LINK_LINK_RULE: &str = "two links: twice the largest corner slop when the stop says depth_is_box_bound = 1; else the sum of the two links' hull_overhang_m, and none when either is not measured";
const PAYLOAD_WORLD_RULE: &str =
    "carried object against voxel: overhang of its model plus half the body diagonal of a cell";
const SELF_RULE: &str =
    "carried object against link: largest corner slop of a link plus largest of a carried object; no voxel";

/// The slop of a carried object from its mesh in its body frame; its primitive is the bounds of the mesh.
pub fn payload_slop(name: &str, mesh: &TriangleMesh) -> PayloadSlop {
    let bound = |k: usize, sign: f64| {
        sign * mesh.vertices().iter().fold(f64::NEG_INFINITY, |m, p| m.max(sign * p[k]))
    };
    let (lo, hi) = ([0, 1, 2].map(|k| bound(k, -1.0)), [0, 1, 2].map(|k| bound(k, 1.0)));
    let centre = [0, 1, 2].map(|k| f64::midpoint(lo[k], hi[k]));
    let half_extents_m = [0, 1, 2].map(|k| 0.5 * (hi[k] - lo[k]));
    let points: Vec<Point> = mesh.vertices().iter().map(|p| p - Vector::from(centre)).collect();
    let farthest =
        |solid: &[Point]| solid.iter().fold(0.0_f64, |m, corner| m.max(nearest_m(corner, &points)));
    let corners = box_corners(half_extents_m);
    let slabs = Dop26::around(&points).map(|dop| dop_vertices(&dop)).unwrap_or_default();
    // Slabs without volume are dropped alone, and the box is what the world check uses.
    let refined = ConvexHull::of(&slabs).is_ok();
    PayloadSlop {
        name: name.to_owned(),
        points: points.len(),
        half_extents_m,
        corner_slop_m: farthest(&corners),
        model_overhang_m: if refined { farthest(&slabs) } else { farthest(&corners) },
        refined,
    }
}

/// The budgets of a robot at a grid resolution, m, with what it carries.
///
/// # Errors
/// [`BudgetError`].
pub fn adjudication_budget(
    links: &[LinkInput<'_>],
    resolution_m: f64,
    payloads: &[PayloadSlop],
) -> Result<AdjudicationBudget, BudgetError> {
    if !(resolution_m.is_finite() && resolution_m > 0.0) {
        return Err(BudgetError::Resolution { found: resolution_m });
    }
    let slop = collision_model_slop(links);
    let Some(worst_m) = slop.max_corner_slop_m else {
        return Err(BudgetError::NoLinks { unresolved: slop.unresolved_links });
    };
    let half_m = half_diagonal_m(resolution_m);
    let admissible_gap_m = round6(worst_m + half_m);
    let largest = |of: &dyn Fn(&PayloadSlop) -> f64| {
        payloads.iter().map(|p| round6(of(p))).fold(None, |m: Option<f64>, x| Some(m.map_or(x, |m| m.max(x))))
    };
    let payload_world_voxel = largest(&|p| p.model_overhang_m).map(|overhang_m| PayloadWorldVoxelBudget {
        admissible_gap_m: round6(overhang_m + half_m),
        max_payload_model_overhang_m: overhang_m,
        rule: PAYLOAD_WORLD_RULE,
        voxel_half_diagonal_m: round6(half_m),
    });
    let self_collision = largest(&|p| p.corner_slop_m).map(|payload_m| SelfCollisionBudget {
        admissible_gap_m: round6(worst_m + payload_m),
        max_link_corner_slop_m: worst_m,
        max_payload_corner_slop_m: payload_m,
        payload_slop: PayloadSlopBlock {
            max_corner_slop_m: payload_m,
            method: PAYLOAD_METHOD,
            objects: payloads.iter().map(|p| (p.name.clone(), payload_object(p))).collect(),
            unresolved_objects: Vec::new(),
        },
        rule: SELF_RULE,
    });
    let widest = [Some(admissible_gap_m), self_collision.as_ref().map(|b| b.admissible_gap_m)];
    let probe_m = widest.into_iter().flatten().fold(PROBE_DISTMAX_DEFAULT_M, f64::max);
    Ok(AdjudicationBudget {
        admissible_gap_m,
        link_link: LinkLinkBudget {
            admissible_gap_box_m: round6(2.0 * worst_m),
            max_corner_slop_m: worst_m,
            rule: LINK_LINK_RULE,
        },
        collision_model_slop: slop,
        max_corner_slop_m: worst_m,
        payload_world_voxel,
        probe_distmax_default_m: PROBE_DISTMAX_DEFAULT_M,
        probe_distmax_used_m: round6(probe_m),
        rule: RULE,
        self_collision,
        voxel_half_diagonal_m: round6(half_m),
    })
}

fn payload_object(payload: &PayloadSlop) -> PayloadObject {
    PayloadObject {
        collision_points_sampled: payload.points,
        corner_slop_m: round6(payload.corner_slop_m),
        model_overhang_m: round6(payload.model_overhang_m),
        n_box_primitives: 1,
        n_primitives: 1,
    }
}

/// The slop block of a robot's links.
pub fn collision_model_slop(links: &[LinkInput<'_>]) -> CollisionModelSlop {
    let mut measured = IndexMap::new();
    let mut unresolved_links = Vec::new();
    let mut max_corner_slop_m: Option<f64> = None;
    for link in links {
        let slop = link
            .half_extents_m
            .zip(link.points)
            .and_then(|(half, points)| Some((half, box_slop(half, points)?)));
        let Some((half, slop)) = slop else {
            unresolved_links.push(link.name.to_owned());
            continue;
        };
        let corner_slop_m = round6(slop.corner_slop_m);
        max_corner_slop_m = Some(max_corner_slop_m.map_or(corner_slop_m, |m| m.max(corner_slop_m)));
        let published = LinkSlop {
            collision_points_sampled: slop.points,
            corner_slop_m,
            face_slop_m: slop.face_slop_m.map(round6),
            has_stage2_hull: link.has_stage2_hull,
            hull_overhang_m: link.hull_overhang_m.filter(|_| link.has_stage2_hull == Some(true)),
            obb_half_extents_m: half,
        };
        measured.insert(link.name.to_owned(), published);
    }
    CollisionModelSlop { links: measured, max_corner_slop_m, method: METHOD, unresolved_links }
}

/// The sums of each link of a budget beside the worst link's.
pub fn per_link(budget: &AdjudicationBudget, resolution_m: f64) -> IndexMap<String, PerLinkBudget> {
    let payload_m = budget.self_collision.as_ref().map(|block| block.max_payload_corner_slop_m);
    let sums = |link: &LinkSlop| {
        let admissible_gap_m = round6(link.corner_slop_m + half_diagonal_m(resolution_m));
        PerLinkBudget {
            admissible_gap_m,
            forgiven_by_worst_link_m: round6(budget.admissible_gap_m - admissible_gap_m),
            self_collision_gap_m: payload_m.map(|m| round6(link.corner_slop_m + m)),
        }
    };
    budget.collision_model_slop.links.iter().map(|(name, link)| (name.clone(), sums(link))).collect()
}

/// The sums of each pair of links of a budget.
pub fn per_pair(budget: &AdjudicationBudget) -> Vec<PairBudget> {
    let links: Vec<(&String, &LinkSlop)> = budget.collision_model_slop.links.iter().collect();
    let mut pairs = Vec::new();
    for (at, (name_a, a)) in links.iter().enumerate() {
        for (name_b, b) in &links[at + 1..] {
            let box_gap_m = round6(a.corner_slop_m + b.corner_slop_m);
            pairs.push(PairBudget {
                link_a: (*name_a).clone(),
                link_b: (*name_b).clone(),
                box_gap_m,
                forgiven_by_worst_link_m: round6(budget.link_link.admissible_gap_box_m - box_gap_m),
                hull_gap_m: a.hull_overhang_m.zip(b.hull_overhang_m).map(|(a, b)| round6(a + b)),
            });
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input<'a>(name: &'a str, half: f64, points: &'a [Point], overhang: Option<f64>) -> LinkInput<'a> {
        LinkInput {
            name,
            half_extents_m: Some([half; 3]),
            points: Some(points),
            has_stage2_hull: Some(overhang.is_some()),
            hull_overhang_m: overhang,
        }
    }

    #[test]
    fn sums_are_of_published_numbers_and_the_unrounded_half_diagonal() {
        let centre = [Point::origin()];
        // A cube around its centre: corner slop sqrt(3) times half.
        let links = [input("a", 0.05, &centre, Some(0.000_2)), input("b", 0.02, &centre, None)];
        let budget = adjudication_budget(&links, 0.025, &[]).unwrap();
        assert_eq!((budget.max_corner_slop_m, budget.voxel_half_diagonal_m), (0.086_603, 0.021_651));
        assert_eq!(budget.admissible_gap_m, 0.108_254);
        assert_eq!(budget.link_link.admissible_gap_box_m, 0.173_206);
        assert_eq!(budget.probe_distmax_used_m, 0.108_254);
        let b = &budget.collision_model_slop.links["b"];
        assert_eq!((b.has_stage2_hull, b.hull_overhang_m), (Some(false), None));
        let per_link = per_link(&budget, 0.025);
        assert_eq!(per_link["b"].admissible_gap_m, 0.056_292);
        assert_eq!(per_link["b"].forgiven_by_worst_link_m, 0.051_962);
        assert_eq!(per_link["a"].forgiven_by_worst_link_m, 0.0);
        let pairs = per_pair(&budget);
        assert_eq!((pairs.len(), pairs[0].box_gap_m, pairs[0].hull_gap_m), (1, 0.121_244, None));
    }

    #[test]
    fn what_is_not_measured_is_unresolved_and_nothing_measured_is_no_budget() {
        let none = LinkInput {
            name: "x",
            half_extents_m: Some([0.1; 3]),
            points: None,
            has_stage2_hull: None,
            hull_overhang_m: Some(0.5),
        };
        let error = adjudication_budget(std::slice::from_ref(&none), 0.025, &[]).unwrap_err();
        assert_eq!(error, BudgetError::NoLinks { unresolved: vec!["x".to_owned()] });
        let centre = [Point::origin()];
        let budget = adjudication_budget(&[none, input("a", 0.01, &centre, None)], 0.025, &[]).unwrap();
        assert_eq!(budget.collision_model_slop.unresolved_links, ["x"]);
        // The range is widened, never narrowed.
        assert_eq!(budget.probe_distmax_used_m, 0.1);
        for found in [0.0, -0.025, f64::NAN, f64::INFINITY] {
            assert!(matches!(adjudication_budget(&[], found, &[]), Err(BudgetError::Resolution { .. })));
        }
    }

    #[test]
    fn a_carried_tetrahedron_overhangs_by_its_box_and_by_its_slabs() {
        let [o, x, y, z] =
            [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]].map(Point::from);
        let mesh = TriangleMesh::weld([[o, y, x], [o, x, z], [o, z, y], [x, y, z]]).unwrap();
        let payload = payload_slop("part", &mesh);
        assert_eq!((payload.points, payload.refined), (4, true));
        assert!(payload.half_extents_m.iter().all(|h| (h - 0.05).abs() < 1e-16));
        // The far corner (0.1, 0.1, 0.1) of the box to the nearest of x, y, z.
        assert!((payload.corner_slop_m - 0.02_f64.sqrt()).abs() < 1e-15);
        // The slabs are exact for this solid: x + y + z <= 0.1 is one of them.
        assert!(payload.model_overhang_m < 2e-9, "{}", payload.model_overhang_m);
        let centre = [Point::origin()];
        let budget = adjudication_budget(&[input("a", 0.05, &centre, None)], 0.025, &[payload]).unwrap();
        let of_self = budget.self_collision.unwrap();
        assert_eq!(of_self.max_payload_corner_slop_m, 0.141_421);
        assert_eq!(of_self.admissible_gap_m, 0.228_024);
        assert_eq!(budget.probe_distmax_used_m, 0.228_024);
        assert_eq!(budget.payload_world_voxel.unwrap().admissible_gap_m, 0.021_651);
    }
}
