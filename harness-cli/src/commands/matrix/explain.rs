//! `rollcheck matrix explain`

use crate::args::matrix::ExplainArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::printer::{Printer, Render};
use rollcheck_eval::rounds::scene::SceneConfig;
use rollcheck_eval::verdict::derive;
use rollcheck_eval::verdict::explain::Explanation;
use rollcheck_eval::verdict::round::{self, MetadataSource, Options, WithoutMetadata};
use serde_json::Value;

/// Says why a scene has its verdict.
///
/// # Errors
/// [`CliError::Round`], [`CliError::Usage`], [`CliError::Stdout`].
pub fn run(args: &ExplainArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    let options =
        Options { stem: args.stem.clone(), without_metadata: WithoutMetadata::Assume, ..Options::default() };
    let recorded = round::read(&args.round, &options)?;
    if recorded.metadata_source == MetadataSource::Assumed {
        printer.warning(format_args!(
            "{}: no metadata.json and no verdicts.json: what ran is unknown, the usual layout is assumed",
            args.round.display()
        ));
    }
    let Some(scene) = recorded.scenes.iter().find(|scene| scene.scene.key == args.scene) else {
        return Err(CliError::Usage(format!(
            "{}: no folder of the scene `{}` is there",
            args.round.display(),
            args.scene
        )));
    };
    let mut evidence = match &scene.evidence {
        Ok(evidence) => evidence.clone(),
        Err(error) => return Err(CliError::Scene(error.to_string())),
    };
    let verdicts = match round::recorded_verdicts(&args.round) {
        Ok(verdicts) => verdicts,
        Err(error) if args.from_recorded => return Err(error.into()),
        // Without that option it decides nothing, so it keeps nobody from an explanation.
        Err(error) => {
            printer.warning(error);
            None
        }
    };
    let theirs = verdicts.as_ref().and_then(|v| v.scenes.iter().find(|s| s.scene == args.scene));
    if args.from_recorded {
        let Some(theirs) = theirs else {
            return Err(CliError::Usage(format!(
                "{}: no recorded verdict of `{}` to take anything from",
                args.round.display(),
                args.scene
            )));
        };
        derive::complete_from_recorded(&mut evidence, theirs);
    }
    let rules = args.rules.rule_set();
    let judgement = derive::scene(&recorded.context(scene), &evidence, rules)?;
    let file = round::config_file(&args.round, &recorded.metadata.repo_root, &scene.config_path);
    let mut config = None;
    let bytes = file.as_deref().map(round::document).transpose();
    if let Err(error) = &bytes {
        printer.warning(error);
    }
    if let (Some(file), Ok(Some(Some(bytes)))) = (file, bytes) {
        match SceneConfig::from_yaml(&bytes, &file.display().to_string()) {
            Ok(read) => config = Some(read),
            // It decides nothing, so it keeps nobody from an explanation.
            Err(error) => printer.warning(error),
        }
    }
    printer.result(&Explained(Explanation {
        round_id: &recorded.metadata.round_id,
        rules,
        judgement: &judgement,
        log_file: evidence.artifacts.get("deploy_log").map(String::as_str),
        config: config.as_ref(),
        recorded: theirs,
        from_recorded: args.from_recorded,
    }))?;
    Ok(Exit::Done)
}

struct Explained<'a>(Explanation<'a>);

impl Render for Explained<'_> {
    fn json(&self) -> Value {
        self.0.json()
    }

    fn text(&self) -> String {
        self.0.text()
    }
}
