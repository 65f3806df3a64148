//! What a scene's YAML says about the run: scene, robots, seed, pins, switches, place target.
//!
//! Reference page, sections 1.1 and 15.4. Nothing here decides a verdict; it is shown beside one. Every key may be
//! absent, and a value of another type is shown as found, so that neither reads as an answer. Only a file that is no
//! YAML at all is refused.

use indexmap::IndexMap;
use rollcheck_engine::store::yaml::{Yaml, YamlError};
use std::fmt;

/// A value that a scene file states, or does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stated<T> {
    /// Not in the file: unknown.
    #[default]
    Absent,
    /// In the file, but not of the expected type; as found.
    Other(String),
    /// Stated.
    Value(T),
}

impl<T> Stated<T> {
    /// The value, where it is stated.
    pub fn value(&self) -> Option<&T> {
        if let Self::Value(value) = self { Some(value) } else { None }
    }

    fn of(found: Option<&Yaml>, read: impl Fn(&Yaml) -> Option<T>) -> Self {
        match found {
            None | Some(Yaml::Null) => Self::Absent,
            Some(yaml) => read(yaml).map_or_else(|| Self::Other(shown(yaml)), Self::Value),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Stated<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("unknown"),
            Self::Other(found) => write!(f, "unknown (found {found})"),
            Self::Value(value) => value.fmt(f),
        }
    }
}

/// A list as `a, b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List<T>(pub Vec<T>);

impl<T: fmt::Display> fmt::Display for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, item) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            item.fmt(f)?;
        }
        Ok(())
    }
}

/// A scene's configuration, as far as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneConfig {
    /// `scene.id`.
    pub id: Stated<String>,
    /// `scene.backend`.
    pub backend: Stated<String>,
    /// `robots` of the backend options.
    pub robots: Stated<List<String>>,
    /// `seed`.
    pub seed: Stated<i64>,
    /// `layout_ids`: kitchens that the scene may draw from. Absent: drawn from all.
    pub layout_ids: Stated<List<i64>>,
    /// `style_ids`: styles that the scene may draw from. Absent: drawn from all.
    pub style_ids: Stated<List<i64>>,
    /// The truth values of the `runtime` block, in file order.
    pub runtime: IndexMap<String, bool>,
    /// `place_declaration.target_id`.
    pub place_target: Stated<String>,
}

impl SceneConfig {
    /// Reads a scene's YAML; `file` names it in errors.
    pub fn from_yaml(bytes: &[u8], file: &str) -> Result<Self, YamlError> {
        Ok(Self::from_tree(&Yaml::read(bytes, file)?))
    }

    /// The configuration in a parsed tree.
    pub fn from_tree(tree: &Yaml) -> Self {
        let text = |path| Stated::of(tree.get_path(path), |y| y.as_str().map(str::to_owned));
        // The key's place moved between versions.
        let option = |key: &str| {
            ["scene.backend_options.", "scene.", ""]
                .iter()
                .find_map(|parent| tree.get_path(&format!("{parent}{key}")))
        };
        let integers = |y: &Yaml| match y {
            Yaml::Int(i) => Some(List(vec![*i])),
            _ => y.as_seq()?.iter().map(Yaml::as_i64).collect::<Option<Vec<_>>>().map(List),
        };
        let texts = |y: &Yaml| match y {
            Yaml::Text(text) => Some(List(vec![text.clone()])),
            _ => y
                .as_seq()?
                .iter()
                .map(|i| i.as_str().map(str::to_owned))
                .collect::<Option<Vec<_>>>()
                .map(List),
        };
        let runtime = tree.get("runtime").and_then(Yaml::as_map);
        Self {
            id: text("scene.id"),
            backend: text("scene.backend"),
            robots: Stated::of(option("robots"), texts),
            seed: Stated::of(tree.get("seed"), Yaml::as_i64),
            layout_ids: Stated::of(option("layout_ids"), integers),
            style_ids: Stated::of(option("style_ids"), integers),
            runtime: runtime
                .into_iter()
                .flatten()
                .filter_map(|(key, value)| Some((key.to_string(), value.as_bool()?)))
                .collect(),
            place_target: text("place_declaration.target_id"),
        }
    }
}

/// Short, whatever the value's size.
fn shown(yaml: &Yaml) -> String {
    match yaml {
        Yaml::Null => "nothing".to_owned(),
        Yaml::Bool(b) => format!("the truth value {b}"),
        Yaml::Int(i) => format!("the integer {i}"),
        Yaml::Float(x) => format!("the number {x}"),
        Yaml::Text(text) => format!("the text {:?}", text.chars().take(40).collect::<String>()),
        Yaml::Seq(items) => format!("a list of {}", items.len()),
        Yaml::Map(map) => format!("a mapping of {}", map.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::shared;
    use proptest::prelude::*;

    fn read(text: &str) -> SceneConfig {
        SceneConfig::from_yaml(text.as_bytes(), "scene.yaml").unwrap()
    }

    #[test]
    fn the_recorded_baguette_scene_states_its_composition() {
        let test = "the_recorded_baguette_scene_states_its_composition";
        let below = "rounds/2026-08-22-master-1/bag1/robocasa_baguette_place_seed1.yaml";
        let Some(path) = shared(test, below) else { return };
        let scene = SceneConfig::from_yaml(&std::fs::read(path).unwrap(), "scene.yaml").unwrap();
        assert_eq!(scene.id.to_string(), "robocasa/PickPlaceCounterToCabinet");
        assert_eq!(scene.backend.to_string(), "mujoco");
        assert_eq!(scene.robots.to_string(), "PandaMobile");
        assert_eq!(scene.seed, Stated::Value(1));
        assert_eq!(scene.layout_ids, Stated::Absent);
        assert_eq!(scene.place_target.to_string(), "sim:cab_1_left_group_main");
        assert_eq!(scene.runtime.get_index(0), Some((&"enable_reasoner".to_owned(), &false)));
        assert_eq!(scene.runtime.get("enable_octomap_kernel_check"), Some(&true));
        assert_eq!(scene.runtime.len(), 7);
    }

    #[test]
    fn every_recorded_scene_file_has_an_id_and_a_seed() {
        let Some(rounds) = shared("every_recorded_scene_file_has_an_id_and_a_seed", "rounds") else { return };
        let mut found = 0;
        for round in std::fs::read_dir(rounds).unwrap() {
            let round = round.unwrap().path();
            for scene in std::fs::read_dir(&round).into_iter().flatten() {
                for file in std::fs::read_dir(scene.unwrap().path()).into_iter().flatten() {
                    let path = file.unwrap().path();
                    if path.extension().is_some_and(|e| e == "yaml") {
                        let scene =
                            SceneConfig::from_yaml(&std::fs::read(&path).unwrap(), "scene.yaml").unwrap();
                        assert!(
                            scene.id.value().unwrap().starts_with("robocasa/PickPlace"),
                            "{}",
                            path.display()
                        );
                        assert_eq!(scene.seed, Stated::Value(1));
                        assert_eq!(scene.runtime.get("enable_reasoner"), Some(&false));
                        found += 1;
                    }
                }
            }
        }
        assert!(found >= 8, "{found} scene files");
    }

    #[test]
    fn pins_are_found_where_versions_keep_them() {
        let inner = read("scene: {backend_options: {layout_ids: [47], style_ids: 3}}");
        assert_eq!(inner.layout_ids, Stated::Value(List(vec![47])));
        assert_eq!(inner.style_ids, Stated::Value(List(vec![3])));
        assert_eq!(read("layout_ids: [3, 5]").layout_ids.to_string(), "3, 5");
        assert_eq!(read("scene: {layout_ids: [3]}").layout_ids.to_string(), "3");
    }

    #[test]
    fn what_is_absent_or_of_another_type_is_unknown() {
        let scene = read("");
        assert_eq!(scene, SceneConfig::default());
        assert_eq!(scene.id.to_string(), "unknown");
        let scene =
            read("seed: \"1\"\nruntime: {enable_slam: on, enable_nav2: 'on'}\nlayout_ids: [a]\nscene: x\n");
        assert_eq!(scene.seed.to_string(), "unknown (found the text \"1\")");
        assert_eq!(scene.layout_ids.to_string(), "unknown (found a list of 1)");
        assert_eq!(scene.id, Stated::Absent);
        assert_eq!(scene.runtime, [("enable_slam".to_owned(), true)].into());
        assert!(SceneConfig::from_yaml(b"a: [", "scene.yaml").is_err());
    }

    proptest! {
        #[test]
        fn scene_keys_with_any_value_never_panic(text in "(scene|seed|runtime|robots|layout_ids): [-a1,\\[\\]{}: ]{0,20}") {
            let _ = SceneConfig::from_yaml(text.as_bytes(), "f");
        }
    }
}
