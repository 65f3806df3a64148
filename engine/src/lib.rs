//! What the method computes once logits are given.
//!
//! Folders stand in order of use, each uses only those above it:
//! [`constants`], [`text`] (numbers as others print them), [`store`] (arrays and files), [`geometry`],
//! [`demos`] (episodes), [`graph`], [`belief`], [`when`],
//! [`readout`], [`servo`], [`track`], [`recovery`].
//!
//! Start with [`graph::DemoGraph`] (what a demonstration graph is), [`belief::Likelihood`] (what the
//! filter asks a head for) and `recovery::Sentinel` (one worker's loop).

pub mod belief;
pub mod constants;
pub mod demos;
pub mod geometry;
pub mod graph;
pub mod readout;
pub mod recovery;
pub mod servo;
pub mod store;
#[cfg(test)]
mod testing;
pub mod text;
pub mod track;
pub mod when;
