//! Scalars, resolved by PyYAML's patterns for `SafeLoader`.

use super::{Node, Refusal, Spot, Yaml, refuse};
use saphyr_parser::{ScalarStyle, Tag};
use std::borrow::Cow;

const CORE: &str = "tag:yaml.org,2002:";

/// Whether a sequence (`own` is `seq`) or a mapping (`map`) may have the tag.
pub(super) fn check_collection_tag(tag: Option<&Tag>, own: &str, at: Spot) -> Result<(), Refusal> {
    match tag {
        None => Ok(()),
        Some(tag) if bare(tag) || (tag.handle == CORE && tag.suffix == own) => Ok(()),
        Some(tag) => refuse(at, format!("the tag `{}{}` is not known here", tag.handle, tag.suffix)),
    }
}

/// `!` alone, which leaves the choice to the value.
fn bare(tag: &Tag) -> bool {
    tag.handle.is_empty() && tag.suffix == "!"
}

/// A scalar as it stands in the file; text that is quoted or a block is not resolved.
pub(super) fn scalar(
    text: Cow<'_, str>,
    style: ScalarStyle,
    tag: Option<&Tag>,
    at: Spot,
) -> Result<Node, Refusal> {
    let plain = style == ScalarStyle::Plain;
    let value = match tag {
        None if !plain => Yaml::Text(text.into_owned()),
        None => return resolve(text, at),
        Some(tag) if bare(tag) => return resolve(text, at),
        Some(tag) if tag.handle == CORE => match tag.suffix.as_str() {
            "str" => Yaml::Text(text.into_owned()),
            "null" => Yaml::Null,
            "bool" => match boolean(&text.to_lowercase()) {
                Some(b) => Yaml::Bool(b),
                None => return unfit(at, "truth value", &text),
            },
            "int" => match integer(&text) {
                Some(i) => Yaml::Int(i),
                None => return unfit(at, "integer of 64 bits", &text),
            },
            "float" => match real(&text) {
                Some(x) => Yaml::Float(x),
                None => return unfit(at, "number", &text),
            },
            other => return refuse(at, format!("the tag `{CORE}{other}` is not known here")),
        },
        Some(tag) => return refuse(at, format!("the tag `{}{}` is not known here", tag.handle, tag.suffix)),
    };
    Ok(Node::Value(value))
}

fn unfit<T>(at: Spot, kind: &str, text: &str) -> Result<T, Refusal> {
    let shown: String = text.chars().take(40).collect();
    refuse(at, format!("`{shown}` is no {kind}"))
}

fn resolve(text: Cow<'_, str>, at: Spot) -> Result<Node, Refusal> {
    let word = text.as_ref();
    let value = match word {
        "" | "~" | "null" | "Null" | "NULL" => Yaml::Null,
        "<<" => return Ok(Node::Merge),
        "=" => return Ok(Node::Default),
        _ if is_boolean(word) => Yaml::Bool(boolean(&word.to_ascii_lowercase()).unwrap_or_default()),
        _ if is_real(word) => match real(word) {
            Some(x) => Yaml::Float(x),
            None => return unfit(at, "number", word),
        },
        _ if is_integer(word) => match integer(word) {
            Some(i) => Yaml::Int(i),
            None => return unfit(at, "integer of 64 bits", word),
        },
        _ => Yaml::Text(text.into_owned()),
    };
    Ok(Node::Value(value))
}

fn is_boolean(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let mut capital = lower.clone();
    if let Some(first) = capital.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    boolean(&lower).is_some() && (word == lower || word == capital || word == lower.to_ascii_uppercase())
}

fn boolean(lower: &str) -> Option<bool> {
    match lower {
        "yes" | "true" | "on" => Some(true),
        "no" | "false" | "off" => Some(false),
        _ => None,
    }
}

/// Without its sign.
fn unsigned(word: &str) -> &str {
    word.strip_prefix(['-', '+']).unwrap_or(word)
}

fn all_in(text: &str, set: impl Fn(u8) -> bool) -> bool {
    text.bytes().all(|b| b == b'_' || set(b))
}

/// A digit, then digits and underscores.
fn number_body(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && all_in(text, |b| b.is_ascii_digit())
}

/// `:5`, `:05` up to `:59`, at least once; `text` starts after the first colon.
fn sixties(text: &str) -> bool {
    text.split(':').all(|part| match part.as_bytes() {
        [b] => b.is_ascii_digit(),
        [a, b] => (b'0'..=b'5').contains(a) && b.is_ascii_digit(),
        _ => false,
    })
}

fn is_integer(word: &str) -> bool {
    let body = unsigned(word);
    let digits = |rest: &str, set: fn(u8) -> bool| !rest.is_empty() && all_in(rest, set);
    if let Some(rest) = body.strip_prefix("0b") {
        return digits(rest, |b| matches!(b, b'0' | b'1'));
    }
    if let Some(rest) = body.strip_prefix("0x") {
        return digits(rest, |b| b.is_ascii_hexdigit());
    }
    if let Some(rest) = body.strip_prefix('0') {
        return all_in(rest, |b| matches!(b, b'0'..=b'7'));
    }
    match body.split_once(':') {
        Some((first, rest)) => number_body(first) && sixties(rest),
        None => number_body(body),
    }
}

fn is_real(word: &str) -> bool {
    let body = unsigned(word);
    match body {
        ".inf" | ".Inf" | ".INF" => return true,
        ".nan" | ".NaN" | ".NAN" => return word == body,
        _ => {}
    }
    let Some((whole, rest)) = body.split_once('.') else { return false };
    let (fraction, exponent) = match rest.split_once(['e', 'E']) {
        Some((fraction, exponent)) => (fraction, Some(exponent)),
        None => (rest, None),
    };
    let exponent_fits = exponent.is_none_or(|e| {
        e.strip_prefix(['-', '+']).is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
    });
    if !exponent_fits || !all_in(fraction, |b| b.is_ascii_digit()) {
        return false;
    }
    if whole.is_empty() {
        // No sign here: PyYAML reads -.5 as text.
        return word == body && number_body(fraction);
    }
    match whole.split_once(':') {
        Some((first, parts)) => exponent.is_none() && number_body(first) && sixties(parts),
        None => number_body(whole),
    }
}

/// None beyond 64 bits, or where no digit is left.
fn integer(word: &str) -> Option<i64> {
    let digits = word.replace('_', "");
    let negative = digits.starts_with('-');
    let body = unsigned(&digits);
    let size = if let Some(rest) = body.strip_prefix("0b") {
        magnitude(rest, 2)?
    } else if let Some(rest) = body.strip_prefix("0x") {
        magnitude(rest, 16)?
    } else if body == "0" {
        0
    } else if body.starts_with('0') {
        magnitude(body, 8)?
    } else {
        let mut size = 0_i128;
        for part in body.split(':') {
            size = size.checked_mul(60)?.checked_add(magnitude(part, 10)?)?;
        }
        size
    };
    i64::try_from(if negative { -size } else { size }).ok()
}

fn magnitude(digits: &str, radix: u32) -> Option<i128> {
    // from_str_radix would take a sign.
    if digits.starts_with(['-', '+']) { None } else { i128::from_str_radix(digits, radix).ok() }
}

fn real(word: &str) -> Option<f64> {
    let digits = word.replace('_', "").to_ascii_lowercase();
    let sign = if digits.starts_with('-') { -1.0 } else { 1.0 };
    let body = unsigned(&digits);
    let size = match body {
        ".inf" => f64::INFINITY,
        ".nan" => return Some(f64::NAN),
        _ => {
            let (mut size, mut base) = (0.0, 1.0);
            for part in body.rsplit(':') {
                size += unsigned_real(part)? * base;
                base *= 60.0;
            }
            size
        }
    };
    Some(sign * size)
}

fn unsigned_real(digits: &str) -> Option<f64> {
    if digits.starts_with(['-', '+']) { None } else { digits.parse().ok() }
}
