//! Named arrays and the files they live in.
//!
//! [`Arrays`] is the common in-memory form; [`npz`] and [`safetensors`] turn it into the two file formats
//! and back; [`stamp`] gives a set of arrays its identity; [`atomic`] is the only place that touches a
//! path for writing.

pub mod arrays;
pub mod atomic;
pub mod error;
pub mod npy;
pub mod npz;
pub mod safetensors;
pub mod stamp;

pub use arrays::{Array, Arrays, Data};
pub use error::StoreError;
pub use stamp::{GraphHash, HeadHash};
