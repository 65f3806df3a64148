//! The kernels as candle operations with their own gradients.
//!
//! A table of states is `(rows + 1) x D`; its last row is zero and stays so.

use super::subgraph::Round;
use crate::head::config::HeadConfig;
use crate::head::weights::unpack;
use candle_core::{CpuStorage, CustomOp2, CustomOp3, Layout, Result, Shape, Tensor};
use rollcheck_engine::graph::Relation;
use rollcheck_kernels::message_pass::{self, Gradient};
use rollcheck_kernels::node_logits::{self, LogitHead};
use rollcheck_kernels::{KernelError, SimdLevel};
use std::sync::Arc;

fn failed(error: KernelError) -> candle_core::Error {
    candle_core::Error::wrap(error)
}

/// The values of a contiguous f32 argument.
fn slice<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    let values = storage.as_slice::<f32>()?;
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&values[start..end]),
        None => candle_core::bail!("argument is not contiguous"),
    }
}

fn values(tensor: &Tensor) -> Result<Vec<f32>> {
    tensor.flatten_all()?.to_vec1::<f32>()
}

/// One round of message passing: (states, packed layer) to states.
pub struct MessagePass {
    /// Sizes of the head.
    pub config: HeadConfig,
    /// The round's rows and edges.
    pub round: Arc<Round>,
}

impl CustomOp2 for MessagePass {
    fn name(&self) -> &'static str {
        "message-pass"
    }

    fn cpu_fwd(
        &self,
        s1: &CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let width = self.config.width;
        let (input, packed) = (slice(s1, l1)?, slice(s2, l2)?);
        let mut output = vec![0.0; self.round.output_rows() * width];
        message_pass::forward(
            SimdLevel::detect(),
            width,
            &unpack(&self.config, packed),
            self.round.edges(),
            &self.round.rows(),
            input,
            &mut output,
        )
        .map_err(failed)?;
        Ok((CpuStorage::F32(output), Shape::from((self.round.output_rows(), width))))
    }

    fn bwd(
        &self,
        input: &Tensor,
        packed: &Tensor,
        _result: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let width = self.config.width;
        let (states, weights, grad) = (values(input)?, values(packed)?, values(grad)?);
        let mut gradient = Gradient::zeros(width, Relation::COUNT, states.len());
        message_pass::backward(
            SimdLevel::detect(),
            width,
            &unpack(&self.config, &weights),
            self.round.edges(),
            &self.round.rows(),
            &states,
            &grad,
            &mut gradient,
        )
        .map_err(failed)?;
        let mut flat = gradient.gates;
        for part in [gradient.w_self, gradient.w_msg, gradient.bias, gradient.scale, gradient.shift] {
            flat.extend(part);
        }
        let device = input.device();
        Ok((
            Some(Tensor::from_vec(gradient.input, input.shape(), device)?),
            Some(Tensor::from_vec(flat, packed.shape(), device)?),
        ))
    }
}

/// The logit head: (states, matrix, query share and output weights) to logits of all rows but the last.
pub struct NodeLogits {
    /// Channels.
    pub width: usize,
    /// Rows asked for.
    pub rows: Vec<u32>,
}

impl NodeLogits {
    fn head<'a>(&self, matrix: &'a [f32], vectors: &'a [f32]) -> LogitHead<'a> {
        let (query, out) = vectors.split_at(self.width);
        LogitHead { matrix, query, out }
    }
}

impl CustomOp3 for NodeLogits {
    fn name(&self) -> &'static str {
        "node-logits"
    }

    fn cpu_fwd(
        &self,
        s1: &CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
        s3: &CpuStorage,
        l3: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (states, matrix, vectors) = (slice(s1, l1)?, slice(s2, l2)?, slice(s3, l3)?);
        let mut logits = vec![0.0; self.rows.len()];
        let head = self.head(matrix, vectors);
        node_logits::forward(SimdLevel::detect(), self.width, &head, &self.rows, states, &mut logits)
            .map_err(failed)?;
        let shape = Shape::from(logits.len());
        Ok((CpuStorage::F32(logits), shape))
    }

    fn bwd(
        &self,
        states: &Tensor,
        matrix: &Tensor,
        vectors: &Tensor,
        _result: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let (s, m, v) = (values(states)?, values(matrix)?, values(vectors)?);
        let head = self.head(&m, &v);
        let gradient =
            node_logits::backward(SimdLevel::detect(), self.width, &head, &self.rows, &s, &values(grad)?)
                .map_err(failed)?;
        let device = states.device();
        let mut both = gradient.query;
        both.extend(gradient.out);
        Ok((
            Some(Tensor::from_vec(gradient.states, states.shape(), device)?),
            Some(Tensor::from_vec(gradient.matrix, matrix.shape(), device)?),
            Some(Tensor::from_vec(both, vectors.shape(), device)?),
        ))
    }
}
