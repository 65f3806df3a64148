//! `rollcheck matrix explain`

use super::one_scene::OneScene;
use super::replay;
use crate::args::matrix::ExplainArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::printer::{Printer, Render};
use rollcheck_eval::rounds::scene::SceneConfig;
use rollcheck_eval::verdict::derive;
use rollcheck_eval::verdict::explain::Explanation;
use rollcheck_eval::verdict::round;
use serde_json::Value;

/// Says why a scene has its verdict.
///
/// # Errors
/// [`CliError::Round`], [`CliError::Usage`], [`CliError::Stdout`]; with a replay those of reading a robot.
pub fn run(args: &ExplainArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    let scene = OneScene::read(&args.round, &args.scene, args.stem.as_deref(), args.from_recorded, printer)?;
    let rules = args.rules.rule_set();
    let stand_in = replay::stand_in(&args.replay, &scene.evidence.log, &args.scene, printer)?;
    let judgement = derive::scene_with(&scene.context(), &scene.evidence, rules, stand_in.as_ref())?;
    let recorded = &scene.recorded;
    let file = round::config_file(&args.round, &recorded.metadata.repo_root, &scene.scene().config_path);
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
        log_file: scene.evidence.artifacts.get("deploy_log").map(String::as_str),
        config: config.as_ref(),
        recorded: scene.theirs(),
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
