//! The points of a PCD file: text, binary, or binary compressed.
//!
//! ```text
//! FIELDS x y z ... / SIZE 4 4 4 / TYPE F F F / COUNT 1 1 1 / WIDTH n / HEIGHT n / POINTS n / DATA ascii|binary|...
//! binary              rows of the fields, little-endian
//! binary_compressed   compressed u32, size u32, then LZF; unpacked, all x, then all y, ... (field by field)
//! ```
//!
//! The fields `x`, `y`, `z` are needed, once each. `VIEWPOINT` is where the sensor stood; points are not moved by it, as
//! in the library that defines the format. Counts are claims: nothing is reserved from them.

use super::bytes::array;
use super::error::CloudFileError;
use super::points::{CLOUD_BYTES_MAX, Lines, Number, PointFile};

/// A field of a row.
#[derive(Clone, Copy)]
struct Column {
    kind: Number,
    /// Bytes of the whole field.
    width: usize,
    /// Bytes before it in a row.
    offset: usize,
    /// Words before it in a row of text.
    words: usize,
}

struct Header<'a> {
    xyz: [Column; 3],
    row: usize,
    points: u64,
    data: &'a str,
}

/// The points in the bytes of a PCD file; `file` names it in errors.
///
/// # Errors
/// [`CloudFileError`].
pub fn read_pcd(bytes: &[u8], file: &str) -> Result<PointFile, CloudFileError> {
    let mut lines = Lines::new(bytes, file);
    let header = header(&mut lines)?;
    match header.data {
        "ascii" => text(&mut lines, &header),
        "binary" => {
            let present = (lines.rest.len() / header.row) as u64;
            if present < header.points {
                return Err(lines.data(short(header.points, present)));
            }
            let at = |column: &Column, index: usize| index * header.row + column.offset;
            Ok(cloud(lines.rest, &header, at))
        }
        "binary_compressed" => {
            let unpacked = unpack(&lines)?;
            let present = (unpacked.len() / header.row) as u64;
            if present < header.points {
                return Err(lines.data(short(header.points, present)));
            }
            // Field by field: a field begins behind the whole columns before it.
            let points = header.points as usize;
            let at = |column: &Column, index: usize| column.offset * points + index * column.width;
            Ok(cloud(&unpacked, &header, at))
        }
        other => Err(lines.refused_text("`DATA ascii`, `binary` or `binary_compressed`", other)),
    }
}

fn short(points: u64, present: u64) -> String {
    format!("cut short: the header says {points} points, there are bytes for {present}")
}

fn header<'a>(lines: &mut Lines<'a>) -> Result<Header<'a>, CloudFileError> {
    let (mut fields, mut sizes, mut kinds, mut counts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut width, mut height, mut points) = (None, None, None);
    let data = loop {
        let line = lines.header("`DATA`")?;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.split_ascii_whitespace();
        let key = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        let one = || match words.as_slice() {
            [word] => word.parse::<u64>().map_err(|_| lines.refused_text("one count", line)),
            _ => Err(lines.refused_text("one count", line)),
        };
        match key {
            "VERSION" | "VIEWPOINT" => {}
            "FIELDS" => fields = words,
            "SIZE" => sizes = words,
            "TYPE" => kinds = words,
            "COUNT" => counts = words,
            "WIDTH" => width = Some(one()?),
            "HEIGHT" => height = Some(one()?),
            "POINTS" => points = Some(one()?),
            "DATA" => break words.first().copied().unwrap_or_default(),
            _ => return Err(lines.refused_text("a key of a PCD header", line)),
        }
    };
    let n = fields.len();
    if sizes.len() != n || kinds.len() != n || !(counts.is_empty() || counts.len() == n) {
        let found = format!("{} sizes, {} types, {} counts", sizes.len(), kinds.len(), counts.len());
        return Err(lines.refused(&format!("SIZE, TYPE and COUNT of {n} fields"), &found));
    }
    let whole = width.zip(height).map(|(w, h): (u64, u64)| w.checked_mul(h));
    let points = match (points, whole) {
        (Some(points), None) => points,
        (None, Some(Some(whole))) => whole,
        (Some(points), Some(Some(whole))) if points == whole => points,
        _ => return Err(lines.refused("POINTS that are WIDTH times HEIGHT", "other numbers")),
    };
    let (xyz, row) = columns(lines, &fields, &sizes, &kinds, &counts)?;
    Ok(Header { xyz, row, points, data })
}

fn columns(
    lines: &Lines,
    fields: &[&str],
    sizes: &[&str],
    kinds: &[&str],
    counts: &[&str],
) -> Result<([Column; 3], usize), CloudFileError> {
    let mut xyz: [Option<Column>; 3] = [None; 3];
    let (mut row, mut words) = (0_usize, 0_usize);
    for (i, &field) in fields.iter().enumerate() {
        let number = match (kinds[i], sizes[i]) {
            ("I", "1") => Number::I8,
            ("I", "2") => Number::I16,
            ("I", "4") => Number::I32,
            ("I", "8") => Number::I64,
            ("U", "1") => Number::U8,
            ("U", "2") => Number::U16,
            ("U", "4") => Number::U32,
            ("U", "8") => Number::U64,
            ("F", "4") => Number::F32,
            ("F", "8") => Number::F64,
            (kind, size) => {
                let expected = format!("a type I, U or F and a size of it for field `{field}`");
                return Err(lines.refused_text(&expected, &format!("{kind} {size}")));
            }
        };
        let word = counts.get(i).copied().unwrap_or("1");
        let count: u16 = word.parse().map_err(|_| lines.refused_text("a count of at most 65535", word))?;
        let width = number.width() * usize::from(count);
        if let Some(axis) = ["x", "y", "z"].iter().position(|&axis| axis == field) {
            if count != 1 || xyz[axis].is_some() {
                return Err(lines.refused(&format!("field `{field}` once, with one number"), "more"));
            }
            xyz[axis] = Some(Column { kind: number, width, offset: row, words });
        }
        row += width;
        words += usize::from(count);
    }
    match xyz {
        [Some(x), Some(y), Some(z)] => Ok(([x, y, z], row)),
        _ => Err(lines.refused_text("fields x, y and z", &fields.join(" "))),
    }
}

fn text(lines: &mut Lines, header: &Header) -> Result<PointFile, CloudFileError> {
    let mut cloud = PointFile::default();
    let mut index = 0;
    while index < header.points {
        let Some(row) = lines.row() else {
            let reason =
                format!("cut short: the header says {} points, there are lines for {index}", header.points);
            return Err(lines.data(reason));
        };
        if row.is_empty() || row.starts_with(b"#") {
            continue;
        }
        let row = String::from_utf8_lossy(row);
        let values: Vec<&str> = row.split_ascii_whitespace().collect();
        let mut xyz = [0.0; 3];
        for (value, column) in xyz.iter_mut().zip(&header.xyz) {
            let number = values.get(column.words).and_then(|word| word.parse::<f64>().ok());
            *value = number.ok_or_else(|| lines.refused_text("a row of numbers as FIELDS says", &row))?;
        }
        cloud.push(xyz);
        index += 1;
    }
    Ok(cloud)
}

fn cloud(bytes: &[u8], header: &Header, at: impl Fn(&Column, usize) -> usize) -> PointFile {
    let mut cloud = PointFile::default();
    for index in 0..header.points as usize {
        cloud.push(
            header.xyz.map(|column| column.kind.at(bytes, at(&column, index), false).unwrap_or(f64::NAN)),
        );
    }
    cloud
}

fn unpack(lines: &Lines) -> Result<Vec<u8>, CloudFileError> {
    let sizes = array(lines.rest, 0).zip(array(lines.rest, 4));
    let Some((packed, size)) = sizes.map(|(p, s)| (u32::from_le_bytes(p), u32::from_le_bytes(s))) else {
        return Err(lines.data("cut short: no sizes before the compressed data".to_owned()));
    };
    if u64::from(size) > CLOUD_BYTES_MAX {
        return Err(lines.data(format!("unpacks to {size} bytes, expected at most {CLOUD_BYTES_MAX}")));
    }
    let body = lines.rest.get(8..).unwrap_or_default();
    let Some(packed_bytes) = body.get(..packed as usize) else {
        let reason = format!("cut short: {packed} compressed bytes are announced, there are {}", body.len());
        return Err(lines.data(reason));
    };
    match lzf(packed_bytes, size as usize) {
        Some(unpacked) if unpacked.len() == size as usize => Ok(unpacked),
        _ => Err(lines.data(format!("the compressed data do not unpack to the {size} bytes announced"))),
    }
}

/// LZF: a control byte below 32 copies that many bytes and one more from the input; else its upper three bits are a
/// length less 2 (7: one more byte to add), and its lower five with the next byte a distance back less 1.
fn lzf(packed: &[u8], size_max: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut at = 0;
    let take = |at: &mut usize| {
        let byte = packed.get(*at).copied();
        *at += 1;
        byte.map(usize::from)
    };
    while at < packed.len() {
        let control = take(&mut at)?;
        if control < 32 {
            out.extend_from_slice(packed.get(at..=at + control)?);
            at += control + 1;
        } else {
            let mut length = control >> 5;
            if length == 7 {
                length += take(&mut at)?;
            }
            let back = ((control & 31) << 8) + take(&mut at)? + 1;
            let from = out.len().checked_sub(back)?;
            // The copy may run into what it writes, which repeats it.
            for i in from..from + length + 2 {
                out.push(*out.get(i)?);
            }
        }
        if out.len() > size_max {
            return None;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::pose::Point;
    use proptest::prelude::*;

    fn with_header(points: u64, data: &str, body: &[u8]) -> Vec<u8> {
        let header = format!(
            "# .PCD v0.7\nVERSION 0.7\nFIELDS rgb x normal y z\nSIZE 4 8 4 4 4\nTYPE U F F F F\nCOUNT 1 1 3 1 1\n\
             WIDTH {points}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {points}\nDATA {data}\n"
        );
        [header.as_bytes(), body].concat()
    }

    const POINTS: [[f64; 3]; 3] = [[0.5, 1.5, -2.0], [0.25, f64::NAN, 0.0], [0.5, 1.5, 3.0]];

    fn expected() -> PointFile {
        PointFile { points: vec![Point::new(0.5, 1.5, -2.0), Point::new(0.5, 1.5, 3.0)], dropped: 1 }
    }

    fn rows() -> Vec<u8> {
        let row = |[x, y, z]: [f64; 3]| {
            let mut row = vec![9; 4];
            row.extend(x.to_le_bytes());
            row.extend([8; 12]);
            row.extend((y as f32).to_le_bytes());
            row.extend((z as f32).to_le_bytes());
            row
        };
        POINTS.into_iter().flat_map(row).collect()
    }

    /// Columns, packed with literals and with runs of one byte.
    fn compressed() -> Vec<u8> {
        let mut columns = vec![9_u8; 12];
        columns.extend(POINTS.iter().flat_map(|p| p[0].to_le_bytes()));
        columns.extend([8; 36]);
        columns.extend(POINTS.iter().flat_map(|p| (p[1] as f32).to_le_bytes()));
        columns.extend(POINTS.iter().flat_map(|p| (p[2] as f32).to_le_bytes()));
        let mut packed = vec![0, 9, 7 << 5, 2, 0];
        for piece in columns[12..36].chunks(32) {
            packed.push(piece.len() as u8 - 1);
            packed.extend(piece);
        }
        packed.extend([1, 8, 8, (7 << 5), 25, 1]);
        packed.push(23);
        packed.extend(&columns[72..]);
        let mut body = (packed.len() as u32).to_le_bytes().to_vec();
        body.extend((columns.len() as u32).to_le_bytes());
        body.extend(packed);
        body
    }

    #[test]
    fn text_binary_and_compressed_give_the_same_points() {
        let text = with_header(3, "ascii", b"1 0.5 0 0 1 1.5 -2\n\n1 0.25 0 0 1 nan 0\r\n1 .5 0 0 1 1.5 3");
        assert_eq!(read_pcd(&text, "a.pcd").unwrap(), expected());
        assert_eq!(read_pcd(&with_header(3, "binary", &rows()), "a.pcd").unwrap(), expected());
        let packed = with_header(3, "binary_compressed", &compressed());
        assert_eq!(read_pcd(&packed, "a.pcd").unwrap(), expected());
    }

    #[test]
    fn a_count_is_a_claim() {
        let error = |bytes: &[u8]| read_pcd(bytes, "a.pcd").unwrap_err().to_string();
        let most = u64::MAX;
        assert_eq!(
            error(&with_header(most, "binary", &rows())),
            format!("a.pcd: cut short: the header says {most} points, there are bytes for 3")
        );
        assert_eq!(
            error(&with_header(4, "ascii", b"1 0.5 0 0 1 1.5 -2\n")),
            "a.pcd: cut short: the header says 4 points, there are lines for 1"
        );
        assert!(error(&with_header(4, "binary_compressed", &compressed())).contains("there are bytes for 3"));
        let mut bomb = compressed();
        bomb[4..8].fill(255);
        assert!(error(&with_header(3, "binary_compressed", &bomb)).contains("expected at most"));
        let cut = compressed();
        assert!(error(&with_header(3, "binary_compressed", &cut[..cut.len() - 1])).contains("are announced"));
    }

    #[test]
    fn a_header_that_is_none_is_refused() {
        let error = |text: &str| read_pcd(text.as_bytes(), "a.pcd").unwrap_err().to_string();
        assert_eq!(error("hello\n"), "a.pcd:1: expected a key of a PCD header, found `hello`");
        assert!(error("").contains("found the end of the file"));
        let head = "FIELDS x y\nSIZE 4 4\nTYPE F F\nPOINTS 0\nDATA ascii\n";
        assert_eq!(error(head), "a.pcd:5: expected fields x, y and z, found `x y`");
        let none = head.replace("x y", "x y z").replace("4 4", "4 4 4").replace("F F", "F F F");
        assert_eq!(read_pcd(none.as_bytes(), "a.pcd").unwrap(), PointFile::default());
        assert!(error(&none.replace("4 4 4", "4 4 3")).contains("found `F 3`"));
        assert!(
            error(&none.replace("POINTS 0", "WIDTH 2\nHEIGHT 2\nPOINTS 3")).contains("WIDTH times HEIGHT")
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_answered(body in prop::collection::vec(any::<u8>(), 0..300), count in 0_u64..20) {
            for data in ["ascii", "binary", "binary_compressed"] {
                let _ = read_pcd(&with_header(count, data, &body), "a.pcd");
            }
            let _ = lzf(&body, 1 << 16);
            let _ = read_pcd(&body, "a.pcd");
        }
    }
}
