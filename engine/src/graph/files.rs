//! `g_nodes.npz` and `g_edges.npz`.
//!
//! Nodes: `q`, `qdot` (N x dof, f8), `gripper` (u1), `task_id`, `owner`, `frame` (i4), `phase` (f8),
//! `strand_start` (D + 1, i4), `graph_hash`. Edges: `<relation>_indptr`, `<relation>_indices` (i4) for the
//! twelve relations, `graph_hash`. What is read is checked as if a stranger had written it: the hash is
//! computed anew from both files and must equal both stamps.

use super::demo_graph::{DemoGraph, Nodes, check_size};
use super::error::GraphError;
use super::schema::Relation;
use crate::constants::DOF_RANGE;
use crate::store::arrays::{Arrays, Data, Dim};
use crate::store::{GraphHash, StoreError, npz};
use rollcheck_kernels::Csr;
use std::path::Path;

/// File name of the node arrays.
pub const NODES_FILE: &str = "g_nodes.npz";
/// File name of the edge arrays.
pub const EDGES_FILE: &str = "g_edges.npz";

/// Writes both files into a folder.
///
/// # Errors
/// [`GraphError::Store`].
pub fn write(folder: &Path, graph: &DemoGraph) -> Result<(), GraphError> {
    npz::write(&folder.join(NODES_FILE), &node_arrays(graph))?;
    npz::write(&folder.join(EDGES_FILE), &edge_arrays(graph))?;
    Ok(())
}

/// Reads both files of a folder.
///
/// # Errors
/// [`GraphError`], naming file, array or node, what was expected and what was found.
pub fn read(folder: &Path) -> Result<DemoGraph, GraphError> {
    from_arrays(&npz::read(&folder.join(NODES_FILE))?, &npz::read(&folder.join(EDGES_FILE))?)
}

/// The arrays of `g_nodes.npz`.
pub fn node_arrays(graph: &DemoGraph) -> Arrays {
    let nodes = graph.nodes();
    let n = nodes.len();
    let mut arrays = Arrays::new(NODES_FILE);
    arrays.push("q", &[n, nodes.dof], Data::F64(nodes.q.clone()));
    arrays.push("qdot", &[n, nodes.dof], Data::F64(nodes.qdot.clone()));
    arrays.push("gripper", &[n], Data::U8(nodes.gripper.clone()));
    arrays.push("task_id", &[n], Data::I32(nodes.task_id.clone()));
    arrays.push("owner", &[n], Data::I32(nodes.owner.clone()));
    arrays.push("phase", &[n], Data::F64(nodes.phase.clone()));
    arrays.push("frame", &[n], Data::I32(nodes.frame.clone()));
    arrays.push("strand_start", &[nodes.strand_start.len()], Data::I32(nodes.strand_start.clone()));
    graph.hash().stamp(&mut arrays);
    arrays
}

/// The arrays of `g_edges.npz`.
pub fn edge_arrays(graph: &DemoGraph) -> Arrays {
    let mut arrays = Arrays::new(EDGES_FILE);
    for relation in Relation::ALL {
        let csr = graph.relation(relation);
        for (part, values) in [("indptr", csr.indptr()), ("indices", csr.indices())] {
            let values: Vec<i32> = values.iter().map(|&x| x as i32).collect();
            arrays.push(format!("{}_{part}", relation.name()), &[values.len()], Data::I32(values));
        }
    }
    graph.hash().stamp(&mut arrays);
    arrays
}

/// A graph from the arrays of both files.
///
/// # Errors
/// As [`read`].
pub fn from_arrays(node_file: &Arrays, edge_file: &Arrays) -> Result<DemoGraph, GraphError> {
    check_stamps(node_file, edge_file)?;
    let nodes = read_nodes(node_file)?;
    let n = nodes.len();
    let mut relations = Vec::with_capacity(Relation::COUNT);
    for relation in Relation::ALL {
        let indptr = offsets(edge_file, &format!("{}_indptr", relation.name()), Dim::Is(n + 1))?;
        let indices = offsets(edge_file, &format!("{}_indices", relation.name()), Dim::Any)?;
        let csr = Csr::adjacency(indptr, indices, n).map_err(|source| GraphError::Relation {
            file: edge_file.file().to_owned(),
            relation: relation.name(),
            source,
        })?;
        relations.push(csr);
    }
    let graph = DemoGraph::assemble(nodes, relations);
    GraphHash::verify(graph.hash(), node_file)?;
    GraphHash::verify(graph.hash(), edge_file)?;
    Ok(graph)
}

/// Both files carry one hash. Looked at before anything else: edges of another graph need not differ in any
/// shape, and where they do, the hashes say more than the shape.
fn check_stamps(node_file: &Arrays, edge_file: &Arrays) -> Result<(), StoreError> {
    let (expected, found) = (node_file.text(GraphHash::ARRAY)?, edge_file.text(GraphHash::ARRAY)?);
    if expected == found {
        return Ok(());
    }
    Err(StoreError::HashMismatch {
        file: edge_file.file().to_owned(),
        what: "graph",
        expected: expected.to_owned(),
        found: found.to_owned(),
    })
}

fn offsets(file: &Arrays, name: &str, length: Dim) -> Result<Vec<u32>, GraphError> {
    let values = file.i32(name, &[length])?;
    values
        .iter()
        .enumerate()
        .map(|(i, &v)| u32::try_from(v).map_err(|_| file.value_error(name, i, "at least 0", v).into()))
        .collect()
}

fn read_nodes(file: &Arrays) -> Result<Nodes, GraphError> {
    let phase = file.f64("phase", &[Dim::Any])?;
    let n = phase.len();
    check_size(n)?;
    let q = file.f64("q", &[Dim::Is(n), Dim::Any])?;
    let dof = file.get("q")?.shape[1];
    let nodes = Nodes {
        dof,
        q,
        qdot: file.f64("qdot", &[Dim::Is(n), Dim::Is(dof)])?,
        gripper: file.flags("gripper", &[Dim::Is(n)])?.into_iter().map(u8::from).collect(),
        task_id: file.i32("task_id", &[Dim::Is(n)])?,
        owner: file.i32("owner", &[Dim::Is(n)])?,
        phase,
        frame: file.i32("frame", &[Dim::Is(n)])?,
        strand_start: file.i32("strand_start", &[Dim::Any])?,
    };
    check_nodes(&nodes, file.file())?;
    Ok(nodes)
}

/// Strands cover the nodes, each of one task, with frames and phases that grow from 0 to the end.
fn check_nodes(nodes: &Nodes, file: &str) -> Result<(), GraphError> {
    let refuse = |node: usize, field: &'static str, expected: String, found: String| GraphError::Node {
        file: file.to_owned(),
        node,
        field,
        expected,
        found,
    };
    let n = nodes.len();
    if n == 0 || !DOF_RANGE.contains(&nodes.dof) {
        let expected = format!("at least one node, {} to {} joints", DOF_RANGE.start(), DOF_RANGE.end());
        return Err(refuse(0, "q", expected, format!("{n} nodes, {} joints", nodes.dof)));
    }
    for (field, values) in [("q", &nodes.q), ("qdot", &nodes.qdot)] {
        if let Some(at) = values.iter().position(|x| !x.is_finite()) {
            return Err(refuse(at / nodes.dof, field, "finite values".to_owned(), values[at].to_string()));
        }
    }
    let starts = &nodes.strand_start;
    let covers = starts.first() == Some(&0)
        && starts.last() == Some(&(n as i32))
        && starts.windows(2).all(|w| i64::from(w[1]) - i64::from(w[0]) >= 2);
    if !covers {
        let expected = format!("strands of at least 2 nodes that cover 0 to {n}");
        return Err(refuse(0, "strand_start", expected, format!("{} offsets", starts.len())));
    }
    for (owner, pair) in starts.windows(2).enumerate() {
        let strand = pair[0] as usize..pair[1] as usize;
        let (first, last) = (strand.start, strand.end - 1);
        for v in strand {
            if nodes.owner[v] != owner as i32 {
                return Err(refuse(v, "owner", owner.to_string(), nodes.owner[v].to_string()));
            }
            if nodes.task_id[v] != nodes.task_id[first] {
                let expected = format!("{}, the strand's task", nodes.task_id[first]);
                return Err(refuse(v, "task_id", expected, nodes.task_id[v].to_string()));
            }
            let frame_fits =
                if v == first { nodes.frame[v] == 0 } else { nodes.frame[v] > nodes.frame[v - 1] };
            if !frame_fits {
                let expected = "0 at the strand's start, growing after it".to_owned();
                return Err(refuse(v, "frame", expected, nodes.frame[v].to_string()));
            }
            let phase = f64::from(nodes.frame[v]) / f64::from(nodes.frame[last]);
            if nodes.phase[v] != phase {
                return Err(refuse(v, "phase", phase.to_string(), nodes.phase[v].to_string()));
            }
        }
    }
    Ok(())
}
