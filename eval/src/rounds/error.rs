//! Why recorded files cannot be taken as evidence.

use super::json;
use std::path::PathBuf;

/// A recorded file that cannot be read, or says something that cannot be meant.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RoundError {
    /// The operating system said no.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A recorded file that is a folder, a pipe or a device: reading it may never end.
    #[error("{}: not a regular file", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
    },
    /// A stem that is no beginning of a file name.
    #[error("{source_name}: `{found}` is no beginning of a file name")]
    Stem {
        /// The file and field, or the option.
        source_name: String,
        /// Its value.
        found: String,
    },
    /// A round or scene that is not a folder.
    #[error("{}: not a folder", path.display())]
    NotAFolder {
        /// What was named.
        path: PathBuf,
    },
    /// A name that leads out of the round.
    #[error("{file}: field `{field}`: `{found}` leads out of the round")]
    Outside {
        /// The file.
        file: String,
        /// The field.
        field: String,
        /// Its value.
        found: String,
    },
    /// A value that the verdict needs and that is not what it must be.
    #[error("{file}{}: field `{field}`: expected {expected}, found {found}", at_line(*line))]
    Field {
        /// The file, relative to the round.
        file: String,
        /// Line, from 1, where the file has lines.
        line: Option<u64>,
        /// The field, dotted.
        field: String,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
}

fn at_line(line: Option<u64>) -> String {
    line.map(|l| format!(", line {l}")).unwrap_or_default()
}

/// A value, short enough for a message.
pub fn shown(value: &serde_json::Value) -> String {
    const SHOWN: usize = 60;
    let text = match (json::not_finite(value), json::written(value)) {
        (Some(token), _) => token.to_owned(),
        (None, serde_json::Value::String(text)) => format!("text {text:?}"),
        (None, other) => other.to_string(),
    };
    if text.chars().count() <= SHOWN {
        return text;
    }
    let cut: String = text.chars().take(SHOWN).collect();
    format!("{cut}…")
}
