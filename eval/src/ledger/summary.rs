//! What a ledger comes to, as a document: `summary.json`.
//!
//! Lists are bounded: each keeps its first [`MAX_LISTED`] entries and counts the rest. Recorded and generated rounds are
//! parts of their own. Lengths in metres.

use crate::adjudication::rules::RuleSet;
use indexmap::IndexMap;
use serde::Serialize;

/// Entries that a list keeps.
pub const MAX_LISTED: usize = 500;
/// Stops nearest to their budget that are kept.
pub const MAX_STOPS: usize = 60;

/// A list that may be longer than what is kept of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed<T> {
    /// Entries in all.
    pub total: usize,
    /// The first of them.
    pub first: Vec<T>,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self { total: 0, first: Vec::new() }
    }
}

impl<T> Listed<T> {
    /// Adds an entry.
    pub(super) fn push(&mut self, entry: T) {
        self.total += 1;
        if self.first.len() < MAX_LISTED {
            self.first.push(entry);
        }
    }

    /// Entries that are counted but not kept.
    pub fn left_out(&self) -> usize {
        self.total - self.first.len()
    }
}

/// What a ledger comes to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Version of the tool.
    pub tool_version: String,
    /// Rule sets, in order.
    pub rule_sets: Vec<RuleSet>,
    /// Evidence that files lack was taken from recorded verdicts.
    pub from_recorded: bool,
    /// Whatever was named or found: rounds, and what should have been one.
    pub rounds: usize,
    /// Scenes with a row of their own.
    pub scenes: usize,
    /// Of these, judged.
    pub judged_scenes: usize,
    /// Rows.
    pub rows: usize,
    /// Recorded rounds; `None` without any.
    pub recorded: Option<Part>,
    /// Generated rounds, which are no evidence; `None` without any.
    pub generated: Option<Part>,
    /// What could not be read or judged.
    pub damaged: Listed<Damage>,
}

/// Rounds of one origin.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Part {
    /// `recorded`, or `generated: not evidence`.
    pub origin: &'static str,
    /// Readable rounds.
    pub rounds: usize,
    /// Their scenes.
    pub scenes: usize,
    /// Scenes that could not be judged.
    pub damaged_scenes: usize,
    /// What each rule set says.
    pub by_rules: Vec<RulePart>,
    /// What differs between the rule sets, where both were applied.
    pub between_rules: Option<Between>,
}

/// What one rule set says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RulePart {
    /// The rule set.
    pub rule_set: RuleSet,
    /// Count of every outcome that occurs, a scene; scenes in matrix order.
    pub outcomes: IndexMap<String, IndexMap<&'static str, usize>>,
    /// Count of every outcome, all scenes together.
    pub outcomes_in_all: IndexMap<&'static str, usize>,
    /// Stops by what ground truth says.
    pub stops: IndexMap<&'static str, usize>,
    /// Stops that nobody can judge, by reason.
    pub reasons: Vec<ReasonCount>,
    /// Stops by gap budget.
    pub budgets: Vec<BudgetUse>,
    /// Stops by comparison.
    pub comparisons: IndexMap<String, usize>,
    /// Against the verdicts that rounds hold already.
    pub agreement: Agreement,
    /// Stops with a discrepancy and a budget.
    pub measured_stops: usize,
    /// Those nearest to their budget, nearest first.
    pub nearest_to_budget: Vec<StopPoint>,
}

/// A reason and how often it stands alone or in company.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReasonCount {
    /// Ids, as in the column `reason_ids`.
    pub ids: String,
    /// In words.
    pub words: String,
    /// Stops.
    pub stops: usize,
}

/// A gap budget and how often it was used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BudgetUse {
    /// Where it comes from; null is unknown.
    pub source: Option<String>,
    /// How it was arrived at.
    pub rule: String,
    /// Stops.
    pub stops: usize,
    /// Least of them, m.
    pub min_gap_m: Option<f64>,
    /// Greatest of them, m.
    pub max_gap_m: Option<f64>,
}

/// How verdicts compare with recorded ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Agreement {
    /// Scenes with a recorded verdict.
    pub compared: usize,
    /// Of these, the same outcome and verdict.
    pub same: usize,
    /// The others.
    pub changed: Listed<Disagreement>,
}

/// A scene whose verdict is not the recorded one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// Which scene.
    #[serde(flatten)]
    pub scene: SceneName,
    /// Outcome that is recorded.
    pub recorded_outcome: String,
    /// Verdict of ground truth that is recorded.
    pub recorded_gt_verdict: Option<String>,
    /// Outcome now.
    pub outcome: String,
    /// Verdict of ground truth now.
    pub gt_verdict: Option<String>,
}

/// A scene of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SceneName {
    /// The round's folder.
    pub round_path: String,
    /// Its name.
    pub round_id: String,
    /// The scene.
    pub scene: String,
}

/// What differs between the two rule sets.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Between {
    /// Scenes that both rule sets judged.
    pub compared: usize,
    /// Scenes whose outcome differs.
    pub outcomes: usize,
    /// Scenes whose ground truth verdict differs.
    pub verdicts: usize,
    /// Scenes with any difference: outcome, verdict, reasons or budget.
    pub changes: Listed<Change>,
}

/// A scene on which the rule sets differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Which scene.
    #[serde(flatten)]
    pub scene: SceneName,
    /// As documented.
    pub documented: Side,
    /// As extended.
    pub extended: Side,
}

/// What one rule set says of a scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// Outcome.
    pub outcome: String,
    /// Verdict of ground truth.
    pub gt_verdict: Option<String>,
    /// Ids of the reasons.
    pub reason_ids: Option<String>,
    /// Gap budget, m.
    pub admissible_gap_m: Option<f64>,
    /// How it was arrived at.
    pub budget_rule: Option<String>,
}

/// A stop against its budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StopPoint {
    /// Which scene.
    #[serde(flatten)]
    pub scene: SceneName,
    /// What ground truth says.
    pub gt_verdict: String,
    /// What was compared.
    pub comparison: String,
    /// What is to be explained, m.
    pub discrepancy_m: f64,
    /// Gap budget, m.
    pub admissible_gap_m: f64,
    /// Where it comes from.
    pub budget_source: String,
}

impl StopPoint {
    /// From the discrepancy to the budget, m; negative is beyond.
    pub fn margin_m(&self) -> f64 {
        self.admissible_gap_m - self.discrepancy_m
    }
}

/// A round or scene without a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The round's folder.
    pub round_path: String,
    /// The scene; null for a whole round.
    pub scene: Option<String>,
    /// `recorded`, `generated` or `unknown`.
    pub origin: &'static str,
    /// What is wrong.
    pub damage: String,
}

/// Ids of reasons (`R9+R8`) in a few words each.
pub fn reason_words(ids: &str) -> String {
    let words = |id: &str| match id {
        "R1" => "no snapshot was recorded",
        "R2" => "in contact, but perhaps with a visual mesh",
        "R3" => "the probe was cut short, or its coverage is missing",
        "R4" => "two links, and no link was measured against another",
        "R5" => "two links without a gap budget",
        "R6a" => "no gap budget: the monitor received nothing",
        "R6b" => "no gap budget: there is no monitor file",
        "R6c" => "no gap budget: stopped before a voxel grid was seen",
        "R7" => "no probed pair has the tripping party",
        "R8" => "beyond the voxel term, which is only a lower bound",
        "R9" => "the probe's distances are not certified",
        _ => "reason not known to this version",
    };
    ids.split('+').map(words).collect::<Vec<_>>().join("; ")
}
