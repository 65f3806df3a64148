//! `matrix ...` on generated rounds that are as they should be, and what an import refuses.

use crate::support::{Workspace, check};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Copies a generated round, or another folder of the fixtures, into a workspace under `name`.
pub(crate) fn put(workspace: &Workspace, from: &str, name: &str) {
    fn walk(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let (path, name) = entry.map(|e| (e.path(), e.file_name())).unwrap();
            if path.is_dir() {
                walk(&path, &to.join(name));
            } else {
                fs::copy(&path, to.join(name)).unwrap();
            }
        }
    }
    walk(&fixtures().join(from), &workspace.path(name));
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

/// A workspace with one generated round in `round`.
pub(crate) fn with_round(id: &str) -> Workspace {
    let workspace = Workspace::new();
    put(&workspace, &format!("rounds/{id}"), "round");
    workspace
}

fn read(workspace: &Workspace, name: &str) -> String {
    fs::read_to_string(workspace.path(name)).unwrap()
}

#[test]
fn help() {
    let workspace = Workspace::new();
    for command in ["verdicts", "diff", "import", "explain", "schema"] {
        check(&format!("help_matrix_{command}"), &workspace.run(&["matrix", command, "--help"]));
    }
}

#[test]
fn verdicts_are_said_and_written() {
    let workspace = with_round("generated-10-exemptions");
    check("matrix_verdicts", &workspace.run(&["matrix", "verdicts", "round"]));
    check("matrix_verdicts_notes", &read(&workspace, "round/NOTES.md"));
    check("matrix_verdicts_document", &read(&workspace, "round/verdicts.json"));
}

#[test]
fn verdicts_as_an_object() {
    let workspace = with_round("generated-07-withdrawn");
    check("matrix_verdicts_json", &workspace.run(&["matrix", "verdicts", "round", "--json"]));
}

#[test]
fn both_rule_sets_name_themselves() {
    let workspace = with_round("generated-12-rule-sets");
    check("matrix_verdicts_documented", &workspace.run(&["matrix", "verdicts", "round"]));
    let rule_set = || -> Value {
        let verdicts: Value = serde_json::from_str(&read(&workspace, "round/verdicts.json")).unwrap();
        verdicts["rule_set"].clone()
    };
    assert_eq!(rule_set(), "documented");
    check(
        "matrix_verdicts_extended",
        &workspace.run(&["matrix", "verdicts", "round", "--rules", "extended"]),
    );
    assert_eq!(rule_set(), "extended");
    assert!(read(&workspace, "round/NOTES.md").contains("rule set: extended"));
}

/// One scene of this round has an excerpt only, of which no excerpts are made.
#[test]
fn excerpts_come_from_whole_logs() {
    let workspace = with_round("generated-11-fallbacks");
    check("matrix_verdicts_excerpts", &workspace.run(&["matrix", "verdicts", "round", "--excerpts"]));
    assert_eq!(read(&workspace, "round/baguette/run_allowance_active.txt"), "\n");
    assert!(
        read(&workspace, "round/utensil/run_kernel_evidence.txt").contains("safety.collision kind=world")
    );
}

/// A harness error is an outcome, not a failure of this command.
#[test]
fn a_round_of_harness_errors_is_exit_0_and_its_notes_name_them() {
    let workspace = with_round("generated-08-never-started");
    check("matrix_verdicts_void", &workspace.run(&["matrix", "verdicts", "round"]));
    check("matrix_verdicts_void_notes", &read(&workspace, "round/NOTES.md"));
}

#[test]
fn the_same_round_gives_the_same_bytes_on_any_number_of_threads() {
    let workspace = with_round("generated-05-instruments");
    let mut seen = Vec::new();
    for threads in ["1", "1", "2"] {
        let output = workspace.output(&["matrix", "verdicts", "round", "--threads", threads]);
        assert!(output.status.success());
        seen.push((
            output.stdout,
            read(&workspace, "round/verdicts.json"),
            read(&workspace, "round/NOTES.md"),
        ));
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn quiet_says_the_verdicts_and_nothing_else() {
    let workspace = with_round("generated-01-outcomes");
    let output = workspace.output(&["-q", "matrix", "verdicts", "round", "--excerpts"]);
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(output.stdout.starts_with(b"baguette   completed\n"));
}

/// The files lie under another prefix than metadata say: the user knows better.
#[test]
fn a_stem_that_is_given_goes_before_the_recorded_one() {
    let workspace = with_round("generated-16-repeat-seed-2");
    for kind in ["deploy.log", "monitor.jsonl", "goal.log"] {
        let path = |stem: &str| workspace.path(&format!("round/sink_cup/{stem}_{kind}"));
        fs::rename(path("run"), path("late")).unwrap();
    }
    let outcome = |args: &[&str]| workspace.json(args)["scenes"][0]["outcome"].clone();
    assert_eq!(outcome(&["matrix", "verdicts", "round"]), "harness-error");
    assert_eq!(outcome(&["matrix", "verdicts", "round", "--stem", "late"]), "deadline-after-grasp");
}

/// Three rounds with verdicts: a first, one at the same commit and seed, one at another seed.
fn repeats() -> Workspace {
    let workspace = Workspace::new();
    for (id, name) in [
        ("generated-14-repeat-1", "first"),
        ("generated-15-repeat-2", "second"),
        ("generated-16-repeat-seed-2", "seed2"),
    ] {
        put(&workspace, &format!("rounds/{id}"), name);
        assert!(workspace.output(&["matrix", "verdicts", name]).status.success());
    }
    workspace
}

#[test]
fn a_difference_is_said_and_written() {
    let workspace = repeats();
    let second = ["matrix", "diff", "second", "--baseline", "first"];
    check("matrix_diff", &workspace.run(&second));
    check("matrix_diff_json", &workspace.run(&[&second[..], &["--json"]].concat()));
    check("matrix_diff_out", &workspace.run(&[&second[..], &["--out", "difference.json"]].concat()));
    let written: Value = serde_json::from_str(&read(&workspace, "difference.json")).unwrap();
    assert_eq!(written, workspace.json(&second), "the file and the object say the same");
    check("matrix_diff_other_seed", &workspace.run(&["matrix", "diff", "seed2", "--baseline", "second"]));
}

#[test]
fn a_round_does_not_differ_from_itself() {
    let workspace = repeats();
    let object = workspace.json(&["matrix", "diff", "second", "--baseline", "second"]);
    let scenes = object["scenes"].as_array().unwrap();
    assert_eq!(scenes.len(), 3);
    for scene in scenes {
        assert_eq!(
            (&scene["changed"], &scene["changed_fields"]),
            (&Value::from(false), &serde_json::json!({}))
        );
    }
    let output = workspace.output(&["matrix", "diff", "second", "--baseline", "second"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("generated-15-repeat-2 -> generated-15-repeat-2  (reproducibility)\n"),
        "{text}"
    );
    assert!(!text.contains("CHANGED"), "{text}");
}

const IMPORT: [&str; 8] = [
    "matrix",
    "import",
    "round",
    "--round-id",
    "generated-17-legacy",
    "--executed-sha",
    "6e65726174656420726f756e6467656e65726174",
    "--imported-from=/runs/generated-17-legacy",
];

#[test]
fn an_older_round_is_imported_in_place() {
    let workspace = with_round("generated-17-legacy");
    let told =
        ["--host", "generated", "--gpu-name", "none", "--sync-group", "robocasa", "--sync-group", "wire"];
    check("matrix_import", &workspace.run(&[&IMPORT[..], &told].concat()));
    check("matrix_import_metadata", &read(&workspace, "round/metadata.json"));
    let verdicts = read(&workspace, "round/verdicts.json");
    let again = workspace.output(&["matrix", "verdicts", "round"]);
    assert!(again.status.success());
    assert_eq!(read(&workspace, "round/verdicts.json"), verdicts, "an imported round is a round");
}

/// The name that the harness used.
#[test]
fn import_round_is_import() {
    let (one, other) = (with_round("generated-17-legacy"), with_round("generated-17-legacy"));
    assert!(one.output(&IMPORT).status.success());
    let mut renamed = IMPORT;
    renamed[1] = "import-round";
    assert!(other.output(&renamed).status.success());
    for file in ["round/metadata.json", "round/verdicts.json", "round/NOTES.md"] {
        assert_eq!(read(&one, file), read(&other, file), "{file}");
    }
}

#[test]
fn an_import_that_is_refused_writes_nothing() {
    let change = |workspace: &Workspace, folder: &str, from: &str, to: &str| {
        let path = workspace.path(&format!("round/{folder}/seed1_deploy_excerpt.log"));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{folder}: no {from}");
        fs::write(path, text.replace(from, to)).unwrap();
    };
    let two_stacks = with_round("generated-17-legacy");
    change(&two_stacks, "fridge1", "enable_slam:=true", "enable_slam:=false");
    check("matrix_import_two_stacks", &two_stacks.run(&IMPORT));

    let no_scene = Workspace::new();
    fs::create_dir_all(no_scene.path("round/kitchen")).unwrap();
    check("matrix_import_no_scene", &no_scene.run(&IMPORT));

    let no_start = with_round("generated-17-legacy");
    for folder in ["bag1", "sink1", "fridge1", "utensil1"] {
        // A stamp of nine digits is none of those that a start is taken from.
        change(&no_start, folder, "[1", "[");
    }
    check("matrix_import_no_start", &no_start.run(&IMPORT));

    let file = Workspace::new();
    fs::write(file.path("round"), "a file").unwrap();
    check("matrix_import_file", &file.run(&IMPORT));

    let torn = with_round("generated-17-legacy");
    change(&torn, "sink1", "min_distance_m=-", "min_distance_m=--");
    check("matrix_import_torn", &torn.run(&IMPORT));

    for workspace in [two_stacks, no_scene, no_start, torn] {
        for name in ["metadata.json", "verdicts.json", "NOTES.md"] {
            assert!(!workspace.path("round").join(name).exists(), "{name}");
        }
    }
}

#[test]
fn a_folder_of_another_name_is_found_by_its_alias() {
    let workspace = with_round("generated-17-legacy");
    fs::rename(workspace.path("round/fridge1"), workspace.path("round/icebox")).unwrap();
    assert_eq!(workspace.json(&IMPORT)["scenes"].as_array().unwrap().len(), 3);
    let object = workspace.json(&[&IMPORT[..], &["--scene-alias", "fridge=icebox"]].concat());
    assert_eq!(object["scenes"][2]["outcome"], "estop-initial-configuration");
    let usage = workspace.output(&[&IMPORT[..], &["--scene-alias", "fridge"]].concat());
    assert_eq!(usage.status.code(), Some(2));
}

#[test]
fn explanations() {
    for (name, id, scene) in [
        ("arm_world", "generated-02-arm-world", "sink_cup"),
        ("contact_of_others", "generated-10-exemptions", "utensil"),
        ("hulls", "generated-18-limits", "baguette"),
        ("payload_link", "generated-03-payload", "fridge"),
        ("withdrawn", "generated-07-withdrawn", "utensil"),
        ("no_snapshot", "generated-05-instruments", "baguette"),
        ("deadline", "generated-01-outcomes", "utensil"),
        ("void", "generated-09-torn-down", "baguette"),
        ("completed_and_void", "generated-13-borderline", "utensil"),
    ] {
        let workspace = with_round(id);
        check(&format!("matrix_explain_{name}"), &workspace.run(&["matrix", "explain", "round", scene]));
    }
}

#[test]
fn an_explanation_as_an_object() {
    let workspace = with_round("generated-02-arm-world");
    let args = ["matrix", "explain", "round", "sink_cup", "--json"];
    check("matrix_explain_json", &workspace.run(&args));
    let workspace = with_round("generated-12-rule-sets");
    let args = ["matrix", "explain", "round", "fridge", "--rules", "extended"];
    check("matrix_explain_extended", &workspace.run(&args));
}

#[test]
fn what_cannot_be_explained() {
    let workspace = with_round("generated-16-repeat-seed-2");
    check("matrix_explain_unknown_scene", &workspace.run(&["matrix", "explain", "round", "kettle"]));
    check("matrix_explain_absent_scene", &workspace.run(&["matrix", "explain", "round", "fridge"]));
    check(
        "matrix_explain_absent_scene_json",
        &workspace.run(&["matrix", "explain", "round", "fridge", "--json"]),
    );
    check(
        "matrix_explain_no_verdicts",
        &workspace.run(&["matrix", "explain", "round", "sink_cup", "--from-recorded"]),
    );
}

/// A folder whose metadata are lost is explained as far as its files go.
#[test]
fn an_explanation_without_metadata() {
    let workspace = with_round("generated-18-limits");
    fs::remove_file(workspace.path("round/metadata.json")).unwrap();
    check("matrix_explain_no_metadata", &workspace.run(&["matrix", "explain", "round", "fridge"]));
}

#[test]
fn schemas_are_the_published_ones() {
    let workspace = Workspace::new();
    for document in ["verdicts", "metadata", "diff"] {
        let output = workspace.output(&["matrix", "schema", document]);
        assert!(output.status.success() && output.stderr.is_empty(), "{document}");
        let published = fixtures().join(format!("../docs/schemas/{document}.schema.json"));
        assert!(output.stdout == fs::read(published).unwrap(), "{document}");
    }
    check("matrix_schema_unknown", &workspace.run(&["matrix", "schema", "notes"]));
}
