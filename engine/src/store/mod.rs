//! Named arrays and the files they live in.
//!
//! [`Arrays`] is the common in-memory form; [`npz`] and [`safetensors`] turn it into the two file formats
//! and back; [`stamp`] gives a set of arrays its identity; [`yaml`] reads
//! YAML as PyYAML does; [`atomic`] and, for notes of unfinished work, [`append`] are
//! the only places that touch a path for writing.

pub mod append;
pub mod arrays;
pub mod atomic;
pub mod error;
pub mod npy;
pub mod npz;
pub mod safetensors;
pub mod stamp;
pub mod yaml;

pub use arrays::{Array, Arrays, Data};
pub use error::StoreError;
pub use stamp::{GraphHash, HeadHash};
