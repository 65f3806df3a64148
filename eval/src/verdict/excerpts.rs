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
use super::write::{self, Staged};
use crate::rounds::error::RoundError;
use crate::rounds::json;
use crate::rounds::layout::Artifact;
use crate::rounds::lines::{self, BlockReader};
use crate::rounds::read;
use memchr::memmem;
use rollcheck_engine::store::StoreError;
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::path::Path;

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

/// The writers of lines, complete, and the files of objects by suffix.
pub type Finished<W> = ([W; LINES.len()], Vec<(&'static str, Vec<u8>)>);

/// The excerpts of one log: lines go out as they are met, objects are small and kept.
pub struct Excerpts<W> {
    lines: [(W, bool); LINES.len()],
    objects: [Option<Map<String, Value>>; OBJECTS.len()],
}

impl<W: Write> Excerpts<W> {
    /// Excerpts whose lines go to `outs`, in the order of the module's table.
    pub fn new(outs: [W; LINES.len()]) -> Self {
        Self { lines: outs.map(|out| (out, false)), objects: [const { None }; OBJECTS.len()] }
    }

    /// Takes the next whole lines.
    ///
    /// # Errors
    /// A writer's.
    pub fn feed(&mut self, block: &[u8]) -> io::Result<()> {
        for ((out, any), (_, needle)) in self.lines.iter_mut().zip(LINES) {
            each_line(block, needle, |line, _| {
                *any = true;
                out.write_all(String::from_utf8_lossy(line).as_bytes())?;
                out.write_all(b"\n")
            })?;
        }
        for (object, (_, event)) in self.objects.iter_mut().zip(OBJECTS) {
            each_line(block, event, |line, behind| {
                if object.is_none()
                    && let Some(brace) = memchr::memchr(b'{', &line[behind..])
                {
                    *object = json::decode_object(&lines::text(&line[behind + brace..]));
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The writers, complete, and the files of objects by suffix.
    ///
    /// # Errors
    /// A writer's.
    pub fn finish(self) -> io::Result<Finished<W>> {
        let mut lines = self.lines;
        for (out, any) in &mut lines {
            // The lines joined, and a newline: one newline when there is no line.
            if !*any {
                out.write_all(b"\n")?;
            }
        }
        let mut files = Vec::new();
        for (object, (suffix, _)) in self.objects.iter().zip(OBJECTS) {
            if let Some(object) = object {
                let written = object.iter().map(|(key, value)| (key.clone(), json::written(value))).collect();
                let mut bytes = write_sorted(&written);
                // Unlike a document, an excerpt ends with its brace.
                bytes.pop();
                files.push((suffix, bytes));
            }
        }
        Ok((lines.map(|(out, _)| out), files))
    }
}

/// Calls `found` with every line that holds `needle`, and where the first needle ends in it.
fn each_line(
    block: &[u8],
    needle: &str,
    mut found: impl FnMut(&[u8], usize) -> io::Result<()>,
) -> io::Result<()> {
    let finder = memmem::Finder::new(needle);
    let mut at = 0;
    while let Some(hit) = finder.find(&block[at..]).map(|hit| at + hit) {
        let (start, end) = lines::line_around(block, hit);
        found(&block[start..end], hit - start + needle.len())?;
        at = end.max(hit + needle.len());
    }
    Ok(())
}

/// Stages the excerpts of a scene; none where only an excerpt log exists.
///
/// # Errors
/// [`ExcerptError`].
pub fn stage(
    staged: &mut Staged,
    round: &Path,
    scene: &RecordedScene,
    stem: &str,
) -> Result<(), ExcerptError> {
    let path = round.join(Artifact::DeployLog.path(&scene.folder, stem));
    let Some(file) = read::open(&path)? else { return Ok(()) };
    let target = |suffix: &str| round.join(&scene.folder).join(format!("{stem}_{suffix}"));
    let [kernel, success, allowance] = LINES.map(|(suffix, _)| write::begin(&target(suffix)));
    let mut excerpts = Excerpts::new([kernel?, success?, allowance?]);
    let mut reader = BlockReader::new(file);
    let failed = |source| RoundError::Io { path: path.clone(), action: "read", source };
    while let Some(block) = reader.next_block().map_err(failed)? {
        excerpts.feed(block.bytes).map_err(|source| write::failed(&path, source))?;
    }
    let (writers, objects) = excerpts.finish().map_err(|source| write::failed(&path, source))?;
    for (writer, (suffix, _)) in writers.into_iter().zip(LINES) {
        staged.push(&target(suffix), writer);
    }
    for (suffix, bytes) in objects {
        staged.add(&target(suffix), &bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(blocks: &[&[u8]]) -> Vec<(&'static str, String)> {
        let mut excerpts = Excerpts::new([Vec::new(), Vec::new(), Vec::new()]);
        for block in blocks {
            excerpts.feed(block).unwrap();
        }
        let (lines, objects) = excerpts.finish().unwrap();
        let lines = LINES.iter().zip(lines).map(|((suffix, _), bytes)| (*suffix, bytes));
        lines.chain(objects).map(|(suffix, bytes)| (suffix, String::from_utf8(bytes).unwrap())).collect()
    }

    #[test]
    fn excerpts_hold_the_lines_and_the_first_objects() {
        let files = made(&[
            b"x\n[k] safety.collision a=1 safety.\r[n] sim.task_success_final steps=1\n\
              [n] sim.estop_ground_truth_evidence {\"b\": 1.0, \"a\": \"\xc3\xa9\"}\nend\n",
            b"safety.place_region_armed place_allowance_active=1\nsim.estop_ground_truth_evidence {}\n",
        ]);
        let text = |suffix: &str| files.iter().find(|(s, _)| *s == suffix).map(|(_, text)| text.as_str());
        let kernel = "[k] safety.collision a=1 safety.\nsafety.place_region_armed place_allowance_active=1\n";
        assert_eq!(text("kernel_evidence.txt"), Some(kernel));
        assert_eq!(text("task_success.txt"), Some("[n] sim.task_success_final steps=1\n"));
        assert_eq!(
            text("allowance_active.txt"),
            Some("safety.place_region_armed place_allowance_active=1\n")
        );
        assert_eq!(text("gt_evidence.json"), Some("{\n  \"a\": \"\\u00e9\",\n  \"b\": 1.0\n}"));
        assert_eq!(text("gt_snapshot.json"), None);
        let empty = made(&[]);
        assert_eq!((empty.len(), empty[0].1.as_str()), (3, "\n"));
    }
}
