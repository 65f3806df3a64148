//! Every way a file can be wrong: which exit code, what is said, and that nothing is left behind.

use crate::support::{Workspace, check};
use std::fs;

/// Builds from `demos.npz` and snapshots what came of it.
fn build(workspace: &Workspace) -> String {
    workspace.run(&["graph", "build", "demos.npz", "--out", "artifacts"])
}

#[test]
fn a_missing_file() {
    check("bad_missing", &build(&Workspace::new()));
}

#[test]
fn an_error_is_an_object_with_json() {
    check("bad_missing_json", &Workspace::new().run(&["graph", "info", "nowhere", "--json"]));
}

#[test]
fn a_file_of_another_kind() {
    let workspace = Workspace::new();
    fs::write(workspace.path("demos.npz"), "q,gripper\n0.1,1\n").unwrap();
    check("bad_not_npz", &build(&workspace));
}

#[test]
fn a_file_cut_short() {
    let workspace = Workspace::new();
    workspace.demos("demos.npz", |_| {});
    let bytes = fs::read(workspace.path("demos.npz")).unwrap();
    fs::write(workspace.path("demos.npz"), &bytes[..bytes.len() / 2]).unwrap();
    check("bad_truncated", &build(&workspace));
}

#[test]
fn frames_that_do_not_match() {
    let workspace = Workspace::new();
    workspace.demos("demos.npz", |episodes| {
        episodes.gripper.pop();
    });
    check("bad_lengths", &build(&workspace));
}

#[test]
fn a_shape_that_cannot_be() {
    let workspace = Workspace::new();
    workspace.demos("demos.npz", |episodes| episodes.task.push(9));
    check("bad_shape", &build(&workspace));
}

#[test]
fn boundaries_that_do_not_cut_the_frames() {
    let workspace = Workspace::new();
    workspace.demos("demos.npz", |episodes| episodes.start[2] = 7);
    check("bad_boundary", &build(&workspace));
}

#[test]
fn a_value_that_is_not_a_number() {
    let workspace = Workspace::new();
    workspace.demos("demos.npz", |episodes| episodes.q[2 * (2 * 41 + 5) + 1] = f64::NAN);
    check("bad_nan", &build(&workspace));
}

#[test]
fn a_rate_that_is_none() {
    let workspace = Workspace::new();
    workspace.demos("demos.npz", |episodes| episodes.rate_hz = 0.0);
    check("bad_rate", &build(&workspace));
}

#[test]
fn too_many_joints() {
    let workspace = Workspace::new();
    workspace.demos("demos.npz", |episodes| {
        episodes.dof = 17;
        episodes.q = vec![0.0; 17 * 4 * 41];
    });
    check("bad_dof", &build(&workspace));
}

/// A file where the folder should be refuses every user, also one who may write anywhere.
#[test]
fn an_output_folder_that_cannot_be_made() {
    let workspace = Workspace::new();
    workspace.demos("demos.npz", |_| {});
    fs::write(workspace.path("artifacts"), "in the way").unwrap();
    check("bad_output", &build(&workspace));
    assert_eq!(fs::read_to_string(workspace.path("artifacts")).unwrap(), "in the way");
}

/// Node ids are positional: edges of another graph would fit in shape and mean nothing.
#[test]
fn files_of_two_graphs_in_one_folder() {
    let workspace = Workspace::new();
    for (demos, out, shift) in [("one.npz", "one", 0.0), ("two.npz", "two", 0.25)] {
        workspace.demos(demos, |episodes| episodes.q[0] += shift);
        assert!(workspace.output(&["graph", "build", demos, "--out", out]).status.success());
    }
    fs::copy(workspace.path("two").join("g_edges.npz"), workspace.path("one").join("g_edges.npz")).unwrap();
    check("bad_foreign_edges", &workspace.run(&["graph", "info", "one"]));
}

#[test]
fn a_graph_folder_with_something_else_in_it() {
    let workspace = Workspace::new();
    workspace.demos("artifacts/g_nodes.npz", |_| {});
    workspace.demos("artifacts/g_edges.npz", |_| {});
    check("bad_not_a_graph", &workspace.run(&["graph", "info", "artifacts"]));
}
