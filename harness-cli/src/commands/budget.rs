//! `rollcheck budget`

use crate::args::budget::BudgetArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::pipeline::robot::{LoadedMesh, Robot, hull_error, read_mesh_alone};
use crate::printer::{Printer, Render, table};
use indexmap::IndexMap;
use rollcheck_engine::geometry::ConvexHull;
use rollcheck_engine::geometry::budget::{
    AdjudicationBudget, BudgetError, LinkInput, PairBudget, PayloadSlop, PerLinkBudget, adjudication_budget,
    payload_slop, per_link, per_pair,
};
use rollcheck_engine::geometry::overhang::{OverhangProbe, SAMPLES_PER_EDGE, SPLITS_MAX, published_m};
use rollcheck_engine::geometry::robot::{LinkVolume, TightGeometry};
use serde_json::{Value, json};
use std::fmt::Write as _;

struct Budgets {
    robot: String,
    resolution_m: f64,
    budget: AdjudicationBudget,
    per_link: IndexMap<String, PerLinkBudget>,
    pairs: Vec<PairBudget>,
    payloads: Vec<PayloadSlop>,
}

/// Measures a robot and prints its budgets.
///
/// # Errors
/// [`CliError::Robot`], [`CliError::Link`], [`CliError::Mesh`], [`CliError::Budget`], [`CliError::Stdout`].
pub fn run(args: &BudgetArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    let robot = Robot::read(&args.robot)?;
    if !(args.resolution.is_finite() && args.resolution > 0.0) {
        let source = BudgetError::Resolution { found: args.resolution };
        return Err(CliError::Budget { file: robot.name, source });
    }
    let mut meshes: Vec<Option<LoadedMesh>> = Vec::new();
    let mut overhangs: Vec<Option<f64>> = Vec::new();
    let links = robot.links();
    for (at, link) in links.iter().enumerate() {
        printer.progress("measuring links", links.len() as u64).at(at as u64, &link.link_name);
        let mesh = robot.mesh(link, printer)?;
        if let Some(mesh) = &mesh {
            // A mesh without volume is no link: its slop would be a number that means nothing.
            ConvexHull::of(mesh.in_box.vertices()).map_err(hull_error(link, &mesh.file))?;
        }
        overhangs.push(mesh.as_ref().map(|mesh| overhang(link, mesh, printer)).transpose()?.flatten());
        meshes.push(mesh);
    }
    let inputs: Vec<LinkInput<'_>> = links
        .iter()
        .zip(&meshes)
        .zip(&overhangs)
        .map(|((link, mesh), &hull_overhang_m)| LinkInput {
            name: &link.link_name,
            half_extents_m: link.shape.half_extents_m(),
            points: mesh.as_ref().map(|mesh| mesh.in_box.vertices()),
            // A manifest is read whole: what it does not declare does not ship.
            has_stage2_hull: Some(link.tight.as_ref().is_some_and(TightGeometry::has_stage2_hull)),
            hull_overhang_m,
        })
        .collect();
    let mut payloads = Vec::new();
    for path in &args.payloads {
        let file = path.display().to_string();
        let (name, mesh) = read_mesh_alone(path, printer)?;
        ConvexHull::of(mesh.vertices()).map_err(|error| CliError::Link {
            link: name.clone(),
            file,
            reason: error.to_string(),
        })?;
        payloads.push(payload_slop(&name, &mesh));
    }
    let budget = adjudication_budget(&inputs, args.resolution, &payloads)
        .map_err(|source| CliError::Budget { file: robot.name.clone(), source })?;
    for link in &budget.collision_model_slop.unresolved_links {
        printer.warning(format_args!("link `{link}`: no box or no mesh; it is in no budget"));
    }
    for (name, slop) in &budget.collision_model_slop.links {
        if let Some(k) = slop.face_slop_m.iter().position(|&m| m < 0.0) {
            printer.warning(format_args!(
                "link `{name}`: the mesh pokes {:.3} mm out of its box along {}",
                -slop.face_slop_m[k] * 1e3,
                ["x", "y", "z"][k]
            ));
        }
    }
    let per_link = per_link(&budget, args.resolution);
    let pairs = per_pair(&budget);
    printer.result(&Budgets {
        robot: robot.name,
        resolution_m: args.resolution,
        budget,
        per_link,
        pairs,
        payloads,
    })?;
    Ok(Exit::Done)
}

/// The overhang of a link's declared hull by the documented recipe; absent without a hull.
fn overhang(
    link: &LinkVolume,
    mesh: &LoadedMesh,
    printer: &mut Printer<'_>,
) -> Result<Option<f64>, CliError> {
    let Some(tight) = link.tight.as_ref().filter(|tight| tight.has_stage2_hull()) else { return Ok(None) };
    let hull = ConvexHull::of(&tight.hull_vertices_m).map_err(hull_error(link, "hull_vertices_m"))?;
    let probe = OverhangProbe::new(&hull, &mesh.in_box);
    let measured_m = published_m(&probe.sampled(SAMPLES_PER_EDGE), &probe.certified(SPLITS_MAX));
    if let Some(declared_m) = tight.hull_overhang_m.filter(|d| (d - measured_m).abs() > 5e-7) {
        printer.warning(format_args!(
            "link `{}`: hull_overhang_m is declared {declared_m:.6} m, the mesh gives {measured_m:.6} m; the measured one is used",
            link.link_name
        ));
    }
    Ok(Some(measured_m))
}

impl Render for Budgets {
    fn json(&self) -> Value {
        json!({
            "robot": self.robot,
            "resolution_m": self.resolution_m,
            "adjudication_budget": self.budget,
            "per_link": self.per_link,
            "per_pair": self.pairs,
        })
    }

    fn text(&self) -> String {
        let budget = &self.budget;
        let row = |(name, link): (&String, &rollcheck_engine::geometry::budget::LinkSlop)| {
            let sums = self.per_link.get(name);
            let [x, y, z] = link.face_slop_m.map(|m| format!("{:.0}", m * 1e6));
            vec![
                name.clone(),
                link.collision_points_sampled.to_string(),
                format!("{:.6}", link.corner_slop_m),
                format!("{x} {y} {z}"),
                match (link.hull_overhang_m, link.has_stage2_hull) {
                    (Some(m), _) => format!("{m:.6}"),
                    (None, Some(false)) => "no hull".to_owned(),
                    (None, _) => "unknown".to_owned(),
                },
                sums.map_or("unknown".to_owned(), |s| format!("{:.6}", s.admissible_gap_m)),
                format!("{:.6}", budget.admissible_gap_m),
                sums.map_or("unknown".to_owned(), |s| format!("{:.1}", s.forgiven_by_worst_link_m * 1e3)),
            ]
        };
        let mut text = format!("{}, voxels of {} m\n\n", self.robot, self.resolution_m);
        text += &table(
            &[
                "link",
                "points",
                "corner slop, m",
                "face slop, um",
                "hull overhang, m",
                "own gap, m",
                "published gap, m",
                "forgiven, mm",
            ],
            budget.collision_model_slop.links.iter().map(row),
        );
        let pair = |p: &PairBudget| {
            vec![
                format!("{} {}", p.link_a, p.link_b),
                format!("{:.6}", p.box_gap_m),
                format!("{:.6}", budget.link_link.admissible_gap_box_m),
                format!("{:.1}", p.forgiven_by_worst_link_m * 1e3),
                p.hull_gap_m.map_or("unknown".to_owned(), |m| format!("{m:.6}")),
            ]
        };
        text.push('\n');
        text += &table(
            &["links", "own box gap, m", "published box gap, m", "forgiven, mm", "hull gap, m"],
            self.pairs.iter().map(pair),
        );
        let mut rows = vec![
            vec!["half the voxel's diagonal".to_owned(), format!("{:.6}", budget.voxel_half_diagonal_m)],
            vec!["arm link against voxel (worst link)".to_owned(), format!("{:.6}", budget.admissible_gap_m)],
            vec![
                "link against link, boxes".to_owned(),
                format!("{:.6}", budget.link_link.admissible_gap_box_m),
            ],
            vec!["link against link, hulls".to_owned(), "sum of the two overhangs".to_owned()],
        ];
        if let (Some(own), Some(world)) = (&budget.self_collision, &budget.payload_world_voxel) {
            rows.push(vec!["carried object against link".to_owned(), format!("{:.6}", own.admissible_gap_m)]);
            rows.push(vec![
                "carried object against voxel".to_owned(),
                format!("{:.6}", world.admissible_gap_m),
            ]);
        }
        rows.push(vec!["range of the probe".to_owned(), format!("{:.6}", budget.probe_distmax_used_m)]);
        text.push('\n');
        text += &table(&["budget", "m"], rows);
        for payload in &self.payloads {
            let solid = if payload.refined { "26-DOP" } else { "box" };
            let _ = writeln!(
                text,
                "\n{}: {} points, corner slop {:.6} m, model overhang {:.6} m ({solid})",
                payload.name, payload.points, payload.corner_slop_m, payload.model_overhang_m
            );
        }
        text
    }
}
