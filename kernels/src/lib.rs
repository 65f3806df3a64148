//! Compute ops of Rollcheck: slices in, slices out. No files, no other workspace crate.
//!
//! One folder an op. `mod.rs` holds the formula, the checks and the dispatch; `scalar.rs` is the
//! definition; `simd.rs` runs the same arithmetic in the same order under wider instructions and
//! gives the same bits (conventions, "Numbers").
//!
//! Start with [`backend::SimdLevel`] (how a level is chosen) and [`csr::Csr`] (the sparse matrix
//! that the graph ops share).

#![allow(
    clippy::inline_always,
    reason = "the body of an op must be inlined into each level's function to be compiled for it"
)]
#![allow(
    clippy::needless_range_loop,
    reason = "one counter runs over several rows of channels; iterators would hide which operation is lane-wise"
)]
#![allow(unsafe_code, reason = "calls into code compiled for detected instructions; each block has its note")]

pub mod backend;
pub mod belief_advance;
pub mod csr;
pub mod dense;
pub mod error;
pub mod hull_distance;
pub mod knn;
pub mod masked_softmax;
pub mod message_pass;
pub mod node_logits;
pub mod obb_voxel;
pub mod seed_topk;
mod stripes;
pub mod weighted_mean;

pub use backend::SimdLevel;
pub use csr::Csr;
pub use error::KernelError;
