//! Seeded inputs shared by the benches.
//!
//! [`scale`] makes demonstrations of the size of a full suite from the recorded ones. What it makes is
//! generated data: good for times and memory, evidence of nothing else.

pub mod scale;
