//! A deploy log of recorded size, for benches of the log reader.
//!
//! Generated data (see [`rollcheck_fixtures::rounds::full_size`]): good for times and memory, evidence of nothing
//! else.

use rollcheck_fixtures::rounds;
use std::path::Path;

/// Seed of the bench's round.
pub const SEED: u64 = 1;

/// One deploy log of about 1.7 MB: some 12,000 lines that no rule reads, a stop of an arm link against the world, and
/// its snapshot of 30 to 38 kB.
pub fn deploy_log() -> Vec<u8> {
    let round = rounds::full_size(SEED);
    round.scenes.first().map_or(Vec::new(), |scene| rounds::deploy_log(scene, round.draw).into_bytes())
}

/// Bytes of [`cycled`].
const CYCLED_BYTES: usize = 1_700_000;
/// Generic lines before each recorded line: a recorded whole log has some 12,000 lines beside a dozen events.
const GENERIC_LINES: usize = 40;

/// A log of 1.7 MB made of the lines of recorded excerpts, cycled between generic lines of the recorded shape.
///
/// # Panics
/// A folder without readable excerpts: nothing to time.
#[allow(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a bench whose setup fails has nothing to time"
)]
pub fn cycled(recorded: &Path) -> Vec<u8> {
    let mut excerpts = Vec::new();
    for (round, scenes) in [
        ("2026-08-22-master-1", ["bag1", "sink1", "fridge1", "utensil1"].as_slice()),
        ("2026-08-16-master-1", &["bag1"]),
    ] {
        for scene in scenes {
            let file = recorded.join(round).join(scene).join("seed1_deploy_excerpt.log");
            excerpts.extend(std::fs::read(file).unwrap());
        }
    }
    let generated = deploy_log();
    let mut generic = generated.split_inclusive(|&b| b == b'\n').filter(|line| line.len() < 400).cycle();
    let mut lines = excerpts.split_inclusive(|&b| b == b'\n').cycle();
    let mut log = Vec::with_capacity(CYCLED_BYTES + (64 << 10));
    while log.len() < CYCLED_BYTES {
        generic.by_ref().take(GENERIC_LINES).for_each(|line| log.extend_from_slice(line));
        log.extend_from_slice(lines.next().unwrap());
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_has_the_size_of_a_recorded_one() {
        let log = deploy_log();
        assert!(log.len().abs_diff(1_700_000) < 50_000, "{} bytes", log.len());
        assert_eq!(log, deploy_log());
    }
}
