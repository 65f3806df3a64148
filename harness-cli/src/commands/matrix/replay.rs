//! `rollcheck matrix replay`

use super::one_scene::OneScene;
use crate::args::matrix::{ReplayArgs, UseReplayArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::pipeline::robot_model;
use crate::printer::{Printer, Render, table};
use crate::report::StopReplay;
use crate::report::stop_replay::Judged;
use rollcheck_engine::store::atomic;
use rollcheck_engine::text::{plain, printf};
use rollcheck_eval::adjudication::Adjudication;
use rollcheck_eval::adjudication::stand_in::{SOURCE, StandIn};
use rollcheck_eval::replay::account::{self, measured_mm, reported_mm};
use rollcheck_eval::replay::{self, LinkPair, Replay, ReplayModel, StateReplay, Unmeasured};
use rollcheck_eval::rounds::deploy_log::DeployLog;
use rollcheck_eval::verdict::derive;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Measures a stop again from the joints on record.
///
/// # Errors
/// [`CliError::Round`], [`CliError::Scene`], [`CliError::Usage`] (an unknown link too), [`CliError::Robot`],
/// [`CliError::Mesh`], [`CliError::Kinematics`], [`CliError::Store`], [`CliError::Stdout`].
pub fn run(args: &ReplayArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    let scene = OneScene::read(&args.round, &args.scene, args.stem.as_deref(), args.from_recorded, printer)?;
    let robot = robot_model::load(&args.robot, &args.files, printer)?;
    let replay = replay::replay(&scene.evidence.log, &robot.model);
    if let Some(Err(reason @ Unmeasured::UnknownLink { .. })) = replay.named().map(|pair| &pair.hulls) {
        return Err(CliError::Usage(format!("{}: {reason}", args.robot.display())));
    }
    let rules = args.rules.rule_set();
    let context = scene.context();
    let documented = derive::scene(&context, &scene.evidence, rules)?.adjudication;
    let stand_in = replay.stand_in();
    let with = match &stand_in {
        Some(stand_in) => derive::scene_with(&context, &scene.evidence, rules, Some(stand_in))?.adjudication,
        None => None,
    };
    let replayed = Replayed {
        round_id: scene.recorded.metadata.round_id.clone(),
        scene: args.scene.clone(),
        replay,
        documented,
        with: with.filter(|a| a.replayed.is_some()),
        sources: robot.sources,
        page: args.html.as_ref().map(|path| path.display().to_string()),
    };
    if let Some(path) = &args.html {
        atomic::write(path, replayed.page().render().as_bytes())?;
        printer.note(format_args!("wrote {}", path.display()));
    }
    printer.result(&replayed)?;
    let measured = replayed.replay.named().is_some_and(|pair| pair.hulls.is_ok());
    Ok(if measured { Exit::Done } else { Exit::Unknown })
}

/// The robot, where replays were asked for.
///
/// # Errors
/// Those of reading the robot.
pub fn asked_robot(args: &UseReplayArgs, printer: &mut Printer<'_>) -> Result<Option<ReplayModel>, CliError> {
    match args.robot.as_deref().filter(|_| args.use_replay) {
        Some(robot) => Ok(Some(robot_model::load(robot, &args.files, printer)?.model)),
        None => Ok(None),
    }
}

/// What a replay can stand in with, where it was asked for; a warning where it cannot.
///
/// # Errors
/// Those of reading the robot.
pub fn stand_in(
    args: &UseReplayArgs,
    log: &DeployLog,
    scene: &str,
    printer: &mut Printer<'_>,
) -> Result<Option<StandIn>, CliError> {
    let Some(robot) = asked_robot(args, printer)? else { return Ok(None) };
    let replay = replay::replay(log, &robot);
    let stand_in = replay.stand_in();
    if stand_in.is_none() {
        printer
            .warning(format_args!("{scene}: the replay has nothing to stand in with: {}", why_not(&replay)));
    }
    Ok(stand_in)
}

fn why_not(replay: &Replay) -> String {
    match replay.named().map(|pair| &pair.hulls) {
        Some(Err(reason)) => reason.to_string(),
        Some(Ok(_)) => "the distance is not certified".to_owned(),
        None => account::sentences(replay).pop().unwrap_or_default(),
    }
}

struct Replayed {
    round_id: String,
    scene: String,
    replay: Replay,
    documented: Option<Adjudication>,
    with: Option<Adjudication>,
    sources: Vec<String>,
    page: Option<String>,
}

impl Replayed {
    fn title(&self) -> String {
        let stop = match &self.replay.stop {
            Some((stop, _)) => format!("{} against {}", stop.party_a, stop.party_b),
            None => "no stop".to_owned(),
        };
        format!("{} {}: {stop}", self.round_id, self.scene)
    }

    fn page(&self) -> StopReplay<'_> {
        StopReplay {
            title: self.title(),
            replay: &self.replay,
            documented: judged(self.documented.as_ref()),
            with_replay: judged(self.with.as_ref()),
            sources: &self.sources,
        }
    }
}

/// Verdict and why, in words.
fn judged(adjudication: Option<&Adjudication>) -> Option<Judged> {
    adjudication.map(|a| Judged {
        verdict: a.verdict.name().to_owned(),
        because: if a.reason_text.is_empty() {
            format!("rule {}: {}", a.rung.id(), a.rung.condition())
        } else {
            format!("{}: {}", a.reason_ids().join(" and "), a.reason_text)
        },
        discrepancy_m: a.discrepancy_m,
        budget_m: a.budget.admissible_gap_m,
        budget_source: a.budget.source.name(),
    })
}

impl Render for Replayed {
    fn json(&self) -> Value {
        let verdict = |judged: Option<Judged>, source: Option<&str>| {
            judged.map(|j| {
                json!({"verdict": j.verdict, "because": j.because, "source": source, "discrepancy_m": j.discrepancy_m,
                       "admissible_gap_m": j.budget_m, "budget_source": j.budget_source})
            })
        };
        json!({
            "round_id": self.round_id, "scene": self.scene, "replay": account::json(&self.replay),
            "documented": verdict(judged(self.documented.as_ref()), None),
            "with_replay": verdict(judged(self.with.as_ref()), Some(SOURCE)),
            "sources": self.sources, "page": self.page,
        })
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "{}", self.title());
        if let Some((stop, source)) = &self.replay.stop {
            let step = match stop.horizon_step {
                step if step < 0 => "measured state".to_owned(),
                step => format!("step {step}"),
            };
            field(&mut out, "stop", &format!("{}, {step}; from the {}", stop.kind, source.name()));
            field(&mut out, "reported", &reported_mm(stop.min_distance_m));
        }
        if let Some(pair) = self.replay.named() {
            named_text(&mut out, pair);
        }
        for (index, sentence) in account::sentences(&self.replay).iter().enumerate() {
            field(&mut out, if index == 0 { "replayed" } else { "" }, sentence);
        }
        if self.documented.is_none() && self.replay.stop.is_some() {
            let where_else = "`--from-recorded` takes the stop from verdicts.json";
            field(
                &mut out,
                "documented",
                &format!("nothing to judge: the log has no stop line; {where_else}"),
            );
        }
        verdict_text(&mut out, "documented", judged(self.documented.as_ref()));
        verdict_text(&mut out, "with replay", judged(self.with.as_ref()));
        for state in &self.replay.states {
            let _ = write!(out, "\n{}\n{}", heading(state), pairs_table(state));
            for reason in &state.left_out {
                let _ = writeln!(out, "left out: {reason}");
            }
        }
        plain::lines(&out)
    }
}

fn field(out: &mut String, name: &str, value: &str) {
    let _ = writeln!(out, "  {name:<13} {}", value.split_whitespace().collect::<Vec<_>>().join(" "));
}

fn named_text(out: &mut String, pair: &LinkPair) {
    if let Ok(found) = &pair.hulls {
        let certificate = if found.certified() { "certified" } else { "not certified" };
        let how = account::method(found.method);
        field(out, "hulls", &format!("{}, {how}, {certificate}", measured_mm(found.distance_m)));
        let point =
            |p: &rollcheck_engine::geometry::Point| [p.x, p.y, p.z].map(|x| printf::general(x, 6)).join(" ");
        let (a, b) = (point(&found.witness_a), point(&found.witness_b));
        field(out, "witness", &format!("{} at ({a}) m, {} at ({b}) m", pair.a, pair.b));
    }
    if let Ok(m) = &pair.boxes_m {
        field(out, "boxes", &format!("{}, largest gap over 15 axes", measured_mm(*m)));
    }
}

fn verdict_text(out: &mut String, name: &str, judged: Option<Judged>) {
    let Some(j) = judged else { return };
    field(out, name, &format!("{}, {}", j.verdict, j.because));
    if let (Some(discrepancy_m), Some(budget_m)) = (j.discrepancy_m, j.budget_m) {
        let (found, gap) = (reported_mm(discrepancy_m), reported_mm(budget_m));
        field(
            out,
            "",
            &format!("discrepancy {found} against a gap budget of {gap} from {}", j.budget_source),
        );
    }
}

fn heading(state: &StateReplay) -> String {
    format!("{} state, `{}`; mm", state.state.source.name(), state.state.source.field())
}

fn pairs_table(state: &StateReplay) -> String {
    let mm = |m: Option<f64>| {
        m.map_or_else(|| "-".to_owned(), |m| format!("{:.3}", (1e6 * m).round() / 1e3 + 0.0))
    };
    let rows = state.pairs.iter().map(|pair| {
        let found = pair.hulls.as_ref().ok();
        let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
        vec![
            format!("{} {}", pair.a, pair.b),
            mm(found.map(|f| f.distance_m)),
            found.map_or_else(String::new, |f| yes(f.certified())),
            mm(pair.boxes_m.as_ref().ok().copied()),
            mm(pair.probe_m),
            yes(pair.adjacent),
        ]
    });
    table(&["links", "hulls", "certified", "boxes", "probe", "neighbours"], rows)
}
