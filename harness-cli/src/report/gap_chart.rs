//! Stops against their gap budgets: a mark at the discrepancy, a bar at the budget, the distance between them.
//!
//! The axis is in millimetres. A value beyond [`EDGE_MM`] stands at the edge, and the words beside it say what it is.
//! The shape of a mark says what ground truth says, and an open mark with a question that nobody knows.

use super::axis::{Axis, range};
use super::figure::{WIDTH, frame, px};
use super::format::fixed;
use maud::{Markup, html};
use rollcheck_engine::text::printf;

const LABELS: f64 = 250.0;
const RIGHT: f64 = 190.0;
const ROW: f64 = 20.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 44.0;
/// Nothing that a robot's safety kernel measures is farther away than ten metres, mm.
pub const EDGE_MM: f64 = 10_000.0;

/// A chart of stops.
#[derive(Clone, Debug, Default)]
pub struct GapChart {
    /// Unique on the page.
    pub id: String,
    /// The caption.
    pub title: String,
    /// What the picture shows, for those who do not see it.
    pub description: String,
    /// The stops, in order.
    pub stops: Vec<GapStop>,
}

/// One stop.
#[derive(Clone, Debug, Default)]
pub struct GapStop {
    /// Which scene of which round.
    pub label: String,
    /// What is to be explained, m.
    pub discrepancy_m: f64,
    /// Gap budget, m.
    pub gap_m: f64,
    /// What ground truth says.
    pub verdict: String,
}

const VERDICTS: [&str; 4] = ["real-contact", "false-positive", "within-quantization", "unadjudicated"];

impl GapChart {
    /// The chart as a figure.
    pub fn render(&self) -> Markup {
        let values = self.stops.iter().flat_map(|stop| [stop.discrepancy_m, stop.gap_m]);
        let in_mm = values.map(|m| (1000.0 * m).clamp(-EDGE_MM, EDGE_MM)).filter(|mm| mm.is_finite());
        let (low, high) = range(in_mm.chain([0.0]));
        let room = 0.03 * (high - low);
        let low = if low == 0.0 { low } else { low - room };
        let x = Axis { low, high: high + room, pixel_low: LABELS, pixel_high: WIDTH - RIGHT };
        let bottom = TOP + ROW * self.stops.len() as f64;
        let inner = html! {
            @for tick in x.ticks(8) {
                @let at = px(x.pixel(tick.value));
                line class=(if tick.value == 0.0 { "axis" } else { "grid" }) x1=(at) x2=(at) y1=(px(TOP)) y2=(px(bottom)) {}
                text.tick x=(at) y=(px(bottom + 18.0)) text-anchor="middle" { (tick.label) }
            }
            text.label x=(px(x.pixel_high)) y=(px(bottom + 36.0)) text-anchor="end" { "discrepancy (mm)" }
            @for (index, stop) in self.stops.iter().enumerate() {
                (row(stop, &x, TOP + ROW * (index as f64 + 0.5)))
            }
        };
        let mut legend: Vec<(String, Markup)> = VERDICTS
            .into_iter()
            .filter(|verdict| self.stops.iter().any(|stop| stop.verdict == *verdict))
            .map(|verdict| (verdict.to_owned(), mark(verdict, 14.0, 6.0)))
            .collect();
        legend.push(("gap budget".to_owned(), html! { line.budget x1="14" x2="14" y1="0" y2="12" {} }));
        frame(&self.id, &self.title, &self.description, bottom + BOTTOM, &legend, &inner)
    }
}

fn row(stop: &GapStop, x: &Axis, middle: f64) -> Markup {
    let [at, budget] = [stop.discrepancy_m, stop.gap_m].map(|m| x.pixel(1000.0 * m));
    let margin_m = stop.gap_m - stop.discrepancy_m;
    let side = if margin_m < 0.0 { "beyond" } else { "within" };
    html! {
        g {
            title { (stop.label) ": discrepancy " (stop.discrepancy_m) " m, budget " (stop.gap_m) " m, " (stop.verdict) }
            text.row x="0" y=(px(middle + 4.0)) { (stop.label) }
            line.reach x1=(px(at)) x2=(px(budget)) y1=(px(middle)) y2=(px(middle)) {}
            line.budget x1=(px(budget)) x2=(px(budget)) y1=(px(middle - 7.0)) y2=(px(middle + 7.0)) {}
            (mark(&stop.verdict, at, middle))
            text.figures x=(px(x.pixel_high + 14.0)) y=(px(middle + 4.0)) { (millimetres(margin_m.abs())) " mm " (side) }
        }
    }
}

fn millimetres(m: f64) -> String {
    let mm = 1000.0 * m;
    if mm < EDGE_MM { fixed(mm, 1) } else { printf::general(mm, 3) }
}

/// A shape a verdict.
fn mark(verdict: &str, x: f64, y: f64) -> Markup {
    match verdict {
        "real-contact" => {
            html! { path.verdict.real d=(format!("M{} {}l5.5 9.5h-11z", px(x), px(y - 5.5))) {} }
        }
        "false-positive" => {
            html! { rect.verdict.false x=(px(x - 4.5)) y=(px(y - 4.5)) width="9" height="9" {} }
        }
        "within-quantization" => html! { circle.verdict.within cx=(px(x)) cy=(px(y)) r="5" {} },
        _ => html! {
            circle.verdict.open cx=(px(x)) cy=(px(y)) r="5.5" {}
            text.question x=(px(x)) y=(px(y + 3.0)) text-anchor="middle" { "?" }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(discrepancy_m: f64, gap_m: f64, verdict: &str) -> String {
        let stop = GapStop { label: "r <b> fridge".into(), discrepancy_m, gap_m, verdict: verdict.into() };
        GapChart { id: "g".into(), stops: vec![stop], ..GapChart::default() }.render().into_string()
    }

    #[test]
    fn a_stop_nobody_can_judge_is_an_open_mark_with_a_question() {
        let html = chart(0.06, 0.02, "unadjudicated");
        assert_eq!(html.matches("verdict open").count(), 2, "once in the legend: {html}");
        assert!(html.contains("40.0 mm beyond") && html.contains("r &lt;b&gt; fridge"), "{html}");
        assert!(chart(0.06, 0.08, "something new").contains("verdict open"));
    }

    #[test]
    fn any_number_is_drawn_inside_the_picture() {
        for (discrepancy_m, gap_m) in
            [(1e300, 0.1), (-1e300, 1e-300), (0.0, 0.0), (-0.0, 0.0), (f64::MAX, f64::MIN)]
        {
            let html = chart(discrepancy_m, gap_m, "false-positive");
            assert!(!html.contains("NaN") && !html.contains("\"inf"), "{html}");
            for part in html.split(" x1=\"").skip(1) {
                let x: f64 = part.split('"').next().unwrap().parse().unwrap();
                assert!((0.0..=WIDTH).contains(&x), "{html}");
            }
        }
    }
}
