//! The page of a ledger: what came of which scene, how far stops lie from their budgets, why nobody can judge the rest.
//!
//! Recorded and generated rounds never share a table or a chart. Names come from files of strangers; they are escaped
//! where they enter markup and cut where they are long.

use super::format::{count, gaps, length};
use super::gap_chart::{GapChart, GapStop};
use super::outcome_bars::OutcomeBars;
use super::page::{Fact, Page, Provenance, Section, details};
use super::table::{Cell, Column, Table};
use maud::Markup;
use rollcheck_eval::adjudication::outcome::Outcome;
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::ledger::summary::{Agreement, Between, Listed, Part, RulePart, SceneName, Side, Summary};
use rollcheck_eval::ledger::{Report, Row};

/// Longest name on the page, characters.
const LONGEST: usize = 60;
/// Longest reason on the page, characters.
const LONGEST_REASON: usize = 300;
/// Room for a label left of the chart, characters.
const LABEL: usize = 40;
/// Room for a scene left of its bar, characters.
const SCENE: usize = 17;

/// The text of the page.
pub fn page(report: &Report) -> String {
    let summary = &report.summary;
    let mut sections = Vec::new();
    for (part, id, title) in [
        (&summary.recorded, "recorded", "Recorded rounds"),
        (&summary.generated, "generated", "Generated rounds"),
    ] {
        let Some(part) = part else { continue };
        for rules in &part.by_rules {
            sections.push(rules_section(part, rules, id, title));
        }
        if let Some(between) = &part.between_rules {
            sections.push(between_section(between, title));
        }
    }
    if summary.damaged.total > 0 {
        sections.push(damaged_section(summary));
    }
    sections.push(rows_section(report));
    let rule_sets: Vec<&str> = summary.rule_sets.iter().map(|rules| rules.name()).collect();
    let mut sources =
        vec![format!("{} by the {} rules", count(summary.rounds, "round"), rule_sets.join(" and "))];
    if summary.from_recorded {
        sources.push("evidence that files lack was taken from recorded verdicts.json".to_owned());
    }
    Page {
        title: "Validation rounds, judged anew".to_owned(),
        lede: "Each scene's outcome follows from its recorded files alone. A stop is compared with what the simulator \
               measured; it is explained when the difference lies within the gap between the two representations of the \
               same geometry. A stop that cannot be judged is never taken for a good one."
            .to_owned(),
        facts: facts(summary),
        sections,
        provenance: Provenance {
            tool_version: summary.tool_version.clone(),
            sources,
            generated: summary.generated.is_some() && summary.recorded.is_none(),
            ..Provenance::default()
        },
    }
    .render()
}

fn facts(summary: &Summary) -> Vec<Fact> {
    let judged = format!("{} of {}", summary.judged_scenes, summary.scenes);
    let mut facts = vec![
        Fact::new("rounds named or found", summary.rounds.to_string()),
        Fact::new("scenes judged", judged),
        Fact::new("damaged", summary.damaged.total.to_string())
            .with_note("rounds or scenes without a verdict"),
    ];
    let recorded = summary.recorded.as_ref();
    let origin = if recorded.is_some() { "recorded" } else { "generated: not evidence" };
    let Some(part) = recorded.or(summary.generated.as_ref()) else { return facts };
    if let (Some(_), Some(generated)) = (recorded, &summary.generated) {
        let note = "not evidence; counted apart";
        facts.push(Fact::new("generated rounds", generated.rounds.to_string()).with_note(note));
    }
    for rules in &part.by_rules {
        let stops: usize = rules.stops.values().sum();
        let open = rules.stops.get("unadjudicated").copied().unwrap_or_default();
        let name = format!("stops that nobody can judge, {}", rules.rule_set);
        facts.push(Fact::new(name, format!("{open} of {stops}")).with_note(origin));
        let agreement = &rules.agreement;
        if agreement.compared > 0 {
            let name = format!("as recorded before, {}", rules.rule_set);
            let note = format!("{} changed", agreement.changed.total);
            facts.push(
                Fact::new(name, format!("{} of {}", agreement.same, agreement.compared)).with_note(note),
            );
        }
    }
    if let Some(between) = &part.between_rules {
        let note = format!("of {} that both rule sets judged", count(between.compared, "scene"));
        facts.push(Fact::new("outcomes that rules change", between.outcomes.to_string()).with_note(note));
    }
    facts
}

fn rules_section(part: &Part, rules: &RulePart, id: &str, title: &str) -> Section {
    let id = format!("{id}-{}", rules.rule_set);
    let mut text = vec![format!("{}, {}.", count(part.rounds, "round"), count(part.scenes, "scene"))];
    if part.origin != "recorded" {
        text.push(format!("{}.", part.origin));
    }
    if part.damaged_scenes > 0 {
        text.push(format!("{} could not be judged; see below.", count(part.damaged_scenes, "scene")));
    }
    let mut parts = vec![Section {
        title: "Outcomes by scene".to_owned(),
        body: vec![outcome_bars(rules, &id).render()],
        ..Section::default()
    }];
    parts.extend(gap_part(rules, &id));
    parts.extend(reasons_part(rules));
    parts.extend(budgets_part(rules));
    parts.extend(agreement_part(&rules.agreement));
    Section { title: format!("{title}, {} rules", rules.rule_set), text, parts, ..Section::default() }
}

fn outcome_bars(rules: &RulePart, id: &str) -> OutcomeBars {
    let outcomes: Vec<&'static str> = Outcome::ALL
        .into_iter()
        .map(Outcome::name)
        .filter(|outcome| rules.outcomes_in_all.contains_key(outcome))
        .collect();
    let bars = rules.outcomes.iter().map(|(scene, counts)| {
        let of = |outcome: &&'static str| counts.get(*outcome).copied().unwrap_or_default();
        (short(scene, SCENE), outcomes.iter().map(of).collect())
    });
    let bars = bars.collect();
    OutcomeBars {
        id: format!("{id}-outcomes"),
        title: "Each scene's runs, divided by outcome".to_owned(),
        description: "A bar a scene, divided by outcome. The table below has the same counts.".to_owned(),
        bars,
        outcomes,
    }
}

fn gap_part(rules: &RulePart, id: &str) -> Option<Section> {
    let stops: usize = rules.stops.values().sum();
    if stops == 0 {
        return None;
    }
    let unknown = stops - rules.measured_stops;
    let mut text = vec![
        "How much is to be explained, against the gap that explains it. A stop beyond a published budget is a false \
         positive; beyond the voxel term alone it proves nothing. Contact outranks both, and so does a probe whose \
         distances are not certified."
            .to_owned(),
    ];
    if rules.measured_stops > rules.nearest_to_budget.len() {
        text.push(format!(
            "Shown are the {} stops nearest to their budget, of {} with both numbers.",
            rules.nearest_to_budget.len(),
            rules.measured_stops
        ));
    }
    if unknown > 0 {
        text.push(format!(
            "{} {} no discrepancy or no budget: unknown, and not drawn.",
            count(unknown, "stop"),
            if unknown == 1 { "has" } else { "have" }
        ));
    }
    let mut body = Vec::new();
    if !rules.nearest_to_budget.is_empty() {
        let drawn = rules.nearest_to_budget.iter().map(|stop| GapStop {
            label: short(&format!("{} · {}", stop.scene.scene, stop.scene.round_id), LABEL),
            discrepancy_m: stop.discrepancy_m,
            gap_m: stop.admissible_gap_m,
            verdict: stop.gt_verdict.clone(),
        });
        let chart = GapChart {
            id: format!("{id}-gaps"),
            title: "Stops, nearest to their budget first".to_owned(),
            description: "A row a stop: a mark at its discrepancy, a bar at its gap budget. The table below has the numbers."
                .to_owned(),
            stops: drawn.collect(),
        };
        body.extend([chart.render(), gap_numbers(rules)]);
    }
    Some(Section { title: "Stops against their gap budget".to_owned(), text, body, ..Section::default() })
}

fn gap_numbers(rules: &RulePart) -> Markup {
    let columns = vec![
        Column::text("round"),
        Column::text("scene"),
        Column::text("compared"),
        Column::number("discrepancy (m)"),
        Column::number("budget (m)"),
        Column::text("source"),
        Column::text("ground truth"),
    ];
    let row = |stop: &rollcheck_eval::ledger::summary::StopPoint| {
        vec![
            name(&stop.scene.round_id),
            name(&stop.scene.scene),
            name(&stop.comparison),
            Cell::text(length(stop.discrepancy_m)),
            Cell::text(length(stop.admissible_gap_m)),
            name(&stop.budget_source),
            name(&stop.gt_verdict),
        ]
    };
    details("The numbers", columns, rules.nearest_to_budget.iter().map(row).collect())
}

fn reasons_part(rules: &RulePart) -> Option<Section> {
    if rules.reasons.is_empty() {
        return None;
    }
    let columns = vec![Column::text("reasons"), Column::number("stops"), Column::text("in words")];
    let rows = rules.reasons.iter().map(|reason| {
        vec![name(&reason.ids), Cell::count(reason.stops), Cell::text(short(&reason.words, LONGEST_REASON))]
    });
    let table = Table { caption: String::new(), columns, rows: rows.collect() };
    Some(Section {
        title: "Why nobody can judge a stop".to_owned(),
        body: vec![table.render()],
        ..Section::default()
    })
}

fn budgets_part(rules: &RulePart) -> Option<Section> {
    if rules.budgets.is_empty() {
        return None;
    }
    let columns = vec![
        Column::text("how it was arrived at"),
        Column::text("source"),
        Column::number("stops"),
        Column::number("gap (m)"),
    ];
    let rows = rules.budgets.iter().map(|budget| {
        let source = budget.source.as_deref().map_or_else(|| Cell::number(None, 0), name);
        let gap = match budget.min_gap_m {
            Some(_) => Cell::text(gaps(budget.min_gap_m, budget.max_gap_m)),
            None => Cell::number(None, 0),
        };
        vec![name(&budget.rule), source, Cell::count(budget.stops), gap]
    });
    let compared = rules.comparisons.iter().map(|(what, n)| format!("{n} {}", short(what, LONGEST)));
    let compared: Vec<String> = compared.collect();
    let table = Table { caption: String::new(), columns, rows: rows.collect() };
    Some(Section {
        title: "Gap budgets".to_owned(),
        text: vec![format!("Compared: {}.", compared.join(", "))],
        body: vec![table.render()],
        ..Section::default()
    })
}

fn agreement_part(agreement: &Agreement) -> Option<Section> {
    if agreement.compared == 0 {
        return None;
    }
    let columns = ["round", "scene", "recorded", "ground truth then", "now", "ground truth now"];
    let columns = columns.map(Column::text).to_vec();
    let rows = agreement.changed.first.iter().map(|change| {
        let verdict = |verdict: &Option<String>| name(verdict.as_deref().unwrap_or("–"));
        vec![
            name(&change.scene.round_id),
            name(&change.scene.scene),
            name(&change.recorded_outcome),
            verdict(&change.recorded_gt_verdict),
            name(&change.outcome),
            verdict(&change.gt_verdict),
        ]
    });
    let mut text = vec![format!(
        "{} had verdicts before: {} the same, {} changed.",
        count(agreement.compared, "scene"),
        agreement.same,
        agreement.changed.total
    )];
    text.extend(left_out(&agreement.changed));
    let table = Table { caption: String::new(), columns, rows: rows.collect() };
    let body = if agreement.changed.total > 0 { vec![table.render()] } else { vec![] };
    Some(Section { title: "Against recorded verdicts".to_owned(), text, body, ..Section::default() })
}

fn between_section(between: &Between, title: &str) -> Section {
    let mut text = vec![format!(
        "Both judged {}: {} with another outcome, {} with another verdict, {} with any difference.",
        count(between.compared, "scene"),
        between.outcomes,
        between.verdicts,
        between.changes.total
    )];
    text.extend(left_out(&between.changes));
    let columns = vec![
        Column::text("round"),
        Column::text("scene"),
        Column::text("rules"),
        Column::text("outcome"),
        Column::text("ground truth"),
        Column::text("reasons"),
        Column::number("gap (m)"),
        Column::text("how"),
    ];
    let side = |scene: &SceneName, rules: RuleSet, side: &Side| {
        vec![
            name(&scene.round_id),
            name(&scene.scene),
            Cell::text(rules.name()),
            name(&side.outcome),
            name(side.gt_verdict.as_deref().unwrap_or("–")),
            name(side.reason_ids.as_deref().unwrap_or("–")),
            side.admissible_gap_m.map_or_else(|| Cell::number(None, 0), |gap_m| Cell::text(length(gap_m))),
            name(side.budget_rule.as_deref().unwrap_or("–")),
        ]
    };
    let rows = between.changes.first.iter().flat_map(|change| {
        [
            side(&change.scene, RuleSet::Documented, &change.documented),
            side(&change.scene, RuleSet::Extended, &change.extended),
        ]
    });
    let table = Table { caption: String::new(), columns, rows: rows.collect() };
    let body = if between.changes.total > 0 { vec![table.render()] } else { vec![] };
    Section {
        title: format!("What the rule sets change, {}", title.to_lowercase()),
        text,
        body,
        ..Section::default()
    }
}

fn damaged_section(summary: &Summary) -> Section {
    let columns = ["round", "scene", "origin", "what is wrong"].map(Column::text).to_vec();
    let rows = summary.damaged.first.iter().map(|damage| {
        vec![
            name(&damage.round_path),
            name(damage.scene.as_deref().unwrap_or("all")),
            Cell::text(damage.origin),
            Cell::text(short(&damage.damage, LONGEST_REASON)),
        ]
    });
    let mut text = vec!["No verdict was made for these, and they are in no count above.".to_owned()];
    text.extend(left_out(&summary.damaged));
    let table = Table { caption: String::new(), columns, rows: rows.collect() };
    Section { title: "Damaged".to_owned(), text, body: vec![table.render()], ..Section::default() }
}

fn rows_section(report: &Report) -> Section {
    let columns = vec![
        Column::text("round"),
        Column::text("scene"),
        Column::text("rules"),
        Column::text("outcome"),
        Column::text("stop"),
        Column::number("reported (m)"),
        Column::text("ground truth"),
        Column::text("reasons"),
        Column::number("discrepancy (m)"),
        Column::number("budget (m)"),
        Column::text("findings"),
    ];
    let (shown, all) = (report.first_rows.len(), report.summary.rows);
    let text = if shown < all {
        format!("The first {shown} of {all} rows; ledger.csv and ledger.parquet hold all, with every column.")
    } else {
        format!("{}; ledger.csv and ledger.parquet hold them with every column.", count(all, "row"))
    };
    let body = vec![details("Rows", columns, report.first_rows.iter().map(row).collect())];
    Section { title: "Rows".to_owned(), text: vec![text], body, ..Section::default() }
}

fn row(row: &Row) -> Vec<Cell> {
    let text = |value: &Option<String>| name(value.as_deref().unwrap_or("–"));
    let stop = match (&row.party_a, &row.party_b) {
        (Some(a), Some(b)) => name(&format!("{a} / {b}")),
        (Some(a), None) => name(a),
        _ => Cell::text("–"),
    };
    let is_stop = row.gt_verdict.is_some();
    // Where there is a stop, a number that is missing is unknown; elsewhere there is nothing to know.
    let number = |value: Option<f64>| match value {
        Some(m) => Cell::text(length(m)),
        None if is_stop => Cell::number(None, 0),
        None => Cell::text("–"),
    };
    let round = row.round_id.as_deref().or(row.round_path.as_deref()).unwrap_or("–");
    let generated = if row.generated == Some(true) { " (generated)" } else { "" };
    vec![
        name(&format!("{round}{generated}")),
        text(&row.scene),
        text(&row.rule_set),
        row.outcome.as_deref().map_or_else(|| Cell::text("damaged"), name),
        stop,
        number(row.min_distance_m),
        text(&row.gt_verdict),
        text(&row.reason_ids),
        number(row.discrepancy_m),
        number(row.admissible_gap_m),
        Cell::text(short(row.findings.as_deref().or(row.damage.as_deref()).unwrap_or("–"), LONGEST_REASON)),
    ]
}

fn left_out<T>(list: &Listed<T>) -> Option<String> {
    let left = list.left_out();
    (left > 0).then(|| format!("The first {} of {}; the ledger holds all.", list.first.len(), list.total))
}

fn name(text: &str) -> Cell {
    Cell::text(short(text, LONGEST))
}

/// A text of at most this many characters.
fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{cut}…")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::page::tests::assert_well_formed;
    use rollcheck_eval::ledger::counting::Counting;
    use rollcheck_eval::ledger::row::{JUDGED, damaged_round};

    fn report(rounds: &[Vec<Row>], rules: &[RuleSet]) -> Report {
        let mut counting = Counting::new("1.2.3", rules, false);
        for rows in rounds {
            counting.add(rows);
        }
        let files = ["a", "b", "c"].map(std::path::PathBuf::from);
        Report { summary: counting.finish(), first_rows: rounds.concat(), reused: 0, files }
    }

    fn row(name: &str, rules: RuleSet, generated: bool) -> Row {
        let text = |t: &str| Some(t.to_owned());
        Row {
            round_path: text(name),
            round_id: text(name),
            scene: text(name),
            status: text(JUDGED),
            rule_set: text(rules.name()),
            generated: Some(generated),
            outcome: text("estop-collision-unadjudicated"),
            gt_verdict: text("unadjudicated"),
            reason_ids: text("R9+R8"),
            party_a: text(name),
            comparison: text(name),
            budget_source: text(name),
            budget_rule: text(name),
            admissible_gap_m: Some(if rules == RuleSet::Extended { 0.1 } else { 0.02 }),
            discrepancy_m: Some(0.06),
            findings: text(name),
            changed: Some(true),
            recorded_outcome: text(name),
            ..Row::default()
        }
    }

    #[test]
    fn names_of_strangers_are_escaped_and_cut_everywhere() {
        let evil = "<script>alert(\"1\")</script>".to_owned() + &"x".repeat(5000);
        let rows = |generated| RuleSet::ALL.map(|rules| row(&evil, rules, generated)).to_vec();
        let rounds = [rows(false), rows(true), vec![damaged_round(&evil, "1", &evil)]];
        let html = page(&report(&rounds, &RuleSet::ALL));
        assert_well_formed(&html);
        assert!(!html.contains("<script") && !html.contains(&"x".repeat(LONGEST_REASON)));
        for words in [
            "Recorded rounds, documented rules",
            "Generated rounds, extended rules",
            "What the rule sets change, recorded rounds",
            "Against recorded verdicts",
            "40.0 mm beyond",
        ] {
            assert!(html.contains(words), "{words}");
        }
        assert!(!html.contains("generated data: not evidence"), "some of it is recorded");
    }

    #[test]
    fn nothing_judged_is_still_a_page() {
        for rounds in [vec![], vec![vec![damaged_round("r", "1", "torn")]]] {
            let html = page(&report(&rounds, &[RuleSet::Documented]));
            assert_well_formed(&html);
            assert_eq!(html.contains("torn"), !rounds.is_empty());
        }
    }
}
