//! Artifacts that do not belong together, damaged ones, and starts that cannot be judged.

use crate::support::{Episodes, TRAIN, Trained, Workspace, check_words};
use rollcheck_engine::store::atomic;
use std::fs;

const ENTRY: [&str; 7] = ["sentinel", "entry", "--artifacts", "a", "--task", "0", "--start"];

/// Copies inside a workspace.
fn copy(workspace: &Workspace, from: &str, to: &str) {
    atomic::write(&workspace.path(to), &fs::read(workspace.path(from)).unwrap()).unwrap();
}

#[test]
fn a_head_of_another_graph() {
    let workspace = Trained::once().workspace();
    let mut other = Episodes::curves();
    other.q[0] += 0.25;
    workspace.write_episodes("other.npz", &other);
    assert!(workspace.output(&["graph", "build", "other.npz", "--out", "b"]).status.success());
    copy(&workspace, "a/g_head.npz", "b/g_head.npz");
    check_words(
        "bad_foreign_head",
        &workspace.run(&["head", "eval", "--demos", "other.npz", "--artifacts", "b"]),
    );
    check_words(
        "bad_foreign_demos",
        &workspace.run(&["head", "eval", "--demos", "other.npz", "--artifacts", "a"]),
    );
}

#[test]
fn a_filter_of_another_head() {
    let workspace = Trained::once().workspace();
    assert!(workspace.output(&[&TRAIN[..], &["--seed", "1"]].concat()).status.success());
    check_words("bad_foreign_track", &workspace.run(&[&ENTRY[..], &["0,0,0"]].concat()));
}

#[test]
fn a_head_cut_short() {
    let workspace = Trained::once().workspace();
    let bytes = fs::read(workspace.path("a/g_head.npz")).unwrap();
    atomic::write(&workspace.path("a/g_head.npz"), &bytes[..bytes.len() / 2]).unwrap();
    check_words(
        "bad_truncated_head",
        &workspace.run(&["track", "fit", "--demos", "demos.npz", "--artifacts", "a"]),
    );
}

#[test]
fn starts_that_cannot_be_judged() {
    let workspace = Trained::once().workspace();
    for (name, start) in [("bad_start_dof", "0,0"), ("bad_start_nan", "0,NaN,0")] {
        check_words(name, &workspace.run(&[&ENTRY[..], &[start]].concat()));
    }
    let unknown = ["sentinel", "entry", "--artifacts", "a", "--task", "3", "--start", "0,0,0"];
    let output = workspace.output(&unknown);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message, "error: task 3 is not in the graph, which has the tasks [0, 1, 5, 9]\n");
}

/// A task of one demo has no other start to go to.
#[test]
fn an_empty_stratum_tells_which_condition_emptied_it() {
    let workspace = Trained::once().workspace();
    let args = ["sentinel", "entry", "--artifacts", "a", "--demos", "demos.npz", "--task", "9"];
    let output = workspace.output(&args);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        message,
        "error: no entry target for task 9: 0 nodes in the lane, 0 of them in the phase band, 0 of those reached\n"
    );
}

#[test]
fn a_checkpoint_of_other_settings() {
    let workspace = Trained::once().workspace();
    check_words("bad_resume", &workspace.run(&[&TRAIN[..], &["--seed", "2", "--resume"]].concat()));
    let before = fs::read(Trained::once().workspace().path("a/g_head.npz")).unwrap();
    assert!(fs::read(workspace.path("a/g_head.npz")).unwrap() == before);
}

#[test]
fn a_replay_of_what_is_not_there() {
    let workspace = Trained::once().workspace();
    let replay = |more: &[&str]| {
        let args = ["sentinel", "replay", "--artifacts", "a", "--rollouts", "demos.npz", "--episode"];
        let output = workspace.output(&[&args[..], more].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(replay(&["13"]), (Some(2), "error: demos.npz: no episode 13; it holds 13\n".to_owned()));
    assert_eq!(
        replay(&["2", "--perturb", "stall@80"]),
        (Some(2), "error: episode 2 cannot be disturbed at frame 80: its last is 79\n".to_owned())
    );
    fs::create_dir(workspace.path("page.html")).unwrap();
    let (code, message) = replay(&["2", "--html", "page.html"]);
    assert_eq!(code, Some(2));
    assert!(message.starts_with("error: page.html: cannot write: "), "{message}");
}

#[test]
fn an_output_folder_that_cannot_be_made() {
    let workspace = Trained::once().workspace();
    atomic::write(&workspace.path("out"), b"in the way").unwrap();
    for args in [
        &["head", "train", "--demos", "demos.npz", "--graph", "a", "--out", "out"][..],
        &["quickstart", "--out", "out"],
    ] {
        let output = workspace.output(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.starts_with("error: out: cannot create folder: "), "{message}");
        assert_eq!(fs::read_to_string(workspace.path("out")).unwrap(), "in the way");
    }
}

#[test]
fn a_device_that_is_not_there_is_found_before_any_file() {
    let workspace = Workspace::new();
    let args = ["head", "eval", "--demos", "none.npz", "--artifacts", "none", "--device", "cuda:1"];
    assert_eq!(workspace.output(&args).status.code(), Some(6));
}
