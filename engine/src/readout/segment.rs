//! Target segment: the frames that the servo follows (sentinel page, section 3, HOW).
//!
//! ```text
//! frame k = sum_v w_v q(v, k)        k = 0 .. SEG_K - 1
//! ```
//!
//! `q(v, k)` (rad) is the strand of node `v` read `k` raw frames later: between the two nodes that bracket
//! the frame, linearly, and held at the strand's end. The weights sum to 1. The policy so receives an arm that
//! moves as the demos do, not one at rest.

use super::error::{ReadoutError, expect_len};
use crate::constants::SEG_K;
use crate::graph::DemoGraph;

/// `SEG_K` frames of joint positions, rad.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    dof: usize,
    /// `SEG_K x dof`.
    q: Vec<f64>,
}

impl Segment {
    /// Room for a segment of `dof` joints, all zero; [`Segment::fill`] allocates nothing.
    pub fn new(dof: usize) -> Self {
        Self { dof, q: vec![0.0; SEG_K * dof] }
    }

    /// A segment that stays at one pose.
    pub fn hold(q: &[f64]) -> Self {
        Self { dof: q.len(), q: q.repeat(SEG_K) }
    }

    /// Reads the segment of `nodes` with their `weights`.
    ///
    /// # Errors
    /// [`ReadoutError::Length`] when the weights are not one a node, or the graph has other joints.
    pub fn fill(&mut self, graph: &DemoGraph, nodes: &[u32], weights: &[f64]) -> Result<(), ReadoutError> {
        expect_len("weights", nodes.len(), weights.len())?;
        expect_len("segment frame", graph.dof(), self.dof)?;
        self.q.fill(0.0);
        for (&v, &weight) in nodes.iter().zip(weights) {
            for k in 0..SEG_K {
                let (lower, upper, share) = graph.bracket(v as usize, k);
                let frame = &mut self.q[k * self.dof..(k + 1) * self.dof];
                for ((out, &from), &to) in frame.iter_mut().zip(graph.q(lower)).zip(graph.q(upper)) {
                    *out += weight * ((1.0 - share) * from + share * to);
                }
            }
        }
        Ok(())
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.dof
    }

    /// Joint positions of frame `k`, rad; the last frame for a `k` beyond it.
    pub fn frame(&self, k: usize) -> &[f64] {
        let k = k.min(SEG_K - 1);
        &self.q[k * self.dof..(k + 1) * self.dof]
    }

    /// All frames, `SEG_K x dof`, rad.
    pub fn as_slice(&self) -> &[f64] {
        &self.q
    }
}
