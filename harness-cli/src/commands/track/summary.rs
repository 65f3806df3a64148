//! What `track fit` prints: every fitted value beside its default, and what stands behind the tests.

use crate::printer::{Render, table};
use rollcheck_engine::constants::{BETA, LEAK, NBINS_ALIGN, PI, TRACK_ADVANCE_SET, TRACK_TAU};
use rollcheck_engine::track::TrackParameters;
use rollcheck_engine::when::NullBank;
use rollcheck_engine::when::pooling::PoolLevel;
use rollcheck_models::fit::{FitReport, Gain};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A finished fit.
#[derive(Clone, Debug)]
pub struct FitResult {
    /// What was fitted.
    pub parameters: TrackParameters,
    /// How well.
    pub report: FitReport,
}

/// Cells at each pooling level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Levels {
    cell: usize,
    task: usize,
    all: usize,
}

impl Levels {
    fn of(levels: impl IntoIterator<Item = PoolLevel>) -> Self {
        levels.into_iter().fold(Self::default(), |mut counts, level| {
            match level {
                PoolLevel::Cell => counts.cell += 1,
                PoolLevel::Task => counts.task += 1,
                PoolLevel::All => counts.all += 1,
            }
            counts
        })
    }

    fn json(self) -> Value {
        json!({"cell": self.cell, "task": self.task, "all": self.all})
    }
}

impl FitResult {
    fn banks(&self) -> [(&'static str, &NullBank); 3] {
        let banks = &self.parameters.banks;
        [("basin", &banks.basin), ("progress", &banks.progress), ("evidence", &banks.evidence)]
    }

    fn levels(&self, bank: &NullBank) -> Levels {
        let prepared = bank.prepare();
        let cells =
            self.parameters.basin.tasks().iter().flat_map(|&task| (0..NBINS_ALIGN).map(move |b| (task, b)));
        Levels::of(cells.map(|(task, bin)| prepared.support(task, bin).1))
    }

    fn basin_levels(&self) -> Levels {
        Levels::of(self.parameters.basin.cells().iter().map(|cell| cell.level))
    }

    /// Least and greatest certified radius, rad.
    fn radii(&self) -> Option<(f64, f64)> {
        let radii = || self.parameters.basin.cells().iter().map(|cell| cell.radius_rad);
        Some((radii().reduce(f64::min)?, radii().reduce(f64::max)?))
    }
}

impl Render for FitResult {
    fn json(&self) -> Value {
        let p = &self.parameters;
        let banks: serde_json::Map<String, Value> = self
            .banks()
            .into_iter()
            .map(|(name, bank)| {
                (name.to_owned(), json!({"samples": bank.len(), "levels": self.levels(bank).json()}))
            })
            .collect();
        json!({"track": {
            "graph_hash": p.graph.as_str(),
            "head_hash": p.head.as_str(),
            "advance_set": TRACK_ADVANCE_SET,
            "pi": p.advance.pi,
            "beta": p.advance.beta,
            "leak": {"fitted": p.leak, "used": LEAK},
            "tau": p.tau,
            "fit": self.report,
            "banks": banks,
            "basin": {
                "levels": self.basin_levels().json(),
                "radius_rad": self.radii().map(|(least, most)| json!({"min": least, "max": most})),
            },
        }})
    }

    fn text(&self) -> String {
        let (p, r) = (&self.parameters, &self.report);
        let mut text = format!("fitted on {} replays, {} checks\n\n", r.replays, r.checks);
        text += &table(
            &["advance (frames)", "pi", "unfitted"],
            (0..PI.len()).map(|i| {
                vec![
                    TRACK_ADVANCE_SET[i].to_string(),
                    format!("{:.3}", p.advance.pi[i]),
                    format!("{:.2}", PI[i]),
                ]
            }),
        );
        text.push('\n');
        let row = |name: &str, value: String, default: String, gain: &Gain| {
            let (fitted, unfitted) = (format!("{:.4}", gain.fitted), format!("{:.4}", gain.default));
            vec![name.to_owned(), value, default, fitted, unfitted]
        };
        text += &table(
            &["", "fitted", "unfitted", "mean log likelihood", "of the unfitted"],
            [
                row("pi", format!("{} rounds", r.em_rounds), "as above".to_owned(), &r.pi),
                row("temperature", p.tau.to_string(), TRACK_TAU.to_string(), &r.tau),
                row("beta", p.advance.beta.to_string(), BETA.to_string(), &r.beta),
                row("leak", p.leak.to_string(), LEAK.to_string(), &r.leak),
            ],
        );
        let _ = writeln!(
            text,
            "\ntemperature: mean log belief in the true phase bin; the others: log predictive likelihood\n\
                 the filter runs with temperature {} and leak {LEAK}; the fitted leak {} is kept beside it\n",
            p.tau, p.leak
        );
        let row = |name: &str, samples: String, levels: Levels| {
            let Levels { cell, task, all } = levels;
            vec![name.to_owned(), samples, cell.to_string(), task.to_string(), all.to_string()]
        };
        let mut rows: Vec<_> = self
            .banks()
            .into_iter()
            .map(|(name, bank)| row(name, bank.len().to_string(), self.levels(bank)))
            .collect();
        let samples: usize =
            p.basin.cells().iter().filter(|c| c.level == PoolLevel::Cell).map(|c| c.count).sum();
        rows.push(row("radii", samples.to_string(), self.basin_levels()));
        text += &table(&["null bank", "samples", "own cells", "pooled by task", "pooled over all"], rows);
        match self.radii() {
            Some((least, most)) => {
                let _ = writeln!(text, "\ncertified radii {least:.4} to {most:.4} rad");
            }
            None => text += "\ncertified radii unknown: no demo has another of its task beside it\n",
        }
        text
    }
}
