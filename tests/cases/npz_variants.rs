//! Archives that NumPy reads like any other and that simpler readers get wrong.
//!
//! H01: written to a pipe, so that the local headers carry no sizes (rogersce/cnpy pull request 103).
//! H02: column-major and big-endian arrays, header version 2 (rogersce/cnpy issue 7).
//! `fixtures/cases/README.md` tells more of both.

use rollcheck_engine::demos;
use rollcheck_engine::graph::{DemoGraph, edges};
use rollcheck_engine::store::atomic;
use rollcheck_fixtures::path;
use serde_json::Value;

fn graph(file: &str) -> DemoGraph {
    edges::build(&demos::npz::read(&path(file)).unwrap()).unwrap()
}

/// The graph of `input` is the twin's, and both are what `expected.json` says.
fn assert_case(folder: &str, input: &str) {
    let expected = atomic::read(&path(&format!("{folder}/expected.json"))).unwrap();
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    let twin = expected["same_graph_hash_as"].as_str().unwrap();
    let graph = (graph(&format!("{folder}/{input}")), graph(&format!("{folder}/{twin}")));
    assert_eq!(graph.0.hash(), graph.1.hash());
    assert_nodes(&graph.0, &expected["nodes"]);
}

fn assert_nodes(graph: &DemoGraph, expected: &Value) {
    let numbers = |v: &Value| -> Vec<usize> { serde_json::from_value(v.clone()).unwrap() };
    assert_eq!(graph.len(), expected["node_count"]);
    assert_eq!(graph.owners(), expected["episodes"]);
    let starts: Vec<usize> = graph.nodes().strand_start.iter().map(|&s| s as usize).collect();
    assert_eq!(starts, numbers(&expected["strand_start"]));
    for owner in 0..graph.owners() {
        let strand = graph.strand(owner);
        let frames: Vec<usize> = strand.clone().map(|v| graph.frame(v)).collect();
        assert_eq!(frames, numbers(&expected["frame"][owner]), "frames of episode {owner}");
        let closed: Vec<usize> = strand.clone().map(|v| usize::from(graph.closed(v))).collect();
        assert_eq!(closed, numbers(&expected["gripper"][owner]), "gripper of episode {owner}");
        assert_eq!(graph.frame(strand.end - 1) + 1, expected["lengths"][owner]);
    }
}

#[test]
fn h01_a_streamed_archive_is_read_from_its_central_directory() {
    assert_case("cases/H01-npz-streamed", "streamed.npz");
}

#[test]
fn h02_column_order_and_byte_order_do_not_scramble_the_joints() {
    assert_case("cases/H02-npz-fortran-bigendian", "fortran_be.npz");
}
