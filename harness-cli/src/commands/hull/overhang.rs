//! `rollcheck hull overhang`

use crate::args::hull::OverhangArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::pipeline::robot::{LoadedMesh, Robot, declared_or_exact, read_mesh_alone};
use crate::printer::{Printer, Render, table};
use crate::report::hulls::{HullPage, LinkPicture};
use rollcheck_engine::geometry::overhang::{
    CertifiedOverhang, OverhangProbe, SPLITS_MAX, SampledOverhang, emitted_m, published_m,
};
use rollcheck_engine::geometry::{ConvexHull, Point, Pose, TriangleMesh};
use rollcheck_engine::store::atomic;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Grid below which a cap does not go.
const CAPPED_MIN: usize = 4;

struct Measured {
    name: String,
    file: String,
    hull: &'static str,
    n: usize,
    sampled: SampledOverhang,
    certified: CertifiedOverhang,
    at_link: Point,
    picture: LinkPicture,
}

struct Overhangs(Vec<Measured>);

/// Measures and prints.
///
/// # Errors
/// [`CliError::Robot`], [`CliError::Mesh`], [`CliError::Link`], [`CliError::Store`], [`CliError::Stdout`].
pub fn run(args: &OverhangArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    let mut measured = Vec::new();
    if let Some(path) = &args.robot {
        let robot = Robot::at(path, args.meshes.as_deref())?;
        let links = robot.links();
        for (at, link) in links.iter().enumerate() {
            printer.progress("measuring links", links.len() as u64).at(at as u64, &link.link_name);
            let Some(half) = link.shape.half_extents_m() else {
                printer.note(format_args!("link `{}`: no box, not measured", link.link_name));
                continue;
            };
            let Some(mesh) = robot.mesh(link, printer)? else {
                printer.note(format_args!("link `{}`: no mesh, not measured", link.link_name));
                continue;
            };
            let (hull, declared) = declared_or_exact(link, &mesh)?;
            if !declared && link.tight.is_some() {
                printer.note(format_args!(
                    "link `{}`: no hull is declared; the exact one of its mesh is measured",
                    link.link_name
                ));
            }
            let kind = if declared { "declared" } else { "exact" };
            measured.push(measure(&link.link_name, kind, half, &mesh, &hull, &link.link_from_box, args));
        }
    }
    if let Some(path) = &args.mesh {
        let file = path.display().to_string();
        let (name, mesh) = read_mesh_alone(path, printer)?;
        let (source, spanned) = match &args.hull {
            Some(hull) => (hull.display().to_string(), read_mesh_alone(hull, printer)?.1),
            None => (file.clone(), mesh.clone()),
        };
        let hull = ConvexHull::of(spanned.vertices()).map_err(|error| CliError::Link {
            link: name.clone(),
            file: source,
            reason: error.to_string(),
        })?;
        let kind = if args.hull.is_some() { "given" } else { "exact" };
        let half = half_extents(&mesh);
        let mesh = LoadedMesh { file, in_box: mesh };
        measured.push(measure(&name, kind, half, &mesh, &hull, &Pose::identity(), args));
    }
    let result = Overhangs(measured);
    if result.0.is_empty() {
        return Err(CliError::Usage("no link has a box and a mesh: nothing was measured".to_owned()));
    }
    if let Some(path) = &args.html {
        atomic::write(path, result.page().render().as_bytes())?;
        printer.note(format_args!("wrote {}", path.display()));
    }
    printer.result(&result)?;
    // What could not be proved is not known.
    let open = result.0.iter().any(|m| !m.certified.certified);
    Ok(if open { Exit::Unknown } else { Exit::Done })
}

fn half_extents(mesh: &TriangleMesh) -> [f64; 3] {
    [0, 1, 2].map(|k| mesh.vertices().iter().fold(0.0_f64, |m, p| m.max(p[k].abs())))
}

fn measure(
    name: &str,
    kind: &'static str,
    half: [f64; 3],
    mesh: &LoadedMesh,
    hull: &ConvexHull,
    link_from_box: &Pose,
    args: &OverhangArgs,
) -> Measured {
    let mut n = usize::from(args.samples);
    if let Some(cap) = args.cap {
        let count = |n: usize| hull.facets().len() * (n + 1) * (n + 2) / 2;
        while n > CAPPED_MIN && count(n) > cap {
            n -= 1;
        }
    }
    let probe = OverhangProbe::new(hull, &mesh.in_box);
    let (sampled, certified) = (probe.sampled(n), probe.certified(SPLITS_MAX));
    Measured {
        name: name.to_owned(),
        file: mesh.file.clone(),
        hull: kind,
        n,
        sampled,
        certified,
        at_link: link_from_box * certified.at,
        picture: LinkPicture::of(
            name,
            half,
            &mesh.in_box,
            Some(hull),
            Some((certified.at, certified.lower_m)),
        ),
    }
}

impl Overhangs {
    fn rows(&self) -> Vec<Vec<String>> {
        let row = |m: &Measured| {
            vec![
                m.name.clone(),
                m.hull.to_owned(),
                m.sampled.samples.to_string(),
                format!("{:.9}", m.sampled.max_m),
                format!("{:.6}", emitted_m(m.sampled.max_m)),
                format!("{:.6}", published_m(&m.sampled, &m.certified)),
                format!("{:.9}", m.certified.lower_m),
                format!("{:.9}", m.certified.upper_m),
                m.certified.splits.to_string(),
            ]
        };
        self.0.iter().map(row).collect()
    }

    fn page(&self) -> HullPage {
        HullPage {
            title: "Hull overhang".to_owned(),
            lede: "How far each hull reaches past the mesh it stands for: sampled on the documented grid, as a manifest publishes it, and between two proved bounds.".to_owned(),
            links: self.0.iter().map(|m| m.picture.clone()).collect(),
            columns: HEADER.to_vec(),
            rows: self.rows(),
            notes: Vec::new(),
        }
    }
}

const HEADER: [&str; 9] = [
    "link",
    "hull",
    "samples",
    "sampled, m",
    "recipe, m",
    "published, m",
    "at least, m",
    "at most, m",
    "splits",
];

impl Render for Overhangs {
    fn json(&self) -> Value {
        let link = |m: &Measured| {
            let p = |p: &Point| [p.x, p.y, p.z];
            json!({
                "link": m.name,
                "mesh": m.file,
                "hull": m.hull,
                "samples_per_edge": m.n,
                "samples": m.sampled.samples,
                "sampled_m": m.sampled.max_m,
                "recipe_m": emitted_m(m.sampled.max_m),
                "published_m": published_m(&m.sampled, &m.certified),
                "supremum_m": [m.certified.lower_m, m.certified.upper_m],
                "certified": m.certified.certified,
                "splits": m.certified.splits,
                "worst_point_box_m": p(&m.certified.at),
                "worst_point_link_m": p(&m.at_link),
            })
        };
        json!({"links": self.0.iter().map(link).collect::<Vec<_>>()})
    }

    fn text(&self) -> String {
        let mut text = table(&HEADER, self.rows());
        for m in &self.0 {
            let [b, l] = [m.certified.at, m.at_link].map(|p| format!("({:.6}, {:.6}, {:.6})", p.x, p.y, p.z));
            let _ = writeln!(text, "{}: farthest at {b} in the box frame, {l} in the link frame", m.name);
        }
        text
    }
}
