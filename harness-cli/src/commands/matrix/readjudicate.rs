//! `rollcheck matrix readjudicate`

use super::ledger_text::{self, LedgerResult};
use crate::args::matrix::ReadjudicateArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::report::matrix::page;
use rollcheck_engine::store::atomic;
use rollcheck_eval::ledger::find::MAX_DEPTH;
use rollcheck_eval::ledger::{self, Ending, Found, How, LedgerError, Plan, Search};
use std::ops::ControlFlow;
use std::path::PathBuf;

const TEXT_FILE: &str = "summary.txt";
const PAGE_FILE: &str = "ledger.html";

/// Judges every round that was named, writes the ledger and prints what it comes to.
///
/// # Errors
/// [`CliError::Ledger`], [`CliError::Store`], [`CliError::Stdout`].
pub fn run(args: &ReadjudicateArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    let [text_file, page_file] = [TEXT_FILE, PAGE_FILE].map(|file| args.out.join(file));
    for file in [&text_file, &page_file] {
        // Said before an hour of work, not after it.
        if file.exists() && !file.is_file() {
            return Err(LedgerError::InTheWay { path: file.clone() }.into());
        }
    }
    let found = ledger::subjects(&args.rounds, Search { from_recorded: args.from_recorded });
    warn_of_missed(&found, printer);
    let plan = Plan {
        subjects: found.subjects,
        how: How {
            rules: args.rules.rule_sets(),
            from_recorded: args.from_recorded,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        out: args.out.clone(),
        batch_rounds: ledger::run::BATCH_ROUNDS,
    };
    let ending = {
        let mut progress = printer.progress("rounds", plan.subjects.len() as u64);
        ledger::run(&plan, &mut |step| {
            progress.at(step.done as u64, "");
            ControlFlow::Continue(())
        })?
    };
    let report = match ending {
        Ending::Complete(report) => *report,
        // Nobody asked for it above.
        Ending::Stopped(step) => {
            return Err(CliError::Internal(format!("stopped after {} of {} rounds", step.done, step.of)));
        }
    };
    if report.reused > 0 {
        printer.note(format_args!(
            "{} of {} rounds were judged by a run that was interrupted, and did not change since",
            report.reused,
            plan.subjects.len()
        ));
    }
    atomic::write(&text_file, ledger_text::text(&report.summary).as_bytes())?;
    atomic::write(&page_file, page(&report).as_bytes())?;
    let damaged = report.summary.damaged.total > 0;
    printer.result(&LedgerResult { report: &report, text_file: &text_file, page_file: &page_file })?;
    Ok(if damaged { Exit::Unknown } else { Exit::Done })
}

/// Rounds may lie where nobody searched.
fn warn_of_missed(found: &Found, printer: &mut Printer<'_>) {
    let mut warn = |paths: &[PathBuf], one: &str, many: &str, why: &str| {
        if let Some(first) = paths.first() {
            let what = if paths.len() == 1 { one } else { many };
            printer.warning(format_args!(
                "{} {what} not searched, such as {}: {why}",
                paths.len(),
                first.display()
            ));
        }
    };
    warn(
        &found.links,
        "link to a folder was",
        "links to folders were",
        "links inside a folder are not followed; name what they lead to",
    );
    let why = format!("folders are searched {MAX_DEPTH} levels down; name a folder nearer to the rounds");
    warn(&found.too_deep, "folder was", "folders were", &why);
}
