//! A robot's manifest with the meshes that its links stand for.

use crate::args::hull::RobotArgs;
use crate::error::CliError;
use crate::printer::Printer;
use rollcheck_engine::geometry::files::{MeshFileError, RobotFile, read_mesh_file, read_robot};
use rollcheck_engine::geometry::robot::LinkVolume;
use rollcheck_engine::geometry::{ConvexHull, HullError, TriangleMesh};
use std::path::Path;

/// A robot and where its files are.
#[derive(Clone, Debug)]
pub struct Robot {
    /// The manifest.
    pub file: RobotFile,
    /// Its path, as typed.
    pub name: String,
    meshes: Option<std::path::PathBuf>,
}

/// A link's mesh.
#[derive(Clone, Debug)]
pub struct LoadedMesh {
    /// The file.
    pub file: String,
    /// The mesh in the box frame of its link, m.
    pub in_box: TriangleMesh,
}

impl Robot {
    /// Reads a manifest.
    ///
    /// # Errors
    /// [`CliError::Robot`].
    pub fn read(args: &RobotArgs) -> Result<Self, CliError> {
        Self::at(&args.robot, args.meshes.as_deref())
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// [`CliError::Robot`].
    pub fn at(robot: &Path, meshes: Option<&Path>) -> Result<Self, CliError> {
        let name = robot.display().to_string();
        Ok(Self { file: read_robot(robot)?, name, meshes: meshes.map(Path::to_owned) })
    }

    /// The links.
    pub fn links(&self) -> &[LinkVolume] {
        &self.file.model.links
    }

    /// A link by name.
    ///
    /// # Errors
    /// [`CliError::Usage`] with the names there are.
    pub fn link(&self, name: &str) -> Result<&LinkVolume, CliError> {
        self.file.model.link(name).ok_or_else(|| {
            let known: Vec<&str> = self.links().iter().map(|l| l.link_name.as_str()).collect();
            let known = known.join(", ");
            CliError::Usage(format!("{}: no link `{name}`; there are {known}", self.name))
        })
    }

    /// A link's file and its mesh in the link frame, m; `None` where none is named and none found.
    ///
    /// # Errors
    /// [`CliError::Link`] naming link and file.
    pub fn mesh_in_link(
        &self,
        link: &LinkVolume,
        printer: &mut Printer<'_>,
    ) -> Result<Option<(String, TriangleMesh)>, CliError> {
        // A mesh that is named and not there is an error, and not a link without one.
        let path = match self.file.mesh_path(link, self.meshes.as_deref()) {
            Ok(path) => path,
            Err(MeshFileError::NoneFound { .. }) if link.mesh.is_none() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let file = path.display().to_string();
        let read = read_mesh_file(&path).map_err(|error| {
            let reason = error.to_string();
            // The message begins with the file, which is said once.
            let reason = reason.strip_prefix(&format!("{file}: ")).map_or(reason.clone(), str::to_owned);
            CliError::Link { link: link.link_name.clone(), file: file.clone(), reason }
        })?;
        if read.surplus_bytes > 0 {
            printer.warning(format_args!(
                "link `{}` ({file}): {} bytes after the last counted facet were not read",
                link.link_name, read.surplus_bytes
            ));
        }
        warn_of_condition(&link.link_name, &file, &read.mesh, printer);
        Ok(Some((file, read.mesh)))
    }

    /// A link's mesh in its box frame; `None` where none is named and none found.
    ///
    /// # Errors
    /// [`CliError::Link`] naming link and file.
    pub fn mesh(&self, link: &LinkVolume, printer: &mut Printer<'_>) -> Result<Option<LoadedMesh>, CliError> {
        let box_from_link = link.link_from_box.inverse();
        let loaded = self.mesh_in_link(link, printer)?;
        Ok(loaded.map(|(file, mesh)| LoadedMesh { in_box: mesh.map(|p| box_from_link * p), file }))
    }
}

/// A mesh on its own and the name its file gives it.
///
/// # Errors
/// [`CliError::Mesh`].
pub fn read_mesh_alone(path: &Path, printer: &mut Printer<'_>) -> Result<(String, TriangleMesh), CliError> {
    let file = path.display().to_string();
    let read = read_mesh_file(path)?;
    let name = path.file_stem().map_or(file.clone(), |stem| stem.to_string_lossy().into_owned());
    if read.surplus_bytes > 0 {
        printer
            .warning(format_args!("{file}: {} bytes after the last facet were not read", read.surplus_bytes));
    }
    warn_of_condition(&name, &file, &read.mesh, printer);
    Ok((name, read.mesh))
}

/// Says what is odd about a mesh without making it unusable.
pub fn warn_of_condition(name: &str, file: &str, mesh: &TriangleMesh, printer: &mut Printer<'_>) {
    let condition = mesh.condition();
    let mut odd = Vec::new();
    if !condition.watertight() {
        odd.push(format!("not watertight: {} open edges", condition.open_edges));
    }
    if condition.degenerate_triangles > 0 {
        odd.push(format!("{} triangles without area", condition.degenerate_triangles));
    }
    if condition.unreferenced_vertices > 0 {
        odd.push(format!("{} vertices of no triangle", condition.unreferenced_vertices));
    }
    if !odd.is_empty() {
        printer.warning(format_args!("link `{name}` ({file}): {}", odd.join(", ")));
    }
}

/// A hull's error with its link and file.
pub fn hull_error(link: &LinkVolume, file: &str) -> impl Fn(HullError) -> CliError {
    let (link, file) = (link.link_name.clone(), file.to_owned());
    move |error| CliError::Link { link: link.clone(), file: file.clone(), reason: error.to_string() }
}

/// The hull that a link declares, or the exact one of its mesh.
///
/// # Errors
/// [`CliError::Link`].
pub fn declared_or_exact(link: &LinkVolume, mesh: &LoadedMesh) -> Result<(ConvexHull, bool), CliError> {
    let declared = link.tight.as_ref().filter(|tight| tight.has_stage2_hull());
    let points = declared.map_or(mesh.in_box.vertices(), |tight| &tight.hull_vertices_m);
    Ok((ConvexHull::of(points).map_err(hull_error(link, &mesh.file))?, declared.is_some()))
}
