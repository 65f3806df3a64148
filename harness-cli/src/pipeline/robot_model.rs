//! The robot that stops are replayed on, from its files.

use crate::args::matrix::RobotFilesArgs;
use crate::error::CliError;
use crate::printer::Printer;
use rollcheck_engine::geometry::files::{
    Description, MeshFileError, read_kinematics, read_mesh_file, read_robot,
};
use rollcheck_engine::geometry::kinematics::panda;
use rollcheck_eval::replay::ReplayModel;
use std::collections::BTreeMap;
use std::path::Path;

/// A robot and the files it was read from, for the record.
pub struct RobotFiles {
    /// The robot.
    pub model: ReplayModel,
    /// What was read, in words.
    pub sources: Vec<String>,
}

/// Reads manifest, meshes and, where given, kinematics; without them the built-in Panda moves.
///
/// A link whose mesh file is not there is left without; a file that is there and cannot be read is an error.
///
/// # Errors
/// [`CliError::Robot`], [`CliError::Mesh`], [`CliError::Kinematics`].
pub fn load(robot: &Path, files: &RobotFilesArgs, printer: &mut Printer<'_>) -> Result<RobotFiles, CliError> {
    let manifest = read_robot(robot)?;
    let mut sources = vec![format!("{}: collision model", robot.display())];
    let kinematics = if let Some(path) = &files.urdf {
        sources.push(format!("{}: kinematics", path.display()));
        read_kinematics(path)?
    } else {
        sources.push("kinematics: the built-in Panda".to_owned());
        built_in()
    };
    let mut meshes = BTreeMap::new();
    for link in &manifest.model.links {
        let mesh = match manifest.mesh_path(link, files.meshes.as_deref()) {
            Ok(path) => {
                let file = read_mesh_file(&path)?;
                if file.surplus_bytes > 0 {
                    printer.warning(format_args!(
                        "{}: {} bytes after the last facet were not read",
                        path.display(),
                        file.surplus_bytes
                    ));
                }
                sources.push(format!("{}: mesh of {}", path.display(), link.link_name));
                Ok(file.mesh)
            }
            Err(error @ MeshFileError::NoneFound { .. }) => {
                printer.warning(&error);
                Err("no mesh file was found".to_owned())
            }
            Err(error) => return Err(error.into()),
        };
        meshes.insert(link.link_name.clone(), mesh);
    }
    Ok(RobotFiles { model: ReplayModel::new(&manifest.model, kinematics, &meshes), sources })
}

fn built_in() -> Description {
    Description {
        name: "panda".to_owned(),
        tree: panda(),
        meshes: Vec::new(),
        others: Vec::new(),
        mimics: Vec::new(),
    }
}
