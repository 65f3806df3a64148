//! The environment of a round: what its programs are given, what its metadata record.
//!
//! Reference page, sections 15.2 and 15.6, D-18. Every function takes a lookup of variables, so nothing here reads the
//! process's own. What is recorded of the DDS scope are the values that the programs get, not the harness's own.
//!
//! A number is read as Python's `float` reads it, blanks around it and single underscores between digits included. One
//! that is not finite is left out, like text: no JSON holds it. Nothing is refused.

use indexmap::IndexMap;

/// Variables of the graded velocity band, and their keys in `collision_scale`.
pub const COLLISION_SCALE: [(&str, &str); 3] = [
    ("OPENRAL_COLLISION_SCALE_PROXIMITY_M", "collision_scale_proximity_m"),
    ("OPENRAL_COLLISION_SCALE_K", "collision_scale_k"),
    ("OPENRAL_COLLISION_SCALE_MIN", "collision_scale_min"),
];
/// Variable of the octomap's resolution, m.
pub const OCTOMAP_RESOLUTION: &str = "OPENRAL_OCTOMAP_RESOLUTION_M";
/// Its key in `octomap_resolution`.
pub const OCTOMAP_RESOLUTION_KEY: &str = "octomap_resolution_m";
/// Smallest and largest resolution that is taken for one, m.
pub const OCTOMAP_RESOLUTION_BOUNDS_M: [f64; 2] = [0.001, 0.5];
/// DDS domain.
pub const ROS_DOMAIN_ID: &str = "ROS_DOMAIN_ID";
/// How far DDS discovery reaches.
pub const ROS_DISCOVERY_RANGE: &str = "ROS_AUTOMATIC_DISCOVERY_RANGE";
/// What the programs of a round get where the variable is unset; one that is set to nothing is set.
pub const DEFAULTS: [(&str, &str); 6] = [
    (ROS_DOMAIN_ID, "77"),
    (ROS_DISCOVERY_RANGE, "LOCALHOST"),
    ("MUJOCO_GL", "egl"),
    ("OPENRAL_AUTO_INSTALL_DEPS", "1"),
    ("OPENRAL_ALLOW_REMOTE_CODE", "1"),
    ("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"),
];

/// Variables that a program of the round gets beside or instead of the harness's own.
pub type Additions = IndexMap<&'static str, String>;

/// What the programs get: the checkout, the folder of camera frames, and the defaults that are not set.
pub fn additions(own: impl Fn(&str) -> Option<String>, repo_root: &str, cinecam_folder: &str) -> Additions {
    let mut additions = Additions::new();
    additions.insert("OPENRAL_REPO_ROOT", repo_root.to_owned());
    additions.insert("OPENRAL_CINECAM_DIR", cinecam_folder.to_owned());
    for (variable, value) in DEFAULTS {
        if own(variable).is_none() {
            additions.insert(variable, value.to_owned());
        }
    }
    additions
}

/// DDS domain and discovery range as the programs see them; empty for one that is set to nothing.
pub fn dds_scope(own: impl Fn(&str) -> Option<String>, additions: &Additions) -> [String; 2] {
    [ROS_DOMAIN_ID, ROS_DISCOVERY_RANGE]
        .map(|variable| additions.get(variable).cloned().or_else(|| own(variable)).unwrap_or_default())
}

/// `collision_scale`: the graded velocity band, as far as it is set.
pub fn collision_scale(own: impl Fn(&str) -> Option<String>) -> IndexMap<String, f64> {
    COLLISION_SCALE
        .iter()
        .filter_map(|(variable, key)| Some(((*key).to_owned(), number(&own(variable)?)?)))
        .collect()
}

/// `octomap_resolution`: the octomap's resolution, m, where one between the bounds is set.
pub fn octomap_resolution(own: impl Fn(&str) -> Option<String>) -> IndexMap<String, f64> {
    let [least, most] = OCTOMAP_RESOLUTION_BOUNDS_M;
    own(OCTOMAP_RESOLUTION)
        .and_then(|text| number(&text))
        .filter(|value| (least..=most).contains(value))
        .map(|value| (OCTOMAP_RESOLUTION_KEY.to_owned(), value))
        .into_iter()
        .collect()
}

/// A finite number.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let digit = |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    let underscores_fit =
        text.match_indices('_').all(|(at, _)| digit(at.checked_sub(1)) && digit(Some(at + 1)));
    let value: f64 = text.replace('_', "").parse().ok()?;
    (underscores_fit && value.is_finite()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn own<'a>(set: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |asked| set.iter().find(|(name, _)| *name == asked).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn g14_the_velocity_band_is_recorded_as_far_as_it_is_set() {
        let [(proximity, _), (k, _), (least, _)] = COLLISION_SCALE;
        let two = collision_scale(own(&[(proximity, "0.05"), (k, "20")]));
        assert_eq!(
            two.into_iter().collect::<Vec<_>>(),
            [("collision_scale_proximity_m".to_owned(), 0.05), ("collision_scale_k".to_owned(), 20.0)]
        );
        assert!(collision_scale(own(&[(proximity, "0,05")])).is_empty());
        assert!(collision_scale(own(&[])).is_empty());
        assert!(collision_scale(own(&[(proximity, ""), (k, "nan"), (least, "inf")])).is_empty());
        assert_eq!(collision_scale(own(&[(least, " 1e-1 ")])).get("collision_scale_min"), Some(&0.1));
    }

    #[test]
    fn g15_the_octomap_resolution_is_recorded_within_its_bounds() {
        let read = |value| octomap_resolution(own(&[(OCTOMAP_RESOLUTION, value)]));
        assert_eq!(
            read("0.015").into_iter().collect::<Vec<_>>(),
            [("octomap_resolution_m".to_owned(), 0.015)]
        );
        for value in ["", "  ", "fine", "0", "-0.015", "1.5", "nan", "0.0009", "0.51"] {
            assert!(read(value).is_empty(), "{value}");
        }
        assert_eq!((read(" 0.001 ").len(), read("0.5").len()), (1, 1));
        assert!(octomap_resolution(own(&[])).is_empty());
    }

    #[test]
    fn programs_get_the_default_scope_unless_another_is_set() {
        let nothing = own(&[]);
        let given = additions(&nothing, "/w/repo", "/w/out/run_cinecam");
        assert_eq!(given.len(), 8);
        assert_eq!(given.get("OPENRAL_REPO_ROOT").map(String::as_str), Some("/w/repo"));
        assert_eq!(given.get("OPENRAL_CINECAM_DIR").map(String::as_str), Some("/w/out/run_cinecam"));
        assert_eq!(dds_scope(&nothing, &given), ["77", "LOCALHOST"]);
        let set = [(ROS_DOMAIN_ID, "5"), (ROS_DISCOVERY_RANGE, ""), ("MUJOCO_GL", "osmesa")];
        let given = additions(own(&set), "/w/repo", "/c");
        assert!(
            ["MUJOCO_GL", ROS_DOMAIN_ID, ROS_DISCOVERY_RANGE].iter().all(|name| !given.contains_key(name))
        );
        assert_eq!(dds_scope(own(&set), &given), ["5", ""], "one that is set to nothing is recorded so");
    }

    #[test]
    fn numbers_are_read_as_python_reads_them() {
        for (text, value) in [("1_000.5", 1000.5), ("+.5", 0.5), ("5.", 5.0), ("1e3", 1000.0), ("\t2\n", 2.0)]
        {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["_1", "1_", "1__0", "1_.5", "0x1", "1 2", "infinity", ""] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_value_of_a_variable_is_recorded_or_left_out(text in any::<String>()) {
            let _ = collision_scale(|_| Some(text.clone()));
            for value in octomap_resolution(|_| Some(text.clone())).values() {
                prop_assert!((0.001..=0.5).contains(value));
            }
        }
    }
}
