//! Reading a round of the shell scripts, to the `metadata.json` that makes it queryable.
//!
//! Reference page, section 14; what follows from what is read is decided in [`super::import_rules`]. Of a deploy log
//! only the first launch command and the first ROS stamp are read, and reading ends when both are found. Lines are those
//! of [`crate::rounds::lines`], with its limit. Bytes that are not UTF-8 are replaced. [`import`] writes nothing.

use super::argv::argv_tokens;
use super::import_rules::{ImportArgs, ImportError, SceneFacts, message, metadata, scene_dirs};
use super::stamp::{Stamp, first_stamp};
use crate::rounds::lines::{BlockReader, python_lines};
use crate::verdict::json::write_sorted;
use indexmap::IndexMap;
use std::io::Read;
use std::path::Path;

/// What stands before a launch command.
const ARGV: &[u8] = b"argv: ";

/// A round that can be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// `metadata.json`.
    pub metadata: Vec<u8>,
    /// Each scene's folder, in matrix order.
    pub dirs: IndexMap<String, String>,
    /// File-name prefix of the artifacts.
    pub stem: String,
    /// What to tell the user.
    pub message: String,
}

/// Reads the round in `source`.
pub fn import(source: &Path, args: &ImportArgs) -> Result<Imported, ImportError> {
    let shown = source.display().to_string();
    if !source.is_dir() {
        return Err(ImportError::NotADirectory { path: shown });
    }
    let dirs = scene_dirs(&args.scene_aliases, |dir| source.join(dir).is_dir());
    if dirs.is_empty() {
        return Err(ImportError::NoScene { path: shown });
    }
    let scenes = dirs
        .iter()
        .map(|(scene, dir)| scene_facts(source, scene, dir, &args.stem))
        .collect::<Result<Vec<_>, _>>()?;
    let origin = source.canonicalize().unwrap_or_else(|_| source.to_owned());
    let metadata = metadata(args, &scenes, &origin.to_string_lossy())?;
    Ok(Imported {
        metadata: write_sorted(&metadata),
        message: message(&shown, args, &dirs),
        stem: args.stem.clone(),
        dirs,
    })
}

fn scene_facts(source: &Path, scene: &str, dir: &str, stem: &str) -> Result<SceneFacts, ImportError> {
    let folder = source.join(dir);
    let log = ["deploy", "deploy_excerpt"]
        .map(|kind| folder.join(format!("{stem}_{kind}.log")))
        .into_iter()
        .find(|path| path.is_file());
    let (argv, stamp) = match log {
        Some(path) => read_log(&path).map_err(|source| read_error(&path, source))?,
        None => (Vec::new(), None),
    };
    Ok(SceneFacts {
        scene: scene.to_owned(),
        dir: dir.to_owned(),
        argv,
        stamp,
        config: config(&folder)?.map(|name| format!("{dir}/{name}")),
    })
}

fn read_error(path: &Path, source: std::io::Error) -> ImportError {
    ImportError::Read { path: path.display().to_string(), source }
}

/// The first `*.yaml` file of a folder by name; none where there is no folder.
fn config(folder: &Path) -> Result<Option<String>, ImportError> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let mut first: Option<String> = None;
    for entry in std::fs::read_dir(folder).map_err(|e| read_error(folder, e))? {
        let entry = entry.map_err(|e| read_error(folder, e))?;
        // A name that is not UTF-8 cannot be recorded.
        let Ok(name) = entry.file_name().into_string() else { continue };
        // Case counts, as it does for the tool that made these rounds.
        if name.as_bytes().ends_with(b".yaml")
            && first.as_ref().is_none_or(|f| name < *f)
            && entry.path().is_file()
        {
            first = Some(name);
        }
    }
    Ok(first)
}

fn read_log(path: &Path) -> std::io::Result<(Vec<String>, Option<Stamp>)> {
    facts_of(BlockReader::new(std::fs::File::open(path)?))
}

/// The first launch command and the first stamp.
fn facts_of<R: Read>(mut log: BlockReader<R>) -> std::io::Result<(Vec<String>, Option<Stamp>)> {
    let (mut argv, mut stamp) = (None, None);
    while argv.is_none() || stamp.is_none() {
        let Some(block) = log.next_block()? else { break };
        // No line end is part of a stamp.
        stamp = stamp.or_else(|| first_stamp(block.bytes));
        if argv.is_none() && memchr::memmem::find(block.bytes, ARGV).is_some() {
            argv = python_lines(block.bytes)
                .filter(|line| memchr::memmem::find(line, ARGV).is_some())
                .find_map(|line| argv_tokens(&String::from_utf8_lossy(line)));
        }
    }
    Ok((argv.unwrap_or_default(), stamp))
}

#[cfg(test)]
mod tests {
    use super::super::import_rules::tests::args;
    use super::*;
    use crate::testing::shared;
    use proptest::prelude::*;
    use rollcheck_engine::store::atomic;
    use serde_json::Value;
    use std::fs;

    const SHA: &str = "2edcf67c3b087958d475813fe19234c12e90698c";

    /// What the recorded rounds were imported with.
    fn recorded_args(round: &str) -> ImportArgs {
        ImportArgs {
            round_id: round.to_owned(),
            executed_sha: SHA.to_owned(),
            host: "nvidia".to_owned(),
            gpu_name: Some("NVIDIA GB10".to_owned()),
            sync_groups: vec!["robocasa".to_owned(), "sidecar-wire".to_owned()],
            imported_from: format!("/home/operator/openral-runs/{round}"),
            ..args()
        }
    }

    /// A temporary copy of a recorded round without its metadata, and the metadata.
    fn copy_of(test: &str, round: &str) -> Option<(tempfile::TempDir, Vec<u8>)> {
        let from = shared(test, &format!("rounds/{round}"))?;
        let to = tempfile::tempdir().unwrap();
        for scene in fs::read_dir(&from).unwrap() {
            let scene = scene.unwrap();
            if scene.path().is_dir() {
                let folder = to.path().join(scene.file_name());
                fs::create_dir(&folder).unwrap();
                for file in fs::read_dir(scene.path()).unwrap() {
                    let file = file.unwrap();
                    let bytes = atomic::read(&file.path()).unwrap();
                    atomic::write(&folder.join(file.file_name()), &bytes).unwrap();
                }
            }
        }
        Some((to, fs::read(from.join("metadata.json")).unwrap()))
    }

    fn put(round: &Path, file: &str, text: &str) {
        atomic::write(&round.join(file), text.as_bytes()).unwrap();
    }

    const LOG: &str = "deploy sim\n  argv: ros2 launch p x.py robot_yaml:=/w/robots/panda/robot.yaml enable_slam:=true\n\
                       [n-1] [INFO] [1787422850.534169223] [x]: up\n";

    #[test]
    fn r09_the_import_of_2026_08_22_gives_its_recorded_metadata_byte_for_byte() {
        let round = "2026-08-22-master-1";
        let Some((copy, recorded)) = copy_of("r09: import of 2026-08-22", round) else { return };
        let imported = import(copy.path(), &recorded_args(round)).unwrap();
        assert_eq!(String::from_utf8_lossy(&imported.metadata), String::from_utf8_lossy(&recorded));
        assert_eq!(
            imported.message,
            format!(
                "imported {} as 2026-08-22-master-1: {{'baguette': 'bag1', 'sink_cup': 'sink1', 'fridge': 'fridge1', \
                 'utensil': 'utensil1'}} stem='seed1'",
                copy.path().display()
            )
        );
        let made: Value = serde_json::from_slice(&imported.metadata).unwrap();
        let stack = made["stack_argv"].as_array().unwrap();
        assert!(stack.contains(&Value::from("enable_reasoner:=false")));
        assert!(stack.contains(&Value::from("enable_octomap_kernel_check:=true")));
        assert!(!stack.iter().any(|t| t.as_str().unwrap().starts_with("--")));
        assert!(!copy.path().join("metadata.json").exists(), "reading wrote a file");
        atomic::write(&copy.path().join("metadata.json"), &imported.metadata).unwrap();
        assert_eq!(fs::read(copy.path().join("metadata.json")).unwrap(), recorded);
    }

    #[test]
    fn the_import_of_2026_08_16_gives_its_recorded_metadata_but_the_configuration_that_is_not_there() {
        let round = "2026-08-16-master-1";
        let Some((copy, recorded)) = copy_of("import of 2026-08-16", round) else { return };
        let imported = import(copy.path(), &recorded_args(round)).unwrap();
        let made: Value = serde_json::from_slice(&imported.metadata).unwrap();
        assert_eq!(made["scene_configs"], serde_json::json!({}));
        // With a file of that name the bytes are the recorded ones.
        put(copy.path(), "bag1/robocasa_baguette_place_seed1.yaml", "seed: 1\n");
        let imported = import(copy.path(), &recorded_args(round)).unwrap();
        assert_eq!(String::from_utf8_lossy(&imported.metadata), String::from_utf8_lossy(&recorded));
    }

    #[test]
    fn r10_one_scene_with_another_stack_is_refused_and_nothing_is_written() {
        let Some((copy, _)) = copy_of("r10: two stacks", "2026-08-22-master-1") else { return };
        let log = copy.path().join("fridge1/seed1_deploy_excerpt.log");
        let text = String::from_utf8(fs::read(&log).unwrap()).unwrap();
        atomic::write(&log, text.replace("enable_slam:=true", "enable_slam:=false").as_bytes()).unwrap();
        let error = import(copy.path(), &recorded_args("r")).unwrap_err();
        assert!(error.to_string().contains("only `fridge`: enable_slam:=false"), "{error}");
        assert!(!copy.path().join("metadata.json").exists());
    }

    #[test]
    fn the_whole_log_goes_before_the_excerpt_and_the_first_yaml_by_name_is_the_configuration() {
        let round = tempfile::tempdir().unwrap();
        put(round.path(), "run1/seed1_deploy.log", LOG);
        put(round.path(), "run1/seed1_deploy_excerpt.log", &LOG.replace("slam", "nav2"));
        for name in ["b.yaml", "a2.yaml", "a10.yaml", "a.yml", "a.YAML"] {
            put(round.path(), &format!("run1/{name}"), "seed: 1\n");
        }
        fs::create_dir(round.path().join("run1/0.yaml")).unwrap();
        let imported = import(round.path(), &args()).unwrap();
        let made: Value = serde_json::from_slice(&imported.metadata).unwrap();
        assert_eq!(made["stack_argv"], serde_json::json!(["enable_slam:=true"]));
        assert_eq!(made["scene_configs"], serde_json::json!({"baguette": "run1/a10.yaml"}));
        assert_eq!(made["repo_root"], "/w");
        assert_eq!(made["robot_manifest_path"], "robots/panda/robot.yaml");
        assert_eq!(made["started_at"], "2026-08-22T18:20:50.534169+00:00");
        let origin = round.path().canonicalize().unwrap();
        assert_eq!(made["imported_from"], origin.to_str().unwrap());
    }

    #[test]
    fn a_source_that_is_no_round_is_refused() {
        let round = tempfile::tempdir().unwrap();
        put(round.path(), "file", "x");
        let file = round.path().join("file");
        let error = import(&file, &args()).unwrap_err();
        assert_eq!(error.to_string(), format!("{}: not a directory, expected a round", file.display()));
        assert!(matches!(import(round.path(), &args()), Err(ImportError::NoScene { .. })));
        let missing = ImportArgs { scene_aliases: vec![("fridge".into(), "gone".into())], ..args() };
        assert!(matches!(import(round.path(), &missing), Err(ImportError::NoStart)));
        let given = ImportArgs { started_at: "then".to_owned(), ..missing };
        let imported = import(round.path(), &given).unwrap();
        assert_eq!(imported.dirs, [("fridge".to_owned(), "gone".to_owned())].into());
    }

    #[test]
    #[cfg(unix)]
    fn links_that_lead_round_in_a_circle_are_no_files() {
        let round = tempfile::tempdir().unwrap();
        put(round.path(), "fridge/seed1_deploy_excerpt.log", LOG);
        std::os::unix::fs::symlink("seed1_deploy.log", round.path().join("fridge/seed1_deploy.log")).unwrap();
        std::os::unix::fs::symlink("a.yaml", round.path().join("fridge/a.yaml")).unwrap();
        std::os::unix::fs::symlink(".", round.path().join("utensil")).unwrap();
        let imported = import(round.path(), &args()).unwrap();
        assert_eq!(imported.dirs.len(), 2);
        let made: Value = serde_json::from_slice(&imported.metadata).unwrap();
        assert_eq!(made["scene_configs"], serde_json::json!({}));
        assert_eq!(made["robot_id"], "panda");
    }

    fn facts(log: &[u8], line_max: usize) -> (Vec<String>, Option<Stamp>) {
        facts_of(BlockReader::with_limit(log, line_max)).unwrap()
    }

    #[test]
    fn lines_end_where_python_ends_them_and_bad_bytes_are_passed() {
        let (argv, stamp) = facts(b"\xff\0argv: ros2 launch a\x0cb\r[1787422850.534169223]", 1000);
        assert_eq!(argv, ["ros2", "launch", "a"]);
        assert_eq!(stamp, Some(Stamp { sec: 1_787_422_850, nsec: 534_169_223 }));
        let (argv, _) = facts("argv: ros2 launch 'a\nargv: x y\u{2028}argv: z launch".as_bytes(), 1000);
        assert_eq!(argv, ["z", "launch"]);
        assert_eq!(facts(b"", 10), (Vec::new(), None));
    }

    #[test]
    fn a_log_without_a_newline_is_read_past_the_limit_of_a_line() {
        let progress = "loading 10%\r".repeat(100_000);
        let log = format!("{progress}argv: b launch\r{progress}[1787422850.534169223]\r{progress}");
        let (argv, stamp) = facts(log.as_bytes(), 100_000);
        assert_eq!(argv, ["b", "launch"]);
        assert!(stamp.is_some());
    }

    #[test]
    fn a_line_beyond_the_bound_is_passed_over_and_reading_goes_on() {
        let long = "x".repeat(300_000);
        let log = format!("argv: ros2 launch {long}\nargv: b launch\n[1787422850.534169223]");
        let (argv, stamp) = facts(log.as_bytes(), 200_000);
        assert_eq!(argv, ["b", "launch"]);
        assert!(stamp.is_some());
        assert_eq!(facts(log.as_bytes(), 400_000).0.len(), 3);
    }

    #[test]
    fn reading_ends_when_both_are_found() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("read too far"))
            }
        }
        let rest = "nothing\n".repeat(50_000);
        let log = format!("{LOG}{rest}");
        assert!(facts_of(BlockReader::new(log.as_bytes().chain(Broken))).is_ok());
        assert!(facts_of(BlockReader::new(rest.as_bytes().chain(Broken))).is_err());
    }

    proptest! {
        #[test]
        fn bytes_from_strangers_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), line_max in 0_usize..40) {
            let _ = facts(&bytes, line_max);
        }

        #[test]
        fn the_first_of_each_is_found_wherever_it_stands(
            before in "[a-z\r\n\x0b ]{0,40}",
            between in "[a-z\r\n\x0b ]{0,40}",
            end in prop::sample::select(vec!["\n", "\r", "\r\n", "\u{b}", "\u{85}", "\u{2029}"]),
        ) {
            let log = format!(
                "{before}{end}argv: b launch{end}{between}[1787422850.534169223]{end}argv: c launch{end}[1787422851.000000000]"
            );
            let (argv, stamp) = facts(log.as_bytes(), 1000);
            prop_assert_eq!(argv, ["b", "launch"]);
            prop_assert_eq!(stamp, Some(Stamp { sec: 1_787_422_850, nsec: 534_169_223 }));
        }
    }
}
