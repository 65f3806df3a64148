//! Mesh files that give no mesh, or no hull: the eight of H11, by their whole message.

use rollcheck_engine::geometry::files::{MeshFileError, read_mesh};
use rollcheck_engine::geometry::{ConvexHull, MeshError};
use rollcheck_engine::store::atomic;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// File, and what is said after its name.
const REFUSALS: [(&str, &str); 7] = [
    ("padded_80.stl", "no triangles (80 bytes: a header without a count)"),
    ("empty_ascii.stl", "no triangles (a text without a facet)"),
    ("zero_count.stl", "no triangles (the count says 0, there are bytes for 0)"),
    ("cut_7_of_12.stl", "cut short: the count says 12 facets, there are bytes for 7"),
    ("count_4e9.stl", "cut short: the count says 4294967295 facets, there are bytes for 12"),
    ("nan_vertex.stl", "non-finite vertex in facet 3 (counted from 0)"),
    ("zero_bytes.stl", "empty file"),
];

fn case(file: &str) -> PathBuf {
    rollcheck_fixtures::path("cases/H11-stl-empty-and-cut").join(file)
}

#[test]
fn every_broken_stl_is_refused_by_name_and_reason() {
    for (file, reason) in REFUSALS {
        let path = case(file);
        let error = read_mesh(&path).unwrap_err();
        assert_eq!(error.to_string(), format!("{}: {reason}", path.display()));
    }
    let nan = read_mesh(&case("nan_vertex.stl"));
    assert!(matches!(nan, Err(MeshFileError::Mesh { source: MeshError::NonFinite { facet: 3 }, .. })));
}

#[test]
fn a_flat_mesh_is_a_mesh_without_a_hull() {
    let flat = read_mesh(&case("flat.stl")).unwrap();
    let error = ConvexHull::of(flat.vertices()).unwrap_err().to_string();
    assert!(error.starts_with("coplanar points: no hull"), "{error}");
}

#[test]
fn every_file_of_the_case_is_expected_here() {
    let expected: serde_json::Value =
        serde_json::from_slice(&atomic::read(&case("expected.json")).unwrap()).unwrap();
    let named: BTreeSet<&str> = expected.as_object().unwrap().keys().map(String::as_str).collect();
    let tested: BTreeSet<&str> = REFUSALS.iter().map(|&(file, _)| file).chain(["flat.stl"]).collect();
    assert_eq!(named, tested);
    // None of them is an answer of 0, and each is told by its name.
    for (file, case) in expected.as_object().unwrap() {
        assert_eq!((case["exit"].as_u64(), case["must_name"][0].as_str()), (Some(2), Some(file.as_str())));
    }
}
