//! What `quickstart` prints: one line a figure, its goal or baseline beside it, and the same as JSON.

use super::page::{AUDIT_GOAL, SHIFTED_GOAL};
use crate::commands::sentinel::audit_summary::{rates_footer, rates_table};
use crate::commands::sentinel::entry::level_table;
use crate::pipeline::audit::SettingAudit;
use crate::pipeline::quickstart::{DATA, PUSH, Quickstart, caught_frame};
use crate::printer::{Render, table};
use crate::report::format::{number, percent};
use crate::report::quickstart::TransitionTarget;
use crate::report::table::Judgement;
use crate::settings::RuleChoice;
use rollcheck_engine::constants::JQ_GATE;
use rollcheck_models::audit::{PhaseTable, Transitions};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Goal of the median time of a check, ms.
const CHECK_GOAL_MS: f64 = 3.0;

/// A finished quickstart.
#[derive(Clone, Debug)]
pub struct QuickstartResult {
    /// The page.
    pub report: PathBuf,
    /// The figures.
    pub figures: Quickstart,
}

impl QuickstartResult {
    fn recommended(&self) -> Option<&SettingAudit> {
        self.figures.audit.setting(RuleChoice::Recommended)
    }

    /// The first check that fired after the push, as the picture has it.
    fn caught(&self) -> String {
        let replay = &self.figures.replay;
        let onset = replay.perturbations.first().map_or(0, |p| p.0);
        match caught_frame(replay) {
            Some(frame) => {
                format!("caught after {} s", number(Some((frame - onset) as f64 / replay.rate_hz), 1))
            }
            None => "not caught".to_owned(),
        }
    }

    fn phase_text(&self) -> String {
        let audit = &self.figures.audit;
        let mut rows = phase_rows("audit", &audit.audit.all, AUDIT_GOAL);
        if let Some(shifted) = &audit.shifted {
            rows.extend(phase_rows("shifted", &shifted.all, SHIFTED_GOAL));
        }
        table(&["phase from check to check", "filtered", "goal", "memoryless", "clock", "neighbours"], rows)
    }

    fn built_text(&self) -> String {
        let (f, trained) = (&self.figures, &self.figures.artifacts.trained);
        let (t, steps) = (&trained.training, &f.stopwatch.steps);
        let head = f.scores.as_ref();
        let clock = number(Some(f.audit.audit.all.clock.phase_mae), 3);
        let train_s = steps.iter().find(|s| s.0 == "train").map(|s| s.1);
        let row = |what: &str, value: String, beside: String| vec![what.to_owned(), value, beside];
        let (p50, p99) = (f.check_ms.p50, f.check_ms.p99);
        table(
            &["", "value", "beside it"],
            [
                row(
                    "demonstrations",
                    trained.graph().owners().to_string(),
                    format!("{} train, {} fit, {} audit", t.split.train, t.split.fit, t.split.audit),
                ),
                row(
                    "graph nodes",
                    trained.graph().len().to_string(),
                    format!("{} tasks", trained.graph().lanes().len()),
                ),
                row(
                    "training",
                    format!("{} s", number(train_s, 0)),
                    format!("epoch {} of {} kept", t.best_epoch, t.epochs),
                ),
                row("head, phase error", number(head.map(|s| s.phase_mae), 3), format!("clock {clock}")),
                row(
                    "one check, median",
                    format!("{} ms", number(p50, 2)),
                    goal_at_most(p50, CHECK_GOAL_MS, 0, " ms"),
                ),
                row("one check, 99th percentile", format!("{} ms", number(p99, 2)), "one thread".to_owned()),
                row("a rollout pushed 0.4 rad", self.caught(), "the first caught, generated push".to_owned()),
            ],
        )
    }

    fn entry_text(&self) -> String {
        let entry = &self.figures.entry;
        let mut text = level_table(&entry.starts);
        if let Some(clean) = entry.starts.levels.iter().find(|l| l.level == 0.0) {
            let _ = writeln!(
                text,
                "\nRecorded starts above the gate of {JQ_GATE} rad: {} of {} ({}), each without its own demo.",
                clean.rewound.count,
                clean.rewound.of,
                percent(clean.rewound.share, 1)
            );
        }
        let rewound =
            entry.displaced.levels.iter().fold((0, 0), |a, l| (a.0 + l.rewound.count, a.1 + l.rewound.of));
        let _ = writeln!(
            text,
            "Rollouts recorded from displaced poses: {} of {} starts would be rewound.",
            rewound.0, rewound.1
        );
        text
    }
}

impl Render for QuickstartResult {
    fn json(&self) -> Value {
        let (f, trained) = (&self.figures, &self.figures.artifacts.trained);
        let head = f.scores.as_ref();
        let recommended = self.recommended();
        let pushed = recommended.and_then(|s| s.detection_of(PUSH));
        let all = &f.audit.audit.all;
        let seconds: Map<String, Value> =
            f.stopwatch.steps.iter().map(|(k, s)| ((*k).to_owned(), json!(s))).collect();
        json!({
            "graph": {
                "nodes": trained.graph().len(),
                "hash": trained.graph().hash().as_str(),
                "demos": trained.graph().owners(),
                "tasks": trained.graph().lanes().iter().map(|l| l.task_id).collect::<Vec<_>>(),
            },
            "head": {
                "hash": trained.head.hash().as_str(),
                "phase_mae": head.map(|s| s.phase_mae),
                "bin_accuracy": head.map(|s| s.bin_accuracy),
                "negative_log_likelihood": head.map(|s| s.negative_log_likelihood),
                "training": trained.training,
            },
            "filter": all.filtered,
            "memoryless": all.memoryless,
            "clock": all.clock,
            "knn": all.knn,
            "rarer_order": f.audit.audit.rarer_order,
            "shifted": f.audit.shifted.map(|s| json!({
                "filter": s.all.filtered,
                "memoryless": s.all.memoryless,
                "clock": s.all.clock,
                "knn": s.all.knn,
                "rarer_order": s.rarer_order,
                "false_alarms": recommended.and_then(|r| r.shifted_false_alarms.as_ref()),
                "claim": "none",
            })),
            "track": f.fit,
            "audit": {
                "setting": RuleChoice::Recommended.name(),
                "alpha": f.audit.alpha,
                "false_alarm_rate": recommended.and_then(|s| s.false_alarms.episodes.share),
                "false_alarm_interval": recommended.map(|s| s.false_alarms.episodes.interval),
                "detection_rate": pushed.and_then(|d| d.detected.share),
                "detection_interval": pushed.map(|d| d.detected.interval),
                "detection_of": format!("{PUSH} (generated)"),
                "settings": f.audit.settings,
            },
            "entry": {
                "error_before_rad": f.entry.starts.error_before_rad,
                "error_after_rad": f.entry.starts.error_after_rad,
                "gate_rad": JQ_GATE,
                "plant": "offline",
                "levels": f.entry.starts.levels,
                "displaced_rollouts": f.entry.displaced.levels.iter().map(|l| json!({
                    "level": l.level,
                    "rollouts": l.rewound.of,
                    "succeeded_as_recorded": f.displaced_successes(l.level),
                    "rewound": l.rewound.count,
                    "error_before_rad": l.error_before_rad,
                    "error_after_rad": l.error_after_rad,
                })).collect::<Vec<_>>(),
            },
            "replay": {"title": f.replay.title, "outcome": self.caught(), "fires": f.replay.fires.len()},
            "check_ms": f.check_ms,
            "seed": trained.training.seed,
            "split": trained.training.split,
            "seconds": seconds,
            "seconds_total": f.stopwatch.total_s(),
            "data": DATA,
            "report": self.report.display().to_string(),
        })
    }

    fn text(&self) -> String {
        let mut text = self.built_text();
        text += "\nPhase, on demos that neither trained nor fitted anything, each without its own strand; the\n\
                 shifted set comes from a hastier expert and supports no claim:\n\n";
        text += &self.phase_text();
        text += "\nEpisodes with a fire, by rule setting:\n\n";
        text += &rates_table(&self.figures.audit);
        text += &rates_footer(&self.figures.audit);
        text += "\nStarts put back, on the offline plant:\n\n";
        text += &self.entry_text();
        let _ = writeln!(text, "\n{DATA}");
        let _ = writeln!(
            text,
            "\n{:.0} s in all. Report: {}",
            self.figures.stopwatch.total_s(),
            self.report.display()
        );
        text
    }
}

/// The four figures of one set, a row each.
fn phase_rows(set: &str, phase: &PhaseTable, goal: TransitionTarget) -> Vec<Vec<String>> {
    type Figure = fn(&Transitions) -> Option<f64>;
    let figures: [(&str, Figure, bool, Option<f64>); 4] = [
        (
            "within 0.05",
            |t| (t.transitions > 0).then_some(t.plausible_share),
            true,
            Some(goal.plausible_share),
        ),
        ("jump > 0.3", |t| (t.transitions > 0).then_some(t.jump_share), false, goal.jump_share),
        ("back > 0.1", |t| (t.transitions > 0).then_some(t.backward_share), false, goal.backward_share),
        ("mean error", |t| (t.checks > 0).then_some(t.phase_mae), false, Some(goal.phase_mae)),
    ];
    figures
        .into_iter()
        .map(|(name, figure, at_least, goal)| {
            let shown = |t: &Transitions| match name {
                "mean error" => number(figure(t), 3),
                "within 0.05" => percent(figure(t), 1),
                _ => percent(figure(t), 2),
            };
            let bound = goal.map_or_else(
                || "-".to_owned(),
                |bound| {
                    let (sign, judgement) = if at_least {
                        (">=", Judgement::at_least(figure(&phase.filtered), bound))
                    } else {
                        ("<=", Judgement::at_most(figure(&phase.filtered), bound))
                    };
                    let bound =
                        if name == "mean error" { bound.to_string() } else { percent(Some(bound), 1) };
                    format!("{sign} {bound} {}", words(judgement))
                },
            );
            vec![
                format!("{set}: {name}"),
                shown(&phase.filtered),
                bound,
                shown(&phase.memoryless),
                shown(&phase.clock),
                shown(&phase.knn),
            ]
        })
        .collect()
}

fn goal_at_most(value: Option<f64>, bound: f64, decimals: usize, unit: &str) -> String {
    let judgement = words(Judgement::at_most(value, bound));
    format!("<= {}{unit} {judgement}", number(Some(bound), decimals))
}

fn words(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Met => "met",
        Judgement::NotMet => "MISSED",
        Judgement::Unknown => "unknown",
    }
}
