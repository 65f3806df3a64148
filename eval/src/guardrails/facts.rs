//! What the host says, as plain data.
//!
//! Reference page, section 15.1. Filled by [`super::gather`], judged by the guards beside it. Times are nanoseconds since
//! 1970 in UTC.

use std::fmt;

/// The answer to a question to the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked<T> {
    /// The answer.
    Answer(T),
    /// None, and why.
    Unknown(String),
}

impl<T> Asked<T> {
    /// The answer, where there is one.
    pub fn answer(&self) -> Option<&T> {
        if let Self::Answer(answer) = self { Some(answer) } else { None }
    }

    /// Why there is no answer.
    pub fn unknown(&self) -> Option<&str> {
        if let Self::Unknown(reason) = self { Some(reason) } else { None }
    }
}

impl<T: fmt::Display> fmt::Display for Asked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(answer) => answer.fmt(f),
            Self::Unknown(reason) => write!(f, "unknown ({reason})"),
        }
    }
}

/// All that the guards ask the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFacts {
    /// Root of the checkout, absolute.
    pub repo_root: String,
    /// Lines of `git status --porcelain`, untracked files included.
    pub changes: Asked<Vec<String>>,
    /// Full commit of `HEAD`.
    pub head: Asked<String>,
    /// The built overlay and the sources it was built from.
    pub overlay: Asked<OverlayFacts>,
    /// The deploy command of this checkout.
    pub launcher: LauncherFacts,
    /// Whether the environment can talk to the policy's sidecar.
    pub sidecar: SidecarFacts,
    /// The GPU and who holds it.
    pub gpu: Asked<GpuFacts>,
}

/// Age of the overlay and of its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlayFacts {
    /// The folder `install`, absolute.
    pub folder: String,
    /// Its modification time, ns; none where the folder is missing.
    pub built_at_ns: Option<i64>,
    /// The source that changed last; none where there is no source.
    pub newest_source: Option<SourceTime>,
}

/// A source file and when it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTime {
    /// Path below the checkout, with `/`.
    pub path: String,
    /// Its modification time, ns.
    pub changed_at_ns: i64,
}

/// The deploy command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LauncherFacts {
    /// Its path, absolute.
    pub path: String,
    /// It is a file.
    pub exists: bool,
}

/// The import that the policy's adapter needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SidecarFacts {
    /// The Python that was asked, absolute.
    pub python: String,
    /// What came of `import zmq`.
    pub import: Import,
}

/// What came of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Import {
    /// It worked.
    Works,
    /// It failed, or could not be tried.
    Fails(String),
}

/// The GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuFacts {
    /// `nvidia-smi` is on the search path.
    pub tool_found: bool,
    /// What it calls the GPU; several GPUs give several lines.
    pub name: Option<String>,
    /// Compute processes that are resident: pid, name, memory, as printed.
    pub processes: Vec<String>,
}
