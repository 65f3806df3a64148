//! The exit codes that section 17 of the reference page gives to rounds, of the real binary, by the ids of its rows.

use crate::matrix::with_round;
use crate::support::{Workspace, files};
use rollcheck_fixtures::rounds::{self, Expected, Mishap, Plot, RoundSpec, Scene, SceneSpec};
use std::fs;

/// The scene that the deploy command refused: the six-line usage error of section 6.2.
fn refused(scene: Scene) -> SceneSpec {
    let mishap = Mishap::UsageError { option: "--no-enable-reasoner".to_owned() };
    SceneSpec::new(scene, "an option was refused", Plot::broken(Some(mishap)), Expected::void(&["F4"]))
}

#[test]
fn o05_verdicts_of_four_usage_errors_are_exit_0_and_the_notes_have_harness_errors() {
    let workspace = Workspace::new();
    let scenes = Scene::ALL.map(refused).to_vec();
    let round = RoundSpec::new("usage-errors", "four refused options", 1, scenes);
    rounds::write(&round, &workspace.path("round")).unwrap();
    let output = workspace.output(&["matrix", "verdicts", "round", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let verdicts = fs::read(workspace.path("round/verdicts.json")).unwrap();
    let verdicts: serde_json::Value = serde_json::from_slice(&verdicts).unwrap();
    let scenes = verdicts["scenes"].as_array().unwrap();
    assert_eq!(scenes.len(), 4);
    for scene in scenes {
        assert_eq!((scene["outcome"].as_str(), scene["stop"].is_null()), (Some("harness-error"), true));
        assert!(scene["harness_error_reason"].as_str().unwrap().contains("--no-enable-reasoner"));
    }
    let notes = fs::read_to_string(workspace.path("round/NOTES.md")).unwrap();
    let named = notes.lines().find(|line| line.contains("Harness errors")).unwrap();
    for key in ["baguette", "sink_cup", "fridge", "utensil"] {
        assert!(notes.contains(key), "{named}");
    }
}

/// The page's round is a recorded one; what counts is that every scene was stopped.
#[test]
fn o19_verdicts_of_a_round_with_a_stop_in_every_scene_are_exit_0() {
    for id in ["generated-02-arm-world", "generated-05-instruments"] {
        let workspace = with_round(id);
        let output = workspace.output(&["matrix", "verdicts", "round"]);
        assert_eq!(output.status.code(), Some(0), "{id}");
        let verdicts = fs::read(workspace.path("round/verdicts.json")).unwrap();
        let verdicts: serde_json::Value = serde_json::from_slice(&verdicts).unwrap();
        let scenes = verdicts["scenes"].as_array().unwrap();
        assert_eq!(scenes.iter().filter(|scene| scene["stop"].is_object()).count(), 4, "{id}");
    }
}

#[test]
fn r01_verdicts_without_metadata_are_exit_2_and_nothing_is_written() {
    let workspace = with_round("generated-02-arm-world");
    fs::remove_file(workspace.path("round/metadata.json")).unwrap();
    let before = files(&workspace.path("round"));
    let output = workspace.output(&["matrix", "verdicts", "round"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: round: no metadata.json in this folder\n"), "{said}");
    assert_eq!(files(&workspace.path("round")), before);
}
