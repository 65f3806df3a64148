//! A folder to run in, the binary, and snapshots that read the same on every machine.

use assert_cmd::Command;
use rollcheck_engine::store::{Arrays, Data, atomic, npz};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A fresh folder that every command of a test runs in.
pub(crate) struct Workspace {
    folder: tempfile::TempDir,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `rollcheck` with these arguments and tells what came of it, as a snapshot.
    pub(crate) fn run(&self, args: &[&str]) -> String {
        let before = files(self.folder.path());
        let output = self.output(args);
        let mut text = format!("$ {}\n", [&["rollcheck"], args].concat().join(" "));
        let _ =
            writeln!(text, "exit: {}", output.status.code().map_or("signal".to_owned(), |c| c.to_string()));
        for (name, stream) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let _ = write!(text, "--- {name}\n{}", String::from_utf8(stream.clone()).unwrap());
        }
        text += "--- files\n";
        for file in files(self.folder.path()).iter().filter(|f| !before.contains(f)) {
            let _ = writeln!(text, "{file}");
        }
        text
    }

    /// The same, as it is.
    pub(crate) fn output(&self, args: &[&str]) -> std::process::Output {
        Command::cargo_bin("rollcheck")
            .unwrap()
            .args(args)
            .current_dir(self.folder.path())
            .env_clear()
            .env("NO_COLOR", "1")
            .output()
            .unwrap()
    }

    /// Writes a file of episodes, changed by `change` before it is written.
    pub(crate) fn demos(&self, name: &str, change: impl FnOnce(&mut Episodes)) {
        let mut episodes = Episodes::default();
        change(&mut episodes);
        self.write_episodes(name, &episodes);
    }

    /// Writes a file of episodes.
    pub(crate) fn write_episodes(&self, name: &str, episodes: &Episodes) {
        npz::write(&self.path(name), &episodes.arrays()).unwrap();
    }

    /// Runs a command that must succeed, with `--json`; gives its object.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let output = self.output(&[args, &["--json"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// Graph, head and filter of [`Episodes::curves`], made once for all tests and copied into each test's folder.
pub(crate) struct Trained {
    folder: Workspace,
}

impl Trained {
    /// The one set; head and filter are barely trained.
    pub(crate) fn once() -> &'static Self {
        static ONCE: OnceLock<Trained> = OnceLock::new();
        ONCE.get_or_init(|| {
            let folder = Workspace::new();
            folder.write_episodes("demos.npz", &Episodes::curves());
            for args in [
                &["graph", "build", "demos.npz", "--out", "a"][..],
                &TRAIN,
                &["track", "fit", "--demos", "demos.npz", "--artifacts", "a"],
            ] {
                let output = folder.output(args);
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            }
            Self { folder }
        })
    }

    /// A fresh folder with `demos.npz` and the artifacts in `a`.
    pub(crate) fn workspace(&self) -> Workspace {
        let fresh = Workspace::new();
        for file in files(self.folder.folder.path()) {
            let to = fresh.path(&file);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            atomic::write(&to, &fs::read(self.folder.path(&file)).unwrap()).unwrap();
        }
        fresh
    }
}

/// Trains on `demos.npz` into `a`, for a moment.
pub(crate) const TRAIN: [&str; 12] = [
    "head",
    "train",
    "--demos",
    "demos.npz",
    "--graph",
    "a",
    "--out",
    "a",
    "--epochs",
    "1",
    "--windows-per-epoch",
    "16",
];

/// Files below a folder, by path, sorted.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    fn walk(folder: &Path, prefix: &str, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{name}/"), found);
            } else {
                found.push(name);
            }
        }
    }
    let mut found = Vec::new();
    walk(folder, "", &mut found);
    found.sort();
    found
}

/// Four short episodes of two tasks with two joints; coordinates are exact in binary, so that figures and
/// the graph's hash are the same on every machine.
pub(crate) struct Episodes {
    pub(crate) q: Vec<f64>,
    pub(crate) dof: usize,
    pub(crate) gripper: Vec<u8>,
    pub(crate) start: Vec<i32>,
    pub(crate) task: Vec<i16>,
    pub(crate) rate_hz: f64,
}

impl Default for Episodes {
    fn default() -> Self {
        const FRAMES: i32 = 41;
        let (mut q, mut gripper) = (Vec::new(), Vec::new());
        for episode in 0..4 {
            for frame in 0..FRAMES {
                let along = f64::from(frame) / 64.0;
                q.extend([along + f64::from(episode) / 128.0, 0.5 - along * f64::from(1 + episode % 2)]);
                gripper.push(u8::from((16..30).contains(&frame)));
            }
        }
        let start = (0..=4).map(|episode| episode * FRAMES).collect();
        Self { q, dof: 2, gripper, start, task: vec![3, 3, 8, 8], rate_hz: 20.0 }
    }
}

impl Episodes {
    /// Three tasks of four demos each and a task of one, three joints, 80 frames: smooth curves that differ by
    /// task and a little by demo, long enough for ten checks.
    pub(crate) fn curves() -> Self {
        const FRAMES: i32 = 80;
        let task: Vec<i16> = [[0; 4], [1; 4], [5; 4]].concat().into_iter().chain([9]).collect();
        let (mut q, mut gripper) = (Vec::new(), Vec::new());
        for (episode, &task) in task.iter().enumerate() {
            let (shift, side) = (f64::from(episode as i32 % 4) / 128.0, f64::from(task) / 8.0);
            for frame in 0..FRAMES {
                let along = f64::from(frame) / f64::from(FRAMES - 1);
                q.extend([along + shift, side + along * along, along * (1.0 - along) - shift]);
                gripper.push(u8::from((40..60).contains(&frame)));
            }
        }
        let start = (0..=task.len() as i32).map(|episode| episode * FRAMES).collect();
        Self { q, dof: 3, gripper, start, task, rate_hz: 20.0 }
    }

    fn arrays(&self) -> Arrays {
        let mut arrays = Arrays::new("demos");
        arrays.push("q", &[self.q.len() / self.dof, self.dof], Data::F64(self.q.clone()));
        arrays.push("gripper", &[self.gripper.len()], Data::U8(self.gripper.clone()));
        arrays.push("demo_start", &[self.start.len()], Data::I32(self.start.clone()));
        arrays.push("demo_task", &[self.task.len()], Data::I16(self.task.clone()));
        arrays.push("rate_hz", &[], Data::F64(vec![self.rate_hz]));
        arrays
    }
}

/// Compares what is said, not what was measured: digits and the width of columns are filtered, because trained
/// figures differ between processors. Exit codes stay, as words.
pub(crate) fn check_words(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.add_filter(r"[0-9a-f]{64}", "[HASH]");
    for (code, words) in [("0", "done"), ("2", "input"), ("3", "refused")] {
        settings.add_filter(&format!(r"exit: {code}\n"), format!("exit: {words}\n"));
    }
    settings.add_filter(r"-?\d+(\.\d+)?", "#");
    settings.add_filter(r"-{3,}\n", "---\n");
    settings.add_filter(r" {2,}", "  ");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Compares with the snapshot of this name; versions are filtered.
pub(crate) fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.add_filter(r"rollcheck \d+\.\d+\.\d+", "rollcheck [VERSION]");
    settings.bind(|| insta::assert_snapshot!(name, text));
}
