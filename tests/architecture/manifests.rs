//! Dependencies between the crates of the workspace.

use crate::rules::MAY_USE;
use serde_json::Value;
use std::path::Path;

/// A crate and the crates of this project that its manifest names, whatever the kind of dependency.
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) uses: Vec<Use>,
}

/// One dependency.
pub(crate) struct Use {
    pub(crate) name: String,
    /// Only its tests and benches use it.
    pub(crate) dev: bool,
}

/// The crates as Cargo understands their manifests.
pub(crate) fn of_workspace(root: &Path) -> Vec<Crate> {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    packages
        .iter()
        .map(|package| Crate {
            name: package["name"].as_str().unwrap().to_owned(),
            uses: package["dependencies"]
                .as_array()
                .unwrap()
                .iter()
                .map(|d| Use { name: d["name"].as_str().unwrap().to_owned(), dev: d["kind"] == "dev" })
                .filter(|d| d.name.starts_with("rollcheck-"))
                .collect(),
        })
        .collect()
}

/// Every dependency that goes the wrong way, in words. Tests and benches of a crate may also use the
/// fixtures and the seeded inputs of the benches: nothing is above a test. The tests that the fixtures own may
/// also use the readers of what is generated.
pub(crate) fn violations(crates: &[Crate]) -> Vec<String> {
    const FOR_TESTS: [&str; 2] = ["rollcheck-fixtures", "rollcheck-benches"];
    let mut found = Vec::new();
    for Crate { name, uses } in crates {
        let Some((_, allowed)) = MAY_USE.iter().find(|(known, _)| known == name) else {
            found.push(format!("{name} has no place in the order of crates"));
            continue;
        };
        for used in uses {
            let of_fixtures = name == "rollcheck-fixtures" && used.name == "rollcheck-eval";
            let for_tests = used.dev && (of_fixtures || FOR_TESTS.contains(&used.name.as_str()));
            if !for_tests && !allowed.contains(&used.name.as_str()) {
                found.push(format!("{name} uses {}, which is not below it", used.name));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crate_using(name: &str, used: &str, dev: bool) -> [Crate; 1] {
        [Crate { name: name.to_owned(), uses: vec![Use { name: used.to_owned(), dev }] }]
    }

    #[test]
    fn a_dependency_upwards_is_found() {
        let engine = crate_using("rollcheck-engine", "rollcheck-models", false);
        assert_eq!(violations(&engine), ["rollcheck-engine uses rollcheck-models, which is not below it"]);
        let sideways = crate_using("rollcheck-eval", "rollcheck-models", true);
        assert_eq!(violations(&sideways).len(), 1, "not even for tests");
    }

    #[test]
    fn a_crate_without_a_place_is_found() {
        let stray = crate_using("rollcheck-utils", "rollcheck-kernels", false);
        assert_eq!(violations(&stray), ["rollcheck-utils has no place in the order of crates"]);
    }

    #[test]
    fn the_order_itself_and_test_inputs_pass() {
        assert!(violations(&crate_using("rollcheck-models", "rollcheck-engine", false)).is_empty());
        assert!(violations(&crate_using("rollcheck-engine", "rollcheck-fixtures", true)).is_empty());
        assert_eq!(violations(&crate_using("rollcheck-engine", "rollcheck-fixtures", false)).len(), 1);
        assert!(violations(&crate_using("rollcheck-fixtures", "rollcheck-eval", true)).is_empty());
        assert_eq!(violations(&crate_using("rollcheck-fixtures", "rollcheck-eval", false)).len(), 1);
    }
}
