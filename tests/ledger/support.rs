//! Running the ledger in a folder, and looking into what it wrote.

use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::ledger::columns::{COLUMNS, Kind};
use rollcheck_eval::ledger::{self, Ending, How, Plan, Report, Search};
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A row of the CSV file by column.
pub(crate) type Cells = BTreeMap<String, String>;

/// The generated rounds.
pub(crate) fn generated() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rounds")
}

/// The recorded rounds: `ROLLCHECK_SHARED`, or `shared` beside the repository.
pub(crate) fn recorded(test: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("ROLLCHECK_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let rounds = shared.join("rounds");
    if rounds.is_dir() {
        return Some(rounds);
    }
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: there is no {}", rounds.display());
    None
}

pub(crate) fn plan(rounds: &[PathBuf], out: &Path, rules: &[RuleSet], from_recorded: bool) -> Plan {
    Plan {
        subjects: ledger::subjects(rounds, Search { from_recorded }).subjects,
        how: How { rules: rules.to_vec(), from_recorded, tool_version: "1.2.3".to_owned() },
        out: out.to_owned(),
        batch_rounds: 3,
    }
}

pub(crate) fn run(plan: &Plan) -> Report {
    match ledger::run(plan, &mut |_| ControlFlow::Continue(())).unwrap() {
        Ending::Complete(report) => *report,
        Ending::Stopped(step) => panic!("stopped at {step:?}"),
    }
}

pub(crate) fn rows(report: &Report) -> Vec<Cells> {
    let mut reader = csv::Reader::from_path(&report.files[1]).unwrap();
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let records = reader.records().map(|record| {
        header.iter().cloned().zip(record.unwrap().iter().map(str::to_owned)).collect::<Cells>()
    });
    records.collect()
}

/// The Parquet file's cells as CSV writes them.
pub(crate) fn parquet_rows(report: &Report) -> Vec<Cells> {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type};
    let file = std::fs::File::open(&report.files[0]).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let mut rows = Vec::new();
    for batch in reader.build().unwrap() {
        let batch = batch.unwrap();
        for i in 0..batch.num_rows() {
            let cell = |kind: Kind, array: &dyn Array| match kind {
                _ if array.is_null(i) => String::new(),
                Kind::Text => array.as_string::<i32>().value(i).to_owned(),
                Kind::Int => array.as_primitive::<Int64Type>().value(i).to_string(),
                Kind::Float => format!("{:?}", array.as_primitive::<Float64Type>().value(i)),
                Kind::Bool => array.as_boolean().value(i).to_string(),
            };
            let cells = COLUMNS.iter().map(|column| {
                let array = batch.column_by_name(column.name).unwrap();
                (column.name.to_owned(), cell(column.kind, array.as_ref()))
            });
            rows.push(cells.collect());
        }
    }
    rows
}

/// Every file of the ledger, whole.
pub(crate) fn bytes(report: &Report) -> Vec<Vec<u8>> {
    report.files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// Copies a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
