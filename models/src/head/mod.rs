//! The head: a window of joint states to one logit a node (sentinel page, section 2).
//!
//! ```text
//! z     = W_s x + W_2 relu(W_1 x + b_1) + b_2                          x: q, differences * rate, gripper
//! h0_v  = s_v relu(W_q z + W_e e_v)                                   the 256 nearest nodes
//! h_v   : LAYERS rounds of typed message passing                      kernels::message_pass
//! logit = (w + W_m z)' relu(W_h h_v + W_z z + b)                      reached nodes; -inf elsewhere
//! ```
//!
//! [`HeadWeights`] is what a file holds; [`Head`] adds the graph it belongs to; [`HeadWorker`] runs it for
//! one worker over the reached frontier only, without allocating; [`plain`] is the same function in candle
//! tensors over the whole graph, the oracle of the tests and the baseline of the bench.

pub mod config;
pub mod error;
pub mod features;
pub mod files;
pub mod forward;
pub mod frontier;
mod initial;
pub mod plain;
pub mod weights;

pub use config::HeadConfig;
pub use error::HeadError;
pub use forward::{Head, HeadWorker};
pub use weights::HeadWeights;

#[cfg(test)]
mod tests;
