//! The figures of a quickstart as its page wants them.

use crate::pipeline::audit::{PhaseSet, SettingAudit};
use crate::pipeline::quickstart::{DATA, Quickstart, provenance};
use crate::report::page::Fact;
use crate::report::quickstart::{
    self as report, DETECTION, DisplacedRow, EntryCurve, EpochPoint, FALSE_ALARMS, LatencyRow, TransitionRow,
    TransitionTarget,
};
use crate::report::rate_chart::RateRow;
use rollcheck_engine::constants::{JQ_EPS, JQ_GATE};
use rollcheck_models::audit::{PhaseTable, Share, Transitions};

/// Goals on the audit split.
pub const AUDIT_GOAL: TransitionTarget = TransitionTarget {
    plausible_share: 0.97,
    jump_share: Some(0.005),
    backward_share: Some(0.01),
    phase_mae: 0.04,
};
/// Goals on the shifted set.
pub const SHIFTED_GOAL: TransitionTarget =
    TransitionTarget { plausible_share: 0.95, jump_share: None, backward_share: None, phase_mae: 0.05 };

/// The page's data.
pub fn of(q: &Quickstart) -> report::Quickstart {
    let mut transitions = rows(&q.audit.audit, "audit split", AUDIT_GOAL);
    if let Some(shifted) = &q.audit.shifted {
        transitions.extend(rows(shifted, "shifted set", SHIFTED_GOAL));
    }
    report::Quickstart {
        facts: facts(q),
        about: about(q),
        epochs: q
            .artifacts
            .trained
            .training
            .history
            .iter()
            .map(|r| EpochPoint {
                epoch: r.epoch,
                train_loss: Some(r.train_loss),
                heldout_nll: Some(r.held_out.negative_log_likelihood),
                kept: r.epoch == q.artifacts.trained.training.best_epoch,
            })
            .collect(),
        transitions,
        rule_settings: q.audit.settings.iter().map(|s| format!("{}: {}", s.name, s.rule)).collect(),
        rates: rates(&q.audit.settings),
        alpha: q.audit.alpha,
        entries: entries(q),
        entry_gate_rad: JQ_GATE,
        servo_tolerance_rad: JQ_EPS,
        entry_facts: entry_facts(q),
        displaced: displaced(q),
        replay: Some(q.replay.clone()),
        latency: vec![LatencyRow {
            workers: 1,
            checks: q.check_ms.checks,
            p50_ms: q.check_ms.p50,
            p99_ms: q.check_ms.p99,
        }],
        provenance: provenance(&q.artifacts),
    }
}

fn facts(q: &Quickstart) -> Vec<Fact> {
    let (trained, split) = (&q.artifacts.trained, q.artifacts.trained.training.split);
    let seconds = q.stopwatch.steps.iter().map(|(name, s)| format!("{name} {s:.1} s"));
    vec![
        Fact::new("nodes", trained.graph().len().to_string()),
        Fact::new("demos", trained.graph().owners().to_string())
            .with_note(format!("{} train, {} fit, {} audit", split.train, split.fit, split.audit)),
        Fact::new("phase error", format!("{:.3}", q.audit.audit.all.filtered.phase_mae))
            .with_note("filtered, audit split"),
        Fact::new("time", format!("{:.0} s", q.stopwatch.total_s()))
            .with_note(seconds.collect::<Vec<_>>().join(", ")),
    ]
}

fn about(q: &Quickstart) -> Vec<String> {
    let split = q.artifacts.trained.training.split;
    vec![
        DATA.to_owned(),
        format!(
            "Split by demonstration, stratified by task, seed {}: {} train the head; {} choose its epoch and fit \
             the filter, the null banks and the basins; {} are the audit split, which chose nothing. The shifted set \
             comes from a hastier expert; it is shown beside, and no claim rests on it. Every demonstration is \
             judged without its own strand.",
            q.artifacts.trained.training.seed, split.train, split.fit, split.audit
        ),
    ]
}

fn rows(set: &PhaseSet, name: &str, goal: TransitionTarget) -> Vec<TransitionRow> {
    let row = |estimator: &str, set: &str, t: &Transitions, target| {
        let share = |share: f64| (t.transitions > 0).then_some(share);
        TransitionRow {
            estimator: estimator.to_owned(),
            set: set.to_owned(),
            transitions: t.transitions,
            plausible_share: share(t.plausible_share),
            jump_share: share(t.jump_share),
            backward_share: share(t.backward_share),
            phase_mae: (t.checks > 0).then_some(t.phase_mae),
            target,
        }
    };
    let of = |table: &PhaseTable, name: &str, goal| {
        vec![
            row("filtered", name, &table.filtered, goal),
            row("memoryless", name, &table.memoryless, None),
            row("clock", name, &table.clock, None),
            row("nearest neighbours", name, &table.knn, None),
        ]
    };
    let mut rows = of(&set.all, name, Some(goal));
    if let Some(rarer) = &set.rarer_order {
        rows.extend(of(rarer, &format!("{name}, rarer order"), None).into_iter().take(2));
    }
    rows
}

fn rates(settings: &[SettingAudit]) -> Vec<RateRow> {
    let row = |group: &str, label: &str, setting: usize, share: &Share, more: String| RateRow {
        group: group.to_owned(),
        label: label.to_owned(),
        setting,
        share: share.share,
        interval: share.share.map(|_| share.interval),
        note: format!("{} of {}{more}", share.count, share.of),
    };
    let mut rows = Vec::new();
    for (i, s) in settings.iter().enumerate() {
        rows.push(row(FALSE_ALARMS, "audit split", i, &s.false_alarms.episodes, String::new()));
    }
    for (i, s) in settings.iter().enumerate() {
        if let Some(shifted) = &s.shifted_false_alarms {
            let label = "shifted set (no claim)";
            rows.push(row(FALSE_ALARMS, label, i, &shifted.episodes, String::new()));
        }
    }
    for k in 0..settings.first().map_or(0, |s| s.detection.len()) {
        for (i, s) in settings.iter().enumerate() {
            let d = &s.detection[k];
            let delay = d.median_delay_checks.map_or_else(String::new, |c| format!(", delay {c}"));
            rows.push(row(DETECTION, &format!("{} (generated)", d.disturbance), i, &d.detected, delay));
        }
    }
    rows
}

fn entries(q: &Quickstart) -> Vec<EntryCurve> {
    q.entry
        .approach
        .iter()
        .filter_map(|(level, distance_rad)| {
            let of = q.entry.starts.levels.iter().find(|l| l.level == *level)?;
            Some(EntryCurve {
                level: format!("level {level:.1}"),
                starts: of.rewound.count,
                distance_rad: distance_rad.clone(),
                reached_share: of.reached.share,
                median_steps: of.approach_steps.map(|(_, median, _)| median as f64),
            })
        })
        .collect()
}

fn entry_facts(q: &Quickstart) -> Vec<Fact> {
    let levels = &q.entry.starts.levels;
    let counted = |s: &Share| format!("{} of {}", s.count, s.of);
    let rewound = levels
        .iter()
        .filter(|l| l.level > 0.0)
        .fold((0, 0), |(count, of), l| (count + l.rewound.count, of + l.rewound.of));
    let mut facts = vec![
        Fact::new("displaced starts rewound", format!("{} of {}", rewound.0, rewound.1))
            .with_note("one task each, in turn"),
    ];
    if let Some(clean) = levels.iter().find(|l| l.level == 0.0) {
        facts.push(
            Fact::new("recorded starts above the gate", counted(&clean.rewound))
                .with_note("each without its own demonstration"),
        );
    }
    let strata = levels.iter().filter_map(|l| l.stratum);
    if let Some((least, most)) = strata.reduce(|(a, b), (c, d)| (a.min(c), b.max(d))) {
        facts.push(Fact::new("entry stratum", format!("{least} to {most} nodes")));
    }
    facts
}

fn displaced(q: &Quickstart) -> Vec<DisplacedRow> {
    let levels = q.entry.displaced.levels.iter();
    levels
        .map(|l| DisplacedRow {
            level: format!("level {:.1}", l.level),
            rollouts: l.rewound.of,
            succeeded: q.displaced_successes(l.level),
            rewound: l.rewound.count,
            before_rad: l.error_before_rad,
            after_rad: l.error_after_rad,
        })
        .collect()
}
