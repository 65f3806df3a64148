//! `matrix preflight`: every guard of a round on a small checkout, and nothing launched or written.
//!
//! The checkout, its programs and `nvidia-smi` are stand-ins made here; git is the real one. Without git a test says
//! SKIPPED and passes.

#![cfg(unix)]

use crate::support::{Workspace, check, files};
use serde_json::Value;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};
use std::time::{Duration, UNIX_EPOCH};

const SCENE: &str = "\
seed: 1

hal:
  collision_margin_m: 0.02
place_declaration:
  target_id: sim:cab_1_left_group_main
";

const SCENES: [&str; 4] =
    ["robocasa_baguette", "robocasa_sink_cup", "robocasa_fridge_drawer", "robocasa_drawer_utensil"];

struct Checkout {
    workspace: Workspace,
}

impl Checkout {
    /// A clean, built checkout in `repo`; none without git.
    fn new(test: &str) -> Option<Self> {
        if Command::new("git").arg("--version").output().is_err() {
            let _ = writeln!(std::io::stderr(), "SKIPPED {test}: no git");
            return None;
        }
        let checkout = Self { workspace: Workspace::new() };
        for scene in SCENES {
            checkout.put(&format!("repo/scenes/deploy/{scene}.yaml"), SCENE);
        }
        checkout.put("repo/cpp/kernel.cpp", "int main() {}\n");
        checkout.put("repo/.gitignore", "install/\n.venv/\noutputs/\n");
        checkout.program("repo/.venv/bin/openral", "exit 9");
        checkout.program("repo/.venv/bin/python", "exit 0");
        checkout.program("bin/nvidia-smi", "case $1 in --query-gpu*) echo 'NVIDIA GB10';; esac");
        fs::create_dir_all(checkout.workspace.path("repo/install")).unwrap();
        checkout.git(&["init", "-q"]);
        checkout.commit();
        let source =
            fs::File::options().write(true).open(checkout.workspace.path("repo/cpp/kernel.cpp")).unwrap();
        source.set_modified(UNIX_EPOCH + Duration::from_secs(1_700_000_000)).unwrap();
        checkout.built_at(1_700_000_060);
        Some(checkout)
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.workspace.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn program(&self, name: &str, script: &str) {
        self.put(name, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(self.workspace.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn built_at(&self, s: u64) {
        let folder = fs::File::open(self.workspace.path("repo/install")).unwrap();
        folder.set_modified(UNIX_EPOCH + Duration::from_secs(s)).unwrap();
    }

    fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .arg("-C")
            .arg(self.workspace.path("repo"))
            .args([
                "-c",
                "user.name=test",
                "-c",
                "user.email=test@example.invalid",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(args)
            .envs(FIXED)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "scenes"]);
    }

    /// Runs the command in the checkout, with its own programs first on the search path.
    fn output(&self, args: &[&str]) -> Output {
        let mut path = OsString::from(self.workspace.path("bin"));
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        Command::new(env!("CARGO_BIN_EXE_rollcheck"))
            .args(["matrix", "preflight"])
            .args(args)
            .current_dir(self.workspace.path("repo"))
            .env_clear()
            .envs(FIXED)
            .env("NO_COLOR", "1")
            .env("PATH", path)
            .output()
            .unwrap()
    }

    /// What came of it as a snapshot: paths and commit replaced, and every byte below the folder compared.
    fn run(&self, args: &[&str]) -> String {
        let before = self.everything();
        let output = self.output(args);
        assert!(self.everything() == before, "something was written");
        let repo = self.workspace.path("repo").canonicalize().unwrap();
        let head = self.git(&["rev-parse", "HEAD"]);
        let mut text = format!("$ {}\n", [&["rollcheck", "matrix", "preflight"], args].concat().join(" "));
        let _ = writeln!(text, "exit: {}", output.status.code().unwrap());
        for (name, stream) in [("stdout", output.stdout), ("stderr", output.stderr)] {
            let _ = write!(text, "--- {name}\n{}", String::from_utf8(stream).unwrap());
        }
        text.replace(repo.to_str().unwrap(), "[REPO]")
            .replace(&head, "[HEAD]")
            .replace(&head[..12], "[HEAD12]")
    }

    fn everything(&self) -> Vec<(String, Vec<u8>)> {
        let root = self.workspace.path("");
        files(&root).into_iter().map(|name| (name.clone(), fs::read(root.join(name)).unwrap())).collect()
    }

    fn json(&self, args: &[&str], code: i32) -> Value {
        let output = self.output(&[args, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn refused(&self, args: &[&str]) -> String {
        let text = self.run(args);
        assert!(text.contains("exit: 3\n"), "{text}");
        text.split_once("\nGUARDRAIL: ").unwrap().1.to_owned()
    }
}

/// Neither the machine's nor the user's git configuration, and the same commit every time.
const FIXED: [(&str, &str); 6] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_AUTHOR_DATE", "2026-08-22T10:00:00Z"),
    ("GIT_COMMITTER_DATE", "2026-08-22T10:00:00Z"),
    ("HOME", "/nonexistent"),
    ("LC_ALL", "C"),
];

#[test]
fn a_sound_checkout_passes() {
    let Some(checkout) = Checkout::new("a_sound_checkout_passes") else { return };
    let head = checkout.git(&["rev-parse", "HEAD"]);
    check("matrix_preflight", &checkout.run(&["--expect-sha", &head[..12]]));
    check("matrix_preflight_json", &checkout.run(&["--scenes", "fridge", "--seed", "7", "--json"]));
    let json = checkout.json(&[], 0);
    assert_eq!(json["accepted"], true);
    assert_eq!(json["guards"][2]["facts"]["built_at_ns"], 1_700_000_060_000_000_000_i64);
    assert_eq!(json["guards"][8]["facts"]["scenes"].as_array().unwrap().len(), 4);
}

#[test]
fn g03_another_commit_exits_3_and_leaves_no_directory() {
    let Some(checkout) = Checkout::new("g03_another_commit_exits_3_and_leaves_no_directory") else { return };
    let zeros = "0".repeat(40);
    check("matrix_preflight_wrong_commit", &checkout.run(&["--expect-sha", &zeros]));
    assert!(!checkout.workspace.path("repo/outputs").exists());
}

#[test]
fn all_that_is_wrong_is_shown_and_the_first_gives_the_text() {
    let Some(checkout) = Checkout::new("all_that_is_wrong_is_shown_and_the_first_gives_the_text") else {
        return;
    };
    checkout.put("repo/notes.txt", "x");
    checkout.built_at(1);
    fs::remove_file(checkout.workspace.path("repo/.venv/bin/openral")).unwrap();
    checkout
        .program("repo/.venv/bin/python", "echo \"ModuleNotFoundError: No module named 'zmq'\" >&2; exit 1");
    checkout.program(
        "bin/nvidia-smi",
        "case $1 in --query-gpu*) echo 'NVIDIA GB10';; *) echo '812, python3, 9012 MiB';; esac; exit 4",
    );
    let flat = "seed: 1\nruntime: {enable_octomap_kernel_check: true}\n";
    checkout.put("repo/scenes/deploy/robocasa_sink_cup.yaml", flat);
    fs::remove_file(checkout.workspace.path("repo/scenes/deploy/robocasa_fridge_drawer.yaml")).unwrap();
    let args = ["--deploy-arg", "--hal", "--deploy-arg", "collision_margin_m=0.0"];
    check("matrix_preflight_all_wrong", &checkout.run(&args));
    let json = checkout.json(&args, 3);
    assert_eq!(json["accepted"], false);
    let states: Vec<&str> =
        json["guards"].as_array().unwrap().iter().map(|guard| guard["state"].as_str().unwrap()).collect();
    assert_eq!(
        states,
        [
            "refused",
            "not applicable",
            "refused",
            "refused",
            "refused",
            "refused",
            "refused",
            "refused",
            "refused"
        ]
    );
    assert_eq!(json["refusal"], json["guards"][0]["refusal"]);
}

#[test]
fn each_guard_refuses_alone_with_its_words() {
    let Some(checkout) = Checkout::new("each_guard_refuses_alone_with_its_words") else { return };
    let install = checkout.workspace.path("repo/install");
    fs::remove_dir(&install).unwrap();
    assert!(checkout.refused(&[]).contains("no built overlay"));
    fs::create_dir(&install).unwrap();
    checkout.built_at(0);
    assert!(checkout.refused(&[]).contains("is older than cpp/kernel.cpp"));
    checkout.built_at(1_700_000_060);

    checkout.program("repo/.venv/bin/python", "exit 1");
    assert!(checkout.refused(&[]).contains("--group robocasa --group sidecar-wire"));
    checkout.program("repo/.venv/bin/python", "exit 0");

    checkout.program("bin/nvidia-smi", "echo '812, python3, 9012 MiB'");
    let text = checkout.refused(&[]);
    assert!(text.contains("812, python3, 9012 MiB") && text.contains("--force-shared-gpu"), "{text}");
    assert!(checkout.run(&["--force-shared-gpu"]).contains("exit: 0\n"));
    checkout.program("bin/nvidia-smi", "exit 0");

    let text = checkout.refused(&["--deploy-arg=--enable-octomap-kernel-check=false"]);
    assert!(text.contains("`--enable-octomap-kernel-check=false` matches the safety-knob pattern"), "{text}");
    assert!(checkout.refused(&["--robot", "estop_arm"]).contains("`estop_arm`"));

    checkout.put("repo/scenes/deploy/robocasa_sink_cup.yaml", "seed: 1\nruntime:\n    enable_slam: true\n");
    checkout.commit();
    assert!(checkout.refused(&[]).contains("scene `sink_cup` cannot be copied"));
    assert!(checkout.run(&["--scenes", "fridge", "baguette"]).contains("exit: 0\n"), "it is not selected");

    checkout.put(
        "repo/scenes/deploy/robocasa_sink_cup.yaml",
        "seed: 1\nruntime: {enable_octomap_kernel_check: true}\n",
    );
    checkout.commit();
    let text = checkout.refused(&[]);
    assert!(text.contains("1 safety key: runtime.enable_octomap_kernel_check: True -> <absent>"), "{text}");

    fs::remove_file(checkout.workspace.path("repo/.venv/bin/openral")).unwrap();
    assert!(checkout.refused(&[]).starts_with("[REPO]/.venv/bin/openral is missing"));
}

#[test]
fn what_cannot_be_meant_exits_2() {
    let Some(checkout) = Checkout::new("what_cannot_be_meant_exits_2") else { return };
    check("matrix_preflight_no_scene", &checkout.run(&["--scenes", "kettle"]));
    for args in [
        &["--repo", "nowhere"][..],
        &["--repo", ".gitignore"],
        &["--expect-sha", ""],
        &["--seed", "-1"],
        &["--stem", "../x"],
    ] {
        let text = checkout.run(args);
        assert!(text.contains("exit: 2\n--- stdout\n--- stderr\nerror: "), "{text}");
    }
    let text = checkout.run(&["--scenes", "kettle", "fridge"]);
    assert!(text.contains("exit: 0\n"), "{text}");
    assert!(text.contains("warning: --scenes kettle: no scene of the matrix, ignored"), "{text}");
    checkout.put("repo/notes.txt", "x");
    assert!(checkout.refused(&["--scenes", "kettle"]).starts_with("worktree is dirty"), "guards come first");
}

#[test]
fn a_folder_that_is_no_checkout_is_refused() {
    let Some(checkout) = Checkout::new("a_folder_that_is_no_checkout_is_refused") else { return };
    fs::remove_dir_all(checkout.workspace.path("repo/.git")).unwrap();
    let above = Command::new("git").arg("-C").arg(checkout.workspace.path("repo")).arg("rev-parse").output();
    if above.is_ok_and(|output| output.status.success()) {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED a_folder_that_is_no_checkout_is_refused: a repository above"
        );
        return;
    }
    let output = checkout.output(&["--repo", "."]);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("GUARDRAIL: whether the worktree is clean is unknown: "), "{text}");
}

#[test]
fn help() {
    check("help_matrix_preflight", &Workspace::new().run(&["matrix", "preflight", "--help"]));
}
