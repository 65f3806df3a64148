//! The nodes a filter works on: the lane of a known task, or every node.
//!
//! Beliefs, likelihoods and logits are indexed by the *local* index, the position in [`Scope::nodes`].
//! Every edge that the filter uses stays inside a task, so a lane is closed under prediction and masking
//! the logits before the softmax (sentinel page, section 4) is the same as never holding the other nodes.

use super::error::BeliefError;
use crate::graph::DemoGraph;
use crate::store::GraphHash;
use std::fmt;

/// Which nodes of which graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeId {
    /// The graph.
    pub graph: GraphHash,
    /// The task, or every task.
    pub lane: Option<i32>,
}

impl fmt::Display for ScopeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lane {
            Some(task) => write!(f, "task {task} of graph {}", self.graph),
            None => write!(f, "all tasks of graph {}", self.graph),
        }
    }
}

/// The nodes of a filter, with what it needs of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    id: ScopeId,
    nodes: Vec<u32>,
    phase: Vec<f64>,
    bin: Vec<u8>,
    owner: Vec<u32>,
    in_entry_band: Vec<bool>,
}

impl Scope {
    /// The nodes of a task, or all nodes.
    ///
    /// # Errors
    /// [`BeliefError::UnknownTask`].
    pub fn new(graph: &DemoGraph, lane: Option<i32>) -> Result<Self, BeliefError> {
        let unknown = |task| {
            let known = graph.lanes().iter().map(|l| l.task_id).collect();
            BeliefError::UnknownTask { task, known }
        };
        let nodes: Vec<u32> = match lane {
            None => (0..graph.len() as u32).collect(),
            Some(task) => graph.lane(task).ok_or_else(|| unknown(task))?.nodes.clone(),
        };
        let ids = || nodes.iter().map(|&v| v as usize);
        Ok(Self {
            id: ScopeId { graph: graph.hash().clone(), lane },
            phase: ids().map(|v| graph.phase(v)).collect(),
            bin: ids().map(|v| graph.bin(v) as u8).collect(),
            owner: ids().map(|v| graph.owner(v) as u32).collect(),
            in_entry_band: ids().map(|v| graph.in_entry_band(v)).collect(),
            nodes,
        })
    }

    /// Which nodes these are.
    pub fn id(&self) -> &ScopeId {
        &self.id
    }

    /// The known task, if there is one.
    pub fn lane(&self) -> Option<i32> {
        self.id.lane
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes; never for a graph that was built or read.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Global ids, ascending.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Local index of a node, if it is in the scope.
    pub fn local(&self, node: u32) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }

    /// Phases by local index.
    pub fn phases(&self) -> &[f64] {
        &self.phase
    }

    /// Phase bins by local index.
    pub fn bins(&self) -> &[u8] {
        &self.bin
    }

    /// Demos by local index.
    pub fn owners(&self) -> &[u32] {
        &self.owner
    }

    /// Whether each node lies in the entry band, by local index: phase at most `JQ_GRAPH_ENTRY_BAND`.
    pub fn entry_band(&self) -> &[bool] {
        &self.in_entry_band
    }

    /// The belief before the first check of an episode: uniform over the entry stratum without the demo
    /// `without_owner`. Returns the number of nodes that hold it; where there is none, `belief` is zero.
    pub fn start_prior(&self, without_owner: Option<usize>, belief: &mut [f64]) -> usize {
        let holds = |v: usize| self.in_entry_band[v] && without_owner != Some(self.owner[v] as usize);
        let count = (0..self.len()).filter(|&v| holds(v)).count();
        for (v, b) in belief.iter_mut().enumerate() {
            *b = if holds(v) { 1.0 / count as f64 } else { 0.0 };
        }
        count
    }
}
