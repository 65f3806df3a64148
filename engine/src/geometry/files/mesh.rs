//! A mesh file by the ending of its name: `.stl` or `.obj`, in any case of letters.

use super::bytes::{self, BytesError};
use super::error::MeshFileError;
use super::{obj, stl};
use crate::geometry::mesh::TriangleMesh;
use std::path::Path;

/// Largest mesh file that is read, bytes: five million facets of binary STL.
pub const MESH_BYTES_MAX: u64 = 256 << 20;

/// A mesh and what was odd about its file.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// The mesh, in the file's own frame and unit (metres by convention).
    pub mesh: TriangleMesh,
    /// Bytes after the last facet that a binary STL counts. They are not read, and worth a warning; 0 elsewhere.
    pub surplus_bytes: u64,
}

/// The mesh of a file.
///
/// # Errors
/// [`MeshFileError`].
pub fn read_mesh(path: &Path) -> Result<TriangleMesh, MeshFileError> {
    Ok(read_mesh_file(path)?.mesh)
}

/// As [`read_mesh`], with what was odd about the file.
///
/// # Errors
/// [`MeshFileError`].
pub fn read_mesh_file(path: &Path) -> Result<MeshFile, MeshFileError> {
    let file = path.display().to_string();
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let reader = match ending.as_deref() {
        Some("stl") => stl::read_stl,
        Some("obj") => obj::read_obj,
        Some(other) => return Err(MeshFileError::Extension { file, found: format!(".{other}") }),
        None => return Err(MeshFileError::Extension { file, found: "no ending".to_owned() }),
    };
    match bytes::read(path, MESH_BYTES_MAX) {
        Ok(bytes) => reader(&bytes, &file),
        Err(BytesError::Store(error)) => Err(error.into()),
        Err(BytesError::TooLarge { found }) => {
            Err(MeshFileError::TooLarge { file, found, bytes_max: MESH_BYTES_MAX })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::shared;

    #[test]
    fn the_ending_decides_in_any_case_of_letters() {
        let made = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| {
            let path = made.path().join(name);
            crate::store::atomic::write(&path, bytes).unwrap();
            path
        };
        let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        assert_eq!(read_mesh(&put("a.OBJ", obj)).unwrap().triangles(), [[0, 1, 2]]);
        let error = |path: &Path| read_mesh(path).unwrap_err().to_string();
        assert!(error(&put("a.Stl", obj)).contains("no triangles"));
        assert!(error(&put("a.dae", obj)).ends_with("a mesh is read from .stl or .obj, found .dae"));
        assert!(error(&made.path().join("none")).ends_with("found no ending"));
        assert!(matches!(read_mesh(&made.path().join("none.stl")), Err(MeshFileError::Store(_))));
    }

    #[test]
    fn the_panda_meshes_have_their_published_counts_and_are_watertight() {
        let test = "the_panda_meshes_have_their_published_counts_and_are_watertight";
        let Some(folder) = shared(test, "panda/meshes") else { return };
        let golden = crate::store::atomic::read(&folder.with_file_name("golden.json")).unwrap();
        let golden: serde_json::Value = serde_json::from_slice(&golden).unwrap();
        for i in 0..8 {
            let file = read_mesh_file(&folder.join(format!("link{i}.stl"))).unwrap();
            assert_eq!(file.surplus_bytes, 0);
            let condition = file.mesh.condition();
            assert!(condition.watertight(), "link{i}: {condition:?}");
            let found = (file.mesh.vertices().len() as u64, file.mesh.triangles().len() as u64);
            if i == 0 {
                // Not in the golden numbers: 10,084 bytes are 200 facets, and a closed surface has 102 vertices then.
                assert_eq!(found, (102, 200));
                continue;
            }
            let link = &golden["links"][format!("panda_link{i}")];
            let expected = (&link["collision_points_sampled"]["reproduced"], &link["mesh_faces"]);
            assert_eq!(found, (expected.0.as_u64().unwrap(), expected.1.as_u64().unwrap()), "link{i}");
            let volume = link["mesh_volume_m3"].as_f64().unwrap();
            assert!((file.mesh.volume_m3() / volume - 1.0).abs() < 1e-8, "link{i}");
        }
    }
}
