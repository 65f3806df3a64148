//! What `head train` and `head eval` print.

use crate::pipeline::training::{HeadScores, TrainingSummary};
use crate::printer::{Render, table};
use crate::report::format::{number, percent};
use rollcheck_models::audit::Transitions;
use rollcheck_models::train::Scores;
use serde_json::{Value, json};

/// A finished run.
#[derive(Clone, Debug)]
pub struct TrainResult {
    /// `head_hash`.
    pub hash: String,
    /// How it went.
    pub training: TrainingSummary,
}

impl Render for TrainResult {
    fn json(&self) -> Value {
        json!({"head": {"hash": self.hash, "training": self.training}})
    }

    fn text(&self) -> String {
        let t = &self.training;
        let held_out = t.best().map(|r| r.held_out);
        let split = format!("{} train, {} fit, {} audit", t.split.train, t.split.fit, t.split.audit);
        let mut rows = vec![
            vec!["seed".to_owned(), t.seed.to_string()],
            vec!["demos".to_owned(), split],
            vec!["epochs".to_owned(), format!("{} of {} windows", t.epochs, t.windows_per_epoch)],
            vec!["kept epoch".to_owned(), t.best_epoch.to_string()],
        ];
        rows.extend(score_rows(held_out.as_ref()));
        format!("head {}\n\n{}", self.hash, table(&["", "fit part, own strand removed"], rows))
    }
}

/// Scores on the audit split.
#[derive(Clone, Debug)]
pub struct EvalResult {
    /// `head_hash`.
    pub hash: String,
    /// The scores.
    pub scores: HeadScores,
}

impl Render for EvalResult {
    fn json(&self) -> Value {
        json!({"head": {"hash": self.hash}, "audit": self.scores})
    }

    fn text(&self) -> String {
        let s = &self.scores;
        let scores = table(&["head", "audit split"], score_rows(s.head.as_ref()));
        let phase =
            [("head, memoryless", &s.memoryless), ("clock", &s.clock), ("nearest neighbours", &s.knn)];
        format!(
            "head {}\n{} audit demos, each without its own strand\n\n{scores}\n{}",
            self.hash,
            s.episodes,
            table(&PHASE_HEADER, phase.map(|(name, t)| phase_row(name, t)))
        )
    }
}

/// Columns of a table of phase estimates.
pub const PHASE_HEADER: [&str; 6] =
    ["estimate", "transitions", "within 0.05", "jump > 0.3", "back > 0.1", "mean error"];

/// One row of such a table.
pub fn phase_row(name: &str, t: &Transitions) -> Vec<String> {
    let share = |share: f64, decimals| percent((t.transitions > 0).then_some(share), decimals);
    vec![
        name.to_owned(),
        t.transitions.to_string(),
        share(t.plausible_share, 1),
        share(t.jump_share, 2),
        share(t.backward_share, 2),
        number((t.checks > 0).then_some(t.phase_mae), 3),
    ]
}

fn score_rows(scores: Option<&Scores>) -> Vec<Vec<String>> {
    let value = |f: fn(&Scores) -> f64| number(scores.map(f), 3);
    let share = |f: fn(&Scores) -> f64| percent(scores.map(f), 1);
    vec![
        vec!["windows".to_owned(), scores.map_or(0, |s| s.windows).to_string()],
        vec!["phase error".to_owned(), value(|s| s.phase_mae)],
        vec!["right phase bin".to_owned(), share(|s| s.bin_accuracy)],
        vec!["negative log likelihood".to_owned(), value(|s| s.negative_log_likelihood)],
        vec!["target node reached".to_owned(), share(|s| s.target_reached)],
    ]
}
