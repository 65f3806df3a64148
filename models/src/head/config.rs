//! Sizes of a head, stored in its file.

use super::error::HeadError;
use rollcheck_engine::constants::{DOF_RANGE, HIST_H, KERNEL_BW, LAYERS, SEED_TOPK};
use rollcheck_engine::graph::Relation;
use rollcheck_kernels::message_pass::WIDTHS;

/// Sizes and constants of a head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadConfig {
    /// Joints.
    pub dof: usize,
    /// Channels `D` of a node state and of `z`.
    pub width: usize,
    /// Channels of the encoder's hidden layer.
    pub hidden: usize,
    /// Rounds of message passing.
    pub layers: usize,
    /// Frames in a window.
    pub history: usize,
    /// Nodes that the seed kernel starts from.
    pub seed_topk: usize,
    /// Bandwidth of the seed kernel, rad.
    pub bandwidth_rad: f64,
}

impl HeadConfig {
    /// The method's constants with `D = 32`.
    pub fn new(dof: usize) -> Self {
        Self {
            dof,
            width: 32,
            hidden: 64,
            layers: LAYERS,
            history: HIST_H,
            seed_topk: SEED_TOPK,
            bandwidth_rad: KERNEL_BW,
        }
    }

    /// Inputs of the encoder: positions, differences, gripper.
    pub fn query_features(&self) -> usize {
        self.history * self.dof + (self.history - 1) * self.dof + self.history
    }

    /// Features of a node: q, qdot, gripper, phase.
    pub fn node_features(&self) -> usize {
        2 * self.dof + 2
    }

    /// Values of one packed layer: gates, two matrices, bias, scale, shift.
    pub fn layer_len(&self) -> usize {
        Relation::COUNT * self.width + 2 * self.width * self.width + 3 * self.width
    }

    /// Refuses sizes that the ops were not compiled for or that would not fit memory.
    ///
    /// # Errors
    /// [`HeadError::Config`].
    pub fn check(&self) -> Result<(), HeadError> {
        let within = |field, found: usize, range: std::ops::RangeInclusive<usize>| {
            if range.contains(&found) {
                return Ok(());
            }
            let expected = format!("{} to {}", range.start(), range.end());
            Err(HeadError::Config { field, expected, found: found.to_string() })
        };
        within("dof", self.dof, DOF_RANGE)?;
        within("hidden", self.hidden, 1..=1024)?;
        within("layers", self.layers, 1..=8)?;
        within("history", self.history, HIST_H..=HIST_H)?;
        within("seed_topk", self.seed_topk, 1..=1 << 20)?;
        if !WIDTHS.contains(&self.width) {
            let expected = format!("one of {WIDTHS:?}");
            return Err(HeadError::Config { field: "width", expected, found: self.width.to_string() });
        }
        if !(self.bandwidth_rad.is_finite() && self.bandwidth_rad > 0.0) {
            let (expected, found) = ("a positive bandwidth, rad".to_owned(), self.bandwidth_rad.to_string());
            return Err(HeadError::Config { field: "bandwidth_rad", expected, found });
        }
        Ok(())
    }
}
