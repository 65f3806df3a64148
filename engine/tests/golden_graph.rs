//! The demonstration graph against the golden data, bit for bit, and its two files.

#![allow(clippy::unwrap_used)]

mod support;

use rollcheck_engine::demos::episode::Origin;
use rollcheck_engine::demos::{DemoSet, Episode};
use rollcheck_engine::graph::files::{EDGES_FILE, NODES_FILE, edge_arrays, from_arrays, node_arrays};
use rollcheck_engine::graph::{GraphError, Relation, edges, files};
use rollcheck_engine::store::arrays::{Arrays, Dim};
use rollcheck_engine::store::{Data, StoreError, npz};
use support::{golden, golden_demos, golden_graph, indices};

const GRAPHS: [&str; 2] = ["golden_graph", "golden_tiny"];

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn nodes_are_the_golden_ones_bit_for_bit() {
    for name in GRAPHS {
        let (file, graph) = (golden(name), golden_graph(name));
        let nodes = graph.nodes();
        for (field, found) in [("q", &nodes.q), ("qdot", &nodes.qdot)] {
            let expected =
                file.f64(&format!("node_{field}"), &[Dim::Is(nodes.len()), Dim::Is(nodes.dof)]).unwrap();
            assert_eq!(bits(found), bits(&expected), "{name}: {field}");
        }
        let phase = file.f64("node_phase", &[Dim::Any]).unwrap();
        assert_eq!(bits(&nodes.phase), bits(&phase), "{name}: phase");
        let gripper: Vec<i32> = nodes.gripper.iter().map(|&x| i32::from(x)).collect();
        let bin: Vec<i32> = (0..graph.len()).map(|v| graph.bin(v) as i32).collect();
        for (field, found) in [
            ("gripper", &gripper),
            ("task_id", &nodes.task_id),
            ("owner", &nodes.owner),
            ("frame", &nodes.frame),
            ("strand_start", &nodes.strand_start),
            ("bin", &bin),
        ] {
            assert_eq!(*found, file.i32(&format!("node_{field}"), &[Dim::Any]).unwrap(), "{name}: {field}");
        }
    }
}

#[test]
fn every_relation_is_the_golden_one() {
    for name in GRAPHS {
        let (file, graph) = (golden(name), golden_graph(name));
        for relation in Relation::ALL {
            let (csr, edge) = (graph.relation(relation), relation.name());
            assert_eq!(csr.indptr(), indices(&file, &format!("edge_{edge}_indptr")), "{name}: {edge}");
            assert_eq!(csr.indices(), indices(&file, &format!("edge_{edge}_indices")), "{name}: {edge}");
        }
    }
}

#[test]
fn the_number_of_threads_does_not_show() {
    let demos = golden_demos("golden_graph");
    let built = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let graph = pool.install(|| edges::build(&demos)).unwrap();
        (npz::format(&node_arrays(&graph)).unwrap(), npz::format(&edge_arrays(&graph)).unwrap())
    };
    assert_eq!(built(1), built(2));
}

#[test]
fn files_give_the_graph_back() {
    for name in GRAPHS {
        let (graph, folder) = (golden_graph(name), tempfile::tempdir().unwrap());
        files::write(folder.path(), &graph).unwrap();
        assert_eq!(files::read(folder.path()).unwrap(), graph, "{name}");
    }
}

/// The same arrays with one of them changed.
fn changed(arrays: &Arrays, name: &str, change: impl Fn(&mut Data)) -> Arrays {
    let mut copy = Arrays::new(arrays.file());
    for (entry, array) in arrays.iter() {
        let mut data = array.data.clone();
        if entry == name {
            change(&mut data);
        }
        copy.push(entry, &array.shape, data);
    }
    copy
}

/// The file of a hash mismatch and the two hashes, all of which the message must name.
fn mismatch(error: &GraphError) -> (String, String, String) {
    let GraphError::Store(StoreError::HashMismatch { file, expected, found, .. }) = error else {
        panic!("not a mismatch: {error}");
    };
    let text = error.to_string();
    assert!([file, expected, found].iter().all(|word| text.contains(word.as_str())), "{text}");
    (file.clone(), expected.clone(), found.clone())
}

#[test]
fn a_tampered_array_is_refused_with_both_hashes() {
    let graph = golden_graph("golden_tiny");
    let (nodes, edges) = (node_arrays(&graph), edge_arrays(&graph));
    let nudge = |data: &mut Data| match data {
        Data::F64(values) => values[0] += 1e-9,
        Data::I32(values) => values[0] = i32::from(values[0] == 0),
        other => panic!("{}", other.dtype()),
    };
    let error = from_arrays(&changed(&nodes, "q", nudge), &edges).unwrap_err();
    let (file, expected, found) = mismatch(&error);
    assert_eq!((file.as_str(), found.as_str()), (NODES_FILE, graph.hash().as_str()));
    assert_ne!(expected, found);

    // Another well-formed neighbour list: node 0 joined to its strand's third node instead of its second.
    let rewired = changed(&edges, "next1_indices", |data| {
        let Data::I32(values) = data else { panic!("{}", data.dtype()) };
        values[0] = 2;
    });
    let (_, expected, found) = mismatch(&from_arrays(&nodes, &rewired).unwrap_err());
    assert_eq!(found, graph.hash().as_str());
    assert_ne!(expected, found);
}

#[test]
fn strand_offsets_at_the_ends_of_their_range_are_refused() {
    let graph = golden_graph("golden_tiny");
    let n = graph.len() as i32;
    let overflowing = changed(&node_arrays(&graph), "strand_start", |data| {
        let Data::I32(values) = data else { panic!("{}", data.dtype()) };
        let last = values.len() - 1;
        values[1..last].fill(i32::MIN);
        values[1] = i32::MAX;
        values[last] = n;
    });
    let error = from_arrays(&overflowing, &edge_arrays(&graph)).unwrap_err().to_string();
    assert!(error.contains("field `strand_start`"), "{error}");
}

#[test]
fn demonstrations_must_make_the_graph_value_for_value() {
    let (graph, demos) = (golden_graph("golden_tiny"), golden_demos("golden_tiny"));
    graph.made_from(&demos).unwrap();
    let origin = Origin { file: "other", episode: 0, field: "q" };
    let mut episodes = demos.episodes().to_vec();
    let old = &episodes[6];
    let mut q = old.q_all().to_vec();
    q[0] += 1e-9;
    let (closed, task, rate_hz) = (old.closed_all().to_vec(), old.task_id(), old.rate_hz());
    episodes[6] = Episode::new(q, demos.dof(), closed, task, rate_hz, origin).unwrap();
    let other = DemoSet::new(episodes, Vec::new(), origin).unwrap();
    let error = graph.made_from(&other).unwrap_err().to_string();
    let node = graph.strand(6).start;
    assert!(
        error.starts_with(&format!("the demonstrations do not make this graph: node {node} is")),
        "{error}"
    );
    let fewer = DemoSet::new(demos.episodes()[..7].to_vec(), Vec::new(), origin).unwrap();
    let error = graph.made_from(&fewer).unwrap_err().to_string();
    assert!(error.contains("the number of episodes is 7, expected 8"), "{error}");
}

#[test]
fn edges_of_another_graph_are_refused_with_both_hashes() {
    let (graph, demos) = (golden_graph("golden_tiny"), golden_demos("golden_tiny"));
    let origin = Origin { file: "other", episode: 0, field: "q" };
    let build = |episodes| edges::build(&DemoSet::new(episodes, Vec::new(), origin).unwrap()).unwrap();
    // One of the same shapes, where only the joint positions of the last demo differ; one of fewer nodes.
    let (last, others) = demos.episodes().split_last().unwrap();
    let q = last.q_all().iter().map(|x| x + 0.5).collect();
    let moved =
        Episode::new(q, last.dof(), last.closed_all().to_vec(), last.task_id(), last.rate_hz(), origin);
    for foreign in [build([others, &[moved.unwrap()]].concat()), build(others.to_vec())] {
        let folder = tempfile::tempdir().unwrap();
        files::write(folder.path(), &graph).unwrap();
        npz::write(&folder.path().join(EDGES_FILE), &edge_arrays(&foreign)).unwrap();
        let (file, expected, found) = mismatch(&files::read(folder.path()).unwrap_err());
        assert!(file.ends_with(EDGES_FILE), "{file}");
        assert_eq!((expected.as_str(), found.as_str()), (graph.hash().as_str(), foreign.hash().as_str()));
    }
}
