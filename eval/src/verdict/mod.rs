//! What is written about a round.

pub mod schema;
