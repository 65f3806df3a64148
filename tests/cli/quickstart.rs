//! `quickstart` once, with one epoch: what it prints, writes, and never says.

use crate::support::Workspace;
use serde_json::Value;
use std::fs;

/// Takes minutes on a busy machine; `.ci/run` runs the whole command.
#[test]
#[ignore = "trains on the bundled demonstrations"]
fn one_epoch_gives_every_documented_figure_and_file() {
    let workspace = Workspace::new();
    let output = workspace.output(&["quickstart", "--epochs", "1", "--out", "q", "--json", "-q"]);
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["graph"]["nodes"], 7208);
    for key in [
        "/head/phase_mae",
        "/filter/plausible_share",
        "/filter/jump_share",
        "/filter/backward_share",
        "/filter/phase_mae",
        "/memoryless/plausible_share",
        "/audit/false_alarm_rate",
        "/audit/detection_rate",
        "/entry/error_before_rad",
        "/entry/error_after_rad",
        "/check_ms/p50",
        "/check_ms/p99",
        "/shifted/filter/plausible_share",
    ] {
        assert!(result.pointer(key).is_some_and(Value::is_number), "{key}");
    }
    for file in [
        "g_nodes.npz",
        "g_edges.npz",
        "g_head.npz",
        "g_head.safetensors",
        "g_track.npz",
        "quickstart.json",
        "report.html",
    ] {
        assert!(workspace.path("q").join(file).is_file(), "{file}");
    }
    assert_eq!(fs::read(workspace.path("q/quickstart.json")).unwrap(), output.stdout);
    let page = fs::read_to_string(workspace.path("q/report.html")).unwrap();
    assert!(page.contains("scripted expert") && page.contains("(generated)"));
}
