//! WHERE against recorded expectations: entry strata and targets, basin targets and kinds, segments.

#![allow(clippy::unwrap_used)]

mod sentinel_fixtures;

use proptest::prelude::*;
use rollcheck_engine::constants::SEG_K;
use rollcheck_engine::graph::{DemoGraph, Lane};
use rollcheck_engine::readout::basin::BasinQuery;
use rollcheck_engine::readout::{
    BasinReadout, EntryReadout, ReadoutError, Segment, StratumCounts, TargetKind,
};
use rollcheck_engine::when::BasinTable;
use sentinel_fixtures::{Golden, assert_close, graph};
use std::sync::LazyLock;

static GRAPH: LazyLock<DemoGraph> = LazyLock::new(graph);

fn lane(task: i32) -> &'static Lane {
    GRAPH.lane(task).unwrap()
}

fn counts(golden: &Golden, name: &str) -> StratumCounts {
    let counts: Vec<usize> = golden.i32(name).into_iter().map(|c| c as usize).collect();
    StratumCounts { lane: counts[0], band: counts[1], reached: counts[2] }
}

/// Logits of a lane of which only some nodes were reached.
fn logits(task: i32, reached: impl Fn(u32) -> bool) -> Vec<f32> {
    lane(task).nodes.iter().map(|&v| if reached(v) { v as f32 } else { f32::NEG_INFINITY }).collect()
}

#[test]
fn entry_targets_with_their_counts_and_segments() {
    let golden = Golden::read("golden_targets.npz");
    let readout = EntryReadout { graph: &GRAPH, without_owner: None };
    // The file gives counts, not ids: of all ways to choose so many nodes of the band exactly one has the
    // recorded mean.
    let some: [(i32, &[u32]); 2] = [(0, &[0, 3, 87, 135, 186, 243]), (7, &[300, 363, 429, 483, 543])];
    for (task, reached) in some {
        let all = readout.target(task, &logits(task, |_| true)).unwrap();
        assert_eq!(all.counts, counts(&golden, &format!("entry_{task}_all_counts")));
        assert_eq!(all.nodes.len(), all.counts.reached);
        assert_close("all", &all.q, &golden.f64(&format!("entry_{task}_all_q")));
        let segment = golden.f64(&format!("entry_{task}_all_segment"));
        assert_close("segment", all.segment.as_slice(), &segment);
        assert_eq!(all.segment.frame(0), all.q);

        let target = readout.target(task, &logits(task, |v| reached.contains(&v))).unwrap();
        assert_eq!(target.counts, counts(&golden, &format!("entry_{task}_some_counts")));
        assert_eq!(target.nodes, reached);
        assert_close("some", &target.q, &golden.f64(&format!("entry_{task}_some_q")));
    }
}

#[test]
fn an_empty_stratum_says_which_condition_emptied_it() {
    let golden = Golden::read("golden_targets.npz");
    let readout = EntryReadout { graph: &GRAPH, without_owner: None };
    let unreached = readout.target(0, &logits(0, |_| false)).unwrap_err();
    let unreached_counts = counts(&golden, "entry_0_unreached_counts");
    assert_eq!(unreached, ReadoutError::EmptyStratum { task_id: 0, counts: unreached_counts });
    assert_eq!(
        unreached.to_string(),
        "no entry target for task 0: 298 nodes in the lane, 17 of them in the phase band, 0 of those reached"
    );
    let unknown = readout.target(9, &[]).unwrap_err();
    assert_eq!(unknown, ReadoutError::EmptyStratum { task_id: 9, counts: counts(&golden, "entry_9_counts") });
    let short = readout.target(0, &[0.0; 5]).unwrap_err();
    assert_eq!(short, ReadoutError::Length { field: "logits", expected: 298, found: 5 });
}

#[test]
fn an_entry_target_leaves_a_demo_out() {
    let readout = EntryReadout { graph: &GRAPH, without_owner: Some(2) };
    let target = readout.target(0, &logits(0, |_| true)).unwrap();
    assert!(target.nodes.iter().all(|&v| GRAPH.owner(v as usize) != 2));
    assert_eq!(target.counts, StratumCounts { lane: 298 - GRAPH.strand(2).len(), band: 14, reached: 14 });
}

#[test]
fn basin_targets_and_their_kinds() {
    let golden = Golden::read("golden_targets.npz");
    let table = BasinTable::of_graph(&GRAPH, |_| true, |_| true);
    let task = golden.i32("basin_task")[0];
    let (belief, q, phase_hat) =
        (golden.f64("basin_belief"), golden.f64("basin_q"), golden.f64("basin_phase_hat"));
    let (closed, target, kind) =
        (golden.flags("basin_gripper"), golden.f64("basin_target"), golden.i32("basin_kind"));
    let (n, dof) = (GRAPH.len(), GRAPH.dof());
    let mut readout = BasinReadout::new(&GRAPH);
    for case in 0..kind.len() {
        let belief: Vec<f64> = lane(task).nodes.iter().map(|&v| belief[case * n + v as usize]).collect();
        let query = BasinQuery {
            lane: lane(task),
            belief: &belief,
            phase_hat: phase_hat[case],
            q: &q[case * dof..(case + 1) * dof],
            closed: closed[case],
            without_owner: None,
        };
        let expected = [TargetKind::Weighted, TargetKind::Nearest, TargetKind::None][kind[case] as usize];
        assert_eq!(readout.read(&GRAPH, &table, &query).unwrap(), expected, "case {case}");
        if expected == TargetKind::None {
            assert!(target[case * dof..(case + 1) * dof].iter().all(|x| x.is_nan()));
            continue;
        }
        let row = &target[case * dof..(case + 1) * dof];
        assert_close("basin_target", readout.segment().frame(0), row);
        assert!((readout.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(readout.nodes().iter().all(|&v| GRAPH.closed(v as usize) == closed[case]));
        let short = readout.read(&GRAPH, &table, &BasinQuery { belief: &belief[1..], ..query });
        assert!(matches!(short, Err(ReadoutError::Length { field: "belief", .. })));
    }
}

#[test]
fn an_unknown_bandwidth_and_a_bad_pose_do_not_invent_a_target() {
    let lane = lane(0);
    let belief = vec![1.0 / lane.nodes.len() as f64; lane.nodes.len()];
    let (v, lost) = (lane.nodes[40] as usize, vec![f64::NAN; GRAPH.dof()]);
    let query = BasinQuery {
        lane,
        belief: &belief,
        phase_hat: GRAPH.phase(v),
        q: GRAPH.q(v),
        closed: GRAPH.closed(v),
        without_owner: None,
    };
    let mut readout = BasinReadout::new(&GRAPH);
    let unknown = BasinTable::from_samples(&[0], []);
    assert_eq!(readout.read(&GRAPH, &unknown, &query).unwrap(), TargetKind::Nearest);
    assert_eq!((readout.nodes(), readout.weights()), (&[v as u32][..], &[1.0][..]));
    let without = BasinQuery { without_owner: Some(GRAPH.owner(v)), ..query };
    assert_eq!(readout.read(&GRAPH, &unknown, &without).unwrap(), TargetKind::Nearest);
    assert_ne!(GRAPH.owner(readout.nodes()[0] as usize), GRAPH.owner(v));
    let lost = BasinQuery { q: &lost, ..query };
    assert_eq!(readout.read(&GRAPH, &unknown, &lost).unwrap(), TargetKind::None);
}

proptest! {
    /// One node alone: its strand, read on, and held at the end.
    #[test]
    fn a_single_node_gives_its_strand(v in 0_usize..606) {
        let mut segment = Segment::new(GRAPH.dof());
        segment.fill(&GRAPH, &[v as u32], &[1.0]).unwrap();
        prop_assert_eq!(segment.frame(0), GRAPH.q(v));
        let strand = GRAPH.strand(GRAPH.owner(v));
        for u in strand.clone() {
            let Some(k) = GRAPH.frame(u).checked_sub(GRAPH.frame(v)).filter(|&k| k < SEG_K) else { continue };
            prop_assert_eq!(segment.frame(k), GRAPH.q(u));
        }
        let last = strand.end - 1;
        if GRAPH.frame(last) - GRAPH.frame(v) < SEG_K {
            prop_assert_eq!(segment.frame(SEG_K - 1), GRAPH.q(last));
        }
    }

    /// A mixture of two nodes lies where the mixture of their segments lies.
    #[test]
    fn segments_are_linear_in_the_weights(a in 0_u32..606, b in 0_u32..606, share in 0.0..1.0) {
        let read = |nodes: &[u32], weights: &[f64]| {
            let mut segment = Segment::new(GRAPH.dof());
            segment.fill(&GRAPH, nodes, weights).unwrap();
            segment
        };
        let (first, second) = (read(&[a], &[1.0]), read(&[b], &[1.0]));
        let both = read(&[a, b], &[1.0 - share, share]);
        for ((x, y), z) in first.as_slice().iter().zip(second.as_slice()).zip(both.as_slice()) {
            prop_assert!(((1.0 - share) * x + share * y - z).abs() < 1e-12);
        }
    }
}
