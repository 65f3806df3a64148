//! Where a round keeps what.
//!
//! Reference page, sections 1 and 2. The order of [`MATRIX`] is the order of everything that lists scenes.

use super::error::RoundError;
use std::path::{Component, Path};

/// A scene of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixScene {
    /// Its key.
    pub key: &'static str,
    /// Its tracked configuration.
    pub config: &'static str,
    /// The prompt sent to the policy.
    pub prompt: &'static str,
    /// Time allowed for the goal, s.
    pub deadline_s: u32,
}

/// The four scenes.
pub const MATRIX: [MatrixScene; 4] = [
    MatrixScene {
        key: "baguette",
        config: "scenes/deploy/robocasa_baguette.yaml",
        prompt: "Pick the baguette from the counter and place it in the cabinet.",
        deadline_s: 420,
    },
    MatrixScene {
        key: "sink_cup",
        config: "scenes/deploy/robocasa_sink_cup.yaml",
        prompt: "Pick the cup from the counter and place it in the sink.",
        deadline_s: 420,
    },
    MatrixScene {
        key: "fridge",
        config: "scenes/deploy/robocasa_fridge_drawer.yaml",
        prompt: "Pick the vegetable from the fridge shelf and place it in the fridge drawer.",
        deadline_s: 420,
    },
    MatrixScene {
        key: "utensil",
        config: "scenes/deploy/robocasa_drawer_utensil.yaml",
        prompt: "Pick the utensil from the counter and place it in the drawer.",
        deadline_s: 420,
    },
];

/// The scene of a key.
pub fn scene(key: &str) -> Option<&'static MatrixScene> {
    MATRIX.iter().find(|scene| scene.key == key)
}

/// The policy where metadata name none.
pub const DEFAULT_RSKILL_ID: &str = "OpenRAL/rskill-xr1-panda_mobile-robocasa365-nf4";
/// The stem where metadata name none.
pub const DEFAULT_STEM: &str = "run";
/// What ran.
pub const METADATA_FILE: &str = "metadata.json";
/// What came of it.
pub const VERDICTS_FILE: &str = "verdicts.json";
/// The summary for people.
pub const NOTES_FILE: &str = "NOTES.md";

/// A recorded file of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Artifact {
    /// The whole deploy log.
    DeployLog,
    /// Its excerpt, read where the whole is missing.
    DeployExcerpt,
    /// The monitor stream.
    Monitor,
    /// The dispatcher's output.
    Goal,
    /// How the monitor was started; never read.
    MonitorGate,
    /// The marker of a graph that never came up.
    LaunchFailed,
}

impl Artifact {
    /// Its file name behind `<stem>_`.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::DeployLog => "deploy.log",
            Self::DeployExcerpt => "deploy_excerpt.log",
            Self::Monitor => "monitor.jsonl",
            Self::Goal => "goal.log",
            Self::MonitorGate => "monitor_gate.txt",
            Self::LaunchFailed => "launch_failed.txt",
        }
    }

    /// Its key in `artifacts`.
    pub fn key(self) -> &'static str {
        match self {
            Self::DeployLog | Self::DeployExcerpt => "deploy_log",
            Self::Monitor => "monitor",
            Self::Goal => "goal",
            Self::MonitorGate => "monitor_gate",
            Self::LaunchFailed => "launch_failed",
        }
    }

    /// Its path relative to the round.
    pub fn path(self, folder: &str, stem: &str) -> String {
        format!("{folder}/{stem}_{}", self.suffix())
    }
}

/// A name from a file that is to be joined to a round's folder.
///
/// # Errors
/// [`RoundError::Outside`] for a name that is absolute, empty or climbs.
pub fn inside<'a>(name: &'a str, file: &str, field: &str) -> Result<&'a str, RoundError> {
    let plain = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
    if !name.is_empty() && Path::new(name).components().all(plain) {
        return Ok(name);
    }
    Err(RoundError::Outside { file: file.to_owned(), field: field.to_owned(), found: name.to_owned() })
}

/// A stem: the beginning of a file name. `source_name` says in an error where it comes from.
///
/// # Errors
/// [`RoundError::Stem`] for one that is empty or holds a separator.
pub fn stem<'a>(name: &'a str, source_name: &str) -> Result<&'a str, RoundError> {
    if name.contains(['/', '\\', '\0']) || name.is_empty() {
        return Err(RoundError::Stem { source_name: source_name.to_owned(), found: name.to_owned() });
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_the_round() {
        for name in ["bag1", "scenes/bag1", "./bag1", "bag 1"] {
            assert!(inside(name, "metadata.json", "scene_dirs.baguette").is_ok(), "{name}");
        }
        for name in ["", "/etc", "../other", "bag1/../../x"] {
            let error = inside(name, "metadata.json", "scene_dirs.baguette").unwrap_err();
            assert!(error.to_string().contains("leads out of the round"), "{name}");
        }
        assert!(stem("seed1", "metadata.json").is_ok());
        assert!(stem("../seed1", "metadata.json").is_err());
    }

    #[test]
    fn artifacts_lie_where_the_harness_writes_them() {
        assert_eq!(Artifact::DeployLog.path("utensil", "run"), "utensil/run_deploy.log");
        assert_eq!(Artifact::DeployExcerpt.path("bag1", "seed1"), "bag1/seed1_deploy_excerpt.log");
        assert_eq!(Artifact::DeployExcerpt.key(), "deploy_log");
    }
}
