//! From a scene's folder to its evidence.
//!
//! Every file is streamed and, where asked for, hashed in the same pass. A file that is missing is missing; one that
//! cannot be read is an error, so that a verdict never rests on half of the evidence.

use super::deploy_log::LogScanner;
use super::error::RoundError;
use super::evidence::{InputFile, SceneEvidence, Unread, UnreadReason};
use super::layout::Artifact;
use super::lines::{self, Block, BlockReader, Skipped};
use super::monitor::MonitorScanner;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Longest marker that is taken whole, bytes.
const MAX_MARKER: u64 = 1 << 20;

/// Whether files get their identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digests {
    /// No.
    Skip,
    /// SHA-256 of every file that is read.
    Sha256,
}

/// Opens a regular file; `None` where there is none.
///
/// # Errors
/// [`RoundError::NotAFile`], [`RoundError::Io`].
pub fn open(path: &Path) -> Result<Option<File>, RoundError> {
    let failed = |source: io::Error| RoundError::Io { path: path.to_owned(), action: "read", source };
    // Asked before it is opened: opening a pipe waits for its writer.
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
        Ok(found) if !found.is_file() => return Err(RoundError::NotAFile { path: path.to_owned() }),
        Ok(_) => {}
    }
    File::open(path).map(Some).map_err(failed)
}

/// Lowercase hex of a digest.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads a scene; `folder` and `stem` are relative to `round`. `None` where the folder is none.
///
/// # Errors
/// [`RoundError::Io`], [`RoundError::Field`].
pub fn scene(
    round: &Path,
    folder: &str,
    stem: &str,
    digests: Digests,
) -> Result<Option<SceneEvidence>, RoundError> {
    if !round.join(folder).is_dir() {
        return Ok(None);
    }
    let mut reading = Reading { round, folder, stem, digests, evidence: SceneEvidence::default() };
    if !reading.deploy_log(Artifact::DeployLog)? {
        reading.deploy_log(Artifact::DeployExcerpt)?;
    }
    reading.monitor()?;
    reading.goal()?;
    reading.note(Artifact::MonitorGate);
    reading.launch_failed()?;
    Ok(Some(reading.evidence))
}

struct Reading<'a> {
    round: &'a Path,
    folder: &'a str,
    stem: &'a str,
    digests: Digests,
    evidence: SceneEvidence,
}

impl Reading<'_> {
    fn deploy_log(&mut self, artifact: Artifact) -> Result<bool, RoundError> {
        let mut scanner = LogScanner::new(artifact.path(self.folder, self.stem));
        let Some(too_long) = self.blocks(artifact, |block| scanner.feed(block).map(Some))? else {
            return Ok(false);
        };
        let log = scanner.finish(too_long);
        self.unread(artifact, too_long, UnreadReason::TooLong);
        self.unread(artifact, log.undecodable, UnreadReason::NoObject);
        self.evidence.log = log;
        self.evidence.log_file = Some(artifact);
        Ok(true)
    }

    fn monitor(&mut self) -> Result<(), RoundError> {
        let artifact = Artifact::Monitor;
        let mut scanner = MonitorScanner::new(artifact.path(self.folder, self.stem));
        let Some(too_long) = self.blocks(artifact, |block| scanner.feed(block).map(|()| None))? else {
            return Ok(());
        };
        let monitor = scanner.finish();
        self.unread(artifact, too_long, UnreadReason::TooLong);
        self.unread(artifact, monitor.skipped, UnreadReason::NoObject);
        self.evidence.monitor = Some(monitor);
        Ok(())
    }

    fn goal(&mut self) -> Result<(), RoundError> {
        let mut goal = super::goal::GoalLog::default();
        let fed = self.blocks(Artifact::Goal, |block| {
            goal.feed(block.bytes);
            Ok(None)
        })?;
        self.unread(Artifact::Goal, fed.unwrap_or_default(), UnreadReason::TooLong);
        self.evidence.goal = goal;
        Ok(())
    }

    fn launch_failed(&mut self) -> Result<(), RoundError> {
        let artifact = Artifact::LaunchFailed;
        let path = artifact.path(self.folder, self.stem);
        let Some(file) = open(&self.round.join(&path))? else { return Ok(()) };
        let mut bytes = Vec::new();
        let mut source = self.counted(file);
        source.by_ref().take(MAX_MARKER).read_to_end(&mut bytes).map_err(self.io(&path))?;
        // Its identity is that of the whole file.
        io::copy(&mut source, &mut io::sink()).map_err(self.io(&path))?;
        let input = source.input(artifact, path);
        self.evidence.artifacts.insert(artifact.key().to_owned(), input.path.clone());
        self.evidence.inputs.push(input);
        self.evidence.launch_failed = Some(lines::text(&bytes).trim().to_owned());
        Ok(())
    }

    /// Lists a file that is not read.
    fn note(&mut self, artifact: Artifact) {
        let path = artifact.path(self.folder, self.stem);
        if self.round.join(&path).is_file() {
            self.evidence.artifacts.insert(artifact.key().to_owned(), path);
        }
    }

    /// Streams a file; `None` when it is missing. Gives the lines that were too long. `feed` may tell how many newlines it
    /// counted.
    fn blocks(
        &mut self,
        artifact: Artifact,
        mut feed: impl FnMut(Block<'_>) -> Result<Option<u64>, RoundError>,
    ) -> Result<Option<Skipped>, RoundError> {
        let path = artifact.path(self.folder, self.stem);
        let Some(file) = open(&self.round.join(&path))? else { return Ok(None) };
        let mut source = self.counted(file);
        let mut reader = BlockReader::new(&mut source);
        while let Some(block) = reader.next_block().map_err(self.io(&path))? {
            if let Some(newlines) = feed(block)? {
                reader.counted(newlines);
            }
        }
        let too_long = reader.too_long;
        let input = source.input(artifact, path);
        self.evidence.artifacts.insert(artifact.key().to_owned(), input.path.clone());
        self.evidence.inputs.push(input);
        Ok(Some(too_long))
    }

    fn counted<R: Read>(&self, reader: R) -> Counted<R> {
        let hasher = (self.digests == Digests::Sha256).then(Sha256::new);
        Counted { reader, hasher, bytes: 0 }
    }

    fn io(&self, path: &str) -> impl FnOnce(io::Error) -> RoundError + use<> {
        let path = self.round.join(path);
        move |source| RoundError::Io { path, action: "read", source }
    }

    fn unread(&mut self, artifact: Artifact, lines: Skipped, reason: UnreadReason) {
        if lines.lines > 0 {
            let path = artifact.path(self.folder, self.stem);
            self.evidence.unread.push(Unread { path, lines, reason });
        }
    }
}

/// Counts and hashes what passes through.
struct Counted<R> {
    reader: R,
    hasher: Option<Sha256>,
    bytes: u64,
}

impl<R> Counted<R> {
    fn input(self, artifact: Artifact, path: String) -> InputFile {
        let sha256 = self.hasher.map(|hasher| hex(&hasher.finalize()));
        InputFile { artifact, path, bytes: self.bytes, sha256 }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.bytes += n as u64;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&buffer[..n]);
        }
        Ok(n)
    }
}
