//! Many rounds, one table: every scene's verdict and what it rests on, a row each.
//!
//! ```text
//! find -> judge -> row            what was named, read, judged, one row a scene and rule set
//! row -> columns -> table         Parquet and CSV from one table of columns
//! row -> counting -> summary      counts; recorded and generated rounds apart
//! run                             batches, journal, files
//! ```
//!
//! [`row`] and [`counting`] decide and know no file. What cannot be read or judged is a row with its reason and never
//! stops the rest. The same rounds give the same bytes, on any number of threads, interrupted or not.

pub mod columns;
pub mod counting;
pub mod error;
pub mod find;
pub mod fingerprint;
pub mod journal;
pub mod judge;
pub mod row;
pub mod run;
pub mod summary;
pub mod table;

pub use columns::{COLUMNS, Row};
pub use error::LedgerError;
pub use find::{Found, Search, Subject, subjects};
pub use judge::How;
pub use run::{Ending, Plan, Report, Step, run};
pub use summary::Summary;
