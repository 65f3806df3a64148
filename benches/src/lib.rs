//! Seeded inputs shared by the benches.
//!
//! [`scale`] makes demonstrations of the size of a full suite from the recorded ones; what it makes is
//! generated data: good for times and memory, evidence of nothing else. [`inputs`] holds the graphs and
//! the rollouts that the benches run on, [`rounds`] a generated deploy log, [`geometry`]
//! links, poses and grids.

pub mod geometry;
pub mod inputs;
pub mod rounds;
pub mod scale;
