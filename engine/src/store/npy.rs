//! One `.npy` member: header and values, to and from [`Array`].
//!
//! Format: NumPy enhancement proposal 1 (versions 1.0 to 3.0): magic, version, header length, a Python
//! dict literal with `descr`, `fortran_order` and `shape`, then the raw values. Both byte orders and both
//! memory orders are read; C order, little endian, version 1.0 is written, so equal arrays give equal
//! bytes. Sizes are checked against the bytes that are there before anything is allocated.
//!
//! Own code because the reader must learn the dtype from the file, hold text arrays and never trust a
//! declared length; `ndarray-npy` 0.10 wants the type beforehand, has no text, and allocates what the
//! header says.

use super::arrays::{Array, Data};

const MAGIC: &[u8] = b"\x93NUMPY";
/// NumPy's own limit on a header it will evaluate.
const MAX_HEADER: usize = 10_000;
const MAX_DIMENSIONS: usize = 32;

/// Parses a whole member.
///
/// # Errors
/// What is wrong, in words; the caller adds file and array.
pub fn parse(bytes: &[u8]) -> Result<Array, String> {
    let (header, values) = split(bytes)?;
    let header = Header::parse(header)?;
    let data = values_of(header.kind, &header.descr, &header.shape, values, header.big_endian)?;
    let data = if header.fortran_order && header.shape.len() > 1 {
        let order = c_order_of_fortran(&header.shape);
        permute(data, &order)
    } else {
        data
    };
    Ok(Array { shape: header.shape, data })
}

/// Writes a member: version 1.0, little endian, C order.
pub fn format(array: &Array) -> Vec<u8> {
    let width = match &array.data {
        Data::Text(v) => v.iter().map(|s| s.chars().count()).max().unwrap_or(0).max(1),
        _ => 0,
    };
    let descr = match &array.data {
        Data::Text(_) => format!("<U{width}"),
        data => data.dtype().to_owned(),
    };
    let shape = match array.shape.as_slice() {
        [n] => format!("({n},)"),
        dims => format!("({})", dims.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version, length, header and newline together fill whole 64-byte lines.
    while !(MAGIC.len() + 4 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut out = MAGIC.to_vec();
    out.extend([1, 0]);
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    raw_values(&array.data, width, &mut out);
    out
}

/// Appends the raw little-endian values; `width` is the number of code points a text takes.
pub fn raw_values(data: &Data, width: usize, out: &mut Vec<u8>) {
    match data {
        Data::F64(v) => v.iter().for_each(|x| out.extend(x.to_le_bytes())),
        Data::F32(v) => v.iter().for_each(|x| out.extend(x.to_le_bytes())),
        Data::I64(v) => v.iter().for_each(|x| out.extend(x.to_le_bytes())),
        Data::I32(v) => v.iter().for_each(|x| out.extend(x.to_le_bytes())),
        Data::I16(v) => v.iter().for_each(|x| out.extend(x.to_le_bytes())),
        Data::I8(v) => v.iter().for_each(|x| out.extend(x.to_le_bytes())),
        Data::U8(v) => out.extend(v),
        Data::Bool(v) => out.extend(v.iter().map(|&b| u8::from(b))),
        Data::Text(v) => {
            for text in v {
                let mut written = 0;
                for c in text.chars().take(width) {
                    out.extend(u32::from(c).to_le_bytes());
                    written += 1;
                }
                out.resize(out.len() + 4 * (width - written), 0);
            }
        }
    }
}

/// An array from its NumPy type string, shape and raw C-order values.
///
/// # Errors
/// What does not fit, in words.
pub fn from_raw(descr: &str, shape: &[usize], values: &[u8]) -> Result<Array, String> {
    let (big_endian, kind) = kind_of(descr)?;
    let data = values_of(kind, descr, shape, values, big_endian)?;
    Ok(Array { shape: shape.to_vec(), data })
}

/// Decodes the values after comparing their size with the shape.
fn values_of(kind: Kind, descr: &str, shape: &[usize], values: &[u8], big: bool) -> Result<Data, String> {
    let size = shape
        .iter()
        .try_fold(kind.width(), |n, &d| n.checked_mul(d))
        .ok_or_else(|| format!("shape {shape:?} overflows"))?;
    if values.len() != size {
        return Err(format!(
            "holds {} bytes of values, shape {shape:?} of {descr} needs {size}",
            values.len()
        ));
    }
    kind.decode(values, big)
}

/// Header text and value bytes.
fn split(bytes: &[u8]) -> Result<(&str, &[u8]), String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("no NumPy magic")?;
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        [major, minor, ..] => return Err(format!("format version {major}.{minor} is not known")),
        _ => return Err("cut short in the header".to_owned()),
    };
    if length > MAX_HEADER {
        return Err(format!("header of {length} bytes, at most {MAX_HEADER} are read"));
    }
    let header = rest.get(..length).ok_or("cut short in the header")?;
    Ok((std::str::from_utf8(header).map_err(|_| "header is not text")?, &rest[length..]))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    F64,
    F32,
    I64,
    I32,
    I16,
    I8,
    U64,
    U32,
    U16,
    U8,
    Bool,
    /// UTF-32, this many code points.
    Unicode(usize),
    /// Bytes, this many.
    Bytes(usize),
}

impl Kind {
    fn width(self) -> usize {
        match self {
            Self::F64 | Self::I64 | Self::U64 => 8,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::I16 | Self::U16 => 2,
            Self::I8 | Self::U8 | Self::Bool => 1,
            Self::Unicode(n) => n.saturating_mul(4),
            Self::Bytes(n) => n,
        }
    }

    fn decode(self, bytes: &[u8], big: bool) -> Result<Data, String> {
        macro_rules! numbers {
            ($t:ty) => {
                bytes
                    .chunks_exact(size_of::<$t>())
                    .map(|c| {
                        let mut raw = [0; size_of::<$t>()];
                        raw.copy_from_slice(c);
                        if big { <$t>::from_be_bytes(raw) } else { <$t>::from_le_bytes(raw) }
                    })
                    .collect::<Vec<$t>>()
            };
        }
        Ok(match self {
            Self::F64 => Data::F64(numbers!(f64)),
            Self::F32 => Data::F32(numbers!(f32)),
            Self::I64 => Data::I64(numbers!(i64)),
            Self::I32 => Data::I32(numbers!(i32)),
            Self::I16 => Data::I16(numbers!(i16)),
            Self::I8 => Data::I8(numbers!(i8)),
            Self::U64 => Data::I64(
                numbers!(u64)
                    .into_iter()
                    .map(|x| i64::try_from(x).map_err(|_| format!("value {x} is above the 63-bit range")))
                    .collect::<Result<_, _>>()?,
            ),
            Self::U32 => Data::I64(numbers!(u32).into_iter().map(i64::from).collect()),
            Self::U16 => Data::I32(numbers!(u16).into_iter().map(i32::from).collect()),
            Self::U8 => Data::U8(bytes.to_vec()),
            Self::Bool => Data::Bool(bytes.iter().map(|&b| b != 0).collect()),
            Self::Unicode(0) | Self::Bytes(0) => return Err("text of width 0".to_owned()),
            Self::Unicode(_) => {
                let code_points = numbers!(u32);
                let text = code_points.chunks_exact(self.width() / 4).map(|c| {
                    let end = c.iter().rposition(|&x| x != 0).map_or(0, |p| p + 1);
                    c[..end]
                        .iter()
                        .map(|&x| char::from_u32(x).ok_or_else(|| format!("{x:#x} is not a character")))
                        .collect::<Result<String, _>>()
                });
                Data::Text(text.collect::<Result<_, _>>()?)
            }
            Self::Bytes(n) => {
                let text = bytes.chunks_exact(n).map(|c| {
                    let end = c.iter().rposition(|&x| x != 0).map_or(0, |p| p + 1);
                    String::from_utf8(c[..end].to_vec()).map_err(|_| "text is not UTF-8".to_owned())
                });
                Data::Text(text.collect::<Result<_, _>>()?)
            }
        })
    }
}

struct Header {
    descr: String,
    kind: Kind,
    big_endian: bool,
    fortran_order: bool,
    shape: Vec<usize>,
}

impl Header {
    fn parse(text: &str) -> Result<Self, String> {
        let mut cursor = Cursor { rest: text.trim_end() };
        let (mut descr, mut order, mut shape) = (None, None, None);
        cursor.expect('{')?;
        while !cursor.take('}') {
            let key = cursor.quoted()?;
            cursor.expect(':')?;
            match key.as_str() {
                "descr" => descr = Some(cursor.quoted()?),
                "fortran_order" => order = Some(cursor.boolean()?),
                "shape" => shape = Some(cursor.tuple()?),
                other => return Err(format!("unknown header field {other:?}")),
            }
            if !cursor.take(',') {
                cursor.expect('}')?;
                break;
            }
        }
        if !cursor.rest.trim().is_empty() {
            return Err("text after the header".to_owned());
        }
        let descr = descr.ok_or("header has no `descr`")?;
        let (big_endian, kind) = kind_of(&descr)?;
        Ok(Self {
            descr,
            kind,
            big_endian,
            fortran_order: order.ok_or("header has no `fortran_order`")?,
            shape: shape.ok_or("header has no `shape`")?,
        })
    }
}

fn kind_of(descr: &str) -> Result<(bool, Kind), String> {
    let refused = || format!("dtype {descr:?} is not read");
    let (order, name) = match descr.chars().next() {
        Some(c @ ('<' | '>' | '|' | '=')) => (c, &descr[1..]),
        _ => ('|', descr),
    };
    let wide = |prefix: char| name.strip_prefix(prefix).and_then(|n| n.parse::<usize>().ok());
    let kind = match name {
        "f8" => Kind::F64,
        "f4" => Kind::F32,
        "i8" => Kind::I64,
        "i4" => Kind::I32,
        "i2" => Kind::I16,
        "i1" => Kind::I8,
        "u8" => Kind::U64,
        "u4" => Kind::U32,
        "u2" => Kind::U16,
        "u1" => Kind::U8,
        "b1" | "?" => Kind::Bool,
        _ => match (wide('U'), wide('S')) {
            (Some(n), _) => Kind::Unicode(n),
            (_, Some(n)) => Kind::Bytes(n),
            _ => return Err(refused()),
        },
    };
    Ok((order == '>', kind))
}

/// Reads the Python literal of a header.
struct Cursor<'a> {
    rest: &'a str,
}

impl Cursor<'_> {
    fn take(&mut self, c: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, c: char) -> Result<(), String> {
        if self.take(c) { Ok(()) } else { Err(format!("header: expected {c:?} before {:?}", self.near())) }
    }

    fn near(&self) -> String {
        self.rest.chars().take(16).collect()
    }

    fn quoted(&mut self) -> Result<String, String> {
        let quote = if self.take('\'') { '\'' } else { self.expect('"').map(|()| '"')? };
        let (text, rest) = self.rest.split_once(quote).ok_or("header: text without an end")?;
        self.rest = rest;
        Ok(text.to_owned())
    }

    fn boolean(&mut self) -> Result<bool, String> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(format!("header: expected True or False before {:?}", self.near()))
    }

    fn tuple(&mut self) -> Result<Vec<usize>, String> {
        self.expect('(')?;
        let mut shape = Vec::new();
        while !self.take(')') {
            self.rest = self.rest.trim_start();
            let digits = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
            let number = self.rest[..digits]
                .parse::<usize>()
                .map_err(|_| format!("header: expected a length before {:?}", self.near()))?;
            self.rest = &self.rest[digits..];
            self.take('L');
            shape.push(number);
            if shape.len() > MAX_DIMENSIONS {
                return Err(format!("more than {MAX_DIMENSIONS} dimensions"));
            }
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }
}

/// For each C-order position, the Fortran-order position of the same element.
fn c_order_of_fortran(shape: &[usize]) -> Vec<usize> {
    let count: usize = shape.iter().product();
    let mut order = Vec::with_capacity(count);
    let mut index = vec![0; shape.len()];
    for _ in 0..count {
        let position = shape.iter().zip(&index).rev().fold(0, |p, (&n, &i)| p * n + i);
        order.push(position);
        for d in (0..shape.len()).rev() {
            index[d] += 1;
            if index[d] < shape[d] {
                break;
            }
            index[d] = 0;
        }
    }
    order
}

fn permute(data: Data, order: &[usize]) -> Data {
    fn by<T: Clone>(values: &[T], order: &[usize]) -> Vec<T> {
        order.iter().map(|&p| values[p].clone()).collect()
    }
    match data {
        Data::F64(v) => Data::F64(by(&v, order)),
        Data::F32(v) => Data::F32(by(&v, order)),
        Data::I64(v) => Data::I64(by(&v, order)),
        Data::I32(v) => Data::I32(by(&v, order)),
        Data::I16(v) => Data::I16(by(&v, order)),
        Data::I8(v) => Data::I8(by(&v, order)),
        Data::U8(v) => Data::U8(by(&v, order)),
        Data::Bool(v) => Data::Bool(by(&v, order)),
        Data::Text(v) => Data::Text(by(&v, order)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn member(descr: &str, fortran: bool, shape: &str, values: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let mut out = MAGIC.to_vec();
        out.extend([1, 0]);
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(values);
        out
    }

    #[test]
    fn fortran_order_and_byte_order_do_not_change_values() {
        // numpy.asfortranarray([[1, 2, 3], [4, 5, 6]], dtype='>i2')
        let bytes = [0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6];
        let array = parse(&member(">i2", true, "(2, 3)", &bytes)).unwrap();
        assert_eq!(array, Array { shape: vec![2, 3], data: Data::I16(vec![1, 2, 3, 4, 5, 6]) });
    }

    #[test]
    fn text_is_read_from_both_numpy_kinds() {
        let mut utf32 = Vec::new();
        for c in "hé\0\0".chars() {
            utf32.extend(u32::from(c).to_le_bytes());
        }
        assert_eq!(parse(&member("<U4", false, "()", &utf32)).unwrap().data, Data::Text(vec!["hé".into()]));
        assert_eq!(
            parse(&member("|S3", false, "(2,)", b"ab\0xyz")).unwrap().data,
            Data::Text(vec!["ab".into(), "xyz".into()])
        );
    }

    #[test]
    fn hostile_members_are_refused_before_anything_is_allocated() {
        let reason = |bytes: &[u8]| parse(bytes).unwrap_err();
        assert!(reason(&member("<f8", false, "(4611686018427387904, 4)", &[])).contains("overflows"));
        assert!(reason(&member("<f8", false, "(99999999999,)", &[0; 8])).contains("holds 8 bytes"));
        assert!(reason(&member("|O", false, "(1,)", &[0; 8])).contains("dtype \"|O\""));
        assert!(reason(&member("<U0", false, "(0,)", &[])).contains("width 0"));
        assert!(reason(&member("<U1", false, "(1,)", &[0, 0, 0x11, 0])).contains("not a character"));
        assert!(reason(b"PK").contains("magic"));
        assert!(reason(b"\x93NUMPY\x09\x00\x00\x00").contains("version 9.0"));
        assert!(reason(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").contains("at most"));
        assert!(reason(b"\x93NUMPY\x01\x00\x50\x00{'descr'").contains("cut short"));
        assert!(reason(&member("<f8", false, "(1, -1)", &[])).contains("expected a length"));
    }

    proptest! {
        #[test]
        fn arrays_survive_a_round_trip(
            rows in 0_usize..5, columns in 0_usize..5, seed in any::<u64>(), kind in 0_u8..9,
        ) {
            let values: Vec<u64> = (0..rows * columns).map(|i| seed.wrapping_mul(i as u64 + 1)).collect();
            let data = match kind {
                0 => Data::F64(values.iter().map(|&v| v as f64 * 0.1).collect()),
                1 => Data::F32(values.iter().map(|&v| v as f32).collect()),
                2 => Data::I64(values.iter().map(|&v| v as i64).collect()),
                3 => Data::I32(values.iter().map(|&v| v as i32).collect()),
                4 => Data::I16(values.iter().map(|&v| v as i16).collect()),
                5 => Data::I8(values.iter().map(|&v| v as i8).collect()),
                6 => Data::U8(values.iter().map(|&v| v as u8).collect()),
                7 => Data::Bool(values.iter().map(|&v| v % 2 == 0).collect()),
                _ => Data::Text(values.iter().map(|&v| format!("task {}", v % 1000)).collect()),
            };
            let array = Array { shape: vec![rows, columns], data };
            prop_assert_eq!(parse(&format(&array)).unwrap(), array);
        }

        #[test]
        fn any_bytes_are_answered_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
            let mut prefixed = MAGIC.to_vec();
            prefixed.extend(&bytes);
            let _ = parse(&prefixed);
        }
    }
}
