//! Every expected case of the reference page (section 17), by its id, and the recorded rounds.
//!
//! `t` transcription, `o` outcomes and launch failures, `a` world stops, `p` payload stops, `l` link-link stops, `r` round
//! level. Recorded rounds are read where they lie; without them a test says that it was skipped.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]
#![allow(clippy::disallowed_methods, reason = "a test puts files in place")]
#![allow(clippy::needless_pass_by_value, reason = "json! values read best where they are used")]
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

mod cases;
mod faults;
mod generated;
mod link_link;
mod outcomes;
mod payload;
mod recorded_verdicts;
mod round_level;
mod support;
mod transcription;
mod world;
