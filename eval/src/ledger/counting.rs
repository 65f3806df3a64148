//! From rows to the counts of [`super::summary`].
//!
//! Rounds are added in order, each with all its rows ([`Counting::add`]); memory does not grow with their number. Generated
//! rounds are never counted among the recorded ones. A round of which nobody knows where it is from counts in neither.
//!
//! Lengths in metres.

use super::columns::Row;
use super::row::DAMAGED;
use super::summary::{
    Agreement, Between, BudgetUse, Change, Damage, Disagreement, Listed, MAX_STOPS, Part, ReasonCount,
    RulePart, SceneName, Side, StopPoint, Summary, reason_words,
};
use crate::adjudication::outcome::{GroundTruthVerdict, Outcome};
use crate::adjudication::rules::RuleSet;
use crate::rounds::layout::MATRIX;
use indexmap::IndexMap;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Rounds while they are counted.
#[derive(Debug)]
pub struct Counting {
    summary: Summary,
    recorded: PartCounting,
    generated: PartCounting,
}

#[derive(Debug, Default)]
struct PartCounting {
    part: Part,
    rules: Vec<RuleCounting>,
    between: Between,
}

#[derive(Debug)]
struct RuleCounting {
    rules: RuleSet,
    outcomes: BTreeMap<(usize, String), [usize; Outcome::ALL.len()]>,
    stops: BTreeMap<String, usize>,
    reasons: BTreeMap<String, usize>,
    /// By source and rule.
    budgets: BTreeMap<(Option<String>, String), GapRange>,
    comparisons: BTreeMap<String, usize>,
    agreement: Agreement,
    measured: usize,
    nearest: Vec<StopPoint>,
}

/// Stops, and the least and greatest of their budgets, m.
#[derive(Clone, Copy, Debug, Default)]
struct GapRange {
    stops: usize,
    least_m: Option<f64>,
    greatest_m: Option<f64>,
}

impl GapRange {
    fn add(&mut self, gap_m: Option<f64>) {
        self.stops += 1;
        if let Some(gap_m) = gap_m {
            self.least_m = Some(self.least_m.map_or(gap_m, |least| least.min(gap_m)));
            self.greatest_m = Some(self.greatest_m.map_or(gap_m, |greatest| greatest.max(gap_m)));
        }
    }
}

impl Counting {
    /// Nothing yet.
    pub fn new(tool_version: &str, rule_sets: &[RuleSet], from_recorded: bool) -> Self {
        let part = |origin| PartCounting {
            part: Part { origin, ..Part::default() },
            rules: rule_sets.iter().map(|&rules| RuleCounting::new(rules)).collect(),
            between: Between::default(),
        };
        Self {
            summary: Summary {
                tool_version: tool_version.to_owned(),
                rule_sets: rule_sets.to_vec(),
                from_recorded,
                rounds: 0,
                scenes: 0,
                judged_scenes: 0,
                rows: 0,
                recorded: None,
                generated: None,
                damaged: Listed::default(),
            },
            recorded: part("recorded"),
            generated: part("generated: not evidence"),
        }
    }

    /// Adds all rows of a round.
    pub fn add(&mut self, rows: &[Row]) {
        let summary = &mut self.summary;
        summary.rounds += 1;
        summary.rows += rows.len();
        let generated = rows.iter().find_map(|row| row.generated);
        let (mut part, origin) = match generated {
            Some(true) => (Some(&mut self.generated), "generated"),
            Some(false) => (Some(&mut self.recorded), "recorded"),
            None => (None, "unknown"),
        };
        if let Some(counting) = part.as_deref_mut() {
            counting.part.rounds += 1;
        }
        for of_scene in rows.chunk_by(|a, b| a.scene == b.scene) {
            let Some(first) = of_scene.first() else { continue };
            let damaged = first.status.as_deref() == Some(DAMAGED);
            if damaged {
                summary.damaged.push(Damage {
                    round_path: first.round_path.clone().unwrap_or_default(),
                    scene: first.scene.clone(),
                    origin,
                    damage: first.damage.clone().unwrap_or_default(),
                });
            }
            if first.scene.is_some() {
                summary.scenes += 1;
                summary.judged_scenes += usize::from(!damaged);
                if let Some(counting) = part.as_deref_mut() {
                    counting.add_scene(of_scene, damaged);
                }
            }
        }
    }

    /// What it comes to.
    pub fn finish(self) -> Summary {
        let Self { summary, recorded, generated } = self;
        Summary { recorded: recorded.finish(), generated: generated.finish(), ..summary }
    }
}

impl PartCounting {
    fn add_scene(&mut self, rows: &[Row], damaged: bool) {
        self.part.scenes += 1;
        self.part.damaged_scenes += usize::from(damaged);
        let of_rules = |rules: RuleSet| rows.iter().find(|row| row.rule_set.as_deref() == Some(rules.name()));
        for counting in &mut self.rules {
            if let Some(row) = of_rules(counting.rules) {
                counting.add(row);
            }
        }
        if let [Some(documented), Some(extended)] = RuleSet::ALL.map(of_rules) {
            self.between.add(documented, extended);
        }
    }

    fn finish(self) -> Option<Part> {
        if self.part.rounds == 0 {
            return None;
        }
        let both = self.rules.len() > 1;
        Some(Part {
            by_rules: self.rules.into_iter().map(RuleCounting::finish).collect(),
            between_rules: both.then_some(self.between),
            ..self.part
        })
    }
}

impl Between {
    fn add(&mut self, documented: &Row, extended: &Row) {
        self.compared += 1;
        self.outcomes += usize::from(documented.outcome != extended.outcome);
        self.verdicts += usize::from(documented.gt_verdict != extended.gt_verdict);
        let sides = [side(documented), side(extended)];
        if sides[0] != sides[1] {
            let [documented_side, extended_side] = sides;
            self.changes.push(Change {
                scene: scene_name(documented),
                documented: documented_side,
                extended: extended_side,
            });
        }
    }
}

fn side(row: &Row) -> Side {
    Side {
        outcome: row.outcome.clone().unwrap_or_default(),
        gt_verdict: row.gt_verdict.clone(),
        reason_ids: row.reason_ids.clone(),
        admissible_gap_m: row.admissible_gap_m,
        budget_rule: row.budget_rule.clone(),
    }
}

fn scene_name(row: &Row) -> SceneName {
    SceneName {
        round_path: row.round_path.clone().unwrap_or_default(),
        round_id: row.round_id.clone().unwrap_or_default(),
        scene: row.scene.clone().unwrap_or_default(),
    }
}

impl RuleCounting {
    fn new(rules: RuleSet) -> Self {
        Self {
            rules,
            outcomes: BTreeMap::new(),
            stops: BTreeMap::new(),
            reasons: BTreeMap::new(),
            budgets: BTreeMap::new(),
            comparisons: BTreeMap::new(),
            agreement: Agreement::default(),
            measured: 0,
            nearest: Vec::new(),
        }
    }

    fn add(&mut self, row: &Row) {
        let key = row.scene.clone().unwrap_or_default();
        let place = MATRIX.iter().position(|scene| scene.key == key).unwrap_or(MATRIX.len());
        let counts = self.outcomes.entry((place, key)).or_default();
        let outcome = Outcome::ALL.iter().position(|outcome| row.outcome.as_deref() == Some(outcome.name()));
        if let Some(count) = outcome.and_then(|outcome| counts.get_mut(outcome)) {
            *count += 1;
        }
        self.add_agreement(row);
        if let Some(verdict) = &row.gt_verdict {
            self.add_stop(row, verdict);
        }
    }

    fn add_stop(&mut self, row: &Row, verdict: &str) {
        let unadjudicated = verdict == GroundTruthVerdict::Unadjudicated.name();
        *self.stops.entry(verdict.to_owned()).or_default() += 1;
        if unadjudicated {
            *self.reasons.entry(row.reason_ids.clone().unwrap_or_default()).or_default() += 1;
        }
        *self.comparisons.entry(row.comparison.clone().unwrap_or_default()).or_default() += 1;
        let budget = (row.budget_source.clone(), row.budget_rule.clone().unwrap_or_default());
        self.budgets.entry(budget).or_default().add(row.admissible_gap_m);
        if let (Some(discrepancy_m), Some(admissible_gap_m)) = (row.discrepancy_m, row.admissible_gap_m) {
            self.add_point(StopPoint {
                scene: scene_name(row),
                gt_verdict: verdict.to_owned(),
                comparison: row.comparison.clone().unwrap_or_default(),
                discrepancy_m,
                admissible_gap_m,
                budget_source: row.budget_source.clone().unwrap_or_default(),
            });
        }
    }

    fn add_point(&mut self, point: StopPoint) {
        self.measured += 1;
        let order = |a: &StopPoint, b: &StopPoint| -> Ordering {
            a.margin_m().abs().total_cmp(&b.margin_m().abs()).then_with(|| a.scene.cmp(&b.scene))
        };
        let at = self.nearest.partition_point(|kept| order(kept, &point) != Ordering::Greater);
        if at < MAX_STOPS {
            self.nearest.insert(at, point);
            self.nearest.truncate(MAX_STOPS);
        }
    }

    fn add_agreement(&mut self, row: &Row) {
        let (Some(changed), Some(recorded)) = (row.changed, &row.recorded_outcome) else { return };
        self.agreement.compared += 1;
        if !changed {
            self.agreement.same += 1;
            return;
        }
        self.agreement.changed.push(Disagreement {
            scene: scene_name(row),
            recorded_outcome: recorded.clone(),
            recorded_gt_verdict: row.recorded_gt_verdict.clone(),
            outcome: row.outcome.clone().unwrap_or_default(),
            gt_verdict: row.gt_verdict.clone(),
        });
    }

    fn finish(self) -> RulePart {
        let mut in_all = [0; Outcome::ALL.len()];
        for counts in self.outcomes.values() {
            in_all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        }
        let named = |counts: &[usize]| -> IndexMap<&'static str, usize> {
            let named = Outcome::ALL.iter().map(|outcome| outcome.name()).zip(counts.iter().copied());
            named.filter(|(_, count)| *count > 0).collect()
        };
        let verdicts = [
            GroundTruthVerdict::RealContact,
            GroundTruthVerdict::FalsePositive,
            GroundTruthVerdict::WithinQuantization,
            GroundTruthVerdict::Unadjudicated,
        ];
        let stops = verdicts.map(|verdict| (verdict.name(), self.stops.get(verdict.name()).copied()));
        let reason = |(ids, stops): (String, usize)| ReasonCount { words: reason_words(&ids), ids, stops };
        let budget = |((source, rule), range): ((Option<String>, String), GapRange)| BudgetUse {
            source,
            rule,
            stops: range.stops,
            min_gap_m: range.least_m,
            max_gap_m: range.greatest_m,
        };
        RulePart {
            rule_set: self.rules,
            outcomes_in_all: named(&in_all),
            outcomes: self.outcomes.into_iter().map(|((_, scene), counts)| (scene, named(&counts))).collect(),
            stops: stops.into_iter().filter_map(|(name, count)| Some((name, count?))).collect(),
            reasons: self.reasons.into_iter().map(reason).collect(),
            budgets: self.budgets.into_iter().map(budget).collect(),
            comparisons: self.comparisons.into_iter().collect(),
            agreement: self.agreement,
            measured_stops: self.measured,
            nearest_to_budget: self.nearest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::row::{JUDGED, damaged_round};
    use crate::ledger::summary::MAX_LISTED;

    fn row(round: &str, scene: &str, rules: RuleSet) -> Row {
        let text = |t: &str| Some(t.to_owned());
        Row {
            round_path: text(round),
            round_id: text(round),
            scene: text(scene),
            status: text(JUDGED),
            rule_set: text(rules.name()),
            generated: Some(false),
            outcome: text("estop-collision-unadjudicated"),
            gt_verdict: text("unadjudicated"),
            comparison: text("arm-world"),
            reason_ids: text("R9+R8"),
            budget_source: text("grid-quantization"),
            budget_rule: text("10.5 voxel term alone"),
            admissible_gap_m: Some(0.02),
            discrepancy_m: Some(0.06),
            ..Row::default()
        }
    }

    fn count(rounds: &[Vec<Row>], rules: &[RuleSet]) -> Summary {
        let mut counting = Counting::new("1", rules, false);
        for rows in rounds {
            counting.add(rows);
        }
        counting.finish()
    }

    #[test]
    fn generated_rounds_are_counted_apart_and_unknown_ones_in_neither() {
        let recorded = row("a", "fridge", RuleSet::Documented);
        let generated = Row { generated: Some(true), ..row("b", "fridge", RuleSet::Documented) };
        let rounds = [vec![recorded.clone(), Row { scene: Some("utensil".into()), ..recorded }]];
        let more = [vec![generated], vec![damaged_round("c", "1", "torn")]];
        let all = [&rounds[..], &more].concat();
        let summary = count(&all, &[RuleSet::Documented]);
        assert_eq!((summary.rounds, summary.scenes, summary.judged_scenes, summary.rows), (3, 3, 3, 4));
        let (recorded, generated) = (summary.recorded.unwrap(), summary.generated.unwrap());
        assert_eq!((recorded.rounds, recorded.scenes, generated.rounds, generated.scenes), (1, 2, 1, 1));
        assert_eq!(generated.origin, "generated: not evidence");
        assert_eq!(recorded.by_rules[0].outcomes_in_all["estop-collision-unadjudicated"], 2);
        assert_eq!(summary.damaged.first[0].origin, "unknown");
        assert_eq!(count(&rounds, &[RuleSet::Documented]).generated, None);
    }

    #[test]
    fn scenes_stand_in_matrix_order_and_outcomes_in_theirs() {
        let mut done = row("b", "utensil", RuleSet::Documented);
        done.outcome = Some("completed".into());
        (done.gt_verdict, done.discrepancy_m) = (None, None);
        let rounds = [
            vec![row("a", "utensil", RuleSet::Documented)],
            vec![row("b", "baguette", RuleSet::Documented), done],
        ];
        let part = count(&rounds, &[RuleSet::Documented]).recorded.unwrap().by_rules.remove(0);
        assert_eq!(part.outcomes.keys().collect::<Vec<_>>(), ["baguette", "utensil"]);
        let utensil: Vec<_> = part.outcomes["utensil"].iter().collect();
        assert_eq!(utensil, [(&"completed", &1), (&"estop-collision-unadjudicated", &1)]);
        assert_eq!(part.stops["unadjudicated"], 2);
        assert_eq!(
            part.reasons[0].words,
            "the probe's distances are not certified; beyond the voxel term, which is only a lower bound"
        );
        assert_eq!((part.budgets[0].stops, part.budgets[0].min_gap_m), (2, Some(0.02)));
    }

    #[test]
    fn what_rules_change_is_listed_with_both_sides() {
        let documented = row("a", "fridge", RuleSet::Documented);
        let mut extended = row("a", "fridge", RuleSet::Extended);
        let same = count(&[vec![documented.clone(), extended.clone()]], &RuleSet::ALL);
        assert_eq!(same.recorded.unwrap().between_rules.unwrap().changes.total, 0);
        extended.admissible_gap_m = Some(0.1);
        let summary = count(&[vec![documented, extended]], &RuleSet::ALL);
        assert_eq!((summary.scenes, summary.rows), (1, 2));
        let between = summary.recorded.unwrap().between_rules.unwrap();
        assert_eq!((between.compared, between.outcomes, between.changes.total), (1, 0, 1));
        assert_eq!(between.changes.first[0].extended.admissible_gap_m, Some(0.1));
    }

    #[test]
    fn lists_are_bounded_and_keep_the_stops_nearest_to_their_budget() {
        let mut counting = Counting::new("1", &[RuleSet::Documented], false);
        for n in 0..2 * MAX_LISTED {
            let mut row = row(&format!("{n:04}"), "fridge", RuleSet::Documented);
            row.discrepancy_m = Some(0.02 + ((n * 7919) % 1000) as f64 / 1000.0);
            (row.changed, row.recorded_outcome) = (Some(true), Some("completed".into()));
            counting.add(&[row]);
        }
        let part = counting.finish().recorded.unwrap().by_rules.remove(0);
        assert_eq!((part.measured_stops, part.nearest_to_budget.len()), (2 * MAX_LISTED, MAX_STOPS));
        assert!(part.nearest_to_budget.is_sorted_by(|a, b| a.margin_m().abs() <= b.margin_m().abs()));
        assert_eq!(part.nearest_to_budget[0].margin_m(), 0.0);
        let changed = &part.agreement.changed;
        assert_eq!((part.agreement.compared, changed.total, changed.left_out()), (1000, 1000, MAX_LISTED));
    }
}
