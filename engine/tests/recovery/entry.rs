//! t = 0: which starts are rewound, and which cannot be judged.

use super::replay_fixtures::{JointKernel, RATE_HZ};
use super::sentinel_fixtures::{Golden, assert_close, graph_of};
use super::{Blind, GRAPH, away, kernel};
use rollcheck_engine::belief::Likelihood;
use rollcheck_engine::constants::JQ_GATE;
use rollcheck_engine::graph::DemoGraph;
use rollcheck_engine::recovery::{EntryPlan, RecoveryError};
use rollcheck_engine::servo::{ServoEnd, ServoSettings};
use std::sync::Arc;

/// The plan for a start of task 0.
fn entry(head: &mut dyn Likelihood, q0: &[f64]) -> Result<EntryPlan, RecoveryError> {
    EntryPlan::new(&GRAPH, head, 0, q0, false, RATE_HZ, None)
}

#[test]
fn a_start_that_cannot_be_judged_is_refused_by_name() {
    let text = |plan: Result<EntryPlan, RecoveryError>| plan.unwrap_err().to_string();
    let start = GRAPH.q(0).to_vec();
    assert_eq!(text(entry(&mut kernel(), &start[1..])), "joints of the start pose: 6, expected 7");
    let mut lost = start.clone();
    lost[5] = f64::NAN;
    assert_eq!(text(entry(&mut kernel(), &lost)), "start pose, joint 5: NaN is not finite");
    let of = |task, rate_hz| text(EntryPlan::new(&GRAPH, &mut kernel(), task, &start, false, rate_hz, None));
    assert_eq!(of(3, RATE_HZ), "task 3 is not in the graph, which has the tasks [0, 7]");
    for rate_hz in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(of(0, rate_hz), format!("rate is {rate_hz} Hz, expected a positive number"));
    }
}

#[test]
fn an_empty_stratum_says_which_condition_emptied_it() {
    let start = GRAPH.q(0).to_vec();
    let unreached =
        "no entry target for task 0: 298 nodes in the lane, 17 of them in the phase band, 0 of those reached";
    assert_eq!(entry(&mut Blind, &start).unwrap_err().to_string(), unreached);
    // Nodes are reached, none of them near the start.
    let late = |graph: &DemoGraph, v: usize| graph.bin(v) >= 2;
    let mut head = JointKernel { graph: Arc::clone(&GRAPH), reaches: late };
    assert_eq!(entry(&mut head, &start).unwrap_err().to_string(), unreached);
    // Demo 4 of the tiny set is the only one of its task.
    let tiny = Arc::new(graph_of("golden_tiny.npz"));
    let (task, q0) = (tiny.owner_task(4), tiny.q(tiny.strand(4).start).to_vec());
    let alone = EntryPlan::new(&tiny, &mut JointKernel::new(&tiny), task, &q0, false, RATE_HZ, Some(4));
    assert_eq!(
        alone.unwrap_err().to_string(),
        format!(
            "no entry target for task {task}: 0 nodes in the lane, 0 of them in the phase band, 0 of those reached"
        )
    );
}

#[test]
fn a_start_inside_the_gate_is_left_alone_and_one_outside_is_rewound() {
    let target = entry(&mut kernel(), GRAPH.q(0)).unwrap().target;
    let golden = Golden::read("golden_targets.npz");
    assert_close("q*", &target.q, &golden.f64("entry_0_all_q"));
    assert_eq!(target.counts.reached, golden.i32("entry_0_all_counts")[2] as usize);

    let plan_at = |distance_rad| {
        let q0 = away(&target.q, 3, distance_rad);
        (entry(&mut kernel(), &q0).unwrap(), q0)
    };
    assert_eq!((plan_at(0.0).0.error_rad, plan_at(0.0).0.rewind), (0.0, false));
    for (distance_rad, rewind) in [(JQ_GATE - 1e-9, false), (JQ_GATE + 1e-9, true), (0.5, true)] {
        let (plan, q0) = plan_at(distance_rad);
        assert_eq!(plan.rewind, rewind, "{distance_rad}");
        assert!((plan.error_rad - distance_rad).abs() < 1e-12);
        assert_eq!(plan.target, target, "every node is reached from anywhere");
        let servo = plan.servo(ServoSettings::default(), &q0).unwrap();
        assert_eq!(servo.hand_off.outcome.end, ServoEnd::Reached);
        assert!(servo.hand_off.outcome.error_rad <= ServoSettings::default().tolerance_rad);
    }
}

#[test]
fn a_start_of_a_demo_is_judged_without_that_demo() {
    let q0 = GRAPH.q(GRAPH.strand(2).start).to_vec();
    let plan = EntryPlan::new(&GRAPH, &mut kernel(), 0, &q0, false, RATE_HZ, Some(2)).unwrap();
    assert!(plan.target.nodes.iter().all(|&v| GRAPH.owner(v as usize) != 2));
}
