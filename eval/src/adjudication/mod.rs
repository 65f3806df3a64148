//! What a stop was, decided from parsed evidence alone.
//!
//! Reference page, sections 6, 7, 9 to 11. [`adjudicate()`] is a pure function of a stop, a snapshot, the grid and a rule
//! set. [`party`] says who the parties are and which comparison that makes, [`probe`] which pairs and which coverage
//! answer it, [`gap_choice`] which gap budget applies, [`ladder`] climbs the conditions in order, [`reason`] words what
//! nobody can say, [`harness_error`] finds the ways a run left nothing usable, [`exemption`] compares two accounts of a
//! live exemption, [`outcome`] ranks everything to one outcome, [`rules`] names the rule sets. [`stand_in`] is a replayed distance, where one is
//! asked for.

pub mod adjudicate;
pub mod exemption;
pub mod gap_choice;
pub mod harness_error;
pub mod ladder;
pub mod outcome;
pub mod party;
pub mod probe;
pub mod reason;
pub mod rules;
pub mod stand_in;

pub use adjudicate::{Adjudication, Question, adjudicate};

#[cfg(test)]
pub(crate) mod testing;
