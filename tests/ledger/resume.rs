//! The bytes of a ledger depend on its rounds alone.

use crate::support::{bytes, copy, generated, parquet_rows, plan, rows, run};
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::ledger::{self, Ending};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

fn files(folder: &Path) -> Vec<String> {
    let names =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

#[test]
fn a_run_that_was_stopped_and_taken_up_gives_the_bytes_of_one_that_was_not() {
    let folder = tempfile::tempdir().unwrap();
    let rounds = [generated()];
    let [whole, stopped] = ["whole", "stopped"].map(|name| folder.path().join(name));
    let expected = run(&plan(&rounds, &whole, &RuleSet::ALL, false));
    assert_eq!(files(&whole), ["ledger.csv", "ledger.parquet", "summary.json"]);

    let plan = plan(&rounds, &stopped, &RuleSet::ALL, false);
    let mut batches = 0;
    let ending = ledger::run(&plan, &mut |_| {
        batches += 1;
        if batches == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let Ending::Stopped(step) = ending.unwrap() else { panic!("it did not stop") };
    assert_eq!((step.done, step.of), (6, plan.subjects.len()));
    assert_eq!(files(&stopped), ["ledger.journal.jsonl"]);
    // The power went while the next entry was written.
    let journal = stopped.join("ledger.journal.jsonl");
    let mut file = std::fs::OpenOptions::new().append(true).open(&journal).unwrap();
    file.write_all(b"{\"fingerprint\":\"00\",\"rows\":[{\"scene\":\"fri").unwrap();

    let resumed = run(&plan);
    assert_eq!(resumed.reused, 6);
    assert_eq!(bytes(&resumed), bytes(&expected));
    assert_eq!(files(&stopped), ["ledger.csv", "ledger.parquet", "summary.json"]);
    assert_eq!(run(&plan).reused, 0, "what is complete is made anew");
}

#[test]
fn a_round_that_changed_meanwhile_or_other_rules_are_judged_anew() {
    let folder = tempfile::tempdir().unwrap();
    let rounds = folder.path().join("rounds");
    for name in ["generated-01-outcomes", "generated-02-arm-world"] {
        copy(&generated().join(name), &rounds.join(name));
    }
    let out = folder.path().join("out");
    let stop = |rules: &[RuleSet]| {
        let mut plan = plan(std::slice::from_ref(&rounds), &out, rules, false);
        plan.batch_rounds = 1;
        let ending = ledger::run(&plan, &mut |_| ControlFlow::Break(())).unwrap();
        let Ending::Stopped(step) = ending else { panic!("it did not stop") };
        step.reused
    };
    assert_eq!([stop(&[RuleSet::Documented]), stop(&[RuleSet::Documented])], [0, 1]);
    assert_eq!(stop(&[RuleSet::Extended]), 0);
    let goal = rounds.join("generated-01-outcomes/baguette/run_goal.log");
    let mut text = std::fs::read(&goal).unwrap();
    text.push(b'\n');
    std::fs::write(&goal, text).unwrap();
    assert_eq!(stop(&[RuleSet::Documented]), 0);
    std::fs::remove_file(&goal).unwrap();
    assert_eq!(stop(&[RuleSet::Documented]), 0);
}

#[test]
fn threads_and_the_size_of_batches_leave_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str, threads: usize, batch_rounds: usize| {
        let mut plan = plan(&[generated()], &folder.path().join(name), &RuleSet::ALL, false);
        plan.batch_rounds = batch_rounds;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        bytes(&pool.install(|| run(&plan)))
    };
    let one = of("one", 1, 1);
    assert_eq!(one, of("four", 4, 5));
    assert_eq!(one, of("all", 2, 0));
}

#[test]
fn parquet_holds_what_csv_holds() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(&plan(&[generated()], folder.path(), &RuleSet::ALL, false));
    let rows = rows(&report);
    assert_eq!(rows.len(), report.summary.rows);
    assert!(rows.len() > 2 * 50, "{}", rows.len());
    assert_eq!(parquet_rows(&report), rows);
}

#[test]
fn generated_rounds_are_marked_and_counted_as_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(&plan(&[generated()], folder.path(), &[RuleSet::Documented], false));
    assert!(rows(&report).iter().all(|row| row["generated"] == "true"));
    assert_eq!(report.summary.recorded, None);
    let part = report.summary.generated.unwrap();
    assert_eq!(part.origin, "generated: not evidence");
    assert_eq!(part.by_rules[0].outcomes_in_all.len(), 9, "all outcomes occur");
}
