//! The command line as a contract: exit code, both streams and the files written, of the real binary.
//!
//! One file a command group. Each case runs in a folder of its own and snapshots everything that a user sees;
//! see [`support`] for how a snapshot reads and what is filtered.

#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "a test puts damaged and foreign files in place")]

mod bad_artifacts;
mod bad_input;
mod general;
mod geometry;
mod graph;
mod head;
mod matrix;
mod matrix_bad_input;
mod matrix_exit_codes;
mod matrix_preflight;
mod matrix_readjudicate;
mod matrix_replay;
mod quickstart;
mod sentinel;
mod support;
mod track;
