//! Damage is a row with its reason; the rest goes on.

use crate::support::{Cells, copy, generated, plan, rows, run};
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::ledger::{self, LedgerError};
use std::ops::ControlFlow;
use std::path::Path;

fn good(folder: &Path, name: &str) {
    copy(&generated().join("generated-01-outcomes"), &folder.join(name));
}

fn of<'a>(rows: &'a [Cells], path: &str) -> Vec<&'a Cells> {
    rows.iter().filter(|row| row["round_path"].ends_with(path)).collect()
}

#[test]
fn every_kind_of_damage_is_a_row_and_the_others_are_judged() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join("rounds").join(name);
    for name in ["a-good", "b-torn", "c-no-scenes", "e-bad-stop", "f-outside", "z-good"] {
        good(&folder.path().join("rounds"), name);
    }
    let torn = std::fs::read(at("b-torn/metadata.json")).unwrap();
    std::fs::write(at("b-torn/metadata.json"), &torn[..torn.len() / 2]).unwrap();
    for scene in ["baguette", "sink_cup", "fridge", "utensil"] {
        std::fs::remove_dir_all(at("c-no-scenes").join(scene)).unwrap();
    }
    std::fs::write(at("d-file"), b"not a round").unwrap();
    let stop = b"x safety.collision kind=world a=panda_link5 b=voxel_1 step=0 min_distance_m=deep\n";
    std::fs::write(at("e-bad-stop/fridge/run_deploy.log"), stop).unwrap();
    std::fs::write(at("a-good/verdicts.json"), b"{\"torn").unwrap();
    let metadata = String::from_utf8(torn.clone()).unwrap();
    let metadata = metadata.replacen('{', "{\"scene_dirs\": {\"fridge\": \"../a-good/fridge\"},", 1);
    std::fs::write(at("f-outside/metadata.json"), metadata).unwrap();

    let arguments = [at("*"), folder.path().join("gone")];
    let report = run(&plan(&arguments, &folder.path().join("out"), &RuleSet::ALL, false));
    let rows = rows(&report);
    for name in ["a-good", "z-good"] {
        assert_eq!(of(&rows, name).len(), 8, "{name}: four scenes, two rule sets");
        assert!(of(&rows, name).iter().all(|row| row["status"] == "judged" && row["damage"].is_empty()));
    }
    assert!(of(&rows, "a-good")[0]["findings"].contains("nothing recorded could be compared: "));
    assert_eq!(of(&rows, "z-good")[0]["changed"], "");
    for (name, words) in [
        ("b-torn", "not JSON"),
        ("c-no-scenes", "no folder of any scene"),
        ("d-file", "not a folder"),
        ("f-outside", "leads out of the round"),
        ("gone", "cannot open"),
    ] {
        let [row] = of(&rows, name)[..] else { panic!("{name}: {}", of(&rows, name).len()) };
        assert_eq!((row["status"].as_str(), row["scene"].as_str()), ("damaged", ""));
        assert!(row["damage"].contains(words), "{name}: {}", row["damage"]);
    }
    let bad_stop = of(&rows, "e-bad-stop");
    assert_eq!(bad_stop.len(), 7);
    let damaged: Vec<_> = bad_stop.iter().filter(|row| row["status"] == "damaged").collect();
    assert_eq!(
        (damaged.len(), damaged[0]["scene"].as_str(), damaged[0]["rule_set"].as_str()),
        (1, "fridge", "")
    );
    assert!(damaged[0]["damage"].contains("min_distance_m"), "{}", damaged[0]["damage"]);

    let summary = report.summary;
    assert_eq!((summary.rounds, summary.damaged.total), (8, 6));
    assert_eq!(summary.recorded, None);
    // A round without scenes is still known to be generated.
    assert_eq!(summary.generated.unwrap().rounds, 4);
    let origins: Vec<_> = summary.damaged.first.iter().map(|damage| damage.origin).collect();
    assert_eq!(origins, ["unknown", "unknown", "generated", "unknown", "generated", "unknown"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_damages_its_scene_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    good(folder.path(), "round");
    let log = folder.path().join("round/fridge/run_deploy.log");
    std::fs::set_permissions(&log, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&log).is_ok() {
        eprintln!(
            "SKIPPED a_file_that_may_not_be_read_damages_its_scene_alone: this user may read everything"
        );
        return;
    }
    let plan =
        plan(&[folder.path().join("round")], &folder.path().join("out"), &[RuleSet::Documented], false);
    let before = rows(&run(&plan));
    let fridge = before.iter().find(|row| row["scene"] == "fridge").unwrap();
    assert!(
        fridge["damage"].contains("run_deploy.log: cannot read: Permission denied"),
        "{}",
        fridge["damage"]
    );
    assert_eq!(before.iter().filter(|row| row["status"] == "judged").count(), 3);
}

#[test]
fn a_journal_of_garbage_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    good(folder.path(), "round");
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let garbage = b"\xff\xfe\0\n[]\n{\"fingerprint\":1}\n{\"fingerprint\":\"a\",\"rows\":[]}\nno end of line";
    std::fs::write(out.join("ledger.journal.jsonl"), garbage).unwrap();
    let report = run(&plan(&[folder.path().join("round")], &out, &[RuleSet::Documented], false));
    assert_eq!((report.reused, rows(&report).len()), (0, 4));
    assert!(!out.join("ledger.journal.jsonl").exists());
}

#[test]
fn what_stands_in_the_way_is_said_before_anything_is_read_or_written() {
    let folder = tempfile::tempdir().unwrap();
    good(folder.path(), "round");
    let out = folder.path().join("out");
    std::fs::create_dir_all(out.join("ledger.csv")).unwrap();
    let in_the_way = plan(&[folder.path().join("round")], &out, &[RuleSet::Documented], false);
    let error = ledger::run(&in_the_way, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(error, LedgerError::InTheWay { .. }), "{error}");
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1);
    std::fs::write(folder.path().join("file"), b"").unwrap();
    let no_folder = plan(&[], &folder.path().join("file/out"), &[RuleSet::Documented], false);
    assert!(ledger::run(&no_folder, &mut |_| ControlFlow::Continue(())).is_err());
}
