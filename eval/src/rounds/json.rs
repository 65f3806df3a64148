//! JSON as the recorder writes it.
//!
//! Python's encoder writes `NaN`, `Infinity` and `-Infinity`, which JSON does not have. They decode here to a marked
//! text, so that a line keeps its other values: such a value is never a number, and is written back as null. An
//! object's repeated key keeps its last value. Nesting beyond 128 levels does not decode.

use crate::text::python;
use serde_json::{Map, Value};

/// Begins the text that stands for a number that JSON does not have; private use area, never recorded.
const MARK: char = '\u{f8ff}';

/// Decodes one value that fills `text`, blanks aside.
///
/// # Errors
/// The decoder's message, with line and column inside `text`.
pub fn decode(text: &str) -> Result<Value, serde_json::Error> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        Err(error) if text.contains("NaN") || text.contains("Infinity") => {
            serde_json::from_str(&marked(text)).map_err(|_| error)
        }
        Err(error) => Err(error),
    }
}

/// [`decode`], where only an object will do.
pub fn decode_object(text: &str) -> Option<Map<String, Value>> {
    match decode(text) {
        Ok(Value::Object(map)) => Some(map),
        _ => None,
    }
}

/// The text with every bare `NaN`, `Infinity`, `-Infinity` outside strings replaced by a marked string.
fn marked(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    let (mut in_string, mut escaped) = (false, false);
    while let Some(c) = rest.chars().next() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else {
            let token = ["NaN", "Infinity", "-Infinity"].into_iter().find(|t| rest.starts_with(t));
            if let Some(token) = token {
                out.extend(['"', MARK]);
                out.push_str(token);
                out.push('"');
                rest = &rest[token.len()..];
                continue;
            }
            in_string = c == '"';
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
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
