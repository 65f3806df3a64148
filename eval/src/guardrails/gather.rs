//! Asks the host what the guards judge: git, file times, the environment's Python, `nvidia-smi`.
//!
//! Reference page, section 15.1. Every program runs with a time limit and its output is bounded. Nothing is written: git
//! takes no optional lock, and Python writes no bytecode. Variables that point git at another repository are taken out.
//! A question without an answer becomes [`Asked::Unknown`]; nothing is refused here.

use super::facts::{
    Asked, GpuFacts, HostFacts, Import, LauncherFacts, OverlayFacts, SidecarFacts, SourceTime,
};
use super::gpu;
use super::launcher::LAUNCHER;
use super::overlay::{SOURCE_FOLDERS, SOURCE_SUFFIXES};
use super::sidecar::PYTHON;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Time allowed for one program.
const LIMIT: Duration = Duration::from_mins(1);
/// Longest output of a program that is kept, bytes.
const OUTPUT_MAX: u64 = 1 << 20;
/// Folders nested deeper than this are not searched for sources.
const DEPTH_MAX: usize = 64;
/// Largest tracked scene that is read, bytes: the YAML reader takes no more, and says so.
const SCENE_MAX: u64 = rollcheck_engine::store::yaml::BYTES_MAX as u64 + 1;

/// Asks everything. `repo` is the root of the checkout, absolute.
pub fn host(repo: &Path) -> HostFacts {
    HostFacts {
        repo_root: repo.display().to_string(),
        changes: changes(repo),
        head: head(repo),
        overlay: overlay(repo).map_or_else(Asked::Unknown, Asked::Answer),
        launcher: {
            let path = repo.join(LAUNCHER);
            LauncherFacts { path: path.display().to_string(), exists: path.is_file() }
        },
        sidecar: sidecar(repo),
        gpu: gpu_facts(),
    }
}

/// The bytes of a tracked scene; `config` is relative to the checkout.
pub fn tracked_scene(repo: &Path, config: &str) -> Asked<Vec<u8>> {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        std::fs::File::open(repo.join(config))?.take(SCENE_MAX).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    match read() {
        Ok(bytes) => Asked::Answer(bytes),
        Err(error) => Asked::Unknown(format!("{config}: {error}")),
    }
}

fn changes(repo: &Path) -> Asked<Vec<String>> {
    // A user's configuration may hide untracked files.
    match git(repo, &["status", "--porcelain", "--untracked-files=normal"]) {
        Ok(printed) => Asked::Answer(printed.lines().map(str::to_owned).collect()),
        Err(reason) => Asked::Unknown(reason),
    }
}

fn head(repo: &Path) -> Asked<String> {
    match git(repo, &["rev-parse", "--verify", "HEAD"]) {
        Ok(printed) if !printed.trim().is_empty() => Asked::Answer(printed.trim().to_owned()),
        Ok(_) => Asked::Unknown("git named no commit".to_owned()),
        Err(reason) => Asked::Unknown(reason),
    }
}

fn git(repo: &Path, args: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    command.arg("--no-optional-locks").arg("-C").arg(repo).args(args);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE"] {
        command.env_remove(variable);
    }
    let printed = printed(&mut command)?;
    if printed.succeeded { Ok(printed.out) } else { Err(printed.complaint("git")) }
}

/// Times of the overlay and of the source that changed last. Links to folders are not followed.
fn overlay(repo: &Path) -> Result<OverlayFacts, String> {
    let folder = repo.join("install");
    let built_at_ns = match std::fs::metadata(&folder) {
        Ok(found) if found.is_dir() => Some(changed_at_ns(found.modified(), &folder)?),
        Ok(_) => None,
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(format!("{}: {error}", folder.display())),
    };
    let mut newest = None;
    for below in SOURCE_FOLDERS {
        if repo.join(below).is_dir() {
            search(repo, below, 0, &mut newest)?;
        }
    }
    Ok(OverlayFacts { folder: folder.display().to_string(), built_at_ns, newest_source: newest })
}

fn search(repo: &Path, below: &str, depth: usize, newest: &mut Option<SourceTime>) -> Result<(), String> {
    let failed = |error: io::Error| format!("{below}: {error}");
    if depth > DEPTH_MAX {
        return Err(format!("{below}: folders nested deeper than {DEPTH_MAX}"));
    }
    for entry in std::fs::read_dir(repo.join(below)).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = format!("{below}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().map_err(failed)?.is_dir() {
            // A name that is not UTF-8 cannot be joined again from its text.
            let inner = entry.file_name();
            let Some(name) = inner.to_str() else { return Err(format!("{path}: a name that is not UTF-8")) };
            search(repo, &format!("{below}/{name}"), depth + 1, newest)?;
            continue;
        }
        let file = entry.path();
        let suffix = file.extension().and_then(OsStr::to_str);
        if !suffix.is_some_and(|suffix| SOURCE_SUFFIXES.contains(&suffix)) {
            continue;
        }
        // A link counts as what it leads to; one that leads nowhere, as itself.
        let found = std::fs::metadata(&file).or_else(|_| std::fs::symlink_metadata(&file)).map_err(failed)?;
        if found.is_dir() {
            continue;
        }
        let time = changed_at_ns(found.modified(), &file)?;
        let later = newest.as_ref().is_none_or(|known| {
            time > known.changed_at_ns || (time == known.changed_at_ns && path < known.path)
        });
        if later {
            *newest = Some(SourceTime { path, changed_at_ns: time });
        }
    }
    Ok(())
}

fn changed_at_ns(time: io::Result<SystemTime>, path: &Path) -> Result<i64, String> {
    let time = time.map_err(|error| format!("{}: {error}", path.display()))?;
    let ns = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()),
        Err(before) => i64::try_from(before.duration().as_nanos()).map(|ns| -ns),
    };
    ns.map_err(|_| format!("{}: its time does not fit 64 bits of nanoseconds", path.display()))
}

fn sidecar(repo: &Path) -> SidecarFacts {
    let python = repo.join(PYTHON);
    let mut command = Command::new(&python);
    command.args(["-B", "-c", "import zmq"]).current_dir(repo);
    let import = match printed(&mut command) {
        Ok(printed) if printed.succeeded => Import::Works,
        Ok(printed) => Import::Fails(printed.complaint("it")),
        Err(reason) => Import::Fails(reason),
    };
    SidecarFacts { python: python.display().to_string(), import }
}

fn gpu_facts() -> Asked<GpuFacts> {
    let Some(tool) = on_search_path("nvidia-smi") else { return Asked::Answer(GpuFacts::default()) };
    // Whether it succeeded is not asked: what it prints is shown.
    let ask =
        |query: &str| printed(Command::new(&tool).args([query, "--format=csv,noheader"])).map(|p| p.out);
    let facts = || -> Result<GpuFacts, String> {
        let name = gpu::name(&ask("--query-gpu=name")?);
        let processes = gpu::processes(&ask("--query-compute-apps=pid,process_name,used_memory")?);
        Ok(GpuFacts { tool_found: true, name, processes })
    };
    facts().map_or_else(Asked::Unknown, Asked::Answer)
}

/// A program on the search path.
fn on_search_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// What a program printed.
struct Printed {
    succeeded: bool,
    code: String,
    out: String,
    err: String,
}

impl Printed {
    /// Its last word on standard error, or how it ended.
    fn complaint(&self, who: &str) -> String {
        match self.err.lines().map(str::trim).rfind(|line| !line.is_empty()) {
            Some(line) => line.to_owned(),
            None => format!("{who} ended with {}", self.code),
        }
    }
}

/// Runs a program to its end, or to the limit.
fn printed(command: &mut Command) -> Result<Printed, String> {
    run(command, LIMIT)
}

fn run(command: &mut Command, limit: Duration) -> Result<Printed, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let until = Instant::now() + limit;
    let late = || format!("{name} gave no answer within {} s", limit.as_secs_f64());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{name}: {error}"))?;
    let out = drain(child.stdout.take());
    let err = drain(child.stderr.take());
    // A program that it left behind may hold a pipe open, so the pipes are waited for no longer than the limit.
    let text = |pipe: &mpsc::Receiver<Vec<u8>>| {
        let left = until.saturating_duration_since(Instant::now());
        pipe.recv_timeout(left).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|_| late())
    };
    let both = text(&out).and_then(|out| Ok((out, text(&err)?)));
    let (out, err) = match both {
        Ok(both) => both,
        Err(reason) => {
            let _ = child.kill();
            let _ = child.wait();
            return Err(reason);
        }
    };
    let status = loop {
        match child.try_wait().map_err(|error| format!("{name}: {error}"))? {
            Some(status) => break status,
            None if Instant::now() >= until => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(late());
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    Ok(Printed { succeeded: status.success(), code: status.to_string(), out, err })
}

/// Reads a pipe to its end beside the program, keeping the beginning.
fn drain(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (give, take) = mpsc::channel();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.by_ref().take(OUTPUT_MAX).read_to_end(&mut kept);
            let _ = io::copy(&mut pipe, &mut io::sink());
        }
        // Nobody listens any more after the limit.
        let _ = give.send(kept);
    });
    take
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test puts files in place")]
mod tests {
    use super::*;

    fn source(repo: &Path, name: &str, at_s: u64) {
        let path = repo.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "x").unwrap();
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(at_s)).unwrap();
    }

    #[test]
    fn the_newest_source_is_found_among_the_suffixes_that_need_a_build() {
        let repo = tempfile::tempdir().unwrap();
        let facts = || overlay(repo.path()).unwrap();
        assert_eq!((facts().built_at_ns, facts().newest_source), (None, None));
        source(repo.path(), "cpp/kernel/src/a.cpp", 100);
        source(repo.path(), "packages/msgs/msg/B.msg", 200);
        source(repo.path(), "packages/msgs/msg/A.msg", 200);
        source(repo.path(), "packages/x/new.py", 900);
        source(repo.path(), "packages/x/.h", 900);
        source(repo.path(), "scripts/new.cpp", 900);
        std::fs::create_dir_all(repo.path().join("packages/folder.h")).unwrap();
        let newest = facts().newest_source.unwrap();
        assert_eq!(
            (newest.path.as_str(), newest.changed_at_ns),
            ("packages/msgs/msg/A.msg", 200_000_000_000)
        );
        std::fs::write(repo.path().join("install"), "a file").unwrap();
        assert_eq!(facts().built_at_ns, None);
        std::fs::remove_file(repo.path().join("install")).unwrap();
        std::fs::create_dir(repo.path().join("install")).unwrap();
        assert!(facts().built_at_ns.unwrap() > 1_700_000_000_000_000_000);
    }

    #[cfg(unix)]
    #[test]
    fn links_to_folders_are_not_followed_and_a_link_to_nothing_counts_as_itself() {
        let repo = tempfile::tempdir().unwrap();
        source(repo.path(), "cpp/a.cpp", 100);
        std::os::unix::fs::symlink(".", repo.path().join("cpp/loop")).unwrap();
        assert_eq!(overlay(repo.path()).unwrap().newest_source.unwrap().path, "cpp/a.cpp");
        std::os::unix::fs::symlink("nowhere", repo.path().join("cpp/b.hpp")).unwrap();
        assert_eq!(overlay(repo.path()).unwrap().newest_source.unwrap().path, "cpp/b.hpp");
    }

    #[test]
    fn a_time_before_1970_is_negative() {
        let before = UNIX_EPOCH - Duration::from_nanos(5);
        assert_eq!(changed_at_ns(Ok(before), Path::new("x")), Ok(-5));
        assert_eq!(changed_at_ns(Ok(UNIX_EPOCH + Duration::from_nanos(1)), Path::new("x")), Ok(1));
    }

    #[test]
    fn a_folder_that_is_no_repository_gives_no_answer() {
        let folder = tempfile::tempdir().unwrap();
        // The folder may lie below a repository of the user, which git would answer for.
        let nested = Command::new("git").arg("-C").arg(folder.path()).arg("rev-parse").output();
        if !nested.is_ok_and(|output| !output.status.success()) {
            use std::io::Write as _;
            let _ = writeln!(
                io::stderr(),
                "SKIPPED a_folder_that_is_no_repository_gives_no_answer: no git, or a repository above"
            );
            return;
        }
        let host = host(folder.path());
        assert!(host.changes.unknown().unwrap().contains("not a git repository"), "{:?}", host.changes);
        assert!(host.head.unknown().is_some());
        assert!(!host.launcher.exists && host.launcher.path.ends_with(LAUNCHER));
        assert!(matches!(host.sidecar.import, Import::Fails(_)));
        assert!(
            tracked_scene(folder.path(), "scenes/x.yaml").unknown().unwrap().starts_with("scenes/x.yaml: ")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_heard_to_its_end_or_to_the_limit() {
        let shell = |script: &str, limit| run(Command::new("/bin/sh").args(["-c", script]), limit);
        let long = Duration::from_mins(1);
        let spoken = shell("echo out; echo first >&2; echo ' last ' >&2; exit 3", long).unwrap();
        assert_eq!((spoken.out.as_str(), spoken.succeeded), ("out\n", false));
        assert_eq!(spoken.complaint("it"), "last");
        assert_eq!(shell("exit 3", long).unwrap().complaint("it"), "it ended with exit status: 3");
        let flood = shell("head -c 3000000 /dev/zero", long).unwrap();
        assert_eq!((flood.out.len(), flood.succeeded), (1 << 20, true));
        let asked = Instant::now();
        let late = shell("sleep 30", Duration::from_millis(50)).err().unwrap();
        assert_eq!(late, "/bin/sh gave no answer within 0.05 s");
        assert!(asked.elapsed() < Duration::from_secs(20));
        assert!(
            run(&mut Command::new("/nowhere/at/all"), long).err().unwrap().starts_with("/nowhere/at/all: ")
        );
    }
}
