//! The belief filter over the graph (sentinel page, section 4).
//!
//! [`Likelihood`] is what the filter asks a head for; [`Scope`] says over which nodes; [`Advance`] moves
//! belief along them; [`filter`] is one check, pure; [`BeliefTracker`] is a worker's belief over time.

pub mod advance;
pub mod error;
pub mod filter;
pub mod likelihood;
pub mod scope;
pub mod tracker;

pub use advance::{Advance, AdvanceParameters, SiblingRule, advance_matrix};
pub use error::BeliefError;
pub use filter::{BeliefSummary, CheckBelief, CheckKind, FilterSettings, Observation};
pub use likelihood::{Likelihood, Logits, Query, Window};
pub use scope::{Scope, ScopeId};
pub use tracker::{BeliefTracker, CheckCounts};
