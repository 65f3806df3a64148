//! The head at inference: the reached frontier only, one worker, no allocation after the first call.
//!
//! Two tables of `N x D` states are used in turn. A row that is not reached is zero, so a mean over all
//! in-edges may read it; rows are cleared through the lists of what was written, never as a whole table.

use super::config::HeadConfig;
use super::error::HeadError;
use super::features::Standard;
use super::frontier::{Frontier, Topology};
use super::weights::{HeadWeights, at};
use rollcheck_engine::belief::{Likelihood, Logits, Query};
use rollcheck_engine::graph::DemoGraph;
use rollcheck_engine::store::HeadHash;
use rollcheck_kernels::message_pass::{self, Rows};
use rollcheck_kernels::node_logits::{self, LogitHead};
use rollcheck_kernels::seed_topk::{self, SeedScratch};
use rollcheck_kernels::{SimdLevel, dense};
use std::sync::Arc;

/// Weights and the graph they belong to, with what can be computed once. Share it by `Arc`.
#[derive(Debug)]
pub struct Head {
    graph: Arc<DemoGraph>,
    weights: HeadWeights,
    topology: Arc<Topology>,
    standard: Standard,
    /// `W_e e_v + b`, `N x D`.
    embedding: Vec<f32>,
    /// Position of each node among the nodes of its lane.
    lane_position: Vec<u32>,
    hash: HeadHash,
}

impl Head {
    /// Joins weights and graph.
    ///
    /// # Errors
    /// [`HeadError::Config`] when the number of joints differs.
    pub fn new(graph: Arc<DemoGraph>, weights: HeadWeights) -> Result<Self, HeadError> {
        let topology = Arc::new(Topology::new(&graph, weights.config().layers));
        Self::with_topology(graph, topology, weights)
    }

    /// As [`Head::new`] with a topology made before, for training.
    pub(crate) fn with_topology(
        graph: Arc<DemoGraph>,
        topology: Arc<Topology>,
        weights: HeadWeights,
    ) -> Result<Self, HeadError> {
        let config = weights.config();
        if config.dof != graph.dof() {
            let (expected, found) = (format!("{}, the graph's", graph.dof()), config.dof.to_string());
            return Err(HeadError::Config { field: "dof", expected, found });
        }
        let standard = Standard::of(&graph);
        let mut embedding = vec![0.0; graph.len() * config.width];
        let mut features = Vec::with_capacity(config.node_features());
        for (v, row) in embedding.chunks_exact_mut(config.width).enumerate() {
            features.clear();
            standard.node(&graph, v, &mut features);
            dense_row(&features, weights.values(at::SEED_NODE), weights.values(at::SEED_BIAS), false, row);
        }
        let mut lane_position = vec![0; graph.len()];
        for lane in graph.lanes() {
            for (i, &v) in lane.nodes.iter().enumerate() {
                lane_position[v as usize] = i as u32;
            }
        }
        let hash = weights.hash();
        Ok(Self { graph, weights, topology, standard, embedding, lane_position, hash })
    }

    /// The sizes.
    pub fn config(&self) -> &HeadConfig {
        self.weights.config()
    }

    /// The weights.
    pub fn weights(&self) -> &HeadWeights {
        &self.weights
    }

    /// The graph.
    pub fn graph(&self) -> &Arc<DemoGraph> {
        &self.graph
    }

    /// The head's identity.
    pub fn hash(&self) -> &HeadHash {
        &self.hash
    }

    pub(crate) fn topology(&self) -> &Arc<Topology> {
        &self.topology
    }

    pub(crate) fn standard(&self) -> &Standard {
        &self.standard
    }
}

/// A worker of its own, with room of its own: a cloned list would have none.
impl Clone for HeadWorker {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.head))
    }
}

/// Shapes were checked when the weights were made.
fn dense_row(x: &[f32], matrix: &[f32], bias: &[f32], rectify: bool, y: &mut [f32]) {
    dense::forward(SimdLevel::detect(), x, matrix, bias, rectify, y)
        .unwrap_or_else(|e| unreachable!("checked weights: {e}"));
}

/// One worker's buffers around a shared [`Head`].
#[derive(Debug)]
pub struct HeadWorker {
    head: Arc<Head>,
    frontier: Frontier,
    scratch: SeedScratch,
    seeds: Vec<(u32, f32)>,
    features: Vec<f32>,
    hidden: Vec<f32>,
    z: Vec<f32>,
    projected: Vec<f32>,
    out: Vec<f32>,
    zero: Vec<f32>,
    logits: Vec<f32>,
    /// Two tables of states and the rows of each that are not zero.
    states: [Vec<f32>; 2],
    dirty: [Vec<u32>; 2],
}

impl HeadWorker {
    /// Buffers for a head.
    pub fn new(head: Arc<Head>) -> Self {
        let (n, config) = (head.graph.len(), *head.config());
        let table = || vec![0.0; n * config.width];
        let list = || Vec::with_capacity(n);
        Self {
            frontier: Frontier::new(&head.topology),
            scratch: SeedScratch::with_nodes(n),
            seeds: Vec::with_capacity(config.seed_topk + 1),
            features: vec![0.0; config.query_features()],
            hidden: vec![0.0; config.hidden],
            z: vec![0.0; config.width],
            projected: vec![0.0; config.width],
            out: vec![0.0; config.width],
            zero: vec![0.0; config.width],
            logits: Vec::with_capacity(n),
            states: [table(), table()],
            dirty: [list(), list()],
            head,
        }
    }

    /// The shared head.
    pub fn head(&self) -> &Arc<Head> {
        &self.head
    }

    /// Nodes computed in each round of the last call; round 0 are the seeds.
    pub fn active(&self) -> impl Iterator<Item = usize> + '_ {
        (0..=self.head.config().layers).map(|k| self.frontier.active(k).len())
    }

    fn clear(&mut self, table: usize) {
        let width = self.head.config().width;
        for &v in &self.dirty[table] {
            self.states[table][v as usize * width..][..width].fill(0.0);
        }
        self.dirty[table].clear();
    }

    /// Fills `z`.
    fn encode(&mut self, query: &Query<'_>) {
        let weights = &self.head.weights;
        self.head.standard.query(&query.window, &mut self.features);
        let (w1, b1) = (weights.values(at::QUERY_W1), weights.values(at::QUERY_B1));
        dense_row(&self.features, w1, b1, true, &mut self.hidden);
        let (w2, b2) = (weights.values(at::QUERY_W2), weights.values(at::QUERY_B2));
        dense_row(&self.features, weights.values(at::QUERY_SKIP), b2, false, &mut self.projected);
        dense_row(&self.hidden, w2, &self.projected, false, &mut self.z);
    }
}

impl Likelihood for HeadWorker {
    fn logits(&mut self, query: &Query<'_>, out: &mut Logits) {
        let head = Arc::clone(&self.head);
        let (weights, config, level) = (&head.weights, head.config(), SimdLevel::detect());
        let fits = |e| unreachable!("buffers made for this head: {e}");
        self.encode(query);
        let skip = query.without_owner.map_or(0..0, |owner| head.graph.strand(owner));
        seed_topk::select(
            level,
            query.window.newest(),
            head.graph.q_joint_major(),
            skip.clone(),
            config.seed_topk,
            config.bandwidth_rad,
            &mut self.scratch,
            &mut self.seeds,
        )
        .unwrap_or_else(fits);
        self.frontier.walk(&head.topology, query.lane, skip, &self.seeds);

        self.clear(0);
        self.clear(1);
        dense_row(&self.z, weights.values(at::SEED_QUERY), &self.zero, false, &mut self.projected);
        let seed_rows = self.frontier.active(0);
        seed_topk::states(
            level,
            &self.projected,
            &head.embedding,
            &self.seeds,
            seed_rows,
            &mut self.states[0],
        )
        .unwrap_or_else(fits);
        self.dirty[0].extend(seed_rows);
        for layer in 0..config.layers {
            let (from, to) = (layer % 2, 1 - layer % 2);
            self.clear(to);
            let rows = self.frontier.active(layer + 1);
            let [even, odd] = &mut self.states;
            let (input, output) = if from == 0 { (&*even, odd) } else { (&*odd, even) };
            let typed = head.topology.typed();
            message_pass::forward(
                level,
                config.width,
                &weights.layer(layer),
                typed,
                &Rows::same(rows),
                input,
                output,
            )
            .unwrap_or_else(fits);
            self.dirty[to].extend(rows);
        }

        let (w_query, bias) = (weights.values(at::LOGIT_QUERY), weights.values(at::LOGIT_BIAS));
        dense_row(&self.z, w_query, bias, false, &mut self.projected);
        let (w_match, out_bias) = (weights.values(at::LOGIT_MATCH), weights.values(at::LOGIT_OUT));
        dense_row(&self.z, w_match, out_bias, false, &mut self.out);
        let logit_head =
            LogitHead { matrix: weights.values(at::LOGIT_STATE), query: &self.projected, out: &self.out };
        let rows = self.frontier.active(config.layers);
        self.logits.resize(rows.len(), 0.0);
        let states = &self.states[config.layers % 2];
        node_logits::forward(level, config.width, &logit_head, rows, states, &mut self.logits)
            .unwrap_or_else(fits);

        let lane = query.lane.and_then(|task| head.graph.lane(task));
        out.values.clear();
        out.values.resize(lane.map_or(head.graph.len(), |l| l.nodes.len()), f32::NEG_INFINITY);
        for (&v, &logit) in rows.iter().zip(&self.logits) {
            let position = if lane.is_some() { head.lane_position[v as usize] } else { v };
            out.values[position as usize] = logit;
        }
    }
}
