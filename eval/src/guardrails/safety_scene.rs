//! Guard 9: a scene's copy says to the safety kernel what the tracked scene says.
//!
//! Mappings are flattened to dotted keys; any other value, a list included, is a leaf; an empty mapping adds nothing. A
//! dotted key belongs to the safety surface when
//!
//! ```text
//! its first component is safety, hal, place_declaration or extra_allowed_collision_pairs, or
//! it is runtime.enable_octomap_kernel_check, or below it, or
//! a component of it holds a pattern of the argv guard, or margin, tolerance, limit (lower case, `-` as `_`).
//! ```
//!
//! Every component is looked at, not the last alone, and the three words are those by which the documentation names such
//! keys; both widen what is compared and can weaken nothing. Composition is free: seed, reasoner, SLAM, Nav2, octomap,
//! detector, scene VLM. Values are the same only in type and bits: `1` is not `1.0`. Keys that print alike (`a.b` as one
//! key and `b` inside `a`) are not. Reference page, section 15.4 and D-8.

use super::refusal::Refusal;
use super::safety_argv;
use rollcheck_engine::store::yaml::{Key, Yaml};
use rollcheck_engine::text::python;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

/// First components that are safety-relevant with all below them.
pub const SAFETY_BLOCKS: [&str; 4] = ["safety", "extra_allowed_collision_pairs", "hal", "place_declaration"];
/// The collision gate.
pub const KERNEL_CHECK: &str = "runtime.enable_octomap_kernel_check";
/// Words in a key's name that are safety-relevant beside the patterns of the argv guard.
pub const SAFETY_WORDS: [&str; 3] = ["margin", "tolerance", "limit"];

/// Longest value that is shown, characters.
const SHOWN_MAX: usize = 400;
const ABSENT: &str = "<absent>";

/// The safety-relevant leaves of a scene by dotted key, sorted.
#[derive(Clone, Debug, Default)]
pub struct SafetySurface {
    leaves: BTreeMap<String, Vec<Leaf>>,
}

#[derive(Clone, Debug)]
struct Leaf {
    path: Vec<Key>,
    value: Yaml,
}

/// A safety key that differs between two scenes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The dotted key.
    pub key: String,
    /// Its value in the tracked scene as Python prints it, or `<absent>`.
    pub old: String,
    /// Its value in the copy, likewise.
    pub new: String,
}

impl fmt::Display for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} -> {}", self.key, self.old, self.new)?;
        // Long values are cut, and two structures may print alike.
        if self.old == self.new { f.write_str(" (they differ beyond what is shown)") } else { Ok(()) }
    }
}

impl SafetySurface {
    /// The surface of a parsed scene.
    pub fn of(tree: &Yaml) -> Self {
        let mut surface = Self::default();
        surface.collect(tree, &mut Vec::new());
        surface
    }

    // The depth is bounded by the reader.
    fn collect(&mut self, value: &Yaml, path: &mut Vec<Key>) {
        if let Yaml::Map(map) = value {
            for (key, inner) in map {
                path.push(key.clone());
                self.collect(inner, path);
                path.pop();
            }
            return;
        }
        let dotted = path.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
        if !path.is_empty() && is_safety_key(&dotted) {
            self.leaves.entry(dotted).or_default().push(Leaf { path: path.clone(), value: value.clone() });
        }
    }

    /// The dotted keys, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.leaves.keys().map(String::as_str)
    }

    /// The value of a dotted key; the first where keys print alike.
    pub fn get(&self, key: &str) -> Option<&Yaml> {
        self.leaves.get(key)?.first().map(|leaf| &leaf.value)
    }

    /// How many keys.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Nothing is safety-relevant.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// The keys that `copy` moves, sorted.
    pub fn moved(&self, copy: &Self) -> Vec<Moved> {
        let keys: BTreeSet<&str> = self.keys().chain(copy.keys()).collect();
        keys.into_iter()
            .filter_map(|key| {
                let (old, new) = (self.leaves.get(key), copy.leaves.get(key));
                if let (Some(old), Some(new)) = (old, new)
                    && same_leaves(old, new)
                {
                    return None;
                }
                let shown = |leaves: Option<&Vec<Leaf>>| {
                    leaves.map_or_else(|| ABSENT.to_owned(), |l| shown_leaves(l))
                };
                Some(Moved { key: key.to_owned(), old: shown(old), new: shown(new) })
            })
            .collect()
    }
}

/// Whether a dotted key is safety-relevant.
pub fn is_safety_key(dotted: &str) -> bool {
    let first = dotted.split('.').next().unwrap_or_default();
    let below =
        |key: &str| dotted.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    SAFETY_BLOCKS.contains(&first)
        || below(KERNEL_CHECK)
        || dotted.split('.').any(|component| {
            let folded = safety_argv::folded(component);
            safety_argv::pattern_in(component).is_some()
                || SAFETY_WORDS.iter().any(|word| folded.contains(word))
        })
}

/// Refuses a copy that moves a safety key of its tracked scene.
pub fn check(scene: &str, tracked: &SafetySurface, copy: &SafetySurface) -> Result<(), Refusal> {
    let moved = tracked.moved(copy);
    if moved.is_empty() { Ok(()) } else { Err(Refusal::SafetyMoved { scene: scene.to_owned(), moved }) }
}

fn same_leaves(old: &[Leaf], new: &[Leaf]) -> bool {
    old.len() == new.len()
        && old.iter().zip(new).all(|(a, b)| {
            a.path.len() == b.path.len()
                && a.path.iter().zip(&b.path).all(|(a, b)| same_key(a, b))
                && same(&a.value, &b.value)
        })
}

fn same_key(a: &Key, b: &Key) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b) && a == b
}

/// The same type and bits throughout; mappings in any order.
fn same(a: &Yaml, b: &Yaml) -> bool {
    match (a, b) {
        (Yaml::Float(a), Yaml::Float(b)) => a.to_bits() == b.to_bits(),
        (Yaml::Seq(a), Yaml::Seq(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Yaml::Map(a), Yaml::Map(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| {
                    b.get_key_value(key)
                        .is_some_and(|(other, found)| same_key(key, other) && same(value, found))
                })
        }
        (a, b) => a == b,
    }
}

fn shown_leaves(leaves: &[Leaf]) -> String {
    let mut text = String::new();
    for (at, leaf) in leaves.iter().enumerate() {
        if at > 0 {
            text += " and ";
        }
        show(&mut text, &leaf.value);
    }
    if text.chars().count() > SHOWN_MAX {
        text = text.chars().take(SHOWN_MAX).chain("...".chars()).collect();
    }
    text
}

/// A value as Python prints it.
pub fn shown(value: &Yaml) -> String {
    let mut text = String::new();
    show(&mut text, value);
    text
}

fn show(out: &mut String, value: &Yaml) {
    match value {
        Yaml::Null => out.push_str("None"),
        Yaml::Bool(b) => out.push_str(python::boolean(*b)),
        Yaml::Int(i) => {
            let _ = write!(out, "{i}");
        }
        Yaml::Float(x) => out.push_str(&python::float(*x)),
        Yaml::Text(text) => out.push_str(&python::string(text)),
        Yaml::Seq(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                show(out, item);
            }
            out.push(']');
        }
        Yaml::Map(map) => {
            out.push('{');
            for (at, (key, item)) in map.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                match key {
                    Key::Text(text) => out.push_str(&python::string(text)),
                    other => out.push_str(&other.to_string()),
                }
                out.push_str(": ");
                show(out, item);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests;
