//! Training a head and scoring it, with the summary that its file keeps.
//!
//! The summary carries the seed: whoever reads the head makes the same split from it.

use super::artifacts::TrainedHead;
use super::recording::Recording;
use crate::error::CliError;
use rollcheck_engine::graph::DemoGraph;
use rollcheck_engine::when::BasinTable;
use rollcheck_models::audit::{Recorded, Source, Transitions, baselines};
use rollcheck_models::head::{Head, HeadWeights};
use rollcheck_models::split::Split;
use rollcheck_models::train::windows::{Kind, checks, sample};
use rollcheck_models::train::{Checkpoint, EpochReport, Scores, TrainConfig, Trained, metrics, train};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Numbers of demos of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitSizes {
    /// Demos whose windows train the head.
    pub train: usize,
    /// Demos that choose the epoch and fit the filter.
    pub fit: usize,
    /// Demos that only printed figures see.
    pub audit: usize,
}

impl SplitSizes {
    /// The sizes of a split.
    pub fn of(split: &Split) -> Self {
        Self { train: split.train.len(), fit: split.fit.len(), audit: split.audit.len() }
    }
}

/// How a head was trained, as its file keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingSummary {
    /// Seed of the split, the weights and the windows.
    pub seed: u64,
    /// Epochs asked for.
    pub epochs: usize,
    /// Windows of an epoch.
    pub windows_per_epoch: usize,
    /// The epoch whose weights were kept, from 1.
    pub best_epoch: usize,
    /// Demos of each part.
    pub split: SplitSizes,
    /// Every epoch, with its scores on the fit part.
    pub history: Vec<EpochReport>,
}

impl TrainingSummary {
    fn new(config: &TrainConfig, split: &Split, trained: &Trained) -> Self {
        Self {
            seed: config.seed,
            epochs: config.epochs,
            windows_per_epoch: config.windows_per_epoch,
            best_epoch: trained.reports.iter().filter(|r| r.best).map(|r| r.epoch).max().unwrap_or(0),
            split: SplitSizes::of(split),
            history: trained.reports.clone(),
        }
    }

    /// The text that a head's file keeps.
    ///
    /// # Errors
    /// [`CliError::Internal`].
    pub fn to_json(&self) -> Result<String, CliError> {
        serde_json::to_string(self).map_err(|e| CliError::Internal(format!("training summary: {e}")))
    }

    /// The summary of a file.
    ///
    /// # Errors
    /// What the text lacks, in words.
    pub fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }

    /// The kept epoch.
    pub fn best(&self) -> Option<&EpochReport> {
        self.history.iter().find(|r| r.epoch == self.best_epoch)
    }
}

/// Trains a head on the train part of a seed's split.
///
/// `observe` sees every epoch and the state after it; its error stops the run and is given back.
///
/// # Errors
/// [`CliError::Train`], [`CliError::Head`], or what `observe` gave.
pub fn run(
    graph: &Arc<DemoGraph>,
    recording: &Recording,
    config: &TrainConfig,
    resume: Option<Checkpoint>,
    observe: &mut dyn FnMut(&EpochReport, &Checkpoint) -> Result<(), CliError>,
) -> Result<(TrainedHead, HeadWeights), CliError> {
    let split = Split::new(graph, config.seed);
    let table = BasinTable::of_graph(graph, |owner| split.train.contains(&owner), |_| true);
    let bandwidth = |task: i32, bin: usize| table.cell(task, bin).map(|cell| cell.bandwidth_rad);
    let mut failed = None;
    let trained =
        train(graph, &recording.demos, &split, config, &bandwidth, resume, &mut |report, checkpoint| {
            match observe(report, checkpoint) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
    if let Some(error) = failed {
        return Err(error);
    }
    let training = TrainingSummary::new(config, &split, &trained);
    let head = Arc::new(Head::new(Arc::clone(graph), trained.weights.clone())?);
    Ok((TrainedHead { head, training, split }, trained.weights))
}

/// The head beside what needs no head, on the audit split, own strand left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeadScores {
    /// Audit demos.
    pub episodes: usize,
    /// Of every check, memoryless; `None` where no audit demo has a window.
    pub head: Option<Scores>,
    /// The head's expected phase from check to check.
    pub memoryless: Transitions,
    /// Elapsed time over the mean duration of the task's training demos.
    pub clock: Transitions,
    /// Mean phase of the nearest nodes.
    pub knn: Transitions,
}

/// Scores of the head alone, at every check of the audit split; `None` where no audit demo has one.
pub fn head_scores(trained: &TrainedHead, recording: &Recording) -> Option<Scores> {
    let (graph, demos) = (trained.graph(), &recording.demos);
    let at = |owner: usize| checks(demos.episodes()[owner].frames()).map(move |frame| (owner, frame));
    let audit = trained.split.audit.iter().flat_map(|&owner| at(owner));
    // A score does not ask how clean a window is.
    let samples: Vec<_> =
        audit.map(|(owner, frame)| sample(graph, demos, owner, frame, Kind::Moving, &|_, _| None)).collect();
    metrics::score(&trained.head, demos, &samples)
}

/// Scores of the audit split.
pub fn scores(trained: &TrainedHead, recording: &Recording) -> HeadScores {
    let (graph, split, demos) = (trained.graph(), &trained.split, &recording.demos);
    let sources =
        split.audit.iter().map(|&owner| Source::clean(&demos.episodes()[owner], Some(owner))).collect();
    let recorded = Recorded::all(&trained.head, sources);
    let truths: Vec<Vec<f64>> = recorded
        .iter()
        .map(|r| (0..r.source.checks()).map(|c| r.source.phase[Source::judged(c)]).collect())
        .collect();
    let pool = |estimate: &dyn Fn(&Recorded) -> Vec<Option<f64>>| {
        let estimates: Vec<_> = recorded.iter().map(estimate).collect();
        Transitions::pool(estimates.iter().zip(&truths).map(|(e, t)| (e.as_slice(), t.as_slice())))
    };
    HeadScores {
        episodes: recorded.len(),
        head: head_scores(trained, recording),
        memoryless: pool(&|r| baselines::memoryless(graph, r)),
        clock: pool(&|r| baselines::clock(graph, &r.source, |owner| split.train.contains(&owner))),
        knn: pool(&|r| baselines::knn_phase(graph, &r.source)),
    }
}
