//! Transition and filter against the golden data, and what must hold of any belief.

#![allow(clippy::unwrap_used)]

mod support;

use proptest::prelude::*;
use rollcheck_engine::belief::filter::{Workspace, check};
use rollcheck_engine::belief::{
    Advance, AdvanceParameters, BeliefError, BeliefTracker, CheckBelief, CheckCounts, CheckKind,
    FilterSettings, Logits, Observation, Scope, SiblingRule, advance_matrix,
};
use rollcheck_engine::constants::{LOG_EVIDENCE_FLOOR, TRACK_ADVANCE_SET};
use rollcheck_engine::graph::DemoGraph;
use rollcheck_engine::store::Arrays;
use rollcheck_engine::store::arrays::Dim;
use rollcheck_kernels::Csr;
use std::sync::{Arc, OnceLock};
use support::{assert_close, csr, golden, golden_graph};

/// Nodes of task 0 in `golden_graph`.
const LANE_NODES: usize = 298;

fn graph() -> &'static DemoGraph {
    static GRAPH: OnceLock<DemoGraph> = OnceLock::new();
    GRAPH.get_or_init(|| golden_graph("golden_graph"))
}

/// The parameters stored beside a golden transition.
fn parameters(file: &Arrays, siblings: SiblingRule) -> AdvanceParameters {
    let pi = file.f64("pi", &[Dim::Is(TRACK_ADVANCE_SET.len())]).unwrap();
    AdvanceParameters { pi: pi.try_into().unwrap(), beta: file.f64("beta", &[]).unwrap()[0], siblings }
}

fn column_sums(matrix: &Csr<f64>) -> Vec<f64> {
    let transposed = matrix.transpose();
    (0..transposed.rows()).map(|c| transposed.row_values(c).iter().sum()).collect()
}

#[test]
fn transitions_have_the_golden_structure_and_weights() {
    for (name, graph) in [("golden_transition", graph()), ("golden_tiny", &golden_graph("golden_tiny"))] {
        let (file, scope) = (golden(name), Scope::new(graph, None).unwrap());
        for (stored, rule) in [("P_near", SiblingRule::Near), ("P_all", SiblingRule::All)] {
            let found = Advance::build(graph, &scope, &parameters(&file, rule)).unwrap().composed().unwrap();
            let expected = csr(&file, stored, graph.len());
            assert_eq!(found.indptr(), expected.indptr(), "{name}: {stored}");
            assert_eq!(found.indices(), expected.indices(), "{name}: {stored}");
            assert_close(found.values(), expected.values(), 1e-12, stored);
            assert_close(&column_sums(&found), &vec![1.0; graph.len()], 1e-12, "column sums");
        }
    }
}

#[test]
fn each_advance_is_the_golden_operator() {
    let (file, graph) = (golden("golden_tiny"), golden_graph("golden_tiny"));
    let (scope, n) = (Scope::new(&graph, None).unwrap(), graph.len());
    let dense =
        file.f64("advance_dense", &[Dim::Is(TRACK_ADVANCE_SET.len()), Dim::Is(n), Dim::Is(n)]).unwrap();
    for (frames, expected) in TRACK_ADVANCE_SET.into_iter().zip(dense.chunks(n * n)) {
        let matrix = advance_matrix(&graph, &scope, frames).unwrap();
        let mut found = vec![0.0; n * n];
        for destination in 0..n {
            for (&source, &mass) in matrix.row(destination).iter().zip(matrix.row_values(destination)) {
                found[destination * n + source as usize] = mass;
            }
        }
        assert_close(&found, expected, 1e-12, &format!("advance by {frames}"));
        assert_close(&column_sums(&matrix), &vec![1.0; n], 1e-12, "column sums");
    }
}

#[test]
fn a_lane_is_a_block_of_the_whole_transition() {
    let file = golden("golden_transition");
    let built = |scope: &Scope| {
        Advance::build(graph(), scope, &parameters(&file, SiblingRule::Near)).unwrap().composed().unwrap()
    };
    let whole = built(&Scope::new(graph(), None).unwrap());
    for lane in graph().lanes() {
        let scope = Scope::new(graph(), Some(lane.task_id)).unwrap();
        let block = built(&scope);
        for (local, &node) in scope.nodes().iter().enumerate() {
            let columns: Vec<u32> = block.row(local).iter().map(|&c| scope.nodes()[c as usize]).collect();
            assert_eq!(columns, whole.row(node as usize));
            assert_eq!(block.row_values(local), whole.row_values(node as usize));
        }
    }
}

/// One golden filter sequence, restricted to the nodes of its filter.
struct Sequence {
    scope: Arc<Scope>,
    advance: Arc<Advance>,
    settings: FilterSettings,
    logits: Vec<Logits>,
    b0: Option<Vec<f64>>,
}

impl Sequence {
    fn load(file: &Arrays, name: &str) -> Self {
        let n = graph().len();
        let key = |part: &str| format!("{name}_{part}");
        let mask = file.flags(&key("lane"), &[Dim::Is(n)]).unwrap();
        let (lane, rule) = match mask.iter().position(|&inside| !inside) {
            None => (None, SiblingRule::All),
            Some(_) => {
                (Some(graph().task(mask.iter().position(|&inside| inside).unwrap())), SiblingRule::Near)
            }
        };
        let scope = Scope::new(graph(), lane).unwrap();
        assert!((0..n).all(|v| mask[v] == scope.local(v as u32).is_some()), "{name}: lane");
        let transition = golden("golden_transition");
        let advance = Advance::build(graph(), &scope, &parameters(&transition, rule)).unwrap();
        let restricted = |row: &[f32]| scope.nodes().iter().map(|&v| row[v as usize]).collect();
        let logits = file.f32(&key("logits"), &[Dim::Any, Dim::Is(n)]).unwrap();
        let logits = logits.chunks(n).map(|row| Logits { values: restricted(row) }).collect();
        let b0 = file.find(&key("b0")).map(|_| {
            let whole = file.f64(&key("b0"), &[Dim::Is(n)]).unwrap();
            scope.nodes().iter().map(|&v| whole[v as usize]).collect::<Vec<_>>()
        });
        let leak = file.f64(&key("leak"), &[]).unwrap()[0];
        let settings = FilterSettings { leak, tau: 1.0, start_prior: b0.is_some() };
        Self { scope: Arc::new(scope), advance: Arc::new(advance), settings, logits, b0 }
    }

    fn tracker(&self) -> BeliefTracker {
        BeliefTracker::new(Arc::clone(&self.scope), Arc::clone(&self.advance), self.settings).unwrap()
    }
}

const SEQUENCES: [&str; 8] =
    ["random", "nostart", "nolane", "restart0", "restart_leak", "blind", "blindfirst", "strandend"];

#[test]
fn every_filter_sequence_is_the_golden_one() {
    let file = golden("golden_filter");
    for name in SEQUENCES {
        let sequence = Sequence::load(&file, name);
        let (checks, n) = (sequence.logits.len(), graph().len());
        let mut tracker = sequence.tracker();
        assert_eq!(tracker.belief().is_some(), sequence.b0.is_some());
        if let (Some(found), Some(expected)) = (tracker.belief(), &sequence.b0) {
            assert_close(found, expected, 0.0, "start prior");
        }
        let mut outcomes = Vec::new();
        let mut beliefs = Vec::new();
        for logits in &sequence.logits {
            outcomes.push(tracker.step(logits).unwrap());
            let mut whole = vec![if tracker.belief().is_some() { 0.0 } else { f64::NAN }; n];
            for (&v, &b) in sequence.scope.nodes().iter().zip(tracker.belief().unwrap_or_default()) {
                whole[v as usize] = b;
            }
            beliefs.extend(whole);
        }
        let float = |part: &str, shape: &[Dim]| file.f64(&format!("{name}_{part}"), shape).unwrap();
        assert_close(&beliefs, &float("belief", &[Dim::Is(checks), Dim::Is(n)]), 1e-9, name);
        let column = |part: &str, of: fn(&CheckBelief) -> Option<f64>| {
            let found: Vec<f64> = outcomes.iter().map(|o| of(o).unwrap_or(f64::NAN)).collect();
            assert_close(&found, &float(part, &[Dim::Is(checks)]), 1e-9, &format!("{name}: {part}"));
        };
        column("phase_hat", CheckBelief::phase_hat);
        column("spread", |o| o.summary.map(|s| s.spread));
        column("ess", |o| o.summary.map(|s| s.effective_support));
        column("restart_share", |o| o.restart_share);
        column("log_pred", |o| o.log_predictive);
        let integer = |part: &str, of: fn(&CheckBelief) -> i32| {
            let found: Vec<i32> = outcomes.iter().map(of).collect();
            assert_eq!(
                found,
                file.i32(&format!("{name}_{part}"), &[Dim::Is(checks)]).unwrap(),
                "{name}: {part}"
            );
        };
        integer("map", |o| o.summary.map_or(-1, |s| s.map_node as i32));
        integer("restart", |o| i32::from(o.is_restarted()));
        integer("blind", |o| i32::from(o.is_blind()));
        let count = |of: fn(&CheckBelief) -> bool| outcomes.iter().filter(|o| of(o)).count() as u64;
        assert_eq!(
            tracker.counts(),
            CheckCounts {
                checks: checks as u64,
                restarts: count(CheckBelief::is_restarted),
                blind: count(CheckBelief::is_blind),
                refused: 0,
            }
        );
    }
}

#[test]
fn temperature_two_is_the_filter_on_halved_logits() {
    let file = golden("golden_filter");
    let mut sequence = Sequence::load(&file, "random");
    let mut halved = sequence.tracker();
    sequence.settings.tau = 2.0;
    let mut warm = sequence.tracker();
    for logits in &sequence.logits {
        let expected =
            halved.step(&Logits { values: logits.values.iter().map(|l| l / 2.0).collect() }).unwrap();
        assert_eq!(warm.step(logits).unwrap(), expected);
        assert_eq!(warm.belief(), halved.belief());
    }
}

#[test]
fn a_refused_window_is_a_prediction_counted_apart() {
    let sequence = Sequence::load(&golden("golden_filter"), "blind");
    let nothing = Logits { values: vec![f32::NEG_INFINITY; sequence.scope.len()] };
    let (mut refused, mut blind) = (sequence.tracker(), sequence.tracker());
    for tracker in [&mut refused, &mut blind] {
        tracker.step(&sequence.logits[0]).unwrap();
    }
    let (found, expected) = (refused.step_refused().unwrap(), blind.step(&nothing).unwrap());
    assert_eq!(found, CheckBelief { kind: CheckKind::Refused, ..expected });
    assert!(found.is_blind() && found.phase_hat().is_some() && found.log_predictive.is_none());
    assert_eq!(refused.belief(), blind.belief());
    assert_eq!(refused.counts(), CheckCounts { checks: 2, refused: 1, ..CheckCounts::default() });
    assert_eq!(blind.counts(), CheckCounts { checks: 2, blind: 1, ..CheckCounts::default() });
}

#[test]
fn after_a_recovery_the_belief_is_the_likelihood() {
    let sequence = Sequence::load(&golden("golden_filter"), "random");
    let mut tracker = sequence.tracker();
    tracker.step(&sequence.logits[0]).unwrap();
    tracker.after_recovery();
    assert_eq!(tracker.belief(), None);
    assert_eq!(tracker.step_refused().unwrap().summary, None);
    let outcome = tracker.step(&sequence.logits[1]).unwrap();
    assert_eq!((outcome.kind, outcome.restart_share, outcome.log_predictive), (CheckKind::First, None, None));
    let likelihood = tracker.belief().unwrap().to_vec();

    let mut fresh = BeliefTracker::new(
        Arc::clone(&sequence.scope),
        Arc::clone(&sequence.advance),
        FilterSettings { start_prior: false, ..sequence.settings },
    )
    .unwrap();
    fresh.step(&sequence.logits[1]).unwrap();
    assert_eq!(fresh.belief().unwrap(), likelihood);
    // The counts are the episode's: the refused window before it is still there.
    assert_eq!(tracker.counts(), CheckCounts { checks: 3, refused: 1, ..CheckCounts::default() });
    tracker.reset(None);
    assert_eq!(tracker.counts(), CheckCounts::default());
}

#[test]
fn the_start_prior_leaves_the_demo_under_test_out() {
    let scope = Scope::new(graph(), Some(0)).unwrap();
    let mut whole = vec![f64::NAN; scope.len()];
    let count = scope.start_prior(None, &mut whole);
    assert_eq!(count, 17);
    assert_close(&[whole.iter().sum::<f64>()], &[1.0], 1e-15, "sum");
    for (v, &b) in whole.iter().enumerate() {
        assert_eq!(b > 0.0, scope.phases()[v] <= 0.05, "local node {v}");
    }
    let mut without = vec![f64::NAN; scope.len()];
    let fewer = scope.start_prior(Some(2), &mut without);
    assert!(fewer < count);
    for (v, &b) in without.iter().enumerate() {
        assert_eq!(b > 0.0, whole[v] > 0.0 && scope.owners()[v] != 2, "local node {v}");
    }
    // A task with one demo has nothing left to start from.
    let tiny = golden_graph("golden_tiny");
    let alone = Scope::new(&tiny, Some(5)).unwrap();
    let owner = alone.owners()[0] as usize;
    let mut belief = vec![f64::NAN; alone.len()];
    assert_eq!(alone.start_prior(Some(owner), &mut belief), 0);
    assert_eq!(belief, vec![0.0; alone.len()]);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let error = Scope::new(graph(), Some(3)).unwrap_err();
    assert_eq!(error, BeliefError::UnknownTask { task: 3, known: vec![0, 7] });
    assert_eq!(error.to_string(), "task 3 is not in the graph, which has the tasks [0, 7]");

    let tiny = golden_graph("golden_tiny");
    let usual = AdvanceParameters::default();
    let (lane, other) = (Scope::new(graph(), Some(0)).unwrap(), Scope::new(graph(), Some(7)).unwrap());
    let text = Advance::build(&tiny, &lane, &usual).unwrap_err().to_string();
    assert!(text.contains(tiny.hash().as_str()) && text.contains(graph().hash().as_str()), "{text}");
    assert!(matches!(advance_matrix(&tiny, &lane, 4), Err(BeliefError::ForeignScope { .. })));

    let advance = Arc::new(Advance::build(graph(), &lane, &usual).unwrap());
    let foreign = BeliefTracker::new(Arc::new(other), Arc::clone(&advance), FilterSettings::default());
    let text = foreign.unwrap_err().to_string();
    assert!(text.starts_with("made for task 0 of graph ") && text.contains("used with task 7"), "{text}");

    let nodes = lane.len();
    let mut tracker = BeliefTracker::new(Arc::new(lane), advance, FilterSettings::default()).unwrap();
    let before = tracker.belief().unwrap().to_vec();
    let error = tracker.step(&Logits { values: vec![0.0; 5] }).unwrap_err();
    assert!(
        error.to_string().contains(&format!("5 logits for task 0 of graph {}", graph().hash())),
        "{error}"
    );
    assert!(error.to_string().ends_with(&format!("has {nodes} nodes")), "{error}");
    assert_eq!((tracker.belief().unwrap(), tracker.counts().checks), (before.as_slice(), 0));
}

/// Logits of one check over `n` nodes: reached ones of any size, the rest masked.
fn logits(n: usize) -> impl Strategy<Value = Logits> {
    let reached = prop_oneof![-40.0_f32..40.0, -1e4_f32..1e4];
    let masked = Just(f32::NEG_INFINITY);
    (0.0_f64..=1.0).prop_flat_map(move |share| {
        let node =
            prop::option::weighted(share, reached.clone()).prop_map(|l| l.unwrap_or(f32::NEG_INFINITY));
        prop_oneof![
            8 => prop::collection::vec(node, n),
            1 => prop::collection::vec(masked, n),
        ]
        .prop_map(|values| Logits { values })
    })
}

fn shares() -> impl Strategy<Value = [f64; TRACK_ADVANCE_SET.len()]> {
    prop::array::uniform8(0.0_f64..1.0).prop_filter_map("no weight", |weights| {
        let sum: f64 = weights.iter().sum();
        (sum > 1e-3).then(|| weights.map(|w| w / sum))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn columns_sum_to_one(pi in shares(), beta in 0.0_f64..=1.0, near in any::<bool>()) {
        let siblings = if near { SiblingRule::Near } else { SiblingRule::All };
        let scope = Scope::new(graph(), Some(7)).unwrap();
        let advance = Advance::build(graph(), &scope, &AdvanceParameters { pi, beta, siblings }).unwrap();
        for matrix in [advance.along_strand(), advance.to_siblings(), &advance.composed().unwrap()] {
            for sum in column_sums(matrix) {
                prop_assert!((sum - 1.0).abs() <= 1e-12, "{sum}");
            }
        }
    }

    #[test]
    fn the_two_factors_are_the_composed_transition(seed in prop::collection::vec(0.0_f64..1.0, LANE_NODES)) {
        let scope = Scope::new(graph(), Some(0)).unwrap();
        let advance = Advance::build(graph(), &scope, &AdvanceParameters::default()).unwrap();
        let (mut along, mut found) = (vec![0.0; scope.len()], vec![0.0; scope.len()]);
        advance.apply(&seed, &mut along, &mut found).unwrap();
        let composed = advance.composed().unwrap();
        for (row, &mass) in found.iter().enumerate() {
            let terms = composed.row(row).iter().zip(composed.row_values(row));
            let expected: f64 = terms.map(|(&c, &p)| p * seed[c as usize]).sum();
            prop_assert!((mass - expected).abs() <= 1e-12);
        }
    }

    #[test]
    fn belief_sums_to_one_and_is_never_nan(
        sequence in prop::collection::vec(logits(LANE_NODES), 1..12),
        leak in prop_oneof![Just(0.0), 0.0_f64..0.3],
        tau in 0.5_f64..4.0,
        start_prior in any::<bool>(),
        refused in any::<u16>(),
    ) {
        let scope = Arc::new(Scope::new(graph(), Some(0)).unwrap());
        let advance = Arc::new(Advance::build(graph(), &scope, &AdvanceParameters::default()).unwrap());
        let settings = FilterSettings { leak, tau, start_prior };
        let mut tracker = BeliefTracker::new(Arc::clone(&scope), advance, settings).unwrap();
        for (t, logits) in sequence.iter().enumerate() {
            let outcome = if refused >> t & 3 == 3 { tracker.step_refused() } else { tracker.step(logits) }.unwrap();
            prop_assert_eq!(outcome.summary.is_some(), tracker.belief().is_some());
            let (Some(summary), Some(belief)) = (outcome.summary, tracker.belief()) else { continue };
            let sum: f64 = belief.iter().sum();
            prop_assert!((sum - 1.0).abs() <= 1e-9, "check {t}: {sum}");
            prop_assert!(belief.iter().all(|&b| (0.0..=1.0 + 1e-12).contains(&b)));
            prop_assert!((-1e-12..=1.0 + 1e-12).contains(&summary.phase_hat) && summary.spread <= 0.5 + 1e-12);
            prop_assert!((1.0 - 1e-9..=scope.len() as f64 + 1e-6).contains(&summary.effective_support));
            let largest = belief.iter().copied().fold(0.0, f64::max);
            let map = scope.nodes()[belief.iter().position(|&b| b == largest).unwrap()];
            prop_assert_eq!(summary.map_node, map);
            prop_assert!(outcome.restart_share.is_none_or(|s| (0.0..=1.0).contains(&s)));
            prop_assert!(outcome.log_predictive.is_none_or(|l| (LOG_EVIDENCE_FLOOR..=1e-9).contains(&l)));
            if leak > 1e-6 {
                prop_assert!(!outcome.is_restarted(), "a leak leaves mass");
            }
        }
    }

    #[test]
    fn a_check_depends_on_nothing_but_its_arguments(logits in logits(LANE_NODES), noise in -9.0_f64..9.0) {
        let scope = Scope::new(graph(), Some(0)).unwrap();
        let advance = Advance::build(graph(), &scope, &AdvanceParameters::default()).unwrap();
        let mut prior = vec![0.0; scope.len()];
        scope.start_prior(None, &mut prior);
        let (mut fresh, mut used) = (Workspace::new(&scope), Workspace::new(&scope));
        let settings = FilterSettings::default();
        let run = |workspace: &mut Workspace, logits: &Logits, fill: f64| {
            let mut posterior = vec![fill; scope.len()];
            let observation = Observation::Logits(logits);
            let outcome =
                check(&scope, &advance, &settings, Some(&prior), observation, workspace, &mut posterior).unwrap();
            (outcome, posterior)
        };
        let other = Logits { values: vec![noise as f32; LANE_NODES] };
        run(&mut used, &other, 0.0);
        prop_assert_eq!(run(&mut fresh, &logits, 0.0), run(&mut used, &logits, noise));
    }
}
