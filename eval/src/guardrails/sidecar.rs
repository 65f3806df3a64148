//! Guard 5: the environment can talk to the policy's sidecar.
//!
//! Without pyzmq the policy's adapter is dead and the round records a graph that does nothing. Reference page, sections
//! 1.2 and 15.1.

use super::facts::{Import, SidecarFacts};
use super::refusal::Refusal;

/// Python of the environment, below the checkout.
pub const PYTHON: &str = ".venv/bin/python";
/// Dependency groups of the environment that a round records.
pub const SYNC_GROUPS: [&str; 2] = ["robocasa", "sidecar-wire"];

/// Refuses an environment that cannot import it.
pub fn check(sidecar: &SidecarFacts) -> Result<(), Refusal> {
    match &sidecar.import {
        Import::Works => Ok(()),
        Import::Fails(reason) => {
            Err(Refusal::NoSidecarWire { python: sidecar.python.clone(), reason: reason.clone() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_import_names_the_sync_that_repairs_it() {
        let python = "/w/.venv/bin/python".to_owned();
        let works = SidecarFacts { python, import: Import::Works };
        assert_eq!(check(&works), Ok(()));
        let import = Import::Fails("ModuleNotFoundError: No module named 'zmq'".to_owned());
        let text = check(&SidecarFacts { import, ..works }).unwrap_err().to_string();
        assert!(text.contains("--group robocasa --group sidecar-wire"), "{text}");
        assert!(text.contains("/w/.venv/bin/python") && text.contains("No module named"), "{text}");
        let groups = SYNC_GROUPS.map(|group| format!("--group {group}")).join(" ");
        assert!(text.contains(&groups), "{text}");
    }
}
