//! WHEN against recorded expectations: pooling, radii, p-values, every wealth rule with its fires.

#![allow(clippy::unwrap_used)]

mod sentinel_fixtures;

use rollcheck_engine::constants::NBINS_ALIGN;
use rollcheck_engine::when::basin;
use rollcheck_engine::when::basin_table::node_distances;
use rollcheck_engine::when::conformal::{p_high, p_low};
use rollcheck_engine::when::pooling::{PoolLevel, Sample};
use rollcheck_engine::when::progress::Progress;
use rollcheck_engine::when::{
    BasinCell, BasinTable, Bet, Evidence, Fire, NullBank, PValue, RuleSettings, Ruling, UnionRule, WealthRule,
};
use sentinel_fixtures::{Golden, assert_close, graph};

fn columns(table: &BasinTable) -> (Vec<f64>, Vec<f64>, Vec<i32>, Vec<i32>) {
    let cells = table.cells();
    (
        cells.iter().map(|c| c.radius_rad).collect(),
        cells.iter().map(|c| c.bandwidth_rad).collect(),
        cells.iter().map(|c| c.level.code()).collect(),
        cells.iter().map(|c| c.count as i32).collect(),
    )
}

#[test]
fn radii_and_bandwidths_of_the_golden_graph() {
    let (golden, graph) = (Golden::read("golden_basin.npz"), graph());
    let found: Vec<f64> =
        node_distances(&graph, |_| true, |_| true).into_iter().map(|d| d.unwrap_or(f64::NAN)).collect();
    assert_close("node_nn", &found, &golden.f64("node_nn"));

    let table = BasinTable::of_graph(&graph, |_| true, |_| true);
    assert_eq!(table.tasks(), golden.i32("task_ids"));
    let (radius, bandwidth, level, count) = columns(&table);
    assert_close("basin_r", &radius, &golden.f64("basin_r"));
    assert_close("basin_h", &bandwidth, &golden.f64("basin_h"));
    assert_eq!(level, golden.i32("level"));
    assert_eq!(count, golden.i32("count"));
}

#[test]
fn only_named_demos_are_measured_and_measured_against() {
    let graph = graph();
    let all = node_distances(&graph, |_| true, |_| true);
    let part = node_distances(&graph, |owner| owner == 1, |owner| owner == 3);
    for v in 0..graph.len() {
        match part[v] {
            Some(distance) => assert!(graph.owner(v) == 1 && distance >= all[v].unwrap()),
            None => assert_ne!(graph.owner(v), 1),
        }
    }
    assert!(node_distances(&graph, |owner| owner == 1, |owner| owner == 1).iter().all(Option::is_none));
    // Demo 7 is of another task.
    assert!(node_distances(&graph, |owner| owner == 1, |owner| owner == 7).iter().all(Option::is_none));
}

#[test]
fn pooling_of_thin_cells() {
    let golden = Golden::read("golden_basin.npz");
    let (task, bin) = (golden.i32("pool_task"), golden.i32("pool_bin"));
    let samples = golden
        .f64("pool_value")
        .into_iter()
        .zip(task.iter().zip(&bin))
        .map(|(value, (&task_id, &bin))| Sample { task_id, bin: bin as usize, value });
    let table = BasinTable::from_samples(&task, samples);
    assert_eq!(table.tasks(), [0, 1, 2]);
    let (radius, bandwidth, level, count) = columns(&table);
    assert_close("pool_p95", &radius, &golden.f64("pool_p95"));
    assert_close("pool_p50", &bandwidth, &golden.f64("pool_p50"));
    assert_eq!(level, golden.i32("pool_level"));
    assert_eq!(count, golden.i32("pool_count"));
}

#[test]
fn p_values_bit_for_bit() {
    let golden = Golden::read("golden_basin.npz");
    let mut null = golden.f64("conf_null");
    null.sort_by(f64::total_cmp);
    let (high, low) = (golden.f64("conf_p_high"), golden.f64("conf_p_low"));
    for (i, score) in golden.f64("conf_score").into_iter().enumerate() {
        assert_eq!(p_high(&null, score).unwrap().get(), high[i], "score {score}");
        assert_eq!(p_low(&null, score).unwrap().get(), low[i], "score {score}");
        assert_eq!(p_high(&[], score).unwrap().get(), golden.scalar("conf_empty_p"));
    }
}

fn code(fire: Option<Fire>) -> i32 {
    match fire {
        None => 0,
        Some(Fire::Basin) => 1,
        Some(Fire::Progress) => 2,
        Some(Fire::Both) => 3,
    }
}

/// Runs a sequence with every fire executed, and compares wealth and fires under `prefix`.
fn compare(golden: &Golden, prefix: &str, settings: RuleSettings, evidence: &[Evidence]) -> usize {
    let mut rule = UnionRule::new(settings).unwrap();
    let rulings: Vec<Ruling> = evidence
        .iter()
        .map(|e| {
            let ruling = rule.observe(e);
            if ruling.fire.is_some() {
                rule.executed();
            }
            ruling
        })
        .collect();
    let of = |f: fn(&Ruling) -> f64| rulings.iter().map(f).collect::<Vec<_>>();
    let name = |field: &str| format!("{prefix}_{field}");
    assert_close(&name("log_basin"), &of(|r| r.log_basin), &golden.f64(&name("log_basin")));
    assert_close(&name("log_progress"), &of(|r| r.log_progress), &golden.f64(&name("log_progress")));
    let fires: Vec<i32> = rulings.iter().map(|r| code(r.fire)).collect();
    assert_eq!(fires, golden.i32(&name("fire")), "{prefix}");
    rule.fires()
}

#[test]
fn every_wealth_rule_on_every_case() {
    let golden = Golden::read("golden_wealth.npz");
    let horizon = golden.integer("horizon");
    let (linear, power) =
        (Bet::Linear { lambda: golden.scalar("lam") }, Bet::Power { kappa: golden.scalar("kappa") });
    let every = golden.integer("power_bet_every");
    let rules = [
        ("product", linear, 1, WealthRule::Product),
        ("half", linear, 1, WealthRule::Half { horizon }),
        ("telescope", linear, 1, WealthRule::Telescope),
        ("uniform", linear, 1, WealthRule::Uniform { horizon }),
        ("power3", power, every, WealthRule::Product),
        ("power3_half", power, every, WealthRule::Half { horizon }),
    ];
    for case in ["null", "two", "held", "budget", "budget1", "finish", "nobet", "extreme"] {
        let field = |name: &str| golden.f64(&format!("{case}_{name}"));
        let (p_basin, p_progress) = (field("p_basin"), field("p_progress"));
        let (phase, closed) = (field("phase_hat"), golden.flags(&format!("{case}_closed")));
        let evidence: Vec<Evidence> = (0..phase.len())
            .map(|t| Evidence {
                p_basin: PValue::new(p_basin[t]),
                p_progress: PValue::new(p_progress[t]),
                phase_hat: Some(phase[t]),
                closed: closed[t],
            })
            .collect();
        for (name, bet, bet_every, wealth) in rules {
            let settings = RuleSettings {
                alpha: golden.scalar("alpha"),
                max_interventions: golden.integer(&format!("{case}_max_interventions")),
                bet,
                bet_every,
                wealth,
                ..RuleSettings::method()
            };
            compare(&golden, &format!("{case}_{name}"), settings, &evidence);
        }
    }
    let (log_threshold, _) = UnionRule::new(RuleSettings::method()).unwrap().log_thresholds();
    assert_eq!(log_threshold, golden.scalar("threshold"));
}

/// The statistics of three replays from their recorded phases, and everything that follows from them.
#[test]
fn replays_from_phase_to_fire() {
    let (golden, graph) = (Golden::read("golden_replay.npz"), graph());
    let bank = |name: &str| {
        let field = |suffix: &str| format!("bank_{name}{suffix}");
        NullBank::new(
            golden.f64(&field("")),
            golden.i32("bank_owner"),
            golden.i32("bank_task"),
            golden.i32(&field("_bin")),
        )
        .unwrap()
    };
    let (null_basin, null_progress) = (bank("basin"), bank("progress"));
    let cells = golden.f64("basin_r").into_iter().zip(golden.f64("basin_h"));
    let cells = cells.map(|(radius_rad, bandwidth_rad)| BasinCell {
        radius_rad,
        bandwidth_rad,
        level: PoolLevel::Task,
        count: 0,
    });
    let table = BasinTable::from_cells(vec![0, 7], cells.collect()).unwrap();

    for case in ["clean", "push", "stall"] {
        let name = |field: &str| format!("{case}_{field}");
        let (owner, task) = (golden.integer(&name("owner")), golden.i32(&name("task"))[0]);
        let lane = graph.lane(task).unwrap();
        let (null_basin, null_progress) =
            (null_basin.without_owner(owner), null_progress.without_owner(owner));
        let (q, closed) = (golden.f64(&name("q")), golden.flags(&name("gripper")));
        let frames = golden.i32(&name("frame"));
        let (bins, phases) = (golden.i32(&name("bin")), golden.f64(&name("phase_hat")));
        let (p_basin, p_progress) = (golden.f64(&name("p_basin")), golden.f64(&name("p_progress")));
        let mut progress = Progress::default();
        let (mut ratios, mut changes, mut evidence) = (Vec::new(), Vec::new(), Vec::new());
        for (t, &phase_hat) in phases.iter().enumerate() {
            let frame = frames[t] as usize;
            let q = &q[frame * graph.dof()..(frame + 1) * graph.dof()];
            let reading = basin::read(&graph, &table, lane, q, phase_hat, Some(owner)).unwrap();
            assert_eq!(reading.bin as i32, bins[t]);
            ratios.push(reading.ratio());
            let change = progress.read(Some(phase_hat), false);
            changes.push(change.map_or(f64::NAN, |c| c.change));
            let e = Evidence {
                p_basin: null_basin.p_high(task, reading.bin, reading.ratio()),
                p_progress: change.and_then(|c| null_progress.p_low(task, c.bin, c.change)),
                phase_hat: Some(phase_hat),
                closed: closed[frame],
            };
            assert_eq!(e.p_basin, PValue::new(p_basin[t]), "{case}, check {t}");
            assert_eq!(e.p_progress, PValue::new(p_progress[t]), "{case}, check {t}");
            evidence.push(e);
        }
        assert_close(&name("basin"), &ratios, &golden.f64(&name("basin")));
        assert_close(&name("progress"), &changes, &golden.f64(&name("progress")));
        for (rule, wealth) in [("product", WealthRule::Product), ("half", WealthRule::HALF)] {
            let settings = RuleSettings { wealth, ..RuleSettings::method() };
            let fires = compare(&golden, &format!("{case}_{rule}"), settings, &evidence);
            assert_eq!(fires, golden.0.get(&format!("{case}_{rule}_target")).unwrap().shape[0]);
        }
    }
    assert_eq!(table.cells().len(), 2 * NBINS_ALIGN);
}
