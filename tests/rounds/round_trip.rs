//! R05 and R09 from the recorded files to the printed difference: import, verdicts, diff.
//!
//! Both rounds are copied without their `metadata.json` and imported with what that file says nobody can derive: host,
//! GPU, sync groups and where the round lay.

use crate::support::{copy_of, recorded};
use rollcheck_eval::adjudication::outcome::Outcome;
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::round_ops::diff::{ScopeRecorded, Side, diff};
use rollcheck_eval::round_ops::import_rules::ImportArgs;
use rollcheck_eval::round_ops::{diff_text, import};
use rollcheck_eval::rounds::layout::METADATA_FILE;
use rollcheck_eval::verdict::round::{self, Options};
use rollcheck_eval::verdict::schema::{RoundVerdicts, SceneDelta};
use rollcheck_eval::verdict::{derive, json};
use serde_json::{Map, Value, json};
use std::fs;

/// A round after its import.
struct Imported {
    recorded: Vec<u8>,
    made: Vec<u8>,
    verdicts: RoundVerdicts,
}

impl Imported {
    fn side(&self) -> Side<'_> {
        let metadata = json::object_from_slice(&self.made, METADATA_FILE).unwrap();
        Side { verdicts: &self.verdicts, scope: Some(ScopeRecorded::of(&metadata)) }
    }
}

fn text(metadata: &Map<String, Value>, key: &str) -> String {
    metadata[key].as_str().unwrap().to_owned()
}

/// A copy of a recorded round, imported and judged from what the import wrote.
fn imported(id: &str) -> Option<Imported> {
    let copy = copy_of(&recorded(id)?);
    let file = copy.path().join(METADATA_FILE);
    let recorded = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let told = json::object_from_slice(&recorded, METADATA_FILE).unwrap();
    let groups = told["sync_groups"].as_array().unwrap();
    let args = ImportArgs {
        round_id: text(&told, "round_id"),
        executed_sha: text(&told, "executed_sha"),
        stem: text(&told, "artifact_stem"),
        scene_aliases: Vec::new(),
        seed: told["seed"].as_i64().unwrap(),
        rskill_id: text(&told, "rskill_id"),
        host: text(&told, "host"),
        gpu_name: Some(text(&told, "gpu_name")),
        sync_groups: groups.iter().map(|group| group.as_str().unwrap().to_owned()).collect(),
        started_at: String::new(),
        imported_from: text(&told, "imported_from"),
    };
    let imported = import::import(copy.path(), &args).unwrap();
    std::fs::write(copy.path().join("metadata.json"), &imported.metadata).unwrap();
    let made = fs::read(&file).unwrap();
    let round = round::read(copy.path(), &Options::default()).unwrap();
    let rules = RuleSet::Documented;
    let judge = |scene: &round::RecordedScene| {
        derive::scene(&round.context(scene), scene.evidence.as_ref().unwrap(), rules).unwrap()
    };
    let scenes: Vec<_> = round.scenes.iter().map(judge).collect();
    let derived = derive::round(&round.metadata, &scenes, rules);
    // As `diff` reads it: through the file's bytes.
    let verdicts = json::verdicts_from_slice(&json::write_verdicts(&derived), "verdicts.json").unwrap();
    Some(Imported { recorded, made, verdicts })
}

fn both() -> Option<(Imported, Imported)> {
    Some((imported("2026-08-22-master-1")?, imported("2026-08-16-master-1")?))
}

#[test]
fn r09_the_imported_metadata_are_the_recorded_ones_but_a_configuration_that_was_not_kept() {
    let Some((new, old)) = both() else { return };
    assert_eq!(String::from_utf8_lossy(&new.made), String::from_utf8_lossy(&new.recorded));
    let [mut made, mut recorded] =
        [&old.made, &old.recorded].map(|bytes| json::object_from_slice(bytes, METADATA_FILE).unwrap());
    assert_eq!(made["scene_configs"], json!({}));
    let kept = recorded["scene_configs"].clone();
    assert_eq!(kept, json!({"baguette": "bag1/robocasa_baguette_place_seed1.yaml"}));
    made.remove("scene_configs");
    recorded.remove("scene_configs");
    assert_eq!(made, recorded);
    let empty = String::from_utf8(old.made.clone()).unwrap();
    let filled = empty.replace(
        "\"scene_configs\": {},",
        "\"scene_configs\": {\n    \"baguette\": \"bag1/robocasa_baguette_place_seed1.yaml\"\n  },",
    );
    assert_eq!(filled, String::from_utf8_lossy(&old.recorded), "in every other byte");
}

#[test]
fn r05_the_two_rounds_are_one_thing_run_twice_and_the_evidence_moved() {
    let Some((new, old)) = both() else { return };
    let diff = diff(new.side(), old.side());
    assert!(diff.is_reproducibility());
    let [baguette, rest @ ..] = &diff.scenes[..] else { panic!("no scene") };
    assert_eq!((baguette.scene.as_str(), baguette.changed), ("baguette", false));
    let moved = |field: &str| {
        let change = &baguette.changed_fields[field];
        [change.from.clone(), change.to.clone()]
    };
    assert_eq!(moved("stop.party_a"), [json!("attached:sim:obj_main"), json!("panda_link5")]);
    assert_eq!(moved("stop.min_distance_m")[1], json!(-0.020_917_8));
    assert_eq!(moved("stop.sweep_min_distance_m")[0], json!(-0.035_533_8));
    assert_eq!(moved("witness.kernel_witness_armed"), [json!(2), json!(1)]);
    assert_eq!(moved("witness.kernel_witness_separated"), [json!(0), json!(1)]);
    let seen = |delta: &SceneDelta| {
        (delta.scene.clone(), delta.changed, delta.baseline_outcome, delta.changed_fields.len())
    };
    let expected = ["sink_cup", "fridge", "utensil"].map(|key| (key.to_owned(), true, None, 0));
    assert_eq!(rest.iter().map(seen).collect::<Vec<_>>(), expected);
    assert!(rest.iter().all(|delta| delta.outcome == Some(Outcome::EstopCollisionUnadjudicated)));
}

#[test]
fn r05_the_whole_text_of_the_difference() {
    let Some((new, old)) = both() else { return };
    assert_eq!(
        diff_text::text(&diff(new.side(), old.side())),
        "\
2026-08-16-master-1 -> 2026-08-22-master-1  (reproducibility)
  same    ros_domain_id   not recorded -> not recorded
  same    ros_automatic_discovery_range   not recorded -> not recorded
  same    rule_set   documented -> documented
  same    baguette   estop-collision-unadjudicated -> estop-collision-unadjudicated
           task_success_steps: 632 -> 1285 (not comparable between rounds)
           stop.party_a: attached:sim:obj_main -> panda_link5
           stop.party_b: voxel_92208 -> voxel_170781
           stop.min_distance_m: -0.00418456 -> -0.0209178
           stop.sweep_min_distance_m: -0.0355338 -> -0.0209178
           ground_truth.nearest_tripping_party_m: -0.017412 -> None
           witness.kernel_witness_armed: 2 -> 1
           witness.kernel_witness_separated: 0 -> 1
           ground_truth.budget_source: grid-quantization -> grid-quantization
  CHANGED sink_cup   None -> estop-collision-unadjudicated
  CHANGED fridge     None -> estop-collision-unadjudicated
  CHANGED utensil    None -> estop-collision-unadjudicated
"
    );
}
