//! Recorded rounds, rounds made on the spot, snapshots.

use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::adjudication::{Adjudication, Question, adjudicate};
use rollcheck_eval::rounds::deploy_log::{self, StopLine};
use rollcheck_eval::rounds::layout;
use rollcheck_eval::rounds::read::{self, Digests};
use rollcheck_eval::verdict::derive::{self, SceneContext, SceneJudgement};
use rollcheck_eval::verdict::json;
use rollcheck_eval::verdict::round::{self, Options, WithoutMetadata};
use rollcheck_eval::verdict::schema::RoundMetadata;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The folder of recorded data, where it is at hand.
pub(crate) fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("ROLLCHECK_SHARED").map_or(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// A recorded round; without it the test says that it was skipped.
pub(crate) fn recorded(round: &str) -> Option<PathBuf> {
    let found = shared().map(|shared| shared.join("rounds").join(round)).filter(|path| path.exists());
    if found.is_none() {
        eprintln!("SKIPPED: recorded round {round} is not at hand (set ROLLCHECK_SHARED)");
    }
    found
}

/// A scene of a round, judged.
pub(crate) fn judge(folder: &Path, scene: &str, rules: RuleSet) -> SceneJudgement {
    let options = Options { without_metadata: WithoutMetadata::Assume, ..Options::default() };
    let recorded = round::read(folder, &options).unwrap();
    let scene = recorded.scenes.iter().find(|s| s.scene.key == scene).unwrap();
    let context = recorded.context(scene);
    derive::scene(&context, scene.evidence.as_ref().unwrap(), rules).unwrap()
}

/// Every scene of a recorded round, judged.
pub(crate) fn judge_all(folder: &Path) -> Vec<SceneJudgement> {
    let recorded = round::read(folder, &Options::default()).unwrap();
    let keys = recorded.scenes.iter().map(|scene| scene.scene.key);
    keys.map(|key| judge(folder, key, RuleSet::Documented)).collect()
}

/// Metadata with the required keys and nothing else.
pub(crate) fn metadata() -> RoundMetadata {
    let text = br#"{"round_id": "r", "started_at": "s", "executed_sha": "0", "worktree_clean": true}"#;
    json::metadata_from_slice(text, "metadata.json").unwrap()
}

/// A scene folder with these files (`run_` is put before their names), judged.
pub(crate) fn scene_of(files: &[(&str, &str)]) -> SceneJudgement {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("baguette");
    std::fs::create_dir(&scene).unwrap();
    for (name, text) in files {
        std::fs::write(scene.join(format!("run_{name}")), text).unwrap();
    }
    let evidence = read::scene(folder.path(), "baguette", "run", Digests::Skip).unwrap().unwrap();
    let context = SceneContext {
        scene: &layout::MATRIX[0],
        folder: "baguette",
        stem: "run",
        config_path: layout::MATRIX[0].config,
        config_sha256: None,
        metadata: &metadata(),
    };
    derive::scene(&context, &evidence, RuleSet::Documented).unwrap()
}

/// A coverage block that attests everything.
pub(crate) fn clean() -> Value {
    json!({"truncated": false, "probed_pairs": 12, "distmax_m": 0.1,
           "noncollidable_side_geoms_excluded": 3, "uncertified_pairs": 0})
}

/// A pair at a distance.
pub(crate) fn pair(body_a: &str, body_b: &str, distance_m: f64) -> Value {
    json!({"body_a": body_a, "body_b": body_b, "distance_m": distance_m})
}

/// A stop line parsed from its tail.
pub(crate) fn stop(tail: &str) -> StopLine {
    deploy_log::parse(format!("safety.collision {tail}\n").as_bytes(), "log").unwrap().stop.unwrap()
}

/// A question about a stop, with its answer.
pub(crate) struct Case {
    pub(crate) stop: StopLine,
    pub(crate) snapshot: Value,
    pub(crate) grid_m: Option<f64>,
    pub(crate) monitor_records: Option<i64>,
}

impl Case {
    /// A stop against a snapshot whose three blocks are clean; the grid is 25 mm and the monitor heard a lot.
    pub(crate) fn new(tail: &str, snapshot: Value) -> Self {
        let mut object = map(json!({
            "nearest_probe_coverage": clean(), "nearest_payload_world_coverage": clean(),
            "nearest_payload_robot_coverage": clean(),
        }));
        object.extend(map(snapshot));
        Self {
            stop: stop(tail),
            snapshot: Value::Object(object),
            grid_m: Some(0.025),
            monitor_records: Some(412),
        }
    }

    /// Sets a value by its dotted path.
    pub(crate) fn with(mut self, path: &str, value: Value) -> Self {
        let mut at = &mut self.snapshot;
        for key in path.split('.') {
            at = map_mut(at).entry(key).or_insert(json!({}));
        }
        *at = value;
        self
    }

    /// Takes a value out by its dotted path.
    pub(crate) fn without(mut self, path: &str) -> Self {
        let (parents, last) = path.rsplit_once('.').map_or((None, path), |(p, l)| (Some(p), l));
        let mut at = &mut self.snapshot;
        for key in parents.iter().flat_map(|p| p.split('.')) {
            at = &mut at[key];
        }
        map_mut(at).remove(last);
        self
    }

    /// Takes the certification out of every block.
    pub(crate) fn uncertified(self) -> Self {
        self.without("nearest_probe_coverage.uncertified_pairs")
            .without("nearest_payload_world_coverage.uncertified_pairs")
            .without("nearest_payload_robot_coverage.uncertified_pairs")
    }

    pub(crate) fn grid(mut self, grid_m: Option<f64>) -> Self {
        self.grid_m = grid_m;
        self
    }

    pub(crate) fn records(mut self, records: Option<i64>) -> Self {
        self.monitor_records = records;
        self
    }

    /// By the documented rules.
    pub(crate) fn documented(&self) -> Adjudication {
        self.by(RuleSet::Documented)
    }

    /// By the extended rules.
    pub(crate) fn extended(&self) -> Adjudication {
        self.by(RuleSet::Extended)
    }

    /// By both, which must agree.
    pub(crate) fn both(&self) -> Adjudication {
        let documented = self.documented();
        let extended = self.extended();
        assert_eq!(Adjudication { rules: RuleSet::Documented, ..extended }, documented);
        documented
    }

    fn by(&self, rules: RuleSet) -> Adjudication {
        let object = map(self.snapshot.clone());
        adjudicate(&Question {
            stop: &self.stop,
            snapshot: Some(&object),
            snapshot_lost: false,
            grid_resolution_m: self.grid_m,
            monitor_records: self.monitor_records,
            rules,
        })
        .unwrap()
    }
}

pub(crate) fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("no object: {other}"),
    }
}

fn map_mut(value: &mut Value) -> &mut Map<String, Value> {
    value.as_object_mut().unwrap()
}

/// Copies a recorded round into a folder of its own.
pub(crate) fn copy_of(round: &Path) -> tempfile::TempDir {
    fn walk(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let (path, name) = entry.map(|e| (e.path(), e.file_name())).unwrap();
            if path.is_dir() {
                walk(&path, &to.join(name));
            } else {
                std::fs::write(to.join(name), std::fs::read(&path).unwrap()).unwrap();
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    walk(round, folder.path());
    folder
}
