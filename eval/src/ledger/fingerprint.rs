//! Whether a round is the one that was judged before: size and time of every file that its rows come from.
//!
//! A file that is missing counts as missing. What the round's files are called is read from its own documents; what
//! cannot be read there is taken by its usual name, and the document that could not be read stands in the list itself.

use super::judge::How;
use crate::rounds::layout::{self, Artifact, MATRIX};
use crate::rounds::read::hex;
use crate::verdict::json;
use crate::verdict::round;
use crate::verdict::schema::RoundMetadata;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Changes whenever rows are made otherwise from the same files.
const FORMAT: &str = "ledger 1";

const ARTIFACTS: [Artifact; 6] = [
    Artifact::DeployLog,
    Artifact::DeployExcerpt,
    Artifact::Monitor,
    Artifact::Goal,
    Artifact::MonitorGate,
    Artifact::LaunchFailed,
];

/// The fingerprint of a round, lowercase hex.
pub fn of(folder: &Path, shown: &str, how: &How) -> String {
    let mut list = Listing { hasher: Sha256::new() };
    list.line(FORMAT);
    list.line(&how.tool_version);
    for rules in &how.rules {
        list.line(rules.name());
    }
    list.line(if how.from_recorded { "from recorded" } else { "from files" });
    list.line(shown);
    list.file(&folder.join(layout::METADATA_FILE));
    list.file(&folder.join(layout::VERDICTS_FILE));
    let metadata = metadata(folder);
    let stem = metadata.as_ref().map(|m| m.artifact_stem.as_str()).filter(|stem| !stem.is_empty());
    let configs = metadata.as_ref().map(RoundMetadata::scene_configs).unwrap_or_default();
    for scene in &MATRIX {
        let name = metadata.as_ref().and_then(|m| m.scene_dirs.get(scene.key));
        let name = name.map_or(scene.key, String::as_str);
        for artifact in ARTIFACTS {
            list.file(&folder.join(artifact.path(name, stem.unwrap_or(layout::DEFAULT_STEM))));
        }
        let config = configs.get(scene.key).map_or(scene.config, String::as_str);
        list.file(&folder.join(config));
        if let Some(metadata) = &metadata {
            list.file(&Path::new(&metadata.repo_root).join(config));
        }
        // As it is, from where the program runs.
        list.file(Path::new(config));
    }
    hex(&list.hasher.finalize())
}

fn metadata(folder: &Path) -> Option<RoundMetadata> {
    let document = round::document(&folder.join(layout::METADATA_FILE)).ok()?;
    match document {
        Some(bytes) => json::metadata_from_slice(&bytes, "").ok(),
        None => round::recorded_verdicts(folder).ok()?.map(|verdicts| verdicts.metadata),
    }
}

struct Listing {
    hasher: Sha256,
}

impl Listing {
    fn line(&mut self, text: &str) {
        self.hasher.update((text.len() as u64).to_le_bytes());
        self.hasher.update(text.as_bytes());
    }

    fn file(&mut self, path: &Path) {
        self.line(&path.to_string_lossy());
        let Ok(found) = std::fs::metadata(path) else { return self.line("missing") };
        let modified = found.modified().ok();
        let nanoseconds = |since: std::time::Duration| since.as_nanos();
        let time = modified.map(|time| match time.duration_since(UNIX_EPOCH) {
            Ok(after) => format!("{}", nanoseconds(after)),
            Err(before) => format!("-{}", nanoseconds(before.duration())),
        });
        self.line(&format!("{} {}", found.len(), time.unwrap_or_default()));
    }
}
