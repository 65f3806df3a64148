//! `rollcheck sentinel entry`

use crate::args::sentinel::EntryArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::pipeline::recording::expect_task;
use crate::pipeline::{Artifacts, Recording, entry};
use crate::printer::{Printer, Render, table};
use crate::report::format::{number, percent_interval};
use rollcheck_engine::constants::JQ_GATE;
use rollcheck_models::audit::EntryAudit;
use rollcheck_models::audit::entry::{EntryRun, Start, runs};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The rate of a static window matters to no velocity: all its frames are the same.
const RATE_HZ: f64 = 20.0;

/// Plans one start pose, or all of a file.
///
/// # Errors
/// [`CliError`]: files, an unknown task, a start of other joints, an empty stratum.
pub fn run(args: &EntryArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    args.compute.device.resolve()?;
    let trained = Artifacts::read(&args.artifacts)?.trained;
    let graph = trained.graph();
    if let Some(task) = args.task {
        expect_task(graph, task)?;
    }
    let tasks: Vec<i32> =
        args.task.map_or_else(|| graph.lanes().iter().map(|lane| lane.task_id).collect(), |task| vec![task]);
    if let Some(pose) = &args.start {
        let start = Start { task: tasks[0], q: pose.0.clone(), level: 0.0, closed: false, owner: None };
        let run = runs(&trained.head, vec![start], RATE_HZ)?.remove(0);
        printer.result(&OneStart(run))?;
        return Ok(Exit::Done);
    }
    let Some(path) = &args.demos else {
        return Err(CliError::Usage("`--start` or `--demos` is needed".to_owned()));
    };
    let recording = Recording::read(path)?;
    recording.expect_joints_of(graph)?;
    let starts = entry::starts(graph, &recording, &tasks);
    if starts.is_empty() {
        return Err(CliError::Usage(format!("{}: no start pose of the tasks {tasks:?}", recording.file)));
    }
    printer.result(&ManyStarts(EntryAudit::new(&runs(&trained.head, starts, RATE_HZ)?)))?;
    Ok(Exit::Done)
}

/// One start pose.
struct OneStart(EntryRun);

impl Render for OneStart {
    fn json(&self) -> Value {
        let Self(run) = self;
        let outcome = run.servo.as_ref().map(|s| s.hand_off.outcome);
        json!({"entry": {
            "task_id": run.start.task,
            "start_q": run.start.q,
            "target_q": run.plan.target.q,
            "stratum": run.plan.target.counts.reached,
            "gate_rad": JQ_GATE,
            "error_before_rad": run.plan.error_rad,
            "rewind": run.plan.rewind,
            "approach_steps": outcome.and_then(|o| o.approach_steps),
            "steps": outcome.map(|o| o.steps),
            "error_after_rad": run.servo.as_ref().map(|_| run.error_after_rad()),
            "posture_q": run.servo.as_ref().map(|s| s.hand_off.posture.q()),
        }})
    }

    fn text(&self) -> String {
        let Self(run) = self;
        let pose = |q: &[f64]| q.iter().map(|x| number(Some(*x), 3)).collect::<Vec<_>>().join(", ");
        let mut text = String::new();
        let decision = if run.plan.rewind { "rewound" } else { "left alone" };
        let relation = if run.plan.rewind { "beyond" } else { "within" };
        let _ = writeln!(
            text,
            "{decision}: {:.3} rad from the entry target of task {}, {relation} the gate of {JQ_GATE} rad",
            run.plan.error_rad, run.start.task
        );
        let _ = writeln!(text, "start   {}", pose(&run.start.q));
        let _ = writeln!(text, "target  {}", pose(&run.plan.target.q));
        let _ = writeln!(text, "        mean of {} reached start nodes", run.plan.target.counts.reached);
        if let Some(servo) = &run.servo {
            let after = run.error_after_rad();
            let _ = match servo.hand_off.outcome.approach_steps {
                Some(steps) => {
                    writeln!(text, "servo   {after:.3} rad after {steps} control steps (offline plant)")
                }
                None => writeln!(text, "servo   not there after {} steps: {after:.3} rad", servo.steps.len()),
            };
            let _ = writeln!(text, "posture {}", pose(servo.hand_off.posture.q()));
        }
        text
    }
}

/// Many start poses.
struct ManyStarts(EntryAudit);

impl Render for ManyStarts {
    fn json(&self) -> Value {
        json!({"entry": {"gate_rad": JQ_GATE, "plant": "offline", "levels": self.0.levels,
            "error_before_rad": self.0.error_before_rad, "error_after_rad": self.0.error_after_rad}})
    }

    fn text(&self) -> String {
        let mut text = level_table(&self.0);
        if let Some(clean) = self.0.levels.iter().find(|l| l.level == 0.0) {
            let share = percent_interval(clean.rewound.share, Some(clean.rewound.interval));
            let _ = writeln!(text, "\nclean starts above the gate of {JQ_GATE} rad: {share}");
        }
        text += "\nDistances are means over rewound starts; the servo ran on the offline plant.\n";
        text
    }
}

/// A row a level.
pub fn level_table(audit: &EntryAudit) -> String {
    let header =
        ["level (rad)", "starts", "rewound", "reached", "steps", "before (rad)", "after (rad)", "stratum"];
    table(
        &header,
        audit.levels.iter().map(|l| {
            vec![
                level_words(l.level),
                l.rewound.of.to_string(),
                l.rewound.count.to_string(),
                l.reached.count.to_string(),
                l.approach_steps.map_or_else(|| "-".to_owned(), |(a, b, c)| format!("{a} / {b} / {c}")),
                l.error_before_rad.map_or_else(|| "-".to_owned(), |e| number(Some(e), 3)),
                l.error_after_rad.map_or_else(|| "-".to_owned(), |e| number(Some(e), 3)),
                l.stratum.map_or_else(|| "-".to_owned(), |(least, most)| format!("{least} to {most}")),
            ]
        }),
    )
}

/// A level as a table says it.
fn level_words(level: f64) -> String {
    if level == 0.0 { "recorded".to_owned() } else { number(Some(level), 1) }
}
