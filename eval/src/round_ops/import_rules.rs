//! What an import derives, what it stores as given, what it refuses.
//!
//! Reference page, sections 1.3 and 14. Derived from the deploy logs: the stack, the robot, the start. Stored as given,
//! because no artifact states it: commit, host, GPU, dependency groups. Never guessed: `launcher_path` is empty and
//! `worktree_clean` is null. Refused: no scene folder, scenes that ran two stacks, a start that nobody knows.

use super::argv::{RobotFacts, robot_facts, stack_tokens};
use super::stamp::{Stamp, started_at};
use indexmap::IndexMap;
use rollcheck_engine::text::python;
use serde_json::{Map, Value, json};

/// Folders that a scene may have in rounds of the shell scripts, in the order in which they are tried.
pub const LEGACY_FOLDERS: [(&str, &[&str]); 4] = [
    ("baguette", &["baguette", "bag1", "bag", "run1"]),
    ("sink_cup", &["sink_cup", "sink1", "sink", "sinkcup1"]),
    ("fridge", &["fridge", "fridge1"]),
    ("utensil", &["utensil", "utensil1", "drawer1"]),
];

/// Prefix of the artifacts in rounds of the shell scripts.
pub const LEGACY_STEM: &str = "seed1";

/// What an import is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportArgs {
    /// Name of the round.
    pub round_id: String,
    /// Commit that was run.
    pub executed_sha: String,
    /// File-name prefix of the artifacts.
    pub stem: String,
    /// Scene and folder, for layouts that are not known; of two for one scene the last counts.
    pub scene_aliases: Vec<(String, String)>,
    /// Seed of every scene.
    pub seed: i64,
    /// Policy.
    pub rskill_id: String,
    /// Host name, or empty.
    pub host: String,
    /// GPU, where it is known.
    pub gpu_name: Option<String>,
    /// Dependency groups of the environment.
    pub sync_groups: Vec<String>,
    /// Start where no log tells it, or empty.
    pub started_at: String,
    /// Where the round came from; empty takes the source's absolute path.
    pub imported_from: String,
}

/// What one scene's folder tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneFacts {
    /// Key of the scene.
    pub scene: String,
    /// Its folder, relative to the round.
    pub dir: String,
    /// Tokens of the launch command; empty without one.
    pub argv: Vec<String>,
    /// First ROS stamp of the log.
    pub stamp: Option<Stamp>,
    /// Configuration beside the artifacts, relative to the round.
    pub config: Option<String>,
}

/// Why a round is not imported. Nothing was written; the exit code is 2.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The source is no folder.
    #[error("{path}: not a directory, expected a round")]
    NotADirectory {
        /// The source.
        path: String,
    },
    /// No scene has a folder.
    #[error(
        "{path}: no scene directory found; tried {}; name others with --scene-alias SCENE=DIR",
        candidates()
    )]
    NoScene {
        /// The source.
        path: String,
    },
    /// Two scenes ran two stacks.
    #[error(
        "two stacks are two rounds: `{first}` and `{second}` were launched differently; only `{first}`: {only_first}; \
         only `{second}`: {only_second}"
    )]
    TwoStacks {
        /// A scene.
        first: String,
        /// Another scene.
        second: String,
        /// Tokens that only the first has.
        only_first: String,
        /// Tokens that only the second has.
        only_second: String,
    },
    /// No log has a ROS stamp.
    #[error("no deploy log has a ROS stamp and --started-at is not given: the start of the round is unknown")]
    NoStart,
    /// A file that is there cannot be read.
    #[error("{path}: cannot read: {source}")]
    Read {
        /// The file.
        path: String,
        /// The system's answer.
        source: std::io::Error,
    },
}

fn candidates() -> String {
    let of = |(scene, folders): (&str, &[&str])| format!("{scene}: {}", folders.join(", "));
    LEGACY_FOLDERS.map(of).join("; ")
}

/// `SCENE=DIR`, both non-empty.
pub fn scene_alias(text: &str) -> Option<(String, String)> {
    let (scene, dir) = text.split_once('=')?;
    (!scene.is_empty() && !dir.is_empty()).then(|| (scene.to_owned(), dir.to_owned()))
}

/// Each scene's folder, in matrix order: an alias as given, otherwise the first candidate that `is_dir` knows. Aliases
/// of scenes that are not in the matrix are ignored.
pub fn scene_dirs(aliases: &[(String, String)], is_dir: impl Fn(&str) -> bool) -> IndexMap<String, String> {
    LEGACY_FOLDERS
        .into_iter()
        .filter_map(|(scene, folders)| {
            let alias = aliases.iter().rev().find(|(key, _)| key == scene).map(|(_, dir)| dir.as_str());
            let dir = alias.or_else(|| folders.iter().copied().find(|f| is_dir(f)))?;
            Some((scene.to_owned(), dir.to_owned()))
        })
        .collect()
}

/// The keys of `metadata.json`; `origin` is the source's absolute path.
pub fn metadata(
    args: &ImportArgs,
    scenes: &[SceneFacts],
    origin: &str,
) -> Result<Map<String, Value>, ImportError> {
    let stack = one_stack(scenes)?;
    let robot = scenes.iter().find_map(|s| robot_facts(&s.argv));
    let derived = scenes.iter().find_map(|s| started_at(s.stamp?));
    let started_at = match derived {
        Some(text) => text,
        None if args.started_at.is_empty() => return Err(ImportError::NoStart),
        None => args.started_at.clone(),
    };
    let imported_from = if args.imported_from.is_empty() { origin } else { &args.imported_from };
    let configs: Map<String, Value> =
        scenes.iter().filter_map(|s| Some((s.scene.clone(), json!(s.config.as_ref()?)))).collect();
    let dirs: Map<String, Value> = scenes.iter().map(|s| (s.scene.clone(), json!(s.dir))).collect();
    let robot_field = |of: fn(&RobotFacts) -> &String| robot.as_ref().map(of);
    let entries = [
        ("artifact_stem", json!(args.stem)),
        ("executed_sha", json!(args.executed_sha)),
        ("gpu_name", json!(args.gpu_name)),
        ("host", json!(args.host)),
        ("imported_from", json!(imported_from)),
        ("launcher_path", json!("")),
        ("notes_path", json!("NOTES.md")),
        ("repo_root", json!(robot_field(|r| &r.repo_root).map_or("", String::as_str))),
        ("robot_id", json!(robot_field(|r| &r.robot_id))),
        ("robot_manifest_path", json!(robot_field(|r| &r.robot_manifest_path))),
        ("round_id", json!(args.round_id)),
        ("rskill_id", json!(args.rskill_id)),
        ("safety_overrides_absent", json!(true)),
        ("scene_configs", Value::Object(configs)),
        ("scene_dirs", Value::Object(dirs)),
        ("seed", json!(args.seed)),
        ("stack_argv", json!(stack)),
        ("started_at", json!(started_at)),
        ("sync_groups", json!(args.sync_groups)),
        ("worktree_clean", Value::Null),
    ];
    Ok(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// The stack of all scenes; scenes without a launch command do not count.
fn one_stack(scenes: &[SceneFacts]) -> Result<Vec<String>, ImportError> {
    let mut found: Option<(&str, Vec<String>)> = None;
    for scene in scenes {
        let stack = stack_tokens(&scene.argv);
        match &found {
            _ if stack.is_empty() => {}
            None => found = Some((&scene.scene, stack)),
            Some((_, known)) if *known == stack => {}
            Some((first, known)) => {
                return Err(ImportError::TwoStacks {
                    first: (*first).to_owned(),
                    second: scene.scene.clone(),
                    only_first: missing(known, &stack),
                    only_second: missing(&stack, known),
                });
            }
        }
    }
    Ok(found.map(|(_, stack)| stack).unwrap_or_default())
}

/// What `these` has and `those` lacks, repetitions counted; both are sorted. The first few of many.
fn missing(these: &[String], those: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut only = Vec::new();
    let mut rest = those.iter().peekable();
    for token in these {
        while rest.next_if(|t| *t < token).is_some() {}
        if rest.next_if_eq(&token).is_none() {
            only.push(token.as_str());
        }
    }
    match only.get(..SHOWN) {
        _ if only.is_empty() => "nothing".to_owned(),
        Some(first) if only.len() > SHOWN => format!("{} and {} more", first.join(" "), only.len() - SHOWN),
        _ => only.join(" "),
    }
}

/// The line that `import-round` prints.
pub fn message(source: &str, args: &ImportArgs, dirs: &IndexMap<String, String>) -> String {
    let dirs = python::dict(dirs.iter().map(|(scene, dir)| (scene.as_str(), dir.as_str())));
    format!("imported {source} as {}: {dirs} stem={}", args.round_id, python::string(&args.stem))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(in crate::round_ops) fn args() -> ImportArgs {
        ImportArgs {
            round_id: "r".to_owned(),
            executed_sha: "s".to_owned(),
            stem: LEGACY_STEM.to_owned(),
            scene_aliases: Vec::new(),
            seed: 1,
            rskill_id: "OpenRAL/rskill-xr1-panda_mobile-robocasa365-nf4".to_owned(),
            host: String::new(),
            gpu_name: None,
            sync_groups: Vec::new(),
            started_at: String::new(),
            imported_from: String::new(),
        }
    }

    fn facts(scene: &str, argv: &[&str]) -> SceneFacts {
        SceneFacts {
            scene: scene.to_owned(),
            dir: format!("{scene}1"),
            argv: argv.iter().map(|t| (*t).to_owned()).collect(),
            stamp: Some(Stamp { sec: 1_787_422_850, nsec: 534_169_223 }),
            config: None,
        }
    }

    #[test]
    fn r10_scenes_of_two_stacks_are_refused_with_what_differs() {
        let scenes = [
            facts("baguette", &["launch", "enable_slam:=true", "hal_mode:=sim"]),
            facts("sink_cup", &[]),
            facts("fridge", &["launch", "enable_slam:=false", "hal_mode:=sim", "hal_mode:=sim"]),
        ];
        assert_eq!(
            metadata(&args(), &scenes, "/o").unwrap_err().to_string(),
            "two stacks are two rounds: `baguette` and `fridge` were launched differently; only `baguette`: \
             enable_slam:=true; only `fridge`: enable_slam:=false hal_mode:=sim"
        );
        assert!(metadata(&args(), &scenes[..2], "/o").is_ok());
    }

    #[test]
    fn many_differing_tokens_are_counted() {
        let many: Vec<String> = (10..30).map(|n| format!("enable_{n}:=true")).collect();
        let few = [many[0].clone(), "enable_x:=true".to_owned()];
        assert!(missing(&many, &few).ends_with("enable_18:=true and 11 more"));
        assert_eq!(missing(&few, &many), "enable_x:=true");
        assert_eq!(missing(&few, &few), "nothing");
    }

    #[test]
    fn r14_an_alias_needs_no_folder() {
        let aliases = [scene_alias("fridge=fridge1").unwrap(), scene_alias("attic=x").unwrap()];
        assert_eq!(scene_dirs(&aliases, |_| false), [("fridge".to_owned(), "fridge1".to_owned())].into());
    }

    #[test]
    fn the_first_existing_folder_of_a_scene_is_its_own_unless_an_alias_says_otherwise() {
        let exist = |dir: &str| ["bag", "run1", "sinkcup1", "drawer1", "utensil1"].contains(&dir);
        let dirs = scene_dirs(&[], exist);
        assert_eq!(
            dirs.iter().map(|(s, d)| (s.as_str(), d.as_str())).collect::<Vec<_>>(),
            [("baguette", "bag"), ("sink_cup", "sinkcup1"), ("utensil", "utensil1")]
        );
        let aliases = [("utensil".to_owned(), "a".to_owned()), ("utensil".to_owned(), "b".to_owned())];
        assert_eq!(scene_dirs(&aliases, exist)["utensil"], "b");
    }

    #[test]
    fn an_alias_has_a_scene_and_a_folder() {
        assert_eq!(scene_alias("fridge=a=b"), Some(("fridge".to_owned(), "a=b".to_owned())));
        for text in ["fridge", "fridge=", "=x", ""] {
            assert_eq!(scene_alias(text), None);
        }
    }

    #[test]
    fn what_no_artifact_states_is_empty_or_null() {
        let made = metadata(&args(), &[facts("fridge", &[])], "/origin").unwrap();
        assert_eq!(
            Value::Object(made),
            json!({
                "artifact_stem": "seed1", "executed_sha": "s", "gpu_name": null, "host": "",
                "imported_from": "/origin", "launcher_path": "", "notes_path": "NOTES.md", "repo_root": "",
                "robot_id": null, "robot_manifest_path": null, "round_id": "r",
                "rskill_id": "OpenRAL/rskill-xr1-panda_mobile-robocasa365-nf4", "safety_overrides_absent": true,
                "scene_configs": {}, "scene_dirs": {"fridge": "fridge1"}, "seed": 1, "stack_argv": [],
                "started_at": "2026-08-22T18:20:50.534169+00:00", "sync_groups": [], "worktree_clean": null
            })
        );
    }

    #[test]
    fn a_start_that_nobody_knows_is_refused_and_a_derived_one_outranks_a_given_one() {
        let mut scene = facts("fridge", &[]);
        let given = ImportArgs { started_at: "2026-08-20".to_owned(), ..args() };
        let start = |args: &ImportArgs, scene: &SceneFacts| {
            metadata(args, std::slice::from_ref(scene), "/o").map(|m| m["started_at"].clone())
        };
        assert_eq!(start(&given, &scene).unwrap(), "2026-08-22T18:20:50.534169+00:00");
        scene.stamp = None;
        assert_eq!(start(&given, &scene).unwrap(), "2026-08-20");
        assert!(matches!(start(&args(), &scene), Err(ImportError::NoStart)));
    }

    #[test]
    fn a_refusal_for_want_of_scenes_lists_the_folders_and_the_way_out() {
        assert_eq!(
            ImportError::NoScene { path: "/r".to_owned() }.to_string(),
            "/r: no scene directory found; tried baguette: baguette, bag1, bag, run1; sink_cup: sink_cup, sink1, \
             sink, sinkcup1; fridge: fridge, fridge1; utensil: utensil, utensil1, drawer1; name others with \
             --scene-alias SCENE=DIR"
        );
    }

    proptest! {
        #[test]
        fn metadata_of_any_texts_read_back_to_themselves(id in any::<String>(), host in any::<String>(), dir in any::<String>(), seed in any::<i64>()) {
            use crate::verdict::json::{metadata_from_slice, write_sorted};
            let args = ImportArgs { round_id: id, host, seed, ..args() };
            let mut scene = facts("fridge", &["enable_x:=\u{e4}"]);
            scene.dir = dir.clone();
            let bytes = write_sorted(&metadata(&args, &[scene], "/o").unwrap());
            let read = metadata_from_slice(&bytes, "metadata.json").unwrap();
            prop_assert_eq!(read.round_id, args.round_id);
            prop_assert_eq!(read.host, args.host);
            prop_assert_eq!(read.seed, seed);
            prop_assert_eq!(&read.scene_dirs["fridge"], &dir);
        }
    }
}
