//! `rollcheck matrix import`

use super::verdicts;
use crate::args::matrix::ImportArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::printer::Printer;
use rollcheck_eval::round_ops::import;
use rollcheck_eval::round_ops::import_rules::ImportArgs as Told;
use rollcheck_eval::rounds::layout::METADATA_FILE;
use rollcheck_eval::verdict::json;
use rollcheck_eval::verdict::round::{self, MetadataSource, Options};
use rollcheck_eval::verdict::write::Staged;

/// Makes a round queryable: everything is derived before anything is written.
///
/// # Errors
/// [`CliError::Import`], [`CliError::Round`], [`CliError::Store`], [`CliError::Stdout`].
pub fn run(args: &ImportArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    let imported = import::import(&args.source, &told(args))?;
    let metadata = json::metadata_from_slice(&imported.metadata, "metadata.json")?;
    let options = Options { stem: Some(imported.stem.clone()), ..Options::default() };
    let recorded = round::read_as(&args.source, metadata, MetadataSource::Metadata, &options)?;
    let rules = args.rules.rule_set();
    let scenes = verdicts::judge(&recorded, rules, None)?;
    let mut staged = Staged::default();
    staged.add(&args.source.join(METADATA_FILE), &imported.metadata)?;
    verdicts::publish(&recorded, &scenes, rules, Some(&imported.message), staged, printer)
}

fn told(args: &ImportArgs) -> Told {
    Told {
        round_id: args.round_id.clone(),
        executed_sha: args.executed_sha.clone(),
        stem: args.stem.clone(),
        scene_aliases: args.scene_alias.clone(),
        seed: args.seed,
        rskill_id: args.rskill_id.clone(),
        host: args.host.clone(),
        gpu_name: args.gpu_name.clone(),
        sync_groups: args.sync_group.clone(),
        started_at: args.started_at.clone(),
        imported_from: args.imported_from.clone(),
    }
}
