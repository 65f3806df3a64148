//! How fast a deploy log becomes evidence, in bytes a second on one thread.
//!
//! Two logs of 1.7 MB: a generated one (one stop, one snapshot), and, where recorded rounds are at hand, their excerpt
//! lines cycled between generic lines. `scan` works on memory, `read` streams the file, `read sha256` hashes it in the
//! same pass. The floor is one pass that counts newlines. At the end the same files are read by plain Python
//! (`benches/baselines/read_log.py`), and medians and their ratio are printed.

#![allow(clippy::unwrap_used, reason = "a bench whose setup fails has nothing to time")]
#![allow(clippy::print_stderr, reason = "the comparison is the answer of this bench")]
#![allow(clippy::disallowed_methods, reason = "puts its input in place")]

use criterion::{BenchmarkId, Criterion, Throughput};
use rollcheck_benches::rounds;
use rollcheck_eval::rounds::deploy_log;
use rollcheck_eval::rounds::read::{self, Digests};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Readings by plain Python.
const PYTHON_RUNS: &str = "9";

struct Log {
    name: &'static str,
    bytes: Vec<u8>,
    folder: tempfile::TempDir,
}

impl Log {
    fn new(name: &'static str, bytes: Vec<u8>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("baguette")).unwrap();
        std::fs::write(folder.path().join("baguette/run_deploy.log"), &bytes).unwrap();
        Self { name, bytes, folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("baguette/run_deploy.log")
    }

    fn read(&self, digests: Digests) {
        black_box(read::scene(self.folder.path(), "baguette", "run", digests).unwrap());
    }
}

/// The folder of recorded rounds, where it is at hand.
fn recorded() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("ROLLCHECK_SHARED").map_or(beside, PathBuf::from).join("rounds");
    folder.is_dir().then_some(folder)
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}

/// Medians of our reading and of Python's, in a line.
fn against_python(log: &Log) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("baselines/read_log.py");
    let timed = |act: &dyn Fn()| {
        let once = |_| {
            let begin = Instant::now();
            act();
            begin.elapsed()
        };
        median((0..101).map(once).collect())
    };
    let scan = timed(&|| drop(black_box(deploy_log::parse(black_box(&log.bytes), "log").unwrap())));
    let read = timed(&|| log.read(Digests::Skip));
    let output = Command::new("python3").arg(script).arg(log.file()).arg(PYTHON_RUNS).output();
    let python = output.ok().filter(|o| o.status.success()).and_then(|o| {
        let value: serde_json::Value = serde_json::from_slice(&o.stdout).ok()?;
        value["seconds"]["median"].as_f64()
    });
    let size = log.bytes.len() as f64;
    let rate = |ours: f64| format!("{:>8.3} ms {:>5.2} GB/s", 1e3 * ours, size / ours / 1e9);
    match python {
        None => format!(
            "{:<10} {} {}  SKIPPED plain Python: python3 did not run",
            log.name,
            rate(scan),
            rate(read)
        ),
        Some(python) => format!(
            "{:<10} {} {:>4.0} x {} {:>4.0} x {:>8.2} ms",
            log.name,
            rate(scan),
            python / scan,
            rate(read),
            python / read,
            1e3 * python
        ),
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut logs = vec![Log::new("generated", rounds::deploy_log())];
    match recorded() {
        Some(folder) => logs.push(Log::new("recorded", rounds::cycled(&folder))),
        None => {
            eprintln!("SKIPPED the log of recorded lines: no recorded rounds at hand (set ROLLCHECK_SHARED)");
        }
    }
    let mut group = criterion.benchmark_group("log_scan");
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for log in &logs {
        group.throughput(Throughput::Bytes(log.bytes.len() as u64));
        group.bench_function(BenchmarkId::new(log.name, "floor: count newlines"), |b| {
            b.iter(|| memchr::memchr_iter(b'\n', black_box(&log.bytes)).count());
        });
        group.bench_function(BenchmarkId::new(log.name, "scan"), |b| {
            b.iter(|| deploy_log::parse(black_box(&log.bytes), "log").unwrap());
        });
        group.bench_function(BenchmarkId::new(log.name, "read"), |b| b.iter(|| log.read(Digests::Skip)));
        group.bench_function(BenchmarkId::new(log.name, "read sha256"), |b| {
            b.iter(|| log.read(Digests::Sha256));
        });
    }
    group.finish();
    criterion.final_summary();
    eprintln!("log         scan of memory, against Python    file read, against Python     plain Python");
    for log in &logs {
        eprintln!("{}", against_python(log));
    }
}
