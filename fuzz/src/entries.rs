//! What the fuzz targets call, shared with the ordinary test `tests/cases/hostile_bytes.rs`.
//!
//! An entry takes any bytes. It may refuse them; what it accepts must keep the promises named at each
//! entry. A broken promise panics, which is what both callers look for.
//!
//! `demos_npz`, `graph_files` and `voxels_npz` take their arrays in the safetensors container: it has no checksum, so a
//! changed byte reaches the checks behind it instead of dying at the zip's CRC. The zip itself is the
//! business of `npz`.

// Their places are named because this file is a module of two crates.
#[path = "geometry_entries.rs"]
pub mod geometry;
#[path = "round_entries.rs"]
pub mod rounds;

use rollcheck_engine::demos::{self, DemoSet};
use rollcheck_engine::graph::{self, DemoGraph, GraphError, edges};
use rollcheck_engine::store::{Arrays, GraphHash, StoreError, npy, npz, safetensors};

/// Takes any bytes; panics when a promise is broken.
pub type Entry = fn(&[u8]);

/// Every entry by the name of its fuzz target and of its folder under `fuzz/seeds/`.
pub const ALL: [(&str, Entry); 22] = [
    ("npy", npy),
    ("npz", npz),
    ("safetensors", safetensors),
    ("demos_npz", demos_npz),
    ("graph_files", graph_files),
    ("deploy_log", rounds::deploy_log),
    ("monitor", rounds::monitor),
    ("goal", rounds::goal),
    ("snapshot_adjudicate", rounds::snapshot_adjudicate),
    ("metadata", rounds::metadata),
    ("verdicts", rounds::verdicts),
    ("diff", rounds::diff),
    ("scene_yaml", rounds::scene_yaml),
    ("import_argv", rounds::import_argv),
    ("stl", geometry::stl),
    ("obj", geometry::obj),
    ("robot_yaml", geometry::robot_yaml),
    ("urdf", geometry::description),
    ("mjcf", geometry::description),
    ("ply", geometry::ply),
    ("pcd", geometry::pcd),
    ("voxels_npz", geometry::voxels_npz),
];

/// Most frames from which a graph is built here, so that one input stays fast.
const MAX_FRAMES: usize = 512;

/// A member that is read can be written and read again, to the same bytes.
pub fn npy(bytes: &[u8]) {
    if let Ok(array) = npy::parse(bytes) {
        let written = npy::format(&array);
        let again = npy::parse(&written).expect("own output is read");
        assert_eq!(written, npy::format(&again), "a member changed on its way");
    }
}

/// As [`npy`], for the container.
pub fn npz(bytes: &[u8]) {
    round_trip(bytes, npz::parse, npz::format);
}

/// As [`npy`], for the container.
pub fn safetensors(bytes: &[u8]) {
    round_trip(bytes, safetensors::parse, safetensors::format);
}

fn round_trip(
    bytes: &[u8],
    parse: fn(&[u8], &str) -> Result<Arrays, StoreError>,
    format: fn(&Arrays) -> Result<Vec<u8>, StoreError>,
) {
    // A name that a container cannot carry is refused on writing, which is an answer too.
    if let Ok(written) = parse(bytes, "input").and_then(|arrays| format(&arrays)) {
        let again = parse(&written, "input").expect("own output is read");
        assert_eq!(written, format(&again).expect("own output is written again"));
    }
}

/// Demonstrations that are accepted hold what their type promises, and make a graph that its own reader
/// accepts.
pub fn demos_npz(bytes: &[u8]) {
    let Ok(arrays) = safetensors::parse(bytes, "input") else { return };
    let Ok(set) = demos::npz::from_arrays(&arrays) else { return };
    assert_set(&set);
    if set.frames() <= MAX_FRAMES {
        let graph = edges::build(&set).expect("few enough nodes");
        let (nodes, edges) = (graph::files::node_arrays(&graph), graph::files::edge_arrays(&graph));
        let again = graph::files::from_arrays(&nodes, &edges).expect("own graph is read");
        assert!(again == graph, "a graph changed on its way");
    }
}

fn assert_set(set: &DemoSet) {
    assert!(!set.episodes().is_empty());
    for episode in set.episodes() {
        assert_eq!(episode.dof(), set.dof());
        assert!(episode.frames() >= 2 && episode.rate_hz() > 0.0);
        assert_eq!(episode.q_all().len(), episode.frames() * episode.dof());
        assert!(episode.q_all().iter().all(|x| x.is_finite()));
    }
}

/// Graph files that are accepted can be walked. Both files come as one set of arrays; their names do not
/// collide. The identity is put right first, or nothing but the seeds would get past it.
pub fn graph_files(bytes: &[u8]) {
    let Ok(mut arrays) = safetensors::parse(bytes, "input") else { return };
    let graph = match graph::files::from_arrays(&arrays, &arrays) {
        Err(GraphError::Store(StoreError::HashMismatch { expected, .. })) => {
            arrays.push_text(GraphHash::ARRAY, expected);
            graph::files::from_arrays(&arrays, &arrays).expect("only the identity was wrong")
        }
        Err(_) => return,
        Ok(graph) => graph,
    };
    walk(&graph);
}

fn walk(graph: &DemoGraph) {
    assert_eq!(graph.lanes().iter().map(|l| l.nodes.len()).sum::<usize>(), graph.len());
    for v in 0..graph.len() {
        assert!(graph.strand(graph.owner(v)).contains(&v));
        for advance in [0, 1, 16] {
            let (lower, upper, share) = graph.bracket(v, advance);
            assert!(graph.strand(graph.owner(v)).contains(&upper) && lower <= upper);
            assert!((0.0..1.0).contains(&share));
        }
    }
}
