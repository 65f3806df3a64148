//! Shares with their intervals: a dot, a line from bound to bound, the figures in words beside it.
//!
//! A share that was not measured says `unknown` and has no dot; one without an interval says so.

use super::axis::Axis;
use super::figure::{WIDTH, frame, px};
use super::format::{UNKNOWN, known, percent_interval};
use super::page::details;
use super::table::{Cell, Column};
use maud::{Markup, html};

/// Left of the plot: what was measured.
const LABELS: f64 = 190.0;
/// Right of the plot: the share with its interval, then the remark.
const FIGURES: f64 = 336.0;
const REMARK: f64 = 186.0;
const ROW: f64 = 24.0;
const GROUP: f64 = 26.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 40.0;

/// A chart of shares, 0 to 1, shown in per cent.
#[derive(Clone, Debug, Default)]
pub struct RateChart {
    /// Unique on the page.
    pub id: String,
    /// The caption.
    pub title: String,
    /// What the picture shows, for those who do not see it.
    pub description: String,
    /// Names of the settings compared; [`RateRow::setting`] counts in it.
    pub settings: Vec<String>,
    /// The rows, in order; a new [`RateRow::group`] starts a heading.
    pub rows: Vec<RateRow>,
    /// A level to compare with, such as the claimed share of false alarms.
    pub reference: Option<Reference>,
}

/// A level that the rows of one group are compared with.
#[derive(Clone, Debug)]
pub struct Reference {
    /// [`RateRow::group`] of those rows.
    pub group: String,
    /// The level, 0 to 1.
    pub share: f64,
    /// What it means.
    pub label: String,
}

/// One share.
#[derive(Clone, Debug, Default)]
pub struct RateRow {
    /// Heading it stands under.
    pub group: String,
    /// What was measured.
    pub label: String,
    /// Which of the settings.
    pub setting: usize,
    /// The share, 0 to 1.
    pub share: Option<f64>,
    /// Bounds of its interval, 0 to 1.
    pub interval: Option<(f64, f64)>,
    /// What it was counted from, such as `7 of 112` or `delay 13 checks`.
    pub note: String,
}

impl RateChart {
    /// The chart as a figure.
    pub fn render(&self) -> Markup {
        let mut at = TOP;
        let mut previous: Option<&RateRow> = None;
        let mut placed = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let same_group = previous.is_some_and(|p| p.group == row.group);
            let heading = (!same_group && !row.group.is_empty()).then_some(at + 16.0);
            // The second setting of the same thing needs no name again.
            let named = !(same_group && previous.is_some_and(|p| p.label == row.label));
            previous = Some(row);
            if heading.is_some() {
                at += GROUP;
            }
            placed.push((heading, named, at + ROW / 2.0, row));
            at += ROW;
        }
        let x = Axis { low: 0.0, high: 1.0, pixel_low: LABELS, pixel_high: WIDTH - FIGURES };
        let reference = self.reference.as_ref().filter(|r| x.holds(r.share)).and_then(|reference| {
            let mut middles = placed.iter().filter(|p| p.3.group == reference.group).map(|p| p.2);
            let first = middles.next()?;
            let last = middles.next_back().unwrap_or(first);
            Some((reference, first - ROW / 2.0 - GROUP + 6.0, last + ROW / 2.0))
        });
        let inner = html! {
            @for tick in x.ticks(6) {
                line.grid x1=(px(x.pixel(tick.value))) x2=(px(x.pixel(tick.value))) y1=(px(TOP)) y2=(px(at)) {}
                text.tick x=(px(x.pixel(tick.value))) y=(px(at + 18.0)) text-anchor="middle" { (format!("{:.0} %", 100.0 * tick.value)) }
            }
            @if let Some((reference, from, to)) = reference {
                @let at_share = px(x.pixel(reference.share));
                line.threshold x1=(at_share) x2=(at_share) y1=(px(from)) y2=(px(to)) {}
                text.note x=(px(x.pixel(reference.share) + 5.0)) y=(px(from + 10.0)) { (reference.label) }
            }
            @for (heading, named, middle, row) in placed {
                @if let Some(baseline) = heading { text.group x="0" y=(px(baseline)) { (row.group) } }
                @if named { text.row x="12" y=(px(middle + 4.0)) { (row.label) } }
                (estimate(row, &x, middle))
                text.figures x=(px(x.pixel_high + 16.0)) y=(px(middle + 4.0)) { (figures(row)) }
                text.remark x=(px(x.pixel_high + REMARK)) y=(px(middle + 4.0)) { (row.note) }
            }
        };
        let legend: Vec<(String, Markup)> =
            self.settings.iter().enumerate().map(|(i, name)| (name.clone(), dot(i, 14.0, 6.0))).collect();
        let figure = frame(&self.id, &self.title, &self.description, at + BOTTOM, &legend, &inner);
        html! { (figure) (self.numbers()) }
    }

    /// The chart as a table, for those who do not see it.
    fn numbers(&self) -> Markup {
        let columns = vec![
            Column::text("episodes"),
            Column::text("measured"),
            Column::text("setting"),
            Column::number("share (95 % interval)"),
            Column::text("remark"),
        ];
        let rows = self
            .rows
            .iter()
            .map(|row| {
                vec![
                    Cell::text(row.group.clone()),
                    Cell::text(row.label.clone()),
                    Cell::text(self.settings.get(row.setting).cloned().unwrap_or_default()),
                    Cell::text(figures(row)),
                    Cell::text(row.note.clone()),
                ]
            })
            .collect();
        details("The numbers", columns, rows)
    }
}

fn figures(row: &RateRow) -> String {
    let text = percent_interval(row.share, row.interval);
    let no_interval = known(row.share).is_some() && row.interval.is_none();
    if no_interval { format!("{text}, no interval") } else { text }
}

fn estimate(row: &RateRow, x: &Axis, middle: f64) -> Markup {
    let Some(share) = known(row.share) else {
        return html! { text.unknown x=(px(x.pixel_low + 6.0)) y=(px(middle + 4.0)) { (UNKNOWN) } };
    };
    let bounds = row.interval.filter(|(low, high)| low.is_finite() && high.is_finite());
    html! {
        @if let Some((low, high)) = bounds {
            line class=(format!("interval r{}", row.setting % 2)) x1=(px(x.pixel(low))) x2=(px(x.pixel(high))) y1=(px(middle)) y2=(px(middle)) {}
        }
        (dot(row.setting, x.pixel(share), middle))
    }
}

/// A filled circle for the first setting, an open square for the second, and again.
fn dot(setting: usize, x: f64, y: f64) -> Markup {
    if setting.is_multiple_of(2) {
        html! { circle.point.r0 cx=(px(x)) cy=(px(y)) r="4.5" {} }
    } else {
        html! { rect.point.r1 x=(px(x - 4.0)) y=(px(y - 4.0)) width="8" height="8" {} }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(share: Option<f64>, interval: Option<(f64, f64)>) -> String {
        let row =
            RateRow { label: "clean".into(), share, interval, note: "7 of 112".into(), ..RateRow::default() };
        RateChart { id: "r".into(), rows: vec![row], ..RateChart::default() }.render().into_string()
    }

    #[test]
    fn a_share_is_a_dot_an_interval_and_words() {
        let html = one(Some(0.0625), Some((0.025, 0.125)));
        assert!(html.contains("6.2 % (2.5 to 12.5 %)<") && html.contains(">7 of 112<"), "{html}");
        assert!(html.contains("class=\"interval r0\"") && html.contains("<circle"));
    }

    #[test]
    fn a_reference_stands_beside_its_own_group_only() {
        let row = |group: &str| RateRow { group: group.into(), share: Some(0.5), ..RateRow::default() };
        let chart = |group: &str| {
            let reference = Some(Reference { group: group.into(), share: 0.05, label: "claimed".into() });
            RateChart { rows: vec![row("clean"), row("pushed")], reference, ..RateChart::default() }
                .render()
                .0
        };
        let (first, second, none) = (chart("clean"), chart("pushed"), chart("stalled"));
        assert!(first.contains("claimed") && second.contains("claimed") && first != second);
        assert!(!none.contains("claimed"));
    }

    #[test]
    fn an_unknown_share_has_no_dot() {
        for html in [one(None, Some((0.0, 1.0))), one(Some(f64::NAN), None)] {
            assert!(
                html.contains("unknown") && !html.contains("<circle") && !html.contains("interval r"),
                "{html}"
            );
        }
    }

    #[test]
    fn a_share_without_interval_says_so() {
        let html = one(Some(0.5), None);
        assert!(html.contains("50.0 %, no interval"), "{html}");
    }
}
