//! The page of a replayed stop: the reported depth beside hulls and boxes, all pairs of links in each state.

use super::format::number;
use super::page::{Fact, Page, Provenance, Section};
use super::table::{Cell, Column, Table};
use rollcheck_engine::geometry::hull_distance::SignedDistance;
use rollcheck_eval::replay::account::{self, reported_mm};
use rollcheck_eval::replay::{LinkPair, Replay, StateReplay};

/// Everything on the page.
#[derive(Clone, Debug)]
pub struct StopReplay<'a> {
    /// Round, scene and parties.
    pub title: String,
    /// What was replayed.
    pub replay: &'a Replay,
    /// The documented verdict; `None` without a stop line.
    pub documented: Option<Judged>,
    /// The verdict with the replay; `None` where it changes nothing.
    pub with_replay: Option<Judged>,
    /// Files that were read.
    pub sources: &'a [String],
}

/// A verdict in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The verdict.
    pub verdict: String,
    /// The rule or the reason.
    pub because: String,
    /// What is to be explained, m.
    pub discrepancy_m: Option<f64>,
    /// The gap budget, m.
    pub budget_m: Option<f64>,
    /// Where it comes from, or empty.
    pub budget_source: &'static str,
}

impl StopReplay<'_> {
    /// The text of the page.
    pub fn render(&self) -> String {
        let sentences = account::sentences(self.replay);
        let verdicts = Section {
            title: "Verdict".to_owned(),
            text: vec![
                "A replay is an extra source. No documented outcome changes unless it is asked for with `--use-replay`."
                    .to_owned(),
            ],
            body: vec![verdict_table(self.documented.as_ref(), self.with_replay.as_ref()).render()],
            parts: Vec::new(),
        };
        let sections =
            std::iter::once(verdicts).chain(self.replay.states.iter().map(state_section)).collect();
        Page {
            title: self.title.clone(),
            lede: sentences.iter().map(|s| format!("{s}.")).collect::<Vec<_>>().join(" "),
            facts: self.facts(),
            sections,
            provenance: Provenance {
                tool_version: env!("CARGO_PKG_VERSION").to_owned(),
                sources: self.sources.to_vec(),
                ..Provenance::default()
            },
        }
        .render()
    }

    fn facts(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        if let Some((stop, source)) = &self.replay.stop {
            let fact = Fact::new("reported by the safety kernel", reported_mm(stop.min_distance_m));
            facts.push(fact.with_note(source.name()));
        }
        if let Some(pair) = self.replay.named() {
            let mm = |m: Option<f64>| m.map(|m| format!("{} mm", number(Some(1000.0 * m), 3)));
            let fact = |name: &str, value: Option<f64>, note: &str| Fact {
                name: name.to_owned(),
                value: mm(value),
                note: note.to_owned(),
            };
            let hulls = pair.hulls.as_ref().ok();
            let note = match hulls {
                Some(found) if found.certified() => "certified",
                Some(_) => "not certified",
                None => "",
            };
            facts.push(fact("hulls", hulls.map(|f| f.distance_m), note));
            facts.push(fact("boxes", pair.boxes_m.as_ref().ok().copied(), "largest gap over 15 axes"));
        }
        facts
    }
}

fn verdict_table(documented: Option<&Judged>, with: Option<&Judged>) -> Table {
    let row = |name: &str, judged: Option<&Judged>, none: &str| match judged {
        Some(j) => vec![
            Cell::text(name),
            Cell::text(&j.verdict),
            Cell::text(&j.because),
            Cell::number(j.discrepancy_m.map(|m| 1000.0 * m), 3),
            Cell::number(j.budget_m.map(|m| 1000.0 * m), 3),
            Cell::text(j.budget_source),
        ],
        None => vec![Cell::text(name), Cell::text(none)],
    };
    Table {
        caption: String::new(),
        columns: vec![
            Column::text("source"),
            Column::text("verdict"),
            Column::text("because"),
            Column::number("discrepancy, mm"),
            Column::number("gap budget, mm"),
            Column::text("budget from"),
        ],
        rows: vec![
            row("documented", documented, "no stop line to judge"),
            row("engine-replay", with, "nothing to stand in for"),
        ],
    }
}

fn state_section(state: &StateReplay) -> Section {
    let row = |pair: &LinkPair| {
        let found = pair.hulls.as_ref().ok();
        let point = |p: &rollcheck_engine::geometry::Point| {
            [p.x, p.y, p.z].map(|x| number(Some(1000.0 * x), 1)).join(", ")
        };
        let mm = |m: Option<f64>| Cell::number(m.map(|m| 1000.0 * m), 3);
        let yes = |flag: bool| Cell::text(if flag { "yes" } else { "no" });
        vec![
            Cell::text(format!("{} and {}", pair.a, pair.b)),
            mm(found.map(|f| f.distance_m)),
            yes(found.is_some_and(SignedDistance::certified)),
            mm(pair.boxes_m.as_ref().ok().copied()),
            mm(pair.probe_m),
            yes(pair.adjacent),
            Cell::text(found.map_or_else(String::new, |f| point(&f.witness_a))),
            Cell::text(found.map_or_else(String::new, |f| point(&f.witness_b))),
        ]
    };
    let table = Table {
        caption: "Pairs of links, nearest first. Neighbours overlap for ever and are permitted to."
            .to_owned(),
        columns: vec![
            Column::text("links"),
            Column::number("hulls, mm"),
            Column::text("certified"),
            Column::number("boxes, mm"),
            Column::number("probe, mm"),
            Column::text("neighbours"),
            Column::number("witness of the first, mm"),
            Column::number("witness of the second, mm"),
        ],
        rows: state.pairs.iter().map(row).collect(),
    };
    Section {
        title: format!("In the {} state", state.state.source.name()),
        text: std::iter::once(format!("Joints of {}.", state.state.source.field()))
            .chain(state.left_out.iter().map(|reason| format!("Left out: {reason}.")))
            .collect(),
        body: vec![table.render()],
        parts: Vec::new(),
    }
}
