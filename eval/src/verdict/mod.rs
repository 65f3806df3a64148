//! What is written about a round.

mod fields;
pub mod json;
pub mod json_schema;
pub mod schema;
mod typed;

pub use fields::DocumentError;
