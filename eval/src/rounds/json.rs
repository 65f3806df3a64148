//! JSON as the recorder writes it.
//!
//! Python writes and reads what JSON does not have: `NaN`, `Infinity`, `-Infinity`, numbers beyond a double, and halves of
//! surrogate pairs (of file names that are no UTF-8). Such a number decodes to a marked text and such a half to U+FFFD, so
//! that a line keeps its other values; the number is never a number, and is written back as null. An object's repeated key
//! keeps its last value. Nesting beyond 128 levels does not decode.

use rollcheck_engine::text::python;
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// Begins the text that stands for a number that JSON does not have; private use area, never recorded.
const MARK: char = '\u{f8ff}';

/// Decodes one value that fills `text`, blanks aside.
///
/// # Errors
/// The decoder's message, with line and column inside `text`.
pub fn decode(text: &str) -> Result<Value, serde_json::Error> {
    decode_as(text)
}

/// [`decode`] into any type.
fn decode_as<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match rewritten(text) {
        Some(text) => serde_json::from_str(&text).map_err(|_| error),
        None => Err(error),
    })
}

/// An object, of which only `keys` are kept: what nobody reads is checked and thrown away.
pub fn decode_keys(text: &str, keys: &'static [&'static str]) -> Option<Map<String, Value>> {
    let decode = |text: &str| {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let map = Keys(keys).deserialize(&mut deserializer)?;
        deserializer.end().map(|()| map)
    };
    decode(text).ok().or_else(|| decode(&rewritten(text)?).ok())
}

/// Reads the named keys of an object.
struct Keys(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Keys {
    type Value = Map<String, Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Keys {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = access.next_key::<Cow<'de, str>>()? {
            if self.0.contains(&key.as_ref()) {
                map.insert(key.into_owned(), access.next_value()?);
            } else {
                access.next_value::<IgnoredAny>()?;
            }
        }
        Ok(map)
    }
}

/// [`decode`], where only an object will do.
pub fn decode_object(text: &str) -> Option<Map<String, Value>> {
    match decode(text) {
        Ok(Value::Object(map)) => Some(map),
        _ => None,
    }
}

/// The text in JSON's own terms: tokens and numbers that a double does not hold as marked strings, halves of surrogate
/// pairs as U+FFFD. None where nothing had to change.
fn rewritten(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    let (mut in_string, mut changed) = (false, false);
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        if in_string {
            in_string = c != '"';
            if c == '\\' {
                let escape = escape(rest);
                taken = escape.len();
                if is_half(rest, &out, escape) {
                    out.push_str("\\ufffd");
                    changed = true;
                    rest = &rest[taken..];
                    continue;
                }
            }
        } else if let Some(token) = ["NaN", "Infinity", "-Infinity"].into_iter().find(|t| rest.starts_with(t))
        {
            push_marked(&mut out, token);
            changed = true;
            rest = &rest[token.len()..];
            continue;
        } else if c == '-' || c.is_ascii_digit() {
            let number = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
            taken = rest.find(|c| !number(c)).unwrap_or(rest.len());
            if rest[..taken].parse::<f64>().is_ok_and(f64::is_infinite) {
                push_marked(&mut out, if c == '-' { "-Infinity" } else { "Infinity" });
                changed = true;
                rest = &rest[taken..];
                continue;
            }
        } else {
            in_string = c == '"';
        }
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    changed.then_some(out)
}

fn push_marked(out: &mut String, token: &str) {
    out.extend(['"', MARK]);
    out.push_str(token);
    out.push('"');
}

/// The escape that `rest` begins with: `\uXXXX`, or two characters.
fn escape(rest: &str) -> &str {
    if unit(rest).is_some() {
        return &rest[..6];
    }
    let end = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
    &rest[..end]
}

/// The UTF-16 unit of an escape.
fn unit(rest: &str) -> Option<u16> {
    let digits = rest.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

/// Whether an escape is half of a surrogate pair whose other half is not beside it.
fn is_half(rest: &str, before: &str, escape: &str) -> bool {
    let high = |unit: Option<u16>| unit.is_some_and(|u| (0xd800..0xdc00).contains(&u));
    let low = |unit: Option<u16>| unit.is_some_and(|u| (0xdc00..0xe000).contains(&u));
    let own = unit(escape);
    if high(own) {
        return !low(unit(&rest[escape.len()..]));
    }
    let behind_high = before.len() >= 6 && high(before.get(before.len() - 6..).and_then(unit));
    low(own) && !behind_high
}

/// The value as it is written back: what was no number becomes null.
pub fn written(value: &Value) -> Value {
    match value {
        Value::String(text) if text.starts_with(MARK) => Value::Null,
        Value::Array(items) => Value::Array(items.iter().map(written).collect()),
        Value::Object(map) => Value::Object(map.iter().map(|(k, v)| (k.clone(), written(v))).collect()),
        other => other.clone(),
    }
}

/// A text; what was no number is none.
pub fn text(value: Option<&Value>) -> Option<&str> {
    value?.as_str().filter(|text| !text.starts_with(MARK))
}

/// The token of a number that JSON does not have, where the value is one.
pub fn not_finite(value: &Value) -> Option<&str> {
    value.as_str()?.strip_prefix(MARK)
}

/// A value as the recorder's language prints it.
pub fn printed(value: &Value) -> String {
    match not_finite(value) {
        Some("NaN") => "nan".to_owned(),
        Some("Infinity") => "inf".to_owned(),
        Some("-Infinity") => "-inf".to_owned(),
        _ => python::display(&written(value)),
    }
}

/// A number as a double; true and false are 1 and 0, as in the recorder's language. Anything else is absent.
pub fn number(value: Option<&Value>) -> Option<f64> {
    match value? {
        Value::Number(n) => n.as_f64(),
        Value::Bool(b) => Some(f64::from(u8::from(*b))),
        _ => None,
    }
}

/// An integer; a boolean is none, and neither is a number with a fraction part.
pub fn integer(value: Option<&Value>) -> Option<i64> {
    value?.as_i64()
}

/// Whether the recorder's language takes the value for true.
pub fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(b) => *b,
        Value::Number(n) => n.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn numbers_that_json_lacks_keep_the_rest_of_the_line() {
        let value = decode(r#"{"a": NaN, "b": [-Infinity, 1.5], "NaN": "NaN", "c": "\"NaN"}"#).unwrap();
        assert_eq!(number(value.get("a")), None);
        assert_eq!(written(&value), json!({"a": null, "b": [null, 1.5], "NaN": "NaN", "c": "\"NaN"}));
        assert_eq!((text(value.get("a")), text(value.get("c"))), (None, Some("\"NaN")));
        assert_eq!(
            (printed(&value["a"]), printed(&value["b"])),
            ("nan".to_owned(), "[None, 1.5]".to_owned())
        );
        assert!(truthy(&value["a"]), "not a number is not falsy, so it attests nothing");
        assert!(decode("{\"a\": NaN").is_err());
        assert!(decode("NaNa").is_err());
    }

    #[test]
    fn what_only_the_recorder_s_language_takes_keeps_the_rest_of_the_line() {
        for (text, value) in [
            (r#"{"a": "x\udcff", "b": 1}"#, json!({"a": "x\u{fffd}", "b": 1})),
            (r#"{"a": "\ud83d\ude00 \ud83d x", "b": 1}"#, json!({"a": "\u{1f600} \u{fffd} x", "b": 1})),
            (r#"{"a": "\\udcff", "b": "\udcff\udcff"}"#, json!({"a": "\\udcff", "b": "\u{fffd}\u{fffd}"})),
            (r#"{"a": 1e400, "b": [-1e999, 2]}"#, json!({"a": null, "b": [null, 2]})),
            (r#"{"a": 1e400, "b": "1e400 NaN \" 1e400"}"#, json!({"a": null, "b": "1e400 NaN \" 1e400"})),
        ] {
            assert_eq!(written(&decode(text).unwrap()), value, "{text}");
        }
        assert!(decode(r#"{"a": 1e400"#).is_err());
        assert!(decode(r#"{"a": "\ud83"#).is_err());
    }

    #[test]
    fn keys_that_nobody_reads_are_checked_and_thrown_away() {
        let keys = |text: &str| decode_keys(text, &["b", "c"]).map(Value::Object);
        assert_eq!(
            keys(r#"{"a": [1, {"b": 2}], "b": 1, "c": null, "b": 3}"#),
            Some(json!({"b": 3, "c": null}))
        );
        assert_eq!(keys(r#"{"a": NaN, "b": 1}"#), Some(json!({"b": 1})));
        for none in [r#"{"a": [1, "b": 1}"#, r#"{"b": 1} x"#, "[]", ""] {
            assert_eq!(keys(none), None, "{none}");
        }
    }

    #[test]
    fn a_repeated_key_keeps_its_last_value_and_its_first_place() {
        let map = decode_object(r#"{"a": 1, "b": 2, "a": 3}"#).unwrap();
        assert_eq!(serde_json::to_string(&map).unwrap(), r#"{"a":3,"b":2}"#);
    }

    #[test]
    fn deep_nesting_does_not_decode_and_does_not_crash() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(decode(&deep).is_err());
        assert!(decode(&format!("{deep}NaN")).is_err());
    }

    #[test]
    fn booleans_are_numbers_but_not_integers() {
        assert_eq!(number(Some(&json!(true))), Some(1.0));
        assert_eq!(integer(Some(&json!(true))), None);
        assert_eq!(integer(Some(&json!(3.0))), None);
        assert_eq!(number(Some(&json!("1"))), None);
    }

    proptest! {
        #[test]
        fn any_text_decodes_or_is_refused(text in "\\PC{0,80}") {
            let _ = decode(&text);
        }

        #[test]
        fn tokens_inside_strings_stay(text in "[a-zA-Z\"\\\\ ]{0,12}") {
            let encoded = serde_json::to_string(&json!({"NaN": text})).unwrap();
            let with_token = encoded.replacen('{', "{\"x\": NaN, ", 1);
            prop_assert_eq!(&decode(&with_token).unwrap()["NaN"], &json!(text));
        }
    }
}
