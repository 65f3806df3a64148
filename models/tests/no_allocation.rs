//! A control loop must not wait for an allocator: after its first checks neither a worker nor a batch
//! allocates, on any of its threads, with fires and their targets, resets, recoveries and a refused window.
//!
//! One test, alone in its binary: the counter sees every thread, so another test beside it would be counted.

#![allow(clippy::unwrap_used)]
#![allow(unsafe_code, reason = "an allocator that counts can only be made by an unsafe impl")]

#[path = "../../engine/tests/replay_fixtures/mod.rs"]
mod replay_fixtures;
#[path = "../../engine/tests/sentinel_fixtures/mod.rs"]
mod sentinel_fixtures;

use replay_fixtures::{RATE_HZ, Rollout, parameters};
use rollcheck_engine::belief::{Likelihood, Logits, Query, Window};
use rollcheck_engine::constants::HIST_H;
use rollcheck_engine::demos::npz;
use rollcheck_engine::graph::edges;
use rollcheck_engine::recovery::{
    BatchWindows, SentinelBatch, SentinelModel, SentinelSettings, SentinelWorker,
};
use rollcheck_engine::when::RuleSettings;
use rollcheck_models::head::{Head, HeadConfig, HeadWeights, HeadWorker};
use sentinel_fixtures::{Golden, graph};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls that asked for memory, of all threads.
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: every call goes to the system allocator with the arguments it came with; counting touches one
// atomic and allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller promises what `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above, and `ptr` came from `System`, as every pointer of this allocator does.
        unsafe { System.realloc(ptr, layout, new_size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `work` gives, and how often memory was asked for meanwhile.
fn counted<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let result = work();
    (result, ALLOCATIONS.load(Ordering::Relaxed) - before)
}

const WARM_UP: usize = 3;
const EPISODES: usize = 5;
const WORKERS: usize = 3;
const DOF: usize = 7;
/// The check whose window is refused.
const REFUSED: usize = 20;

/// One worker over episodes of a rollout; gives the fires that were carried out.
fn worker_episodes(worker: &mut SentinelWorker, head: &mut HeadWorker, rollout: &Rollout) -> usize {
    let lost = [f64::NAN; HIST_H * DOF];
    let mut executed = 0;
    for _ in 0..EPISODES {
        worker.reset(rollout.task).unwrap();
        for t in 0..rollout.checks() {
            let window = rollout.window(t);
            let window = if t == REFUSED { Window { q: &lost, ..window } } else { window };
            let report = worker.check(head, &window).unwrap();
            if report.intervention.is_some_and(|i| i.is_executed()) {
                executed += 1;
                worker.after_recovery();
            }
        }
    }
    executed
}

/// The windows of one pass: positions and gripper commands of all workers.
type Pass = (Vec<f64>, Vec<bool>);

/// As [`worker_episodes`], for a batch.
fn batch_episodes(batch: &mut SentinelBatch<HeadWorker>, passes: &[Pass], task: i32) -> usize {
    let mut executed = 0;
    for _ in 0..EPISODES {
        for b in 0..WORKERS {
            batch.reset(b, task).unwrap();
        }
        for (t, (q, closed)) in passes.iter().enumerate() {
            let active = [true, t % 3 != 0, true];
            let windows = BatchWindows { q, closed, active: &active, rate_hz: RATE_HZ };
            let mut fired = [false; WORKERS];
            for (fired, report) in fired.iter_mut().zip(batch.check(&windows).unwrap()) {
                *fired = report.and_then(|r| r.intervention).is_some_and(|i| i.is_executed());
            }
            for b in (0..WORKERS).filter(|&b| fired[b]) {
                executed += 1;
                batch.after_recovery(b).unwrap();
            }
        }
    }
    executed
}

/// The head on the bundled graph: warmed by one query, then every demo of every lane, whose frontiers are larger and
/// smaller; with and without the own strand, and without a lane. Gives queries and allocations.
fn head_on_every_demo() -> (usize, usize) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/demos/demos_long.npz");
    let demos = npz::read(path.as_ref()).unwrap();
    let graph = Arc::new(edges::build(&demos).unwrap());
    let weights = HeadWeights::initial(HeadConfig::new(demos.dof()), 1);
    let mut head = HeadWorker::new(Arc::new(Head::new(Arc::clone(&graph), weights).unwrap()));
    let mut logits = Logits { values: Vec::with_capacity(graph.len()) };
    let mut ask = |owner: usize, from: usize, lane: Option<i32>, without_owner: Option<usize>| {
        let (episode, dof) = (&demos.episodes()[owner], demos.dof());
        let q = &episode.q_all()[from * dof..(from + HIST_H) * dof];
        let closed = &episode.closed_all()[from..from + HIST_H];
        let window = Window { q, closed, rate_hz: episode.rate_hz() };
        head.logits(&Query { window, lane, without_owner }, &mut logits);
    };
    ask(0, 0, Some(graph.owner_task(0)), Some(0));
    let mut queries = 0;
    let ((), allocations) = counted(|| {
        for owner in 0..graph.owners() {
            let task = graph.owner_task(owner);
            for from in [0, 90, 180] {
                for (lane, without) in [(Some(task), None), (Some(task), Some(owner)), (None, None)] {
                    ask(owner, from, lane, without);
                    queries += 1;
                }
            }
        }
    });
    (queries, allocations)
}

#[test]
fn checks_do_not_allocate_once_warm() {
    let (_, seen) = counted(|| std::hint::black_box(vec![0_u8; 100]));
    assert!(seen >= 1, "the allocator counts");
    let seen = counted(|| std::thread::spawn(|| std::hint::black_box(vec![0_u8; 100]).len()).join()).1;
    assert!(seen >= 2, "on other threads too");

    let (golden, graph) = (Golden::read("golden_replay.npz"), Arc::new(graph()));
    let push = Rollout::read(&golden, "push");
    let parameters = Arc::new(parameters(&golden, &graph));
    let settings = SentinelSettings::new(RuleSettings::method());
    let model = Arc::new(SentinelModel::new(Arc::clone(&graph), parameters, settings).unwrap());
    let weights = HeadWeights::initial(HeadConfig::new(DOF), 1);
    let head = Arc::new(Head::new(graph, weights).unwrap());

    let mut head_worker = HeadWorker::new(Arc::clone(&head));
    let mut worker = SentinelWorker::new(Arc::clone(&model), push.task).unwrap();
    for t in 0..WARM_UP {
        worker.check(&mut head_worker, &push.window(t)).unwrap();
    }
    let (executed, allocations) = counted(|| worker_episodes(&mut worker, &mut head_worker, &push));
    assert!(executed >= EPISODES, "{executed} fires with a target");
    assert_eq!(allocations, 0, "a worker, {} checks", EPISODES * push.checks());

    let mut batch =
        SentinelBatch::new(model, &[push.task; WORKERS], 2, || HeadWorker::new(Arc::clone(&head))).unwrap();
    let pass = |t| (push.window(t).q.repeat(WORKERS), push.window(t).closed.repeat(WORKERS));
    let mut passes: Vec<Pass> = (0..push.checks()).map(pass).collect();
    for (q, closed) in &passes[..WARM_UP] {
        let windows = BatchWindows { q, closed, active: &[true; WORKERS], rate_hz: RATE_HZ };
        batch.check(&windows).unwrap();
    }
    passes[REFUSED].0[0] = f64::NAN;
    let (executed, allocations) = counted(|| batch_episodes(&mut batch, &passes, push.task));
    assert!(executed >= EPISODES, "{executed} fires with a target");
    assert_eq!(allocations, 0, "a batch on two threads, {} checks", EPISODES * WORKERS * push.checks());

    let (queries, allocations) = head_on_every_demo();
    assert_eq!((queries, allocations), (112 * 9, 0), "the head on 7,208 nodes");
}
