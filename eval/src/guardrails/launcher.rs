//! Guard 4: the deploy command is that of this checkout.
//!
//! A wrapper elsewhere on the search path runs the code of another checkout, so the command is called by its absolute
//! path or not at all. Reference page, section 15.1.

use super::facts::LauncherFacts;
use super::refusal::Refusal;

/// The command below the checkout.
pub const LAUNCHER: &str = ".venv/bin/openral";

/// The command's absolute path.
pub fn check(launcher: &LauncherFacts) -> Result<&str, Refusal> {
    if launcher.exists {
        return Ok(&launcher.path);
    }
    Err(Refusal::NoLauncher { path: launcher.path.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_command_is_named_by_its_path() {
        let path = "/w/.venv/bin/openral".to_owned();
        let there = LauncherFacts { path, exists: true };
        assert_eq!(check(&there), Ok("/w/.venv/bin/openral"));
        let text = check(&LauncherFacts { exists: false, ..there }).unwrap_err().to_string();
        assert!(text.starts_with("/w/.venv/bin/openral is missing"), "{text}");
    }
}
