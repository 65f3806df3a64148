//! The robot that stops are replayed on, from its files.

use super::robot::Robot;
use crate::args::matrix::RobotFilesArgs;
use crate::error::CliError;
use crate::printer::Printer;
use rollcheck_engine::geometry::files::{Description, MeshFileError, read_kinematics};
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
/// [`CliError::Robot`], [`CliError::Link`], [`CliError::Kinematics`].
pub fn load(robot: &Path, files: &RobotFilesArgs, printer: &mut Printer<'_>) -> Result<RobotFiles, CliError> {
    let robot = Robot::at(robot, files.meshes.as_deref())?;
    let mut sources = vec![format!("{}: collision model", robot.name)];
    let kinematics = if let Some(path) = &files.urdf {
        sources.push(format!("{}: kinematics", path.display()));
        read_kinematics(path)?
    } else {
        sources.push("kinematics: the built-in Panda".to_owned());
        built_in()
    };
    let mut meshes = BTreeMap::new();
    for link in robot.links() {
        let loaded = match robot.mesh_in_link(link, printer) {
            Ok(loaded) => loaded,
            Err(CliError::Mesh(error @ MeshFileError::NoneFound { .. })) => {
                printer.warning(&error);
                None
            }
            Err(error) => return Err(error),
        };
        let mesh = match loaded {
            Some((file, mesh)) => {
                sources.push(format!("{file}: mesh of {}", link.link_name));
                Ok(mesh)
            }
            None => Err("no mesh file was found".to_owned()),
        };
        meshes.insert(link.link_name.clone(), mesh);
    }
    Ok(RobotFiles { model: ReplayModel::new(&robot.file.model, kinematics, &meshes), sources })
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
