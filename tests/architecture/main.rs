//! The direction of use: which crate, and inside a crate which folder, may use which.
//!
//! [`manifests`] checks dependencies between crates, [`sources`] what a source file names, [`rules`] holds
//! the orders both check against. Each is shown able to fail on small made-up inputs beside it; the tests
//! here apply them to the workspace as it is.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod manifests;
mod rules;
mod sources;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every `.rs` file below a folder, by its path from there with `/`, sorted.
fn rust_files(folder: &Path) -> Vec<(String, String)> {
    fn walk(folder: &Path, inside: &str, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                walk(&path, &format!("{inside}{name}/"), found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push((format!("{inside}{name}"), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    if folder.is_dir() {
        walk(folder, "", &mut found);
    }
    found.sort();
    found
}

#[test]
fn crates_use_only_crates_below_them() {
    let crates = manifests::of_workspace(&root());
    assert!(crates.iter().any(|c| c.name == "rollcheck-engine"), "the workspace was read");
    assert_eq!(manifests::violations(&crates), Vec::<String>::new());
}

/// Whole files that their parent declares under `#[cfg(test)]`; a test may use whatever it needs.
fn is_test_module(file: &str) -> bool {
    file.ends_with("tests.rs") || file.ends_with("testing.rs")
}

#[test]
fn a_file_that_is_left_out_is_declared_for_tests_only() {
    for order in rules::FOLDER_ORDERS {
        let files = rust_files(&root().join(order.crate_folder).join("src"));
        let declares = |name: &str| {
            let declaration = format!("#[cfg(test)] mod {name};");
            let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            files.iter().any(|(_, text)| spaced(text).contains(&declaration))
        };
        for (file, _) in files.iter().filter(|(file, _)| is_test_module(file)) {
            let name = file.trim_end_matches(".rs").rsplit('/').next().unwrap_or_default();
            assert!(declares(name), "{}/src/{file}", order.crate_folder);
        }
    }
}

#[test]
fn folders_use_only_folders_above_them() {
    let mut violations = Vec::new();
    for order in rules::FOLDER_ORDERS {
        let files = rust_files(&root().join(order.crate_folder).join("src"));
        assert!(!files.is_empty(), "{} was read", order.crate_folder);
        for (file, text) in files.iter().filter(|(file, _)| !is_test_module(file)) {
            violations.extend(sources::order_violations(order, file, text));
        }
    }
    assert_eq!(violations, Vec::<String>::new());
}

#[test]
fn deciding_code_knows_no_path_clock_environment_or_process() {
    let mut violations = Vec::new();
    for deciding in rules::DECIDING {
        let files = rust_files(&root().join(deciding.crate_folder).join("src"));
        let decides = |file: &str| deciding.files.iter().any(|d| file.starts_with(d));
        for (file, text) in files.iter().filter(|(file, _)| decides(file) && !is_test_module(file)) {
            violations.extend(sources::world_violations(deciding.crate_folder, file, text));
        }
        for part in deciding.files {
            assert!(files.iter().any(|(f, _)| f.starts_with(part)), "{} has {part}", deciding.crate_folder);
        }
    }
    assert_eq!(violations, Vec::<String>::new());
}

#[test]
fn unsafe_code_stays_in_the_kernels() {
    let mut violations = Vec::new();
    for entry in std::fs::read_dir(root()).unwrap() {
        let path = entry.unwrap().path();
        let folder = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !path.join("Cargo.toml").is_file() || rules::UNSAFE_ALLOWED.contains(&folder.as_str()) {
            continue;
        }
        for (file, text) in rust_files(&path.join("src")) {
            violations.extend(sources::unsafe_violations(&folder, &file, &text));
        }
    }
    assert_eq!(violations, Vec::<String>::new());
}
