//! Which gap budget a stop is judged by, where it comes from, and of which terms it is made.
//!
//! ```text
//! voxel_term(r) = r * sqrt(3) / 2          half the body diagonal of a cube with edge r
//! hull budget   = overhang(a) + overhang(b), rounded to six decimals
//! ```
//!
//! Reference page, sections 1.4 and 10. A published budget is used where there is one; without it the voxel term alone
//! stands in for every comparison that has a voxel, and proves nothing when it is exceeded. Two links have no voxel, so
//! nothing stands in for them. All in metres.

use super::party::{self, Comparison};
use super::rules::RuleSet;
use crate::rounds::deploy_log::StopLine;
use crate::rounds::snapshot::PublishedBudget;
use rollcheck_engine::text::printf;

/// Half the body diagonal of a voxel with edge `resolution_m`, m.
pub fn voxel_term_m(resolution_m: f64) -> f64 {
    resolution_m * 3.0_f64.sqrt() / 2.0
}

/// Where a budget comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetSource {
    /// Published with the snapshot.
    Published,
    /// The voxel term of the grid.
    Grid,
    /// Terms of the robot's manifest, for a replayed distance.
    RobotFile,
    /// There is none.
    Unknown,
}

impl BudgetSource {
    /// As written in files; empty when unknown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "hal-adjudication-budget",
            Self::Grid => "grid-quantization",
            Self::RobotFile => "robot-file",
            Self::Unknown => "",
        }
    }
}

/// A number that a budget is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Where it was found, or how it was made.
    pub name: String,
    /// Its value, m; `None` is unknown.
    pub value_m: Option<f64>,
}

/// How a budget was arrived at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetRule {
    /// 10.1: payload against link, as published.
    SelfCollision,
    /// 10.2, extended: payload overhang and voxel term.
    PayloadOverhang,
    /// 10.3: as published for arm against world.
    Published,
    /// 10.3, extended: corner slop and the grid's own voxel term, since the published term is zero.
    Rederived,
    /// 10.4: two boxes.
    BoxPair,
    /// 10.4: two hulls.
    HullPair,
    /// 10.4, extended: a link has no hull, so boxes were compared.
    BoxForHull,
    /// 10.5: the voxel term alone.
    VoxelTerm,
    /// Nothing applies.
    None,
}

impl BudgetRule {
    /// As printed: the section of the reference page and a few words.
    pub fn name(self) -> &'static str {
        match self {
            Self::SelfCollision => "10.1 payload against link, published",
            Self::PayloadOverhang => "10.2 payload overhang and voxel term",
            Self::Published => "10.3 published",
            Self::Rederived => "10.3 corner slop and the grid's voxel term",
            Self::BoxPair => "10.4 two boxes",
            Self::HullPair => "10.4 two hulls",
            Self::BoxForHull => "10.4 boxes, since a link has no hull",
            Self::VoxelTerm => "10.5 voxel term alone",
            Self::None => "none applies",
        }
    }
}

/// The budget of a stop.
#[derive(Clone, Debug, PartialEq)]
pub struct GapBudget {
    /// What may lie between the two representations, m.
    pub admissible_gap_m: Option<f64>,
    /// Where it comes from.
    pub source: BudgetSource,
    /// How it was arrived at.
    pub rule: BudgetRule,
    /// What it is made of.
    pub terms: Vec<Term>,
    /// The grid's voxel term, m.
    pub quantization_m: Option<f64>,
}

/// Chooses the budget of a stop.
pub fn choose(
    comparison: Comparison,
    stop: &StopLine,
    published: Option<&PublishedBudget<'_>>,
    grid_m: Option<f64>,
    rules: RuleSet,
) -> GapBudget {
    let quantization_m = grid_m.map(voxel_term_m);
    let mut terms = Vec::new();
    let (gap_m, rule) = match published {
        Some(published) => from_published(comparison, stop, published, grid_m, rules, &mut terms),
        None => (None, BudgetRule::None),
    };
    if gap_m.is_some() {
        return GapBudget {
            admissible_gap_m: gap_m,
            source: BudgetSource::Published,
            rule,
            terms,
            quantization_m,
        };
    }
    if comparison == Comparison::LinkLink || quantization_m.is_none() {
        return GapBudget {
            admissible_gap_m: None,
            source: BudgetSource::Unknown,
            rule,
            terms,
            quantization_m,
        };
    }
    terms.push(term("grid_resolution_m * sqrt(3) / 2", quantization_m));
    GapBudget {
        admissible_gap_m: quantization_m,
        source: BudgetSource::Grid,
        rule: BudgetRule::VoxelTerm,
        terms,
        quantization_m,
    }
}

fn term(name: impl Into<String>, value_m: Option<f64>) -> Term {
    Term { name: name.into(), value_m }
}

fn from_published(
    comparison: Comparison,
    stop: &StopLine,
    published: &PublishedBudget<'_>,
    grid_m: Option<f64>,
    rules: RuleSet,
    terms: &mut Vec<Term>,
) -> (Option<f64>, BudgetRule) {
    if comparison == Comparison::LinkLink {
        return link_link(stop, published, rules, terms);
    }
    let payload = party::involves_payload(stop);
    if stop.kind == "self"
        && payload
        && let Some(gap_m) = published.self_collision
    {
        terms.push(term("adjudication_budget.self_collision.admissible_gap_m", gap_m));
        return (gap_m, BudgetRule::SelfCollision);
    }
    if rules == RuleSet::Extended
        && stop.kind != "self"
        && payload
        && let Some(block) = published.payload_world_voxel
    {
        let name = |key: &str| format!("adjudication_budget.payload_world_voxel.{key}");
        terms.push(term(name("max_payload_model_overhang_m"), block.max_payload_model_overhang_m));
        let half_m = match block.voxel_half_diagonal_m {
            Some(half_m) if half_m > 0.0 => {
                terms.push(term(name("voxel_half_diagonal_m"), Some(half_m)));
                Some(half_m)
            }
            _ => {
                let half_m = grid_m.map(voxel_term_m);
                terms.push(term("grid_resolution_m * sqrt(3) / 2", half_m));
                half_m
            }
        };
        let gap_m = block.max_payload_model_overhang_m.zip(half_m).map(|(overhang, half)| overhang + half);
        return (gap_m, BudgetRule::PayloadOverhang);
    }
    let no_voxel_term = published.voxel_half_diagonal_m.is_none_or(|half_m| half_m <= 0.0);
    if rules == RuleSet::Extended
        && no_voxel_term
        && let (Some(slop_m), Some(grid_m)) = (published.max_corner_slop_m, grid_m)
    {
        terms.push(term("adjudication_budget.max_corner_slop_m", Some(slop_m)));
        terms.push(term("grid_resolution_m * sqrt(3) / 2", Some(voxel_term_m(grid_m))));
        return (Some(slop_m + voxel_term_m(grid_m)), BudgetRule::Rederived);
    }
    terms.push(term("adjudication_budget.admissible_gap_m", published.admissible_gap_m));
    (published.admissible_gap_m, BudgetRule::Published)
}

fn link_link(
    stop: &StopLine,
    published: &PublishedBudget<'_>,
    rules: RuleSet,
    terms: &mut Vec<Term>,
) -> (Option<f64>, BudgetRule) {
    const BOX: &str = "adjudication_budget.link_link.admissible_gap_box_m";
    let Some(box_gap_m) = published.link_link else { return (None, BudgetRule::None) };
    if stop.depth_is_box_bound {
        terms.push(term(BOX, box_gap_m));
        return (box_gap_m, BudgetRule::BoxPair);
    }
    let links = [&stop.party_a, &stop.party_b].map(|name| (name, published.link(name)));
    let mut sum_m = Some(0.0);
    for (name, link) in &links {
        let overhang_m = link.and_then(|link| link.hull_overhang_m);
        terms.push(term(format!("collision_model_slop.links.{name}.hull_overhang_m"), overhang_m));
        sum_m = sum_m.zip(overhang_m).map(|(sum, overhang)| sum + overhang);
    }
    let without_hull =
        links.iter().any(|(_, link)| link.is_some_and(|link| link.has_stage2_hull == Some(false)));
    if without_hull {
        // Both entries must be known before a missing hull says anything.
        if rules == RuleSet::Extended && links.iter().all(|(_, link)| link.is_some()) {
            terms.push(term(BOX, box_gap_m));
            return (box_gap_m, BudgetRule::BoxForHull);
        }
        return (None, BudgetRule::HullPair);
    }
    (sum_m.map(printf::round6), BudgetRule::HullPair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t11_the_voxel_term_is_half_the_body_diagonal() {
        assert_eq!(voxel_term_m(0.025), 0.021_650_635_094_610_966);
        assert_eq!(voxel_term_m(0.015), 0.012_990_381_056_766_578);
        assert_eq!(voxel_term_m(0.05), 0.043_301_270_189_221_93);
    }
}
