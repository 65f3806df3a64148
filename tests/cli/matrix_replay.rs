//! `matrix replay` and `--use-replay`, on a generated stop with cubes for links, and on recorded stops where they lie.
//!
//! At all joints zero, links 5 and 6 share an origin and link 7 stands 88 mm off in x: cubes of 80 mm are 8 mm apart, their
//! boxes of 90 mm overlap by 2 mm.

use crate::matrix::with_round;
use crate::support::{Workspace, check, check_words};
use rollcheck_engine::geometry::ConvexHull;
use rollcheck_engine::geometry::dop::Dop26;
use rollcheck_engine::store::atomic;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const REPLAY: [&str; 6] = ["matrix", "replay", "round", "utensil", "--robot", "robot.yaml"];

/// A round with a stop that no probe measured, and a robot of cubes: all with a box, link 4 without tight geometry, link 6
/// with a hull of unknown overhang.
fn workspace() -> Workspace {
    let workspace = with_round("generated-04-links");
    let cube = ConvexHull::of_box([0.04; 3]).unwrap();
    let stl = stl(&cube);
    // Smaller, so that no two distances are equal.
    let small = self::stl(&ConvexHull::of_box([0.03; 3]).unwrap());
    fs::create_dir(workspace.path("meshes")).unwrap();
    let dop = Dop26::around(cube.vertices()).unwrap();
    let mut yaml = "name: cubes\ncollision_geometry:\n".to_owned();
    for (n, overhang) in [(4, ""), (5, "0.0002"), (6, ""), (7, "0.0001")] {
        let mesh = if n == 6 { &small } else { &stl };
        atomic::write(&workspace.path(&format!("meshes/link{n}.stl")), mesh.as_bytes()).unwrap();
        let _ = writeln!(
            yaml,
            "  - link_name: panda_link{n}\n    mesh: meshes/link{n}.stl\n    shape: {{shape: box, half_extents_m: [0.045, \
             0.045, 0.045]}}"
        );
        if n == 4 {
            continue;
        }
        let vertices: Vec<[f64; 3]> = cube.vertices().iter().map(|p| [p.x, p.y, p.z]).collect();
        let _ = writeln!(
            yaml,
            "    tight_geometry:\n      dop_lo_m: {:?}\n      dop_hi_m: {:?}\n      hull_vertices_m: {vertices:?}",
            dop.lo_m, dop.hi_m
        );
        if !overhang.is_empty() {
            let _ = writeln!(yaml, "      hull_overhang_m: {overhang}");
        }
    }
    atomic::write(&workspace.path("robot.yaml"), yaml.as_bytes()).unwrap();
    workspace
}

/// A hull as an ASCII STL file.
fn stl(hull: &ConvexHull) -> String {
    let mut stl = "solid hull\n".to_owned();
    for facet in 0..hull.facets().len() {
        stl += "facet normal 0 0 0\nouter loop\n";
        for p in hull.corners(facet) {
            let _ = writeln!(stl, "vertex {} {} {}", p.x, p.y, p.z);
        }
        stl += "endloop\nendfacet\n";
    }
    stl + "endsolid hull\n"
}

/// Changes the text of a file.
fn edit(workspace: &Workspace, name: &str, from: &str, to: &str) {
    let path = workspace.path(name);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{name} has no {from}");
    atomic::write(&path, text.replace(from, to).as_bytes()).unwrap();
}

/// Where faces lie flat on each other, any of their points is a witness.
fn without_witness(text: &str) -> String {
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("  witness ")).collect();
    kept.join("\n") + "\n"
}

#[test]
fn help() {
    check("help_matrix_replay", &workspace().run(&["matrix", "replay", "--help"]));
}

#[test]
fn a_stop_is_replayed_in_both_states_on_record() {
    let workspace = workspace();
    check("matrix_replay", &without_witness(&workspace.run(&REPLAY)));
    let found = workspace.json(&REPLAY);
    assert_eq!(found["replay"]["held_against"], "predicted");
    let named = &found["replay"]["states"][0]["named_pair"];
    let number = |key: &str| named[key].as_f64().unwrap();
    assert!((number("distance_m") - 0.008).abs() < 1e-9 && named["certified"] == true);
    assert!((number("box_sat_m") + 0.002).abs() < 1e-9);
    assert_eq!(found["replay"]["states"][0]["pairs"].as_array().unwrap().len(), 6);
    assert_eq!(
        (&found["documented"]["verdict"], &found["documented"]["source"]),
        (&"unadjudicated".into(), &Value::Null)
    );
    assert_eq!(found["with_replay"]["source"], "engine-replay");
}

#[test]
fn the_page_is_written_and_holds_the_numbers() {
    let workspace = workspace();
    let output = workspace.output(&[&REPLAY[..], &["--html", "page.html"]].concat());
    assert_eq!(output.status.code(), Some(0));
    let page = fs::read_to_string(workspace.path("page.html")).unwrap();
    for text in
        ["panda_link5 against panda_link7", "-31.9 mm", "8.000 mm", "engine-replay", "In the measured state"]
    {
        assert!(page.contains(text), "no {text}");
    }
    assert!(!page.contains("<script"));
}

#[test]
fn a_replay_changes_a_verdict_only_where_it_is_asked_for() {
    let workspace = workspace();
    let explain = ["matrix", "explain", "round", "utensil"];
    let asked = [&explain[..], &["--use-replay", "--robot", "robot.yaml"]].concat();
    let truth = |args: &[&str]| workspace.json(args)["adjudication"].clone();
    assert_eq!(truth(&explain)["reason_ids"], serde_json::json!(["R4"]));
    // 8 + 31.9 mm exceed the overhangs, but below zero two hulled links give a number of their boxes.
    let doubted = truth(&asked);
    assert_eq!((&doubted["verdict"], &doubted["reason_ids"][0]), (&"unadjudicated".into(), &"E1".into()));
    check_words("matrix_explain_replay", &workspace.run(&asked));
    edit(&workspace, "round/utensil/run_deploy.log", "depth_is_box_bound=0", "depth_is_box_bound=1");
    assert_eq!(truth(&explain)["verdict"], "unadjudicated");
    let cleared = truth(&asked);
    assert_eq!(
        (&cleared["verdict"], &cleared["bound"]["kind"]),
        (&"within-quantization".into(), &"engine-replay".into())
    );

    let document = |args: &[&str]| {
        let output = workspace.output(&[&["matrix", "verdicts", "round"], args].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read_to_string(workspace.path("round/verdicts.json")).unwrap()
    };
    let documented = document(&[]);
    assert!(!documented.contains("engine-replay"));
    let with = document(&["--use-replay", "--robot", "robot.yaml"]);
    let with: Value = serde_json::from_str(&with).unwrap();
    let sources: Vec<&Value> =
        with["scenes"].as_array().unwrap().iter().map(|s| &s["ground_truth"]["source"]).collect();
    assert_eq!(sources.iter().filter(|s| s.is_string()).count(), 1, "{sources:?}");
    assert_eq!(document(&[]), documented);
}

#[test]
fn what_cannot_be_replayed_is_exit_5_and_what_cannot_be_read_exit_2() {
    let workspace = workspace();
    let ends = |args: &[&str], code: i32, words: &str| {
        let output = workspace.output(args);
        let said = [&output.stdout[..], &output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(words), "{said}");
    };
    let with = |extra: &[&'static str]| [&REPLAY[..], extra].concat();
    ends(&["matrix", "replay", "round", "kitchen", "--robot", "robot.yaml"], 2, "kitchen");
    ends(&["matrix", "replay", "round", "utensil", "--robot", "none.yaml"], 2, "none.yaml");
    ends(&["matrix", "explain", "round", "utensil", "--use-replay"], 2, "--robot");
    ends(&with(&["--urdf", "robot.yaml"]), 2, "robot.yaml");
    ends(&with(&["--meshes", "nowhere"]), 5, "no mesh file was found");
    fs::remove_file(workspace.path("meshes/link7.stl")).unwrap();
    ends(&REPLAY, 5, "panda_link7");
    atomic::write(&workspace.path("meshes/link7.stl"), b"solid\nendsolid\n").unwrap();
    ends(&REPLAY, 2, "link7.stl");
    edit(&workspace, "robot.yaml", "panda_link7", "panda_link3");
    edit(&workspace, "robot.yaml", "link7.stl", "link6.stl");
    ends(&REPLAY, 2, "link `panda_link7` is unknown");
    let other = with_round("generated-02-arm-world");
    fs::create_dir(other.path("meshes")).unwrap();
    for name in ["robot.yaml", "meshes/link4.stl", "meshes/link5.stl", "meshes/link6.stl"] {
        atomic::write(&other.path(name), &fs::read(workspace.path(name)).unwrap()).unwrap();
    }
    let output = other.output(&["matrix", "replay", "round", "baguette", "--robot", "robot.yaml"]);
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&output.stdout).contains("is no pair of links"));
}

fn shared(test: &str) -> Option<PathBuf> {
    let root = std::env::var_os("ROLLCHECK_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    if root.join("panda").exists() {
        return Some(root);
    }
    // Past the harness's capture, so that a skip is seen.
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: there is no {}", root.join("panda").display());
    None
}

#[test]
fn the_recorded_stops_of_september_replay_from_their_joints() {
    let Some(root) = shared("the_recorded_stops_of_september_replay_from_their_joints") else { return };
    let workspace = Workspace::new();
    let path = |below: &str| root.join(below).display().to_string();
    let robot = path("panda/panda_tight_geometry.yaml");
    let run = |round: &str, scene: &str, more: &[&str]| {
        let round = path(&format!("rounds/{round}"));
        let output = workspace
            .output(&[&["matrix", "replay", &round, scene, "--robot", &robot, "--json"], more].concat());
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), found)
    };
    let near =
        |value: &Value, mm: f64| assert!((1000.0 * value.as_f64().unwrap() - mm).abs() <= 0.02, "{value}");
    let (code, found) = run("2026-09-04-post200-2", "sink_cup", &[]);
    assert_eq!(code, Some(0));
    let state = &found["replay"]["states"][0];
    assert_eq!(state["state"], "measured");
    near(&state["named_pair"]["distance_m"], 5.35);
    near(&state["named_pair"]["box_sat_m"], -27.58);
    let sentence = "the reported -31.9657 mm belongs to a predicted state not on record";
    assert!(found["replay"]["sentences"].as_array().unwrap().iter().any(|s| s == sentence));
    assert_eq!(found["documented"]["verdict"], "unadjudicated");
    // Nobody may call this stop false: what was reported is of another state.
    assert_eq!(found["with_replay"]["verdict"], "unadjudicated");

    for more in [&[][..], &["--from-recorded"]] {
        let (code, found) = run("2026-09-07-adr0101-live-1", "utensil", more);
        assert_eq!(code, Some(5), "a carried object has no hull");
        let states = found["replay"]["states"].as_array().unwrap();
        assert_eq!((&states[0]["state"], &states[1]["state"]), (&"predicted".into(), &"measured".into()));
        let probed: Vec<&Value> =
            states[1]["pairs"].as_array().unwrap().iter().filter(|p| p["probe_m"].is_number()).collect();
        let expected = [-36.336, -23.037, -4.553, 0.631, 0.975, 22.181, 68.682, 72.060];
        assert_eq!(probed.len(), expected.len());
        for (pair, mm) in probed.iter().zip(expected) {
            near(&pair["distance_m"], mm);
            assert_eq!(pair["certified"], true);
        }
    }
}
