//! The recovery loop from end to end against recorded expectations: three leave-one-demo-out replays with
//! given logits, from window to target.

#![allow(clippy::unwrap_used)]

mod replay_fixtures;
mod sentinel_fixtures;

use replay_fixtures::{Rollout, parameters};
use rollcheck_engine::belief::{CheckCounts, Likelihood, Logits, Query};
use rollcheck_engine::constants::phase_bin;
use rollcheck_engine::readout::TargetKind;
use rollcheck_engine::recovery::{CheckReport, Choice, SentinelModel, SentinelSettings, SentinelWorker};
use rollcheck_engine::when::{Fire, PValue, RuleSettings, WealthRule};
use sentinel_fixtures::{Golden, assert_close, graph};
use std::sync::Arc;

/// A head that plays back recorded logits, one row a check.
struct Recorded {
    /// By check, restricted to the lane.
    rows: std::vec::IntoIter<Vec<f32>>,
    lane: i32,
    owner: usize,
}

impl Likelihood for Recorded {
    fn logits(&mut self, query: &Query<'_>, out: &mut Logits) {
        assert_eq!((query.lane, query.without_owner), (Some(self.lane), Some(self.owner)));
        out.values = self.rows.next().unwrap();
    }
}

struct Replay {
    reports: Vec<CheckReport>,
    /// Frame 0 of each executed fire's segment.
    targets: Vec<f64>,
    fires: usize,
    counts: CheckCounts,
}

fn replay(golden: &Golden, model: &Arc<SentinelModel>, case: &str) -> Replay {
    let rollout = Rollout::read(golden, case);
    let graph = model.graph();
    let logits = golden.f64(&format!("{case}_logits"));
    let lane = &graph.lane(rollout.task).unwrap().nodes;
    let rows: Vec<Vec<f32>> = logits
        .chunks(graph.len())
        .map(|row| lane.iter().map(|&v| row[v as usize] as f32).collect())
        .collect();
    let mut head = Recorded { rows: rows.into_iter(), lane: rollout.task, owner: rollout.owner };
    let model = Arc::new(model.without_owner(rollout.owner));
    let mut worker = SentinelWorker::new(model, rollout.task).unwrap();
    let (mut reports, mut targets) = (Vec::new(), Vec::new());
    for t in 0..rollout.checks() {
        let report = worker.check(&mut head, &rollout.window(t)).unwrap();
        if report.intervention.is_some_and(|i| i.is_executed()) {
            targets.extend(worker.target().frame(0));
        }
        reports.push(report);
    }
    assert!(head.rows.next().is_none(), "{case}: a row of logits for every check");
    Replay { reports, targets, fires: worker.fires(), counts: worker.counts() }
}

fn code(fire: Option<Fire>) -> i32 {
    match fire {
        None => 0,
        Some(Fire::Basin) => 1,
        Some(Fire::Progress) => 2,
        Some(Fire::Both) => 3,
    }
}

#[test]
fn three_replays_from_window_to_target() {
    let (golden, graph) = (Golden::read("golden_replay.npz"), Arc::new(graph()));
    assert_eq!(graph.hash().as_str(), golden.0.text("graph_hash").unwrap());
    let parameters = Arc::new(parameters(&golden, &graph));
    let rules = [("product", WealthRule::Product, [0, 2, 1]), ("half", WealthRule::HALF, [0, 2, 1])];
    for (rule, wealth, fires) in rules {
        let settings = SentinelSettings {
            leak: Choice::Fitted,
            tau: Choice::Fixed(1.0),
            ..SentinelSettings::new(RuleSettings { wealth, ..RuleSettings::method() })
        };
        let model = SentinelModel::new(Arc::clone(&graph), Arc::clone(&parameters), settings).unwrap();
        let model = Arc::new(model);
        for (case, fires) in ["clean", "push", "stall"].into_iter().zip(fires) {
            let Replay { reports, targets, fires: executed, counts } = replay(&golden, &model, case);
            let what = |field: &str| format!("{case}_{field}");
            let of = |value: fn(&CheckReport) -> Option<f64>| -> Vec<f64> {
                reports.iter().map(|r| value(r).unwrap_or(f64::NAN)).collect()
            };
            let close =
                |field: &str, value| assert_close(&what(field), &of(value), &golden.f64(&what(field)));

            close("phase_hat", |r| r.belief.phase_hat());
            close("restart_share", |r| r.belief.restart_share);
            close("basin", |r| r.basin.map(|b| b.ratio()));
            close("progress", |r| r.progress.map(|p| p.change));
            for (r, &bin) in reports.iter().zip(&golden.i32(&what("bin"))) {
                assert_eq!(r.basin.unwrap().bin as i32, bin, "{case}, check {}", r.index);
                assert_eq!(phase_bin(r.belief.phase_hat().unwrap()) as i32, bin);
            }
            for (field, found) in [
                ("p_basin", reports.iter().map(|r| r.p_basin).collect::<Vec<_>>()),
                ("p_progress", reports.iter().map(|r| r.p_progress).collect()),
            ] {
                let expected: Vec<_> = golden.f64(&what(field)).into_iter().map(PValue::new).collect();
                assert_eq!(found, expected, "{}", what(field));
            }

            let ruled = |field: &str| format!("{case}_{rule}_{field}");
            for (field, found) in [
                ("log_basin", of(|r| Some(r.ruling.log_basin))),
                ("log_progress", of(|r| Some(r.ruling.log_progress))),
            ] {
                assert_close(&ruled(field), &found, &golden.f64(&ruled(field)));
            }
            let found: Vec<i32> = reports.iter().map(|r| code(r.ruling.fire)).collect();
            assert_eq!(found, golden.i32(&ruled("fire")), "{}", ruled("fire"));
            assert_close(&ruled("target"), &targets, &golden.f64(&ruled("target")));
            assert_eq!((executed, targets.len()), (fires, fires * graph.dof()), "{case}");
            for r in &reports {
                let fired = r.intervention.map(|i| (i.fire, i.target));
                assert_eq!(fired, r.ruling.fire.map(|fire| (fire, TargetKind::Weighted)), "{case}");
            }
            let checks = reports.len() as u64;
            assert_eq!(counts, CheckCounts { checks, restarts: 0, blind: 0, refused: 0 }, "{case}");
        }
    }
}
