//! Recorded runs to verdicts.
//!
//! A *round* is one directory with up to four scenes of one robot stack. What is recorded is parsed and nothing
//! judged ([`rounds`]); what happened is decided from parsed evidence alone ([`adjudication`], [`verdict`]), and what nobody
//! measured is measured from recorded joints ([`replay`]);
//! a round that would record the wrong thing is refused before it starts ([`guardrails`]); rounds are compared and
//! imported ([`round_ops`]); thousands of them become one table ([`ledger`]).
//!
//! Folders stand in order of use, each uses only those above it: [`rounds`], [`adjudication`],
//! [`replay`], [`verdict`], [`guardrails`], [`round_ops`], [`ledger`].

pub mod adjudication;
pub mod guardrails;
pub mod ledger;
pub mod replay;
pub mod round_ops;
pub mod rounds;
#[path = "../../engine/src/testing.rs"]
#[cfg(test)]
mod testing;
pub mod verdict;
