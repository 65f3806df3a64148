//! `rollcheck hull derive`

use super::fragment;
use crate::args::hull::DeriveArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::pipeline::robot::Robot;
use crate::printer::{Printer, Render};
use rollcheck_engine::geometry::overhang::SPLITS_MAX;
use rollcheck_engine::geometry::robot::TightGeometry;
use rollcheck_engine::geometry::tight::derive::{DerivedTight, OverLimit, derive};
use rollcheck_engine::geometry::tight::fault;
use rollcheck_engine::store::atomic;
use serde_json::{Value, json};

struct Derived {
    name: String,
    file: String,
    mesh_vertices: usize,
    found: DerivedTight,
    tight: TightGeometry,
}

struct Fragment {
    robot: String,
    source: String,
    links: Vec<Derived>,
}

/// Derives tight geometry and prints it.
///
/// # Errors
/// [`CliError::Robot`], [`CliError::Link`], [`CliError::Usage`], [`CliError::Store`], [`CliError::Stdout`].
pub fn run(args: &DeriveArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    let robot = Robot::read(&args.robot)?;
    for name in &args.links {
        robot.link(name)?;
    }
    let over_limit = if args.refine { OverLimit::Refine } else { OverLimit::NoHull };
    let wanted = |name: &String| args.links.is_empty() || args.links.contains(name);
    let mut links = Vec::new();
    for link in robot.links().iter().filter(|link| wanted(&link.link_name)) {
        let Some(half) = link.shape.half_extents_m() else {
            printer.note(format_args!("link `{}`: no box, skipped", link.link_name));
            continue;
        };
        let Some(mesh) = robot.mesh(link, printer)? else {
            printer.note(format_args!("link `{}`: no mesh, skipped", link.link_name));
            continue;
        };
        let refused =
            |reason: String| CliError::Link { link: link.link_name.clone(), file: mesh.file.clone(), reason };
        let derived = derive(half, &mesh.in_box, over_limit, usize::from(args.samples), SPLITS_MAX)
            .map_err(|e| refused(e.to_string()))?;
        let tight = if args.rounded { fragment::rounded(&derived.tight) } else { derived.tight.clone() };
        if let Some(fault) = fault(half, &tight) {
            return Err(refused(fault.to_string()));
        }
        links.push(Derived {
            name: link.link_name.clone(),
            mesh_vertices: mesh.in_box.vertices().len(),
            file: mesh.file,
            found: derived,
            tight,
        });
    }
    if links.is_empty() {
        return Err(CliError::Usage(format!("{}: no link has a box and a mesh", robot.name)));
    }
    let source =
        args.robot.meshes.as_ref().map_or("the meshes it names".to_owned(), |m| m.display().to_string());
    let result = Fragment { robot: robot.file.model.name.clone(), source, links };
    match &args.out {
        Some(path) => {
            atomic::write(path, result.text().as_bytes())?;
            printer.note(format_args!("wrote {}", path.display()));
        }
        None => printer.result(&result)?,
    }
    Ok(Exit::Done)
}

impl Render for Fragment {
    fn json(&self) -> Value {
        let link = |it: &Derived| {
            let vertices: Vec<[f64; 3]> = it.tight.hull_vertices_m.iter().map(|p| [p.x, p.y, p.z]).collect();
            json!({
                "link": it.name,
                "mesh": it.file,
                "mesh_vertices": it.mesh_vertices,
                "exact_hull_vertices": it.found.exact_hull_vertices,
                "inward_margin_m": it.found.inward_margin_m,
                "overhang_sampled_m": it.found.sampled.map(|s| s.max_m),
                "overhang_supremum_m": it.found.certified.map(|c| [c.lower_m, c.upper_m]),
                "tight_geometry": {
                    "dop_lo_m": it.tight.dop.lo_m,
                    "dop_hi_m": it.tight.dop.hi_m,
                    "hull_vertices_m": vertices,
                    "hull_overhang_m": it.tight.hull_overhang_m,
                },
            })
        };
        json!({"robot": self.robot, "links": self.links.iter().map(link).collect::<Vec<_>>()})
    }

    fn text(&self) -> String {
        let mut text = fragment::head(&self.robot, &self.source);
        for it in &self.links {
            text += &fragment::link(&it.name, it.mesh_vertices, &it.found, &it.tight);
        }
        text
    }
}
