//! What is written about a round.

pub mod derive;
pub mod excerpts;
pub mod explain;
mod fields;
pub mod json;
pub mod json_schema;
pub mod notes;
pub mod round;
pub mod schema;
mod typed;
pub mod write;

pub use fields::DocumentError;
