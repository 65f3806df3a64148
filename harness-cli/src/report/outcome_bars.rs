//! Counts of outcomes as stacked bars, one a scene, with the numbers as a table beside it.
//!
//! Colour is not alone: segments stand in the order of the legend, carry their count, and what nobody knows is hatched and
//! never in the colour of something good.

use super::figure::{WIDTH, frame, px};
use super::table::{Cell, Column, Table};
use maud::{Markup, html};

const LABELS: f64 = 110.0;
const RIGHT: f64 = 60.0;
const ROW: f64 = 30.0;
const BAR: f64 = 20.0;
/// A count needs this much room inside its segment.
const COUNT_ROOM: f64 = 20.0;

/// Stacked bars.
#[derive(Clone, Debug, Default)]
pub struct OutcomeBars {
    /// Unique on the page.
    pub id: String,
    /// The caption.
    pub title: String,
    /// What the picture shows, for those who do not see it.
    pub description: String,
    /// The outcomes, in the order of the segments.
    pub outcomes: Vec<&'static str>,
    /// One bar: its name and a count an outcome.
    pub bars: Vec<(String, Vec<usize>)>,
}

impl OutcomeBars {
    /// The chart as a figure, and its numbers.
    pub fn render(&self) -> Markup {
        let most = self.bars.iter().map(|(_, counts)| counts.iter().sum::<usize>()).max().unwrap_or(0).max(1);
        let scale = (WIDTH - LABELS - RIGHT) / most as f64;
        let inner = html! {
            (hatches(&self.id))
            @for (index, (name, counts)) in self.bars.iter().enumerate() {
                @let top = ROW * index as f64 + (ROW - BAR) / 2.0;
                text.row x="0" y=(px(top + 14.0)) { (name) }
                (segments(&self.outcomes, counts, top, scale, &self.id))
                @let sum: usize = counts.iter().sum();
                text.figures x=(px(LABELS + scale * sum as f64 + 8.0)) y=(px(top + 14.0)) { (sum) }
            }
        };
        let swatch = |outcome: &'static str| {
            let style = fill(outcome, &self.id);
            (
                outcome.to_owned(),
                html! { rect class=(class(outcome)) style=[style] x="0" y="0" width="28" height="12" {} },
            )
        };
        let legend: Vec<_> = self.outcomes.iter().map(|outcome| swatch(outcome)).collect();
        let height = ROW * self.bars.len() as f64 + 6.0;
        let figure = frame(&self.id, &self.title, &self.description, height, &legend, &inner);
        html! { (figure) (self.numbers().render()) }
    }

    fn numbers(&self) -> Table {
        let names = self.bars.iter().map(|(name, _)| Column::number(name.clone()));
        let mut columns = vec![Column::text("outcome")];
        columns.extend(names);
        columns.push(Column::number("all"));
        let row = |(at, outcome): (usize, &&str)| {
            let counts: Vec<usize> =
                self.bars.iter().map(|(_, counts)| counts.get(at).copied().unwrap_or_default()).collect();
            let mut cells = vec![Cell::text(*outcome)];
            cells.extend(counts.iter().map(|&n| if n == 0 { Cell::text("–") } else { Cell::count(n) }));
            cells.push(Cell::count(counts.iter().sum()));
            cells
        };
        Table { caption: String::new(), columns, rows: self.outcomes.iter().enumerate().map(row).collect() }
    }
}

fn segments(outcomes: &[&'static str], counts: &[usize], top: f64, scale: f64, id: &str) -> Markup {
    let mut at = LABELS;
    html! {
        @for (outcome, &count) in outcomes.iter().zip(counts) {
            @let width = scale * count as f64;
            @let left = at;
            @let () = at += width;
            @if count > 0 {
                g {
                    title { (outcome) ": " (count) }
                    rect class=(class(outcome)) style=[fill(outcome, id)] x=(px(left)) y=(px(top)) width=(px(width)) height=(px(BAR)) {}
                    @if width >= COUNT_ROOM {
                        text.count x=(px(left + width / 2.0)) y=(px(top + 14.0)) text-anchor="middle" { (count) }
                    }
                }
            }
        }
    }
}

/// The class of a segment.
fn class(outcome: &str) -> String {
    format!("segment {}", family(outcome))
}

fn family(outcome: &str) -> &'static str {
    match outcome {
        "completed" => "good",
        "estop-collision-real" => "real",
        "estop-collision-false-positive" => "false",
        "estop-collision-within-quantization" => "within",
        "estop-initial-configuration" => "initial",
        "deadline-after-grasp" => "late",
        "deadline-no-grasp" => "later",
        "harness-error" => "void",
        _ => "open",
    }
}

fn is_open(outcome: &str) -> bool {
    matches!(family(outcome), "open" | "void")
}

fn fill(outcome: &str, id: &str) -> Option<String> {
    is_open(outcome).then(|| format!("fill:url(#{id}-{})", family(outcome)))
}

/// What is not known is hatched.
fn hatches(id: &str) -> Markup {
    html! {
        defs {
            @for (family, turn) in [("open", "45"), ("void", "135")] {
                pattern id=(format!("{id}-{family}")) width="6" height="6" patternUnits="userSpaceOnUse" patternTransform=(format!("rotate({turn})")) {
                    rect class=(format!("hatch-paper {family}")) width="6" height="6" {}
                    rect class=(format!("hatch {family}")) width="2" height="6" {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_hatched_and_zero_is_no_segment() {
        let bars = OutcomeBars {
            id: "b".into(),
            outcomes: vec!["completed", "estop-collision-unadjudicated"],
            bars: vec![("fridge".into(), vec![0, 3])],
            ..OutcomeBars::default()
        };
        let html = bars.render().into_string();
        assert_eq!(html.matches("<rect class=\"segment open\" style=\"fill:url(#b-open)\"").count(), 2);
        assert_eq!(html.matches("<rect class=\"segment good\"").count(), 1, "the legend alone");
        assert!(html.contains("estop-collision-unadjudicated: 3"), "{html}");
    }
}
