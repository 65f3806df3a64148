//! The identity of a graph and of a head: SHA-256 over canonical bytes.
//!
//! Sentinel page, section 1: for each array in order u32 name length and name, u32 length and NumPy type
//! string, u32 number of dimensions, u64 each dimension, raw little-endian C-order values. Every derived
//! file carries the hash and is refused on a mismatch that names both: node ids are positional, so a
//! foreign file would move belief along the wrong strands without any shape error.

use super::arrays::{Arrays, Data};
use super::error::StoreError;
use super::npy;
use sha2::{Digest, Sha256};
use std::fmt;

macro_rules! hash_type {
    ($(#[$doc:meta])* $name:ident, $what:literal, $array:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// The name of the array that carries the hash in a file.
            pub const ARRAY: &'static str = $array;

            /// The hash of arrays, in their order.
            pub fn of<'a>(arrays: impl IntoIterator<Item = (&'a str, &'a [usize], &'a Data)>) -> Self {
                Self(canonical_sha256(arrays))
            }

            /// Sixty-four hexadecimal digits.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Puts the hash into a file's arrays.
            pub fn stamp(&self, arrays: &mut Arrays) {
                arrays.push_text(Self::ARRAY, self.0.clone());
            }

            /// Compares with the hash that a file carries.
            ///
            /// # Errors
            /// [`StoreError::HashMismatch`] naming both, or that the file carries none.
            pub fn verify(&self, arrays: &Arrays) -> Result<(), StoreError> {
                let found = arrays.text(Self::ARRAY)?;
                if found == self.0 {
                    return Ok(());
                }
                Err(StoreError::HashMismatch {
                    file: arrays.file().to_owned(),
                    what: $what,
                    expected: self.0.clone(),
                    found: found.to_owned(),
                })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }
    };
}

hash_type! {
    /// Identity of a demonstration graph.
    GraphHash, "graph", "graph_hash"
}
hash_type! {
    /// Identity of a head: its weights and sizes.
    HeadHash, "head", "head_hash"
}

fn canonical_sha256<'a>(arrays: impl IntoIterator<Item = (&'a str, &'a [usize], &'a Data)>) -> String {
    let mut hasher = Sha256::new();
    for (name, shape, data) in arrays {
        let mut bytes = Vec::new();
        for text in [name, data.dtype()] {
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes.extend((shape.len() as u32).to_le_bytes());
        for &d in shape {
            bytes.extend((d as u64).to_le_bytes());
        }
        npy::raw_values(data, 0, &mut bytes);
        hasher.update(&bytes);
    }
    hasher.finalize().iter().fold(String::with_capacity(64), |mut hex, byte| {
        use fmt::Write;
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
