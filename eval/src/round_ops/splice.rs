//! The scene copy that a round launches: the tracked text with its seed and the pins that have no flag.
//!
//! The splice works on text, so that comments and layout survive:
//!
//! ```text
//! seed   the number in the first line `seed: <digits>` becomes the one asked for; without such a line, and for
//!        another spelling, `seed: <n>` is added at the end behind an empty line (the last of two keys counts)
//! pins   inside a block that starts with the line `runtime:`, the line of the pin is replaced or a line is put under
//!        the header; without such a block one is added at the end, with a comment
//! ```
//!
//! Every other byte stays, with one exception: a file that has a `runtime:` line is joined again with `\n` and one final
//! newline. The copy is then parsed again, and refused unless it holds the seed and the pins: a block that is indented by
//! more than two blanks breaks, and is not repaired. Reference page, section 15.4, D-17.

use crate::guardrails::refusal::Refusal;
use crate::guardrails::safety_scene::shown;
use crate::rounds::layout::MatrixScene;
use crate::rounds::lines::python_lines;
use rollcheck_engine::store::yaml::Yaml;

/// What a copy pins below `runtime`: switches of the stack that no flag of the deploy command sets.
pub const SCENE_PINS: [(&str, bool); 1] = [("enable_reasoner", false)];

const COMMENT: &str = "\
# Pinned for the round: no flag of the deploy command sets this switch, and with
# the reasoner on a second party would send goals beside the one dispatched.
";

/// A scene's copy.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneCopy {
    /// Key of the scene.
    pub scene: String,
    /// Name of its file.
    pub file_name: String,
    /// Its text.
    pub text: String,
    /// What the text says.
    pub tree: Yaml,
}

/// The text of a copy.
pub fn splice(tracked: &str, seed: i64, pins: &[(&str, bool)]) -> String {
    let mut text = with_seed(tracked, seed);
    for (key, value) in pins {
        text = with_pin(&text, key, *value);
    }
    text
}

/// The copy of a tracked scene, verified; `tracked` is the scene's path in the checkout.
pub fn copy(scene: &str, tracked: &str, bytes: &[u8], seed: i64) -> Result<SceneCopy, Refusal> {
    let unread = |reason: String| Refusal::Unread { scene: scene.to_owned(), reason };
    // The tracked file is read first: what is wrong with it already should be told of it.
    Yaml::read(bytes, tracked).map_err(|error| unread(error.to_string()))?;
    let text = String::from_utf8_lossy(bytes);
    let text = splice(&text, seed, &SCENE_PINS);
    let file_name = file_name(tracked, seed);
    let tree = Yaml::read(text.as_bytes(), &file_name).map_err(|error| unread(error.to_string()))?;
    verify(scene, &tree, seed, &SCENE_PINS)?;
    Ok(SceneCopy { scene: scene.to_owned(), file_name, text, tree })
}

/// Refuses a copy that lacks the seed or a pin.
pub fn verify(scene: &str, copy: &Yaml, seed: i64, pins: &[(&str, bool)]) -> Result<(), Refusal> {
    let found = copy.get("seed");
    let unpinned: Vec<String> = pins
        .iter()
        .map(|(key, value)| (format!("runtime.{key}"), value))
        .filter(|(path, value)| copy.get_path(path) != Some(&Yaml::Bool(**value)))
        .map(|(path, _)| path)
        .collect();
    if found == Some(&Yaml::Int(seed)) && unpinned.is_empty() {
        return Ok(());
    }
    let seed_found = found.map_or_else(|| "<absent>".to_owned(), shown);
    Err(Refusal::Unpinned { scene: scene.to_owned(), seed, seed_found, unpinned })
}

/// Name of a copy: `robocasa_baguette_seed1.yaml`.
pub fn file_name(tracked: &str, seed: i64) -> String {
    format!("{}_seed{seed}.yaml", stem(tracked))
}

/// Whether a file is a scene's copy by its name: as written today, or as the documentation shows it.
pub fn is_copy(name: &str, scene: &MatrixScene, seed: i64) -> bool {
    name == file_name(scene.config, seed) || name == format!("{}_seed{seed}.yaml", scene.key)
}

/// The path of a copy as a round records it: below the checkout where it lies there, else as it is. Both are absolute.
pub fn recorded_path<'a>(repo_root: &str, copy: &'a str) -> &'a str {
    let root = repo_root.strip_suffix('/').unwrap_or(repo_root);
    copy.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')).unwrap_or(copy)
}

/// The last part of a path without its suffix.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

fn with_seed(text: &str, seed: i64) -> String {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some((start, digits)) = seed_digits(line) {
            // A number beyond 64 bits is not the seed asked for either.
            if digits.parse() == Ok(seed) {
                return text.to_owned();
            }
            let (before, after) = (at + start, at + start + digits.len());
            return format!(
                "{}{seed}{}",
                text.get(..before).unwrap_or_default(),
                text.get(after..).unwrap_or_default()
            );
        }
        at += line.len();
    }
    format!("{}\n\nseed: {seed}\n", text.trim_end_matches('\n'))
}

/// The digits of `seed: <digits>`, and where they start in the line.
fn seed_digits(line: &str) -> Option<(usize, &str)> {
    let rest = line.strip_prefix("seed:")?;
    let digits = rest.trim();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((line.len() - rest.trim_start().len(), digits))
}

fn with_pin(text: &str, key: &str, value: bool) -> String {
    let pinned = format!("  {key}: {value}");
    let mut lines: Vec<String> =
        python_lines(text.as_bytes()).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    let Some(header) = lines.iter().position(|line| line.trim_end() == "runtime:") else {
        return format!("{}\n\n{COMMENT}runtime:\n{pinned}\n", text.trim_end_matches('\n'));
    };
    let in_block = |line: &&String| line.trim().is_empty() || line.starts_with([' ', '\t', '#']);
    let own = |line: &String| {
        line.starts_with([' ', '\t'])
            && line.trim_start().strip_prefix(key).is_some_and(|rest| rest.starts_with(':'))
    };
    let block = lines.iter().skip(header + 1).take_while(in_block);
    let found = block.enumerate().find(|(_, line)| own(line)).map(|(at, _)| header + 1 + at);
    match found.and_then(|at| lines.get_mut(at)) {
        Some(line) => *line = pinned,
        None => lines.insert(header + 1, pinned),
    }
    let mut joined = lines.join("\n");
    joined.push('\n');
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guardrails::safety_scene::SafetySurface;
    use crate::rounds::layout::MATRIX;
    use crate::testing::shared;
    use proptest::prelude::*;

    fn spliced(text: &str, seed: i64) -> String {
        splice(text, seed, &SCENE_PINS)
    }

    #[test]
    fn g11_a_block_is_added_behind_an_empty_line_and_the_first_line_stays() {
        let text = spliced("seed: 1\n", 1);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["seed: 1", ""]);
        assert!(lines[2].starts_with("# ") && lines[3].starts_with("# "));
        assert_eq!(lines[4..], ["runtime:", "  enable_reasoner: false"]);
        assert!(text.ends_with("false\n"));
        assert_eq!(spliced("seed: 1", 1), text, "a missing final newline makes no difference");
        assert_eq!(spliced("seed: 1\n\n\n", 1), text, "nor do empty lines at the end");
    }

    #[test]
    fn the_seed_is_rewritten_in_its_line_or_added() {
        assert_eq!(with_seed("a: 1\nseed: 1  \nseed: 5\n", 2), "a: 1\nseed: 2  \nseed: 5\n");
        assert_eq!(with_seed("seed:\t7\r\nb: 1\r\n", 12), "seed:\t12\r\nb: 1\r\n");
        assert_eq!(with_seed("a: 1\n seed: 1\n", 2), "a: 1\n seed: 1\n\nseed: 2\n");
        assert_eq!(with_seed("seed: 1 # drawn\n", 2), "seed: 1 # drawn\n\nseed: 2\n");
        assert_eq!(with_seed("", 2), "\n\nseed: 2\n");
        assert_eq!(with_seed("seed: 99999999999999999999\n", 2), "seed: 2\n");
    }

    #[test]
    fn a_seed_with_a_comment_gets_a_second_key_that_counts() {
        let copy = copy("fridge", "scenes/deploy/f.yaml", b"seed: 1 # drawn\n", 2).unwrap();
        assert_eq!(copy.tree.get("seed"), Some(&Yaml::Int(2)));
    }

    #[test]
    fn a_seed_that_the_reader_takes_for_octal_is_refused() {
        let error = copy("fridge", "scenes/deploy/f.yaml", b"seed: 010\n", 10).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the copy of scene `fridge` does not hold what it was made for: seed 8, expected 10; unpinned keys: none"
        );
    }

    #[test]
    fn a_pin_replaces_its_line_in_the_block_or_goes_under_the_header() {
        let block = "seed: 1\nruntime:  \n\n# why\n  enable_slam: true\n    enable_reasoner: true # on\n\
                     hal: {}\n  enable_reasoner: x\n";
        assert_eq!(
            with_pin(block, "enable_reasoner", false),
            "seed: 1\nruntime:  \n\n# why\n  enable_slam: true\n  enable_reasoner: false\nhal: {}\n  enable_reasoner: x\n"
        );
        assert_eq!(
            with_pin("runtime:\r\n  enable_reasoner_x: 1\r\nb: 1", "enable_reasoner", false),
            "runtime:\n  enable_reasoner: false\n  enable_reasoner_x: 1\nb: 1\n"
        );
        // None of these is the header.
        for text in ["  runtime:\n", "runtime: {}\n", "runtime: # stack\n", "#runtime:\n"] {
            assert!(
                with_pin(text, "enable_reasoner", false).ends_with("\nruntime:\n  enable_reasoner: false\n")
            );
        }
    }

    #[test]
    fn a_block_with_deeper_indentation_breaks_and_is_refused() {
        let tracked = b"seed: 1\nruntime:\n    enable_slam: true\n";
        let error = copy("sink_cup", "scenes/deploy/s.yaml", tracked, 1).unwrap_err().to_string();
        assert!(error.starts_with("scene `sink_cup` cannot be copied: s_seed1.yaml:4:"), "{error}");
        let nested = b"seed: 1\nruntime:\n  a:\n  enable_reasoner: true\n  enable_reasoner: true\n";
        let error = copy("sink_cup", "scenes/deploy/s.yaml", nested, 1).unwrap_err().to_string();
        assert!(error.ends_with("seed 1, expected 1; unpinned keys: runtime.enable_reasoner"), "{error}");
    }

    #[test]
    fn a_block_in_another_spelling_loses_its_gate_and_that_is_seen() {
        let tracked = b"seed: 1\nruntime: {enable_octomap_kernel_check: true}\n";
        let copy = copy("utensil", "scenes/deploy/u.yaml", tracked, 1).unwrap();
        let before = SafetySurface::of(&Yaml::read(tracked, "u.yaml").unwrap());
        let moved = before.moved(&SafetySurface::of(&copy.tree));
        assert_eq!(moved.len(), 1);
        assert_eq!(moved[0].to_string(), "runtime.enable_octomap_kernel_check: True -> <absent>");
    }

    #[test]
    fn a_scene_that_is_no_yaml_is_refused_by_its_tracked_name() {
        for (bytes, reason) in
            [(&b"a: [\n"[..], "f.yaml:2:1: not YAML"), (b"a: \xff", "f.yaml:1:4: not UTF-8")]
        {
            let error = copy("fridge", "f.yaml", bytes, 1).unwrap_err().to_string();
            assert!(error.starts_with(&format!("scene `fridge` cannot be copied: {reason}")), "{error}");
        }
        assert!(copy("fridge", "f.yaml", b"", 1).is_ok(), "an empty scene takes seed and pins");
        assert!(copy("fridge", "f.yaml", b"- 1\n", 1).is_err());
    }

    #[test]
    fn the_case_h06_keeps_its_safety_surface_in_a_copy() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../fixtures/cases/H06-yaml-y-key-and-off/scene.yaml");
        let bytes = std::fs::read(path).unwrap();
        let before = SafetySurface::of(&Yaml::read(&bytes, "scene.yaml").unwrap());
        let unchanged = copy("baguette", "scenes/deploy/scene.yaml", &bytes, 1).unwrap();
        assert_eq!(unchanged.text.as_bytes(), bytes, "it holds both already");
        let reseeded = copy("baguette", "scenes/deploy/scene.yaml", &bytes, 7).unwrap();
        assert_eq!((before.moved(&SafetySurface::of(&reseeded.tree)).len(), before.len()), (0, 13));
        assert_eq!(reseeded.file_name, "scene_seed7.yaml");
    }

    #[test]
    fn every_recorded_scene_can_be_copied_for_another_seed() {
        let Some(rounds) = shared("every_recorded_scene_can_be_copied_for_another_seed", "rounds") else {
            return;
        };
        let (mut copied, mut with_surface) = (0, 0);
        for round in std::fs::read_dir(rounds).unwrap() {
            for scene in std::fs::read_dir(round.unwrap().path()).into_iter().flatten() {
                for file in std::fs::read_dir(scene.unwrap().path()).into_iter().flatten() {
                    let path = file.unwrap().path();
                    if path.extension().is_none_or(|e| e != "yaml") {
                        continue;
                    }
                    let bytes = std::fs::read(&path).unwrap();
                    let before = SafetySurface::of(&Yaml::read(&bytes, "scene.yaml").unwrap());
                    let name = path.file_name().unwrap().to_str().unwrap();
                    let copy = copy("a", name, &bytes, 2).unwrap();
                    assert_eq!(before.moved(&SafetySurface::of(&copy.tree)), [], "{}", path.display());
                    copied += 1;
                    with_surface += usize::from(!before.is_empty());
                }
            }
        }
        assert!(copied >= 8 && with_surface >= 4, "{copied} scenes, {with_surface} with a safety surface");
    }

    #[test]
    fn a_copy_is_known_by_either_name_and_recorded_below_the_checkout() {
        let utensil = &MATRIX[3];
        assert_eq!(file_name(utensil.config, 3), "robocasa_drawer_utensil_seed3.yaml");
        assert!(is_copy("robocasa_drawer_utensil_seed3.yaml", utensil, 3));
        assert!(is_copy("utensil_seed3.yaml", utensil, 3));
        assert!(!is_copy("utensil_seed3.yaml", utensil, 4));
        assert_eq!(file_name("a.b/.yaml", 1), ".yaml_seed1.yaml");
        assert_eq!(recorded_path("/w/repo", "/w/repo/outputs/x.yaml"), "outputs/x.yaml");
        assert_eq!(recorded_path("/w/repo/", "/w/repo/outputs/x.yaml"), "outputs/x.yaml");
        assert_eq!(recorded_path("/w/repo", "/w/repo2/x.yaml"), "/w/repo2/x.yaml");
    }

    fn line() -> impl Strategy<Value = String> {
        prop_oneof![
            3 => "[a-z]{1,6}: [a-z0-9 ]{0,8}",
            1 => Just("seed: 1".to_owned()),
            1 => "seed: [0-9]{1,3} {0,2}",
            1 => Just("runtime:".to_owned()),
            1 => Just("  enable_reasoner: true".to_owned()),
            2 => "  [a-z_]{1,9}: [a-z0-9 #ä台]{0,8}",
            1 => Just(String::new()),
            1 => "# [ -~]{0,20}",
        ]
    }

    proptest! {
        #[test]
        fn a_splice_touches_the_lines_it_is_meant_for_and_no_other_byte(
            lines in prop::collection::vec(line(), 0..14), seed in 0_i64..5,
        ) {
            let tracked = lines.iter().flat_map(|line| [line, "\n"]).collect::<String>();
            let text = spliced(&tracked, seed);
            let kept = |text: &str| -> Vec<String> {
                let mut kept: Vec<String> = Vec::new();
                let (mut seen_seed, mut seen_pin, mut block, mut header) = (false, false, false, false);
                for line in text.replace(COMMENT, "").lines() {
                    let own_seed = seed_digits(line).is_some() && !seen_seed;
                    seen_seed |= own_seed;
                    if block && !(line.trim().is_empty() || line.starts_with([' ', '#'])) {
                        block = false;
                    }
                    let own_pin = block && !seen_pin && line.starts_with("  enable_reasoner:");
                    seen_pin |= own_pin;
                    let own_header = line == "runtime:" && !header;
                    header |= own_header;
                    block |= own_header;
                    if !(own_seed || own_pin || own_header) {
                        kept.push(line.to_owned());
                    }
                }
                while kept.last().is_some_and(String::is_empty) {
                    kept.pop();
                }
                kept
            };
            let (before, after) = (kept(&tracked), kept(&text));
            // An added seed and an added block each bring an empty line, behind everything else.
            let after: Vec<&String> = after.iter().collect();
            prop_assert!(
                after.iter().zip(&before).all(|(a, b)| *a == b) && after.len() == before.len(),
                "{tracked}\n---\n{text}"
            );
            let numbers: Vec<&str> = text.lines().filter_map(|line| seed_digits(line).map(|(_, d)| d)).collect();
            prop_assert_eq!(numbers.first().and_then(|n| n.parse().ok()), Some(seed));
            prop_assert_eq!(spliced(&text, seed), text, "a copy of a copy is the copy");
        }

        #[test]
        fn any_scene_that_is_copied_holds_seed_and_pins(
            text in "((seed|runtime|safety|hal|a):? ?[-0-9a-z{}\\[\\]:#]{0,8}\r?\n( {0,4}enable_reasoner: on\n)?){0,6}",
            seed in 0_i64..100,
        ) {
            if let Ok(copy) = copy("fridge", "f.yaml", text.as_bytes(), seed) {
                prop_assert_eq!(copy.tree.get("seed"), Some(&Yaml::Int(seed)));
                prop_assert_eq!(copy.tree.get_path("runtime.enable_reasoner"), Some(&Yaml::Bool(false)));
            }
        }
    }
}
