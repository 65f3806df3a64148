//! `hull`, `obb` and `budget` on the generated robot, on broken meshes, and on the Panda where its files are at hand.

use crate::support::{Workspace, check};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder with the generated robot.
fn block_arm() -> Workspace {
    let workspace = Workspace::new();
    for entry in fs::read_dir(rollcheck_fixtures::path("meshes")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), workspace.path(&entry.file_name().to_string_lossy())).unwrap();
    }
    workspace
}

fn snapshot(name: &str, args: &[&str]) {
    check(name, &block_arm().run(&[args, &["--no-progress"]].concat()));
}

#[test]
fn deriving_prints_the_blocks_of_a_manifest() {
    snapshot("hull_derive", &["hull", "derive", "--robot", "robot.yaml", "--link", "block_link3"]);
    snapshot(
        "hull_derive_rounded",
        &["hull", "derive", "--robot", "robot.yaml", "--link", "block_link5", "--rounded"],
    );
}

#[test]
fn a_derived_block_stands_under_its_link_as_it_is() {
    let workspace = block_arm();
    let robot = fs::read_to_string(workspace.path("robot.yaml")).unwrap();
    let args = ["hull", "derive", "--robot", "robot.yaml", "--out", "tight.yaml", "--rounded", "-q"];
    let output = workspace.output(&args);
    assert!(output.status.success() && output.stdout.is_empty());
    let fragment = fs::read_to_string(workspace.path("tight.yaml")).unwrap();
    let mut blocks = fragment.split("    # ").skip(1);
    let mut pasted = String::new();
    for (index, link) in robot.split("  - link_name").enumerate() {
        if index == 0 {
            pasted += link;
            continue;
        }
        let head = link.split("    tight_geometry").next().unwrap();
        pasted.extend(["  - link_name", head, "    # ", blocks.next().unwrap()]);
    }
    fs::write(workspace.path("pasted.yaml"), pasted).unwrap();
    let found = workspace.json(&["hull", "check", "--robot", "pasted.yaml", "-q"]);
    assert_eq!(found["links"].as_array().unwrap().len(), 5);
    assert!(found["links"].as_array().unwrap().iter().all(|link| link["holds"] == true));
}

#[test]
fn a_check_of_what_was_derived_passes() {
    snapshot("hull_check", &["hull", "check", "--robot", "robot.yaml", "--html", "check.html"]);
}

#[test]
fn a_check_tells_of_every_link_before_it_refuses() {
    let workspace = block_arm();
    let text = fs::read_to_string(workspace.path("robot.yaml")).unwrap();
    let text = text.replacen("hull_overhang_m: 0.0288", "hull_overhang_m: 0.0239", 1);
    fs::write(workspace.path("robot.yaml"), text).unwrap();
    fs::remove_file(workspace.path("block_link2.obj")).unwrap();
    let args = ["hull", "check", "--robot", "robot.yaml", "--no-progress"];
    check("hull_check_refused", &workspace.run(&args));
}

#[test]
fn overhangs_are_measured_on_the_robot_and_on_one_mesh() {
    snapshot("hull_overhang", &["hull", "overhang", "--robot", "robot.yaml", "--html", "overhang.html"]);
    snapshot(
        "hull_overhang_mesh",
        &["hull", "overhang", "--mesh", "block_link5.stl", "--cap", "1000", "--json"],
    );
}

#[test]
fn a_box_is_measured_against_a_grid() {
    snapshot(
        "obb_voxels_box",
        &[
            "obb",
            "voxels",
            "voxels.npz",
            "--half",
            "0.1,0.1,0.1",
            "--pose",
            "0,0,0,0,0,0",
            "--margin",
            "0.12",
            "--staged",
            "--per-cell",
            "cells.csv",
        ],
    );
}

#[test]
fn a_robot_is_measured_against_points() {
    snapshot(
        "obb_voxels_robot",
        &[
            "obb",
            "voxels",
            "points.ply",
            "--resolution",
            "0.0625",
            "--robot",
            "robot.yaml",
            "--urdf",
            "block_arm.urdf",
            "--joints",
            "0,0.5,0,0.5",
            "--staged",
        ],
    );
}

#[test]
fn arguments_that_cannot_be_meant() {
    for (name, args) in [
        (
            "obb_voxels_no_resolution",
            &["obb", "voxels", "points.ply", "--half", "1,1,1", "--pose", "0,0,0,0,0,0"][..],
        ),
        ("obb_voxels_flat_box", &["obb", "voxels", "voxels.npz", "--half", "1,0,1", "--pose", "0,0,0,0,0,0"]),
        ("obb_voxels_joints", &["obb", "voxels", "voxels.npz", "--robot", "robot.yaml", "--joints", "0,1"]),
        ("hull_derive_unknown_link", &["hull", "derive", "--robot", "robot.yaml", "--link", "elbow"]),
        ("hull_overhang_both", &["hull", "overhang", "--robot", "robot.yaml", "--mesh", "block_link5.stl"]),
        ("budget_resolution", &["budget", "--robot", "robot.yaml", "--resolution", "0"]),
    ] {
        snapshot(name, args);
    }
}

#[test]
fn budgets_stand_side_by_side() {
    snapshot(
        "budget",
        &["budget", "--robot", "robot.yaml", "--resolution", "0.025", "--payload", "payload.stl"],
    );
    snapshot("budget_json", &["budget", "--robot", "robot.yaml", "--resolution", "0.025", "--json"]);
}

/// A link that stands for nothing but its broken mesh.
fn broken(file: &str) -> Workspace {
    let workspace = Workspace::new();
    let from = rollcheck_fixtures::path("cases/H11-stl-empty-and-cut").join(file);
    fs::copy(from, workspace.path(file)).unwrap();
    let text = format!(
        "name: r\ncollision_geometry:\n  - link_name: arm\n    mesh: {file}\n    shape: {{ shape: box, half_extents_m: [9.0, 9.0, 9.0] }}\n"
    );
    fs::write(workspace.path("r.yaml"), text).unwrap();
    workspace
}

#[test]
fn no_broken_mesh_gives_a_number() {
    let case = rollcheck_fixtures::path("cases/H11-stl-empty-and-cut/expected.json");
    let cases: Value = serde_json::from_slice(&fs::read(case).unwrap()).unwrap();
    assert_eq!(cases.as_object().unwrap().len(), 8);
    for file in cases.as_object().unwrap().keys() {
        let workspace = broken(file);
        for args in [
            &["hull", "derive", "--robot", "r.yaml"][..],
            &["hull", "overhang", "--robot", "r.yaml"],
            &["hull", "overhang", "--mesh", file],
            &["budget", "--robot", "r.yaml", "--resolution", "0.025"],
        ] {
            let output = workspace.output(args);
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{file} {args:?}: {said}");
            assert!(output.stdout.is_empty(), "{file} {args:?}");
            assert!(
                said.contains(file) && (args[2] == "--mesh" || said.contains("link `arm`")),
                "{args:?}: {said}"
            );
        }
    }
}

/// The folder of recorded and published data, or a visible skip.
fn shared(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("ROLLCHECK_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    if folder.join("panda").is_dir() {
        return Some(folder.canonicalize().unwrap());
    }
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: no panda in {}", folder.display());
    None
}

/// The exit code and what was said of a check of a changed manifest.
fn checked(shared: &Path, more: &[&str], change: impl Fn(&str) -> String) -> (Option<i32>, String) {
    let workspace = Workspace::new();
    let text = fs::read_to_string(shared.join("panda/panda_tight_geometry.yaml")).unwrap();
    let changed = change(&text);
    fs::write(workspace.path("panda.yaml"), changed).unwrap();
    let meshes = shared.join("panda/meshes");
    let args = ["hull", "check", "--robot", "panda.yaml", "--meshes", meshes.to_str().unwrap(), "-q"];
    let output = workspace.output(&[&args, more].concat());
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// The text of one link with something in it replaced.
fn in_link(text: &str, number: usize, change: impl Fn(&str) -> String) -> String {
    let from = text.find(&format!("link_name: panda_link{number}")).unwrap();
    let to = text[from..].find("\n  - link_name").map_or(text.len(), |at| from + at);
    format!("{}{}{}", &text[..from], change(&text[from..to]), &text[to..])
}

fn first_vertex(link: &str, change: impl Fn([f64; 3]) -> [f64; 3]) -> String {
    let from = link.find("        - [").unwrap() + 11;
    let to = from + link[from..].find(']').unwrap();
    let xyz: Vec<f64> = link[from..to].split(", ").map(|x| x.parse().unwrap()).collect();
    let [x, y, z] = change([xyz[0], xyz[1], xyz[2]]);
    format!("{}{x}, {y}, {z}{}", &link[..from], &link[to..])
}

#[test]
fn the_published_panda_passes_with_one_warning_and_fails_where_it_should() {
    let Some(shared) = shared("the_published_panda_passes_with_one_warning_and_fails_where_it_should") else {
        return;
    };
    let (code, said) = checked(&shared, &[], str::to_owned);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with(
        "warning: panda_link2: hull_overhang_m is 0.000217 m where the recipe gives 0.000144 m"
    ));
    let refused = |more: &[&str], change: &dyn Fn(&str) -> String, words: &str| {
        let (code, said) = checked(&shared, more, change);
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains("FAIL panda_link") && said.contains(words), "{said}");
    };
    refused(&["--tolerance", "1e-9"], &str::to_owned, "outside the slabs");
    // A micrometre towards the middle of the box.
    let inwards = |p: [f64; 3]| {
        let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
        p.map(|x| x * (1.0 - 1e-6 / length))
    };
    refused(&[], &|text| in_link(text, 4, |link| first_vertex(link, inwards)), "outside the declared hull");
    let overhang = |number, from: &'static str, to: &'static str| {
        move |text: &str| in_link(text, number, |link| link.replacen(from, to, 1))
    };
    // The supremum of link 5 is 218.93 um.
    refused(&[], &overhang(5, "hull_overhang_m: 0.000259", "hull_overhang_m: 0.000216933"), "past its mesh");
    let (code, said) =
        checked(&shared, &[], overhang(5, "hull_overhang_m: 0.000259", "hull_overhang_m: 0.0005"));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("panda_link5: hull_overhang_m is 0.0005 m"), "{said}");
    let many = |link: &str| {
        let at = link.find("        - [").unwrap();
        let line = &link[at..=at + link[at..].find('\n').unwrap()];
        format!("{}{}{}", &link[..at], line.repeat(321 - 152), &link[at..])
    };
    refused(&[], &|text| in_link(text, 3, many), "too_many_vertices: 321");
    let past = |link: &str| {
        let from = link.find("dop_hi_m: [").unwrap() + 11;
        let to = from + link[from..].find(',').unwrap();
        format!("{}{}{}", &link[..from], 0.0552_f64.next_up(), &link[to..])
    };
    refused(&[], &|text| in_link(text, 2, past), "escapes_box");
    refused(
        &[],
        &|text| {
            text.replace("mesh: meshes/link6.stl", "mesh: meshes/none.stl")
                .replace("panda_link6", "panda_link66")
        },
        "link66",
    );
}

#[test]
fn the_budget_of_the_panda_is_the_recorded_one() {
    let Some(shared) = shared("the_budget_of_the_panda_is_the_recorded_one") else { return };
    let log = shared.join("rounds/2026-09-07-adr0101-live-1/utensil/run_deploy.log");
    let log = String::from_utf8_lossy(&fs::read(log).unwrap()).into_owned();
    let line = log.lines().find(|line| line.contains("sim.estop_ground_truth_snapshot {")).unwrap();
    let object = &line[line.find('{').unwrap()..];
    let recorded: Value = serde_json::Deserializer::from_str(object).into_iter().next().unwrap().unwrap();
    let recorded = &recorded["adjudication_budget"];
    let robot = shared.join("panda/panda_tight_geometry.yaml");
    let workspace = Workspace::new();
    let args = ["budget", "--robot", robot.to_str().unwrap(), "--resolution", "0.025", "-q"];
    let ours = workspace.json(&args)["adjudication_budget"].clone();
    let links = recorded["collision_model_slop"]["links"].as_object().unwrap();
    assert_eq!(links.len(), 7);
    for (name, theirs) in links {
        for (key, value) in theirs.as_object().unwrap() {
            let our = &ours["collision_model_slop"]["links"][name][key];
            if name == "panda_link2" && key == "hull_overhang_m" {
                assert_eq!((our.as_f64(), value.as_f64()), (Some(0.000_144), Some(0.000_217)));
            } else {
                assert_eq!(our, value, "{name}.{key}");
            }
        }
    }
    for key in ["max_corner_slop_m", "unresolved_links"] {
        assert_eq!(ours["collision_model_slop"][key], recorded["collision_model_slop"][key], "{key}");
    }
    for key in ["admissible_gap_m", "max_corner_slop_m", "voxel_half_diagonal_m", "probe_distmax_default_m"] {
        assert_eq!(ours[key], recorded[key], "{key}");
    }
    for key in ["admissible_gap_box_m", "max_corner_slop_m"] {
        assert_eq!(ours["link_link"][key], recorded["link_link"][key], "link_link.{key}");
    }
}
