//! Lines over a shared horizontal axis, with what happened along it.
//!
//! A value that is not known leaves a gap; a known one between two gaps is a dot. Behind the lines: spans
//! (something holds from x to x), the spread around a line, thresholds (dashed, named), marks (vertical, named).
//! Resting the pointer on a column shows its values.

use super::axis::{Axis, range};
use super::figure::{WIDTH, frame, px};
use super::format::{known, number};
use maud::{Markup, html};
use std::fmt::Write as _;

const LEFT: f64 = 56.0;
/// Room to the right of the plot where no threshold needs more.
const RIGHT: f64 = 16.0;
const BOTTOM: f64 = 44.0;
const TOP: f64 = 10.0;
/// Height of one row of mark labels.
const LABEL_ROW: f64 = 15.0;
const MAX_LABEL_ROWS: usize = 4;
/// Width of a character of a label, a little more than the mean of the page's font at 11 px.
const CHARACTER: f64 = 6.3;
/// Threshold labels keep this distance from each other.
const LABEL_LINE: f64 = 13.0;
/// Above this many columns pointer targets would be narrower than a pointer.
const MAX_TARGETS: usize = 400;
/// Line patterns that the style sheet knows.
const LOOKS: usize = 6;

/// A chart of lines.
#[derive(Clone, Debug, Default)]
pub struct LineChart {
    /// Unique on the page.
    pub id: String,
    /// The caption.
    pub title: String,
    /// What the picture shows, for those who do not see it.
    pub description: String,
    /// What `x` counts, with its unit.
    pub x_label: String,
    /// What the values are, with their unit.
    pub y_label: String,
    /// Where the values lie, ascending.
    pub x: Vec<f64>,
    /// The horizontal range; `None` takes that of `x`.
    pub x_range: Option<(f64, f64)>,
    /// The lines.
    pub series: Vec<Series>,
    /// Named levels.
    pub thresholds: Vec<Threshold>,
    /// Shaded stretches.
    pub spans: Vec<Span>,
    /// What the shading means; empty without spans.
    pub span_label: String,
    /// Named moments.
    pub marks: Vec<Mark>,
    /// The vertical range.
    pub y_range: YRange,
    /// Decimals of the values that a pointer reads.
    pub decimals: usize,
    /// Least room to the right of the plot. Threshold labels stand there and take what they need; charts that
    /// are read one under the other ask for the same, so that their axes agree.
    pub gutter: f64,
    /// Height of the plot, in units of which the chart is 860 wide.
    pub height: f64,
}

/// One line.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// One value an `x`; missing ones at the end count as unknown.
    pub values: Vec<Option<f64>>,
    /// Half-width of the shade around each value; empty for none.
    pub spread: Vec<Option<f64>>,
}

/// A named level.
#[derive(Clone, Debug)]
pub struct Threshold {
    /// The level.
    pub value: f64,
    /// What it means.
    pub label: String,
}

/// A shaded stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

/// A named moment.
#[derive(Clone, Debug)]
pub struct Mark {
    /// When.
    pub x: f64,
    /// What happened.
    pub label: String,
    /// Drawn with weight: a fire, against something that was done to the recording.
    pub strong: bool,
}

/// How the vertical range is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum YRange {
    /// What values, spreads and thresholds need.
    #[default]
    Fit,
    /// The same, with zero.
    FromZero,
    /// From here to there; values outside are drawn at the edge.
    Fixed(f64, f64),
}

impl LineChart {
    /// The chart as a figure.
    pub fn render(&self) -> Markup {
        let (rows, placed) = self.place_marks();
        let top = TOP + rows as f64 * LABEL_ROW;
        let height = top + self.height + BOTTOM;
        let x = self.x_axis();
        let (low, high) = self.vertical_range();
        let y = Axis { low, high, pixel_low: top + self.height, pixel_high: top };
        let inner = html! {
            (self.spans(&x, &y))
            (self.axes(&x, &y))
            (self.thresholds(&x, &y))
            @for (index, series) in self.series.iter().enumerate() {
                @if !series.spread.is_empty() { path class=(format!("spread {}", look(index))) d=(self.spread_path(series, &x, &y)) {} }
            }
            @for (index, series) in self.series.iter().enumerate() {
                (self.line(index, series, &x, &y))
            }
            (marks(&placed, &x, &y))
            (self.targets(&x, &y))
        };
        frame(&self.id, &self.title, &self.description, height, &self.legend(), &inner)
    }

    fn x_axis(&self) -> Axis {
        let widest = self.thresholds.iter().map(|t| text_width(&t.label) + 8.0).fold(RIGHT, f64::max);
        let (low, high) = match self.x_range {
            Some((from, to)) => range([from, to]),
            None => range(self.x.iter().copied()),
        };
        Axis { low, high, pixel_low: LEFT, pixel_high: WIDTH - widest.max(self.gutter) }
    }

    fn vertical_range(&self) -> (f64, f64) {
        let fixed = match self.y_range {
            YRange::Fixed(low, high) => return range([low, high]),
            YRange::FromZero => Some(0.0),
            YRange::Fit => None,
        };
        let values = self.series.iter().flat_map(|series| {
            series.values.iter().enumerate().flat_map(|(i, value)| {
                let spread = series.spread.get(i).copied().flatten().unwrap_or(0.0);
                value.iter().flat_map(move |v| [v - spread, v + spread])
            })
        });
        let (low, high) = range(values.chain(self.thresholds.iter().map(|t| t.value)).chain(fixed));
        // A line along the frame is hard to see; zero as a floor stays the floor.
        let room = 0.04 * (high - low);
        (if low == 0.0 { low } else { low - room }, high + room)
    }

    fn legend(&self) -> Vec<(String, Markup)> {
        let mut entries: Vec<(String, Markup)> = self
            .series
            .iter()
            .enumerate()
            .map(|(index, series)| {
                (series.name.clone(), html! { path class=(format!("line {}", look(index))) d="M0 6H28" {} })
            })
            .collect();
        if !self.spans.is_empty() && !self.span_label.is_empty() {
            entries
                .push((self.span_label.clone(), html! { rect.span x="0" y="0" width="28" height="12" {} }));
        }
        entries
    }

    fn axes(&self, x: &Axis, y: &Axis) -> Markup {
        let (left, right) = (px(x.pixel_low), px(x.pixel_high));
        html! {
            @for tick in y.ticks(6) {
                line.grid x1=(left) x2=(right) y1=(px(y.pixel(tick.value))) y2=(px(y.pixel(tick.value))) {}
                text.tick x=(px(x.pixel_low - 8.0)) y=(px(y.pixel(tick.value) + 4.0)) text-anchor="end" { (tick.label) }
            }
            @for tick in x.ticks(11) {
                line.axis x1=(px(x.pixel(tick.value))) x2=(px(x.pixel(tick.value))) y1=(px(y.pixel_low)) y2=(px(y.pixel_low + 4.0)) {}
                text.tick x=(px(x.pixel(tick.value))) y=(px(y.pixel_low + 18.0)) text-anchor="middle" { (tick.label) }
            }
            line.axis x1=(left) x2=(right) y1=(px(y.pixel_low)) y2=(px(y.pixel_low)) {}
            text.label x=(right) y=(px(y.pixel_low + 36.0)) text-anchor="end" { (self.x_label) }
            text.label x="14" y=(px(f64::midpoint(y.pixel_low, y.pixel_high))) text-anchor="middle"
                transform=(format!("rotate(-90 14 {})", px(f64::midpoint(y.pixel_low, y.pixel_high)))) { (self.y_label) }
        }
    }

    fn spans(&self, x: &Axis, y: &Axis) -> Markup {
        html! {
            @for span in &self.spans {
                @let (from, to) = (x.pixel(span.from), x.pixel(span.to));
                rect.span x=(px(from)) y=(px(y.pixel_high)) width=(px((to - from).max(0.0))) height=(px(y.pixel_low - y.pixel_high)) {}
            }
        }
    }

    fn thresholds(&self, x: &Axis, y: &Axis) -> Markup {
        let mut drawn: Vec<(f64, &str)> = self
            .thresholds
            .iter()
            .filter(|t| y.holds(t.value))
            .map(|t| (y.pixel(t.value), t.label.as_str()))
            .collect();
        drawn.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut free_from = f64::NEG_INFINITY;
        html! {
            @for (at, label) in drawn {
                @let text_at = (at + 4.0).max(free_from);
                @let () = free_from = text_at + LABEL_LINE;
                line.threshold x1=(px(x.pixel_low)) x2=(px(x.pixel_high)) y1=(px(at)) y2=(px(at)) {}
                text.note x=(px(x.pixel_high + 6.0)) y=(px(text_at)) { (label) }
            }
        }
    }

    /// Known values in unbroken runs, as pixels with their index.
    fn runs(&self, series: &Series, x: &Axis, y: &Axis) -> Vec<Vec<(usize, f64, f64)>> {
        let points: Vec<Option<(usize, f64, f64)>> = self
            .x
            .iter()
            .enumerate()
            .map(|(i, &at)| {
                let value = known(series.values.get(i).copied().flatten())?;
                Some((i, x.pixel(known(Some(at))?), y.pixel(value)))
            })
            .collect();
        points
            .split(Option::is_none)
            .map(|run| run.iter().flatten().copied().collect())
            .filter(|run: &Vec<_>| !run.is_empty())
            .collect()
    }

    fn line(&self, index: usize, series: &Series, x: &Axis, y: &Axis) -> Markup {
        let runs = self.runs(series, x, y);
        let mut path = String::new();
        for run in runs.iter().filter(|run| run.len() > 1) {
            for (k, (_, at_x, at_y)) in run.iter().enumerate() {
                let _ = write!(path, "{}{} {}", if k == 0 { 'M' } else { 'L' }, px(*at_x), px(*at_y));
            }
        }
        html! {
            path class=(format!("line {}", look(index))) d=(path) {}
            @for run in runs.iter().filter(|run| run.len() == 1) {
                circle class=(format!("dot {}", look(index))) cx=(px(run[0].1)) cy=(px(run[0].2)) r="2.5" {}
            }
        }
    }

    fn spread_path(&self, series: &Series, x: &Axis, y: &Axis) -> String {
        let mut path = String::new();
        for run in self.runs(series, x, y) {
            let edge = |i: usize, sign: f64| {
                let value = known(series.values[i]).unwrap_or_default();
                let half = known(series.spread.get(i).copied().flatten()).unwrap_or(0.0);
                format!("{} {}", px(x.pixel(self.x[i])), px(y.pixel(value + sign * half)))
            };
            let there = run.iter().map(|p| edge(p.0, 1.0));
            let back = run.iter().rev().map(|p| edge(p.0, -1.0));
            let _ = write!(path, "M{}Z", there.chain(back).collect::<Vec<_>>().join("L"));
        }
        path
    }

    fn targets(&self, x: &Axis, y: &Axis) -> Markup {
        if self.x.len() > MAX_TARGETS {
            return Markup::default();
        }
        let middle = |i: usize| x.pixel(f64::midpoint(self.x[i], self.x[i + 1]));
        html! {
            g.targets {
                @for i in 0..self.x.len() {
                    @let from = if i == 0 { x.pixel_low } else { middle(i - 1) };
                    @let to = if i + 1 == self.x.len() { x.pixel_high } else { middle(i) };
                    rect x=(px(from)) y=(px(y.pixel_high)) width=(px((to - from).max(0.0))) height=(px(y.pixel_low - y.pixel_high)) {
                        title { (self.reading(i)) }
                    }
                }
            }
        }
    }

    /// The values of a column in words.
    fn reading(&self, i: usize) -> String {
        let mut text = format!("{} {}", self.x_label, self.x[i]);
        for series in &self.series {
            let value = series.values.get(i).copied().flatten();
            let _ = write!(text, "\n{}: {}", series.name, number(value, self.decimals));
            if let Some(spread) = known(series.spread.get(i).copied().flatten()) {
                let _ = write!(text, " ± {}", number(Some(spread), self.decimals));
            }
        }
        text
    }

    /// Gives every mark a row of the label area so that labels do not cover each other; the number of rows.
    fn place_marks(&self) -> (usize, Vec<(usize, &Mark)>) {
        let x = self.x_axis();
        let mut marks: Vec<&Mark> = self.marks.iter().filter(|m| x.holds(m.x)).collect();
        marks.sort_by(|a, b| a.x.total_cmp(&b.x));
        let mut free_from = [f64::NEG_INFINITY; MAX_LABEL_ROWS];
        let mut rows = 0;
        let placed = marks
            .into_iter()
            .map(|mark| {
                let (from, to) = label_extent(mark, &x);
                let row = free_from.iter().position(|&free| free <= from).unwrap_or(MAX_LABEL_ROWS - 1);
                free_from[row] = to + CHARACTER;
                rows = rows.max(row + 1);
                (row, mark)
            })
            .collect();
        (rows, placed)
    }
}

/// Pixels that a label covers: right of its mark, or left of it where it would leave the chart.
fn label_extent(mark: &Mark, x: &Axis) -> (f64, f64) {
    let (at, width) = (x.pixel(mark.x), text_width(&mark.label) + 5.0);
    if at + width > x.pixel_high { (at - width, at) } else { (at, at + width) }
}

fn marks(placed: &[(usize, &Mark)], x: &Axis, y: &Axis) -> Markup {
    html! {
        @for (row, mark) in placed {
            @let at = x.pixel(mark.x);
            @let to_left = label_extent(mark, x).0 < at;
            @let base = TOP + LABEL_ROW * (*row as f64) + 9.0;
            g class=(if mark.strong { "mark strong" } else { "mark" }) {
                line x1=(px(at)) x2=(px(at)) y1=(px(base - 9.0)) y2=(px(y.pixel_low)) {}
                text x=(px(if to_left { at - 4.0 } else { at + 4.0 })) y=(px(base)) text-anchor=(if to_left { "end" } else { "start" }) { (mark.label) }
                @if mark.strong {
                    path.fire d=(format!("M{} {}l5 9h-10z", px(at), px(y.pixel_low - 9.0))) {}
                }
            }
        }
    }
}

fn text_width(text: &str) -> f64 {
    CHARACTER * text.chars().count() as f64
}

fn look(index: usize) -> String {
    format!("s{}", index % LOOKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(values: Vec<Option<f64>>) -> LineChart {
        LineChart {
            id: "c".into(),
            title: "Phase".into(),
            x_label: "frame".into(),
            x: (0..values.len()).map(|i| i as f64).collect(),
            series: vec![Series { name: "filtered".into(), values, spread: vec![] }],
            height: 100.0,
            decimals: 2,
            ..LineChart::default()
        }
    }

    fn path_of(html: &str) -> &str {
        let from = html.find("class=\"line s0\" d=\"M5").map_or(0, |at| at + 19);
        &html[from..from + html[from..].find('"').unwrap_or(0)]
    }

    #[test]
    fn unknown_values_leave_gaps_and_lone_values_are_dots() {
        let html = chart(vec![Some(0.0), Some(1.0), None, Some(1.0), Some(f64::NAN), Some(0.5), Some(0.0)])
            .render()
            .into_string();
        assert_eq!(path_of(&html).matches('M').count(), 2, "{html}");
        assert_eq!(html.matches("<circle").count(), 1);
        assert!(html.contains("filtered: unknown"));
        assert!(!html.contains("NaN"));
    }

    #[test]
    fn nothing_known_is_still_a_chart() {
        for values in [vec![], vec![None, None], vec![Some(f64::INFINITY)], vec![Some(2.0)]] {
            let mut chart = chart(values);
            chart.marks.push(Mark { x: 0.0, label: "push".into(), strong: true });
            let html = chart.render().into_string();
            assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
        }
    }

    #[test]
    fn every_coordinate_lies_in_the_picture() {
        let mut chart = chart(vec![Some(-50.0), Some(3.0), Some(700.0)]);
        chart.y_range = YRange::Fixed(0.0, 1.0);
        chart.series[0].spread = vec![Some(9.0); 3];
        chart.spans.push(Span { from: -5.0, to: 99.0 });
        let html = chart.render().into_string();
        for part in html.split(['M', 'L']).skip(1) {
            let pair: Vec<f64> =
                part.split(['"', 'Z']).next().unwrap().split(' ').filter_map(|n| n.parse().ok()).collect();
            if let [x, y] = pair[..] {
                assert!((LEFT..=WIDTH).contains(&x) && (0.0..=200.0).contains(&y), "{part}");
            }
        }
    }

    #[test]
    fn labels_of_close_marks_take_rows_of_their_own() {
        let mut chart = chart(vec![Some(0.0); 100]);
        for x in [10.0, 11.0, 12.0, 80.0] {
            chart.marks.push(Mark { x, label: "fire: basin".into(), strong: true });
        }
        let (rows, placed) = chart.place_marks();
        assert_eq!(rows, 3);
        assert_eq!(placed.iter().map(|p| p.0).collect::<Vec<_>>(), [0, 1, 2, 0]);
    }

    #[test]
    fn a_mark_outside_the_axis_is_not_drawn() {
        let mut chart = chart(vec![Some(0.0), Some(1.0)]);
        chart.marks.push(Mark { x: 7.0, label: "later".into(), strong: false });
        assert!(!chart.render().into_string().contains("later"));
    }
}
