//! `rollcheck matrix preflight`

use crate::args::matrix::PreflightArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::printer::{Printer, Render};
use rollcheck_eval::guardrails::gather;
use rollcheck_eval::round_ops::preflight::{self, GuardReport, Preflight, Request, State, TrackedScene};
use rollcheck_eval::rounds::layout;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Asks every guard of a round; launches and writes nothing.
///
/// # Errors
/// [`CliError::Usage`], [`CliError::Round`], [`CliError::Stdout`].
pub fn run(args: &PreflightArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    layout::stem(&args.stem, "--stem")?;
    let repo = args
        .repo
        .canonicalize()
        .ok()
        .filter(|repo| repo.is_dir())
        .ok_or_else(|| CliError::Usage(format!("--repo {}: not a directory", args.repo.display())))?;
    let selected = preflight::select(&args.scenes);
    let scenes: Vec<TrackedScene> = selected
        .iter()
        .map(|&scene| TrackedScene { scene, bytes: gather::tracked_scene(&repo, scene.config) })
        .collect();
    let host = gather::host(&repo);
    let preflight = preflight::check(&host, &scenes, &request(args));
    let refusal = preflight.refusal().cloned();
    if scenes.is_empty() && refusal.is_none() {
        let known = layout::MATRIX.map(|scene| scene.key).join(", ");
        return Err(CliError::Usage(format!("--scenes selects no scene; the matrix has {known}")));
    }
    for key in args.scenes.iter().filter(|key| layout::scene(key).is_none()) {
        printer.warning(format_args!("--scenes {key}: no scene of the matrix, ignored"));
    }
    printer.result(&Asked { args, repo_root: &host.repo_root, preflight: &preflight })?;
    match refusal {
        // The result is printed already, so only the line for people follows.
        Some(refusal) => Ok(printer.guardrail(&refusal)),
        None => Ok(Exit::Done),
    }
}

fn request(args: &PreflightArgs) -> Request {
    Request {
        seed: args.seed,
        expect_sha: args.expect_sha.clone(),
        robot: args.robot.clone(),
        deploy_args: args.deploy_arg.clone(),
        force_shared_gpu: args.force_shared_gpu,
    }
}

struct Asked<'a> {
    args: &'a PreflightArgs,
    repo_root: &'a str,
    preflight: &'a Preflight,
}

impl Render for Asked<'_> {
    fn json(&self) -> Value {
        let guard = |report: &GuardReport| {
            let refusal =
                if let State::Refused(refusal) = &report.state { Some(refusal.to_string()) } else { None };
            json!({
                "guard": report.guard.number(), "name": report.guard.name(), "state": report.state.name(),
                "detail": report.detail, "refusal": refusal, "facts": report.facts,
            })
        };
        let refusal = self.preflight.refusal();
        json!({
            "accepted": refusal.is_none(),
            "refusal": refusal.map(ToString::to_string),
            "repo_root": self.repo_root,
            "asked": {
                "expect_sha": self.args.expect_sha, "seed": self.args.seed, "scenes": self.args.scenes,
                "robot": self.args.robot, "robot_manifest": self.args.robot_manifest,
                "rskill_id": self.args.rskill_id, "stem": self.args.stem, "deploy_args": self.args.deploy_arg,
                "force_shared_gpu": self.args.force_shared_gpu,
            },
            "guards": self.preflight.guards.iter().map(guard).collect::<Vec<_>>(),
        })
    }

    fn text(&self) -> String {
        let mut out = String::from("#  guard         state           found\n");
        for report in &self.preflight.guards {
            let (number, name, state) = (report.guard.number(), report.guard.name(), report.state.name());
            let _ = writeln!(out, "{number}  {name:<12}  {state:<14}  {}", report.detail);
        }
        let refused = self.preflight.guards.iter().filter(|r| matches!(r.state, State::Refused(_))).count();
        let _ = match refused {
            0 => writeln!(out, "\nno guard refuses; nothing was launched or written"),
            1 => writeln!(out, "\n1 guard refuses; nothing was launched or written"),
            _ => writeln!(out, "\n{refused} guards refuse; nothing was launched or written"),
        };
        out
    }
}
