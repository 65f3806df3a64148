//! Basin read-out at t > 0: where on the manifold the belief puts the arm (sentinel page, section 6).
//!
//! ```text
//! candidates   v in the lane,  |bin(v) - bin(phase_hat)| <= 1,  gripper(v) = current
//! w_v          b_v exp(-||q - q_v||^2 / (2 h^2))             h of the cell (task, bin(phase_hat)), rad
//! q*           sum_v w_v q_v / sum_v w_v
//! ```
//!
//! Where the weights sum to 0, or to no finite number, `q*` is the nearest candidate (ties to the lower id).
//! Without a candidate there is no target: the gripper condition is never dropped.

use super::error::{ReadoutError, expect_len};
use super::segment::Segment;
use crate::constants::phase_bin;
use crate::graph::{DemoGraph, Lane};
use crate::when::BasinTable;
use crate::when::basin::near_bins;
use rollcheck_kernels::knn::distance_sq;

/// What a target is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// Candidates weighted by belief and distance.
    Weighted,
    /// The nearest candidate, because no weight was left.
    Nearest,
    /// No candidate, so no target.
    None,
}

/// Where the arm is and what the filter believes.
#[derive(Clone, Copy, Debug)]
pub struct BasinQuery<'a> {
    /// The task's nodes.
    pub lane: &'a Lane,
    /// Belief, one value a node of the lane, in the lane's order.
    pub belief: &'a [f64],
    /// Phase estimate.
    pub phase_hat: f64,
    /// Joint positions of the judged frame, rad.
    pub q: &'a [f64],
    /// Whether its gripper command closes.
    pub closed: bool,
    /// A demo that is left out.
    pub without_owner: Option<usize>,
}

/// The read-out and the buffers of its last target: nothing is allocated once they have room.
#[derive(Clone, Debug)]
pub struct BasinReadout {
    nodes: Vec<u32>,
    weights: Vec<f64>,
    segment: Segment,
}

impl BasinReadout {
    /// Room for any lane of a graph.
    pub fn new(graph: &DemoGraph) -> Self {
        let room = graph.lanes().iter().map(|lane| lane.nodes.len()).max().unwrap_or(0);
        Self {
            nodes: Vec::with_capacity(room),
            weights: Vec::with_capacity(room),
            segment: Segment::new(graph.dof()),
        }
    }

    /// Reads a target. Unless the answer is [`TargetKind::None`], [`BasinReadout::segment`] then holds it.
    ///
    /// # Errors
    /// [`ReadoutError::Length`] for a belief that is not one value a node of the lane, or other joints.
    pub fn read(
        &mut self,
        graph: &DemoGraph,
        table: &BasinTable,
        query: &BasinQuery<'_>,
    ) -> Result<TargetKind, ReadoutError> {
        expect_len("belief", query.lane.nodes.len(), query.belief.len())?;
        expect_len("q", graph.dof(), query.q.len())?;
        let bin = phase_bin(query.phase_hat);
        // An unknown bandwidth makes every weight NaN, which is the nearest candidate below.
        let h = table.cell(query.lane.task_id, bin).map_or(f64::NAN, |cell| cell.bandwidth_rad);
        self.nodes.clear();
        self.weights.clear();
        let (mut total, mut nearest_sq, mut nearest) = (0.0, f64::INFINITY, None);
        for (&id, &belief) in query.lane.nodes.iter().zip(query.belief) {
            let v = id as usize;
            let candidate = near_bins(graph.bin(v), bin)
                && graph.closed(v) == query.closed
                && Some(graph.owner(v)) != query.without_owner;
            if !candidate {
                continue;
            }
            let d_sq = distance_sq(query.q, graph.q(v));
            if d_sq < nearest_sq {
                (nearest_sq, nearest) = (d_sq, Some(id));
            }
            let weight = belief * (-d_sq / (2.0 * h * h)).exp();
            total += weight;
            self.nodes.push(id);
            self.weights.push(weight);
        }
        if total > 0.0 && total.is_finite() {
            for weight in &mut self.weights {
                *weight /= total;
            }
            self.segment.fill(graph, &self.nodes, &self.weights)?;
            return Ok(TargetKind::Weighted);
        }
        self.nodes.clear();
        self.weights.clear();
        let Some(id) = nearest else {
            return Ok(TargetKind::None);
        };
        self.nodes.push(id);
        self.weights.push(1.0);
        self.segment.fill(graph, &self.nodes, &self.weights)?;
        Ok(TargetKind::Nearest)
    }

    /// The target's frames; the first is `q*`.
    pub fn segment(&self) -> &Segment {
        &self.segment
    }

    /// The nodes that the last target is made of, ascending.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Their weights, which sum to 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }
}
