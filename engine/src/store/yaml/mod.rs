//! Scene YAML, with scalars resolved as PyYAML's `SafeLoader` resolves them (YAML 1.1).
//!
//! A YAML 1.2 reader gives other values for the same bytes, so the rules are stated here:
//!
//! ```text
//! bool    yes Yes YES no No NO true True TRUE false False FALSE on On ON off Off OFF; y and n are text
//! int     0, 12, 1_000, 0b101, 017 (octal), 0x1f, 1:30 (= 90); 0o17 and 08 are text
//! float   2.5e-1, 1., .5, 1:30.5, .inf, .nan; 1e-3 and -.5 are text, an exponent needs a point and a sign
//! null    ~ null Null NULL and nothing
//! quoted  text, always
//! ```
//!
//! The last of a repeated key counts and replaces the whole value. `<<` merges mappings: own keys win, then the first
//! of a list. Anchors and aliases are copied. The tags `!!str !!int !!float !!bool !!null !!seq !!map` are honoured.
//!
//! Other than PyYAML: time stamps stay text, an anchor may be given twice (the last counts), an integer must fit 64
//! bits. The tokens are those of YAML 1.2: `]# x` is refused, `?x` inside brackets is text, and a block of text that
//! the end of the file cuts short ends in a newline.
//!
//! Refused, with line and column: more than 1 MiB, bytes that are not UTF-8, NUL and other characters that YAML does
//! not print, a second document, nesting deeper than 100, a key that is no scalar, other tags, an alias inside what it
//! names, aliases that expand to more than 2^20 nodes and bytes of text.

mod builder;
mod scalar;

use indexmap::IndexMap;
use saphyr_parser::Marker;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Largest file that is read, bytes.
pub const BYTES_MAX: usize = 1 << 20;
/// Deepest nesting.
pub const DEPTH_MAX: usize = 100;
/// Most that anchors and aliases may copy, in nodes plus bytes of text.
pub const EXPANSION_MAX: usize = 1 << 20;

/// A YAML file that is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum YamlError {
    /// Something in the text.
    #[error("{file}:{line}:{column}: {reason}")]
    At {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What is wrong there.
        reason: String,
    },
    /// Larger than any scene file.
    #[error("{file}: {found} bytes, expected at most {BYTES_MAX}")]
    TooLarge {
        /// The file.
        file: String,
        /// Its size, bytes.
        found: usize,
    },
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Yaml {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A real number, infinities and NaN included.
    Float(f64),
    /// Text.
    Text(String),
    /// A sequence.
    Seq(Vec<Yaml>),
    /// A mapping.
    Map(Mapping),
}

/// A mapping, in the order of first mention.
pub type Mapping = IndexMap<Key, Yaml>;

/// The key of a mapping. As in Python, `1`, `1.0` and `true` are one key.
#[derive(Clone, Debug)]
pub enum Key {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A real number.
    Float(f64),
    /// Text.
    Text(String),
}

#[derive(PartialEq, Eq, Hash)]
enum Identity<'a> {
    Null,
    Integer(i64),
    Real(u64),
    Text(&'a str),
}

impl Key {
    fn identity(&self) -> Identity<'_> {
        match self {
            Self::Null => Identity::Null,
            Self::Bool(b) => Identity::Integer(i64::from(*b)),
            Self::Int(i) => Identity::Integer(*i),
            // Within this range the cast is exact.
            Self::Float(x) if x.fract() == 0.0 && x.abs() < 9e15 => Identity::Integer(*x as i64),
            Self::Float(x) => Identity::Real(x.to_bits()),
            Self::Text(text) => Identity::Text(text),
        }
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

/// As Python's `str` prints it.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use crate::text::python;
        match self {
            Self::Null => f.write_str("None"),
            Self::Bool(b) => f.write_str(python::boolean(*b)),
            Self::Int(i) => write!(f, "{i}"),
            Self::Float(x) => f.write_str(&python::float(*x)),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Yaml {
    /// The one document in `bytes`; an empty file is null. `file` names it in errors.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, YamlError> {
        if bytes.len() > BYTES_MAX {
            return Err(YamlError::TooLarge { file: file.to_owned(), found: bytes.len() });
        }
        let text = std::str::from_utf8(bytes).map_err(|e| {
            let before = bytes.get(..e.valid_up_to()).unwrap_or_default();
            place(&String::from_utf8_lossy(before)).error(file, "not UTF-8".to_owned())
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if let Some((at, c)) = text.char_indices().find(|(_, c)| !allowed(*c)) {
            let before = text.get(..at).unwrap_or_default();
            return Err(place(before)
                .error(file, format!("the character U+{:04X} is not allowed in YAML", u32::from(c))));
        }
        builder::build(text).map_err(|e| e.place.error(file, e.reason))
    }

    /// The value at a dotted path of text keys: `runtime.enable_reasoner`.
    pub fn get_path(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |value, key| value.get(key))
    }

    /// The value of a text key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_map()?.get(&Key::Text(key.to_owned()))
    }

    /// The mapping.
    pub fn as_map(&self) -> Option<&Mapping> {
        if let Self::Map(map) = self { Some(map) } else { None }
    }

    /// The sequence.
    pub fn as_seq(&self) -> Option<&[Self]> {
        if let Self::Seq(items) = self { Some(items) } else { None }
    }

    /// The text.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The truth value.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(b) = self { Some(*b) } else { None }
    }

    /// The integer.
    pub fn as_i64(&self) -> Option<i64> {
        if let Self::Int(i) = self { Some(*i) } else { None }
    }

    /// Nodes plus bytes of text.
    fn weight(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Float(_) => 1,
            Self::Text(text) => 1 + text.len(),
            Self::Seq(items) => 1 + items.iter().map(Self::weight).sum::<usize>(),
            Self::Map(map) => {
                let key = |key: &Key| if let Key::Text(text) = key { 1 + text.len() } else { 1 };
                1 + map.iter().map(|(k, v)| key(k) + v.weight()).sum::<usize>()
            }
        }
    }
}

/// PyYAML's printable characters.
fn allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}

#[derive(Clone, Copy, Debug)]
struct Spot {
    line: usize,
    column: usize,
}

impl Spot {
    fn of(mark: Marker) -> Self {
        Self { line: mark.line(), column: mark.col() + 1 }
    }

    fn error(self, file: &str, reason: String) -> YamlError {
        YamlError::At { file: file.to_owned(), line: self.line, column: self.column, reason }
    }
}

/// Where the text after `before` starts.
fn place(before: &str) -> Spot {
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
    Spot { line: before.matches('\n').count() + 1, column }
}

/// Something that is refused; the file is added where it is known.
struct Refusal {
    place: Spot,
    reason: String,
}

fn refuse<T>(place: Spot, reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { place, reason: reason.into() })
}

/// A finished node, or one of the two plain scalars that only a mapping's key may be.
enum Node {
    Value(Yaml),
    /// `<<`
    Merge,
    /// `=`
    Default,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::shared;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn read(text: &str) -> Yaml {
        Yaml::read(text.as_bytes(), "scene.yaml").unwrap()
    }

    fn error(text: &str) -> String {
        Yaml::read(text.as_bytes(), "scene.yaml").unwrap_err().to_string()
    }

    fn json_of(yaml: &Yaml) -> Value {
        match yaml {
            Yaml::Null => Value::Null,
            Yaml::Bool(b) => json!(b),
            Yaml::Int(i) => json!(i),
            Yaml::Float(x) => json!(x),
            Yaml::Text(text) => json!(text),
            Yaml::Seq(items) => items.iter().map(json_of).collect(),
            Yaml::Map(map) => Value::Object(map.iter().map(|(k, v)| (k.to_string(), json_of(v))).collect()),
        }
    }

    #[test]
    fn the_case_h06_gives_the_tree_that_pyyaml_gives() {
        let Some(case) =
            shared("the_case_h06_gives_the_tree_that_pyyaml_gives", "cases/H06-yaml-y-key-and-off")
        else {
            return;
        };
        let tree = Yaml::read(&std::fs::read(case.join("scene.yaml")).unwrap(), "scene.yaml").unwrap();
        let expected: Value =
            serde_json::from_slice(&std::fs::read(case.join("expected.json")).unwrap()).unwrap();
        assert_eq!(json_of(&tree), expected["parsed"]);
        assert_eq!(tree.get_path("place_declaration.region.y"), Some(&Yaml::Float(0.25)));
    }

    #[test]
    fn words_are_truth_values_in_the_spellings_of_pyyaml_only() {
        for word in ["yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"] {
            assert_eq!(read(word), Yaml::Bool(true), "{word}");
        }
        for word in ["no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"] {
            assert_eq!(read(word), Yaml::Bool(false), "{word}");
        }
        for word in ["y", "n", "Y", "N", "yEs", "oN", "TRue", "\"off\"", "'yes'", "\"y\""] {
            assert_eq!(read(word), Yaml::Text(word.trim_matches(['"', '\'']).to_owned()), "{word}");
        }
    }

    #[test]
    fn numbers_are_what_pyyaml_takes_for_numbers() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("12", 12),
            ("+12", 12),
            ("1_000", 1000),
            ("1__0_", 10),
            ("0b101", 5),
            ("-0b1_1", -3),
            ("017", 15),
            ("0_7", 7),
            ("0_", 0),
            ("00", 0),
            ("0x1F", 31),
            ("-0x_f", -15),
            ("1:30", 90),
            ("-1:30", -90),
            ("1:0:5", 3605),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
            ("!!int \"5\"", 5),
            ("! 7", 7),
            ("! \"7\"", 7),
        ] {
            assert_eq!(read(text), Yaml::Int(value), "{text}");
        }
        for (text, value) in [
            ("2.5e-1", 0.25),
            ("1.", 1.0),
            (".5", 0.5),
            ("-1.5", -1.5),
            ("1_0.5_0", 10.5),
            ("1.e+2", 100.0),
            ("6.02E+23", 6.02e23),
            ("1:30.5", 90.5),
            ("0:0.25", 0.25),
            (".inf", f64::INFINITY),
            ("-.Inf", f64::NEG_INFINITY),
            ("+.INF", f64::INFINITY),
            ("!!float 1e-3", 0.001),
            ("600.0", 600.0),
            ("1._", 1.0),
            ("09.5", 9.5),
        ] {
            assert_eq!(read(text), Yaml::Float(value), "{text}");
        }
        for text in [
            "1e-3",
            "1e3",
            "1.0e3",
            "-.5",
            "0o17",
            "08",
            "1:60",
            "1:030",
            "0:30",
            "1.5.2",
            "+",
            ".",
            "_1",
            "0b12",
            "0xg",
            "-.nan",
            "2024-01-01",
            "1,5",
            "1 2",
            "0x",
            "0b",
            ".e+1",
            "._5",
            "infinity",
            "nan",
        ] {
            assert_eq!(read(text), Yaml::Text(text.to_owned()), "{text}");
        }
        for text in [".nan", ".NaN", ".NAN"] {
            assert!(matches!(read(text), Yaml::Float(x) if x.is_nan()), "{text}");
        }
        for text in ["", "~", "null", "Null", "NULL", "# nothing", "---", "!!null x"] {
            assert_eq!(read(text), Yaml::Null, "{text}");
        }
        assert_eq!(read("!!str 5"), Yaml::Text("5".to_owned()));
        assert_eq!(read("!!bool \"ON\""), Yaml::Bool(true));
    }

    #[test]
    fn the_last_of_a_repeated_key_replaces_the_whole_value() {
        let tree = read("a: {x: 1, y: 2}\nb: 1\na: {x: 3}\n");
        assert_eq!(json_of(&tree).to_string(), r#"{"a":{"x":3},"b":1}"#);
        let tree = read("1: a\ntrue: b\n1.0: c\n");
        assert_eq!(json_of(&tree).to_string(), r#"{"1":"c"}"#);
    }

    #[test]
    fn merge_keys_yield_to_own_keys_and_to_the_first_of_a_list() {
        let tree =
            read("a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc:\n  z: 9\n  <<: [*a, *b]\nd: {<<: *b, y: 5}\n");
        assert_eq!(json_of(tree.get("c").unwrap()), json!({"x": 1, "y": 1, "z": 9}));
        assert_eq!(json_of(tree.get("d").unwrap()), json!({"y": 5, "z": 2}));
        assert_eq!(json_of(&read("{'<<': 1, =: 2}")), json!({"<<": 1, "=": 2}));
        assert_eq!(error("a: {<<: 5}"), "scene.yaml:1:9: `<<` takes a mapping or a list of mappings");
        assert_eq!(error("a: <<"), "scene.yaml:1:4: `<<` stands for no value; only a key may be written so");
        assert_eq!(error("a: ="), "scene.yaml:1:4: `=` stands for no value; quote it if text is meant");
    }

    #[test]
    fn block_text_and_bom_are_read() {
        assert_eq!(read("\u{feff}a: |\n  on\n  1\n").get("a"), Some(&Yaml::Text("on\n1\n".to_owned())));
        assert_eq!(read("a: >-\n  x\n  y\n").get_path("a"), Some(&Yaml::Text("x y".to_owned())));
        assert_eq!(read("a.b: 1").get_path("a.b"), None);
    }

    #[test]
    fn what_is_refused_is_named_with_its_place() {
        for (text, message) in [
            ("a: 1\nb: \0", "scene.yaml:2:4: the character U+0000 is not allowed in YAML"),
            ("\u{1b}[34m", "scene.yaml:1:1: the character U+001B is not allowed in YAML"),
            ("a: 1\n--- \nb: 2\n", "scene.yaml:2:1: a second document, expected one"),
            ("? [1]\n: 2\n", "scene.yaml:1:5: a key that is no scalar"),
            ("a: !python/object x", "scene.yaml:1:4: the tag `!python/object` is not known here"),
            ("a: !!binary x", "scene.yaml:1:4: the tag `tag:yaml.org,2002:binary` is not known here"),
            ("a: &x [1, *x]", "scene.yaml:1:11: an alias inside the value that it names"),
            ("a: 9223372036854775808", "scene.yaml:1:4: `9223372036854775808` is no integer of 64 bits"),
            ("a: 0x_", "scene.yaml:1:4: `0x_` is no integer of 64 bits"),
            ("!!int --5", "scene.yaml:1:1: `--5` is no integer of 64 bits"),
        ] {
            assert_eq!(error(text), message, "{text}");
        }
        assert_eq!(
            error("a: [1"),
            "scene.yaml:2:1: not YAML: while parsing a flow sequence, expected ',' or ']'"
        );
        assert!(error("a: *nowhere").contains("not YAML"));
        assert!(error("a: 1\n b: 2").contains("not YAML"));
        assert_eq!(
            Yaml::read(b"a: 1\nb: \xff", "scene.yaml").unwrap_err().to_string(),
            "scene.yaml:2:4: not UTF-8"
        );
        assert_eq!(
            Yaml::read(&vec![b' '; BYTES_MAX + 1], "scene.yaml").unwrap_err().to_string(),
            "scene.yaml: 1048577 bytes, expected at most 1048576"
        );
    }

    #[test]
    fn depth_and_expansion_are_bounded() {
        let deep = format!("{}{}", "[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX));
        assert!(matches!(read(&deep), Yaml::Seq(_)));
        assert_eq!(error(&"[".repeat(DEPTH_MAX + 1)), "scene.yaml:1:101: nested deeper than 100");
        assert!(error(&"- ".repeat(500_000)).contains("nested deeper"));
        assert!(error(&"? ".repeat(500_000)).contains("nested deeper"));
        // The scanner runs ahead and has a bound of its own.
        assert!(error(&"{a: ".repeat(200_000)).contains("recursion limit exceeded"));
        assert_eq!(error(&"{a: ".repeat(120)), "scene.yaml:1:401: nested deeper than 100");
        let mut laughs = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
        for level in 1..12 {
            let before = format!("*a{}, ", level - 1).repeat(9);
            laughs.extend(["a", &level.to_string(), ": &a", &level.to_string(), " [", &before, "]\n"]);
        }
        assert!(error(&laughs).contains("expand to more than 1048576"));
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(500_000), "*a, ".repeat(1000));
        assert!(error(&long).contains("expand to more than"));
    }

    #[test]
    fn a_megabyte_of_any_marker_ends_soon() {
        for part in [
            "[", "]", "{", "}", "- ", "? ", ": ", "&a ", "*a ", "!a ", "'", "\"", "|\n", "%a\n", "#", "a: ",
            "\n", "\t", " ", ",", "--- ", "a\n", "[a, ", "&a [", "\\", "- - \n", "a:\n ", "{a: 1, ", "\r",
            "\u{85}",
        ] {
            let text = part.repeat(BYTES_MAX / part.len());
            let _ = Yaml::read(text.as_bytes(), "scene.yaml");
            let flow = format!("[{}", text.get(..BYTES_MAX / 2).unwrap_or_default());
            let _ = Yaml::read(flow.as_bytes(), "scene.yaml");
        }
    }

    proptest! {
        #[test]
        fn bytes_from_strangers_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Yaml::read(&bytes, "f");
        }

        #[test]
        fn text_of_yaml_marks_never_panics(text in "[-a1:?,\\[\\]{}&*!|>'\"%@`# \n\t.0<=~]{0,80}") {
            let _ = Yaml::read(text.as_bytes(), "f");
        }

        #[test]
        fn a_quoted_scalar_is_text(text in "[ -~]{0,30}") {
            let quoted = format!("'{}'", text.replace('\'', "''"));
            prop_assert_eq!(read(&quoted), Yaml::Text(text));
        }

        #[test]
        fn integers_and_floats_in_plain_form_read_back(i in any::<i64>(), x in -1e9_f64..1e9) {
            prop_assert_eq!(read(&i.to_string()), Yaml::Int(i));
            prop_assert_eq!(read(&format!("{x:?}")), Yaml::Float(x));
        }
    }
}
