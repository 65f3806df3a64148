//! One scene of a round, opened for a closer look.

use crate::error::CliError;
use crate::printer::Printer;
use rollcheck_eval::rounds::evidence::SceneEvidence;
use rollcheck_eval::verdict::derive::{self, SceneContext};
use rollcheck_eval::verdict::round::{
    self, MetadataSource, Options, RecordedRound, RecordedScene, WithoutMetadata,
};
use rollcheck_eval::verdict::schema::{RoundVerdicts, SceneVerdict};
use std::path::Path;

/// A scene with its round.
pub struct OneScene {
    /// The round.
    pub recorded: RecordedRound,
    index: usize,
    /// What the scene says, completed from the recorded verdict where that was asked for.
    pub evidence: SceneEvidence,
    verdicts: Option<RoundVerdicts>,
}

impl OneScene {
    /// Opens a scene; a round without metadata is read as far as its files go.
    ///
    /// # Errors
    /// [`CliError::Round`], [`CliError::Scene`], [`CliError::Usage`].
    pub fn read(
        round: &Path,
        key: &str,
        stem: Option<&str>,
        from_recorded: bool,
        printer: &mut Printer<'_>,
    ) -> Result<Self, CliError> {
        let options = Options {
            stem: stem.map(str::to_owned),
            without_metadata: WithoutMetadata::Assume,
            ..Options::default()
        };
        let recorded = round::read(round, &options)?;
        if recorded.metadata_source == MetadataSource::Assumed {
            printer.warning(format_args!(
                "{}: no metadata.json and no verdicts.json: what ran is unknown, the usual layout is assumed",
                round.display()
            ));
        }
        let Some(index) = recorded.scenes.iter().position(|scene| scene.scene.key == key) else {
            return Err(CliError::Usage(format!(
                "{}: no folder of the scene `{key}` is there",
                round.display()
            )));
        };
        let mut evidence = match &recorded.scenes[index].evidence {
            Ok(evidence) => evidence.clone(),
            Err(error) => return Err(CliError::Scene(error.to_string())),
        };
        let verdicts = match round::recorded_verdicts(round) {
            Ok(verdicts) => verdicts,
            Err(error) if from_recorded => return Err(error.into()),
            // Without that option it decides nothing, so it keeps nobody from a look.
            Err(error) => {
                printer.warning(error);
                None
            }
        };
        if from_recorded {
            let Some(theirs) = verdicts.as_ref().and_then(|v| v.scenes.iter().find(|s| s.scene == key))
            else {
                return Err(CliError::Usage(format!(
                    "{}: no recorded verdict of `{key}` to take anything from",
                    round.display()
                )));
            };
            derive::complete_from_recorded(&mut evidence, theirs);
        }
        Ok(Self { recorded, index, evidence, verdicts })
    }

    /// The scene.
    pub fn scene(&self) -> &RecordedScene {
        &self.recorded.scenes[self.index]
    }

    /// What a judgement asks about it beside its evidence.
    pub fn context(&self) -> SceneContext<'_> {
        self.recorded.context(self.scene())
    }

    /// What `verdicts.json` says of it, where there is one.
    pub fn theirs(&self) -> Option<&SceneVerdict> {
        let key = self.scene().scene.key;
        self.verdicts.as_ref().and_then(|v| v.scenes.iter().find(|s| s.scene == key))
    }
}
