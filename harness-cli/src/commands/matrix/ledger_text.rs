//! What a ledger comes to, in words.
//!
//! Names come from files of strangers: control characters are replaced, so that none reaches a terminal.

use crate::printer::{Render, table};
use crate::report::format::{count, gaps, length};
use rollcheck_engine::text::plain;
use rollcheck_eval::ledger::Report;
use rollcheck_eval::ledger::summary::{Agreement, Between, Listed, Part, RulePart, SceneName, Side, Summary};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Entries of a list that are printed; the files hold all.
const SHOWN: usize = 20;

/// A finished ledger and everything that was written.
pub struct LedgerResult<'a> {
    /// The ledger.
    pub report: &'a Report,
    /// The summary as text.
    pub text_file: &'a Path,
    /// The page.
    pub page_file: &'a Path,
}

impl LedgerResult<'_> {
    fn files(&self) -> [(&'static str, &Path); 5] {
        let [parquet, csv, summary] = &self.report.files;
        [
            ("parquet", parquet),
            ("csv", csv),
            ("summary", summary),
            ("text", self.text_file),
            ("page", self.page_file),
        ]
    }
}

impl Render for LedgerResult<'_> {
    fn json(&self) -> Value {
        let files: serde_json::Map<String, Value> = self
            .files()
            .into_iter()
            .map(|(name, path)| (name.to_owned(), path.display().to_string().into()))
            .collect();
        json!({"summary": self.report.summary, "reused_rounds": self.report.reused, "files": files})
    }

    fn text(&self) -> String {
        let mut out = text(&self.report.summary);
        out.push('\n');
        for (name, path) in self.files() {
            let _ = writeln!(out, "{name:<7} -> {}", path.display());
        }
        out
    }
}

/// The summary as text, without the names of files.
pub fn text(summary: &Summary) -> String {
    let mut out = format!(
        "{} named or found, {} of {} judged, {} damaged\n",
        count(summary.rounds, "round"),
        summary.judged_scenes,
        count(summary.scenes, "scene"),
        summary.damaged.total
    );
    if summary.from_recorded {
        out += "evidence that files lack was taken from recorded verdicts.json\n";
    }
    for part in summary.recorded.iter().chain(&summary.generated) {
        part_text(&mut out, part);
    }
    if summary.damaged.total > 0 {
        out += "\ndamaged, with no verdict\n";
        list(&mut out, &summary.damaged, |damage| {
            let scene = damage.scene.as_deref().map(|scene| format!(" [{scene}]")).unwrap_or_default();
            // Most reasons begin with a path of the round themselves.
            let path = if damage.damage.starts_with(&damage.round_path) {
                String::new()
            } else {
                format!("{}: ", damage.round_path)
            };
            format!("{path}{}{scene}", damage.damage)
        });
    }
    out
}

fn part_text(out: &mut String, part: &Part) {
    let (rounds, scenes) = (count(part.rounds, "round"), count(part.scenes, "scene"));
    let _ = writeln!(out, "\n{}: {rounds}, {scenes}", part.origin);
    for rules in &part.by_rules {
        rules_text(out, rules);
    }
    if let Some(between) = &part.between_rules {
        between_text(out, between);
    }
}

fn rules_text(out: &mut String, part: &RulePart) {
    let _ = writeln!(out, "\n{} rules\n", part.rule_set);
    let scenes: Vec<&String> = part.outcomes.keys().collect();
    let header =
        [&["outcome"], &scenes.iter().map(|s| s.as_str()).collect::<Vec<_>>()[..], &["all"]].concat();
    let rows = part.outcomes_in_all.iter().map(|(outcome, all)| {
        let of_scene = |scene: &&String| part.outcomes.get(*scene).and_then(|counts| counts.get(outcome));
        let cells =
            scenes.iter().map(|scene| of_scene(scene).map_or_else(|| "-".to_owned(), ToString::to_string));
        std::iter::once((*outcome).to_owned()).chain(cells).chain([all.to_string()]).collect()
    });
    *out += &table(&header, rows);
    let stops: usize = part.stops.values().sum();
    if stops > 0 {
        let verdicts: Vec<_> = part.stops.iter().map(|(verdict, n)| format!("{n} {verdict}")).collect();
        let compared: Vec<_> = part.comparisons.iter().map(|(what, n)| format!("{n} {what}")).collect();
        let _ = writeln!(out, "\n{}: {}", count(stops, "stop"), verdicts.join(", "));
        let _ = writeln!(out, "compared: {}", compared.join(", "));
        budgets_text(out, part);
    }
    if !part.reasons.is_empty() {
        out.push('\n');
        let rows = part.reasons.iter().map(|r| vec![format!("{}: {}", r.ids, r.words), r.stops.to_string()]);
        *out += &table(&["not adjudicated", "stops"], rows);
    }
    agreement_text(out, &part.agreement);
}

fn budgets_text(out: &mut String, part: &RulePart) {
    out.push('\n');
    let rows = part.budgets.iter().map(|budget| {
        let source = budget.source.clone().unwrap_or_else(|| "unknown".to_owned());
        vec![budget.rule.clone(), source, budget.stops.to_string(), gaps(budget.min_gap_m, budget.max_gap_m)]
    });
    *out += &table(&["gap budget", "source", "stops", "gap (m)"], rows);
}

fn agreement_text(out: &mut String, agreement: &Agreement) {
    if agreement.compared == 0 {
        return;
    }
    let _ = writeln!(
        out,
        "\nagainst recorded verdicts: {} compared, {} the same, {} changed",
        count(agreement.compared, "scene"),
        agreement.same,
        agreement.changed.total
    );
    list(out, &agreement.changed, |change| {
        let now = both(&change.outcome, change.gt_verdict.as_deref());
        let recorded = both(&change.recorded_outcome, change.recorded_gt_verdict.as_deref());
        format!("{}: {recorded} -> {now}", name(&change.scene))
    });
}

fn between_text(out: &mut String, between: &Between) {
    let _ = writeln!(
        out,
        "\ndocumented against extended: {} compared, {} with another outcome, {} with another verdict, {} with any \
         difference",
        count(between.compared, "scene"),
        between.outcomes,
        between.verdicts,
        between.changes.total
    );
    list(out, &between.changes, |change| {
        let side = |s: &Side| {
            let gap = s
                .admissible_gap_m
                .map_or_else(|| "unknown".to_owned(), |gap_m| format!("{} m", length(gap_m)));
            let reasons = s.reason_ids.as_deref().map(|ids| format!(", {ids}")).unwrap_or_default();
            format!("{}{reasons}, gap {gap}", both(&s.outcome, s.gt_verdict.as_deref()))
        };
        format!("{}: {} -> {}", name(&change.scene), side(&change.documented), side(&change.extended))
    });
}

fn list<T>(out: &mut String, entries: &Listed<T>, words: impl Fn(&T) -> String) {
    for entry in entries.first.iter().take(SHOWN) {
        let _ = writeln!(out, "  {}", plain::line(&words(entry)));
    }
    let left = entries.total.saturating_sub(SHOWN);
    if left > 0 {
        let _ = writeln!(out, "  and {left} more in the ledger");
    }
}

fn name(scene: &SceneName) -> String {
    format!("{} {}", scene.round_id, scene.scene)
}

/// An outcome, with the verdict where the outcome does not say it.
fn both(outcome: &str, verdict: Option<&str>) -> String {
    match verdict {
        Some(verdict) if !outcome.starts_with("estop-collision-") => format!("{outcome} ({verdict})"),
        _ => outcome.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_stands_beside_an_outcome_that_does_not_say_it() {
        assert_eq!(both("estop-collision-real", Some("real-contact")), "estop-collision-real");
        assert_eq!(both("completed", Some("real-contact")), "completed (real-contact)");
        assert_eq!(both("completed", None), "completed");
    }
}
