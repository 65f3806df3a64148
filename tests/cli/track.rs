//! `track fit` on a small set.

use crate::support::{Trained, check_words};
use std::fs;

#[test]
fn fit_prints_what_was_fitted_and_what_stands_behind_the_tests() {
    let workspace = Trained::once().workspace();
    let before = fs::read(workspace.path("a/g_track.npz")).unwrap();
    check_words("track_fit", &workspace.run(&["track", "fit", "--demos", "demos.npz", "--artifacts", "a"]));
    assert!(fs::read(workspace.path("a/g_track.npz")).unwrap() == before);
}

#[test]
fn the_object_holds_the_fit() {
    let workspace = Trained::once().workspace();
    let track =
        workspace.json(&["track", "fit", "--demos", "demos.npz", "--artifacts", "a"])["track"].clone();
    let pi: Vec<f64> = track["pi"].as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).collect();
    assert!((pi.iter().sum::<f64>() - 1.0).abs() < 1e-12 && pi.len() == 8, "{pi:?}");
    assert_eq!(track["leak"]["used"], 0.001);
    // Three demos of ten checks; the first of each has no change of phase.
    assert_eq!(track["banks"]["basin"]["samples"], 30);
    assert_eq!(track["banks"]["progress"]["samples"], 27);
    // Four tasks of twenty cells; thirty samples are enough only when pooled over all.
    assert_eq!(track["banks"]["basin"]["levels"], serde_json::json!({"cell": 0, "task": 0, "all": 80}));
}
