//! What can go wrong in a command, and which exit code it is.

use crate::exit::Exit;
use rollcheck_engine::demos::DemoError;
use rollcheck_engine::geometry::budget::BudgetError;
use rollcheck_engine::geometry::files::{CloudFileError, KinematicsFileError, MeshFileError, RobotFileError};
use rollcheck_engine::graph::GraphError;
use rollcheck_engine::recovery::RecoveryError;
use rollcheck_engine::store::StoreError;
use rollcheck_engine::track::TrackError;
use rollcheck_eval::guardrails::refusal::Refusal;
use rollcheck_eval::ledger::LedgerError;
use rollcheck_eval::round_ops::import_rules::ImportError;
use rollcheck_eval::rounds::error::RoundError;
use rollcheck_eval::verdict::DocumentError;
use rollcheck_eval::verdict::excerpts::ExcerptError;
use rollcheck_eval::verdict::round::ReadError;
use rollcheck_models::fit::FitError;
use rollcheck_models::head::HeadError;
use rollcheck_models::train::TrainError;
use std::error::Error as _;
use std::io;

/// Why a command did not finish.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CliError {
    /// An argument that parses but cannot be meant.
    #[error("{0}")]
    Usage(String),
    /// Demonstrations that were refused.
    #[error(transparent)]
    Demos(#[from] DemoError),
    /// A graph that cannot be built or read.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A file that cannot be read or written, or that belongs to another graph or head.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A head that cannot be read or used.
    #[error(transparent)]
    Head(#[from] HeadError),
    /// A training run that cannot start or go on.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A head's file without what its training left in it.
    #[error("{file}: array `training`: {reason}")]
    Summary {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// A filter that cannot be fitted.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// Fitted parameters that cannot be read or used.
    #[error(transparent)]
    Track(#[from] TrackError),
    /// A start pose or an episode that cannot be judged.
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
    /// A robot manifest that gives no collision model.
    #[error(transparent)]
    Robot(#[from] RobotFileError),
    /// A mesh file that gives no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshFileError),
    /// A description that gives no kinematics.
    #[error(transparent)]
    Kinematics(#[from] KinematicsFileError),
    /// A round that cannot be read.
    #[error(transparent)]
    Round(#[from] ReadError),
    /// A scene that cannot be taken as evidence, in words.
    #[error("{0}")]
    Scene(String),
    /// A round that is not imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// Excerpts that cannot be made.
    #[error(transparent)]
    Excerpt(#[from] ExcerptError),
    /// A ledger that cannot be written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A guard that refuses a round.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A voxel grid or cloud that cannot be read.
    #[error(transparent)]
    Cloud(#[from] CloudFileError),
    /// A link that cannot be measured.
    #[error("link `{link}` ({file}): {reason}")]
    Link {
        /// The link.
        link: String,
        /// Its mesh or manifest.
        file: String,
        /// Why not.
        reason: String,
    },
    /// A robot without a budget.
    #[error("{file}: {source}")]
    Budget {
        /// The manifest.
        file: String,
        /// Why.
        source: BudgetError,
    },
    /// The device asked for is not there.
    #[error("device `{asked}` is not available: {reason}")]
    Device {
        /// The device as typed.
        asked: String,
        /// Why not.
        reason: String,
    },
    /// The result cannot be written to standard output.
    #[error("cannot write to standard output: {0}")]
    Stdout(#[source] io::Error),
    /// A bug, in words.
    #[error("internal error: {0}")]
    Internal(String),
}

impl From<RoundError> for CliError {
    fn from(error: RoundError) -> Self {
        Self::Round(error.into())
    }
}

impl From<DocumentError> for CliError {
    fn from(error: DocumentError) -> Self {
        Self::Round(error.into())
    }
}

impl CliError {
    /// The exit code.
    pub fn exit(&self) -> Exit {
        match self.store() {
            Some(StoreError::HashMismatch { .. }) => return Exit::Refused,
            Some(_) => return Exit::Input,
            None => {}
        }
        match self {
            Self::Device { .. } => Exit::Device,
            Self::Refused(_)
            | Self::Recovery(RecoveryError::OtherGraph { .. })
            | Self::Fit(FitError::Recovery(RecoveryError::OtherGraph { .. })) => Exit::Refused,
            Self::Internal(_)
            | Self::Head(HeadError::Tensor(_))
            | Self::Train(TrainError::Head(HeadError::Tensor(_)))
            | Self::Fit(FitError::Kernel(_))
            | Self::Recovery(RecoveryError::Thread) => Exit::Internal,
            // A reader that has seen enough, such as `head`, is not a failure.
            Self::Stdout(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            _ => Exit::Input,
        }
    }

    /// What to do about it, where that is not plain from the message.
    pub fn hint(&self) -> Option<String> {
        if let Self::Device { .. } = self {
            return Some("`--device cpu` always works; `auto` takes what is there".to_owned());
        }
        if let Self::Train(TrainError::OtherRun { .. }) = self {
            return Some(
                "resume with the settings of the checkpoint, or train without `--resume`".to_owned(),
            );
        }
        if let Self::Round(ReadError::Missing { file: "metadata.json", .. }) = self {
            return Some("`rollcheck matrix import` makes a round of the older layout queryable".to_owned());
        }
        match self.store()? {
            StoreError::Container { format: "npz", .. } => {
                Some("an .npz file is a zip of .npy arrays, as `numpy.savez` writes it".to_owned())
            }
            StoreError::HashMismatch { .. } => {
                Some("make the file again from this graph, or read the graph it was made from".to_owned())
            }
            StoreError::Missing { array, .. } if array == "graph_hash" => {
                Some("the file was not written by `rollcheck`".to_owned())
            }
            _ => None,
        }
    }

    /// The file error at the bottom, whichever layer reported it.
    fn store(&self) -> Option<&StoreError> {
        match self {
            Self::Store(error)
            | Self::Demos(DemoError::Store(error))
            | Self::Graph(GraphError::Store(error))
            | Self::Head(HeadError::Store(error))
            | Self::Train(TrainError::Store(error) | TrainError::Head(HeadError::Store(error)))
            | Self::Track(TrackError::Store(error))
            | Self::Excerpt(ExcerptError::Store(error)) => Some(error),
            _ => None,
        }
    }

    /// The message, then each cause that its own text does not already give, joined by `: `.
    pub fn message(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            let more = error.to_string();
            if !text.contains(&more) {
                text = format!("{text}: {more}");
            }
            cause = error.source();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_file_is_refused_whichever_layer_met_it() {
        let mismatch = || StoreError::HashMismatch {
            file: "g_track.npz".into(),
            what: "graph",
            expected: "aa".into(),
            found: "bb".into(),
        };
        for error in [
            CliError::Store(mismatch()),
            CliError::Graph(GraphError::Store(mismatch())),
            CliError::Head(HeadError::Store(mismatch())),
            CliError::Train(TrainError::Store(mismatch())),
            CliError::Track(TrackError::Store(mismatch())),
        ] {
            assert_eq!(error.exit(), Exit::Refused);
            assert_eq!(error.message(), "g_track.npz: made for graph bb, but this is graph aa");
            assert!(error.hint().is_some());
        }
    }

    #[test]
    fn a_closed_pipe_is_not_a_failure_and_a_full_disk_is() {
        let pipe = CliError::Stdout(io::Error::from(io::ErrorKind::BrokenPipe));
        let full = CliError::Stdout(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!((pipe.exit(), full.exit()), (Exit::Done, Exit::Input));
    }
}
