//! One whole check (head, filter, rule, read-out) for B workers in one pass on one thread, beside the plain
//! candle forward of one window on the same graph.
//!
//! The weights are initial ones: their values do not change what is computed, so times are those of a trained
//! head. Rollouts are those of an expert that the graph has not seen. The threshold is set so that every check
//! with an open gripper fires and reads a target: the most that a check can ask for.
//!
//! The floor of a check at D = 32, from the rows that the bench prints (256 seeds, then 1329, 1846 and 1405 rows
//! on the real graph; 1743, 3281 and 2747 on the generated one) and 21 in-edges a row:
//!
//! ```text
//!                                real              generated
//! distances to all nodes         0.6 MB            2.3 MB           56 B a node read, 24 B written
//! gathered states                12.9 MB           21.9 MB          22 rows of 128 B a row, out of L2 and L3
//! row arithmetic                 27 MFLOP          45 MFLOP         2 products 32 x 32, 21 sums, 12 gates
//! logits                         3 MFLOP           6 MFLOP          1 product 32 x 32 a node of the lane
//! walk                           39 k edges        69 k edges       one byte looked up for each
//! filter                         1.5 k nodes       2.9 k nodes      `cargo bench -- filter`
//! ```
//!
//! At half of 64 FLOP and 32 B a cycle, 2.6 GHz, one after the other: about 0.7 ms and 1.2 ms, of which the rows
//! of message passing are nearly all. Measured (`runs/2026-11-30-x86-64-2-core`): 1.7 ms and 3.0 ms, 2.5 times the
//! floor. A profile of whole checks gives message passing 61 % and 54 %, so it runs at about 0.6 of the assumed
//! rates; the walk 17 % of both, 0.3 ms and 0.5 ms, far more than its edges should cost; logits 5 % and 4 %. What
//! is left is selection, clearing, the filter and the read-out, none of them above 4 %.

#![allow(clippy::unwrap_used, reason = "a bench whose setup fails has nothing to time")]
#![allow(clippy::print_stderr, reason = "the percentiles are the answer of this bench")]

use candle_core::{Device, Tensor};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use rollcheck_benches::inputs::{Passes, Suite, suites};
use rollcheck_engine::belief::{AdvanceParameters, Likelihood, Logits, Query, Window};
use rollcheck_engine::constants::{HIST_H, LAYERS, LEAK, NBINS_ALIGN, TRACK_TAU};
use rollcheck_engine::recovery::{
    BatchWindows, Intervention, SentinelBatch, SentinelModel, SentinelSettings,
};
use rollcheck_engine::track::{Banks, TrackParameters};
use rollcheck_engine::when::pooling::Sample;
use rollcheck_engine::when::{BasinTable, NullBank, RuleSettings, Threshold};
use rollcheck_models::head::plain::{PlainHead, tensors};
use rollcheck_models::head::{Head, HeadConfig, HeadWeights, HeadWorker};
use std::cell::LazyCell;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Workers in one pass.
const WORKERS: [usize; 3] = [1, 8, 64];
/// Passes that are left out of the percentiles: the first ones fault pages in.
const FIRST_PASSES: usize = 3;
/// Samples of each cell of a bank; about what the replays of a suite give.
const BANK_CELL: usize = 100;

/// A head and what the loop needs around it.
struct Loop {
    head: Arc<Head>,
    model: Arc<SentinelModel>,
}

impl Loop {
    fn new(suite: &Suite) -> Self {
        let graph = suite.graph();
        let weights = HeadWeights::initial(HeadConfig::new(graph.dof()), 1);
        let head = Arc::new(Head::new(Arc::clone(graph), weights).unwrap());
        let mut bank = NullBank::default();
        for task_id in graph.lanes().iter().map(|lane| lane.task_id) {
            for (bin, i) in (0..NBINS_ALIGN).flat_map(|bin| (0..BANK_CELL).map(move |i| (bin, i))) {
                bank.push(i % graph.owners(), Sample { task_id, bin, value: i as f64 / BANK_CELL as f64 });
            }
        }
        let parameters = TrackParameters {
            advance: AdvanceParameters::default(),
            leak: LEAK,
            tau: TRACK_TAU,
            banks: Banks { basin: bank.clone(), progress: bank.clone(), evidence: bank },
            basin: BasinTable::of_graph(graph, |_| true, |_| true),
            replays: 0,
            checks: 0,
            summary: String::new(),
            graph: graph.hash().clone(),
            head: head.hash().clone(),
        };
        let rule = RuleSettings {
            max_interventions: 1 << 20,
            threshold: Threshold::Episode { log_basin: f64::NEG_INFINITY, log_progress: f64::INFINITY },
            ..RuleSettings::method()
        };
        let settings = SentinelSettings::new(rule);
        let model = SentinelModel::new(Arc::clone(graph), Arc::new(parameters), settings).unwrap();
        Self { head, model: Arc::new(model) }
    }

    /// Rows that the head computes in a check, on average over eight rollouts.
    fn rows_a_check(&self) -> String {
        let (passes, mut worker, mut logits) =
            (Passes::of(64), HeadWorker::new(Arc::clone(&self.head)), Logits::default());
        let frame = HIST_H * self.head.graph().dof();
        let mut sums = vec![0; LAYERS + 1];
        let mut checks = 0;
        for (b, &task) in passes.tasks.iter().enumerate().step_by(8) {
            for (q, closed) in &passes.windows {
                let (q, closed) = (&q[b * frame..(b + 1) * frame], &closed[b * HIST_H..(b + 1) * HIST_H]);
                let window = Window { q, closed, rate_hz: passes.rate_hz };
                let query = Query { window, lane: Some(task), without_owner: None };
                worker.logits(&query, &mut logits);
                sums.iter_mut().zip(worker.active()).for_each(|(sum, rows)| *sum += rows);
                checks += 1;
            }
        }
        let mean = |rows: usize| (rows / checks).to_string();
        format!("seeds {}", sums.into_iter().map(mean).collect::<Vec<_>>().join(", then "))
    }
}

/// A batch on its way through the rollouts.
struct Run {
    batch: SentinelBatch<HeadWorker>,
    passes: Passes,
    active: Vec<bool>,
    next: usize,
    /// Time of every pass so far.
    times: Vec<Duration>,
    /// Checks that read a target.
    targets: usize,
}

impl Run {
    fn new(around: &Loop, workers: usize) -> Self {
        let passes = Passes::of(workers);
        let head = || HeadWorker::new(Arc::clone(&around.head));
        let batch = SentinelBatch::new(Arc::clone(&around.model), &passes.tasks, 1, head).unwrap();
        Self { batch, passes, active: vec![true; workers], next: 0, times: Vec::new(), targets: 0 }
    }

    /// Times one pass; rollouts start again where they end, outside the time.
    fn pass(&mut self) -> Duration {
        if self.next == self.passes.windows.len() {
            self.next = 0;
            for (b, &task) in self.passes.tasks.iter().enumerate() {
                self.batch.reset(b, task).unwrap();
            }
        }
        let (q, closed) = &self.passes.windows[self.next];
        let windows = BatchWindows { q, closed, active: &self.active, rate_hz: self.passes.rate_hz };
        let start = Instant::now();
        let reports = black_box(self.batch.check(black_box(&windows)).unwrap());
        let time = start.elapsed();
        let interventions = reports.iter().flatten().filter_map(|report| report.intervention);
        self.targets += interventions.filter(Intervention::is_executed).count();
        self.next += 1;
        self.times.push(time);
        time
    }

    /// A line of the table.
    fn row(&self, name: &str) -> String {
        let (workers, passes) = (self.active.len(), self.times.len());
        let mut times = self.times[FIRST_PASSES.min(passes - 1)..].to_vec();
        times.sort_unstable();
        let at_ms =
            |share: f64| times[((times.len() - 1) as f64 * share).round() as usize].as_secs_f64() * 1e3;
        let (p50_ms, p99_ms) = (at_ms(0.5), at_ms(0.99));
        let read = 100.0 * self.targets as f64 / (workers * passes) as f64;
        let each_ms = p50_ms / workers as f64;
        let passes = times.len();
        format!("{name:<24} {p50_ms:>9.3} {p99_ms:>9.3} {each_ms:>11.3} {passes:>7} {read:>9.0} %")
    }
}

/// The candle head with its weights and the windows of one rollout.
struct Plain {
    head: PlainHead,
    weights: Vec<Tensor>,
    passes: Passes,
}

impl Plain {
    fn new(around: &Loop) -> Self {
        Self {
            head: PlainHead::new(&around.head, &Device::Cpu).unwrap(),
            weights: tensors(around.head.weights(), &Device::Cpu).unwrap(),
            passes: Passes::of(1),
        }
    }

    fn forward(&self, around: &Loop, t: usize) -> Tensor {
        let (q, closed) = &self.passes.windows[t % self.passes.windows.len()];
        let window = Window { q, closed, rate_hz: self.passes.rate_hz };
        let query = Query { window, lane: Some(self.passes.tasks[0]), without_owner: None };
        self.head.forward(&around.head, &self.weights, &query).unwrap()
    }
}

/// Benches a suite; gives the lines of the table.
fn bench(group: &mut BenchmarkGroup<'_, WallTime>, suite: &Suite) -> Vec<String> {
    let around = LazyCell::new(|| Loop::new(suite));
    let mut rows = Vec::new();
    for workers in WORKERS {
        // Made when the filter of the command line lets the first pass through.
        let mut run = None;
        group.throughput(Throughput::Elements(workers as u64));
        group.bench_function(BenchmarkId::new(suite.name(), format!("B={workers}")), |b| {
            let run = run.get_or_insert_with(|| Run::new(&around, workers));
            b.iter_custom(|iterations| (0..iterations).map(|_| run.pass()).sum());
        });
        rows.extend(run.map(|run| run.row(&format!("{} B={workers}", suite.name()))));
    }
    let plain = LazyCell::new(|| Plain::new(&around));
    group.throughput(Throughput::Elements(1));
    group.bench_function(BenchmarkId::new(suite.name(), "plain candle forward"), |b| {
        let mut t = 0;
        b.iter(|| {
            t += 1;
            plain.forward(&around, t)
        });
    });
    if !rows.is_empty() {
        rows.push(format!("{} rows a check: {}", suite.name(), around.rows_a_check()));
    }
    rows
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("check");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3));
    let rows: Vec<String> = suites().into_iter().flat_map(|suite| bench(&mut group, suite)).collect();
    group.finish();
    criterion.final_summary();
    if !rows.is_empty() {
        eprintln!("one pass, ms                   p50       p99  p50 a check  passes  read-outs");
        for row in rows {
            eprintln!("{row}");
        }
    }
}
