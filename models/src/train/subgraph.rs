//! The part of the graph that one window's loss depends on, with rows numbered anew.
//!
//! Row lists of each round come from [`Frontier`]; a table of states has one row a node and a last row of
//! zeros, which stands for every node that was not reached.

use crate::head::forward::Head;
use crate::head::frontier::{Frontier, Topology};
use rollcheck_engine::belief::Query;
use rollcheck_engine::graph::Relation;
use rollcheck_kernels::SimdLevel;
use rollcheck_kernels::message_pass::{Rows, TypedEdges};
use rollcheck_kernels::seed_topk::{self, SeedScratch};
use std::sync::Arc;

/// One round: edges and self rows over the rows of the round before.
#[derive(Debug)]
pub struct Round {
    edges: TypedEdges,
    self_rows: Vec<u32>,
    out_rows: Vec<u32>,
    /// Rows of the table before, its zero row included.
    pub input_rows: usize,
}

impl Round {
    /// The in-edges.
    pub fn edges(&self) -> &TypedEdges {
        &self.edges
    }

    /// The row lists.
    pub fn rows(&self) -> Rows<'_> {
        Rows { edge_rows: &self.out_rows, self_rows: &self.self_rows, out_rows: &self.out_rows }
    }

    /// Rows of the table after, its zero row included.
    pub fn output_rows(&self) -> usize {
        self.out_rows.len() + 1
    }
}

/// Everything of the graph that one query needs.
#[derive(Debug)]
pub struct Subgraph {
    /// Seeds and their kernel values.
    pub seeds: Vec<(u32, f32)>,
    /// The rounds in order.
    pub rounds: Vec<Arc<Round>>,
    /// Nodes that get a logit, ascending; row `i` of the last table is node `nodes[i]`.
    pub nodes: Vec<u32>,
}

/// Buffers for making subgraphs.
#[derive(Debug)]
pub struct SubgraphScratch {
    frontier: Frontier,
    seeds: SeedScratch,
    local: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl SubgraphScratch {
    /// Buffers for a topology over `nodes` nodes.
    pub fn new(topology: &Topology, nodes: usize) -> Self {
        Self { frontier: Frontier::new(topology), seeds: SeedScratch::default(), local: vec![NONE; nodes] }
    }

    /// The subgraph of a query.
    pub fn make(&mut self, head: &Head, query: &Query<'_>) -> Subgraph {
        let (graph, topology, config) = (head.graph(), head.topology(), head.config());
        let skip = query.without_owner.map_or(0..0, |owner| graph.strand(owner));
        let mut seeds = Vec::new();
        seed_topk::select(
            SimdLevel::detect(),
            query.window.newest(),
            graph.q_joint_major(),
            skip.clone(),
            config.seed_topk,
            config.bandwidth_rad,
            &mut self.seeds,
            &mut seeds,
        )
        .unwrap_or_else(|e| unreachable!("the graph's own table: {e}"));
        self.frontier.walk(topology, query.lane, skip, &seeds);
        let mut rounds = Vec::with_capacity(config.layers);
        for k in 0..config.layers {
            let (before, after) = (self.frontier.active(k), self.frontier.active(k + 1));
            for (row, &v) in before.iter().enumerate() {
                self.local[v as usize] = row as u32;
            }
            let zero = before.len() as u32;
            let mut edges = TypedEdges::new(before.len() + 1, Relation::COUNT);
            let mut self_rows = Vec::with_capacity(after.len());
            for &v in after {
                for r in 0..Relation::COUNT {
                    let incoming = topology.incoming(r).row(v as usize);
                    let sources = incoming.iter().map(|&u| self.local[u as usize]).filter(|&u| u != NONE);
                    edges
                        .push_group(r, incoming.len(), sources)
                        .unwrap_or_else(|e| unreachable!("rows numbered here: {e}"));
                }
                edges.finish_row();
                let own = self.local[v as usize];
                self_rows.push(if own == NONE { zero } else { own });
            }
            for &v in before {
                self.local[v as usize] = NONE;
            }
            let out_rows = (0..after.len() as u32).collect();
            rounds.push(Arc::new(Round { edges, self_rows, out_rows, input_rows: before.len() + 1 }));
        }
        Subgraph { seeds, rounds, nodes: self.frontier.active(config.layers).to_vec() }
    }
}
