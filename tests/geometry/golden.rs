//! The Panda's published collision model (geometry page, sections 3 to 6 and 9).

use crate::panda::{number, numbers, panda};
use rollcheck_engine::geometry::budget::{LinkInput, adjudication_budget, per_link};
use rollcheck_engine::geometry::dop::Dop26;
use rollcheck_engine::geometry::overhang::{OverhangProbe, SAMPLES_PER_EDGE, SPLITS_MAX, emitted_m};
use rollcheck_engine::geometry::slop::{box_corners, box_slop};
use rollcheck_engine::geometry::support_excess::{DIRECTIONS, support_excess};
use rollcheck_engine::geometry::tight::derive::{HullDecision, OverLimit, derive};
use rollcheck_engine::geometry::tight::polytope::dop_vertices;
use rollcheck_engine::geometry::tight::{self, Finding, check};
use rollcheck_engine::geometry::{ConvexHull, Point};

fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: found {found}, expected {expected} to {tolerance:e}"
    );
}

#[test]
fn counts_slop_slabs_and_hulls_are_the_published_ones() {
    let Some(panda) = panda("counts_slop_slabs_and_hulls_are_the_published_ones") else { return };
    for link in panda.links() {
        let (golden, name) = (panda.numbers(link), &link.link_name);
        let mesh = panda.mesh_in_box(link);
        let half = link.shape.half_extents_m().unwrap();
        assert_eq!(half, numbers(&golden["obb_half_extents_m"]), "{name}");
        assert_eq!(
            mesh.vertices().len() as u64,
            golden["collision_points_sampled"]["published"].as_u64().unwrap()
        );
        assert_eq!(mesh.triangles().len() as u64, golden["mesh_faces"].as_u64().unwrap());
        assert_eq!(mesh.condition().watertight(), golden["mesh_watertight"].as_bool().unwrap());
        near(mesh.volume_m3(), number(&golden["mesh_volume_m3"]), 1e-11, name);

        let slop = box_slop(half, mesh.vertices()).unwrap();
        near(slop.corner_slop_m, number(&golden["corner_slop_m"]["published"]), 5e-7, name);
        near(slop.corner_slop_m, number(&golden["corner_slop_m"]["reproduced"]), 1e-9, name);
        let per_corner: [f64; 8] = numbers(&golden["corner_slop_per_corner_m"]);
        for (found, expected) in slop.per_corner_m.into_iter().zip(per_corner) {
            near(found, expected, 1e-9, name);
        }
        let published: [f64; 3] = numbers(&golden["face_slop_m"]["published"]);
        for (found, expected) in slop.face_slop_m.into_iter().zip(published) {
            near(found, expected, 5e-7, name);
        }

        let declared = link.tight.as_ref().unwrap();
        let dop = Dop26::around(mesh.vertices()).unwrap();
        for i in 0..dop.lo_m.len() {
            near(dop.lo_m[i], declared.dop.lo_m[i], 1.1e-8, name);
            near(dop.hi_m[i], declared.dop.hi_m[i], 1.1e-8, name);
        }
        let margin_mm = tight::derive::inward_margin_m(half, &dop) * 1e3;
        near(margin_mm, number(&golden["dop_inward_margin_mm"]), 5.1e-5, name);

        let hull = ConvexHull::of(mesh.vertices()).unwrap();
        assert_eq!(hull.vertices().len() as u64, golden["exact_hull_vertices"].as_u64().unwrap(), "{name}");
        assert_eq!(hull.facets().len() as u64, golden["exact_hull_facets"].as_u64().unwrap(), "{name}");
        near(hull.volume_m3(), number(&golden["hull_volume_m3"]), 1e-11, name);
        if declared.has_stage2_hull() {
            assert_eq!(hull.vertices().len(), declared.hull_vertices_m.len(), "{name}");
            for (found, expected) in hull.vertices().iter().zip(&declared.hull_vertices_m) {
                assert!((found - expected).abs().max() <= 1.1e-8, "{name}: {found} {expected}");
            }
        }
    }
}

#[test]
fn overhangs_are_the_published_ones_but_for_link_2_and_lie_in_their_brackets() {
    let test = "overhangs_are_the_published_ones_but_for_link_2_and_lie_in_their_brackets";
    let Some(panda) = panda(test) else { return };
    for link in panda.links().iter().filter(|link| link.link_name != "panda_link1") {
        let (golden, name) = (&panda.numbers(link)["hull_overhang_m"], &link.link_name);
        let mesh = panda.mesh_in_box(link);
        let hull = ConvexHull::of(mesh.vertices()).unwrap();
        let probe = OverhangProbe::new(&hull, &mesh);
        let sampled = probe.sampled(SAMPLES_PER_EDGE);
        assert_eq!(sampled.samples, 325 * hull.facets().len());
        near(sampled.max_m, number(&golden["sampled_24_per_edge"]), 5e-9, name);
        let expected = if name == "panda_link2" { 0.000_144 } else { number(&golden["published"]) };
        near(emitted_m(sampled.max_m), expected, 1e-15, name);
        let found = probe.certified(SPLITS_MAX);
        let [lo, hi]: [f64; 2] = numbers(&golden["certified_supremum"]);
        assert!(found.certified && found.upper_m - found.lower_m <= 1e-9, "{name}: {found:?}");
        assert!(found.lower_m >= lo - 2e-9 && found.upper_m <= hi + 2e-9, "{name}: {found:?}");
    }
}

#[test]
fn link_1_has_no_hull_and_its_refined_envelope_overhangs_by_42_mm() {
    let Some(panda) = panda("link_1_has_no_hull_and_its_refined_envelope_overhangs_by_42_mm") else { return };
    let link = panda.link(1);
    let (mesh, half) = (panda.mesh_in_box(link), link.shape.half_extents_m().unwrap());
    let without = derive(half, &mesh, OverLimit::NoHull, SAMPLES_PER_EDGE, 0).unwrap();
    assert_eq!(without.decision, HullDecision::None);
    assert_eq!((without.exact_hull_vertices, without.exact_hull_facets), (1588, 3172));
    assert_eq!(without.tight.hull_overhang_m, None);
    let refined = derive(half, &mesh, OverLimit::Refine, SAMPLES_PER_EDGE, SPLITS_MAX).unwrap();
    // The envelope that once shipped was published with this overhang.
    assert!(matches!(refined.decision, HullDecision::Refined { .. }));
    assert_eq!(refined.tight.hull_vertices_m.len(), 320);
    near(refined.tight.hull_overhang_m.unwrap(), 0.041_989, 1e-12, "published");
    let (excess, points) = (&refined.tight.hull_vertices_m, mesh.vertices());
    let excess = support_excess(excess, points, DIRECTIONS).unwrap();
    assert!(excess.max_m < 0.000_65 && excess.median_m < 0.000_18, "{excess:?}");
}

#[test]
fn support_excess_is_the_published_one() {
    let Some(panda) = panda("support_excess_is_the_published_one") else { return };
    for link in panda.links() {
        let (golden, name) = (&panda.numbers(link)["support_excess_mm"], &link.link_name);
        let mesh = panda.mesh_in_box(link);
        let hull = ConvexHull::of(mesh.vertices()).unwrap();
        let excess_mm = |outer: &[Point]| {
            let found = support_excess(outer, hull.vertices(), DIRECTIONS).unwrap();
            (found.max_m * 1e3, found.median_m * 1e3)
        };
        let of_box = excess_mm(&box_corners(link.shape.half_extents_m().unwrap()));
        near(of_box.0, number(&golden["obb"]), 0.005, name);
        let slabs = dop_vertices(&Dop26::around(mesh.vertices()).unwrap());
        assert_eq!(slabs.len(), 48, "{name}");
        let of_dop = excess_mm(&slabs);
        near(of_dop.0, number(&golden["dop26"]), 0.005, name);
        near(of_dop.1, number(&golden["dop26_median"]), 0.005, name);
        assert_eq!(excess_mm(hull.vertices()).0, 0.0);
    }
}

#[test]
fn the_published_block_passes_at_1e_7_and_fails_at_1e_9() {
    let Some(panda) = panda("the_published_block_passes_at_1e_7_and_fails_at_1e_9") else { return };
    let mut failed = 0;
    for link in panda.links() {
        let (declared, half) = (link.tight.as_ref().unwrap(), link.shape.half_extents_m().unwrap());
        let mesh = panda.mesh_in_box(link);
        let found = check(half, declared, &mesh, tight::DECLARED_M, SPLITS_MAX);
        assert!(!found.violated(), "{}: {:?}", link.link_name, found.findings);
        let unexplained = matches!(found.findings[..], [Finding::OverhangUnexplained { .. }]);
        assert_eq!(unexplained, link.link_name == "panda_link2", "{:?}", found.findings);
        failed += usize::from(check(half, declared, &mesh, tight::DERIVED_M, 0).violated());
    }
    assert!(failed > 0);
}

#[test]
fn a_declaration_that_is_changed_is_found_out() {
    let Some(panda) = panda("a_declaration_that_is_changed_is_found_out") else { return };
    let link = panda.link(5);
    let (declared, half) = (link.tight.clone().unwrap(), link.shape.half_extents_m().unwrap());
    let mesh = panda.mesh_in_box(link);
    let violated = |change: &dyn Fn(&mut rollcheck_engine::geometry::robot::TightGeometry)| {
        let mut changed = declared.clone();
        change(&mut changed);
        check(half, &changed, &mesh, tight::DECLARED_M, SPLITS_MAX).violated()
    };
    let supremum = number(&panda.numbers(link)["hull_overhang_m"]["certified_supremum"][1]);
    assert!(!violated(&|_| ()));
    assert!(violated(&|t| {
        let p = &mut t.hull_vertices_m[7];
        *p -= p.coords.normalize() * 1e-6;
    }));
    assert!(violated(&|t| t.hull_overhang_m = Some(supremum - 2e-6)));
    assert!(!violated(&|t| t.hull_overhang_m = Some(0.001)));
    assert!(violated(&|t| t.hull_overhang_m = None));
    assert!(violated(&|t| t.hull_vertices_m.clear()));
    assert!(violated(&|t| t.hull_vertices_m.extend(vec![t.hull_vertices_m[0]; 169])));
    assert!(violated(&|t| t.dop.hi_m[2] = half[2].next_up()));
}

#[test]
fn the_budgets_are_the_published_ones() {
    let Some(panda) = panda("the_budgets_are_the_published_ones") else { return };
    let meshes: Vec<_> = panda.links().iter().map(|link| panda.mesh_in_box(link)).collect();
    let inputs: Vec<LinkInput<'_>> = panda
        .links()
        .iter()
        .zip(&meshes)
        .map(|(link, mesh)| LinkInput {
            name: &link.link_name,
            half_extents_m: link.shape.half_extents_m(),
            points: Some(mesh.vertices()),
            has_stage2_hull: link.tight.as_ref().map(|t| t.has_stage2_hull()),
            hull_overhang_m: link.tight.as_ref().and_then(|t| t.hull_overhang_m),
        })
        .collect();
    let expected = &panda.golden["budgets"];
    let budget = adjudication_budget(&inputs, 0.025, &[]).unwrap();
    assert_eq!(budget.max_corner_slop_m, number(&expected["max_corner_slop_m"]));
    assert_eq!(budget.admissible_gap_m, number(&expected["admissible_gap_m_with_voxel_25mm"]));
    assert_eq!(budget.link_link.admissible_gap_box_m, number(&expected["link_link_admissible_gap_box_m"]));
    for (resolution, half_diagonal) in expected["voxel_half_diagonal_m"].as_object().unwrap() {
        let budget = adjudication_budget(&inputs, resolution.parse().unwrap(), &[]).unwrap();
        assert_eq!(budget.voxel_half_diagonal_m, number(half_diagonal), "{resolution}");
    }
    for (name, sums) in per_link(&budget, 0.025) {
        let link = panda.robot.model.link(&name).unwrap();
        assert_eq!(sums.admissible_gap_m, number(&panda.numbers(link)["admissible_gap_25mm_m"]), "{name}");
    }
}
