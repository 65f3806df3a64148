//! Excerpts of a deploy log, for reading; no verdict depends on them.
//!
//! Reference page, section 2.2. Made from the whole log only.
//!
//! ```text
//! _kernel_evidence.txt          lines with `safety.`
//! _task_success.txt             lines with `sim.task_success_final`
//! _allowance_active.txt         lines with `place_allowance_active=1`
//! _gt_snapshot.json, _gt_evidence.json, _initial_configuration.json
//!                               the first object of the event, keys sorted; absent without one
//! ```

use super::json::write_sorted;
use super::round::RecordedScene;
use crate::rounds::error::RoundError;
use crate::rounds::json;
use crate::rounds::layout::Artifact;
use crate::rounds::lines::{self, BlockReader};
use memchr::memmem;
use rollcheck_engine::store::{StoreError, atomic};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Files of lines: their suffix and what a line must hold.
const LINES: [(&str, &str); 3] = [
    ("kernel_evidence.txt", "safety."),
    ("task_success.txt", "sim.task_success_final"),
    ("allowance_active.txt", "place_allowance_active=1"),
];

/// Files of an object: their suffix and the event.
const OBJECTS: [(&str, &str); 3] = [
    ("gt_snapshot.json", "sim.estop_ground_truth_snapshot"),
    ("gt_evidence.json", "sim.estop_ground_truth_evidence"),
    ("initial_configuration.json", "sim.estop_initial_configuration"),
];

/// Why excerpts could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ExcerptError {
    /// The log cannot be read.
    #[error(transparent)]
    Round(#[from] RoundError),
    /// An excerpt cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The excerpts of one log.
#[derive(Clone, Debug, Default)]
pub struct Excerpts {
    lines: [Vec<u8>; LINES.len()],
    objects: [Option<Map<String, Value>>; OBJECTS.len()],
}

impl Excerpts {
    /// Takes the next whole lines.
    pub fn feed(&mut self, block: &[u8]) {
        for (out, (_, needle)) in self.lines.iter_mut().zip(LINES) {
            each_line(block, needle, |line, _| {
                out.extend_from_slice(String::from_utf8_lossy(line).as_bytes());
                out.push(b'\n');
            });
        }
        for (object, (_, event)) in self.objects.iter_mut().zip(OBJECTS) {
            each_line(block, event, |line, behind| {
                if object.is_none()
                    && let Some(brace) = memchr::memchr(b'{', &line[behind..])
                {
                    *object = json::decode_object(&lines::text(&line[behind + brace..]));
                }
            });
        }
    }

    /// The files, by suffix.
    pub fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut files = Vec::new();
        for (text, (suffix, _)) in self.lines.iter().zip(LINES) {
            // The lines joined, and a newline: one newline when there is no line.
            let text = if text.is_empty() { b"\n".to_vec() } else { text.clone() };
            files.push((suffix, text));
        }
        for (object, (suffix, _)) in self.objects.iter().zip(OBJECTS) {
            if let Some(object) = object {
                let written = object.iter().map(|(key, value)| (key.clone(), json::written(value))).collect();
                let mut bytes = write_sorted(&written);
                // Unlike a document, an excerpt ends with its brace.
                bytes.pop();
                files.push((suffix, bytes));
            }
        }
        files
    }
}

/// Calls `found` with every line that holds `needle`, and where the first needle ends in it.
fn each_line(block: &[u8], needle: &str, mut found: impl FnMut(&[u8], usize)) {
    let finder = memmem::Finder::new(needle);
    let mut at = 0;
    while let Some(hit) = finder.find(&block[at..]).map(|hit| at + hit) {
        let (start, end) = lines::line_around(block, hit);
        found(&block[start..end], hit - start + needle.len());
        at = end.max(hit + needle.len());
    }
}

/// Makes and writes the excerpts of a scene; nothing where only an excerpt log exists. Gives what was written.
///
/// # Errors
/// [`ExcerptError`].
pub fn write(round: &Path, scene: &RecordedScene, stem: &str) -> Result<Vec<PathBuf>, ExcerptError> {
    let path = round.join(Artifact::DeployLog.path(&scene.folder, stem));
    let failed = |source| RoundError::Io { path: path.clone(), action: "read", source };
    let file = match std::fs::File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error).into()),
    };
    let mut excerpts = Excerpts::default();
    let mut reader = BlockReader::new(file);
    while let Some(block) = reader.next_block().map_err(failed)? {
        excerpts.feed(block.bytes);
    }
    let mut written = Vec::new();
    for (suffix, bytes) in excerpts.files() {
        let path = round.join(&scene.folder).join(format!("{stem}_{suffix}"));
        atomic::write(&path, &bytes)?;
        written.push(path);
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_hold_the_lines_and_the_first_objects() {
        let mut excerpts = Excerpts::default();
        excerpts.feed(
            b"x\n[k] safety.collision a=1 safety.\r[n] sim.task_success_final steps=1\n\
              [n] sim.estop_ground_truth_evidence {\"b\": 1.0, \"a\": \"\xc3\xa9\"}\nend\n",
        );
        excerpts.feed(
            b"safety.place_region_armed place_allowance_active=1\nsim.estop_ground_truth_evidence {}\n",
        );
        let files = excerpts.files();
        let text = |suffix: &str| {
            let found = files.iter().find(|(s, _)| *s == suffix);
            found.map(|(_, bytes)| String::from_utf8(bytes.clone()).unwrap())
        };
        let kernel = "[k] safety.collision a=1 safety.\nsafety.place_region_armed place_allowance_active=1\n";
        assert_eq!(text("kernel_evidence.txt").as_deref(), Some(kernel));
        assert_eq!(text("task_success.txt").as_deref(), Some("[n] sim.task_success_final steps=1\n"));
        assert_eq!(
            text("allowance_active.txt").as_deref(),
            Some("safety.place_region_armed place_allowance_active=1\n")
        );
        assert_eq!(text("gt_evidence.json").as_deref(), Some("{\n  \"a\": \"\\u00e9\",\n  \"b\": 1.0\n}"));
        assert_eq!(text("gt_snapshot.json"), None);
        let empty: Vec<_> = Excerpts::default().files();
        assert_eq!(empty[0].1, b"\n");
        assert_eq!(empty.len(), 3);
    }
}
