//! Entry at t = 0: is the start pose one that demos start from, and where to rewind it (sentinel page,
//! section 3).
//!
//! ```text
//! stratum   v in the lane,  20 frame(v) <= T(v) - 1,  logit(v) > -inf
//! q*        sum_v w_v q_v,  w_v = 1/n                                      rad
//! WHEN      ||q_0 - q*|| > JQ_GATE
//! ```
//!
//! `T - 1` is the last frame of the node's strand: the band is closed, in integers. An empty stratum is refused
//! with the count that each condition left, never replaced.

use super::error::{ReadoutError, expect_len};
use super::segment::Segment;
use crate::constants::JQ_GATE;
use crate::graph::DemoGraph;
use rollcheck_kernels::knn::distance_sq;

/// Nodes left by the conditions of entry, each added to those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StratumCounts {
    /// Of the task.
    pub lane: usize,
    /// And inside the phase band.
    pub band: usize,
    /// And reached by the head.
    pub reached: usize,
}

/// Says which condition emptied the stratum.
impl std::fmt::Display for StratumCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { lane, band, reached } = self;
        write!(f, "{lane} nodes in the lane, {band} of them in the phase band, {reached} of those reached")
    }
}

/// A target for t = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryTarget {
    /// `q*`, rad.
    pub q: Vec<f64>,
    /// The frames that the servo follows; the first is `q*`.
    pub segment: Segment,
    /// The stratum, ascending.
    pub nodes: Vec<u32>,
    /// Nodes that each condition left; `reached` is the stratum's size.
    pub counts: StratumCounts,
}

/// Reads the entry target of a graph.
#[doc(alias = "EucRawReadout")]
#[derive(Clone, Copy, Debug)]
pub struct EntryReadout<'a> {
    /// The graph.
    pub graph: &'a DemoGraph,
    /// A demo that is left out.
    pub without_owner: Option<usize>,
}

impl EntryReadout<'_> {
    /// The target of a task. `logits`: one a node of the lane, in the lane's order, `-inf` where not reached.
    ///
    /// # Errors
    /// [`ReadoutError::EmptyStratum`], for an unknown task too; [`ReadoutError::Length`].
    pub fn target(&self, task_id: i32, logits: &[f32]) -> Result<EntryTarget, ReadoutError> {
        let graph = self.graph;
        let lane = graph.lane(task_id).map_or(&[][..], |lane| &lane.nodes);
        expect_len("logits", lane.len(), logits.len())?;
        let mut counts = StratumCounts::default();
        let mut nodes = Vec::new();
        for (&v, &logit) in lane.iter().zip(logits) {
            if Some(graph.owner(v as usize)) == self.without_owner {
                continue;
            }
            counts.lane += 1;
            if graph.in_entry_band(v as usize) {
                counts.band += 1;
                if logit > f32::NEG_INFINITY {
                    counts.reached += 1;
                    nodes.push(v);
                }
            }
        }
        if nodes.is_empty() {
            return Err(ReadoutError::EmptyStratum { task_id, counts });
        }
        let weights = vec![1.0 / nodes.len() as f64; nodes.len()];
        let mut segment = Segment::new(graph.dof());
        segment.fill(graph, &nodes, &weights)?;
        Ok(EntryTarget { q: segment.frame(0).to_vec(), segment, nodes, counts })
    }
}

/// Whether a start pose `q0` (rad) is far enough from `q_target` (rad) to be rewound.
pub fn needs_rewind(q0: &[f64], q_target: &[f64]) -> bool {
    distance_sq(q0, q_target).sqrt() > JQ_GATE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_itself_is_left_alone() {
        assert!(!needs_rewind(&[0.0, 0.0], &[JQ_GATE, 0.0]));
        assert!(needs_rewind(&[0.0, 0.0], &[JQ_GATE, 1e-3]));
    }
}
