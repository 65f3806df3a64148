//! The command line as a contract: exit code, both streams and the files written, of the real binary.
//!
//! One file a command group. Each case runs in a folder of its own and snapshots everything that a user sees;
//! see [`support`] for how a snapshot reads and what is filtered.

#![allow(clippy::unwrap_used)]

mod bad_input;
mod general;
mod graph;
mod support;
