//! One round to its rows: read, judge by each rule set, keep nothing else.
//!
//! What cannot be read is a row too: a whole round, or one scene of it.

use super::columns::Row;
use super::row::{self, Judged, RoundFacts, SceneFacts};
use crate::adjudication::rules::RuleSet;
use crate::rounds::layout;
use crate::rounds::read::Digests;
use crate::verdict::derive::{self, SceneContext};
use crate::verdict::round::{self, MetadataSource, Options, ReadError, RecordedScene, WithoutMetadata};
use crate::verdict::schema::RoundVerdicts;
use serde_json::Value;
use std::path::Path;

/// How rounds are judged.
#[derive(Clone, Debug)]
pub struct How {
    /// By which rule sets, in this order.
    pub rules: Vec<RuleSet>,
    /// What the round's files lack is taken from its `verdicts.json`.
    pub from_recorded: bool,
    /// Version that every row names.
    pub tool_version: String,
}

/// The rows of a round, in matrix order.
pub fn rows(folder: &Path, shown: &str, how: &How) -> Vec<Row> {
    match try_rows(folder, shown, how) {
        Ok(rows) => rows,
        Err(error) => vec![row::damaged_round(shown, &how.tool_version, &error.to_string())],
    }
}

fn try_rows(folder: &Path, shown: &str, how: &How) -> Result<Vec<Row>, ReadError> {
    let without_metadata = if how.from_recorded { WithoutMetadata::Assume } else { WithoutMetadata::Refuse };
    let mut round = round::read(folder, &Options { stem: None, digests: Digests::Sha256, without_metadata })?;
    let (recorded, remark) = match round::recorded_verdicts(folder) {
        Ok(recorded) => (recorded, None),
        // Needed as evidence, or only to compare with.
        Err(error) if how.from_recorded => return Err(error),
        Err(error) => (None, Some(format!("nothing recorded could be compared: {error}"))),
    };
    let scenes = std::mem::take(&mut round.scenes);
    let facts = RoundFacts {
        path: shown,
        tool_version: &how.tool_version,
        metadata: &round.metadata,
        source: round.metadata_source,
        metadata_sha256: round.metadata_sha256.as_deref(),
        stem: &round.stem,
        ros_recorded: ros_recorded(folder, round.metadata_source),
        remark: remark.as_deref(),
    };
    if scenes.is_empty() {
        return Ok(vec![row::empty_round(&facts, &format!("{}: no folder of any scene", folder.display()))]);
    }
    let rows = scenes.into_iter().map(|scene| scene_rows(scene, &facts, recorded.as_ref(), how));
    Ok(rows.collect::<Vec<_>>().concat())
}

fn scene_rows(
    scene: RecordedScene,
    facts: &RoundFacts<'_>,
    recorded: Option<&RoundVerdicts>,
    how: &How,
) -> Vec<Row> {
    let scene_facts = SceneFacts {
        scene: scene.scene,
        folder: &scene.folder,
        config_path: &scene.config_path,
        config_sha256: scene.config_sha256.as_deref(),
    };
    let mut evidence = match scene.evidence {
        Ok(evidence) => evidence,
        Err(error) => return vec![row::damaged_scene(facts, &scene_facts, &error.to_string())],
    };
    let recorded = recorded.and_then(|r| r.scenes.iter().find(|verdict| verdict.scene == scene.scene.key));
    let mut completed = false;
    if let Some(recorded) = recorded.filter(|_| how.from_recorded) {
        let from_files = evidence.clone();
        derive::complete_from_recorded(&mut evidence, recorded);
        completed = evidence != from_files;
    }
    let context = SceneContext {
        scene: scene.scene,
        folder: &scene.folder,
        stem: facts.stem,
        config_path: &scene.config_path,
        config_sha256: scene.config_sha256.as_deref(),
        metadata: facts.metadata,
    };
    let judged = how.rules.iter().map(|&rules| {
        let judgement = derive::scene(&context, &evidence, rules)?;
        let judged = Judged { evidence: &evidence, judgement: &judgement, rules, recorded, completed };
        Ok(row::judged(facts, &scene_facts, &judged))
    });
    let judged: Result<Vec<Row>, crate::rounds::error::RoundError> = judged.collect();
    judged.unwrap_or_else(|error| vec![row::damaged_scene(facts, &scene_facts, &error.to_string())])
}

/// Whether the round's document has the two ROS variables at all.
fn ros_recorded(folder: &Path, source: MetadataSource) -> [bool; 2] {
    let file = match source {
        MetadataSource::Metadata => layout::METADATA_FILE,
        MetadataSource::Verdicts => layout::VERDICTS_FILE,
        MetadataSource::Assumed => return [false; 2],
    };
    let document = round::document(&folder.join(file)).ok().flatten();
    let document: Option<Value> = document.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let metadata = match source {
        MetadataSource::Verdicts => document.as_ref().and_then(|d| d.get("metadata")),
        _ => document.as_ref(),
    };
    ["ros_domain_id", "ros_automatic_discovery_range"]
        .map(|key| metadata.is_some_and(|metadata| metadata.get(key).is_some()))
}
