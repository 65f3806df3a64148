//! One worker: refusals, windows that are not finite, blind checks, resets, recoveries, fires.

use super::replay_fixtures::{JointKernel, RATE_HZ, Rollout, parameters};
use super::sentinel_fixtures::assert_close;
use super::{Blind, GOLDEN, GRAPH, away, kernel, model, model_with, rollout, worker_on};
use proptest::prelude::*;
use rollcheck_engine::belief::{Advance, CheckCounts, CheckKind, Likelihood, Scope, Window};
use rollcheck_engine::constants::{HIST_H, NBINS_ALIGN};
use rollcheck_engine::graph::DemoGraph;
use rollcheck_engine::readout::TargetKind;
use rollcheck_engine::recovery::{
    CheckReport, Choice, Intervention, RecoveryError, Sentinel, SentinelBatch, SentinelModel,
    SentinelSettings, SentinelWorker,
};
use rollcheck_engine::servo::ServoSettings;
use rollcheck_engine::store::{Data, GraphHash};
use rollcheck_engine::when::{Fire, RuleSettings, Threshold};
use std::sync::Arc;

/// A model whose basin test fires at every check with an open gripper.
fn trigger_happy() -> Arc<SentinelModel> {
    let threshold = Threshold::Episode { log_basin: f64::NEG_INFINITY, log_progress: f64::INFINITY };
    model_with(RuleSettings { threshold, ..RuleSettings::method() })
}

/// The reports of the checks `checks` of a rollout.
fn run(
    worker: &mut SentinelWorker,
    rollout: &Rollout,
    checks: impl IntoIterator<Item = usize>,
) -> Vec<CheckReport> {
    let mut head = kernel();
    checks.into_iter().map(|t| worker.check(&mut head, &rollout.window(t)).unwrap()).collect()
}

/// Everything of a worker that a caller can see.
fn seen(worker: &SentinelWorker) -> (i32, CheckCounts, usize, Option<Vec<f64>>, Vec<f64>) {
    let belief = worker.belief().map(<[f64]>::to_vec);
    (worker.task(), worker.counts(), worker.fires(), belief, worker.target().as_slice().to_vec())
}

#[test]
fn parameters_of_another_graph_are_refused_with_both_hashes() {
    let mut foreign = parameters(&GOLDEN, &GRAPH);
    foreign.graph = GraphHash::of([("other", &[1][..], &Data::U8(vec![1]))]);
    let message =
        format!("parameters were fitted for graph {}, this is graph {}", foreign.graph, GRAPH.hash());
    let settings = SentinelSettings::new(RuleSettings::method());
    let refused = SentinelModel::new(Arc::clone(&GRAPH), Arc::new(foreign), settings).unwrap_err();
    assert!(matches!(refused, RecoveryError::OtherGraph { .. }));
    assert_eq!(refused.to_string(), message);
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let usual = SentinelSettings::new(RuleSettings::method());
    let refused = |settings| model().with_settings(settings).unwrap_err().to_string();
    assert_eq!(
        refused(SentinelSettings { tau: Choice::Fixed(0.0), ..usual }),
        "parameter `tau`: 0, expected a positive finite temperature"
    );
    let rule = RuleSettings { bet_every: 0, ..usual.rule };
    assert_eq!(
        refused(SentinelSettings { rule, ..usual }),
        "setting `bet_every` is 0, expected at least 1 check"
    );
    let servo = ServoSettings { kp: -1.0, ..usual.servo };
    assert!(refused(SentinelSettings { servo, ..usual }).contains("`kp`"));
}

#[test]
fn an_unknown_task_is_refused_and_leaves_the_worker_as_it_was() {
    let message = "task 3 is not in the graph, which has the tasks [0, 7]";
    assert_eq!(SentinelWorker::new(model(), 3).unwrap_err().to_string(), message);
    assert_eq!(Sentinel::new(model(), kernel(), 3, RATE_HZ).err().unwrap().to_string(), message);
    assert_eq!(SentinelBatch::new(model(), &[0, 3], 2, kernel).err().unwrap().to_string(), message);

    let push = rollout("push");
    let mut worker = worker_on(&model(), &push);
    run(&mut worker, &push, 0..5);
    let before = seen(&worker);
    assert_eq!(worker.reset(3).unwrap_err().to_string(), message);
    assert_eq!(seen(&worker), before);
}

#[test]
fn a_window_that_does_not_fit_is_refused_and_leaves_the_worker_as_it_was() {
    let push = rollout("push");
    let mut worker = worker_on(&model(), &push);
    run(&mut worker, &push, 0..5);
    let before = seen(&worker);
    let window = push.window(5);
    let mut refused = |window| worker.check(&mut kernel(), &window).unwrap_err().to_string();
    assert_eq!(
        refused(Window { closed: &window.closed[1..], ..window }),
        "frames of the window: 7, expected 8"
    );
    assert_eq!(refused(Window { q: &window.q[HIST_H..], ..window }), "values of the window: 48, expected 56");
    for rate_hz in [0.0, -20.0, f64::NAN, f64::INFINITY] {
        assert_eq!(
            refused(Window { rate_hz, ..window }),
            format!("rate is {rate_hz} Hz, expected a positive number")
        );
    }
    assert_eq!(seen(&worker), before);
    let text = |e: RecoveryError| e.to_string();
    let at = |rate_hz| Sentinel::new(model(), kernel(), 0, rate_hz).err().map(text);
    assert_eq!(at(0.0).unwrap(), "rate is 0 Hz, expected a positive number");
    let mut sentinel = Sentinel::new(model(), kernel(), 0, RATE_HZ).unwrap();
    assert_eq!(text(sentinel.observe(&[0.0; 6], false).unwrap_err()), "joints of the frame: 6, expected 7");
}

/// `P b` of the lane of task 0.
fn predicted(belief: &[f64]) -> Vec<f64> {
    let scope = Scope::new(&GRAPH, Some(0)).unwrap();
    let advance = Advance::build(&GRAPH, &scope, &parameters(&GOLDEN, &GRAPH).advance).unwrap();
    let (mut advanced, mut out) = (vec![0.0; belief.len()], vec![0.0; belief.len()]);
    advance.apply(belief, &mut advanced, &mut out).unwrap();
    out
}

#[test]
fn a_window_that_is_not_finite_is_refused_and_the_belief_survives() {
    let clean = rollout("clean");
    for (at, value) in [(0, f64::NAN), (17, f64::INFINITY), (55, f64::NEG_INFINITY)] {
        let mut worker = worker_on(&model(), &clean);
        let before = run(&mut worker, &clean, 0..10).pop().unwrap();
        let expected = predicted(worker.belief().unwrap());

        let mut q = clean.window(10).q.to_vec();
        q[at] = value;
        let report = worker.check(&mut kernel(), &Window { q: &q, ..clean.window(10) }).unwrap();
        assert_eq!((report.index, report.belief.kind), (10, CheckKind::Refused));
        assert_eq!((report.basin, report.p_basin), (None, None));
        assert_eq!((report.progress, report.p_progress), (None, None));
        assert_eq!(report.ruling.log_basin, before.ruling.log_basin, "no bet");
        assert_eq!(report.ruling.log_progress, before.ruling.log_progress, "no bet");
        assert_eq!(worker.belief().unwrap(), expected);
        let counts = CheckCounts { checks: 11, refused: 1, ..CheckCounts::default() };
        assert_eq!(worker.counts(), counts);

        // The check after it is an ordinary one, and its change of phase is from the predicted phase.
        let after = run(&mut worker, &clean, [11]).pop().unwrap();
        assert_eq!(after.belief.kind, CheckKind::Updated);
        let change = after.belief.phase_hat().unwrap() - report.belief.phase_hat().unwrap();
        assert_eq!(after.progress.unwrap().change, change);
        assert!((worker.belief().unwrap().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(worker.counts(), CheckCounts { checks: 12, ..counts });
    }
}

#[test]
fn a_refused_window_has_no_pose_to_put_back() {
    let clean = rollout("clean");
    let mut worker = worker_on(&trigger_happy(), &clean);
    let q = [f64::NAN; 56];
    let report = worker.check(&mut kernel(), &Window { q: &q, ..clean.window(0) }).unwrap();
    assert_eq!(report.ruling.fire, Some(Fire::Basin));
    assert_eq!(report.intervention, Some(Intervention { fire: Fire::Basin, target: TargetKind::None }));
    assert_eq!(worker.fires(), 0);
    let next = run(&mut worker, &clean, [1]).pop().unwrap();
    assert!(next.intervention.unwrap().is_executed());
}

#[test]
fn a_blind_check_bets_on_the_basin_and_not_on_progress() {
    let clean = rollout("clean");
    let mut worker = worker_on(&model(), &clean);
    let before = run(&mut worker, &clean, 0..10).pop().unwrap();
    let report = worker.check(&mut Blind, &clean.window(10)).unwrap();
    assert_eq!((report.belief.kind, report.belief.reached), (CheckKind::Blind, 0));
    assert!(report.p_basin.is_some() && report.ruling.log_basin != before.ruling.log_basin);
    assert_eq!((report.progress, report.ruling.log_progress), (None, before.ruling.log_progress));
    assert_eq!(worker.counts(), CheckCounts { checks: 11, blind: 1, ..CheckCounts::default() });
}

#[test]
fn blind_before_there_is_a_belief_gives_no_outputs() {
    let settings = SentinelSettings { start_prior: false, ..*model().settings() };
    let model = Arc::new(model().with_settings(settings).unwrap());
    let clean = rollout("clean");
    let mut worker = worker_on(&model, &clean);
    let report = worker.check(&mut Blind, &clean.window(0)).unwrap();
    assert_eq!((report.belief.summary, report.basin, report.p_basin), (None, None, None));
    assert_eq!((report.ruling.log_basin, report.ruling.log_progress), (0.0, 0.0));
    assert_eq!(worker.belief(), None);
    let first = run(&mut worker, &clean, [1]).pop().unwrap();
    assert_eq!((first.belief.kind, first.progress), (CheckKind::First, None));
}

#[test]
fn an_episode_after_a_reset_is_that_of_a_fresh_worker() {
    let (push, stall) = (rollout("push"), rollout("stall"));
    let fresh = |rollout: &Rollout| {
        let mut worker = worker_on(&model(), rollout);
        let reports = run(&mut worker, rollout, 0..rollout.checks());
        (reports, seen(&worker))
    };
    let (push_alone, stall_alone) = (fresh(&push), fresh(&stall));
    assert!(push_alone.0.iter().any(|r| r.intervention.is_some()), "a fire precedes the reset");

    let mut worker = worker_on(&model(), &push);
    for (rollout, alone) in
        [(&push, &push_alone), (&push, &push_alone), (&stall, &stall_alone), (&push, &push_alone)]
    {
        worker.reset(rollout.task).unwrap();
        assert_eq!(worker.counts(), CheckCounts::default());
        assert_eq!(worker.fires(), 0);
        let reports = run(&mut worker, rollout, 0..rollout.checks());
        assert_eq!(reports, alone.0);
        let (after, mut expected) = (seen(&worker), alone.1.clone());
        if expected.2 == 0 {
            // No fire, so nothing has written a target over the one of an episode before.
            expected.4.clone_from(&after.4);
        }
        assert_eq!(after, expected);
    }
}

#[test]
fn after_a_recovery_the_next_check_takes_its_likelihood_and_bets_anew() {
    let push = rollout("push");
    let model = model_with(RuleSettings { bet_every: 3, ..RuleSettings::method() });
    let mut worker = worker_on(&model, &push);
    // Bets at checks 0, 3, 6, ...: the count stands at 11, so without a recovery check 11 would not bet.
    let before = run(&mut worker, &push, 0..11).pop().unwrap();
    worker.after_recovery();
    let reports = run(&mut worker, &push, 11..16);

    let first = reports[0];
    assert_eq!((first.belief.kind, first.belief.log_predictive), (CheckKind::First, None));
    assert_eq!((first.progress, first.p_progress), (None, None));
    assert_ne!(first.ruling.log_basin, before.ruling.log_basin, "the first check bets");
    assert_eq!(first.ruling.log_progress, before.ruling.log_progress);
    let bets: Vec<bool> =
        reports.windows(2).map(|w| w[0].ruling.log_basin != w[1].ruling.log_basin).collect();
    assert_eq!(bets, [false, false, true, false]);
    assert_eq!(reports[1].belief.kind, CheckKind::Updated);
    assert!(reports[1].progress.is_some());

    let mut again = worker_on(&model, &push);
    run(&mut again, &push, 0..11);
    again.after_recovery();
    run(&mut again, &push, [11]);
    let logits: Vec<f64> =
        again.logits().values.iter().map(|&l| f64::from(l) / model.parameters().tau).collect();
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logits.iter().map(|l| (l - max).exp()).collect();
    let total: f64 = weights.iter().sum();
    let likelihood: Vec<f64> = weights.iter().map(|w| w / total).collect();
    assert_close("b = L", again.belief().unwrap(), &likelihood);
}

#[test]
fn a_fire_without_a_target_is_neither_carried_out_nor_counted() {
    // In bins 4 to 6 of task 7 every node has the gripper closed, so an open gripper has no candidate.
    let held = |graph: &DemoGraph, v: usize| graph.bin(v) == 5;
    let mut head = JointKernel { graph: Arc::clone(&GRAPH), reaches: held };
    let stall = rollout("stall");
    let settings = SentinelSettings { start_prior: false, ..*model().settings() };
    let mut worker = worker_on(&Arc::new(model().with_settings(settings).unwrap()), &stall);
    let (q, closed) = ([9.0; 56], [false; HIST_H]);
    let window = Window { q: &q, closed: &closed, rate_hz: RATE_HZ };
    let mut fired = Vec::new();
    let mut log_basin = 0.0;
    for _ in 0..14 {
        let report = worker.check(&mut head, &window).unwrap();
        assert!(report.ruling.log_basin > log_basin, "never reset");
        log_basin = report.ruling.log_basin;
        fired.extend(report.intervention);
    }
    assert!(fired.len() > 1, "fires again at every check");
    assert!(fired.iter().all(|i| i.target == TargetKind::None && !i.is_executed()));
    assert_eq!(worker.fires(), 0);
    assert_eq!(worker.target().as_slice(), [0.0; 56]);
}

#[test]
fn frame_by_frame_is_window_by_window() {
    for case in ["clean", "push", "stall"] {
        let rollout = rollout(case);
        let mut worker = worker_on(&model(), &rollout);
        let expected = run(&mut worker, &rollout, 0..rollout.checks());
        let mut sentinel = Sentinel::new(model(), kernel(), rollout.task, RATE_HZ).unwrap();
        for _ in 0..2 {
            let mut found = Vec::new();
            for (k, q) in rollout.q.chunks(GRAPH.dof()).enumerate() {
                let report = sentinel.observe(q, rollout.closed[k]).unwrap();
                assert_eq!(report.is_some(), k % HIST_H == HIST_H - 1, "frame {k}");
                found.extend(report);
            }
            assert_eq!(found, expected, "{case}");
            assert_eq!(seen(sentinel.worker()), seen(&worker));
            // Frames of the last, unfinished window do not reach into the next episode.
            sentinel.reset(rollout.task).unwrap();
        }
    }
}

#[test]
fn a_recovery_empties_the_window_that_was_filling() {
    let push = rollout("push");
    let mut sentinel = Sentinel::new(model(), kernel(), push.task, RATE_HZ).unwrap();
    let mut frames = push.q.chunks(GRAPH.dof());
    for q in frames.by_ref().take(HIST_H + 3) {
        sentinel.observe(q, false).unwrap();
    }
    sentinel.after_recovery();
    let reports: Vec<bool> =
        frames.take(HIST_H).map(|q| sentinel.observe(q, false).unwrap().is_some()).collect();
    assert_eq!(reports, [false, false, false, false, false, false, false, true]);
}

proptest! {
    /// Whatever a worker is shown, its belief is a distribution and its fires are within what is allowed.
    #[test]
    fn any_rollout_leaves_a_belief_and_at_most_the_allowed_fires(
        steps in prop::collection::vec((0_usize..298, 0.0..0.6_f64, 0_u8..12, any::<bool>()), 1..60),
    ) {
        let model = model();
        let mut worker = SentinelWorker::new(Arc::clone(&model), 0).unwrap();
        let mut executed = 0;
        for (node, push_rad, fault, closed) in steps {
            let mut q = away(GRAPH.q(node), 1, push_rad).repeat(HIST_H);
            if fault == 0 {
                q[0] = f64::NAN;
            }
            let window = Window { q: &q, closed: &[closed; HIST_H], rate_hz: RATE_HZ };
            let head: &mut dyn Likelihood = if fault == 1 { &mut Blind } else { &mut kernel() };
            let report = worker.check(head, &window).unwrap();
            prop_assert_eq!(report.intervention.map(|i| i.fire), report.ruling.fire);
            if report.intervention.is_some_and(|i| i.is_executed()) {
                executed += 1;
                prop_assert!(!closed && fault != 0);
                prop_assert!(worker.target().as_slice().iter().all(|x| x.is_finite()));
                worker.after_recovery();
            } else if let Some(belief) = worker.belief() {
                prop_assert!((belief.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
            let bin = report.basin.map(|b| b.bin);
            prop_assert!(bin.is_none_or(|bin| bin < NBINS_ALIGN));
        }
        prop_assert_eq!(worker.fires(), executed);
        prop_assert!(executed <= model.settings().rule.max_interventions);
    }
}
