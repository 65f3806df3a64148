//! Wavefront OBJ: the vertices and polygons of a file, as one mesh.
//!
//! ```text
//! v x y z [w | r g b]      f a b c ...      each of f is v, v/vt, v//vn or v/vt/vn; -1 is the newest vertex
//! ```
//!
//! Polygons are cut into fans from their first corner, which is right for convex ones. Groups, objects, materials,
//! normals, texture, lines and single points are not read. Curves and surfaces are refused: leaving them out would give
//! less than the file holds. Vertices of no polygon are kept: they count for the hull.
//!
//! The reader is our own: a refusal has to carry the line, and loaders for rendering drop vertices of no polygon.

use super::bytes::shown;
use super::error::MeshFileError;
use super::mesh::MeshFile;
use crate::geometry::mesh::{MeshError, TriangleMesh};
use crate::geometry::pose::Point;

/// Statements without triangles.
const SKIPPED: [&str; 19] = [
    "vt",
    "vn",
    "vp",
    "o",
    "g",
    "s",
    "mg",
    "l",
    "p",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
];

/// The mesh in the bytes of an OBJ file; `file` names it in errors.
///
/// # Errors
/// [`MeshFileError`].
pub fn read_obj(bytes: &[u8], file: &str) -> Result<MeshFile, MeshFileError> {
    if bytes.is_empty() {
        return Err(MeshFileError::Empty { file: file.to_owned() });
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut vertices: Vec<Point> = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let mut corners: Vec<u32> = Vec::new();
    let mut joined = String::new();
    let mut lines = bytes.split(|&b| b == b'\n').enumerate().peekable();
    while let Some((index, raw)) = lines.next() {
        let line = String::from_utf8_lossy(raw);
        let line = line.split('#').next().unwrap_or_default().trim_end();
        // A backslash at the end of a line goes on in the next.
        if let Some(begun) = line.strip_suffix('\\')
            && lines.peek().is_some()
        {
            joined.push_str(begun);
            joined.push(' ');
            continue;
        }
        joined.push_str(line);
        let statement = std::mem::take(&mut joined);
        let refused = |expected: String| MeshFileError::Line {
            file: file.to_owned(),
            line: index + 1,
            expected,
            found: shown(&statement),
        };
        let mut words = statement.split_ascii_whitespace();
        match words.next() {
            None => {}
            Some("v") => {
                let vertex = vertex(words);
                vertices.push(vertex.ok_or_else(|| refused("`v` with three finite numbers".to_owned()))?);
            }
            Some("f") => {
                corners.clear();
                for word in words {
                    let corner = corner(word, vertices.len());
                    corners.push(corner.ok_or_else(|| {
                        refused(format!("corners among the {} vertices so far", vertices.len()))
                    })?);
                }
                let [first, rest @ ..] = corners.as_slice() else {
                    return Err(refused("`f` with at least three corners".to_owned()));
                };
                if rest.len() < 2 {
                    return Err(refused("`f` with at least three corners".to_owned()));
                }
                triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
            }
            Some(word) if SKIPPED.contains(&word) => {}
            Some(_) => return Err(refused("a vertex, a polygon, or what belongs to them".to_owned())),
        }
    }
    let mesh = TriangleMesh::from_indexed(&vertices, &triangles).map_err(|source| match source {
        MeshError::NoTriangles => MeshFileError::NoTriangles {
            file: file.to_owned(),
            detail: format!("{} vertices and no polygon", vertices.len()),
        },
        source => MeshFileError::Mesh { file: file.to_owned(), source },
    })?;
    Ok(MeshFile { mesh, surplus_bytes: 0 })
}

fn vertex<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Point> {
    let mut next = || words.next()?.parse::<f64>().ok().filter(|x| x.is_finite());
    Some(Point::new(next()?, next()?, next()?))
}

/// The vertex that a corner names, from 0.
fn corner(word: &str, so_far: usize) -> Option<u32> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let index = if number < 0 { (so_far as i64).checked_add(number)? } else { number - 1 };
    if index < 0 || index >= so_far as i64 {
        return None;
    }
    u32::try_from(index).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn error(text: &str) -> String {
        read_obj(text.as_bytes(), "a.obj").unwrap_err().to_string()
    }

    #[test]
    fn polygons_become_fans_and_indices_count_from_either_end() {
        let text = "# a pyramid\nmtllib x.mtl\no p\nv -1 -1 0 1\nv 1 -1 0\nv 1 1 0 0.5 0.5 0.5\nv -1 1 0\n\
                    vn 0 0 1\nv 0 0 1.5e0 # top\nv 9 9 9\nf 4 3 \\\n  2 1\nf 1/1/1 2//1 -2\nf 2/3 3 5\r\nf 3 4 5\n\
                    f -3 -6 -2\n";
        let mesh = read_obj(text.as_bytes(), "a.obj").unwrap().mesh;
        assert_eq!(mesh.triangles(), [[3, 2, 1], [3, 1, 0], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]);
        assert!((mesh.volume_m3() - 2.0).abs() < 1e-15);
        let condition = mesh.condition();
        assert!(condition.watertight());
        assert_eq!(condition.unreferenced_vertices, 1);
    }

    #[test]
    fn what_is_no_polygon_mesh_is_refused_with_its_line() {
        assert_eq!(error(""), "a.obj: empty file");
        assert_eq!(error("v 0 0 0\n"), "a.obj: no triangles (1 vertices and no polygon)");
        assert_eq!(
            error("v 0 0 0\nf 1 1 2\n"),
            "a.obj:2: expected corners among the 1 vertices so far, found `f 1 1 2`"
        );
        assert!(error("v 0 0 0\nf 1 1 0\n").contains("a.obj:2: expected corners"));
        assert!(error("v 0 0 0\nf 1 1 -2\n").contains("a.obj:2: expected corners"));
        assert!(error("v 0 0 0\nf 1 1 -9223372036854775808\n").contains("a.obj:2: expected corners"));
        assert_eq!(
            error("v 0 0 0\nf 1 1\n"),
            "a.obj:2: expected `f` with at least three corners, found `f 1 1`"
        );
        assert_eq!(
            error("v 0 nan 0\n"),
            "a.obj:1: expected `v` with three finite numbers, found `v 0 nan 0`"
        );
        assert!(error("v 0 0\n").contains("a.obj:1: expected `v`"));
        assert!(error("\ncurv 0 1 1 2\n").contains("a.obj:2: expected a vertex, a polygon"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_answered(text in "([vf] [-0-9. /]{0,12}\\\\?\n){0,12}", bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_obj(text.as_bytes(), "a.obj");
            let _ = read_obj(&bytes, "a.obj");
        }
    }
}
