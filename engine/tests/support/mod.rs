//! Golden data of `fixtures/sentinel`, and the graphs it was computed on.

#![allow(dead_code, reason = "every test target uses its own part")]
#![allow(clippy::unwrap_used)]

use rollcheck_engine::demos::episode::Origin;
use rollcheck_engine::demos::{DemoSet, Episode};
use rollcheck_engine::graph::{DemoGraph, edges};
use rollcheck_engine::store::arrays::{Arrays, Dim};
use rollcheck_engine::store::npz;
use rollcheck_kernels::Csr;
use std::path::Path;

/// The arrays of `fixtures/sentinel/<name>.npz`.
pub(crate) fn golden(name: &str) -> Arrays {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/sentinel"));
    npz::read(&folder.join(format!("{name}.npz"))).unwrap()
}

/// The episodes repeated in `golden_graph` and `golden_tiny`.
pub(crate) fn golden_demos(name: &str) -> DemoSet {
    let file = golden(name);
    let origin = |episode| Origin { file: name, episode, field: "in_q" };
    let q = file.f64("in_q", &[Dim::Any, Dim::Any]).unwrap();
    let dof = file.get("in_q").unwrap().shape[1];
    let closed = file.flags("in_gripper", &[Dim::Any]).unwrap();
    let start = file.i64("in_start", &[Dim::Any]).unwrap();
    let task = file.i32("in_task", &[Dim::Any]).unwrap();
    let rate_hz = file.f64("in_rate_hz", &[Dim::Any]).unwrap();
    let episodes = (0..task.len())
        .map(|i| {
            let (from, to) = (start[i] as usize, start[i + 1] as usize);
            let q = q[from * dof..to * dof].to_vec();
            Episode::new(q, dof, closed[from..to].to_vec(), task[i], rate_hz[i], origin(i)).unwrap()
        })
        .collect();
    DemoSet::new(episodes, Vec::new(), origin(0)).unwrap()
}

/// The graph of `golden_graph` or `golden_tiny`, built from its episodes; its hash is the golden one.
pub(crate) fn golden_graph(name: &str) -> DemoGraph {
    let graph = edges::build(&golden_demos(name)).unwrap();
    assert_eq!(graph.hash().as_str(), golden(name).text("graph_hash").unwrap());
    graph
}

/// An integer array of any length as indices.
pub(crate) fn indices(file: &Arrays, name: &str) -> Vec<u32> {
    file.i64(name, &[Dim::Any]).unwrap().into_iter().map(|x| x as u32).collect()
}

/// The sparse matrix stored as `<name>_indptr`, `<name>_indices`, `<name>_data`.
pub(crate) fn csr(file: &Arrays, name: &str, columns: usize) -> Csr<f64> {
    let part = |part: &str| format!("{name}_{part}");
    let data = file.f64(&part("data"), &[Dim::Any]).unwrap();
    Csr::new(indices(file, &part("indptr")), indices(file, &part("indices")), data, columns).unwrap()
}

/// Asserts that two slices agree to an absolute tolerance; NaN agrees with NaN.
pub(crate) fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: length");
    for (i, (&f, &e)) in found.iter().zip(expected).enumerate() {
        let close = (f.is_nan() && e.is_nan()) || (f - e).abs() <= tolerance;
        assert!(close, "{what}[{i}]: {f}, expected {e}");
    }
}
