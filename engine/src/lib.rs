//! What the method computes once logits are given.
//!
//! Folders stand in order of use, each uses only those above it:
//! [`constants`], [`store`] (arrays and files), [`demos`] (episodes), [`graph`], [`belief`], [`when`],
//! [`readout`], [`servo`], [`track`], [`recovery`].
//!
//! Start with [`graph::DemoGraph`] (what a demonstration graph is), [`belief::Likelihood`] (what the
//! filter asks a head for) and `recovery::Sentinel` (one worker's loop).

pub mod belief;
pub mod constants;
pub mod demos;
pub mod graph;
pub mod readout;
pub mod recovery;
pub mod servo;
pub mod store;
pub mod track;
pub mod when;
