//! `matrix readjudicate` on generated rounds and on what is no round.

use crate::support::{Workspace, check};
use std::fs;
use std::path::Path;

const FILES: [&str; 5] = ["ledger.csv", "ledger.html", "ledger.parquet", "summary.json", "summary.txt"];

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A folder `rounds` with these generated rounds.
fn workspace(rounds: &[&str]) -> Workspace {
    let workspace = Workspace::new();
    let generated = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rounds");
    for round in rounds {
        copy(&generated.join(round), &workspace.path(&format!("rounds/{round}")));
    }
    workspace
}

fn readjudicate<'a>(rounds: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [&["matrix", "readjudicate"], rounds, &["--out", "out", "--no-progress"], more].concat()
}

#[test]
fn the_help_says_what_is_written_and_what_the_exit_codes_mean() {
    check("help_matrix_readjudicate", &Workspace::new().run(&["matrix", "readjudicate", "--help"]));
}

#[test]
fn both_rule_sets_and_what_changes_between_them() {
    let workspace = workspace(&["generated-05-instruments", "generated-12-rule-sets"]);
    check("matrix_readjudicate_both", &workspace.run(&readjudicate(&["rounds"], &["--rules", "both"])));
    let page = fs::read_to_string(workspace.path("out/ledger.html")).unwrap();
    for words in
        ["generated data: not evidence", "What the rule sets change", "Stops against their gap budget"]
    {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("src=") && !page.contains("href=") && !page.contains("<script"));
}

#[test]
fn damage_is_told_with_exit_code_5_and_everything_else_is_written() {
    let workspace = workspace(&["generated-01-outcomes"]);
    fs::create_dir_all(workspace.path("rounds/torn")).unwrap();
    fs::write(workspace.path("rounds/torn/metadata.json"), b"{\"round_id\": ").unwrap();
    fs::write(workspace.path("file"), b"").unwrap();
    let rounds = ["rounds", "file", "gone", "none*"];
    check("matrix_readjudicate_damaged", &workspace.run(&readjudicate(&rounds, &[])));
    let output = workspace.output(&readjudicate(&rounds, &["--json", "--quiet"]));
    assert_eq!((output.status.code(), output.stderr.len()), (Some(5), 0));
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["summary"]["damaged"]["total"], 4);
    assert_eq!(result["summary"]["generated"]["by_rules"][0]["outcomes"]["baguette"]["completed"], 1);
    assert_eq!(result["summary"]["recorded"], serde_json::Value::Null);
    assert_eq!(result["files"]["csv"], "out/ledger.csv");
}

#[test]
fn names_of_strangers_are_harmless_on_terminal_and_page() {
    let workspace = workspace(&["generated-12-rule-sets"]);
    let metadata = workspace.path("rounds/generated-12-rule-sets/metadata.json");
    let text = fs::read_to_string(&metadata).unwrap();
    let hostile = text.replace("\"round_id\": \"generated", "\"round_id\": \"\\u001b[31m<script>x</script>");
    assert_ne!(hostile, text);
    fs::write(&metadata, hostile).unwrap();
    let output = workspace.output(&readjudicate(&["rounds"], &["--rules", "both"]));
    assert!(!output.stdout.contains(&0x1b), "no escape reaches the terminal");
    let page = fs::read_to_string(workspace.path("out/ledger.html")).unwrap();
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"));
}

#[test]
fn the_same_rounds_give_the_same_files_on_any_number_of_threads() {
    let rounds = ["generated-02-arm-world", "generated-03-payload", "generated-04-links"];
    let workspace = workspace(&rounds);
    let bytes = |threads: &str| {
        let output = workspace.output(&readjudicate(&["rounds/*"], &["--threads", threads]));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        FILES.map(|file| fs::read(workspace.path("out").join(file)).unwrap())
    };
    assert!(bytes("1") == bytes("3"));
}

#[test]
fn a_run_that_was_killed_goes_on_where_it_was() {
    let workspace = workspace(&["generated-01-outcomes", "generated-02-arm-world"]);
    let rounds = workspace.path("rounds").display().to_string();
    let whole = workspace.output(&readjudicate(&[&rounds], &[]));
    let expected = FILES.map(|file| fs::read(workspace.path("out").join(file)).unwrap());
    stop_after_one(&workspace);
    let mut journal = fs::read(workspace.path("out/ledger.journal.jsonl")).unwrap();
    journal.extend(b"{\"fingerprint\":\"ab");
    fs::write(workspace.path("out/ledger.journal.jsonl"), journal).unwrap();
    let resumed = workspace.output(&readjudicate(&[&rounds], &[]));
    assert_eq!(resumed.stdout, whole.stdout);
    let note = "1 of 2 rounds were judged by a run that was interrupted, and did not change since\n";
    assert_eq!(String::from_utf8(resumed.stderr).unwrap(), note);
    assert!(expected == FILES.map(|file| fs::read(workspace.path("out").join(file)).unwrap()));
    assert!(!workspace.path("out/ledger.journal.jsonl").exists());
}

/// Judges the first round and ends, as a run does that is killed between two batches.
fn stop_after_one(workspace: &Workspace) {
    use rollcheck_eval::adjudication::rules::RuleSet;
    use rollcheck_eval::ledger::{self, Ending, How, Plan, Search};
    let plan = Plan {
        subjects: ledger::subjects(&[workspace.path("rounds")], Search::default()).subjects,
        how: How {
            rules: vec![RuleSet::Documented],
            from_recorded: false,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        out: workspace.path("out"),
        batch_rounds: 1,
    };
    let ending = ledger::run(&plan, &mut |_| std::ops::ControlFlow::Break(())).unwrap();
    assert!(matches!(ending, Ending::Stopped(step) if step.done == 1));
}

#[test]
fn wrong_usage_and_an_output_that_cannot_be_written_leave_nothing() {
    let workspace = workspace(&["generated-01-outcomes"]);
    check("matrix_readjudicate_usage", &workspace.run(&["matrix", "readjudicate", "--out", "out"]));
    fs::create_dir_all(workspace.path("out/ledger.html")).unwrap();
    check("matrix_readjudicate_in_the_way", &workspace.run(&readjudicate(&["rounds"], &[])));
    fs::write(workspace.path("file"), b"").unwrap();
    let args = ["matrix", "readjudicate", "rounds", "--out", "file/out", "--no-progress"];
    let output = workspace.output(&args);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: file/out: cannot create folder: "));
}

#[test]
fn a_second_run_into_the_same_ledger_is_refused_and_touches_nothing() {
    use rollcheck_eval::ledger::journal::Journal;
    let workspace = workspace(&["generated-01-outcomes", "generated-02-arm-world"]);
    stop_after_one(&workspace);
    let path = workspace.path("out/ledger.journal.jsonl");
    let before = fs::read(&path).unwrap();
    let held = Journal::open(&path).unwrap();
    let refused = workspace.output(&readjudicate(&["rounds"], &[]));
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0));
    let said = "error: out/ledger.journal.jsonl: another run writes this ledger; wait for it or choose another folder\n";
    assert_eq!(String::from_utf8(refused.stderr).unwrap(), said);
    assert_eq!(crate::support::files(&workspace.path("out")), ["ledger.journal.jsonl"]);
    assert_eq!(fs::read(&path).unwrap(), before);
    drop(held);
    assert!(workspace.output(&readjudicate(&["rounds"], &[])).status.success());
    assert!(!path.exists());
}

#[cfg(unix)]
#[test]
fn links_and_folders_that_nobody_searched_are_warned_of() {
    let workspace = workspace(&["generated-01-outcomes"]);
    for (id, to) in [("generated-02-arm-world", "elsewhere"), ("generated-03-payload", "rounds/1/2/3/4/5")] {
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rounds").join(id), &workspace.path(to));
    }
    for name in ["rounds/linked", "rounds/linked-too"] {
        std::os::unix::fs::symlink(workspace.path("elsewhere"), workspace.path(name)).unwrap();
    }
    let warned = workspace.output(&readjudicate(&["rounds"], &["--quiet"]));
    assert_eq!(warned.status.code(), Some(0));
    let said = "warning: 2 links to folders were not searched, such as rounds/linked: links inside a folder are not \
                followed; name what they lead to\n\
                warning: 1 folder was not searched, such as rounds/1/2/3/4/5: folders are searched 4 levels down; name \
                a folder nearer to the rounds\n";
    assert_eq!(String::from_utf8(warned.stderr).unwrap(), said);
    let all = ["rounds", "elsewhere", "rounds/1/2/3/4/5"];
    let output = workspace.output(&readjudicate(&all, &["--quiet"]));
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

/// The configuration is named by a path that begins neither at the round nor at its checkout.
#[test]
fn a_configuration_that_lies_where_the_program_runs_counts_for_whether_a_round_changed() {
    let workspace = workspace(&["generated-01-outcomes"]);
    let metadata = workspace.path("rounds/generated-01-outcomes/metadata.json");
    let mut document: serde_json::Value = serde_json::from_slice(&fs::read(&metadata).unwrap()).unwrap();
    document["scene_configs"] = serde_json::json!({"fridge": "here/fridge.yaml"});
    fs::write(&metadata, document.to_string()).unwrap();
    copy(&workspace.path("rounds/generated-01-outcomes"), &workspace.path("rounds/second"));
    stop_after_one(&workspace);
    // It was not there when the first round was judged.
    fs::create_dir(workspace.path("here")).unwrap();
    fs::write(workspace.path("here/fridge.yaml"), "seed: 1\n").unwrap();
    let rounds = workspace.path("rounds").display().to_string();
    let resumed = workspace.output(&readjudicate(&[&rounds], &[]));
    assert_eq!(String::from_utf8(resumed.stderr).unwrap(), "", "nothing of the first run is taken over");
    let table = fs::read_to_string(workspace.path("out/ledger.csv")).unwrap();
    let digest = "adf0396d435b4047092c20dada268d22d8db7f192fe2a8a9a283c9e9dea6af54";
    assert_eq!(table.matches(digest).count(), 2);
}
