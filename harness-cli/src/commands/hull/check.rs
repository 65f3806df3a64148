//! `rollcheck hull check`

use crate::args::hull::CheckArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::pipeline::robot::Robot;
use crate::printer::{Printer, Render};
use crate::report::hulls::{HullPage, LinkPicture};
use rollcheck_engine::geometry::ConvexHull;
use rollcheck_engine::geometry::overhang::SPLITS_MAX;
use rollcheck_engine::geometry::robot::LinkVolume;
use rollcheck_engine::geometry::tight::check::{FindingKind, LinkCheck, check};
use rollcheck_engine::store::atomic;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// One link of the answer.
struct Checked {
    name: String,
    /// The mesh, where one could be read.
    file: Option<String>,
    declared_m: Option<f64>,
    found: Option<LinkCheck>,
    /// Why it could not be checked at all.
    failure: Option<String>,
    picture: Option<LinkPicture>,
}

struct Answer {
    robot: String,
    tolerance_m: f64,
    links: Vec<Checked>,
}

/// Checks every link that declares tight geometry.
///
/// # Errors
/// [`CliError::Robot`], [`CliError::Usage`], [`CliError::Store`], [`CliError::Stdout`].
pub fn run(args: &CheckArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    if !(args.tolerance.is_finite() && args.tolerance >= 0.0) {
        return Err(CliError::Usage(format!(
            "--tolerance: expected a length of at least 0 m, found {}",
            args.tolerance
        )));
    }
    let robot = Robot::read(&args.robot)?;
    let declared: Vec<&LinkVolume> = robot.links().iter().filter(|link| link.tight.is_some()).collect();
    let mut answer = Answer { robot: robot.name.clone(), tolerance_m: args.tolerance, links: Vec::new() };
    for (at, link) in declared.iter().enumerate() {
        let one = one(&robot, link, args, printer);
        answer.links.push(one);
        printer.progress("checking links", declared.len() as u64).at(at as u64 + 1, &link.link_name);
    }
    for link in &answer.links {
        for (kind, text) in link.findings() {
            match kind {
                FindingKind::Violation => printer.note_always(format_args!("FAIL {}: {text}", link.name)),
                FindingKind::Warning => printer.warning(format_args!("{}: {text}", link.name)),
            }
        }
    }
    if let Some(path) = &args.html {
        atomic::write(path, answer.page().render().as_bytes())?;
        printer.note(format_args!("wrote {}", path.display()));
    }
    printer.result(&answer)?;
    Ok(if answer.links.iter().any(Checked::failed) { Exit::Refused } else { Exit::Done })
}

fn one(robot: &Robot, link: &LinkVolume, args: &CheckArgs, printer: &mut Printer<'_>) -> Checked {
    let mut it = Checked {
        name: link.link_name.clone(),
        file: None,
        declared_m: link.tight.as_ref().and_then(|tight| tight.hull_overhang_m),
        found: None,
        failure: None,
        picture: None,
    };
    let (Some(tight), Some(half)) = (&link.tight, link.shape.half_extents_m()) else {
        it.failure = Some("tight geometry is for boxes only".to_owned());
        return it;
    };
    let mesh = match robot.mesh(link, printer) {
        Ok(Some(mesh)) => mesh,
        Ok(None) => {
            it.failure = Some("declared without a source mesh: nothing to check it against".to_owned());
            return it;
        }
        Err(error) => {
            // The line begins with the link; the message need not.
            let message = error.message();
            let named = format!("link `{}`: ", link.link_name);
            it.failure = Some(message.strip_prefix(&named).map_or(message.clone(), str::to_owned));
            return it;
        }
    };
    it.file = Some(mesh.file.clone());
    if let Err(error) = ConvexHull::of(mesh.in_box.vertices()) {
        it.failure = Some(format!("{}: {error}", mesh.file));
        return it;
    }
    let found = check(half, tight, &mesh.in_box, args.tolerance, SPLITS_MAX);
    let hull = ConvexHull::of(&tight.hull_vertices_m).ok();
    it.picture = Some(LinkPicture::of(
        &link.link_name,
        half,
        &mesh.in_box,
        hull.as_ref(),
        found.certified.map(|c| (c.at, c.lower_m)),
    ));
    it.found = Some(found);
    it
}

/// A signed length in mm; what rounds to nothing is positive.
fn mm(m: f64) -> String {
    let text = format!("{:+.6}", m * 1e3);
    if text == "-0.000000" { "+0.000000".to_owned() } else { text }
}

impl Checked {
    fn findings(&self) -> Vec<(FindingKind, String)> {
        let failure = self.failure.iter().map(|text| (FindingKind::Violation, text.clone()));
        let found = self.found.iter().flat_map(|f| &f.findings).map(|f| (f.kind(), f.to_string()));
        failure.chain(found).collect()
    }

    fn failed(&self) -> bool {
        self.findings().iter().any(|(kind, _)| *kind == FindingKind::Violation)
    }

    fn line(&self) -> String {
        let Some(found) = &self.found else { return format!("{}: not checked", self.name) };
        let mut line = format!(
            "{}: mesh {} vtx, declared hull {} vtx, mesh-outside-DOP {} mm",
            self.name,
            found.mesh_vertices,
            found.hull_vertices,
            mm(found.outside_dop_m)
        );
        if let (Some(hull_m), Some(sampled), Some(finer), Some(proved)) =
            (found.outside_hull_m, found.sampled, found.resampled, found.certified)
        {
            let declared = self.declared_m.map_or("none".to_owned(), |m| format!("{m:.6}"));
            let _ = write!(
                line,
                ", mesh-outside-hull {} mm, overhang declared {declared}, sampled {:.9} (n = 24) {:.9} (n = 32), supremum {:.9} m",
                mm(hull_m),
                sampled.max_m,
                finer.max_m,
                proved.upper_m
            );
        }
        line
    }
}

impl Answer {
    fn page(&self) -> HullPage {
        HullPage {
            title: format!("Hull check of {}", self.robot),
            lede: format!(
                "Declared slabs, hulls and overhangs held against the meshes they stand for; a mesh may be {:e} m outside.",
                self.tolerance_m
            ),
            links: self.links.iter().filter_map(|link| link.picture.clone()).collect(),
            columns: vec![
                "link",
                "declared overhang, m",
                "supremum, m",
                "outside slabs, mm",
                "outside hull, mm",
                "result",
            ],
            rows: self
                .links
                .iter()
                .map(|link| {
                    let found = link.found.as_ref();
                    let warned = !link.findings().is_empty();
                    vec![
                        link.name.clone(),
                        link.declared_m.map_or("none".to_owned(), |m| format!("{m:.6}")),
                        found
                            .and_then(|f| f.certified)
                            .map_or("unknown".to_owned(), |c| format!("{:.9}", c.upper_m)),
                        found.map_or("unknown".to_owned(), |f| mm(f.outside_dop_m)),
                        found.and_then(|f| f.outside_hull_m).map_or("none".to_owned(), mm),
                        if link.failed() {
                            "violated"
                        } else if warned {
                            "holds, with a warning"
                        } else {
                            "holds"
                        }
                        .to_owned(),
                    ]
                })
                .collect(),
            notes: self
                .links
                .iter()
                .flat_map(|link| {
                    link.findings().into_iter().map(move |(_, text)| format!("{}: {text}", link.name))
                })
                .collect(),
        }
    }
}

impl Render for Answer {
    fn json(&self) -> Value {
        let link = |it: &Checked| {
            let found = it.found.as_ref();
            let findings: Vec<Value> = it
                .findings()
                .into_iter()
                .map(|(kind, text)| json!({"violation": kind == FindingKind::Violation, "text": text}))
                .collect();
            json!({
                "link": it.name,
                "mesh": it.file,
                "mesh_vertices": found.map(|f| f.mesh_vertices),
                "hull_vertices": found.map(|f| f.hull_vertices),
                "mesh_outside_dop_m": found.map(|f| f.outside_dop_m),
                "mesh_outside_hull_m": found.and_then(|f| f.outside_hull_m),
                "overhang_declared_m": it.declared_m,
                "overhang_sampled_m": found.and_then(|f| f.sampled).map(|s| s.max_m),
                "overhang_resampled_m": found.and_then(|f| f.resampled).map(|s| s.max_m),
                "overhang_supremum_m": found.and_then(|f| f.certified).map(|c| [c.lower_m, c.upper_m]),
                "holds": !it.failed(),
                "findings": findings,
            })
        };
        json!({
            "robot": self.robot,
            "tolerance_m": self.tolerance_m,
            "holds": !self.links.iter().any(Checked::failed),
            "links": self.links.iter().map(link).collect::<Vec<_>>(),
        })
    }

    fn text(&self) -> String {
        if self.links.is_empty() {
            return format!("{}: no link declares tight geometry\n", self.robot);
        }
        let mut text: String = self.links.iter().map(|link| link.line() + "\n").collect();
        let failed = self.links.iter().filter(|link| link.failed()).count();
        let _ = match failed {
            0 => writeln!(text, "all {} links hold", self.links.len()),
            n => writeln!(text, "{n} of {} links are violated", self.links.len()),
        };
        text
    }
}
