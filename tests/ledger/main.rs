//! The ledger of many rounds: what its rows say, that its bytes do not depend on how it was made, what it makes of damage.
//!
//! Generated rounds stand in `fixtures/rounds`; recorded ones are read in place, and without them a test says SKIPPED.

#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "a test puts damaged files in place")]

mod hostile;
mod recorded;
mod resume;
mod support;
