//! Edges: temporal steps along a strand, siblings and align by exact nearest neighbours.
//!
//! Sentinel page, section 1, "Edges". Neighbours are found by blocked brute force over the candidates'
//! squared distances; ties go to the lower node id. A sibling list takes at most two nodes of one demo:
//! walking the candidates by (d2, id) and skipping a demo that has two is the same as merging the two
//! nearest of each demo, which needs no sorting of all candidates.

use super::demo_graph::{DemoGraph, Nodes, check_size};
use super::error::GraphError;
use super::nodes::coarsen;
use super::schema::Relation;
use crate::constants::{K_ALIGN, K_SIBLING, NBINS_ALIGN, SIBLINGS_PER_DEMO, phase_bin};
use crate::demos::DemoSet;
use rayon::prelude::*;
use rollcheck_kernels::knn::{Nearest, distances_sq};
use rollcheck_kernels::{Csr, SimdLevel};

/// Builds the graph of a set of demonstrations.
///
/// # Errors
/// [`GraphError::TooLarge`].
pub fn build(demos: &DemoSet) -> Result<DemoGraph, GraphError> {
    let nodes = coarsen(demos);
    check_size(nodes.len())?;
    let mut relations = Relation::ALL
        .into_iter()
        .filter_map(Relation::node_step)
        .map(|step| temporal(&nodes, step))
        .collect::<Vec<_>>();
    relations.push(siblings(&nodes));
    relations.push(align(&nodes));
    Ok(DemoGraph::assemble(nodes, relations))
}

/// Edges `step` nodes along the strand; none where the step leaves it.
fn temporal(nodes: &Nodes, step: isize) -> Csr {
    let rows = (0..nodes.len())
        .map(|v| {
            let owner = nodes.owner[v] as usize;
            let strand = nodes.strand_start[owner] as usize..nodes.strand_start[owner + 1] as usize;
            let target = v.checked_add_signed(step).filter(|t| strand.contains(t));
            target.map(|t| (t as u32, ())).into_iter().collect()
        })
        .collect();
    adjacency(rows, nodes.len())
}

fn siblings(nodes: &Nodes) -> Csr {
    let mut tasks = nodes.task_id.clone();
    tasks.sort_unstable();
    tasks.dedup();
    let mut rows = vec![Vec::new(); nodes.len()];
    for task in tasks {
        let lane = Candidates::new(nodes, |v| nodes.task_id[v] == task);
        let found: Vec<_> = lane
            .ids
            .par_iter()
            .map_init(
                || (vec![0.0; lane.ids.len()], Nearest::new(SIBLINGS_PER_DEMO), Nearest::new(K_SIBLING)),
                |(d2, of_demo, merged), &v| {
                    lane.distances(nodes, v, d2);
                    merged.clear();
                    for demo in lane.ids.chunk_by(|&a, &b| nodes.owner[a as usize] == nodes.owner[b as usize])
                    {
                        if nodes.owner[demo[0] as usize] == nodes.owner[v as usize] {
                            continue;
                        }
                        of_demo.clear();
                        let start = lane.position(demo[0]);
                        for (&id, &d) in demo.iter().zip(&d2[start..]) {
                            of_demo.offer(d, id);
                        }
                        for &(d, id) in of_demo.as_slice() {
                            merged.offer(d, id);
                        }
                    }
                    ids_of(merged)
                },
            )
            .collect();
        for (&v, row) in lane.ids.iter().zip(found) {
            rows[v as usize] = row;
        }
    }
    adjacency(rows, nodes.len())
}

fn align(nodes: &Nodes) -> Csr {
    let mut rows = vec![Vec::new(); nodes.len()];
    for bin in 0..NBINS_ALIGN {
        let members = Candidates::new(nodes, |v| phase_bin(nodes.phase[v]) == bin);
        let found: Vec<_> = members
            .ids
            .par_iter()
            .map_init(
                || (vec![0.0; members.ids.len()], Nearest::new(K_ALIGN)),
                |(d2, nearest), &v| {
                    members.distances(nodes, v, d2);
                    nearest.clear();
                    for (&id, &d) in members.ids.iter().zip(d2.iter()) {
                        if nodes.owner[id as usize] != nodes.owner[v as usize] {
                            nearest.offer(d, id);
                        }
                    }
                    ids_of(nearest)
                },
            )
            .collect();
        for (&v, row) in members.ids.iter().zip(found) {
            rows[v as usize] = row;
        }
    }
    adjacency(rows, nodes.len())
}

/// Nodes among which neighbours are looked for, with their joint-major positions.
struct Candidates {
    ids: Vec<u32>,
    points: Vec<f64>,
}

impl Candidates {
    fn new(nodes: &Nodes, keep: impl Fn(usize) -> bool) -> Self {
        let ids: Vec<u32> = (0..nodes.len()).filter(|&v| keep(v)).map(|v| v as u32).collect();
        let points = (0..nodes.dof)
            .flat_map(|j| ids.iter().map(move |&v| nodes.q[v as usize * nodes.dof + j]))
            .collect();
        Self { ids, points }
    }

    fn distances(&self, nodes: &Nodes, v: u32, d2: &mut [f64]) {
        let v = v as usize;
        let query = &nodes.q[v * nodes.dof..(v + 1) * nodes.dof];
        distances_sq(SimdLevel::detect(), query, &self.points, d2)
            .unwrap_or_else(|e| unreachable!("candidate table: {e}"));
    }

    fn position(&self, id: u32) -> usize {
        self.ids.binary_search(&id).unwrap_or_else(|_| unreachable!("{id} is a candidate"))
    }
}

fn ids_of(nearest: &Nearest) -> Vec<(u32, ())> {
    nearest.as_slice().iter().map(|&(_, id)| (id, ())).collect()
}

fn adjacency(rows: Vec<Vec<(u32, ())>>, n: usize) -> Csr {
    Csr::from_rows(rows, n).unwrap_or_else(|e| unreachable!("edges made here: {e}"))
}
