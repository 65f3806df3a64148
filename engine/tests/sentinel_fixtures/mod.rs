//! Recorded expectations of `fixtures/sentinel` and the graph that they belong to.

#![allow(dead_code, reason = "each test file uses its part")]

use rollcheck_engine::demos::episode::Origin;
use rollcheck_engine::demos::{DemoSet, Episode};
use rollcheck_engine::graph::{DemoGraph, edges};
use rollcheck_engine::store::arrays::{Arrays, Dim};
use rollcheck_engine::store::npz;
use std::path::Path;

/// One file of expectations.
pub(crate) struct Golden(pub(crate) Arrays);

impl Golden {
    pub(crate) fn read(name: &str) -> Self {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/sentinel"));
        Self(npz::read(&folder.join(name)).unwrap())
    }

    fn any(&self, name: &str) -> Vec<Dim> {
        vec![Dim::Any; self.0.get(name).unwrap().shape.len()]
    }

    pub(crate) fn f64(&self, name: &str) -> Vec<f64> {
        self.0.f64(name, &self.any(name)).unwrap()
    }

    pub(crate) fn i32(&self, name: &str) -> Vec<i32> {
        self.0.i32(name, &self.any(name)).unwrap()
    }

    pub(crate) fn flags(&self, name: &str) -> Vec<bool> {
        self.0.flags(name, &self.any(name)).unwrap()
    }

    pub(crate) fn scalar(&self, name: &str) -> f64 {
        self.f64(name)[0]
    }

    pub(crate) fn integer(&self, name: &str) -> usize {
        self.i32(name)[0] as usize
    }
}

/// The graph of `golden_graph.npz`, built from its episodes.
pub(crate) fn graph() -> DemoGraph {
    graph_of("golden_graph.npz")
}

/// The graph of a file that repeats its episodes.
pub(crate) fn graph_of(file: &'static str) -> DemoGraph {
    let golden = Golden::read(file);
    let (q, closed) = (golden.f64("in_q"), golden.flags("in_gripper"));
    let (task, rate) = (golden.i32("in_task"), golden.f64("in_rate_hz"));
    let origin = |episode| Origin { file, episode, field: "in_q" };
    let dof = golden.0.get("in_q").unwrap().shape[1];
    let starts: Vec<usize> = golden.i32("in_start").into_iter().map(|s| s as usize).collect();
    let episodes = starts
        .windows(2)
        .enumerate()
        .map(|(i, w)| {
            let q = q[w[0] * dof..w[1] * dof].to_vec();
            Episode::new(q, dof, closed[w[0]..w[1]].to_vec(), task[i], rate[i], origin(i)).unwrap()
        })
        .collect();
    edges::build(&DemoSet::new(episodes, Vec::new(), origin(0)).unwrap()).unwrap()
}

/// Asserts equal lengths and values within 1e-9; NaN equals NaN.
#[track_caller]
pub(crate) fn assert_close(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (&f, &e)) in found.iter().zip(expected).enumerate() {
        let same = f == e || (f - e).abs() <= 1e-9 || (f.is_nan() && e.is_nan());
        assert!(same, "{what}, index {i}: {f}, expected {e}");
    }
}
