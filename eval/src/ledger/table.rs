//! Rows as Parquet and as CSV.
//!
//! Both are written through [`RowWriter`], row by row in the order given. The Parquet file is cut into row groups of
//! [`ROW_GROUP`] rows, compressed with Snappy, every column nullable. In the CSV file null is an empty cell, a boolean is
//! `true` or `false`, and a double is the shortest text that reads back as the same double.
//!
//! Neither file holds a time or a name of the machine: the same rows give the same bytes.

use super::columns::{COLUMNS, Column, Kind, Row, Value};
use super::error::LedgerError;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of one row group.
pub const ROW_GROUP: usize = 16_384;
/// Rows that are encoded at once. Pages may end where a batch ends, so this is part of the bytes.
const BATCH: usize = 1024;

/// The schema of the Parquet file.
pub fn schema() -> Arc<Schema> {
    let field = |column: &Column| {
        let kind = match column.kind {
            Kind::Text => DataType::Utf8,
            Kind::Int => DataType::Int64,
            Kind::Float => DataType::Float64,
            Kind::Bool => DataType::Boolean,
        };
        Field::new(column.name, kind, true)
    };
    Arc::new(Schema::new(COLUMNS.iter().map(field).collect::<Vec<_>>()))
}

fn array(column: &Column, rows: &[Row]) -> ArrayRef {
    let cells = rows.iter().map(column.of);
    match column.kind {
        Kind::Text => {
            let texts = cells.map(|cell| if let Value::Text(text) = cell { Some(text) } else { None });
            Arc::new(texts.collect::<StringArray>())
        }
        Kind::Int => {
            let numbers = cells.map(|cell| if let Value::Int(n) = cell { Some(n) } else { None });
            Arc::new(numbers.collect::<Int64Array>())
        }
        Kind::Float => {
            let numbers = cells.map(|cell| if let Value::Float(x) = cell { Some(x) } else { None });
            Arc::new(numbers.collect::<Float64Array>())
        }
        Kind::Bool => {
            let bits = cells.map(|cell| if let Value::Bool(b) = cell { Some(b) } else { None });
            Arc::new(bits.collect::<BooleanArray>())
        }
    }
}

/// Writes both tables at once.
pub struct RowWriter<P: Write + Send, C: Write> {
    parquet: ArrowWriter<P>,
    csv: csv::Writer<C>,
    schema: Arc<Schema>,
    waiting: Vec<Row>,
    paths: [PathBuf; 2],
}

impl<P: Write + Send, C: Write> RowWriter<P, C> {
    /// Begins both; the paths are named in errors.
    ///
    /// # Errors
    /// [`LedgerError::Table`].
    pub fn new(parquet: (P, &Path), csv: (C, &Path)) -> Result<Self, LedgerError> {
        let schema = schema();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .build();
        let paths = [parquet.1.to_owned(), csv.1.to_owned()];
        let parquet = ArrowWriter::try_new(parquet.0, Arc::clone(&schema), Some(properties))
            .map_err(|e| table(&paths[0], &e))?;
        let mut csv = csv::WriterBuilder::new().from_writer(csv.0);
        csv.write_record(COLUMNS.iter().map(|column| column.name)).map_err(|e| table(&paths[1], &e))?;
        Ok(Self { parquet, csv, schema, waiting: Vec::with_capacity(BATCH), paths })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`LedgerError::Table`].
    pub fn add(&mut self, row: Row) -> Result<(), LedgerError> {
        for column in COLUMNS {
            let mut number = [0; 40];
            let cell = (column.of)(&row);
            self.csv.write_field(cell_text(&cell, &mut number)).map_err(|e| table(&self.paths[1], &e))?;
        }
        self.csv.write_record(None::<&[u8]>).map_err(|e| table(&self.paths[1], &e))?;
        self.waiting.push(row);
        if self.waiting.len() == BATCH { self.encode() } else { Ok(()) }
    }

    fn encode(&mut self) -> Result<(), LedgerError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let arrays = COLUMNS.iter().map(|column| array(column, &self.waiting)).collect();
        let batch =
            RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(|e| table(&self.paths[0], &e))?;
        self.parquet.write(&batch).map_err(|e| table(&self.paths[0], &e))?;
        self.waiting.clear();
        Ok(())
    }

    /// Ends both and gives back what they were written to.
    ///
    /// # Errors
    /// [`LedgerError::Table`].
    pub fn finish(mut self) -> Result<(P, C), LedgerError> {
        self.encode()?;
        let parquet = self.parquet.into_inner().map_err(|e| table(&self.paths[0], &e))?;
        let csv = self.csv.into_inner().map_err(|e| table(&self.paths[1], e.error()))?;
        Ok((parquet, csv))
    }
}

fn table(path: &Path, error: &dyn std::fmt::Display) -> LedgerError {
    LedgerError::Table { path: path.to_owned(), reason: error.to_string() }
}

/// A cell as CSV writes it. A double has a decimal point or an exponent, so that every reader takes the column for
/// doubles.
fn cell_text<'a>(cell: &Value<'a>, number: &'a mut [u8; 40]) -> &'a [u8] {
    let written = |number: &'a mut [u8; 40], text: std::fmt::Arguments<'_>| {
        let mut rest = &mut number[..];
        // 40 bytes hold every integer and every double in its shortest form.
        let _ = rest.write_fmt(text);
        let left = rest.len();
        &number[..40 - left]
    };
    match *cell {
        Value::Null => b"",
        Value::Text(text) => text.as_bytes(),
        Value::Int(n) => written(number, format_args!("{n}")),
        Value::Float(x) => written(number, format_args!("{x:?}")),
        Value::Bool(true) => b"true",
        Value::Bool(false) => b"false",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use proptest::prelude::*;

    /// The cells of a Parquet file as CSV would write them.
    fn cells(bytes: &[u8]) -> Vec<Vec<String>> {
        use arrow_array::Array;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
        let mut rows = Vec::new();
        for batch in reader {
            let batch = batch.unwrap();
            for i in 0..batch.num_rows() {
                let cell = |column: &Column| {
                    let array = batch.column_by_name(column.name).unwrap();
                    if array.is_null(i) {
                        return String::new();
                    }
                    match column.kind {
                        Kind::Text => array.as_string::<i32>().value(i).to_owned(),
                        Kind::Int => array.as_primitive::<Int64Type>().value(i).to_string(),
                        Kind::Float => format!("{:?}", array.as_primitive::<Float64Type>().value(i)),
                        Kind::Bool => array.as_boolean().value(i).to_string(),
                    }
                };
                rows.push(COLUMNS.iter().map(cell).collect());
            }
        }
        rows
    }

    fn write(rows: &[Row]) -> (Vec<u8>, Vec<u8>) {
        let path = Path::new("ledger");
        let mut writer = RowWriter::new((Vec::new(), path), (Vec::new(), path)).unwrap();
        for row in rows {
            writer.add(row.clone()).unwrap();
        }
        writer.finish().unwrap()
    }

    fn csv_cells(bytes: &[u8]) -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
        let mut records = reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect::<Vec<_>>());
        let header = records.next().unwrap();
        assert_eq!(header, COLUMNS.iter().map(|c| c.name).collect::<Vec<_>>());
        records.collect()
    }

    #[test]
    fn no_rows_are_a_header_and_an_empty_table() {
        let (parquet, csv) = write(&[]);
        assert!(cells(&parquet).is_empty());
        assert_eq!(std::str::from_utf8(&csv).unwrap().lines().count(), 1);
    }

    #[test]
    fn more_rows_than_a_batch_keep_their_order() {
        let rows: Vec<Row> =
            (0..2500).map(|n| Row { seed: Some(n), wall_s: Some(n as f64), ..Row::default() }).collect();
        let (parquet, csv) = write(&rows);
        let cells = cells(&parquet);
        assert_eq!(cells, csv_cells(&csv));
        let seed = COLUMNS.iter().position(|c| c.name == "seed").unwrap();
        assert!(cells.iter().enumerate().all(|(n, row)| row[seed] == n.to_string()));
        assert_eq!(write(&rows).0, write(&rows).0);
    }

    proptest! {
        #[test]
        fn parquet_and_csv_hold_the_same_cells(
            texts in prop::collection::vec(prop::option::of("[^\0]{1,12}"), 1..5),
            x in prop::option::of(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO),
            n in prop::option::of(any::<i64>()),
            b in prop::option::of(any::<bool>()),
        ) {
            let rows: Vec<Row> = texts
                .into_iter()
                .map(|text| Row { party_a: text, margin_m: x, seed: n, changed: b, ..Row::default() })
                .collect();
            let (parquet, csv) = write(&rows);
            let cells = cells(&parquet);
            prop_assert_eq!(&cells, &csv_cells(&csv));
            let margin = COLUMNS.iter().position(|c| c.name == "margin_m").unwrap();
            if let Some(x) = x {
                prop_assert_eq!(cells[0][margin].parse::<f64>().unwrap().to_bits(), x.to_bits());
            }
        }
    }
}
