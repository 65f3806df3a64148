//! `head train` and `head eval` on a small set.

use crate::support::{TRAIN, Trained, check_words};
use std::fs;

#[test]
fn train_and_eval_say_what_was_done_on_which_part() {
    let workspace = Trained::once().workspace();
    check_words("head_train", &workspace.run(&TRAIN));
    check_words("head_eval", &workspace.run(&["head", "eval", "--demos", "demos.npz", "--artifacts", "a"]));
}

#[test]
fn the_same_seed_trains_the_same_bytes_on_any_number_of_threads() {
    let workspace = Trained::once().workspace();
    let files = ["a/g_head.npz", "a/g_head.safetensors", "a/g_head.checkpoint.npz"];
    let read = || files.map(|file| fs::read(workspace.path(file)).unwrap());
    let before = read();
    for threads in ["1", "2"] {
        let args = [&TRAIN[..], &["--threads", threads]].concat();
        assert!(workspace.output(&args).status.success());
        assert!(read() == before, "{threads} threads");
    }
}

#[test]
fn a_finished_run_resumes_to_the_same_head() {
    let workspace = Trained::once().workspace();
    let before = fs::read(workspace.path("a/g_head.npz")).unwrap();
    let output = workspace.output(&[&TRAIN[..], &["--resume"]].concat());
    assert!(output.status.success());
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("going on after epoch 1\n"));
    assert!(fs::read(workspace.path("a/g_head.npz")).unwrap() == before);
}

#[test]
fn the_object_holds_seed_split_and_every_epoch() {
    let workspace = Trained::once().workspace();
    let result = workspace.json(&[&TRAIN[..], &["--seed", "7"]].concat());
    let training = &result["head"]["training"];
    assert_eq!((training["seed"].as_u64(), training["epochs"].as_u64()), (Some(7), Some(1)));
    // Of four demos two train, one fits and one audits; a single demo can only train.
    assert_eq!(training["split"], serde_json::json!({"train": 7, "fit": 3, "audit": 3}));
    assert_eq!(training["history"].as_array().unwrap().len(), 1);
    let scores = workspace.json(&["head", "eval", "--demos", "demos.npz", "--artifacts", "a"]);
    // Three audit demos of ten checks.
    assert_eq!(scores["audit"]["head"]["windows"], 30);
    assert_eq!(scores["audit"]["clock"]["transitions"], 27);
    assert_eq!(scores["audit"]["clock"]["plausible_share"], 0.0);
}
