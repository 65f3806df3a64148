//! `rollcheck sentinel replay`

use crate::args::sentinel::ReplayArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::pipeline::recording::{expect_task, owner_of};
use crate::pipeline::replay::{self, About};
use crate::pipeline::{Artifacts, Recording};
use crate::printer::{Printer, Render, table};
use crate::report::format::number;
use crate::report::page::Provenance;
use crate::report::replay::{Replay, page};
use crate::settings::Perturbation;
use rollcheck_engine::store::atomic;
use rollcheck_models::audit::Source;
use rollcheck_models::audit::perturb::{self, Disturbance};
use rollcheck_models::random::Random;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Random stream of the direction of a push.
const DIRECTION_STREAM: u64 = 200;

/// Runs the sentinel over one episode of a file, prints its fires and draws the page.
///
/// # Errors
/// [`CliError`]: files, an episode that is not there, an unknown task.
pub fn run(args: &ReplayArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    args.compute.device.resolve()?;
    let artifacts = Artifacts::read(&args.artifacts)?;
    let (head, graph) = (&artifacts.trained.head, artifacts.trained.graph());
    let recording = Recording::read(&args.rollouts)?;
    recording.expect_joints_of(graph)?;
    let episodes = recording.demos.episodes();
    let Some(episode) = episodes.get(args.episode) else {
        let (file, found) = (&recording.file, args.episode);
        return Err(CliError::Usage(format!("{file}: no episode {found}; it holds {}", episodes.len())));
    };
    expect_task(graph, episode.task_id())?;
    let clean = Source::clean(episode, owner_of(graph, episode));
    let seed = artifacts.trained.training.seed;
    let mut provenance = Provenance {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        graph_hash: graph.hash().to_string(),
        head_hash: Some(head.hash().to_string()),
        seeds: vec![("head".to_owned(), seed)],
        sources: vec![format!("{}, episode {}", recording.file, args.episode)],
        generated: args.perturb.is_some(),
    };
    let (source, perturbations) = match args.perturb {
        None => (clean, vec![]),
        Some(what) => {
            provenance.seeds.push(("direction of a push".to_owned(), seed));
            let (disturbance, frame) = disturbance(what);
            let direction = perturb::direction(graph.dof(), &mut Random::new(seed, DIRECTION_STREAM));
            let disturbed = perturb::at(&clean, disturbance, frame, &direction).ok_or_else(|| {
                let (n, last) = (args.episode, episode.frames() - 1);
                CliError::Usage(format!(
                    "episode {n} cannot be disturbed at frame {frame}: its last is {last}"
                ))
            })?;
            (disturbed.source, vec![(frame, format!("{disturbance} (generated)"))])
        }
    };
    let about = About {
        title: format!("Episode {} of {}", args.episode, recording.file),
        task: recording.task_words(episode.task_id()),
        perturbations,
        is_phase_known: recording.success.as_ref().is_none_or(|s| s[args.episode]),
        provenance,
    };
    let replay = replay::run(&artifacts.model(args.rule.settings())?, head, source, about)?;
    if let Some(path) = &args.html {
        atomic::write(path, page(&replay).as_bytes())?;
        printer.note(format_args!("wrote {}", path.display()));
    }
    printer.result(&ReplayResult { replay, page: args.html.as_ref().map(|p| p.display().to_string()) })?;
    Ok(Exit::Done)
}

fn disturbance(what: Perturbation) -> (Disturbance, usize) {
    match what {
        Perturbation::Push { offset_rad, frame } => (Disturbance::Push(offset_rad), frame),
        Perturbation::Stall { frame } => (Disturbance::Stall, frame),
    }
}

/// One replayed episode.
struct ReplayResult {
    replay: Replay,
    page: Option<String>,
}

impl ReplayResult {
    fn time_s(&self, check: usize) -> f64 {
        self.replay.checks[check].frame as f64 / self.replay.rate_hz
    }
}

impl Render for ReplayResult {
    fn json(&self) -> Value {
        let r = &self.replay;
        let fires: Vec<Value> = r
            .fires
            .iter()
            .map(|f| {
                json!({
                    "check": f.check,
                    "frame": r.checks[f.check].frame,
                    "time_s": self.time_s(f.check),
                    "kind": f.kind.words(),
                    "target": f.target,
                    "target_distance_rad": f.target_distance_rad,
                    "servo": f.servo.as_ref().map(|s| json!({
                        "outcome": s.outcome,
                        "steps": s.steps,
                        "error_after_rad": s.error_after_rad,
                    })),
                    "manifold": f.manifold.map(|m| json!({
                        "before_rad": m.before_rad,
                        "target_rad": m.target_rad,
                        "radius_rad": m.radius_rad,
                    })),
                })
            })
            .collect();
        let checks: Vec<Value> = r
            .checks
            .iter()
            .map(|c| {
                json!({
                    "frame": c.frame,
                    "phase_memoryless": c.phase_memoryless,
                    "phase_filtered": c.phase_filtered,
                    "phase_spread": c.phase_spread,
                    "phase_true": c.phase_true,
                    "log_wealth_basin": c.log_wealth_basin,
                    "log_wealth_progress": c.log_wealth_progress,
                    "distance_rad": c.distance_rad,
                    "radius_rad": c.radius_rad,
                })
            })
            .collect();
        json!({"replay": {
            "title": r.title,
            "task": r.task,
            "rule": r.rule,
            "log_threshold": r.log_threshold,
            "generated": r.provenance.generated,
            "perturbations": r.perturbations.iter().map(|(frame, what)| json!({"frame": frame, "what": what})).collect::<Vec<_>>(),
            "fires": fires,
            "checks": checks,
            "report": self.page,
        }})
    }

    fn text(&self) -> String {
        let r = &self.replay;
        let mut text = format!("{}: {}\nrule {}\n", r.title, r.task, r.rule);
        for (frame, what) in &r.perturbations {
            let _ = writeln!(text, "{what} from frame {frame}");
        }
        for fact in &r.facts {
            let _ =
                writeln!(text, "{} {}: {}", fact.name, fact.value.as_deref().unwrap_or("unknown"), fact.note);
        }
        let highest = |f: fn(&crate::report::replay::ReplayCheck) -> Option<f64>| {
            number(r.checks.iter().filter_map(f).reduce(f64::max), 2)
        };
        let _ = writeln!(
            text,
            "{} checks; highest log wealth: basin {}, progress {}; a fire needs {:.2}",
            r.checks.len(),
            highest(|c| c.log_wealth_basin),
            highest(|c| c.log_wealth_progress),
            r.log_threshold
        );
        if r.fires.is_empty() {
            text += "no fire\n";
            return text;
        }
        let header = [
            "check",
            "time (s)",
            "test",
            "pose off (rad)",
            "target",
            "steps",
            "error after (rad)",
            "target off (rad)",
            "radius (rad)",
        ];
        text.push('\n');
        text += &table(
            &header,
            r.fires.iter().map(|f| {
                let or_dash =
                    |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| number(Some(v), 3));
                vec![
                    f.check.to_string(),
                    number(Some(self.time_s(f.check)), 2),
                    f.kind.words().to_owned(),
                    or_dash(r.checks[f.check].distance_rad),
                    f.target.clone().unwrap_or_else(|| "none, held".to_owned()),
                    f.servo.as_ref().map_or_else(|| "-".to_owned(), |s| s.steps.to_string()),
                    or_dash(f.servo.as_ref().map(|s| s.error_after_rad)),
                    or_dash(f.manifold.and_then(|m| m.target_rad)),
                    or_dash(f.manifold.and_then(|m| m.radius_rad)),
                ]
            }),
        );
        text += "\n\"off\" is the distance to the nearest demonstrated pose at the believed phase. No arm moved: the \
                 servo ran on the offline plant, and the recording went on.\n";
        text
    }
}
