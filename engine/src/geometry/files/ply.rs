//! The vertices of a PLY file, text or binary of either byte order.
//!
//! ```text
//! ply / format ascii|binary_little_endian|binary_big_endian 1.0
//! element NAME COUNT / property TYPE NAME / property list TYPE TYPE NAME ... / end_header
//! ```
//!
//! The element `vertex` must have scalar `x`, `y`, `z`. Elements before it are stepped over, what follows is not read. The
//! reader is our own: counts are claims here, and nothing is reserved from them.

use super::error::CloudFileError;
use super::points::{Lines, Number, PointFile};

#[derive(Clone, Copy)]
enum Property {
    Scalar(Number),
    /// Type of the count, type of the items.
    List(Number, Number),
}

struct Element {
    name: String,
    count: u64,
    properties: Vec<(String, Property)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Format {
    Ascii,
    Binary { big_endian: bool },
}

/// The vertices in the bytes of a PLY file; `file` names it in errors.
///
/// # Errors
/// [`CloudFileError`].
pub fn read_ply(bytes: &[u8], file: &str) -> Result<PointFile, CloudFileError> {
    let mut lines = Lines::new(bytes, file);
    let (format, elements) = header(&mut lines)?;
    let mut cloud = PointFile::default();
    for element in &elements {
        let is_vertex = element.name == "vertex";
        let xyz = if is_vertex { Some(coordinates(element, &lines)?) } else { None };
        match format {
            Format::Ascii => text_rows(&mut lines, element, xyz, &mut cloud)?,
            Format::Binary { big_endian } => {
                let left = binary_rows(lines.rest, element, big_endian, xyz, &mut cloud);
                lines.rest = left.map_err(|row| {
                    let (name, count) = (&element.name, element.count);
                    lines.data(format!(
                        "cut short: the header says {count} of `{name}`, there are bytes for {row}"
                    ))
                })?;
            }
        }
        if is_vertex {
            return Ok(cloud);
        }
    }
    Err(lines.refused("an element `vertex`", "none"))
}

fn header(lines: &mut Lines) -> Result<(Format, Vec<Element>), CloudFileError> {
    let first = lines.header("`ply`")?;
    if first != "ply" {
        return Err(lines.refused_text("`ply`", first));
    }
    let mut format = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let expected = "`format`, `element`, `property` or `end_header`";
        let line = lines.header(expected)?;
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            [] | ["comment" | "obj_info", ..] => {}
            ["format", kind, "1.0"] => {
                format = Some(match *kind {
                    "ascii" => Format::Ascii,
                    "binary_little_endian" => Format::Binary { big_endian: false },
                    "binary_big_endian" => Format::Binary { big_endian: true },
                    _ => {
                        return Err(
                            lines.refused_text("ascii, binary_little_endian or binary_big_endian", kind)
                        );
                    }
                });
            }
            ["element", name, count] => {
                let count = count.parse().map_err(|_| lines.refused_text("a count", count))?;
                elements.push(Element { name: (*name).to_owned(), count, properties: Vec::new() });
            }
            ["property", kind @ .., name] => {
                let property = match kind {
                    [kind] => number(kind).map(Property::Scalar),
                    ["list", count, item] => number(count)
                        .filter(|count| !matches!(count, Number::F32 | Number::F64))
                        .zip(number(item))
                        .map(|(count, item)| Property::List(count, item)),
                    _ => None,
                };
                let property =
                    property.ok_or_else(|| lines.refused_text("a property of a known type", line))?;
                let Some(element) = elements.last_mut() else {
                    return Err(lines.refused_text("an element before its properties", line));
                };
                element.properties.push(((*name).to_owned(), property));
            }
            ["end_header"] => break,
            _ => return Err(lines.refused_text(expected, line)),
        }
    }
    let format = format.ok_or_else(|| lines.refused("a line `format ... 1.0` in the header", "none"))?;
    Ok((format, elements))
}

fn number(name: &str) -> Option<Number> {
    Some(match name {
        "char" | "int8" => Number::I8,
        "uchar" | "uint8" => Number::U8,
        "short" | "int16" => Number::I16,
        "ushort" | "uint16" => Number::U16,
        "int" | "int32" => Number::I32,
        "uint" | "uint32" => Number::U32,
        "float" | "float32" => Number::F32,
        "double" | "float64" => Number::F64,
        _ => return None,
    })
}

/// Which properties of the element are x, y, z.
fn coordinates(element: &Element, lines: &Lines) -> Result<[usize; 3], CloudFileError> {
    let mut found = [0; 3];
    for (place, axis) in found.iter_mut().zip(["x", "y", "z"]) {
        let is =
            |(name, property): &(String, Property)| name == axis && matches!(property, Property::Scalar(_));
        *place = element.properties.iter().position(is).ok_or_else(|| {
            lines.refused(&format!("a number `{axis}` among the properties of `vertex`"), "none")
        })?;
    }
    Ok(found)
}

fn text_rows(
    lines: &mut Lines,
    element: &Element,
    xyz: Option<[usize; 3]>,
    cloud: &mut PointFile,
) -> Result<(), CloudFileError> {
    let mut values = Vec::with_capacity(element.properties.len());
    for index in 0..element.count {
        let Some(row) = lines.row() else {
            let (name, count) = (&element.name, element.count);
            return Err(lines.data(format!(
                "cut short: the header says {count} of `{name}`, there are lines for {index}"
            )));
        };
        let Some(xyz) = xyz else { continue };
        let row = String::from_utf8_lossy(row);
        let mut words = row.split_ascii_whitespace();
        values.clear();
        for (_, property) in &element.properties {
            let mut next = || words.next()?.parse::<f64>().ok();
            let value = next();
            // A list is stepped over; its items are bounded by the words of the line.
            if let (Property::List(..), Some(items)) = (property, value)
                && items > 0.0
                && !(0..items as u64).all(|_| next().is_some())
            {
                return Err(lines.refused_text("a row of numbers as the header says", &row));
            }
            let value =
                value.ok_or_else(|| lines.refused_text("a row of numbers as the header says", &row))?;
            values.push(value);
        }
        cloud.push(xyz.map(|i| values.get(i).copied().unwrap_or(f64::NAN)));
    }
    Ok(())
}

/// What follows the rows of an element, or how many whole rows there are.
fn binary_rows<'a>(
    bytes: &'a [u8],
    element: &Element,
    big_endian: bool,
    xyz: Option<[usize; 3]>,
    cloud: &mut PointFile,
) -> Result<&'a [u8], u64> {
    // Rows without a byte: any count of them is nothing, and none is worth a loop.
    if element.properties.is_empty() {
        return Ok(bytes);
    }
    let mut at = 0_usize;
    let mut offsets = vec![0_usize; element.properties.len()];
    for index in 0..element.count {
        for ((_, property), offset) in element.properties.iter().zip(&mut offsets) {
            *offset = at;
            at = match *property {
                Property::Scalar(number) => at.checked_add(number.width()).ok_or(index)?,
                Property::List(count, item) => {
                    let items = count.at(bytes, at, big_endian).filter(|&n| n >= 0.0).ok_or(index)?;
                    let length = (items as usize).checked_mul(item.width()).ok_or(index)?;
                    at.checked_add(count.width()).and_then(|at| at.checked_add(length)).ok_or(index)?
                }
            };
        }
        if at > bytes.len() {
            return Err(index);
        }
        if let Some(xyz) = xyz {
            cloud.push(xyz.map(|i| match element.properties.get(i) {
                Some((_, Property::Scalar(number))) => {
                    number.at(bytes, offsets[i], big_endian).unwrap_or(f64::NAN)
                }
                _ => f64::NAN,
            }));
        }
    }
    Ok(bytes.get(at..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::pose::Point;
    use proptest::prelude::*;

    fn with_header(format: &str, vertices: u64, body: &[u8]) -> Vec<u8> {
        let header = format!(
            "ply\nformat {format} 1.0\ncomment made\nelement camera 1\nproperty list uchar short marks\n\
             element vertex {vertices}\nproperty uchar red\nproperty double x\nproperty list uchar int of\n\
             property float y\nproperty float z\nelement face 9\nproperty list uchar int i\nend_header\n"
        );
        [header.as_bytes(), body].concat()
    }

    fn binary_body(big_endian: bool) -> Vec<u8> {
        fn put<const N: usize>(out: &mut Vec<u8>, mut little: [u8; N], big_endian: bool) {
            if big_endian {
                little.reverse();
            }
            out.extend(little);
        }
        let mut out = vec![2, 0, 0, 0, 0];
        for [x, y, z] in [[0.5, 1.5, -2.0], [1e300, f64::NAN, 0.0]] {
            out.push(7);
            put(&mut out, f64::to_le_bytes(x), big_endian);
            out.push(1);
            put(&mut out, 77_i32.to_le_bytes(), big_endian);
            put(&mut out, (y as f32).to_le_bytes(), big_endian);
            put(&mut out, (z as f32).to_le_bytes(), big_endian);
        }
        out
    }

    #[test]
    fn text_and_both_binary_orders_give_the_same_points() {
        let expected = PointFile { points: vec![Point::new(0.5, 1.5, -2.0)], dropped: 1 };
        let text = with_header("ascii", 2, b"2 0 0\n7 0.5 1 77 1.5 -2\r\n7 1e300 1 77 nan 0\n");
        assert_eq!(read_ply(&text, "a.ply").unwrap(), expected);
        for (format, big_endian) in [("binary_little_endian", false), ("binary_big_endian", true)] {
            let bytes = with_header(format, 2, &binary_body(big_endian));
            assert_eq!(read_ply(&bytes, "a.ply").unwrap(), expected);
        }
    }

    #[test]
    fn a_count_is_a_claim() {
        let error = |bytes: &[u8]| read_ply(bytes, "a.ply").unwrap_err().to_string();
        let claims = with_header("binary_little_endian", u64::MAX, &binary_body(false));
        assert_eq!(
            error(&claims),
            "a.ply: cut short: the header says 18446744073709551615 of `vertex`, there are bytes for 2"
        );
        let text = with_header("ascii", 3, b"0\n7 0.5 0 1.5 -2\n");
        assert_eq!(error(&text), "a.ply: cut short: the header says 3 of `vertex`, there are lines for 1");
        let list = with_header("ascii", 1, b"0\n7 0.5 99999999999 1.5 -2\n");
        assert!(error(&list).starts_with("a.ply:16: expected a row of numbers"), "{}", error(&list));
    }

    #[test]
    fn a_header_that_is_none_is_refused_with_its_line() {
        let error = |text: &str| read_ply(text.as_bytes(), "a.ply").unwrap_err().to_string();
        assert_eq!(error("plyx\n"), "a.ply:1: expected `ply`, found `plyx`");
        assert_eq!(
            error("ply\nproperty float x\n"),
            "a.ply:2: expected an element before its properties, found `property float x`"
        );
        assert!(error("ply\nelement vertex -1\n").starts_with("a.ply:2: expected a count"));
        assert!(
            error("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n")
                .contains("a number `y`")
        );
        assert!(error("ply\nend_header\n").contains("a line `format"));
        assert!(error("ply\nformat ascii 1.0\nend_header\n").contains("an element `vertex`"));
        assert!(error("ply\nformat ascii 1.0\n").contains("found the end of the file"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_answered(body in prop::collection::vec(any::<u8>(), 0..300), count in any::<u64>(), big in any::<bool>()) {
            let format = if big { "binary_big_endian" } else { "binary_little_endian" };
            let _ = read_ply(&with_header(format, count, &body), "a.ply");
            let _ = read_ply(&with_header("ascii", count, &body), "a.ply");
            let _ = read_ply(&body, "a.ply");
        }
    }
}
