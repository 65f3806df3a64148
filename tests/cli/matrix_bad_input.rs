//! Every way a round can be damaged: which exit code, what is said, and that no document is left behind, whole or half.
//!
//! A snapshot lists the files that a command left; where it lists none, nothing was written, not even a temporary one.

use crate::matrix::{put, with_round};
use crate::support::{Workspace, check};
use serde_json::{Value, json};
use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};

const VERDICTS: [&str; 3] = ["matrix", "verdicts", "round"];
/// A round whose first scene was stopped by an arm link.
const ARM_WORLD: &str = "generated-02-arm-world";
const LOG: &str = "round/baguette/run_deploy.log";

/// Rewrites a file.
fn change(workspace: &Workspace, name: &str, edit: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    let bytes = fs::read(workspace.path(name)).unwrap();
    fs::write(workspace.path(name), edit(bytes)).unwrap();
}

/// Replaces the first `from` of a file, which must be there.
fn replace(workspace: &Workspace, name: &str, from: &str, to: &str) {
    change(workspace, name, |bytes| {
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains(from), "{name}: no {from}");
        text.replacen(from, to, 1).into_bytes()
    });
}

/// A fresh copy of a round, changed; the refusal of its verdicts as a snapshot. Older documents stay as they were.
fn refused(name: &str, change: impl FnOnce(&Workspace)) {
    let workspace = with_round(ARM_WORLD);
    let older = ["verdicts.json", "NOTES.md"].map(|file| workspace.path("round").join(file));
    for file in &older {
        fs::write(file, "older").unwrap();
    }
    change(&workspace);
    let text = workspace.run(&VERDICTS);
    assert!(text.contains("exit: 2\n"), "{text}");
    check(name, &text);
    for file in &older {
        assert_eq!(fs::read_to_string(file).unwrap(), "older", "{name}");
    }
}

/// Outcome by scene.
fn outcomes(workspace: &Workspace) -> Vec<(String, String)> {
    let object = workspace.json(&VERDICTS);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    object["scenes"].as_array().unwrap().iter().map(|s| (text(&s["scene"]), text(&s["outcome"]))).collect()
}

#[test]
fn a_folder_that_is_no_round() {
    let workspace = Workspace::new();
    check("matrix_bad_nowhere", &workspace.run(&VERDICTS));
    fs::create_dir(workspace.path("round")).unwrap();
    check("matrix_bad_no_metadata", &workspace.run(&VERDICTS));
    check("matrix_bad_no_metadata_json", &workspace.run(&[&VERDICTS[..], &["--json"]].concat()));
    fs::write(workspace.path("file"), "a file").unwrap();
    check("matrix_bad_file", &workspace.run(&["matrix", "verdicts", "file"]));
    check("matrix_bad_file_explain", &workspace.run(&["matrix", "explain", "file", "fridge"]));
}

/// Metadata without a scene folder are a round all the same, and the user is told.
#[test]
fn a_round_without_scenes() {
    let workspace = with_round(ARM_WORLD);
    for scene in ["baguette", "sink_cup", "fridge", "utensil"] {
        fs::remove_dir_all(workspace.path("round").join(scene)).unwrap();
    }
    check("matrix_bad_no_scenes", &workspace.run(&VERDICTS));
}

#[test]
fn metadata_that_cannot_be_read() {
    let file = "round/metadata.json";
    refused("matrix_bad_metadata_torn", |w| change(w, file, |bytes| bytes[..bytes.len() / 2].to_vec()));
    refused("matrix_bad_metadata_array", |w| fs::write(w.path(file), "[1, 2]").unwrap());
    refused("matrix_bad_metadata_empty", |w| fs::write(w.path(file), "").unwrap());
    refused("matrix_bad_metadata_missing", |w| replace(w, file, "\"executed_sha\"", "\"executed\""));
    refused("matrix_bad_metadata_type", |w| {
        replace(w, file, "\"worktree_clean\": true", "\"worktree_clean\": \"yes\"");
    });
    refused("matrix_bad_metadata_text_number", |w| replace(w, file, "\"seed\": 1", "\"seed\": \"1\""));
    refused("matrix_bad_metadata_nan", |w| {
        replace(w, file, "\"collision_scale\": {}", "\"collision_scale\": {\"collision_scale_k\": NaN}");
    });
    refused("matrix_bad_metadata_utf8", |w| {
        change(w, file, |bytes| [&bytes[..20], b"\xff\xfe", &bytes[20..]].concat());
    });
    refused("matrix_bad_metadata_nul", |w| {
        change(w, file, |bytes| [&bytes[..], &[0; 64]].concat());
    });
    refused("matrix_bad_metadata_deep", |w| {
        let deep = format!("\"seed\": {}1{}", "[".repeat(100_000), "]".repeat(100_000));
        replace(w, file, "\"seed\": 1", &deep);
    });
    refused("matrix_bad_metadata_folder", |w| {
        fs::remove_file(w.path(file)).unwrap();
        fs::create_dir(w.path(file)).unwrap();
    });
}

#[test]
fn a_stop_line_that_says_no_number() {
    refused("matrix_bad_stop_text", |w| replace(w, LOG, "min_distance_m=-0.0183", "min_distance_m=deep"));
    refused("matrix_bad_stop_nan", |w| replace(w, LOG, "min_distance_m=-0.0183", "min_distance_m=nan"));
    refused("matrix_bad_stop_empty", |w| replace(w, LOG, "min_distance_m=-0.0183", "min_distance_m="));
    refused("matrix_bad_stop_sweep", |w| {
        replace(w, LOG, "sweep_min_distance_m=-0.0183", "sweep_min_distance_m=-0,0183");
    });
    refused("matrix_bad_stop_step", |w| replace(w, LOG, "step=2", "step=2.5"));
}

#[test]
fn a_snapshot_without_what_is_needed() {
    let distance = "\"distance_m\": -0.0027";
    refused("matrix_bad_pair_missing", |w| replace(w, LOG, distance, "\"distance\": -0.0027"));
    refused("matrix_bad_pair_null", |w| replace(w, LOG, distance, "\"distance_m\": null"));
    refused("matrix_bad_pair_text", |w| replace(w, LOG, distance, "\"distance_m\": \"-0.0027\""));
    refused("matrix_bad_pair_nan", |w| replace(w, LOG, distance, "\"distance_m\": NaN"));
    refused("matrix_bad_pairs_object", |w| {
        replace(w, LOG, "\"nearest_robot_world_pairs\": [", "\"nearest_robot_world_pairs\": {}, \"was\": [");
    });
    refused("matrix_bad_pairs_item", |w| {
        replace(w, LOG, "\"nearest_robot_world_pairs\": [", "\"nearest_robot_world_pairs\": [7, ");
    });
}

#[test]
fn a_monitor_record_of_another_shape() {
    let file = "round/fridge/run_monitor.jsonl";
    refused("matrix_bad_monitor_resolution", |w| {
        replace(w, file, "\"resolution\": 0.025", "\"resolution\": \"0.025\"");
    });
    refused("matrix_bad_monitor_objects", |w| {
        change(w, file, |mut bytes| {
            bytes.extend(b"{\"event\": \"attachment_state\", \"objects\": [\"sim:loaf\"], \"t\": 1.0}\n");
            bytes
        });
    });
}

#[test]
fn names_that_lead_out_of_the_round() {
    for (name, folder) in [("up", "../elsewhere"), ("absolute", "/etc"), ("empty", "")] {
        refused(&format!("matrix_bad_scene_dir_{name}"), |w| {
            put(w, &format!("rounds/{ARM_WORLD}/baguette"), "elsewhere");
            let dirs = format!("{{\n  \"scene_dirs\": {{\"baguette\": \"{folder}\"}},");
            replace(w, "round/metadata.json", "{", &dirs);
        });
    }
    refused("matrix_bad_stem", |w| {
        replace(
            w,
            "round/metadata.json",
            "\"artifact_stem\": \"run\"",
            "\"artifact_stem\": \"../baguette/run\"",
        );
    });
    let workspace = with_round(ARM_WORLD);
    check("matrix_bad_stem_given", &workspace.run(&[&VERDICTS[..], &["--stem", "../baguette/run"]].concat()));
}

/// A folder that leads into itself is no folder, one that leads to its parent has no artifacts, and a log that leads
/// to itself cannot be read.
#[cfg(unix)]
#[test]
fn links_that_lead_in_a_circle() {
    use std::os::unix::fs::symlink;
    let workspace = with_round(ARM_WORLD);
    for scene in ["sink_cup", "fridge"] {
        fs::remove_dir_all(workspace.path("round").join(scene)).unwrap();
    }
    symlink("sink_cup", workspace.path("round/sink_cup")).unwrap();
    symlink(".", workspace.path("round/fridge")).unwrap();
    check("matrix_bad_link_folder", &workspace.run(&VERDICTS));
    for file in ["deploy.log", "monitor.jsonl", "goal.log", "launch_failed.txt"] {
        let workspace = with_round(ARM_WORLD);
        let name = format!("run_{file}");
        let path = workspace.path("round/baguette").join(&name);
        let _ = fs::remove_file(&path);
        symlink(&name, &path).unwrap();
        let text = workspace.run(&VERDICTS);
        let beginning =
            format!("exit: 2\n--- stdout\n--- stderr\nerror: round/baguette/{name}: cannot read: ");
        assert!(text.contains(&beginning) && text.ends_with("--- files\n"), "{text}");
    }
}

#[test]
fn a_folder_in_place_of_a_file() {
    for file in ["deploy.log", "monitor.jsonl", "goal.log", "launch_failed.txt"] {
        let workspace = with_round(ARM_WORLD);
        let path = workspace.path(&format!("round/utensil/run_{file}"));
        let _ = fs::remove_file(&path);
        fs::create_dir(&path).unwrap();
        let text = workspace.run(&VERDICTS);
        let beginning = format!("stderr\nerror: round/utensil/run_{file}: not a regular file");
        assert!(text.contains("exit: 2\n") && text.contains(&beginning), "{text}");
        assert!(text.ends_with("--- files\n"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let workspace = with_round(ARM_WORLD);
    let path = workspace.path(LOG);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        eprintln!("SKIPPED a_file_that_may_not_be_read: this user may read every file");
        return;
    }
    let text = workspace.run(&VERDICTS);
    assert!(text.contains("exit: 2\n") && text.contains(&format!("error: {LOG}: cannot read: ")), "{text}");
    assert!(text.ends_with("--- files\n"), "{text}");
}

/// What is no UTF-8 costs the line that it stands in, where that line mattered, and nothing else.
#[test]
fn bytes_that_are_no_text_change_no_outcome() {
    const NOISE: &[u8] = b"\xff\xfe\0\0 \xc3( \xf0\x9f \x1b[31m\xed\xa0\x80\0\n";
    for id in [ARM_WORLD, "generated-01-outcomes", "generated-13-borderline", "generated-09-torn-down"] {
        let workspace = with_round(id);
        let clean = outcomes(&workspace);
        for (scene, _) in &clean {
            for file in ["deploy.log", "monitor.jsonl", "goal.log", "launch_failed.txt"] {
                let name = format!("round/{scene}/run_{file}");
                if !workspace.path(&name).exists() {
                    continue;
                }
                // Behind the first line of a log, which says whether it is whole, and before a last line of others.
                change(&workspace, &name, |bytes| {
                    let lines = bytes.split_inclusive(|&b| b == b'\n');
                    if file == "deploy.log" {
                        lines.flat_map(|line| [line, NOISE].concat()).collect()
                    } else {
                        lines.flat_map(|line| [NOISE, line].concat()).collect()
                    }
                });
            }
        }
        assert_eq!(outcomes(&workspace), clean, "{id}");
        let document: Value =
            serde_json::from_slice(&fs::read(workspace.path("round/verdicts.json")).unwrap()).unwrap();
        assert_eq!(document["scenes"].as_array().unwrap().len(), clean.len());
    }
}

#[test]
fn deep_json_is_passed_over_or_refused_and_never_followed() {
    let workspace = with_round(ARM_WORLD);
    let deep = format!("{}1{}", "{\"a\": [".repeat(50_000), "]}".repeat(50_000));
    let snapshot = "sim.estop_ground_truth_snapshot {";
    replace(&workspace, LOG, snapshot, &format!("sim.estop_ground_truth_snapshot {deep}\nwas {{"));
    for file in ["round/sink_cup/run_monitor.jsonl", "round/sink_cup/run_goal.log"] {
        change(&workspace, file, |bytes| [deep.as_bytes(), b"\n", &bytes].concat());
    }
    change(&workspace, "round/fridge/robocasa_fridge_drawer_seed1.yaml", |bytes| {
        [&bytes[..], format!("deep: {}\n", "[".repeat(50_000)).as_bytes()].concat()
    });
    check("matrix_bad_deep", &workspace.run(&VERDICTS));
    check("matrix_bad_deep_explain", &workspace.run(&["matrix", "explain", "round", "fridge"]));
}

/// One line of more than 64 MiB in each streamed file; what follows it counts.
#[test]
fn a_line_longer_than_any_is_passed_over() {
    let workspace = with_round(ARM_WORLD);
    let clean = outcomes(&workspace);
    for file in ["deploy.log", "monitor.jsonl", "goal.log"] {
        let path = workspace.path(&format!("round/baguette/run_{file}"));
        let bytes = fs::read(&path).unwrap();
        let first =
            bytes.iter().position(|&b| b == b'\n').filter(|_| file == "deploy.log").map_or(0, |at| at + 1);
        let mut out = fs::File::create(&path).unwrap();
        out.write_all(&bytes[..first]).unwrap();
        // The file system keeps the gap as a hole of NUL bytes.
        out.seek(SeekFrom::Current(65 << 20)).unwrap();
        out.write_all(b"\n").unwrap();
        out.write_all(&bytes[first..]).unwrap();
    }
    assert_eq!(outcomes(&workspace), clean);
    check("matrix_bad_long_line", &workspace.run(&VERDICTS));
}

/// The last value counts, in the first one's place.
#[test]
fn a_key_that_is_given_twice() {
    let workspace = with_round(ARM_WORLD);
    replace(&workspace, "round/metadata.json", "{", "{\n  \"round_id\": \"another\",\n  \"seed\": 8,");
    replace(&workspace, LOG, "\"distance_m\": -0.0027", "\"distance_m\": \"x\", \"distance_m\": -0.0027");
    replace(
        &workspace,
        "round/baguette/run_monitor.jsonl",
        "\"resolution\": 0.025",
        "\"resolution\": \"x\", \"resolution\": 0.025",
    );
    let output = workspace.output(&VERDICTS);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value =
        serde_json::from_slice(&fs::read(workspace.path("round/verdicts.json")).unwrap()).unwrap();
    assert_eq!(
        (&document["metadata"]["round_id"], &document["metadata"]["seed"]),
        (&json!(ARM_WORLD), &json!(1))
    );
    let truth = &document["scenes"][0]["ground_truth"];
    assert_eq!((&truth["nearest_any_m"], &truth["grid_resolution_m"]), (&json!(-0.0027), &json!(0.025)));
}

/// Python writes NaN and Infinity where JSON has none: nothing is known of such a value, and the rest of its line stays.
#[test]
fn numbers_that_are_none_are_unknown_where_they_are_not_needed() {
    let workspace = with_round(ARM_WORLD);
    replace(&workspace, LOG, "\"admissible_gap_m\": 0.109871", "\"admissible_gap_m\": NaN");
    replace(&workspace, LOG, "\"distmax_m\": 0.1", "\"distmax_m\": Infinity");
    let monitor = "round/baguette/run_monitor.jsonl";
    replace(&workspace, monitor, "{", "{\"event\": \"x\", \"t\": -Infinity}\n{");
    replace(&workspace, "round/baguette/run_goal.log", "\"wall_s\": ", "\"wall_s\": NaN, \"was\": ");
    assert_eq!(outcomes(&workspace)[0].1, "estop-collision-real");
    let text = fs::read_to_string(workspace.path("round/verdicts.json")).unwrap();
    assert!(!text.contains("NaN") && !text.contains("Infinity"));
    let document: Value = serde_json::from_str(&text).unwrap();
    let scene = &document["scenes"][0];
    assert_eq!((&scene["ground_truth"]["distmax_m"], &scene["wall_s"]), (&Value::Null, &Value::Null));
    assert_eq!(scene["ground_truth"]["budget_source"], "grid-quantization");
}

#[test]
fn recorded_verdicts_that_cannot_be_read() {
    let workspace = with_round(ARM_WORLD);
    check("matrix_bad_diff_no_verdicts", &workspace.run(&["matrix", "diff", "round", "--baseline", "round"]));
    assert!(workspace.output(&VERDICTS).status.success());
    put(&workspace, &format!("rounds/{ARM_WORLD}"), "torn");
    let bytes = fs::read(workspace.path("round/verdicts.json")).unwrap();
    fs::write(workspace.path("torn/verdicts.json"), &bytes[..bytes.len() / 2]).unwrap();
    let diff = ["matrix", "diff", "round", "--baseline", "torn", "--out", "difference.json"];
    check("matrix_bad_diff_torn", &workspace.run(&diff));
    let text = String::from_utf8(bytes).unwrap();
    let other = text.replacen("\"estop-collision-real\"", "\"estop-collision-maybe\"", 1);
    fs::write(workspace.path("torn/verdicts.json"), other).unwrap();
    check("matrix_bad_diff_outcome", &workspace.run(&diff));
    fs::write(workspace.path("torn/verdicts.json"), text).unwrap();
    fs::write(workspace.path("file"), "").unwrap();
    let out = ["matrix", "diff", "round", "--baseline", "torn", "--out", "file/difference.json"];
    let output = workspace.output(&out);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]));
}

#[test]
fn documents_that_cannot_be_written() {
    for file in ["verdicts.json", "NOTES.md"] {
        let workspace = with_round(ARM_WORLD);
        fs::create_dir(workspace.path("round").join(file)).unwrap();
        let text = workspace.run(&VERDICTS);
        assert!(
            text.contains("exit: 2\n") && text.contains(&format!("round/{file}: cannot write: ")),
            "{text}"
        );
        assert!(!text.contains(".rollcheck-"), "a temporary file was left: {text}");
    }
}

/// H05: a stream torn by a power cut, through the whole command.
#[test]
fn h05_a_torn_monitor_stream() {
    let workspace = Workspace::new();
    put(&workspace, "cases/H05-monitor-torn", "case");
    let expected: Value =
        serde_json::from_slice(&fs::read(workspace.path("case/expected.json")).unwrap()).unwrap();
    let output = workspace.output(&["matrix", "verdicts", "case/round", "--json"]);
    assert_eq!(json!(output.status.code()), expected["exit"]);
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["scenes"][0]["lines_skipped"], expected["lines_skipped"]);
    let document: Value =
        serde_json::from_slice(&fs::read(workspace.path("case/round/verdicts.json")).unwrap()).unwrap();
    let scene = &document["scenes"][0];
    for key in ["outcome", "monitor_records"] {
        assert_eq!(scene[key], expected[key], "{key}");
    }
    for key in ["attach_t_s", "detach_t_s"] {
        assert_eq!(scene["witness"][key], expected["witness"][key], "{key}");
    }
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "warning: utensil/run_monitor.jsonl: 2 lines skipped, no JSON object; the first is line 3\n"
    );
    let explained = workspace.json(&["matrix", "explain", "case/round", "utensil"]);
    assert!(explained.is_object());
}
