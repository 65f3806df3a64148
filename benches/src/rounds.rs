//! A deploy log of recorded size, for benches of the log reader.
//!
//! Generated data (see [`rollcheck_fixtures::rounds::full_size`]): good for times and memory, evidence of nothing
//! else.

use rollcheck_fixtures::rounds;

/// Seed of the bench's round.
pub const SEED: u64 = 1;

/// One deploy log of about 1.7 MB: some 12,000 lines that no rule reads, a stop of an arm link against the world, and
/// its snapshot of 30 to 38 kB.
pub fn deploy_log() -> Vec<u8> {
    let round = rounds::full_size(SEED);
    round.scenes.first().map_or(Vec::new(), |scene| rounds::deploy_log(scene, round.draw).into_bytes())
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
