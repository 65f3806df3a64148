//! The page of one replayed rollout: what the sentinel believed, when it fired, where it pointed.
//!
//! The horizontal axis of the first three charts is the recording's frame number; a check stands at the frame
//! it judges (the last of its window).

use super::format::{known, number};
use super::line_chart::{LineChart, Mark, Series, Span, Threshold, YRange};
use super::page::{Fact, Page, Provenance, Section, details};
use super::table::{Cell, Column, Table};
use maud::Markup;

/// Room for `fires at 4.79`, in every chart over frames.
const FRAME_GUTTER: f64 = 92.0;

/// One replayed rollout.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// Which episode, such as `Episode 3 of rollouts_fast.npz`.
    pub title: String,
    /// The task in words.
    pub task: String,
    /// The rule setting in words: bets, wealth, how often.
    pub rule: String,
    /// Frames per second of the recording.
    pub rate_hz: f64,
    /// Log wealth at which a test fires, `-ln(alpha_half)`.
    pub log_threshold: f64,
    /// The checks, in order.
    pub checks: Vec<ReplayCheck>,
    /// The fires, in order.
    pub fires: Vec<ReplayFire>,
    /// What was done to the recording: frame and words, such as `push of 0.4 rad`.
    pub perturbations: Vec<(usize, String)>,
    /// Stretches with the gripper commanded closed, first and last frame.
    pub closed_frames: Vec<(usize, usize)>,
    /// Further figures for the top of the page.
    pub facts: Vec<Fact>,
    /// Where the figures come from.
    pub provenance: Provenance,
}

/// One check. `None` is what the check could not know, as at a blind or refused one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayCheck {
    /// The frame that is judged.
    pub frame: usize,
    /// Expected phase of the likelihood alone.
    pub phase_memoryless: Option<f64>,
    /// Expected phase of the belief, `phase_hat`.
    pub phase_filtered: Option<f64>,
    /// Its standard deviation.
    pub phase_spread: Option<f64>,
    /// The recording's own phase, where it is a success that ran to its end.
    pub phase_true: Option<f64>,
    /// Log wealth of the basin test, after the bet.
    pub log_wealth_basin: Option<f64>,
    /// Log wealth of the progress test, after the bet.
    pub log_wealth_progress: Option<f64>,
    /// Distance to the nearest node of the lane and phase, rad.
    pub distance_rad: Option<f64>,
    /// Certified radius of the cell, rad.
    pub radius_rad: Option<f64>,
}

/// Which test crossed its threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FireKind {
    /// The distance test.
    #[default]
    Basin,
    /// The progress test.
    Progress,
    /// Both at the same check.
    Both,
}

impl FireKind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Basin => "basin",
            Self::Progress => "progress",
            Self::Both => "basin and progress",
        }
    }
}

/// One fire.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayFire {
    /// Position in [`Replay::checks`].
    pub check: usize,
    /// Which test.
    pub kind: FireKind,
    /// How the target was found, such as `weighted mean of 34 nodes`; `None` when there was no target, in
    /// which case the fire was not executed.
    pub target: Option<String>,
    /// Distance from the judged pose to the target, rad.
    pub target_distance_rad: Option<f64>,
    /// What the servo did.
    pub servo: Option<ServoCurve>,
    /// How far from the demonstrated manifold, where there was a target.
    pub manifold: Option<Manifold>,
}

/// Distances to the nearest demonstrated pose at the believed phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Manifold {
    /// Of the judged pose, rad.
    pub before_rad: Option<f64>,
    /// Of the target, rad.
    pub target_rad: Option<f64>,
    /// Certified radius there, rad.
    pub radius_rad: Option<f64>,
}

/// A servo run on the offline plant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServoCurve {
    /// Distance before the first control step and after each, to the frame that is followed: the target, then
    /// the frames after it, one a step, rad.
    pub distance_rad: Vec<f64>,
    /// Tolerance, rad.
    pub tolerance_rad: f64,
    /// How it ended, in words.
    pub outcome: String,
    /// Control steps in all, with those that follow the target's frames.
    pub steps: usize,
    /// Distance to the target when it counted as reached, or at the end, rad.
    pub error_after_rad: f64,
}

/// The page.
pub fn page(replay: &Replay) -> String {
    let mut facts = vec![Fact::new("task", replay.task.clone()), Fact::new("rule", replay.rule.clone())];
    facts.extend(counts(replay));
    facts.extend(replay.facts.iter().cloned());
    Page {
        title: replay.title.clone(),
        lede: "A recorded rollout, replayed through the sentinel. No arm moved and no simulator ran: a fire shows when \
               an intervention would have come, where it would have pointed and how the servo would have gone there \
               on the offline plant; the recording then goes on as it was."
            .to_owned(),
        facts,
        sections: sections(replay, "replay"),
        provenance: replay.provenance.clone(),
    }
    .render()
}

/// The figures that follow from the replay itself.
pub fn counts(replay: &Replay) -> Vec<Fact> {
    let executed = replay.fires.iter().filter(|f| f.target.is_some()).count();
    let mut facts = vec![
        Fact::new("checks", replay.checks.len().to_string()),
        Fact::new("fires", executed.to_string()).with_note(match replay.fires.len() - executed {
            0 => String::new(),
            n => format!("and {n} without a target"),
        }),
    ];
    if let (Some((frame, _)), Some(fire)) = (replay.perturbations.first(), first_after(replay)) {
        let frames = replay.checks[fire].frame - frame;
        facts.push(
            Fact::new("caught after", seconds(frames, replay.rate_hz)).with_note(format!("{frames} frames")),
        );
    }
    facts
}

/// The parts of the page; `prefix` keeps their ids apart from those of the page they are put into.
pub fn sections(replay: &Replay, prefix: &str) -> Vec<Section> {
    let mut sections = vec![
        Section {
            title: "Where in the task".to_owned(),
            text: vec![
                "Phase runs from 0 at the start to 1 at the end. The memoryless estimate looks at one window; the \
                 filtered one also knows where the arm can have come from. The shade is one standard deviation of \
                 the belief."
                    .to_owned(),
            ],
            body: vec![phase_chart(replay, prefix)],
            parts: vec![],
        },
        Section {
            title: "Evidence that something is wrong".to_owned(),
            text: vec![
                "Each test bets against the rollout being ordinary; its wealth grows only where the bets win. A test \
                 fires when its log wealth reaches the threshold while the gripper is open."
                    .to_owned(),
            ],
            body: vec![wealth_chart(replay, prefix)],
            parts: vec![],
        },
        Section {
            title: "Distance to the demonstrated manifold".to_owned(),
            text: vec![
                "From the judged pose to the nearest demonstrated one at the believed phase, against the radius \
                 within which 95 % of the demonstrations' own poses lie."
                    .to_owned(),
            ],
            body: vec![distance_chart(replay, prefix)],
            parts: vec![],
        },
    ];
    if !replay.fires.is_empty() {
        sections.push(Section {
            title: "Fires".to_owned(),
            text: vec![
                "Where a fire came and where it pointed. \"Off\" is the distance to the nearest demonstrated pose at \
                 the believed phase, before and at the target, beside the certified radius there."
                    .to_owned(),
            ],
            body: fires(replay, prefix),
            parts: vec![],
        });
    }
    sections.push(Section {
        title: "Every check".to_owned(),
        text: vec![],
        body: vec![check_table(replay)],
        parts: vec![],
    });
    sections
}

/// The first fire at or after the first perturbation.
fn first_after(replay: &Replay) -> Option<usize> {
    let from = replay.perturbations.first()?.0;
    replay
        .fires
        .iter()
        .map(|f| f.check)
        .find(|&c| replay.checks.get(c).is_some_and(|check| check.frame >= from))
}

fn seconds(frames: usize, rate_hz: f64) -> String {
    let seconds = known(Some(rate_hz)).filter(|&r| r > 0.0).map(|rate| frames as f64 / rate);
    seconds.map_or_else(|| number(None, 1), |s| format!("{s:.1} s"))
}

/// A chart over frames with what all of them share.
fn over_frames(replay: &Replay, id: String) -> LineChart {
    let mut marks: Vec<Mark> = replay
        .perturbations
        .iter()
        .map(|(frame, words)| Mark { x: *frame as f64, label: words.clone(), strong: false })
        .collect();
    for fire in &replay.fires {
        if let Some(check) = replay.checks.get(fire.check) {
            let held = if fire.target.is_some() { "" } else { ", no target" };
            let label = format!("fire: {}{held}", fire.kind.words());
            marks.push(Mark { x: check.frame as f64, label, strong: true });
        }
    }
    let rate = known(Some(replay.rate_hz)).map_or_else(String::new, |rate| format!(" (at {rate} Hz)"));
    LineChart {
        id,
        x_label: format!("frame{rate}"),
        x: replay.checks.iter().map(|c| c.frame as f64).collect(),
        x_range: replay.checks.last().map(|last| (0.0, last.frame as f64)),
        spans: replay
            .closed_frames
            .iter()
            .map(|&(from, to)| Span { from: from as f64, to: to as f64 })
            .collect(),
        span_label: "gripper closed".to_owned(),
        marks,
        gutter: FRAME_GUTTER,
        height: 190.0,
        decimals: 3,
        ..LineChart::default()
    }
}

fn series(replay: &Replay, name: &str, value: impl Fn(&ReplayCheck) -> Option<f64>) -> Series {
    Series { name: name.to_owned(), values: replay.checks.iter().map(value).collect(), spread: vec![] }
}

fn phase_chart(replay: &Replay, prefix: &str) -> Markup {
    let mut filtered = series(replay, "filtered", |c| c.phase_filtered);
    filtered.spread = replay.checks.iter().map(|c| c.phase_spread).collect();
    let mut lines = vec![filtered, series(replay, "memoryless", |c| c.phase_memoryless)];
    if replay.checks.iter().any(|c| c.phase_true.is_some()) {
        lines.push(series(replay, "true", |c| c.phase_true));
    }
    LineChart {
        title: "Phase at each check".to_owned(),
        description: format!(
            "Estimated phase over {} checks; the last filtered estimate is {}.",
            replay.checks.len(),
            number(replay.checks.iter().rev().find_map(|c| known(c.phase_filtered)), 2)
        ),
        y_label: "phase".to_owned(),
        series: lines,
        y_range: YRange::Fixed(0.0, 1.0),
        height: 230.0,
        ..over_frames(replay, format!("{prefix}-phase"))
    }
    .render()
}

fn wealth_chart(replay: &Replay, prefix: &str) -> Markup {
    let highest = |value: fn(&ReplayCheck) -> Option<f64>| {
        replay.checks.iter().filter_map(|c| known(value(c))).reduce(f64::max)
    };
    LineChart {
        title: "Log wealth of both tests".to_owned(),
        description: format!(
            "Highest log wealth: basin {}, progress {}, threshold {}.",
            number(highest(|c| c.log_wealth_basin), 2),
            number(highest(|c| c.log_wealth_progress), 2),
            number(Some(replay.log_threshold), 2)
        ),
        y_label: "log wealth".to_owned(),
        series: vec![
            series(replay, "basin", |c| c.log_wealth_basin),
            series(replay, "progress", |c| c.log_wealth_progress),
        ],
        thresholds: vec![Threshold {
            value: replay.log_threshold,
            label: format!("fires at {}", number(Some(replay.log_threshold), 2)),
        }],
        ..over_frames(replay, format!("{prefix}-wealth"))
    }
    .render()
}

fn distance_chart(replay: &Replay, prefix: &str) -> Markup {
    let compared = replay.checks.iter().filter_map(|c| Some((known(c.distance_rad)?, known(c.radius_rad)?)));
    let (outside, of) = compared.fold((0, 0), |(outside, of), (d, r)| (outside + usize::from(d > r), of + 1));
    LineChart {
        title: "Distance and certified radius".to_owned(),
        description: format!("The distance exceeds the certified radius at {outside} of {of} checks."),
        y_label: "distance (rad)".to_owned(),
        series: vec![
            series(replay, "distance", |c| c.distance_rad),
            series(replay, "certified radius", |c| c.radius_rad),
        ],
        y_range: YRange::FromZero,
        ..over_frames(replay, format!("{prefix}-distance"))
    }
    .render()
}

fn fires(replay: &Replay, prefix: &str) -> Vec<Markup> {
    let rows = replay
        .fires
        .iter()
        .map(|fire| {
            let frame = replay.checks.get(fire.check).map(|c| c.frame);
            vec![
                Cell::count(fire.check),
                frame.map_or_else(|| Cell::number(None, 0), Cell::count),
                Cell::number(frame.map(|f| f as f64 / replay.rate_hz), 1),
                Cell::text(fire.kind.words()),
                Cell::text(fire.target.clone().unwrap_or_else(|| "none: not executed".to_owned())),
                if fire.target.is_some() {
                    Cell::number(fire.target_distance_rad, 3)
                } else {
                    Cell::text("–")
                },
                Cell::text(fire.servo.as_ref().map_or("–", |s| s.outcome.as_str())),
                manifold_cell(fire, |m| m.before_rad),
                manifold_cell(fire, |m| m.target_rad),
                manifold_cell(fire, |m| m.radius_rad),
            ]
        })
        .collect();
    let table = Table {
        caption: String::new(),
        columns: vec![
            Column::number("check"),
            Column::number("frame"),
            Column::number("time (s)"),
            Column::text("test"),
            Column::text("target"),
            Column::number("distance (rad)"),
            Column::text("servo"),
            Column::number("pose off (rad)"),
            Column::number("target off (rad)"),
            Column::number("radius (rad)"),
        ],
        rows,
    };
    let servos = replay.fires.iter().filter_map(|fire| Some((fire, fire.servo.as_ref()?)));
    std::iter::once(table.render())
        .chain(
            servos.map(|(fire, servo)| servo_chart(&format!("{prefix}-servo-{}", fire.check), fire, servo)),
        )
        .collect()
}

fn manifold_cell(fire: &ReplayFire, value: fn(&Manifold) -> Option<f64>) -> Cell {
    fire.manifold.as_ref().map_or_else(|| Cell::text("–"), |m| Cell::number(value(m), 3))
}

fn servo_chart(id: &str, fire: &ReplayFire, servo: &ServoCurve) -> Markup {
    LineChart {
        id: id.to_owned(),
        title: format!("Servo after the fire at check {}", fire.check),
        description: format!(
            "Distance to the followed frame after each control step; the servo ended as: {}.",
            servo.outcome
        ),
        x_label: "control step".to_owned(),
        y_label: "distance (rad)".to_owned(),
        x: (0..servo.distance_rad.len()).map(|k| k as f64).collect(),
        series: vec![Series {
            name: "distance to the frame followed: the target, then those after it".to_owned(),
            values: servo.distance_rad.iter().copied().map(Some).collect(),
            spread: vec![],
        }],
        thresholds: vec![Threshold {
            value: servo.tolerance_rad,
            label: format!("tolerance {} rad", number(Some(servo.tolerance_rad), 2)),
        }],
        y_range: YRange::FromZero,
        decimals: 3,
        height: 140.0,
        ..LineChart::default()
    }
    .render()
}

fn check_table(replay: &Replay) -> Markup {
    let columns = [
        "check",
        "frame",
        "memoryless",
        "filtered",
        "spread",
        "true",
        "basin",
        "progress",
        "distance",
        "radius",
    ];
    let rows = replay
        .checks
        .iter()
        .enumerate()
        .map(|(i, c)| {
            vec![
                Cell::count(i),
                Cell::count(c.frame),
                Cell::number(c.phase_memoryless, 3),
                Cell::number(c.phase_filtered, 3),
                Cell::number(c.phase_spread, 3),
                Cell::number(c.phase_true, 3),
                Cell::number(c.log_wealth_basin, 2),
                Cell::number(c.log_wealth_progress, 2),
                Cell::number(c.distance_rad, 3),
                Cell::number(c.radius_rad, 3),
            ]
        })
        .collect();
    details("The numbers: phase, log wealth, distance in rad", columns.map(Column::number).into(), rows)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::page::tests::assert_well_formed;
    use super::*;

    pub(crate) fn sample() -> Replay {
        let checks = (0..40)
            .map(|t| {
                let x = f64::from(t);
                let after = f64::from((t - 10).clamp(0, 12));
                ReplayCheck {
                    frame: 8 * t as usize + 7,
                    phase_memoryless: (t != 4).then_some((x / 39.0 + 0.2 * (1.7 * x).sin()).clamp(0.0, 1.0)),
                    phase_filtered: (t != 4).then_some(x / 39.0),
                    phase_spread: Some(0.02 + 0.001 * x),
                    phase_true: Some(x / 39.0),
                    log_wealth_basin: Some(if t < 22 { 0.47 * after - 0.1 } else { 0.0 }),
                    log_wealth_progress: Some(-0.2 * x),
                    distance_rad: Some(0.03 + 0.02 * after),
                    radius_rad: Some(0.08),
                }
            })
            .collect();
        Replay {
            title: "Episode 3 of <rollouts> & more".into(),
            task: "put the white mug on the plate".into(),
            rule: "power bets, every 3rd check, uniform mixture".into(),
            rate_hz: 20.0,
            log_threshold: 4.787,
            checks,
            fires: vec![
                ReplayFire {
                    check: 21,
                    kind: FireKind::Basin,
                    target: Some("weighted mean of 34 nodes".into()),
                    target_distance_rad: Some(0.41),
                    servo: Some(ServoCurve {
                        distance_rad: (0..14).map(|k| 0.41 * (-0.3 * f64::from(k)).exp()).collect(),
                        tolerance_rad: 0.03,
                        outcome: "reached after 9 steps".into(),
                        steps: 16,
                        error_after_rad: 0.028,
                    }),
                    manifold: Some(Manifold {
                        before_rad: Some(0.27),
                        target_rad: Some(0.02),
                        radius_rad: Some(0.08),
                    }),
                },
                ReplayFire { check: 23, kind: FireKind::Progress, ..ReplayFire::default() },
            ],
            perturbations: vec![(80, "push of 0.4 rad".into())],
            closed_frames: vec![(30, 62), (200, 260)],
            facts: vec![],
            provenance: Provenance {
                tool_version: "0.1.0".into(),
                graph_hash: "ab".repeat(32),
                head_hash: Some("cd".repeat(32)),
                seeds: vec![("perturbation".into(), 7)],
                sources: vec!["rollouts_fast.npz: scripted expert in LIBERO".into()],
                generated: false,
            },
        }
    }

    #[test]
    fn the_page_is_well_formed_escaped_and_alone() {
        let html = page(&sample());
        assert_well_formed(&html);
        assert!(html.contains("Episode 3 of &lt;rollouts&gt; &amp; more"));
        for outside in ["http:", "https:", "<script", "src=", "@import", "url("] {
            assert!(!html.contains(outside), "{outside}");
        }
        assert_eq!(html, page(&sample()));
    }

    #[test]
    fn fires_without_a_target_are_told_apart_and_not_counted() {
        let html = page(&sample());
        assert!(
            html.contains("<dt>fires</dt><dd>1</dd><dd class=\"remark\">and 1 without a target</dd>"),
            "{html}"
        );
        assert!(html.contains("fire: progress, no target"));
        assert!(html.contains("none: not executed"));
    }

    #[test]
    fn the_delay_counts_from_the_perturbation() {
        let facts = counts(&sample());
        // Check 21 judges frame 175; the push begins at frame 80.
        assert_eq!(facts.last(), Some(&Fact::new("caught after", "4.8 s").with_note("95 frames")));
    }

    #[test]
    fn an_empty_replay_and_one_full_of_unknowns_are_pages() {
        assert_well_formed(&page(&Replay::default()));
        let mut blind = sample();
        blind.checks = vec![ReplayCheck { frame: 7, distance_rad: Some(f64::NAN), ..ReplayCheck::default() }];
        let html = page(&blind);
        assert_well_formed(&html);
        assert!(!html.contains("NaN"));
    }
}
