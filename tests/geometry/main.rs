//! Geometry against published numbers, against two independent references, and against closed forms.
//!
//! `golden` the Panda's published model; `distances` and `voxels` the separations, held against parry3d and dense
//! sampling; `fixtures` the generated block arm. The Panda's files are read where they lie, and without them a
//! test says that it was skipped.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

mod distances;
mod fixtures;
mod golden;
mod panda;
mod support;
mod voxels;
