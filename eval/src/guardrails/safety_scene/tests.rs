use super::*;
use proptest::prelude::*;
use rollcheck_engine::store::yaml::Mapping;
use serde_json::{Value, json};
use std::path::Path;

fn surface(text: &str) -> SafetySurface {
    SafetySurface::of(&Yaml::read(text.as_bytes(), "scene.yaml").unwrap())
}

fn moved(tracked: &str, copy: &str) -> Vec<String> {
    surface(tracked).moved(&surface(copy)).iter().map(ToString::to_string).collect()
}

fn case(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/cases/H06-yaml-y-key-and-off");
    std::fs::read_to_string(folder.join(file)).unwrap()
}

fn json_of(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::Null => Value::Null,
        Yaml::Bool(b) => json!(b),
        Yaml::Int(i) => json!(i),
        Yaml::Float(x) => json!(x),
        Yaml::Text(text) => json!(text),
        Yaml::Seq(items) => items.iter().map(json_of).collect(),
        Yaml::Map(map) => Value::Object(map.iter().map(|(k, v)| (k.to_string(), json_of(v))).collect()),
    }
}

const TRACKED: &str = "\
seed: 1
hal:
  collision_margin_m: 0.02
place_declaration:
  target: sim:cab_1_left_group_main
scene:
  backend_options: {mode: prebuilt}
";

#[test]
fn the_case_h06_has_its_tree_its_thirteen_safety_keys_and_their_values() {
    let tree = Yaml::read(case("scene.yaml").as_bytes(), "scene.yaml").unwrap();
    let expected: Value = serde_json::from_str(&case("expected.json")).unwrap();
    assert_eq!(json_of(&tree), expected["parsed"]);
    let surface = SafetySurface::of(&tree);
    let keys: Vec<&str> = surface.keys().collect();
    assert_eq!(json!(keys), expected["safety_surface_keys"]);
    assert_eq!(keys.len(), 13);
    for (key, value) in expected["safety_surface"].as_object().unwrap() {
        assert_eq!(&json_of(surface.get(key).unwrap()), value, "{key}");
    }
}

#[test]
fn the_case_h06_with_its_y_moved_reports_that_key_alone() {
    let tracked = case("scene.yaml");
    let copy = tracked.replace("y: 0.25", "y: 0.26");
    assert_ne!(tracked, copy);
    assert_eq!(moved(&tracked, &copy), ["place_declaration.region.y: 0.25 -> 0.26"]);
}

#[test]
fn g07_a_copy_that_adds_the_reasoner_switch_is_accepted() {
    let copy = format!("{TRACKED}runtime:\n  enable_reasoner: false\n");
    assert_eq!(check("baguette", &surface(TRACKED), &surface(&copy)), Ok(()));
}

#[test]
fn g08_a_copy_that_opens_the_collision_gate_is_refused() {
    let copy = format!("{TRACKED}runtime:\n  enable_octomap_kernel_check: false\n");
    let refusal = check("baguette", &surface(TRACKED), &surface(&copy)).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "the copy of scene `baguette` moves 1 safety key: runtime.enable_octomap_kernel_check: <absent> -> False"
    );
}

#[test]
fn g09_a_copy_with_another_margin_is_refused() {
    // The second block replaces the first, as the reader of the scene has it.
    let copy = format!("{TRACKED}hal:\n  collision_margin_m: 0.0\n");
    assert_eq!(moved(TRACKED, &copy), ["hal.collision_margin_m: 0.02 -> 0.0"]);
    assert!(check("baguette", &surface(TRACKED), &surface(&copy)).is_err());
    let without = TRACKED.replace("hal:\n  collision_margin_m: 0.02\n", "");
    let copy = format!("{without}hal:\n  collision_margin_m: 0.0\n");
    assert_eq!(moved(&without, &copy), ["hal.collision_margin_m: <absent> -> 0.0"]);
}

#[test]
fn g10_a_copy_with_another_place_target_is_refused() {
    let copy = TRACKED.replace("cab_1", "cab_2");
    let text = check("baguette", &surface(TRACKED), &surface(&copy)).unwrap_err().to_string();
    assert!(text.contains("safety key") && text.contains("place_declaration.target: "), "{text}");
    assert!(text.contains("'sim:cab_1_left_group_main' -> 'sim:cab_2_left_group_main'"), "{text}");
}

#[test]
fn composition_and_seed_are_free() {
    let copy =
        "seed: 2\nruntime: {enable_slam: on, enable_nav2: off, enable_octomap: true, enable_scene_vlm: no}\n";
    assert_eq!(moved("seed: 1\n", copy), [""; 0]);
}

#[test]
fn a_safety_name_counts_wherever_it_stands_in_a_key() {
    for key in [
        "robot.arm.contact_tolerance_m",
        "robot.Joint-Limits.panda_joint1",
        "scene.watchdog.period_s",
        "deadman",
        "a.e-stop.topic",
        "safety.x",
        "extra_allowed_collision_pairs",
        "runtime.enable_octomap_kernel_check.inner",
    ] {
        assert!(is_safety_key(key), "{key}");
    }
    for key in [
        "seed",
        "runtime.enable_reasoner",
        "runtime.enable_octomap",
        "runtime.enable_octomap_kernel_checks",
        "scene.hal",
        "scene.backend_options.layout_ids",
        "halo.x",
    ] {
        assert!(!is_safety_key(key), "{key}");
    }
}

#[test]
fn a_value_that_only_equals_is_another_value() {
    for (old, new, shown) in [
        ("1", "1.0", "1 -> 1.0"),
        ("1", "true", "1 -> True"),
        ("1e-3", "1.0e-3", "'1e-3' -> 0.001"),
        ("off", "'off'", "False -> 'off'"),
        ("0.0", "-0.0", "0.0 -> -0.0"),
        ("[1, 2]", "[2, 1]", "[1, 2] -> [2, 1]"),
        ("[{1: a}]", "[{true: a}]", "[{1: 'a'}] -> [{True: 'a'}]"),
        ("null", "{}", "None -> <absent>"),
    ] {
        let (tracked, copy) = (format!("safety: {{x: {old}}}"), format!("safety: {{x: {new}}}"));
        assert_eq!(moved(&tracked, &copy), [format!("safety.x: {shown}")]);
    }
    assert_eq!(moved("safety: {x: .nan}", "safety: {x: .nan}"), [""; 0]);
    assert_eq!(moved("safety: [{a: 1, b: 2}]", "safety: [{b: 2, a: 1}]"), [""; 0]);
}

#[test]
fn keys_that_print_alike_are_not_one_key() {
    let alike = ["safety.x: 1 -> 1 (they differ beyond what is shown)"];
    assert_eq!(moved("safety.x: 1", "safety: {x: 1}"), alike);
    assert_eq!(moved("safety: {1: 2}", "safety: {'1': 2}").len(), 1);
    assert_eq!(moved("safety: {x: 1}", "safety: {x: 1}\nsafety.x: 1"), ["safety.x: 1 -> 1 and 1"]);
}

#[test]
fn long_values_are_cut_where_they_are_shown_and_compared_whole() {
    let list = |last: u32| format!("safety: [{}, {last}]", ["12345678"; 100].join(", "));
    let found = moved(&list(1), &list(2));
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("... (they differ beyond what is shown)"), "{}", found[0]);
}

/// A place in a made-up scene: a dotted path of plain keys with a value.
fn scene_of(leaves: &BTreeMap<Vec<String>, i64>) -> Yaml {
    fn put(map: &mut Mapping, path: &[String], value: i64) {
        let [first, rest @ ..] = path else { return };
        let key = Key::Text(first.clone());
        if rest.is_empty() {
            map.insert(key, Yaml::Int(value));
        } else if let Yaml::Map(inner) = map.entry(key).or_insert_with(|| Yaml::Map(Mapping::new())) {
            put(inner, rest, value);
        }
    }
    let mut map = Mapping::new();
    for (path, value) in leaves {
        put(&mut map, path, *value);
    }
    Yaml::Map(map)
}

fn paths() -> impl Strategy<Value = Vec<String>> {
    // All of one depth, so that no path is the beginning of another.
    let word = prop::sample::select(vec![
        "safety",
        "hal",
        "runtime",
        "enable_octomap_kernel_check",
        "seed",
        "x",
        "y",
        "place_declaration",
        "Margin-m",
        "velocity_limit",
        "scene",
        "tolerance",
        "extra_allowed_collision_pairs",
    ]);
    prop::collection::vec(word.prop_map(str::to_owned), 3)
}

/// The rule again, written another way.
fn relevant(path: &[String]) -> bool {
    ["safety", "hal", "place_declaration", "extra_allowed_collision_pairs"].contains(&path[0].as_str())
        || (path[0] == "runtime" && path[1] == "enable_octomap_kernel_check")
        || path
            .iter()
            .any(|word| ["safety", "Margin-m", "velocity_limit", "tolerance"].contains(&word.as_str()))
}

proptest! {
    #[test]
    fn no_safety_key_differs_unnoticed_and_nothing_else_is_reported(
        tracked in prop::collection::btree_map(paths(), 0_i64..3, 0..12),
        copy in prop::collection::btree_map(paths(), 0_i64..3, 0..12),
        kept in any::<u16>(),
    ) {
        // Copies share most of the tracked scene, as real ones do.
        let mut copy = copy;
        for (at, (path, value)) in tracked.iter().enumerate() {
            if kept >> (at % 16) & 1 == 1 {
                copy.insert(path.clone(), *value);
            }
        }
        let mut expected: Vec<String> = tracked
            .keys()
            .chain(copy.keys())
            .filter(|path| relevant(path) && tracked.get(*path) != copy.get(*path))
            .map(|path| path.join("."))
            .collect();
        expected.sort();
        expected.dedup();
        let found = SafetySurface::of(&scene_of(&tracked)).moved(&SafetySurface::of(&scene_of(&copy)));
        let keys: Vec<String> = found.into_iter().map(|moved| moved.key).collect();
        prop_assert_eq!(keys, expected);
    }

    #[test]
    fn whatever_is_edited_in_a_file_an_accepted_copy_keeps_every_safety_value(
        at in any::<prop::sample::Index>(), cut in 0_usize..12, put in "[-a-z0-9_.:\\[\\]{}, \n#'\"&*<~]{0,12}",
    ) {
        let tracked = case("scene.yaml");
        let at = at.index(tracked.len());
        let copy = format!("{}{put}{}", &tracked[..at], &tracked[(at + cut).min(tracked.len())..]);
        let Ok(tree) = Yaml::read(copy.as_bytes(), "copy.yaml") else { return Ok(()) };
        let before = Yaml::read(tracked.as_bytes(), "scene.yaml").unwrap();
        if check("h06", &SafetySurface::of(&before), &SafetySurface::of(&tree)).is_ok() {
            for block in SAFETY_BLOCKS.into_iter().chain([KERNEL_CHECK]) {
                prop_assert_eq!(
                    before.get_path(block).map(shown), tree.get_path(block).map(shown), "{}: {}", block, copy
                );
            }
        }
    }
}
