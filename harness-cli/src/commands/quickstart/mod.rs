//! `rollcheck quickstart`

pub mod page;
pub mod summary;

use crate::args::quickstart::QuickstartArgs;
use crate::commands::head;
use crate::error::CliError;
use crate::exit::Exit;
use crate::pipeline::quickstart::{Bundled, Quickstart, Stopwatch, entry_figures, pictured};
use crate::pipeline::{Artifacts, audit, latency, training};
use crate::printer::{Printer, Render};
use crate::report::quickstart as report;
use crate::settings::RuleChoice;
use rollcheck_engine::graph::{edges, files as graph_files};
use rollcheck_engine::store::atomic;
use rollcheck_engine::track::file as track_file;
use rollcheck_models::fit;
use rollcheck_models::head::HeadWeights;
use rollcheck_models::train::TrainConfig;
use std::path::Path;
use std::sync::Arc;
use summary::QuickstartResult;

/// File name of the page.
const REPORT_FILE: &str = "report.html";
/// File name of the JSON object.
const JSON_FILE: &str = "quickstart.json";

/// From the bundled demonstrations to artifacts, figures and a page. A figure that misses its goal is marked and
/// is no failure: this shows what there is.
///
/// # Errors
/// [`CliError`]: a folder that cannot be written; anything else is a bug.
pub fn run(args: &QuickstartArgs, printer: &mut Printer<'_>) -> Result<Exit, CliError> {
    args.compute.device.resolve()?;
    head::make_folder(&args.out)?;
    let mut stopwatch = Stopwatch::start();
    let bundled = Bundled::read()?;
    let episodes = bundled.demos.demos.episodes().len();
    step(printer, &mut stopwatch, "demos", &format!("{episodes} episodes"));

    let graph = Arc::new(edges::build(&bundled.demos.demos)?);
    step(printer, &mut stopwatch, "graph", &format!("{} nodes", graph.len()));

    let mut config = TrainConfig::new(graph.dof(), args.seed);
    config.epochs = args.epochs.map_or(config.epochs, |n| n as usize);
    let (trained, weights) =
        head::train_with_progress(printer, &graph, &bundled.demos, &config, None, &mut |_| Ok(()))?;
    let (sizes, kept) = (trained.training.split, trained.training.best_epoch);
    let words = format!("{} demos, epoch {kept} of {} kept", sizes.train, config.epochs);
    step(printer, &mut stopwatch, "train", &words);

    let (parameters, fit) = fit::fit(&trained.head, &bundled.demos.demos, &trained.split.fit)?;
    let artifacts = Artifacts { trained, parameters: Arc::new(parameters) };
    step(printer, &mut stopwatch, "fit", &format!("{} demos", sizes.fit));

    let scores = training::head_scores(&artifacts.trained, &bundled.demos);
    let audit = {
        let mut progress = printer.progress("audit: step", audit::STEPS);
        let shifted = Some(&bundled.fast);
        audit::run(&artifacts, &bundled.demos, shifted, &mut |done, next| progress.at(done, next))?
    };
    let words = format!("{} audit demos, {} shifted", sizes.audit, bundled.fast.demos.episodes().len());
    step(printer, &mut stopwatch, "audit", &words);

    let entry = entry_figures(&artifacts, &bundled)?;
    step(printer, &mut stopwatch, "entry", &format!("{} start poses", bundled.demos.starts.len()));
    let replay = pictured(&artifacts, &bundled)?;
    step(printer, &mut stopwatch, "replay", "a pushed audit demo");
    let model = artifacts.model(RuleChoice::Recommended.settings())?;
    let sources = audit::audit_sources(&artifacts, &bundled.demos);
    let check_ms = latency::check_times(&model, &artifacts.trained.head, &sources)?;
    step(printer, &mut stopwatch, "timing", &format!("{} checks", check_ms.checks));

    let figures = Quickstart { artifacts, fit, scores, audit, entry, replay, check_ms, stopwatch };
    let result = QuickstartResult { report: args.out.join(REPORT_FILE), figures };
    write(&args.out, &result, &weights)?;
    printer.result(&result)?;
    Ok(Exit::Done)
}

fn step(printer: &mut Printer<'_>, stopwatch: &mut Stopwatch, name: &'static str, words: &str) {
    let seconds = stopwatch.lap(name);
    printer.note(format_args!("{name:<7}{words} ({seconds:.1} s)"));
}

fn write(folder: &Path, result: &QuickstartResult, weights: &HeadWeights) -> Result<(), CliError> {
    let artifacts = &result.figures.artifacts;
    graph_files::write(folder, artifacts.trained.graph())?;
    head::write(folder, &artifacts.trained, weights)?;
    track_file::write(folder, &artifacts.parameters)?;
    atomic::write(&folder.join(JSON_FILE), format!("{:#}\n", result.json()).as_bytes())?;
    atomic::write(&result.report, report::page(&page::of(&result.figures)).as_bytes())?;
    Ok(())
}
