//! The belief filter over the graph (sentinel page, section 4).

pub mod likelihood;

pub use likelihood::{Likelihood, Logits, Query, Window};
