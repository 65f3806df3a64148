//! STL, binary and text.
//!
//! ```text
//! binary   80 bytes, count u32, count x (normal 3 f32, corners 9 f32, attribute u16), little-endian
//! text     solid [name] { facet normal x y z  outer loop  3 x (vertex x y z)  endloop  endfacet } endsolid [name]
//! ```
//!
//! A file of exactly `84 + 50 count` bytes is binary even when it begins with `solid`, as many exporters write it; else
//! one that begins with `solid` and holds no NUL byte is text; else binary. All solids of a text are one mesh. Normals
//! are not read: they follow from the corners. Coordinates are f32 in a binary file and are widened exactly.
//!
//! Bytes after the last counted facet are not read and are counted in [`MeshFile::surplus_bytes`], because exporters
//! append colours and padding. Fewer bytes than counted are refused: a partial mesh would understate every number.
//!
//! The reader is our own: a refusal has to carry the facet and both counts, and no reader may allocate from the count.

use super::bytes::{array, shown};
use super::error::MeshFileError;
use super::mesh::MeshFile;
use crate::geometry::mesh::{MeshError, TriangleMesh};
use crate::geometry::pose::Point;

/// What some editors put before text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const HEADER: usize = 80;
const FACETS_AT: usize = HEADER + 4;
const FACET: usize = 50;

/// The mesh in the bytes of an STL file; `file` names it in errors.
///
/// # Errors
/// [`MeshFileError`].
pub fn read_stl(bytes: &[u8], file: &str) -> Result<MeshFile, MeshFileError> {
    if bytes.is_empty() {
        return Err(MeshFileError::Empty { file: file.to_owned() });
    }
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let count = array(bytes, HEADER).map(u32::from_le_bytes);
    let exact = count.is_some_and(|n| bytes.len() as u64 == FACETS_AT as u64 + FACET as u64 * u64::from(n));
    if !exact && looks_like_text(bytes) {
        return Ok(MeshFile { mesh: text(bytes, file)?, surplus_bytes: 0 });
    }
    binary(bytes, count, file)
}

fn looks_like_text(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) && !bytes.contains(&0)
}

fn binary(bytes: &[u8], count: Option<u32>, file: &str) -> Result<MeshFile, MeshFileError> {
    let no_triangles = |detail: String| MeshFileError::NoTriangles { file: file.to_owned(), detail };
    let Some(declared) = count else {
        let detail = if bytes.len() < HEADER {
            format!("{} bytes, and neither a text nor a header of {HEADER} bytes", bytes.len())
        } else {
            format!("{} bytes: a header without a count", bytes.len())
        };
        return Err(no_triangles(detail));
    };
    let body = bytes.get(FACETS_AT..).unwrap_or_default();
    let present = (body.len() / FACET) as u64;
    if declared == 0 {
        return Err(no_triangles(format!("the count says 0, there are bytes for {present}")));
    }
    // Junk behind the last facet is not read; whole facets there mean that the count is wrong.
    if present != u64::from(declared) {
        return Err(MeshFileError::Count { file: file.to_owned(), declared, present });
    }
    let (facets, _) = body.as_chunks::<FACET>();
    let mesh = TriangleMesh::weld(facets.iter().take(declared as usize).map(corners));
    Ok(MeshFile {
        mesh: mesh.map_err(|source| MeshFileError::Mesh { file: file.to_owned(), source })?,
        surplus_bytes: (body.len() - declared as usize * FACET) as u64,
    })
}

/// The corners of a facet, which stand behind its normal.
fn corners(facet: &[u8; FACET]) -> [Point; 3] {
    let number = |i: usize| array(facet, 12 + 4 * i).map_or(f64::NAN, |b| f64::from(f32::from_le_bytes(b)));
    [0, 3, 6].map(|i| Point::new(number(i), number(i + 1), number(i + 2)))
}

/// Where in a text the reader stands.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Outside,
    Solid,
    Facet,
    Loop,
    LoopEnded,
}

impl State {
    fn expects(self) -> &'static str {
        match self {
            Self::Outside => "`solid`",
            Self::Solid => "`facet` or `endsolid`",
            Self::Facet => "`outer loop`",
            Self::Loop => "`vertex` with three numbers, three times, then `endloop`",
            Self::LoopEnded => "`endfacet`",
        }
    }
}

fn text(bytes: &[u8], file: &str) -> Result<TriangleMesh, MeshFileError> {
    let mut state = State::Outside;
    let mut loop_corners: Vec<Point> = Vec::with_capacity(3);
    let mut facets: Vec<[Point; 3]> = Vec::new();
    let mut last_line = 1;
    for (index, raw) in bytes.split(|&b| b == b'\n').enumerate() {
        let line = String::from_utf8_lossy(raw);
        let lower = line.to_ascii_lowercase();
        let mut words = lower.split_ascii_whitespace();
        let Some(first) = words.next() else { continue };
        last_line = index + 1;
        let next = match (state, first) {
            (State::Outside, "solid") => Some(State::Solid),
            (State::Solid, "endsolid") => Some(State::Outside),
            (State::Solid, "facet") => Some(State::Facet),
            (State::Facet, "outer") if words.next() == Some("loop") => Some(State::Loop),
            (State::Loop, "vertex") if loop_corners.len() < 3 => match numbers(words) {
                Some(corner) => {
                    loop_corners.push(corner);
                    Some(State::Loop)
                }
                None => None,
            },
            (State::Loop, "endloop") if loop_corners.len() == 3 => Some(State::LoopEnded),
            (State::LoopEnded, "endfacet") => {
                facets.extend(<[Point; 3]>::try_from(loop_corners.as_slice()));
                loop_corners.clear();
                Some(State::Solid)
            }
            _ => None,
        };
        let Some(next) = next else {
            return Err(refused(file, index + 1, state, shown(&line)));
        };
        state = next;
    }
    if state == State::Solid && facets.is_empty() {
        // Robot packages ship a bare binary header for virtual links, and some begin it with `solid`.
        let bare = (HEADER..FACETS_AT).contains(&bytes.len());
        let detail = if bare { "a header without a count" } else { "a text that ends before a facet" };
        let detail = format!("{} bytes: {detail}", bytes.len());
        return Err(MeshFileError::NoTriangles { file: file.to_owned(), detail });
    }
    if state != State::Outside {
        return Err(refused(file, last_line, state, "the end of the file".to_owned()));
    }
    TriangleMesh::weld(facets).map_err(|source| match source {
        MeshError::NoTriangles => {
            MeshFileError::NoTriangles { file: file.to_owned(), detail: "a text without a facet".to_owned() }
        }
        source => MeshFileError::Mesh { file: file.to_owned(), source },
    })
}

/// Exactly three numbers; NaN and infinity pass here and are refused with their facet.
fn numbers<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Point> {
    let mut next = || words.next()?.parse::<f64>().ok();
    let point = Point::new(next()?, next()?, next()?);
    words.next().is_none().then_some(point)
}

fn refused(file: &str, line: usize, state: State, found: String) -> MeshFileError {
    MeshFileError::Line { file: file.to_owned(), line, expected: state.expects().to_owned(), found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fmt::Write as _;

    fn facet_bytes(corners: [[f32; 3]; 3]) -> Vec<u8> {
        let numbers = [0.0_f32; 3].into_iter().chain(corners.into_iter().flatten());
        numbers.flat_map(f32::to_le_bytes).chain([0, 0]).collect()
    }

    fn binary_bytes(header: &[u8], facets: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(HEADER, b' ');
        bytes.extend((facets.len() as u32).to_le_bytes());
        bytes.extend(facets.iter().flat_map(|&facet| facet_bytes(facet)));
        bytes
    }

    const TETRAHEDRON: [[[f32; 3]; 3]; 4] = {
        let [o, x, y, z] = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
        [[o, y, x], [o, x, z], [o, z, y], [x, y, z]]
    };

    fn as_text(facets: &[[[f32; 3]; 3]], name: &str) -> String {
        let mut text = format!("solid {name}\n");
        for facet in facets {
            text += " facet normal 0 0 nan\n  outer loop\n";
            for [x, y, z] in facet {
                // The widened value, so that text and binary hold the same number.
                let [x, y, z] = [x, y, z].map(|&v| f64::from(v));
                write!(text, "   vertex {x} {y:e} {z}\r\n").unwrap();
            }
            text += "  endloop\n endfacet\n";
        }
        text + &format!("endsolid {name}\n")
    }

    #[test]
    fn a_binary_file_that_begins_with_solid_is_binary_and_equals_its_text() {
        let mesh = read_stl(&binary_bytes(b"solid exported", &TETRAHEDRON), "a.stl").unwrap();
        assert_eq!((mesh.mesh.vertices().len(), mesh.mesh.triangles().len()), (4, 4));
        assert_eq!(mesh.mesh.vertices()[1].y, f64::from(0.1_f32));
        assert!(mesh.mesh.condition().watertight());
        let text = read_stl(as_text(&TETRAHEDRON, "t").as_bytes(), "a.stl").unwrap();
        assert_eq!(text, mesh);
    }

    #[test]
    fn all_solids_of_a_text_are_one_mesh() {
        let two = as_text(&TETRAHEDRON[..2], "a") + "\n" + &as_text(&TETRAHEDRON[2..], "b").to_uppercase();
        let mesh = read_stl(two.as_bytes(), "a.stl").unwrap().mesh;
        assert_eq!(mesh.triangles().len(), 4);
        assert!(mesh.condition().watertight());
    }

    #[test]
    fn bytes_after_the_last_facet_are_counted_and_fewer_are_refused() {
        let whole = binary_bytes(b"x", &TETRAHEDRON);
        let mut more = whole.clone();
        more.extend([7; 49]);
        let file = read_stl(&more, "a.stl").unwrap();
        assert_eq!((file.mesh.triangles().len(), file.surplus_bytes), (4, 49));
        more.push(7);
        let error = read_stl(&more, "a.stl").unwrap_err();
        assert_eq!(error.to_string(), "a.stl: the count says 4 facets, there are bytes for 5");
        let error = read_stl(&whole[..whole.len() - 1], "a.stl").unwrap_err();
        assert_eq!(error.to_string(), "a.stl: cut short: the count says 4 facets, there are bytes for 3");
    }

    #[test]
    fn a_text_that_stops_or_strays_is_refused_with_its_line() {
        let text = as_text(&TETRAHEDRON, "t");
        let error = |text: &str| read_stl(text.as_bytes(), "a.stl").unwrap_err().to_string();
        assert_eq!(
            error(text.trim_end_matches("endsolid t\n")),
            "a.stl:29: expected `facet` or `endsolid`, found the end of the file"
        );
        assert_eq!(
            error(&text.replacen("vertex 0 0e0 0", "vertex 0 0,0 0", 1)),
            "a.stl:4: expected `vertex` with three numbers, three times, then `endloop`, \
             found `vertex 0 0,0 0`"
        );
        assert!(error(&text.replacen("vertex 0 0e0 0", "vertex 1e999 0 0", 1)).contains("facet 0"));
        assert!(error(&text.replacen("outer loop", "outer", 1)).contains("a.stl:3: expected `outer loop`"));
        assert!(error("solid\nendsolid\njunk").contains("a.stl:3: expected `solid`"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = read_stl(&bytes, "a.stl");
            let _ = read_stl(&[b"solid\n".as_slice(), &bytes].concat(), "a.stl");
        }
    }
}
