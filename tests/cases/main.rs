//! Inputs that went wrong elsewhere: files made after public bug reports, every refusal of
//! demonstrations, and bytes that a stranger changed.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod demo_refusals;
mod geometry_seeds;
mod hostile_bytes;
mod mesh_refusals;
mod npz_variants;
mod zip_refusals;
