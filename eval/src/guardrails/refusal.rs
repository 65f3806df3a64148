//! Why a round is not run.
//!
//! Reference page, section 15.1. Each text carries the words that section asks for. Nothing was written; the exit code
//! is 3.

use super::safety_scene::Moved;

/// Most entries of a list that a message shows.
const SHOWN_MAX: usize = 10;

/// A guard's refusal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The repository does not say whether it is clean, or which commit it is at.
    #[error("{what} is unknown: {reason}")]
    GitUnknown {
        /// What was asked.
        what: &'static str,
        /// Why there is no answer.
        reason: String,
    },
    /// The commit does not describe what would run.
    #[error(
        "worktree is dirty: {count} of `git status --porcelain`: {shown}; commit, stash or remove them",
        count = counted(changes.len(), "line"), shown = listed(changes)
    )]
    Dirty {
        /// Lines of `git status --porcelain`.
        changes: Vec<String>,
    },
    /// Another commit than the one asked for.
    #[error("wrong checkout: HEAD is {head}, --expect-sha asks for {expected}")]
    WrongCheckout {
        /// Full commit of `HEAD`.
        head: String,
        /// The commit asked for.
        expected: String,
    },
    /// Nothing is built.
    #[error("no built overlay: {folder} is not a directory; build it with `just ros2-build`")]
    NoOverlay {
        /// Where it would be.
        folder: String,
    },
    /// The overlay does not hold the sources.
    #[error(
        "{folder} is older than {source_path}: built at {built_at_ns} ns, changed at {changed_at_ns} ns; rebuild with \
         `rm -rf build install log && just ros2-build`"
    )]
    StaleOverlay {
        /// The overlay.
        folder: String,
        /// A newer source, below the checkout.
        source_path: String,
        /// Time of the overlay, ns since 1970.
        built_at_ns: i64,
        /// Time of the source, ns since 1970.
        changed_at_ns: i64,
    },
    /// The times cannot be read.
    #[error("whether the overlay is fresh is unknown: {reason}")]
    OverlayUnknown {
        /// Why.
        reason: String,
    },
    /// The checkout has no deploy command of its own.
    #[error("{path} is missing; the command of another checkout would run another checkout's code")]
    NoLauncher {
        /// Where it would be.
        path: String,
    },
    /// The policy's adapter would be dead.
    #[error(
        "pyzmq cannot be imported by {python}: {reason}; sync with `just sync --group robocasa --group sidecar-wire`"
    )]
    NoSidecarWire {
        /// The Python that was asked.
        python: String,
        /// What it said.
        reason: String,
    },
    /// Somebody computes there.
    #[error(
        "the GPU is in use: {count}: {shown}; --force-shared-gpu runs beside them",
        count = counted(processes.len(), "compute process"), shown = processes.join("; ")
    )]
    SharedGpu {
        /// The processes, as `nvidia-smi` prints them.
        processes: Vec<String>,
    },
    /// Whether somebody computes there cannot be told.
    #[error("who holds the GPU is unknown: {reason}; --force-shared-gpu runs all the same")]
    GpuUnknown {
        /// Why.
        reason: String,
    },
    /// A token of the command reads like a knob of the safety kernel.
    #[error(
        "the token `{token}` matches the safety-knob pattern `{pattern}`: a round observes the safety kernel and never \
         moves it"
    )]
    SafetyToken {
        /// The token.
        token: String,
        /// The pattern it matches.
        pattern: &'static str,
    },
    /// The tracked scene or its copy cannot be read.
    #[error("scene `{scene}` cannot be copied: {reason}")]
    Unread {
        /// Key of the scene.
        scene: String,
        /// Why.
        reason: String,
    },
    /// The copy does not say what it was made to say.
    #[error(
        "the copy of scene `{scene}` does not hold what it was made for: seed {seed_found}, expected {seed}; unpinned \
         keys: {keys}",
        keys = if unpinned.is_empty() { "none".to_owned() } else { unpinned.join(", ") }
    )]
    Unpinned {
        /// Key of the scene.
        scene: String,
        /// The seed asked for.
        seed: i64,
        /// The seed in the copy, as Python prints it.
        seed_found: String,
        /// Pins that the copy lacks, dotted.
        unpinned: Vec<String>,
    },
    /// The copy moves what the safety kernel is told.
    #[error(
        "the copy of scene `{scene}` moves {count}: {shown}",
        count = counted(moved.len(), "safety key"),
        shown = moved.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    )]
    SafetyMoved {
        /// Key of the scene.
        scene: String,
        /// The keys, sorted.
        moved: Vec<Moved>,
    },
}

/// `1 line`, `2 lines`, `2 compute processes`.
fn counted(count: usize, what: &str) -> String {
    let ending = match (count, what.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{count} {what}{ending}")
}

fn listed(lines: &[String]) -> String {
    let mut text =
        lines.iter().take(SHOWN_MAX).map(|line| format!("`{line}`")).collect::<Vec<_>>().join(", ");
    if lines.len() > SHOWN_MAX {
        text += ", ...";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_shown_in_part_and_counted_whole() {
        let changes = (0..12).map(|n| format!("?? {n}")).collect::<Vec<_>>();
        let text = Refusal::Dirty { changes }.to_string();
        assert!(text.starts_with("worktree is dirty: 12 lines of "), "{text}");
        assert!(text.contains("`?? 9`, ...;"), "{text}");
        assert!(!text.contains("`?? 10`"), "{text}");
        let one = Refusal::SharedGpu { processes: vec!["812, python, 900 MiB".to_owned()] };
        assert_eq!(
            one.to_string(),
            "the GPU is in use: 1 compute process: 812, python, 900 MiB; --force-shared-gpu runs beside them"
        );
    }
}
