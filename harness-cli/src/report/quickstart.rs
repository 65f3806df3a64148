//! The page that `quickstart` ends with: what was built, how well it works, one rollout in pictures.

use super::format::number;
use super::line_chart::{LineChart, Series, Threshold, YRange};
use super::page::{Fact, Page, Provenance, Section};
use super::rate_chart::{RateChart, RateRow, Reference};
use super::replay::{self, Replay};
use super::table::{Cell, Column, Judgement, Table};
use maud::Markup;

/// [`RateRow::group`] of false alarms: these are compared with [`Quickstart::alpha`].
pub const FALSE_ALARMS: &str = "False alarms, clean episodes";
/// [`RateRow::group`] of detections.
pub const DETECTION: &str = "Detection, perturbed episodes";

/// Everything on the page.
#[derive(Clone, Debug, Default)]
pub struct Quickstart {
    /// What was built: nodes, demos, times.
    pub facts: Vec<Fact>,
    /// Paragraphs on the data and the split: who chose what on which part.
    pub about: Vec<String>,
    /// Training, epoch by epoch.
    pub epochs: Vec<EpochPoint>,
    /// Phase transitions of each estimator on each set.
    pub transitions: Vec<TransitionRow>,
    /// Names of the rule settings compared.
    pub rule_settings: Vec<String>,
    /// False alarms and detection, under [`FALSE_ALARMS`] and [`DETECTION`]; [`RateRow::setting`] counts in `rule_settings`.
    pub rates: Vec<RateRow>,
    /// The claimed share of false alarms, `alpha`.
    pub alpha: f64,
    /// Entry runs, one a level of perturbation.
    pub entries: Vec<EntryCurve>,
    /// Gate of the entry rule, rad.
    pub entry_gate_rad: f64,
    /// Tolerance of the servo, rad.
    pub servo_tolerance_rad: f64,
    /// Figures of the entry runs, such as the share of clean starts above the gate.
    pub entry_facts: Vec<Fact>,
    /// Recorded rollouts that began at displaced poses, by level.
    pub displaced: Vec<DisplacedRow>,
    /// One rollout.
    pub replay: Option<Replay>,
    /// Time of a whole check.
    pub latency: Vec<LatencyRow>,
    /// Where the figures come from.
    pub provenance: Provenance,
}

/// Scores of one epoch on the part that chooses the epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EpochPoint {
    /// Counting from 1.
    pub epoch: usize,
    /// Loss on the training windows.
    pub train_loss: Option<f64>,
    /// Negative log likelihood of the phase bin, held out.
    pub heldout_nll: Option<f64>,
    /// This epoch's weights were kept.
    pub kept: bool,
}

/// Phase transitions between consecutive checks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransitionRow {
    /// `filtered`, `memoryless`, `clock`, `nearest neighbours`.
    pub estimator: String,
    /// Which episodes, such as `audit split`.
    pub set: String,
    /// Number of transitions.
    pub transitions: usize,
    /// Share moving at most 0.05.
    pub plausible_share: Option<f64>,
    /// Share jumping more than 0.3.
    pub jump_share: Option<f64>,
    /// Share going back more than 0.1.
    pub backward_share: Option<f64>,
    /// Mean absolute error of the phase.
    pub phase_mae: Option<f64>,
    /// What it should reach; `None` for a baseline.
    pub target: Option<TransitionTarget>,
}

/// What an estimator should reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransitionTarget {
    /// Least share moving at most 0.05.
    pub plausible_share: f64,
    /// Greatest share jumping more than 0.3, where one is set.
    pub jump_share: Option<f64>,
    /// Greatest share going back more than 0.1, where one is set.
    pub backward_share: Option<f64>,
    /// Greatest phase error.
    pub phase_mae: f64,
}

/// Servo runs from start poses of one level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntryCurve {
    /// The level in words, such as `level 0.3`.
    pub level: String,
    /// Number of starts.
    pub starts: usize,
    /// Mean distance to the entry target before the first control step and after each, rad.
    pub distance_rad: Vec<f64>,
    /// Share that reached the tolerance.
    pub reached_share: Option<f64>,
    /// Median control steps to the tolerance.
    pub median_steps: Option<f64>,
}

/// Recorded rollouts that began at poses displaced by one level, and what the entry rule would have done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DisplacedRow {
    /// The level in words.
    pub level: String,
    /// Number of rollouts.
    pub rollouts: usize,
    /// Those that succeeded as recorded, without a rewind; `None` where the file does not tell.
    pub succeeded: Option<usize>,
    /// Starts that the entry rule rewinds.
    pub rewound: usize,
    /// Mean distance to the entry target before, rad.
    pub before_rad: Option<f64>,
    /// Mean distance after, rad.
    pub after_rad: Option<f64>,
}

/// Time of a whole check for one number of workers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LatencyRow {
    /// Workers in one pass, `B`.
    pub workers: usize,
    /// Checks that were timed.
    pub checks: usize,
    /// Median, ms.
    pub p50_ms: Option<f64>,
    /// 99th percentile, ms.
    pub p99_ms: Option<f64>,
}

/// The page.
pub fn page(quickstart: &Quickstart) -> String {
    let mut sections = vec![Section {
        title: "What was built".to_owned(),
        text: quickstart.about.clone(),
        body: if quickstart.epochs.is_empty() { vec![] } else { vec![training_chart(&quickstart.epochs)] },
        parts: vec![],
    }];
    sections.push(Section {
        title: "Does the phase move as a task does?".to_owned(),
        text: vec![
            "Between two checks 8 frames pass, so the phase should move a little, forwards. A jump or a step back is \
             an estimate that lost its place. ✓ and ✗ compare with what was set as a goal beforehand."
                .to_owned(),
        ],
        body: vec![transition_table(&quickstart.transitions)],
        parts: vec![],
    });
    sections.push(Section {
        title: "False alarms and detection".to_owned(),
        text: vec![
            "Counted on held-out episodes, with 95 % Clopper-Pearson intervals. An interval that reaches past the \
             dashed line does not support the claim. Delays are medians, in checks of 8 frames."
                .to_owned(),
        ],
        body: vec![rate_chart(quickstart)],
        parts: vec![],
    });
    sections.push(entry_section(quickstart));
    if let Some(replay) = &quickstart.replay {
        let mut intro = vec![Fact::new("task", replay.task.clone()), Fact::new("rule", replay.rule.clone())];
        intro.extend(replay::counts(replay));
        intro.extend(replay.facts.iter().cloned());
        sections.push(Section {
            title: format!("One rollout: {}", replay.title),
            text: vec![],
            body: vec![super::page::facts(&intro)],
            parts: replay::sections(replay, "replay"),
        });
    }
    sections.push(Section {
        title: "Time of a check".to_owned(),
        text: vec!["Head, filter, tests and read-out together, for B workers in one pass.".to_owned()],
        body: vec![latency_table(&quickstart.latency)],
        parts: vec![],
    });
    Page {
        title: "Quickstart: a sentinel from recorded demonstrations".to_owned(),
        lede: "A demonstration graph, a head trained on it and a filter fitted to it, measured on episodes that chose \
               none of its settings."
            .to_owned(),
        facts: quickstart.facts.clone(),
        sections,
        provenance: quickstart.provenance.clone(),
    }
    .render()
}

fn training_chart(epochs: &[EpochPoint]) -> Markup {
    let kept = epochs.iter().find(|e| e.kept);
    LineChart {
        id: "training".to_owned(),
        title: "Training".to_owned(),
        description: kept.map_or_else(
            || "No epoch was kept.".to_owned(),
            |e| {
                format!(
                    "Epoch {} was kept, with a held-out negative log likelihood of {}.",
                    e.epoch,
                    number(e.heldout_nll, 3)
                )
            },
        ),
        x_label: "epoch".to_owned(),
        y_label: "loss (nats)".to_owned(),
        x: epochs.iter().map(|e| e.epoch as f64).collect(),
        series: vec![
            Series {
                name: "held-out negative log likelihood".to_owned(),
                values: epochs.iter().map(|e| e.heldout_nll).collect(),
                spread: vec![],
            },
            Series {
                name: "training loss, all terms".to_owned(),
                values: epochs.iter().map(|e| e.train_loss).collect(),
                spread: vec![],
            },
        ],
        marks: kept
            .map(|e| super::line_chart::Mark { x: e.epoch as f64, label: "kept".to_owned(), strong: false })
            .into_iter()
            .collect(),
        y_range: YRange::FromZero,
        decimals: 3,
        height: 170.0,
        ..LineChart::default()
    }
    .render()
}

fn transition_table(rows: &[TransitionRow]) -> Markup {
    let judged = |cell: Cell, judgement: Option<Judgement>| match judgement {
        Some(j) => cell.judged(j),
        None => cell,
    };
    let rows = rows
        .iter()
        .map(|row| {
            let target = row.target;
            let jump = target.and_then(|t| t.jump_share);
            let backward = target.and_then(|t| t.backward_share);
            vec![
                Cell::text(row.estimator.clone()),
                Cell::text(row.set.clone()),
                Cell::count(row.transitions),
                judged(
                    Cell::percent(row.plausible_share, 1),
                    target.map(|t| Judgement::at_least(row.plausible_share, t.plausible_share)),
                ),
                judged(
                    Cell::percent(row.jump_share, 2),
                    jump.map(|most| Judgement::at_most(row.jump_share, most)),
                ),
                judged(
                    Cell::percent(row.backward_share, 2),
                    backward.map(|most| Judgement::at_most(row.backward_share, most)),
                ),
                judged(
                    Cell::number(row.phase_mae, 3),
                    target.map(|t| Judgement::at_most(row.phase_mae, t.phase_mae)),
                ),
            ]
        })
        .collect();
    Table {
        caption: String::new(),
        columns: vec![
            Column::text("estimate"),
            Column::text("episodes"),
            Column::number("transitions"),
            Column::number("within 0.05"),
            Column::number("jump > 0.3"),
            Column::number("back > 0.1"),
            Column::number("mean error"),
        ],
        rows,
    }
    .render()
}

fn rate_chart(quickstart: &Quickstart) -> Markup {
    RateChart {
        id: "rates".to_owned(),
        title: "Share of episodes with a fire".to_owned(),
        description:
            "For clean episodes a fire is a false alarm; for perturbed ones it is a detection. Every figure \
                      stands beside its dot."
                .to_owned(),
        settings: quickstart.rule_settings.clone(),
        rows: quickstart.rates.clone(),
        reference: Some(Reference {
            group: FALSE_ALARMS.to_owned(),
            share: quickstart.alpha,
            label: format!("claimed: {} %", number(Some(100.0 * quickstart.alpha), 0)),
        }),
    }
    .render()
}

fn entry_section(quickstart: &Quickstart) -> Section {
    let longest = quickstart.entries.iter().map(|e| e.distance_rad.len()).max().unwrap_or(0);
    let chart = LineChart {
        id: "entry".to_owned(),
        title: "Distance to the entry target by control step".to_owned(),
        description: "Mean over the starts of each level, on the offline plant.".to_owned(),
        x_label: "control step".to_owned(),
        y_label: "distance (rad)".to_owned(),
        x: (0..longest).map(|k| k as f64).collect(),
        series: quickstart
            .entries
            .iter()
            .map(|entry| Series {
                name: format!("{} ({} starts)", entry.level, entry.starts),
                values: entry.distance_rad.iter().copied().map(Some).collect(),
                spread: vec![],
            })
            .collect(),
        thresholds: vec![
            Threshold {
                value: quickstart.entry_gate_rad,
                label: format!("gate {} rad", number(Some(quickstart.entry_gate_rad), 2)),
            },
            Threshold {
                value: quickstart.servo_tolerance_rad,
                label: format!("tolerance {} rad", number(Some(quickstart.servo_tolerance_rad), 2)),
            },
        ],
        y_range: YRange::FromZero,
        decimals: 3,
        height: 210.0,
        ..LineChart::default()
    };
    let table = Table {
        caption: String::new(),
        columns: vec![
            Column::text("starts"),
            Column::number("number"),
            Column::number("before (rad)"),
            Column::number("after (rad)"),
            Column::number("reached"),
            Column::number("median steps"),
        ],
        rows: quickstart
            .entries
            .iter()
            .map(|entry| {
                vec![
                    Cell::text(entry.level.clone()),
                    Cell::count(entry.starts),
                    Cell::number(entry.distance_rad.first().copied(), 3),
                    Cell::number(entry.distance_rad.last().copied(), 3),
                    Cell::percent(entry.reached_share, 0),
                    Cell::number(entry.median_steps, 0),
                ]
            })
            .collect(),
    };
    let mut body = vec![];
    if !quickstart.entry_facts.is_empty() {
        body.push(super::page::facts(&quickstart.entry_facts));
    }
    body.extend([chart.render(), table.render()]);
    let parts = if quickstart.displaced.is_empty() { vec![] } else { vec![displaced(&quickstart.displaced)] };
    Section {
        title: "Starts put back".to_owned(),
        text: vec![
            "A start further from the entry target than the gate is rewound before the policy takes over; a nearer one \
             is left alone."
                .to_owned(),
        ],
        body,
        parts,
    }
}

fn displaced(rows: &[DisplacedRow]) -> Section {
    let cells = |row: &DisplacedRow| {
        vec![
            Cell::text(row.level.clone()),
            Cell::count(row.rollouts),
            row.succeeded.map_or_else(|| Cell::number(None, 0), Cell::count),
            Cell::count(row.rewound),
            Cell::number(row.before_rad, 3),
            Cell::number(row.after_rad, 3),
        ]
    };
    let table = Table {
        caption: String::new(),
        columns: vec![
            Column::text("starts"),
            Column::number("rollouts"),
            Column::number("succeeded as recorded"),
            Column::number("rewound"),
            Column::number("before (rad)"),
            Column::number("after (rad)"),
        ],
        rows: rows.iter().map(cells).collect(),
    };
    Section {
        title: "Rollouts recorded from displaced poses".to_owned(),
        text: vec![
            "Real starts of recorded rollouts, and what the entry rule says of them. The rollouts themselves ran \
             without a rewind; what one would have changed was not recorded."
                .to_owned(),
        ],
        body: vec![table.render()],
        parts: vec![],
    }
}

fn latency_table(rows: &[LatencyRow]) -> Markup {
    Table {
        caption: String::new(),
        columns: vec![
            Column::number("workers"),
            Column::number("checks timed"),
            Column::number("median (ms)"),
            Column::number("99th percentile (ms)"),
        ],
        rows: rows
            .iter()
            .map(|row| {
                vec![
                    Cell::count(row.workers),
                    Cell::count(row.checks),
                    Cell::number(row.p50_ms, 2),
                    Cell::number(row.p99_ms, 2),
                ]
            })
            .collect(),
    }
    .render()
}

#[cfg(test)]
mod tests {
    use super::super::page::tests::assert_well_formed;
    use super::super::replay::tests::sample as replay_sample;
    use super::*;

    fn sample() -> Quickstart {
        let row = |estimator: &str, set: &str, plausible: f64, jump: f64, target| TransitionRow {
            estimator: estimator.into(),
            set: set.into(),
            transitions: 640,
            plausible_share: Some(plausible),
            jump_share: Some(jump),
            backward_share: Some(0.004),
            phase_mae: Some(0.021),
            target,
        };
        let goal = TransitionTarget {
            plausible_share: 0.97,
            jump_share: Some(0.005),
            backward_share: Some(0.01),
            phase_mae: 0.04,
        };
        let rate = |group: &str, label: &str, setting, share: f64, note: &str| RateRow {
            group: group.into(),
            label: label.into(),
            setting,
            share: Some(share),
            interval: Some(((share - 0.08).max(0.0), (share + 0.09).min(1.0))),
            note: note.into(),
        };
        let mut rates = vec![
            rate(FALSE_ALARMS, "audit split", 0, 0.294, "5 of 17"),
            rate(FALSE_ALARMS, "audit split", 1, 0.0, "0 of 17"),
            rate(FALSE_ALARMS, "shifted set", 0, 0.28, "21 of 75"),
            rate(FALSE_ALARMS, "shifted set", 1, 0.04, "3 of 75"),
            rate(DETECTION, "push of 0.4 rad", 0, 0.94, "16 of 17, delay 12"),
            rate(DETECTION, "push of 0.4 rad", 1, 0.88, "15 of 17, delay 14"),
        ];
        rates.push(RateRow {
            group: DETECTION.into(),
            label: "stall".into(),
            note: "not run".into(),
            ..RateRow::default()
        });
        Quickstart {
            facts: vec![
                Fact::new("nodes", "7208"),
                Fact::new("demos", "112").with_note("78 train, 17 fit, 17 audit"),
                Fact::new("phase error", "0.021").with_note("filtered, audit split"),
                Fact { name: "detection, stall".into(), value: None, note: "not run".into() },
            ],
            about: vec!["Recorded in LIBERO by a scripted expert.".into()],
            epochs: (1..=12)
                .map(|epoch| EpochPoint {
                    epoch,
                    train_loss: Some(3.0 / (epoch as f64).sqrt()),
                    heldout_nll: Some(2.2 / (epoch as f64).sqrt() + 0.02 * epoch as f64),
                    kept: epoch == 9,
                })
                .collect(),
            transitions: vec![
                row("filtered", "audit split", 0.981, 0.001, Some(goal)),
                row("memoryless", "audit split", 0.79, 0.003, None),
                row("clock", "audit split", 1.0, 0.0, None),
                row("filtered", "shifted set", 0.948, 0.012, Some(goal)),
            ],
            rule_settings: vec!["the method's setting".into(), "recommended".into()],
            rates,
            alpha: 0.05,
            entries: (1..=5)
                .map(|level| EntryCurve {
                    level: format!("level 0.{level}"),
                    starts: 100,
                    distance_rad: (0..16)
                        .map(|k| 0.1 * f64::from(level) * (-0.25 * f64::from(k)).exp())
                        .collect(),
                    reached_share: Some(1.0),
                    median_steps: Some(6.0 + f64::from(level)),
                })
                .collect(),
            entry_gate_rad: 0.08,
            servo_tolerance_rad: 0.03,
            entry_facts: vec![Fact::new("clean starts above the gate", "1 of 112")],
            displaced: vec![DisplacedRow {
                level: "level 0.5".into(),
                rollouts: 4,
                succeeded: Some(3),
                rewound: 4,
                before_rad: Some(0.491),
                after_rad: Some(0.022),
            }],
            replay: Some(replay_sample()),
            latency: vec![LatencyRow { workers: 1, checks: 500, p50_ms: Some(1.9), p99_ms: Some(2.4) }],
            provenance: replay_sample().provenance,
        }
    }

    #[test]
    fn the_page_is_well_formed_and_judges_only_what_has_a_goal() {
        let html = page(&sample());
        assert_well_formed(&html);
        assert_eq!(html.matches("class=\"sign met\"").count(), 6);
        assert_eq!(html.matches("class=\"sign not-met\"").count(), 2);
        assert!(html.contains(">unknown</text>"));
    }

    #[test]
    fn a_page_without_any_figure_is_a_page() {
        let html = page(&Quickstart::default());
        assert_well_formed(&html);
        assert!(!html.contains("NaN") && !html.contains("class=\"sign met\""));
    }
}
