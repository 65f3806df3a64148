//! One typed value out of parsed JSON, with its place in the document.
//!
//! Strict: a number written as text is refused, a real is no integer, null stands only where a field may be null.
//! An integer is a number. The errors name the field's path, what was expected and what was found.

use indexmap::IndexMap;
use serde_json::{Map, Value};
use std::fmt;

/// `verdicts.json`, `metadata.json` or a difference that is not what its schema says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// Not JSON.
    #[error("{file}:{line}:{column}: not JSON: {reason}")]
    Syntax {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1; 0 at the end of a line.
        column: usize,
        /// What the parser says.
        reason: String,
    },
    /// A token that some writers use for numbers that JSON does not have.
    #[error("{file}:{line}:{column}: `{token}` is no JSON number; an unknown number is written as null")]
    NotFinite {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// The token.
        token: &'static str,
    },
    /// A key that must be there is not.
    #[error("{file}: `{field}` is missing, expected {expected}")]
    Missing {
        /// The file.
        file: String,
        /// Path of the field, as `scenes[0].stop.kind`.
        field: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// A value of another type.
    #[error("{file}: `{field}`: expected {expected}, found {found}")]
    Type {
        /// The file.
        file: String,
        /// Path of the field, as `scenes[0].stop.kind`; `document` is the whole.
        field: String,
        /// What belongs there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
}

/// A value that is missing or of the wrong type; the file is added where it is known.
#[derive(Debug)]
pub(super) struct Wrong {
    field: String,
    expected: &'static str,
    /// None for a missing key.
    found: Option<String>,
}

impl Wrong {
    pub(super) fn in_file(self, file: &str) -> DocumentError {
        let Self { field, expected, found } = self;
        let file = file.to_owned();
        match found {
            Some(found) => DocumentError::Type { file, field, expected, found },
            None => DocumentError::Missing { file, field, expected },
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            Some(found) => write!(f, "`{}`: expected {}, found {found}", self.field, self.expected),
            None => write!(f, "`{}` is missing, expected {}", self.field, self.expected),
        }
    }
}

/// Where a value stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'a> {
    Document,
    Key(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>, usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document => f.write_str("document"),
            Self::Key(Self::Document, key) => f.write_str(key),
            Self::Key(parent, key) => write!(f, "{parent}.{key}"),
            Self::Item(parent, at) => write!(f, "{parent}[{at}]"),
        }
    }
}

/// A type that one JSON value gives.
pub(super) trait FromJson: Sized {
    /// In words, for messages.
    const EXPECTED: &'static str;

    /// The value, or what is wrong with it or inside it.
    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong>;
}

/// For messages: short, whatever the value's size.
pub(super) fn shown(value: &Value) -> String {
    const LONGEST: usize = 40;
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => format!("the number {n}"),
        Value::String(text) => {
            let mut cut: String = text.chars().take(LONGEST).collect();
            if cut.len() < text.len() {
                cut.push_str("...");
            }
            format!("the text {cut:?}")
        }
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

pub(super) fn wrong<T: FromJson>(value: &Value, place: Place<'_>) -> Wrong {
    Wrong { field: place.to_string(), expected: T::EXPECTED, found: Some(shown(value)) }
}

/// The keys of one object, taken one by one; what is left is kept as it is.
pub(super) struct Fields<'a> {
    map: Map<String, Value>,
    place: Place<'a>,
}

impl<'a> Fields<'a> {
    pub(super) fn of<T: FromJson>(value: Value, place: Place<'a>) -> Result<Self, Wrong> {
        match value {
            Value::Object(map) => Ok(Self { map, place }),
            other => Err(wrong::<T>(&other, place)),
        }
    }

    pub(super) fn required<T: FromJson>(&mut self, key: &str) -> Result<T, Wrong> {
        let place = Place::Key(&self.place, key);
        match self.map.shift_remove(key) {
            Some(value) => T::from_json(value, place),
            None => Err(Wrong { field: place.to_string(), expected: T::EXPECTED, found: None }),
        }
    }

    pub(super) fn or<T: FromJson>(&mut self, key: &str, default: impl FnOnce() -> T) -> Result<T, Wrong> {
        match self.map.shift_remove(key) {
            Some(value) => T::from_json(value, Place::Key(&self.place, key)),
            None => Ok(default()),
        }
    }

    pub(super) fn or_default<T: FromJson + Default>(&mut self, key: &str) -> Result<T, Wrong> {
        self.or(key, T::default)
    }

    /// What was not taken, in input order.
    pub(super) fn rest(self) -> Map<String, Value> {
        self.map
    }
}

impl FromJson for String {
    const EXPECTED: &'static str = "text";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(wrong::<Self>(&other, place)),
        }
    }
}

impl FromJson for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        value.as_bool().ok_or_else(|| wrong::<Self>(&value, place))
    }
}

impl FromJson for i64 {
    const EXPECTED: &'static str = "an integer of 64 bits";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        value.as_i64().ok_or_else(|| wrong::<Self>(&value, place))
    }
}

impl FromJson for f64 {
    const EXPECTED: &'static str = "a number";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        value.as_f64().ok_or_else(|| wrong::<Self>(&value, place))
    }
}

impl<T: FromJson> FromJson for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        if value.is_null() { Ok(None) } else { T::from_json(value, place).map(Some) }
    }
}

impl FromJson for Value {
    const EXPECTED: &'static str = "any value";

    fn from_json(value: Value, _: Place<'_>) -> Result<Self, Wrong> {
        Ok(value)
    }
}

impl FromJson for Map<String, Value> {
    const EXPECTED: &'static str = "an object";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        match value {
            Value::Object(map) => Ok(map),
            other => Err(wrong::<Self>(&other, place)),
        }
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    const EXPECTED: &'static str = "an array";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        match value {
            Value::Array(items) => items
                .into_iter()
                .enumerate()
                .map(|(at, item)| T::from_json(item, Place::Item(&place, at)))
                .collect(),
            other => Err(wrong::<Self>(&other, place)),
        }
    }
}

impl<T: FromJson> FromJson for IndexMap<String, T> {
    const EXPECTED: &'static str = "an object";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        match value {
            Value::Object(map) => map
                .into_iter()
                .map(|(key, item)| {
                    let read = T::from_json(item, Place::Key(&place, &key))?;
                    Ok((key, read))
                })
                .collect(),
            other => Err(wrong::<Self>(&other, place)),
        }
    }
}
