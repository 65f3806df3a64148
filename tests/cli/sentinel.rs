//! `sentinel entry`, `replay` and `audit` on a small set.

use crate::support::{Trained, check_words};
use std::fs;

const REPLAY: [&str; 9] =
    ["sentinel", "replay", "--artifacts", "a", "--rollouts", "demos.npz", "--episode", "1", "--perturb"];

#[test]
fn a_start_on_the_demos_is_left_alone_and_one_off_them_is_put_back() {
    let workspace = Trained::once().workspace();
    let entry = |start: &str| {
        workspace.json(&["sentinel", "entry", "--artifacts", "a", "--task", "1", "--start", start])["entry"]
            .clone()
    };
    let on = entry("0,0.125,0");
    assert_eq!((on["rewind"].as_bool(), on["error_after_rad"].is_null()), (Some(false), true));
    let off = entry("0.3,0.4,-0.2");
    assert_eq!(off["rewind"], true);
    let error = |key: &str| off[key].as_f64().unwrap();
    assert!(error("error_before_rad") > 0.3 && error("error_after_rad") <= 0.03, "{off}");
    check_words(
        "sentinel_entry_one",
        &workspace.run(&["sentinel", "entry", "--artifacts", "a", "--task", "1", "--start", "0.3,0.4,-0.2"]),
    );
}

#[test]
fn the_recorded_starts_of_a_task_are_each_judged_without_their_own_demo() {
    let workspace = Trained::once().workspace();
    let args = ["sentinel", "entry", "--artifacts", "a", "--demos", "demos.npz", "--task", "0"];
    check_words("sentinel_entry_many", &workspace.run(&args));
    let levels = workspace.json(&args)["entry"]["levels"].clone();
    // Each of the three other demos gives its node at frame 0 alone: the band is 3.95 frames.
    assert_eq!(levels[0]["stratum"], serde_json::json!([3, 3]));
    assert_eq!(levels[0]["rewound"]["of"], 4);
}

#[test]
fn a_pushed_replay_draws_a_page_that_says_what_was_done() {
    let workspace = Trained::once().workspace();
    let args = [&REPLAY[..], &["push:0.6@20", "--rule", "method", "--html", "page.html"]].concat();
    let replay = workspace.json(&args)["replay"].clone();
    assert_eq!(replay["rule"], "linear, every check, product");
    assert_eq!(replay["generated"], true);
    assert_eq!(replay["checks"].as_array().unwrap().len(), 10);
    assert_eq!(replay["perturbations"][0]["what"], "push 0.6 rad (generated)");
    let page = fs::read_to_string(workspace.path("page.html")).unwrap();
    for words in ["generated data", "push 0.6 rad (generated)", "own strand", "no simulator ran"] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn a_stalled_replay_needs_no_page() {
    let workspace = Trained::once().workspace();
    let output = workspace.output(&[&REPLAY[..], &["stall@20"]].concat());
    assert!(output.status.success() && output.stderr.is_empty());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("Episode 1 of demos.npz: task 0\nrule power, every 3rd check, uniform\n"),
        "{text}"
    );
    assert!(text.contains("stall (generated) from frame 20\nown strand left out"), "{text}");
    // 80 frames and a stall of 200.
    assert!(text.contains("\n35 checks; "), "{text}");
}

#[test]
fn the_audit_prints_no_share_without_its_interval() {
    let workspace = Trained::once().workspace();
    let args =
        ["sentinel", "audit", "--artifacts", "a", "--demos", "demos.npz", "--shifted", "demos.npz", "-q"];
    let text = String::from_utf8(workspace.output(&args).stdout).unwrap();
    for line in text.lines().filter(|l| l.starts_with("false alarms") || l.starts_with("detected")) {
        assert_eq!(line.matches(" of ").count(), 2, "{line}");
        assert_eq!(line.matches(" to ").count(), 2, "{line}");
    }
    assert!(text.contains("shifted, no claim: 13 episodes of demos.npz"), "{text}");
    let result = workspace.json(&args);
    let settings = result["audit"]["settings"].as_array().unwrap();
    assert_eq!(settings.len(), 2);
    for setting in settings {
        assert_eq!(setting["false_alarms"]["episodes"]["of"], 3);
        assert_eq!(setting["detection"].as_array().unwrap().len(), 4);
    }
    assert!(result["check_ms"]["p50"].as_f64().unwrap() > 0.0);
    assert_eq!(result["check_ms"]["checks"], 30);
}
