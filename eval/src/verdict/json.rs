//! Reading and writing `verdicts.json`, `metadata.json` and a difference.
//!
//! Reference page, sections 12 and 13.3. Reading goes through a JSON value first, so of a repeated key the last value
//! counts and keys that are not known stay in input order. Refused: what is not JSON, nesting deeper than 127, the
//! tokens `NaN` and `Infinity`, a missing key, another type.
//!
//! ```text
//! metadata    keys sorted by code point at every level, 2 blanks, ASCII only, floats as in Python, final newline
//! verdicts    declared order, 2 blanks, non-ASCII raw, NaN as null, final newline
//! difference  as verdicts
//! ```
//!
//! Nothing here judges a value: paths and file-name prefixes are kept as text, and who opens them checks them.

use super::fields::{DocumentError, FromJson, Place};
use super::schema::{RoundDiff, RoundMetadata, RoundVerdicts};
use rollcheck_engine::text::python;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Reads `metadata.json`; `file` names it in errors.
pub fn metadata_from_slice(bytes: &[u8], file: &str) -> Result<RoundMetadata, DocumentError> {
    read(bytes, file)
}

/// Reads `verdicts.json`; `file` names it in errors.
pub fn verdicts_from_slice(bytes: &[u8], file: &str) -> Result<RoundVerdicts, DocumentError> {
    read(bytes, file)
}

/// Reads a difference; `file` names it in errors.
pub fn diff_from_slice(bytes: &[u8], file: &str) -> Result<RoundDiff, DocumentError> {
    read(bytes, file)
}

/// Any of the documents as it stands, untyped: which keys a round recorded at all.
pub fn object_from_slice(bytes: &[u8], file: &str) -> Result<Map<String, Value>, DocumentError> {
    read(bytes, file)
}

fn read<T: FromJson>(bytes: &[u8], file: &str) -> Result<T, DocumentError> {
    let value = serde_json::from_slice(bytes).map_err(|e| syntax(bytes, file, &e))?;
    T::from_json(value, Place::Document).map_err(|w| w.in_file(file))
}

fn syntax(bytes: &[u8], file: &str, error: &serde_json::Error) -> DocumentError {
    let file = file.to_owned();
    let (line, column) = (error.line(), error.column());
    if let Some((token, token_line, token_column)) = not_finite_token(bytes)
        && token_line == line
        && (token_column..=token_column + token.len()).contains(&column)
    {
        return DocumentError::NotFinite { file, line, column: token_column, token };
    }
    let mut reason = error.to_string();
    if let Some(cut) = reason.rfind(" at line ") {
        reason.truncate(cut);
    }
    DocumentError::Syntax { file, line, column, reason }
}

/// The first such token outside strings, with its line and column from 1.
fn not_finite_token(bytes: &[u8]) -> Option<(&'static str, usize, usize)> {
    let (mut line, mut line_start, mut in_string, mut at) = (1, 0, false, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => (line, line_start) = (line + 1, at + 1),
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            _ => {
                let rest = bytes.get(at..).unwrap_or_default();
                if let Some(token) =
                    ["-Infinity", "Infinity", "NaN"].into_iter().find(|t| rest.starts_with(t.as_bytes()))
                {
                    return Some((token, line, at - line_start + 1));
                }
            }
        }
        at += 1;
    }
    None
}

/// `metadata.json` as `run` writes it: every declared field, but neither an empty `scene_dirs` nor a null
/// `imported_from`. An import writes fewer, through [`write_sorted`].
pub fn write_metadata(metadata: &RoundMetadata) -> Vec<u8> {
    let Ok(Value::Object(mut map)) = serde_json::to_value(metadata) else {
        unreachable!("a struct with text keys is a JSON object")
    };
    if metadata.scene_dirs.is_empty() {
        map.shift_remove("scene_dirs");
    }
    if metadata.imported_from.is_none() {
        map.shift_remove("imported_from");
    }
    write_sorted(&map)
}

/// In the form of `metadata.json`, whatever the keys.
pub fn write_sorted(map: &Map<String, Value>) -> Vec<u8> {
    let mut out = String::new();
    push_object(&mut out, map, 0);
    out.push('\n');
    out.into_bytes()
}

/// `verdicts.json`.
pub fn write_verdicts(verdicts: &RoundVerdicts) -> Vec<u8> {
    pretty(verdicts)
}

/// The difference, as `diff --out` writes it.
pub fn write_diff(diff: &RoundDiff) -> Vec<u8> {
    pretty(diff)
}

fn pretty(document: &impl Serialize) -> Vec<u8> {
    match serde_json::to_vec_pretty(document) {
        Ok(mut bytes) => {
            bytes.push(b'\n');
            bytes
        }
        Err(_) => unreachable!("every key is text and writing to memory does not fail"),
    }
}

fn push_value(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Number(n) => match n.as_f64() {
            Some(x) if n.is_f64() => out.push_str(&python::float(x)),
            _ => {
                let _ = write!(out, "{n}");
            }
        },
        Value::String(text) => push_ascii(out, text),
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "[\n" } else { ",\n" });
                indent(out, depth + 1);
                push_value(out, item, depth + 1);
            }
            out.push('\n');
            indent(out, depth);
            out.push(']');
        }
        Value::Object(map) => push_object(out, map, depth),
    }
}

fn push_object(out: &mut String, map: &Map<String, Value>, depth: usize) {
    if map.is_empty() {
        out.push_str("{}");
        return;
    }
    // UTF-8 sorts bytewise as its code points do.
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    for (at, (key, value)) in entries.into_iter().enumerate() {
        out.push_str(if at == 0 { "{\n" } else { ",\n" });
        indent(out, depth + 1);
        push_ascii(out, key);
        out.push_str(": ");
        push_value(out, value, depth + 1);
    }
    out.push('\n');
    indent(out, depth);
    out.push('}');
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("  ", depth));
}

/// As Python's `ensure_ascii`: UTF-16 units in lowercase hex.
fn push_ascii(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjudication::outcome::Outcome;
    use crate::testing::shared;
    use crate::verdict::schema::WitnessTimeline;
    use proptest::prelude::*;
    use serde_json::json;

    const LEAST: &str =
        r#"{"round_id": "r", "started_at": "t", "executed_sha": "s", "worktree_clean": null}"#;

    fn verdicts_error(text: &str) -> String {
        verdicts_from_slice(text.as_bytes(), "verdicts.json").unwrap_err().to_string()
    }

    fn metadata_error(text: &str) -> String {
        metadata_from_slice(text.as_bytes(), "metadata.json").unwrap_err().to_string()
    }

    fn with_scene(scene: &str) -> String {
        format!(r#"{{"metadata": {LEAST}, "scenes": [{scene}]}}"#)
    }

    #[test]
    fn the_recorded_metadata_are_written_back_byte_for_byte() {
        let Some(rounds) = shared("the_recorded_metadata_are_written_back_byte_for_byte", "rounds") else {
            return;
        };
        let mut found = 0;
        for entry in std::fs::read_dir(rounds).unwrap() {
            let path = entry.unwrap().path().join("metadata.json");
            let Ok(bytes) = std::fs::read(&path) else { continue };
            let map = object_from_slice(&bytes, "metadata.json").unwrap();
            assert_eq!(write_sorted(&map), bytes, "{}", path.display());
            let read = metadata_from_slice(&bytes, "metadata.json").unwrap();
            assert_eq!(read.round_id, path.parent().unwrap().file_name().unwrap().to_str().unwrap());
            assert_eq!(read.rskill_id(), Some("OpenRAL/rskill-xr1-panda_mobile-robocasa365-nf4"));
            assert_eq!(read.seed, 1);
            assert!(!read.generated());
            assert_eq!(metadata_from_slice(&write_metadata(&read), "metadata.json").unwrap(), read);
            found += 1;
        }
        assert!(found >= 5, "{found} metadata.json");
    }

    #[test]
    fn the_recorded_verdicts_of_2026_09_07_pass_through_the_schema_unchanged() {
        let test = "the_recorded_verdicts_of_2026_09_07_pass_through_the_schema_unchanged";
        let Some(path) = shared(test, "rounds/2026-09-07-adr0101-live-1/verdicts.json") else { return };
        let bytes = std::fs::read(path).unwrap();
        let read = verdicts_from_slice(&bytes, "verdicts.json").unwrap();
        let written = write_verdicts(&read);
        let (before, after): (Value, Value) =
            (serde_json::from_slice(&bytes).unwrap(), serde_json::from_slice(&written).unwrap());
        // As text, so that the order of keys counts.
        assert_eq!(before.to_string(), after.to_string());
        assert_eq!(String::from_utf8(written).unwrap(), String::from_utf8(bytes).unwrap());
        let scene = &read.scenes[0];
        assert_eq!(scene.outcome, Outcome::EstopCollisionReal);
        let truth = scene.ground_truth.as_ref().unwrap();
        assert_eq!(truth.nearest_any_m, Some(-0.036_335_58));
        assert_eq!(truth.discrepancy_m, Some(0.028_904_449));
        assert_eq!(scene.stop.as_ref().unwrap().min_distance_m, -0.004_046_1);
        assert_eq!(read.metadata.scene_configs().get_index(0).unwrap().0, "utensil");
    }

    #[test]
    fn absent_fields_take_the_defaults_of_the_reference() {
        let read = metadata_from_slice(LEAST.as_bytes(), "metadata.json").unwrap();
        assert_eq!(read.seed, 1);
        assert_eq!(read.artifact_stem, "run");
        assert!(read.safety_overrides_absent);
        assert_eq!(read.worktree_clean, None);
        assert_eq!(read.host, "");
        assert!(read.scene_configs().is_empty());
        assert_eq!(read.rskill_id(), None);
        let scene = with_scene(
            r#"{"scene": "fridge", "config_path": "", "seed": 2, "outcome": "deadline-no-grasp"}"#,
        );
        let read = verdicts_from_slice(scene.as_bytes(), "verdicts.json").unwrap();
        assert_eq!(read.schema_version, "0.1");
        assert_eq!(read.scenes[0].witness, WitnessTimeline::default());
        assert_eq!(read.scenes[0].stop, None);
    }

    #[test]
    fn unknown_keys_follow_the_declared_ones_in_input_order() {
        let text = r#"{"zeta": 1, "round_id": "r", "alpha": {"b": 1, "a": 2}, "started_at": "t", "executed_sha": "s",
            "worktree_clean": true, "generated": true, "scene_configs": {"fridge": "f.yaml", "odd": 3}}"#;
        let read = metadata_from_slice(text.as_bytes(), "metadata.json").unwrap();
        assert_eq!(read.extra.keys().collect::<Vec<_>>(), ["zeta", "alpha", "generated", "scene_configs"]);
        assert!(read.generated());
        assert_eq!(read.scene_configs(), [("fridge".to_owned(), "f.yaml".to_owned())].into());
        let verdicts = RoundVerdicts {
            schema_version: "0.1".to_owned(),
            metadata: read,
            scenes: Vec::new(),
            extra: [("rule_set".to_owned(), json!("documented"))].into_iter().collect(),
        };
        let written = String::from_utf8(write_verdicts(&verdicts)).unwrap();
        assert!(
            written.ends_with(
                r#"    "scene_pins": {},
    "zeta": 1,
    "alpha": {
      "b": 1,
      "a": 2
    },
    "generated": true,
    "scene_configs": {
      "fridge": "f.yaml",
      "odd": 3
    }
  },
  "scenes": [],
  "rule_set": "documented"
}
"#
            ),
            "{written}"
        );
    }

    #[test]
    fn the_last_of_a_repeated_key_counts() {
        let text = LEAST.replace(r#""round_id": "r""#, r#""round_id": 5, "round_id": "last""#);
        assert_eq!(metadata_from_slice(text.as_bytes(), "m").unwrap().round_id, "last");
    }

    #[test]
    fn an_error_names_file_field_expected_and_found() {
        assert_eq!(metadata_error("{}"), "metadata.json: `round_id` is missing, expected text");
        assert_eq!(
            metadata_error(r#"{"round_id": "r", "started_at": "t", "executed_sha": "s"}"#),
            "metadata.json: `worktree_clean` is missing, expected true or false"
        );
        assert_eq!(
            metadata_error(&LEAST.replace('}', r#", "seed": "1"}"#)),
            "metadata.json: `seed`: expected an integer of 64 bits, found the text \"1\""
        );
        assert_eq!(
            metadata_error(&LEAST.replace('}', r#", "seed": 1.0}"#)),
            "metadata.json: `seed`: expected an integer of 64 bits, found the number 1.0"
        );
        assert_eq!(
            metadata_error(&LEAST.replace('}', r#", "host": null}"#)),
            "metadata.json: `host`: expected text, found null"
        );
        assert_eq!(
            metadata_error(&LEAST.replace('}', r#", "sync_groups": ["a", 2]}"#)),
            "metadata.json: `sync_groups[1]`: expected text, found the number 2"
        );
        assert_eq!(
            metadata_error(&LEAST.replace('}', r#", "scene_dirs": {"fridge": ["f"]}}"#)),
            "metadata.json: `scene_dirs.fridge`: expected text, found an array of 1"
        );
        assert_eq!(
            metadata_error("[1]"),
            "metadata.json: `document`: expected an object, the metadata of a round, found an array of 1"
        );
        assert_eq!(
            verdicts_error(&with_scene(r#"{"scene": "a", "config_path": "", "seed": 1, "outcome": "fine"}"#)),
            "verdicts.json: `scenes[0].outcome`: expected one of the nine outcomes, found the text \"fine\""
        );
        assert_eq!(
            verdicts_error(&with_scene(
                r#"{"scene": "a", "config_path": "", "seed": 1, "outcome": "harness-error", "stop": {"kind": "world",
                "party_a": "a", "party_b": "b", "horizon_step": 0, "min_distance_m": "-0.1"}}"#
            )),
            "verdicts.json: `scenes[0].stop.min_distance_m`: expected a number, found the text \"-0.1\""
        );
        let long = "x".repeat(1000);
        let shown = metadata_error(&LEAST.replace('}', &format!(r#", "seed": "{long}"}}"#)));
        assert!(shown.len() < 150, "{shown}");
    }

    #[test]
    fn text_that_is_not_json_is_refused_with_line_and_column() {
        assert_eq!(
            metadata_error("{\"round_id\": \"r\",\n  \"seed\": 1,}"),
            "metadata.json:2:13: not JSON: trailing comma"
        );
        assert_eq!(metadata_error(""), "metadata.json:1:0: not JSON: EOF while parsing a value");
        assert_eq!(metadata_error("{} x"), "metadata.json:1:4: not JSON: trailing characters");
        assert_eq!(metadata_error("{\"a\": 1e999}"), "metadata.json:1:11: not JSON: number out of range");
        assert!(metadata_from_slice(b"{\"a\": \"\xff\"}", "m").is_err());
        assert!(metadata_from_slice(b"{\"a\": \"\0\"}", "m").is_err());
        assert!(metadata_from_slice(b"\0", "m").is_err());
    }

    #[test]
    fn nesting_without_end_is_an_error() {
        let deep = "[".repeat(1_000_000);
        assert!(metadata_error(&deep).contains("recursion limit exceeded"));
        let deep = format!("{{\"a\": {}1{}}}", "{\"a\":".repeat(200), "}".repeat(200));
        assert!(metadata_error(&deep).contains("recursion limit exceeded"));
    }

    #[test]
    fn not_a_number_is_refused_by_name() {
        for (token, column) in [("NaN", 8), ("Infinity", 8), ("-Infinity", 8)] {
            assert_eq!(
                metadata_error(&format!("{{\n \"NaN\\\"\": {token}}}")),
                format!(
                    "metadata.json:2:{}: `{token}` is no JSON number; an unknown number is written as null",
                    column + 3
                )
            );
        }
        assert!(metadata_error("{\"a\": NaN").contains("`NaN`"));
        assert!(metadata_error("{\"a\": x, \"b\": NaN}").contains("not JSON"));
    }

    #[test]
    fn metadata_are_ascii_and_sorted_with_floats_as_in_python() {
        let map = json!({
            "b": {"ü": "Küche 🤖\u{7f}\u{1b}\"\\/\n", "z": []},
            "a": [0.00005, 1e16, 1.0, 7, {}],
            "ü": null,
            "\u{10000}": -0.0,
            "\u{ffff}": true
        });
        let Value::Object(map) = map else { panic!("no object") };
        assert_eq!(
            String::from_utf8(write_sorted(&map)).unwrap(),
            r#"{
  "a": [
    5e-05,
    1e+16,
    1.0,
    7,
    {}
  ],
  "b": {
    "z": [],
    "\u00fc": "K\u00fcche \ud83e\udd16\u007f\u001b\"\\/\n"
  },
  "\u00fc": null,
  "\uffff": true,
  "\ud800\udc00": -0.0
}
"#
        );
    }

    #[test]
    fn verdicts_write_non_ascii_as_it_is_and_what_is_no_number_as_null() {
        let text = with_scene(r#"{"scene": "ü", "config_path": "", "seed": 1, "outcome": "harness-error"}"#);
        let mut verdicts = verdicts_from_slice(text.as_bytes(), "v").unwrap();
        verdicts.scenes[0].wall_s = Some(f64::NAN);
        verdicts.scenes[0].witness.attach_t_s = Some(8.9e-6);
        let written = String::from_utf8(write_verdicts(&verdicts)).unwrap();
        assert!(written.contains("\"scene\": \"ü\""));
        assert!(written.contains("\"wall_s\": null"));
        assert!(written.contains("\"attach_t_s\": 8.9e-6,"));
    }

    #[test]
    fn serde_reads_by_the_same_rules() {
        assert!(serde_json::from_str::<RoundMetadata>(LEAST).is_ok());
        let error = serde_json::from_str::<RoundMetadata>("{}").unwrap_err().to_string();
        assert_eq!(error, "`round_id` is missing, expected text");
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..5)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn bytes_from_strangers_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = metadata_from_slice(&bytes, "m");
            let _ = verdicts_from_slice(&bytes, "v");
            let _ = diff_from_slice(&bytes, "d");
        }

        #[test]
        fn sorted_text_reads_back_to_the_same_values(value in any_value()) {
            let map: Map<String, Value> = [("x".to_owned(), value)].into_iter().collect();
            let text = write_sorted(&map);
            prop_assert!(text.is_ascii());
            prop_assert_eq!(&object_from_slice(&text, "m").unwrap(), &map);
            // Whatever order the keys came in.
            let again = object_from_slice(&text, "m").unwrap();
            prop_assert_eq!(write_sorted(&again), text);
        }

        #[test]
        fn metadata_with_any_value_in_any_field_read_or_say_which_field(
            key in prop::sample::select(vec!["round_id", "seed", "sync_groups", "scene_dirs", "collision_scale",
                "worktree_clean", "scene_pins", "artifact_stem", "gpu_name", "overlay_built_at_ns", "unknown"]),
            value in any_value(),
        ) {
            let mut map = object_from_slice(LEAST.as_bytes(), "m").unwrap();
            map.insert(key.to_owned(), value);
            match metadata_from_slice(&write_sorted(&map), "m") {
                Ok(read) => {
                    let written = write_metadata(&read);
                    prop_assert_eq!(metadata_from_slice(&written, "m").unwrap(), read);
                }
                Err(e) => prop_assert!(e.to_string().contains(key), "{}", e),
            }
        }
    }
}
