//! 17.6: rounds as a whole. R05 to R08 and R10 to R14 stand beside `diff` and `import`.

use crate::support::{copy_of, judge_all, recorded};
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::rounds::read::hex;
use rollcheck_eval::verdict::notes;
use rollcheck_eval::verdict::round::{self, Options, ReadError};
use sha2::{Digest, Sha256};

fn notes_of(folder: &std::path::Path) -> String {
    let recorded = round::read(folder, &Options::default()).unwrap();
    notes::notes(&recorded.metadata, &judge_all(folder), RuleSet::Documented)
}

#[test]
fn r01_a_folder_without_metadata_is_no_round() {
    let folder = tempfile::tempdir().unwrap();
    let error = round::read(folder.path(), &Options::default()).unwrap_err();
    assert!(matches!(error, ReadError::Missing { file: "metadata.json", .. }));
}

#[test]
fn r02_notes_of_2026_08_22() {
    let Some(folder) = recorded("2026-08-22-master-1") else { return };
    let text = notes_of(&folder);
    for part in [
        "# Round 2026-08-22-master-1 — validation matrix @ 2edcf67\n",
        "2edcf67c3b087958d475813fe19234c12e90698c",
        "(worktree clean: None)",
        "`panda_link5` vs `voxel_170781` (step 0) | -0.0209178 / -0.0209178 | unadjudicated |",
        "Safety-knob overrides present: **False**",
        "Graded velocity band: **disabled**",
        "| **estop-collision-unadjudicated** | False |",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn r03_notes_of_2026_08_23_name_the_deaf_monitors() {
    let Some(folder) = recorded("2026-08-23-master-s1") else { return };
    let text = notes_of(&folder);
    assert!(text.contains("- **Monitor received nothing**: baguette, sink_cup, fridge, utensil.\n"));
    assert!(text.contains("before the monitor saw a voxel grid: none.\n"), "{text}");
    assert!(text.contains("- Exemption active at the trip: baguette.\n"));
}

#[test]
fn r04_the_configuration_beside_the_artifacts_is_identified() {
    let Some(folder) = recorded("2026-08-22-master-1") else { return };
    let copy = copy_of(&folder);
    let recorded = round::read(copy.path(), &Options::default()).unwrap();
    let bytes = std::fs::read(copy.path().join("bag1/robocasa_baguette_place_seed1.yaml")).unwrap();
    assert_eq!(recorded.scenes[0].config_sha256, Some(hex(&Sha256::digest(bytes))));
}
