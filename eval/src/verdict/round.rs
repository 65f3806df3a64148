//! A round's folder: what ran and what each scene left, read but not judged.
//!
//! Reference page, sections 2 and 13.1. Scenes come in matrix order; a scene without a folder is not listed. A scene
//! whose files cannot be taken as evidence carries its error, so that others of the round can still be looked at.

use super::fields::DocumentError;
use super::json;
use super::schema::{RoundMetadata, RoundVerdicts};
use crate::rounds::error::RoundError;
use crate::rounds::evidence::SceneEvidence;
use crate::rounds::layout::{self, MATRIX, MatrixScene};
use crate::rounds::read::{self, Digests};
use serde_json::Map;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Largest document that is read, bytes.
const MAX_DOCUMENT: u64 = 64 << 20;

/// Why a round cannot be read at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A recorded file.
    #[error(transparent)]
    Round(#[from] RoundError),
    /// A document of the round.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A document that must be there.
    #[error("{}: no {file} in this folder", folder.display())]
    Missing {
        /// The round.
        folder: PathBuf,
        /// The document.
        file: &'static str,
    },
    /// A document larger than any.
    #[error("{}: larger than {} MiB", path.display(), MAX_DOCUMENT >> 20)]
    TooLarge {
        /// The document.
        path: PathBuf,
    },
}

/// What to read of a round.
#[derive(Clone, Debug)]
pub struct Options {
    /// Stem of the artifacts, before what metadata say.
    pub stem: Option<String>,
    /// Whether files get their identity.
    pub digests: Digests,
    /// Without `metadata.json`: an error, or what `verdicts.json` says, or nothing known.
    pub without_metadata: WithoutMetadata,
}

impl Default for Options {
    fn default() -> Self {
        Self { stem: None, digests: Digests::Skip, without_metadata: WithoutMetadata::Refuse }
    }
}

/// What to do with a folder that has no `metadata.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutMetadata {
    /// Refuse it.
    Refuse,
    /// Take the metadata inside `verdicts.json`, else assume the usual layout and nothing else.
    Assume,
}

/// A round as recorded.
#[derive(Debug)]
pub struct RecordedRound {
    /// Its folder.
    pub folder: PathBuf,
    /// What ran.
    pub metadata: RoundMetadata,
    /// Where that was read from.
    pub metadata_source: MetadataSource,
    /// Its identity.
    pub metadata_sha256: Option<String>,
    /// Stem of the artifacts.
    pub stem: String,
    /// Its scenes, in matrix order.
    pub scenes: Vec<RecordedScene>,
}

/// Where metadata were read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataSource {
    /// `metadata.json`
    Metadata,
    /// The block inside `verdicts.json`.
    Verdicts,
    /// Nowhere; nothing is known.
    Assumed,
}

/// A scene as recorded.
#[derive(Debug)]
pub struct RecordedScene {
    /// Which scene.
    pub scene: &'static MatrixScene,
    /// Its folder, relative to the round.
    pub folder: String,
    /// Its configuration, as metadata name it.
    pub config_path: String,
    /// That file's SHA-256.
    pub config_sha256: Option<String>,
    /// What it says.
    pub evidence: Result<SceneEvidence, RoundError>,
}

/// Reads a round.
///
/// # Errors
/// [`ReadError`]; a scene's own error is in [`RecordedScene::evidence`].
pub fn read(folder: &Path, options: &Options) -> Result<RecordedRound, ReadError> {
    let found = std::fs::metadata(folder).map_err(|source| RoundError::Io {
        path: folder.to_owned(),
        action: "open",
        source,
    })?;
    if !found.is_dir() {
        return Err(RoundError::NotAFolder { path: folder.to_owned() }.into());
    }
    let (metadata, source, sha256) = metadata(folder, options)?;
    Ok(RecordedRound { metadata_sha256: sha256, ..read_as(folder, metadata, source, options)? })
}

/// Reads a round whose metadata are at hand, written or not.
///
/// # Errors
/// As [`read()`].
pub fn read_as(
    folder: &Path,
    metadata: RoundMetadata,
    metadata_source: MetadataSource,
    options: &Options,
) -> Result<RecordedRound, ReadError> {
    let file = folder.join(layout::METADATA_FILE).display().to_string();
    // Empty counts as missing, wherever it stands.
    let stem = match options.stem.as_deref().filter(|stem| !stem.is_empty()) {
        Some(stem) => layout::stem(stem, "--stem")?,
        None if metadata.artifact_stem.is_empty() => layout::DEFAULT_STEM,
        None => layout::stem(&metadata.artifact_stem, &format!("{file}: field `artifact_stem`"))?,
    }
    .to_owned();
    let configs = metadata.scene_configs();
    let mut scenes = Vec::new();
    for scene in &MATRIX {
        let name = metadata.scene_dirs.get(scene.key).map_or(scene.key, String::as_str);
        let name = layout::inside(name, &file, &format!("scene_dirs.{}", scene.key))?;
        let evidence = match read::scene(folder, name, &stem, options.digests) {
            Ok(None) => continue,
            Ok(Some(evidence)) => Ok(evidence),
            Err(error) => Err(error),
        };
        let config_path = configs.get(scene.key).map_or(scene.config, String::as_str).to_owned();
        let config_sha256 = config_file(folder, &metadata.repo_root, &config_path)
            .and_then(|file| document(&file).ok()?)
            .map(|bytes| read::hex(&Sha256::digest(&bytes)));
        scenes.push(RecordedScene { scene, folder: name.to_owned(), config_path, config_sha256, evidence });
    }
    let folder = folder.to_owned();
    Ok(RecordedRound { folder, metadata, metadata_source, metadata_sha256: None, stem, scenes })
}

fn metadata(
    folder: &Path,
    options: &Options,
) -> Result<(RoundMetadata, MetadataSource, Option<String>), ReadError> {
    let path = folder.join(layout::METADATA_FILE);
    if let Some(bytes) = document(&path)? {
        let digest = (options.digests == Digests::Sha256).then(|| read::hex(&Sha256::digest(&bytes)));
        let metadata = json::metadata_from_slice(&bytes, &path.display().to_string())?;
        return Ok((metadata, MetadataSource::Metadata, digest));
    }
    if options.without_metadata == WithoutMetadata::Refuse {
        return Err(ReadError::Missing { folder: folder.to_owned(), file: layout::METADATA_FILE });
    }
    if let Some(verdicts) = recorded_verdicts(folder)? {
        return Ok((verdicts.metadata, MetadataSource::Verdicts, None));
    }
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok((assumed(name), MetadataSource::Assumed, None))
}

/// Metadata of a folder that has none.
fn assumed(round_id: String) -> RoundMetadata {
    RoundMetadata {
        round_id,
        started_at: String::new(),
        host: String::new(),
        executed_sha: String::new(),
        worktree_clean: None,
        overlay_built_at_ns: None,
        launcher_path: String::new(),
        repo_root: String::new(),
        robot_manifest_path: None,
        robot_id: None,
        sync_groups: Vec::new(),
        stack_argv: Vec::new(),
        safety_overrides_absent: true,
        collision_scale: indexmap::IndexMap::default(),
        gpu_name: None,
        ros_domain_id: String::new(),
        ros_automatic_discovery_range: String::new(),
        notes_path: None,
        scene_dirs: indexmap::IndexMap::default(),
        seed: 1,
        artifact_stem: layout::DEFAULT_STEM.to_owned(),
        imported_from: None,
        scene_pins: indexmap::IndexMap::default(),
        extra: Map::new(),
    }
}

/// The verdicts that a round holds already, where it does.
///
/// # Errors
/// [`ReadError`].
pub fn recorded_verdicts(folder: &Path) -> Result<Option<RoundVerdicts>, ReadError> {
    let path = folder.join(layout::VERDICTS_FILE);
    let Some(bytes) = document(&path)? else { return Ok(None) };
    Ok(Some(json::verdicts_from_slice(&bytes, &path.display().to_string())?))
}

/// A document whole; `None` where there is none.
///
/// # Errors
/// [`ReadError::Round`], [`ReadError::TooLarge`].
pub fn document(path: &Path) -> Result<Option<Vec<u8>>, ReadError> {
    use std::io::Read as _;
    let failed = |source: std::io::Error| RoundError::Io { path: path.to_owned(), action: "read", source };
    let Some(file) = read::open(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.take(MAX_DOCUMENT + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_DOCUMENT {
        return Err(ReadError::TooLarge { path: path.to_owned() });
    }
    Ok(Some(bytes))
}

/// A scene's configuration: the first regular file of the round's, the checkout's, or the path as it is.
pub fn config_file(round: &Path, repo_root: &str, config_path: &str) -> Option<PathBuf> {
    if config_path.is_empty() {
        return None;
    }
    let candidates =
        [round.join(config_path), Path::new(repo_root).join(config_path), PathBuf::from(config_path)];
    candidates.into_iter().find(|path| path.is_file())
}

impl RecordedRound {
    /// What [`derive::scene`](super::derive::scene) asks about a scene beside its evidence.
    pub fn context<'a>(&'a self, scene: &'a RecordedScene) -> super::derive::SceneContext<'a> {
        super::derive::SceneContext {
            scene: scene.scene,
            folder: &scene.folder,
            stem: &self.stem,
            config_path: &scene.config_path,
            config_sha256: scene.config_sha256.as_deref(),
            metadata: &self.metadata,
        }
    }
}
