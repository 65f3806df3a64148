//! Why a file was refused, or could not be written.

use std::path::PathBuf;

/// A file that cannot be read, is not what it should be, or cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system said no.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// The system's answer.
        source: std::io::Error,
    },
    /// Somebody else has the file open and locked.
    #[error("{}: in use by another process", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// Not a readable container of arrays.
    #[error("{file}: not a readable {format} file: {reason}")]
    Container {
        /// The file.
        file: String,
        /// `npz` or `safetensors`.
        format: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// One array of the file is malformed.
    #[error("{file}: array `{array}`: {reason}")]
    Malformed {
        /// The file.
        file: String,
        /// The array's name.
        array: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An array is missing.
    #[error("{file}: array `{array}` is missing; the file holds {}", held(found))]
    Missing {
        /// The file.
        file: String,
        /// The array's name.
        array: String,
        /// The names present.
        found: Vec<String>,
    },
    /// An array has another element type.
    #[error("{file}: array `{array}` has dtype {found}, expected {expected}")]
    Dtype {
        /// The file.
        file: String,
        /// The array's name.
        array: String,
        /// What the reader takes.
        expected: &'static str,
        /// The dtype of the file.
        found: String,
    },
    /// An array has another shape.
    #[error("{file}: array `{array}` has shape {found:?}, expected {expected}")]
    Shape {
        /// The file.
        file: String,
        /// The array's name.
        array: String,
        /// The shape the reader takes, in words.
        expected: String,
        /// The shape of the file.
        found: Vec<usize>,
    },
    /// A value is outside what the field allows.
    #[error("{file}: array `{array}`, index {index}: {found}, expected {expected}")]
    Value {
        /// The file.
        file: String,
        /// The array's name.
        array: String,
        /// Flat index of the value.
        index: usize,
        /// What is allowed.
        expected: String,
        /// The value found.
        found: String,
    },
    /// The file was made for another graph or head.
    #[error("{file}: made for {what} {found}, but this is {what} {expected}")]
    HashMismatch {
        /// The file.
        file: String,
        /// `graph` or `head`.
        what: &'static str,
        /// The identity in use.
        expected: String,
        /// The identity in the file.
        found: String,
    },
}

/// The first names of a file, for a message.
fn held(names: &[String]) -> String {
    const SHOWN: usize = 12;
    if names.is_empty() {
        return "no arrays".to_owned();
    }
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}
