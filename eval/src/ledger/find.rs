//! From what was named to the rounds it means.
//!
//! An argument is a round, a folder that holds rounds (searched [`MAX_DEPTH`] folders down), or a pattern with `*`, `?`,
//! `[..]` or `**`, as a shell reads it. A folder is a round when it holds `metadata.json`; with
//! [`Search::from_recorded`], also when it holds `verdicts.json`, and a folder that was named and holds a scene of the matrix
//! counts too. Inside a round nobody searches further. Links to folders are followed where they were named, never in a
//! search, so that a loop ends. What a search passes over is not lost without a word: links, and folders too far down,
//! are listed unless they were searched on another way.
//!
//! What means no round is a subject too, with the reason: nothing that was named is lost. Subjects are sorted by path;
//! a folder that is reached in two ways counts once, under the first of its paths.

use crate::rounds::layout::{self, MATRIX};
use glob::{MatchOptions, Pattern};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// How many folders below an argument rounds are looked for.
pub const MAX_DEPTH: usize = 4;

/// What counts as a round.
#[derive(Clone, Copy, Debug, Default)]
pub struct Search {
    /// Folders without `metadata.json` may be rounds.
    pub from_recorded: bool,
}

/// A round, or something that was named and is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// As found.
    pub path: PathBuf,
    /// Why it is none.
    pub damage: Option<String>,
}

impl Subject {
    /// The path with `/`.
    pub fn shown(&self) -> String {
        let shown = self.path.to_string_lossy();
        if std::path::MAIN_SEPARATOR == '/' {
            shown.into_owned()
        } else {
            shown.replace(std::path::MAIN_SEPARATOR, "/")
        }
    }
}

/// What the arguments mean, and what was not looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The subjects of all arguments.
    pub subjects: Vec<Subject>,
    /// Links to folders that a search met and did not follow, by path.
    pub links: Vec<PathBuf>,
    /// Folders that were too far down to be searched, by path: the first of each branch, not what is in it.
    pub too_deep: Vec<PathBuf>,
}

/// What was met so far.
#[derive(Default)]
struct Trail {
    subjects: Vec<Subject>,
    links: BTreeSet<PathBuf>,
    too_deep: BTreeSet<PathBuf>,
    searched: Vec<PathBuf>,
}

impl Trail {
    fn push(&mut self, subject: Subject) {
        self.subjects.push(subject);
    }
}

/// Searches all arguments.
pub fn subjects(arguments: &[PathBuf], search: Search) -> Found {
    let mut trail = Trail::default();
    for argument in arguments {
        of_argument(argument, search, &mut trail);
    }
    let Trail { mut subjects, links, too_deep, searched } = trail;
    subjects.sort_by_cached_key(Subject::shown);
    let mut seen = BTreeSet::new();
    subjects.retain(|subject| seen.insert(canonical(&subject.path)));
    if !links.is_empty() || !too_deep.is_empty() {
        seen.extend(searched.iter().map(|path| canonical(path)));
    }
    let missed = |paths: BTreeSet<PathBuf>| {
        paths.into_iter().filter(|path| !seen.contains(&canonical(path))).collect::<Vec<_>>()
    };
    Found { links: missed(links), too_deep: missed(too_deep), subjects }
}

/// What has no canonical path counts by its own.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn of_argument(argument: &Path, search: Search, found: &mut Trail) {
    if let Err(error) = std::fs::symlink_metadata(argument) {
        if error.kind() == std::io::ErrorKind::NotFound && has_metacharacters(argument) {
            return of_pattern(argument, search, found);
        }
        return found.push(damaged(argument, format!("{}: cannot open: {error}", argument.display())));
    }
    named(argument, search, found);
}

fn damaged(path: &Path, damage: String) -> Subject {
    Subject { path: path.to_owned(), damage: Some(damage) }
}

/// Something that is there and was named, by itself or through a pattern.
fn named(path: &Path, search: Search, found: &mut Trail) {
    match std::fs::metadata(path) {
        Err(error) => {
            return found.push(damaged(path, format!("{}: cannot open: {error}", path.display())));
        }
        Ok(of) if !of.is_dir() => {
            return found.push(damaged(path, format!("{}: not a folder", path.display())));
        }
        Ok(_) => {}
    }
    let before = found.subjects.len();
    walk(path, MAX_DEPTH, search, found);
    if found.subjects.len() > before {
        return;
    }
    if search.from_recorded && MATRIX.iter().any(|scene| path.join(scene.key).is_dir()) {
        return found.push(Subject { path: path.to_owned(), damage: None });
    }
    let files = if search.from_recorded {
        format!("{} or {}", layout::METADATA_FILE, layout::VERDICTS_FILE)
    } else {
        layout::METADATA_FILE.to_owned()
    };
    let reason = format!("{}: no round here: no {files} down to depth {MAX_DEPTH}", path.display());
    found.push(damaged(path, reason));
}

fn is_round(folder: &Path, search: Search) -> bool {
    // A document that cannot be opened still makes a round; reading it says what is wrong.
    let there = |file: &str| std::fs::symlink_metadata(folder.join(file)).is_ok();
    there(layout::METADATA_FILE) || (search.from_recorded && there(layout::VERDICTS_FILE))
}

fn walk(folder: &Path, depth: usize, search: Search, found: &mut Trail) {
    if is_round(folder, search) {
        return found.push(Subject { path: folder.to_owned(), damage: None });
    }
    found.searched.push(folder.to_owned());
    let folders = match folders(folder) {
        Ok(folders) => folders,
        Err(error) => {
            return found.push(damaged(folder, format!("{}: cannot read: {error}", folder.display())));
        }
    };
    for (path, is_link) in folders {
        if is_link {
            found.links.insert(path);
        } else if depth == 0 {
            found.too_deep.insert(path);
        } else {
            walk(&path, depth - 1, search, found);
        }
    }
}

/// The folders in a folder, sorted, and whether each is a link.
fn folders(folder: &Path) -> std::io::Result<Vec<(PathBuf, bool)>> {
    let entries = entries(folder)?;
    Ok(entries.into_iter().filter(|(path, _)| path.is_dir()).collect())
}

/// What is in a folder, sorted, and whether each is a link.
fn entries(folder: &Path) -> std::io::Result<Vec<(PathBuf, bool)>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        // `./x` was not typed where `*` was.
        let path = if folder == Path::new(".") { entry.file_name().into() } else { entry.path() };
        entries.push((path, is_link));
    }
    entries.sort();
    Ok(entries)
}

fn has_metacharacters(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

/// Expands a pattern part by part; a part is matched against the names of one folder.
fn of_pattern(pattern: &Path, search: Search, found: &mut Trail) {
    let shown = pattern.display();
    let mut bases: Vec<PathBuf> = vec![PathBuf::new()];
    for component in pattern.components() {
        let part = component.as_os_str().to_string_lossy();
        if !matches!(component, Component::Normal(_)) || !part.contains(['*', '?', '[']) {
            for base in &mut bases {
                base.push(component);
            }
            bases.retain(|base| std::fs::symlink_metadata(base).is_ok());
            continue;
        }
        let compiled = match Pattern::new(&part) {
            Ok(compiled) => compiled,
            Err(error) => {
                return found.push(damaged(pattern, format!("{shown}: not a pattern: {}", error.msg)));
            }
        };
        let mut next = Vec::new();
        for base in &bases {
            if part == "**" {
                below(base, &mut next, &mut found.links);
            } else {
                matching(base, &compiled, &mut next);
            }
        }
        bases = next;
    }
    if bases.is_empty() {
        return found.push(damaged(pattern, format!("{shown}: nothing is there, and nothing matches it")));
    }
    for path in bases {
        named(&path, search, found);
    }
}

fn listed(base: &Path) -> Vec<(PathBuf, bool)> {
    let folder = if base.as_os_str().is_empty() { Path::new(".") } else { base };
    // A folder that cannot be read matches nothing, as in a shell.
    entries(folder).unwrap_or_default()
}

fn matching(base: &Path, pattern: &Pattern, next: &mut Vec<PathBuf>) {
    let options = MatchOptions { require_literal_leading_dot: true, ..MatchOptions::new() };
    let of_name = |path: &Path| {
        path.file_name().is_some_and(|name| pattern.matches_with(&name.to_string_lossy(), options))
    };
    next.extend(listed(base).into_iter().map(|(path, _)| path).filter(|path| of_name(path)));
}

/// A folder and every folder below it; links to folders are put aside.
fn below(base: &Path, next: &mut Vec<PathBuf>, links: &mut BTreeSet<PathBuf>) {
    if !base.as_os_str().is_empty() {
        next.push(base.to_owned());
    }
    for (path, is_link) in listed(base) {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden || !path.is_dir() {
            continue;
        }
        if is_link {
            links.insert(path);
        } else {
            below(&path, next, links);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[derive(Debug)]
    struct Tree(tempfile::TempDir);

    #[allow(clippy::disallowed_methods, reason = "a test puts files in place")]
    impl Tree {
        fn new(files: &[&str]) -> Self {
            let tree = Self(tempfile::tempdir().unwrap());
            for file in files {
                let path = tree.0.path().join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, b"{}").unwrap();
            }
            tree
        }

        fn find(&self, arguments: &[&str], from_recorded: bool) -> Vec<(String, String)> {
            let arguments: Vec<_> = arguments.iter().map(|a| self.0.path().join(a)).collect();
            let root = format!("{}/", self.0.path().display());
            subjects(&arguments, Search { from_recorded })
                .subjects
                .into_iter()
                .map(|s| (s.shown().replace(&root, ""), s.damage.unwrap_or_default().replace(&root, "")))
                .collect()
        }

        /// Links and folders too far down.
        fn missed(&self, arguments: &[&str]) -> (Vec<String>, Vec<String>) {
            let arguments: Vec<_> = arguments.iter().map(|a| self.0.path().join(a)).collect();
            let found = subjects(&arguments, Search::default());
            let root = format!("{}/", self.0.path().display());
            let shown = |paths: Vec<PathBuf>| -> Vec<String> {
                paths.iter().map(|path| path.display().to_string().replace(&root, "")).collect()
            };
            (shown(found.links), shown(found.too_deep))
        }

        fn rounds(&self, arguments: &[&str]) -> Vec<String> {
            self.find(arguments, false).into_iter().map(|(path, damage)| path + &damage).collect()
        }
    }

    #[test]
    fn rounds_are_found_below_a_folder_but_not_below_a_round_or_too_deep() {
        let tree = Tree::new(&[
            "b/metadata.json",
            "b/inside/metadata.json",
            "a/1/2/3/metadata.json",
            "a/1/2/3/4/metadata.json",
            "c/1/2/3/4/metadata.json",
        ]);
        assert_eq!(tree.rounds(&["."]), ["./a/1/2/3", "./b"]);
        assert_eq!(tree.rounds(&["b", "a"]), ["a/1/2/3", "b"]);
    }

    #[test]
    fn what_was_named_and_is_no_round_is_kept_with_its_reason() {
        let tree = Tree::new(&["file", "empty/x/y.txt", "old/verdicts.json", "bare/fridge/run_deploy.log"]);
        let found = tree.find(&["file", "empty", "gone", "old", "[", "z*"], false);
        let reason = |path: &str| found.iter().find(|f| f.0 == path).map(|f| f.1.clone()).unwrap();
        assert_eq!(reason("file"), "file: not a folder");
        assert_eq!(reason("empty"), "empty: no round here: no metadata.json down to depth 4");
        assert!(reason("gone").starts_with("gone: cannot open: "), "{}", reason("gone"));
        assert!(reason("old").contains("no round here"));
        assert!(reason("[").starts_with("[: not a pattern: "), "{}", reason("["));
        assert_eq!(reason("z*"), "z*: nothing is there, and nothing matches it");
        let recorded = tree.find(&["old", "bare", "empty"], true);
        assert_eq!(recorded[0], ("bare".to_owned(), String::new()));
        assert!(recorded[1].1.contains("no metadata.json or verdicts.json"));
        assert_eq!(recorded[2], ("old".to_owned(), String::new()));
        assert!(tree.find(&["."], true).iter().all(|f| f.0 != "./bare"), "nobody named it");
    }

    #[test]
    fn patterns_are_expanded_as_a_shell_does() {
        let tree =
            Tree::new(&["r1/metadata.json", "r2/metadata.json", ".r3/metadata.json", "x/y/r4/metadata.json"]);
        assert_eq!(tree.rounds(&["r*"]), ["r1", "r2"]);
        assert_eq!(tree.rounds(&["r[!1]", "r?"]), ["r1", "r2"]);
        assert_eq!(tree.rounds(&["*/y/r4"]), ["x/y/r4"]);
        assert_eq!(tree.rounds(&["x/**/r4"]), ["x/y/r4"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_folders_too_far_down_are_told_unless_they_were_searched_on_another_way() {
        let tree = Tree::new(&["a/r/metadata.json", "a/1/2/3/4/5/metadata.json", "a/1/2/3/four/x"]);
        let store = Tree::new(&["far/metadata.json"]);
        let root = tree.0.path();
        for (target, name) in
            [(store.0.path().join("far"), "a/far"), (root.join("a/r"), "a/same"), (root.to_owned(), "a/loop")]
        {
            std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        }
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(tree.rounds(&["."]), ["./a/r"]);
        assert_eq!(tree.missed(&["."]), (owned(&["./a/far"]), owned(&["./a/1/2/3/4", "./a/1/2/3/four"])));
        assert_eq!(tree.missed(&["a"]).1, owned(&["a/1/2/3/4/5"]));
        assert_eq!(tree.missed(&[".", "a/1/2/3/4", "a/far"]), (vec![], owned(&["./a/1/2/3/four"])));
        assert_eq!(tree.missed(&["**"]), (owned(&["a/far"]), vec![]));
        assert_eq!(tree.missed(&["a/r"]), (vec![], vec![]));
    }

    #[cfg(unix)]
    #[test]
    fn a_loop_of_links_ends_and_a_round_that_is_reached_twice_counts_once() {
        let tree = Tree::new(&["a/r/metadata.json"]);
        let root = tree.0.path();
        for name in ["a/loop1", "a/loop2"] {
            std::os::unix::fs::symlink(root, root.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(root.join("a/r"), root.join("named")).unwrap();
        assert_eq!(tree.rounds(&["."]), ["./a/r"]);
        assert_eq!(tree.rounds(&["**"]), ["a/r"]);
        assert_eq!(tree.rounds(&["named", "a", "a/../a/r"]), ["a/../a/r"]);
        assert_eq!(tree.rounds(&["named"]), ["named"], "a link that was named is followed");
    }
}
