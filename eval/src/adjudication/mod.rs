//! What a stop was, decided from parsed evidence alone.

pub mod outcome;
pub mod rules;
