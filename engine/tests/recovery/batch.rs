//! Many workers in one pass.

use super::replay_fixtures::{JointKernel, RATE_HZ, Rollout};
use super::{GRAPH, kernel, model, rollout, worker_on};
use rollcheck_engine::belief::{CheckCounts, CheckKind};
use rollcheck_engine::constants::HIST_H;
use rollcheck_engine::recovery::{BatchWindows, CheckReport, RecoveryError, SentinelBatch, SentinelWorker};

/// Which worker of a batch has a window at check `t`.
fn is_active(worker: usize, t: usize) -> bool {
    !(t + worker).is_multiple_of(4)
}

#[test]
fn a_batch_answers_as_its_workers_alone_for_any_size_and_threads() {
    let rollouts = [rollout("push"), rollout("stall"), rollout("clean")];
    let frame = HIST_H * GRAPH.dof();
    for workers in [1, 3, 8] {
        let of: Vec<&Rollout> = (0..workers).map(|b| &rollouts[b % rollouts.len()]).collect();
        let tasks: Vec<i32> = of.iter().map(|r| r.task).collect();
        let checks = of.iter().map(|r| r.checks()).min().unwrap();
        let mut alone: Vec<SentinelWorker> = of.iter().map(|r| worker_on(&model(), r)).collect();
        let mut expected = Vec::new();
        for t in 0..checks {
            let check = |(b, worker): (usize, &mut SentinelWorker)| {
                is_active(b, t).then(|| worker.check(&mut kernel(), &of[b].window(t)).unwrap())
            };
            expected.push(alone.iter_mut().enumerate().map(check).collect::<Vec<_>>());
        }
        assert!(alone.iter().any(|worker| worker.fires() > 0));
        for threads in [1, 2, 3] {
            let mut batch = SentinelBatch::new(model(), &tasks, threads, kernel).unwrap();
            assert_eq!((batch.len(), batch.is_empty()), (workers, false));
            for (t, expected) in expected.iter().enumerate() {
                let mut q = vec![f64::NAN; workers * frame];
                let mut closed = vec![false; workers * HIST_H];
                let active: Vec<bool> = (0..workers).map(|b| is_active(b, t)).collect();
                for b in (0..workers).filter(|&b| active[b]) {
                    q[b * frame..(b + 1) * frame].copy_from_slice(of[b].window(t).q);
                    closed[b * HIST_H..(b + 1) * HIST_H].copy_from_slice(of[b].window(t).closed);
                }
                let windows = BatchWindows { q: &q, closed: &closed, active: &active, rate_hz: RATE_HZ };
                assert_eq!(batch.check(&windows).unwrap(), expected, "B = {workers}, {threads} threads");
            }
            for (b, worker) in alone.iter().enumerate() {
                assert_eq!(batch.target(b).unwrap(), *worker.target());
                assert_eq!(batch.counts(b).unwrap(), worker.counts());
            }
        }
    }
}

#[test]
fn workers_of_a_batch_reset_and_recover_alone() {
    let (push, frame) = (rollout("push"), HIST_H * GRAPH.dof());
    let mut batch = SentinelBatch::new(model(), &[0, 0, 0], 2, kernel).unwrap();
    let check = |batch: &mut SentinelBatch<JointKernel>, t: usize| {
        let (q, closed) = (push.window(t).q.repeat(3), push.window(t).closed.repeat(3));
        assert_eq!(q.len(), 3 * frame);
        let windows = BatchWindows { q: &q, closed: &closed, active: &[true; 3], rate_hz: RATE_HZ };
        batch.check(&windows).unwrap().iter().map(|r| r.unwrap()).collect::<Vec<_>>()
    };
    for t in 0..4 {
        check(&mut batch, t);
    }
    batch.after_recovery(1).unwrap();
    batch.reset(2, 7).unwrap();
    let reports = check(&mut batch, 4);
    assert_eq!(reports.iter().map(|r| r.index).collect::<Vec<_>>(), [4, 4, 0]);
    let kinds: Vec<CheckKind> = reports.iter().map(|r| r.belief.kind).collect();
    assert_eq!(kinds, [CheckKind::Updated, CheckKind::First, CheckKind::Updated]);
    let map_task = |r: &CheckReport| GRAPH.task(r.belief.summary.unwrap().map_node as usize);
    assert_eq!(reports.iter().map(map_task).collect::<Vec<_>>(), [0, 0, 7]);
}

#[test]
fn a_batch_refuses_slices_and_workers_that_it_has_not() {
    let mut batch = SentinelBatch::new(model(), &[0, 7], 2, kernel).unwrap();
    let (q, closed, active) = ([0.0; 112], [false; 16], [true; 2]);
    let whole = BatchWindows { q: &q, closed: &closed, active: &active, rate_hz: RATE_HZ };
    let mut refused = |windows| batch.check(&windows).unwrap_err().to_string();
    assert_eq!(refused(BatchWindows { active: &active[1..], ..whole }), "workers with a flag: 1, expected 2");
    assert_eq!(refused(BatchWindows { q: &q[1..], ..whole }), "values of all windows: 111, expected 112");
    assert_eq!(
        refused(BatchWindows { closed: &closed[1..], ..whole }),
        "gripper flags of all windows: 15, expected 16"
    );
    assert_eq!(refused(BatchWindows { rate_hz: 0.0, ..whole }), "rate is 0 Hz, expected a positive number");
    let message = "worker 2, the batch has 2";
    assert_eq!(batch.reset(2, 0).unwrap_err().to_string(), message);
    assert_eq!(batch.after_recovery(2).unwrap_err().to_string(), message);
    assert_eq!(batch.target(2).unwrap_err().to_string(), message);
    assert_eq!(batch.counts(2).unwrap_err().to_string(), message);
    assert!(matches!(batch.reset(0, 5), Err(RecoveryError::Belief(_))));
    assert_eq!(batch.counts(0).unwrap(), CheckCounts::default(), "nothing was checked");
}

#[test]
fn a_batch_of_no_workers_has_nothing_to_say() {
    let mut batch = SentinelBatch::new(model(), &[], 2, kernel).unwrap();
    assert!(batch.is_empty());
    let windows = BatchWindows { q: &[], closed: &[], active: &[], rate_hz: RATE_HZ };
    assert_eq!(batch.check(&windows).unwrap(), []);
}
