//! A training run that was interrupted: weights, moments, best weights so far, settings.
//!
//! An epoch's windows depend on seed and epoch alone, so a resumed run ends with the same weights.

use super::error::TrainError;
use super::trainer::{EpochReport, TrainConfig};
use rollcheck_engine::store::arrays::{Arrays, Data, Dim};
use rollcheck_engine::store::{GraphHash, npz};
use std::path::Path;

/// File name inside the output folder.
pub const CHECKPOINT_FILE: &str = "g_head.checkpoint.npz";

/// The state after a whole number of epochs.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    pub(super) weights: Vec<f32>,
    pub(super) best: Vec<f32>,
    pub(super) average: Vec<f32>,
    pub(super) first: Vec<f32>,
    pub(super) second: Vec<f32>,
    pub(super) steps: u64,
    pub(super) reports: Vec<EpochReport>,
    pub(super) settings: String,
}

impl Checkpoint {
    /// Epochs done.
    pub fn epochs(&self) -> usize {
        self.reports.len()
    }

    /// Writes the state, atomically.
    ///
    /// # Errors
    /// [`TrainError::Store`].
    pub fn write(&self, path: &Path, graph: &GraphHash) -> Result<(), TrainError> {
        let mut arrays = Arrays::new(CHECKPOINT_FILE);
        let vectors = [&self.weights, &self.average, &self.best, &self.first, &self.second];
        for (name, values) in VECTORS.into_iter().zip(vectors) {
            arrays.push(name, &[values.len()], Data::F32(values.clone()));
        }
        arrays.push("steps", &[], Data::I64(vec![self.steps as i64]));
        let reports = serde_json::to_string(&self.reports).unwrap_or_default();
        arrays.push_text("reports", reports);
        arrays.push_text("settings", self.settings.clone());
        graph.stamp(&mut arrays);
        npz::write(path, &arrays)?;
        Ok(())
    }

    /// Reads a state made for this graph and these settings.
    ///
    /// # Errors
    /// [`TrainError::Store`] for an unreadable file or another graph, [`TrainError::OtherRun`] for other
    /// settings.
    pub fn read(
        path: &Path,
        graph: &GraphHash,
        config: &TrainConfig,
        len: usize,
    ) -> Result<Self, TrainError> {
        let arrays = npz::read(path)?;
        graph.verify(&arrays)?;
        let settings = arrays.text("settings")?.to_owned();
        let ours = config.fingerprint();
        if settings != ours {
            return Err(other_run(path, &ours, &settings));
        }
        let vector = |name: &str| arrays.f32(name, &[Dim::Is(len)]).map(<[f32]>::to_vec);
        let [weights, average, best, first, second] = VECTORS;
        let steps = arrays.i64("steps", &[])?[0];
        let reports: Vec<EpochReport> = serde_json::from_str(arrays.text("reports")?)
            .map_err(|e| arrays.value_error("reports", 0, "epoch reports as JSON", e))?;
        let expected = config.steps(reports.len());
        if usize::try_from(steps).ok() != Some(expected) {
            let expected = format!("{expected} for {} epochs", reports.len());
            return Err(arrays.value_error("steps", 0, expected, steps).into());
        }
        Ok(Self {
            weights: vector(weights)?,
            average: vector(average)?,
            best: vector(best)?,
            first: vector(first)?,
            second: vector(second)?,
            steps: expected as u64,
            reports,
            settings,
        })
    }
}

/// Names the first setting in which two runs differ.
fn other_run(path: &Path, ours: &str, theirs: &str) -> TrainError {
    let pair = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
    let (ours, theirs) = pair.unwrap_or((ours, theirs));
    let (field, expected) = ours.split_once(' ').unwrap_or(("settings", ours));
    let found = theirs.strip_prefix(field).map_or(theirs, str::trim_start);
    TrainError::OtherRun {
        file: path.display().to_string(),
        field: field.to_owned(),
        expected: expected.to_owned(),
        found: found.to_owned(),
    }
}

const VECTORS: [&str; 5] = ["weights", "average", "best", "first_moment", "second_moment"];
