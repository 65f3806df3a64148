//! What is written about a round.

pub mod derive;
mod fields;
pub mod json;
pub mod json_schema;
pub mod round;
pub mod schema;
mod typed;

pub use fields::DocumentError;
