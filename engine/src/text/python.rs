//! Values as Python prints them, which notes, differences and messages show.
//!
//! ```text
//! float   the shortest decimal that reads back; exponent form when the decimal exponent is < -4 or >= 16
//! str     'a', or "a'b" where only double quotes avoid an escape
//! None, True, False, [1, 2], {'a': 1}
//! ```
//!
//! [`display`] is `str(value)`, [`repr`] is `repr(value)`: they differ for a bare string only. Reference page, sections
//! 13.3 and 18.

use super::printf::{exponent_text, not_finite, split_exponent};
use serde_json::Value;
use std::fmt::Write;

/// `repr` of a float.
///
/// ```
/// use rollcheck_engine::text::python::float;
/// assert_eq!(float(8.9e-5), "8.9e-05");
/// assert_eq!(float(1.0), "1.0");
/// ```
pub fn float(x: f64) -> String {
    if let Some(text) = not_finite(x) {
        return text.to_owned();
    }
    let scientific = shortest(x);
    match split_exponent(&scientific) {
        Some((mantissa, exponent)) if !(-4..16).contains(&exponent) => {
            format!("{mantissa}{}", exponent_text(exponent))
        }
        Some((mantissa, exponent)) => positional(mantissa, exponent),
        None => scientific,
    }
}

/// The fewest digits that read back, in exponent form; a tie between two such decimals goes to the even one, where
/// the standard library goes up.
fn shortest(x: f64) -> String {
    let up = format!("{x:e}");
    let digits = up.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count();
    let even = format!("{x:.*e}", digits.saturating_sub(1));
    if even.parse() == Ok(x) { even } else { up }
}

/// `-1.25` with exponent 1 as `-12.5`; exponents from -4 to 15.
fn positional(mantissa: &str, exponent: i32) -> String {
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    if exponent < 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1));
    }
    let whole = exponent as usize + 1;
    match digits.split_at_checked(whole) {
        Some((before, after)) if !after.is_empty() => format!("{sign}{before}.{after}"),
        _ => format!("{sign}{digits}{}.0", "0".repeat(whole - digits.len())),
    }
}

/// `True` or `False`.
pub fn boolean(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// `True`, `False` or `None`.
pub fn optional_boolean(value: Option<bool>) -> &'static str {
    value.map_or("None", boolean)
}

/// `repr` of a string: quoted, with what does not print escaped.
pub fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_string(&mut out, text);
    out
}

/// A dict of texts, in the order given: `{'baguette': 'bag1', 'fridge': 'fridge1'}`.
pub fn dict<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut out = String::from("{");
    for (at, (key, value)) in entries.into_iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        push_string(&mut out, key);
        out.push_str(": ");
        push_string(&mut out, value);
    }
    out.push('}');
    out
}

/// `str(value)`: a bare string without quotes, everything else as [`repr`].
pub fn display(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => repr(other),
    }
}

/// `repr(value)`.
pub fn repr(value: &Value) -> String {
    let mut out = String::new();
    push(&mut out, value);
    out
}

// The depth is that of a parsed JSON value, which its reader bounds.
fn push(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(b) => out.push_str(boolean(*b)),
        Value::Number(n) => match n.as_f64() {
            Some(x) if n.is_f64() => out.push_str(&float(x)),
            _ => {
                let _ = write!(out, "{n}");
            }
        },
        Value::String(text) => push_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                push(out, item);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (at, (key, item)) in map.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                push_string(out, key);
                out.push_str(": ");
                push(out, item);
            }
            out.push('}');
        }
    }
}

fn push_string(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if prints(c) => out.push(c),
            c => {
                let _ = match c as u32 {
                    code @ 0..=0xff => write!(out, "\\x{code:02x}"),
                    code @ 0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push(quote);
}

/// Neither a control, format, surrogate, private or unassigned character nor a separator other than the blank.
///
/// The standard library keeps that table for `escape_debug`; a letter in front stops it from also escaping
/// combining marks, which print.
fn prints(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    let mut pair = String::from("a");
    pair.push(c);
    pair.escape_debug().nth(1) == Some(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn floats_print_as_in_python() {
        for (x, text) in [
            (0.000_348, "0.000348"),
            (8.9e-5, "8.9e-05"),
            (-0.020_917_8, "-0.0209178"),
            (0.021_650_635_094_610_966, "0.021650635094610966"),
            (0.0001, "0.0001"),
            (0.000_01, "1e-05"),
            (-0.0, "-0.0"),
            (0.0, "0.0"),
            (1.0, "1.0"),
            (123_456_789_012_345.6, "123456789012345.6"),
            (1e15, "1000000000000000.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (1.25e16, "1.25e+16"),
            (1e22, "1e+22"),
            (1.797_693_134_862_315_7e308, "1.7976931348623157e+308"),
            (5e-324, "5e-324"),
            (f64::powi(2.0, -25), "2.9802322387695312e-08"), // a tie, to the even digit
            (7_041_941_267_225_033.0 / 4.0, "1760485316806258.2"),
            (120.0, "120.0"),
            (12.5, "12.5"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
            (-f64::NAN, "nan"),
        ] {
            assert_eq!(float(x), text, "{x:?}");
        }
    }

    #[test]
    fn strings_take_the_quotes_that_need_no_escape() {
        for (text, shown) in [
            ("run", "'run'"),
            ("it's", "\"it's\""),
            ("say \"it\"", "'say \"it\"'"),
            ("it's \"it\"", "'it\\'s \"it\"'"),
            ("a\\b\n\r\t", "'a\\\\b\\n\\r\\t'"),
            ("\u{0}\u{1b}\u{7f}", "'\\x00\\x1b\\x7f'"),
            ("\u{a0}\u{ad}\u{2028}\u{200b}", "'\\xa0\\xad\\u2028\\u200b'"),
            ("\u{e000}\u{10ffff}", "'\\ue000\\U0010ffff'"),
            ("Küche 台所 🤖 e\u{301}", "'Küche 台所 🤖 e\u{301}'"),
            ("\u{301}", "'\u{301}'"),
            ("", "''"),
        ] {
            assert_eq!(string(text), shown);
        }
    }

    #[test]
    fn a_dict_of_texts_prints_in_its_own_order() {
        assert_eq!(
            dict([("baguette", "bag1"), ("sink_cup", "sink1")]),
            "{'baguette': 'bag1', 'sink_cup': 'sink1'}"
        );
        assert_eq!(dict([]), "{}");
    }

    #[test]
    fn values_print_nested_and_only_a_bare_string_loses_its_quotes() {
        let value = json!({"a": null, "b": [true, false, 1, -2, 0.5, 1.0, "x"], "c": {}, "d": []});
        let shown = "{'a': None, 'b': [True, False, 1, -2, 0.5, 1.0, 'x'], 'c': {}, 'd': []}";
        assert_eq!(repr(&value), shown);
        assert_eq!(display(&value), shown);
        assert_eq!(display(&json!("panda_link5")), "panda_link5");
        assert_eq!(repr(&json!("panda_link5")), "'panda_link5'");
        assert_eq!(repr(&json!(u64::MAX)), "18446744073709551615");
        assert_eq!(optional_boolean(None), "None");
        assert_eq!(optional_boolean(Some(true)), "True");
    }

    proptest! {
        #[test]
        fn a_float_reads_back_to_itself(bits in any::<u64>()) {
            let x = f64::from_bits(bits);
            let text = float(x);
            let back: f64 = text.parse().unwrap();
            prop_assert!(back.to_bits() == x.to_bits() || (x.is_nan() && back.is_nan()), "{text}");
            prop_assert!(text.contains(['.', 'e', 'n']), "{text} reads as an integer");
        }

        #[test]
        fn a_quoted_string_holds_neither_a_bare_quote_nor_a_control_character(text in any::<String>()) {
            let shown = string(&text);
            prop_assert!(!shown.chars().any(char::is_control));
            prop_assert!(shown.chars().count() >= text.chars().count() + 2);
            let quote = shown.chars().next().unwrap();
            let inside = &shown[1..shown.len() - 1];
            let mut escaped = false;
            for c in inside.chars() {
                prop_assert!(escaped || c != quote);
                escaped = !escaped && c == '\\';
            }
            prop_assert!(!escaped);
        }
    }
}
