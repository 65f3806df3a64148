//! `graph build` and `graph info` on files that are as they should be.

use crate::support::{Workspace, check};
use serde_json::Value;
use std::fs;

#[test]
fn build_writes_both_files_and_describes_them() {
    let workspace = Workspace::new();
    workspace.demos("demos.npz", |_| {});
    check("graph_build", &workspace.run(&["graph", "build", "demos.npz", "--out", "artifacts"]));
    check("graph_info", &workspace.run(&["graph", "info", "artifacts"]));
    check("graph_info_json", &workspace.run(&["graph", "info", "artifacts", "--json"]));
}

#[test]
fn quiet_leaves_the_data_and_nothing_else() {
    let workspace = Workspace::new();
    workspace.demos("demos.npz", |_| {});
    let loud = workspace.output(&["graph", "build", "demos.npz", "--out", "a"]);
    let quiet = workspace.output(&["-q", "graph", "build", "demos.npz", "--out", "b"]);
    assert_eq!(loud.stdout, quiet.stdout);
    assert_eq!((loud.stderr.is_empty(), quiet.stderr.is_empty()), (false, true));
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let workspace = Workspace::new();
    workspace.demos("demos.npz", |_| {});
    for (threads, out) in [("1", "one"), ("2", "two")] {
        let output = workspace.output(&["graph", "build", "demos.npz", "--out", out, "--threads", threads]);
        assert!(output.status.success());
    }
    for file in ["g_nodes.npz", "g_edges.npz"] {
        let read = |folder: &str| fs::read(workspace.path(folder).join(file)).unwrap();
        assert!(read("one") == read("two"), "{file}");
    }
}

/// Episodes that leave their start at once: the mean of the entry stratum is not where they start.
#[test]
fn a_stratum_away_from_the_starts_is_warned_of() {
    let workspace = Workspace::new();
    workspace.demos("demos.npz", |episodes| {
        for (i, q) in episodes.q.iter_mut().enumerate() {
            // Frame 0 of every episode stays; all later ones are far from it.
            if i % (2 * 41) >= 2 {
                *q += 1.0;
            }
        }
        // Nodes at frames 0 and 1: a change of the gripper command splits there.
        for episode in episodes.gripper.chunks_mut(41) {
            episode[0] = 1;
        }
    });
    check("graph_build_warning", &workspace.run(&["graph", "build", "demos.npz", "--out", "artifacts"]));
}

#[test]
fn the_figures_of_the_table_are_those_of_the_object() {
    let workspace = Workspace::new();
    workspace.demos("demos.npz", |_| {});
    let output = workspace.output(&["graph", "build", "demos.npz", "--out", "artifacts", "--json"]);
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let graph = &object["graph"];
    let sum =
        |key: &str| graph["tasks"].as_array().unwrap().iter().map(|t| t[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(graph["nodes"].as_u64().unwrap(), sum("nodes"));
    assert_eq!(graph["demos"].as_u64().unwrap(), sum("demos"));
    assert_eq!(graph["edges"]["next1"].as_u64().unwrap(), sum("nodes") - sum("demos"));
    assert_eq!(graph["hash"].as_str().unwrap().len(), 64);
    assert_eq!(graph["tasks"][0]["mean_frames"], 41.0);
}
