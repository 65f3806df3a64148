//! How fast recorded rounds are judged again into a ledger, on every core, files in the page cache.
//!
//! Generated rounds of four full-size scenes (about 6.7 MB a round), each a folder of its own; the whole of
//! `ledger::run` is timed: reading, SHA-256 of every input, judging, journal, Parquet, CSV. The floor beside it reads and
//! hashes the same files and does nothing else. `ROLLCHECK_BENCH_ROUNDS=1000` adds one timed run at that size (7 GB of
//! disk) and the peak memory of this process up to there.

#![allow(clippy::unwrap_used, reason = "a bench whose setup fails has nothing to time")]
#![allow(clippy::print_stderr, reason = "the run at full size is an answer of this bench")]
#![allow(clippy::disallowed_methods, reason = "puts its input in place")]

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use rayon::prelude::*;
use rollcheck_benches::rounds::SEED;
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::ledger::{self, Ending, How, Plan, Search};
use rollcheck_fixtures::rounds;
use sha2::{Digest, Sha256};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Rounds of each size.
const SIZES: [usize; 3] = [4, 16, 64];
/// Rounds that are generated; the others are copies under another name.
const DISTINCT: usize = 4;

/// Folders of rounds below one folder.
struct Rounds {
    folder: tempfile::TempDir,
    bytes: u64,
}

impl Rounds {
    fn new(count: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = 0;
        for index in 0..count {
            let round = folder.path().join(format!("rounds/round-{index:04}"));
            if index < DISTINCT {
                rounds::write(&rounds::full_size(SEED + index as u64), &round).unwrap();
            } else {
                let from = folder.path().join(format!("rounds/round-{:04}", index % DISTINCT));
                copy(&from, &round);
            }
            bytes += files(&round).iter().map(|file| file.metadata().unwrap().len()).sum::<u64>();
        }
        Self { folder, bytes }
    }

    fn plan(&self) -> Plan {
        let how = How {
            rules: vec![RuleSet::Documented],
            from_recorded: false,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let subjects = ledger::subjects(&[self.folder.path().join("rounds")], Search::default()).subjects;
        Plan {
            subjects,
            how,
            out: self.folder.path().join("ledger"),
            batch_rounds: ledger::run::BATCH_ROUNDS,
        }
    }

    fn judge(&self) -> usize {
        match ledger::run(&self.plan(), &mut |_| ControlFlow::Continue(())).unwrap() {
            Ending::Complete(report) => report.first_rows.len(),
            Ending::Stopped(_) => unreachable!("nobody stops it"),
        }
    }

    fn read_and_hash(&self) -> usize {
        let all = files(&self.folder.path().join("rounds"));
        all.par_iter().map(|file| Sha256::digest(std::fs::read(file).unwrap())[0] as usize).sum()
    }
}

fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(&file, target).unwrap();
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Most memory this process ever had, MiB.
fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? >> 10)
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("readjudicate");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(4));
    for size in SIZES {
        let made = std::cell::LazyCell::new(|| Rounds::new(size));
        group.throughput(Throughput::Elements(size as u64));
        group.bench_function(BenchmarkId::new("rounds", size), |b| b.iter(|| made.judge()));
        group.bench_function(BenchmarkId::new("floor: read and hash", size), |b| {
            b.iter(|| made.read_and_hash());
        });
    }
    group.finish();
    criterion.final_summary();
    if let Some(size) = std::env::var("ROLLCHECK_BENCH_ROUNDS").ok().and_then(|n| n.parse().ok()) {
        let rounds = Rounds::new(size);
        rounds.read_and_hash();
        let begin = Instant::now();
        rounds.judge();
        let judged = begin.elapsed();
        let begin = Instant::now();
        rounds.read_and_hash();
        let floor = begin.elapsed();
        eprintln!(
            "{size} rounds, {:.2} GB: {:.2} s; read and hash alone {:.2} s; {:.2} GB/s; peak {} MiB (with the floor's files)",
            rounds.bytes as f64 / 1e9,
            judged.as_secs_f64(),
            floor.as_secs_f64(),
            rounds.bytes as f64 / 1e9 / judged.as_secs_f64(),
            peak_mib().map_or_else(|| "unknown".to_owned(), |mib| mib.to_string())
        );
    }
}
