//! The loss of one window.
//!
//! ```text
//! L    = softmax(logits of the lane)
//! loss = PHASE_CE_W     * -ln max(sum of L over nodes of the target bin, 1e-9)
//!      + PHASE_EXPECT_W * (sum_v L_v phase_v - phase)^2
//!      + NODE_W         * -ln max(L of the target node, 1e-9)       skipped when it is not reached
//! ```

use super::ops::{MessagePass, NodeLogits};
use super::subgraph::Subgraph;
use super::windows::{Sample, WindowBuffer};
use crate::head::forward::Head;
use crate::head::weights::at;
use candle_core::{Device, Result, Tensor};
use rollcheck_engine::graph::DemoGraph;
use std::sync::Arc;

/// Weight of the cross-entropy of the phase bin.
pub(crate) const PHASE_CE_W: f64 = 1.0;
/// Weight of the squared error of the expected phase.
pub(crate) const PHASE_EXPECT_W: f64 = 0.5;
/// Weight of the cross-entropy of the node.
pub(crate) const NODE_W: f64 = 0.1;
/// Smallest probability inside a logarithm.
pub(crate) const PROBABILITY_FLOOR: f64 = 1e-9;

/// Logits of a subgraph's nodes, differentiable in `weights`.
pub(crate) fn logits(
    head: &Head,
    weights: &[Tensor],
    window: &WindowBuffer,
    subgraph: &Subgraph,
) -> Result<Tensor> {
    let (graph, config, device) = (head.graph(), head.config(), Device::Cpu);
    let mut query = vec![0.0; config.query_features()];
    head.standard().query(&window.view(), &mut query);
    let x = Tensor::from_vec(query, (1, config.query_features()), &device)?;
    let hidden = x.matmul(&weights[at::QUERY_W1])?.broadcast_add(&weights[at::QUERY_B1])?.relu()?;
    let straight = x.matmul(&weights[at::QUERY_SKIP])?.broadcast_add(&weights[at::QUERY_B2])?;
    let z = (hidden.matmul(&weights[at::QUERY_W2])? + straight)?;

    let seeds = &subgraph.seeds;
    let mut features = Vec::with_capacity(seeds.len() * config.node_features());
    for &(v, _) in seeds {
        head.standard().node(graph, v as usize, &mut features);
    }
    let features = Tensor::from_vec(features, (seeds.len(), config.node_features()), &device)?;
    let kernel = Tensor::from_vec(seeds.iter().map(|s| s.1).collect(), (seeds.len(), 1), &device)?;
    let mut h = features
        .matmul(&weights[at::SEED_NODE])?
        .broadcast_add(&weights[at::SEED_BIAS])?
        .broadcast_add(&z.matmul(&weights[at::SEED_QUERY])?)?
        .relu()?
        .broadcast_mul(&kernel)?
        .pad_with_zeros(0, 0, 1)?;
    for (k, round) in subgraph.rounds.iter().enumerate() {
        let op = MessagePass { config: *config, round: Arc::clone(round) };
        h = h.contiguous()?.apply_op2(&weights[at::LAYERS + k], op)?;
    }
    let share = z.matmul(&weights[at::LOGIT_QUERY])?.broadcast_add(&weights[at::LOGIT_BIAS])?;
    let out = z.matmul(&weights[at::LOGIT_MATCH])?.broadcast_add(&weights[at::LOGIT_OUT])?;
    let vectors = Tensor::cat(&[&share.flatten_all()?, &out.flatten_all()?], 0)?;
    let rows = (0..subgraph.nodes.len() as u32).collect();
    h.apply_op3(&weights[at::LOGIT_STATE], &vectors, NodeLogits { width: config.width, rows })
}

/// The loss of a sample whose logits belong to `nodes`; `nodes` must not be empty.
pub(crate) fn loss(graph: &DemoGraph, sample: &Sample, nodes: &[u32], logits: &Tensor) -> Result<Tensor> {
    let constant = |values: Vec<f32>| Tensor::from_vec(values, nodes.len(), &Device::Cpu);
    let share = (logits.broadcast_sub(&logits.max(0)?.detach()))?.exp()?;
    let likelihood = share.broadcast_div(&share.sum_all()?)?;
    let log_mass = |mask: Vec<f32>| -> Result<Tensor> {
        (&likelihood * constant(mask)?)?.sum_all()?.maximum(PROBABILITY_FLOOR)?.log()
    };
    let flag = |b: bool| f32::from(u8::from(b));
    let in_bin = nodes.iter().map(|&v| flag(graph.bin(v as usize) == sample.bin)).collect();
    let phases = constant(nodes.iter().map(|&v| graph.phase(v as usize) as f32).collect())?;
    let expected = (&likelihood * phases)?.sum_all()?;
    let mut loss = (log_mass(in_bin)? * -PHASE_CE_W)?;
    loss = (loss + ((expected - sample.phase)?.sqr()? * PHASE_EXPECT_W)?)?;
    if let Some(target) = sample.target.filter(|t| nodes.binary_search(t).is_ok()) {
        let is_target = nodes.iter().map(|&v| flag(v == target)).collect();
        loss = (loss + (log_mass(is_target)? * -NODE_W)?)?;
    }
    Ok(loss)
}
