//! A folder's artifacts, read in the order of use; each is checked against the one before it.

use super::training::TrainingSummary;
use crate::error::CliError;
use rollcheck_engine::graph::{DemoGraph, files as graph_files};
use rollcheck_engine::recovery::{SentinelModel, SentinelSettings};
use rollcheck_engine::track::{TrackParameters, file as track_file};
use rollcheck_engine::when::RuleSettings;
use rollcheck_models::head::{Head, files as head_files};
use rollcheck_models::split::Split;
use std::path::Path;
use std::sync::Arc;

/// Graph and head.
#[derive(Clone, Debug)]
pub struct TrainedHead {
    /// The head, which holds its graph.
    pub head: Arc<Head>,
    /// How it was trained.
    pub training: TrainingSummary,
    /// The split of the seed that it was trained with.
    pub split: Split,
}

impl TrainedHead {
    /// Reads both from a folder.
    ///
    /// # Errors
    /// [`CliError::Graph`], [`CliError::Head`], [`CliError::Summary`].
    pub fn read(folder: &Path) -> Result<Self, CliError> {
        let graph = Arc::new(graph_files::read(folder)?);
        let path = folder.join(head_files::HEAD_FILE);
        let (weights, summary) = head_files::read(&path, graph.hash())?;
        let training = TrainingSummary::from_json(&summary)
            .map_err(|reason| CliError::Summary { file: path.display().to_string(), reason })?;
        let split = Split::new(&graph, training.seed);
        Ok(Self { head: Arc::new(Head::new(graph, weights)?), training, split })
    }

    /// The graph.
    pub fn graph(&self) -> &Arc<DemoGraph> {
        self.head.graph()
    }
}

/// Graph, head and filter.
#[derive(Clone, Debug)]
pub struct Artifacts {
    /// Graph and head.
    pub trained: TrainedHead,
    /// What was fitted.
    pub parameters: Arc<TrackParameters>,
}

impl Artifacts {
    /// Reads all three from a folder.
    ///
    /// # Errors
    /// As [`TrainedHead::read`], and [`CliError::Track`].
    pub fn read(folder: &Path) -> Result<Self, CliError> {
        let trained = TrainedHead::read(folder)?;
        let parameters = track_file::read(folder, trained.graph().hash(), trained.head.hash())?;
        Ok(Self { trained, parameters: Arc::new(parameters) })
    }

    /// The sentinel under a rule, with the default filter.
    ///
    /// # Errors
    /// [`CliError::Recovery`].
    pub fn model(&self, rule: RuleSettings) -> Result<SentinelModel, CliError> {
        let (graph, parameters) = (Arc::clone(self.trained.graph()), Arc::clone(&self.parameters));
        Ok(SentinelModel::new(graph, parameters, SentinelSettings::new(rule))?)
    }
}
