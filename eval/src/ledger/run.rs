//! Many rounds to one ledger.
//!
//! ```text
//! subjects -> batches -> rows (in parallel) -> journal          while rounds are judged
//! journal  -> ledger.parquet, ledger.csv, summary.json          once all are
//! ```
//!
//! A batch is a bounded number of rounds, and nothing of a round is kept but its fingerprint and a place in the journal,
//! so memory hardly grows with their number. The journal is locked for the whole run. The files are made from the journal
//! alone, in the order of the subjects: an interrupted run that was taken up again gives the same bytes as one that was
//! not, on any number of threads. Every file is complete before the first is put in place.

use super::columns::Row;
use super::counting::Counting;
use super::error::LedgerError;
use super::find::Subject;
use super::fingerprint;
use super::journal::{Journal, Place};
use super::judge::{self, How};
use super::row;
use super::summary::Summary;
use super::table::RowWriter;
use rayon::prelude::*;
use rollcheck_engine::store::atomic::Writer;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The table for programs that read columns.
pub const PARQUET_FILE: &str = "ledger.parquet";
/// The table for everything else.
pub const CSV_FILE: &str = "ledger.csv";
/// The counts.
pub const SUMMARY_FILE: &str = "summary.json";
/// What is finished while a run goes on.
pub const JOURNAL_FILE: &str = "ledger.journal.jsonl";

/// Rounds of a batch, where nothing else is asked for.
pub const BATCH_ROUNDS: usize = 32;
/// Rows that a report keeps.
pub const FIRST_ROWS: usize = 500;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The rounds, in order.
    pub subjects: Vec<Subject>,
    /// How they are judged.
    pub how: How,
    /// Folder of the ledger.
    pub out: PathBuf,
    /// Rounds that are judged before progress is told and the journal is safe; 0 counts as 1.
    pub batch_rounds: usize,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Subjects with rows.
    pub done: usize,
    /// Of these, taken from the journal of an earlier run.
    pub reused: usize,
    /// Subjects in all.
    pub of: usize,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ending {
    /// The files are there.
    Complete(Box<Report>),
    /// The caller stopped it; what is done stands in the journal.
    Stopped(Step),
}

/// A finished ledger.
#[derive(Clone, Debug)]
pub struct Report {
    /// What it comes to.
    pub summary: Summary,
    /// Its first rows.
    pub first_rows: Vec<Row>,
    /// Subjects whose rows were taken from an earlier run.
    pub reused: usize,
    /// The files: Parquet, CSV, summary.
    pub files: [PathBuf; 3],
}

enum Rows {
    In(Place, String),
    Damaged(String),
}

/// Makes a ledger; `watch` is told after every batch and may stop the run.
///
/// # Errors
/// [`LedgerError::InUse`] while another run writes this ledger: nothing is touched then. Else files that cannot be
/// written: no file is put in place then, unless putting the last in place failed.
pub fn run(plan: &Plan, watch: &mut dyn FnMut(Step) -> ControlFlow<()>) -> Result<Ending, LedgerError> {
    let files = [PARQUET_FILE, CSV_FILE, SUMMARY_FILE].map(|file| plan.out.join(file));
    let journal_file = plan.out.join(JOURNAL_FILE);
    for file in files.iter().chain([&journal_file]) {
        nothing_in_the_way(file)?;
    }
    let mut journal = Journal::open(&journal_file)?;
    let mut places = Vec::with_capacity(plan.subjects.len());
    let mut step = Step { done: 0, reused: 0, of: plan.subjects.len() };
    for batch in plan.subjects.chunks(plan.batch_rounds.max(1)) {
        let judged: Vec<Judged> = batch.par_iter().map(|subject| judge(subject, plan, &journal)).collect();
        for judged in judged {
            places.push(match judged {
                Judged::Before(place, fingerprint) => {
                    step.reused += 1;
                    Rows::In(place, fingerprint)
                }
                Judged::Now(fingerprint, rows) => Rows::In(journal.add(&fingerprint, &rows)?, fingerprint),
                Judged::Damaged(damage) => Rows::Damaged(damage),
            });
        }
        journal.sync()?;
        step.done += batch.len();
        if watch(step).is_break() && step.done < step.of {
            return Ok(Ending::Stopped(step));
        }
    }
    let report = write(plan, &files, &mut journal, &places, step.reused)?;
    journal.remove()?;
    Ok(Ending::Complete(Box::new(report)))
}

fn nothing_in_the_way(path: &Path) -> Result<(), LedgerError> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(LedgerError::InTheWay { path: path.to_owned() }),
        _ => Ok(()),
    }
}

enum Judged {
    Before(Place, String),
    Now(String, Vec<Row>),
    Damaged(String),
}

fn judge(subject: &Subject, plan: &Plan, journal: &Journal) -> Judged {
    if let Some(damage) = &subject.damage {
        return Judged::Damaged(damage.clone());
    }
    let shown = subject.shown();
    // Before the round is read: what changes meanwhile makes another fingerprint.
    let fingerprint = fingerprint::of(&subject.path, &shown, &plan.how);
    if let Some(place) = journal.find(&fingerprint) {
        return Judged::Before(place, fingerprint);
    }
    let rows = judge::rows(&subject.path, &shown, &plan.how);
    Judged::Now(fingerprint, rows)
}

fn write(
    plan: &Plan,
    files: &[PathBuf; 3],
    journal: &mut Journal,
    places: &[Rows],
    reused: usize,
) -> Result<Report, LedgerError> {
    let [parquet_file, csv_file, summary_file] = files;
    let mut writer =
        RowWriter::new((Writer::create(parquet_file)?, parquet_file), (Writer::create(csv_file)?, csv_file))?;
    let mut counting = Counting::new(&plan.how.tool_version, &plan.how.rules, plan.how.from_recorded);
    let mut first_rows = Vec::new();
    for (subject, place) in plan.subjects.iter().zip(places) {
        let rows = match place {
            Rows::In(place, fingerprint) => journal.rows(*place, fingerprint)?,
            Rows::Damaged(damage) => {
                vec![row::damaged_round(&subject.shown(), &plan.how.tool_version, damage)]
            }
        };
        counting.add(&rows);
        let room = FIRST_ROWS - first_rows.len();
        first_rows.extend(rows.iter().take(room).cloned());
        rows.into_iter().try_for_each(|row| writer.add(row))?;
    }
    let (parquet, csv) = writer.finish()?;
    let summary = counting.finish();
    let mut summary_writer = Writer::create(summary_file)?;
    let failed = |reason: String| LedgerError::Table { path: summary_file.clone(), reason };
    let mut text = serde_json::to_string_pretty(&summary).map_err(|e| failed(e.to_string()))?;
    text.push('\n');
    summary_writer.write_all(text.as_bytes()).map_err(|e| failed(e.to_string()))?;
    parquet.commit()?;
    csv.commit()?;
    summary_writer.commit()?;
    Ok(Report { summary, first_rows, reused, files: files.clone() })
}
