//! The head in plain candle tensors over the whole graph: no frontier, no own op.
//!
//! Every reached node of every lane is computed, masks keep the others at zero. Slow and readable: the
//! oracle of the inference path and of the training gradient, and the baseline of `cargo bench -- check`.

use super::error::HeadError;
use super::forward::Head;
use super::weights::{HeadWeights, at};
use candle_core::{D, DType, Device, Tensor};
use rollcheck_engine::belief::Query;
use rollcheck_engine::graph::Relation;
use rollcheck_kernels::message_pass::NORM_EPSILON;

/// The graph's edges and features as tensors.
pub struct PlainHead {
    relations: Vec<(Tensor, Tensor, Tensor)>,
    features: Tensor,
    device: Device,
}

/// The weights as tensors, one a tensor of [`HeadWeights`].
pub fn tensors(weights: &HeadWeights, device: &Device) -> Result<Vec<Tensor>, HeadError> {
    weights.tensors().iter().map(|t| Ok(Tensor::from_slice(&t.values, t.shape.as_slice(), device)?)).collect()
}

impl PlainHead {
    /// Puts a head's graph on a device.
    ///
    /// # Errors
    /// [`HeadError::Tensor`].
    pub fn new(head: &Head, device: &Device) -> Result<Self, HeadError> {
        let graph = head.graph();
        let mut relations = Vec::with_capacity(Relation::COUNT);
        for r in 0..Relation::COUNT {
            let incoming = head.topology().incoming(r);
            let (mut source, mut target, mut weight) = (Vec::new(), Vec::new(), Vec::new());
            for v in 0..graph.len() {
                for &u in incoming.row(v) {
                    source.push(u);
                    target.push(v as u32);
                    weight.push(1.0 / incoming.row(v).len() as f32);
                }
            }
            let edges = source.len();
            relations.push((
                Tensor::from_vec(source, edges, device)?,
                Tensor::from_vec(target, edges, device)?,
                Tensor::from_vec(weight, (edges, 1), device)?,
            ));
        }
        let mut features = Vec::new();
        for v in 0..graph.len() {
            head.standard().node(graph, v, &mut features);
        }
        let features = Tensor::from_vec(features, (graph.len(), head.config().node_features()), device)?;
        Ok(Self { relations, features, device: device.clone() })
    }

    /// One logit a node of the whole graph (`-inf` where not reached), differentiable in `weights`.
    ///
    /// # Errors
    /// [`HeadError::Tensor`].
    pub fn forward(&self, head: &Head, weights: &[Tensor], query: &Query<'_>) -> Result<Tensor, HeadError> {
        let (graph, config) = (head.graph(), head.config());
        let (n, width) = (graph.len(), config.width);
        let mut window = vec![0.0; config.query_features()];
        head.standard().query(&query.window, &mut window);
        let x = Tensor::from_vec(window, (1, config.query_features()), &self.device)?;
        let hidden = x.matmul(&weights[at::QUERY_W1])?.broadcast_add(&weights[at::QUERY_B1])?.relu()?;
        let straight = x.matmul(&weights[at::QUERY_SKIP])?.broadcast_add(&weights[at::QUERY_B2])?;
        let z = (hidden.matmul(&weights[at::QUERY_W2])? + straight)?;

        let (seed_values, mut reached) = seeds(head, query);
        let node = self.features.matmul(&weights[at::SEED_NODE])?.broadcast_add(&weights[at::SEED_BIAS])?;
        let mut h = node
            .broadcast_add(&z.matmul(&weights[at::SEED_QUERY])?)?
            .relu()?
            .broadcast_mul(&Tensor::from_vec(seed_values, (n, 1), &self.device)?)?;
        for layer in 0..config.layers {
            reached = spread(head, query, &reached);
            let packed = &weights[at::LAYERS + layer];
            let gates = packed.narrow(0, 0, Relation::COUNT * width)?.reshape((Relation::COUNT, width))?;
            let mut offset = Relation::COUNT * width;
            let mut part = |len: usize| {
                offset += len;
                packed.narrow(0, offset - len, len)
            };
            let w_self = part(width * width)?.reshape((width, width))?;
            let w_msg = part(width * width)?.reshape((width, width))?;
            let (bias, scale, shift) = (part(width)?, part(width)?, part(width)?);
            let mut message = Tensor::zeros((n, width), DType::F32, &self.device)?;
            for (r, (source, target, weight)) in self.relations.iter().enumerate() {
                if source.dim(0)? == 0 {
                    continue;
                }
                let messages =
                    h.index_select(source, 0)?.broadcast_mul(weight)?.broadcast_mul(&gates.get(r)?)?;
                message = message.index_add(target, &messages, 0)?;
            }
            let pre = (h.matmul(&w_self)? + message.matmul(&w_msg)?)?.broadcast_add(&bias)?;
            let x = pre.relu()?;
            let centred = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
            let variance = centred.sqr()?.mean_keepdim(D::Minus1)?;
            let normal = centred.broadcast_div(&(variance + f64::from(NORM_EPSILON))?.sqrt()?)?;
            let mask: Vec<f32> = reached.iter().map(|&r| f32::from(u8::from(r))).collect();
            let branch = normal.broadcast_mul(&scale)?.broadcast_add(&shift)?;
            h = (h + branch)?.broadcast_mul(&Tensor::from_vec(mask, (n, 1), &self.device)?)?;
        }
        let share = z.matmul(&weights[at::LOGIT_QUERY])?.broadcast_add(&weights[at::LOGIT_BIAS])?;
        let out = z.matmul(&weights[at::LOGIT_MATCH])?.broadcast_add(&weights[at::LOGIT_OUT])?;
        let logits = h
            .matmul(&weights[at::LOGIT_STATE])?
            .broadcast_add(&share)?
            .relu()?
            .matmul(&out.reshape((width, 1))?)?
            .flatten_all()?;
        let asked = |v: usize| reached[v] && query.lane.is_none_or(|task| graph.task(v) == task);
        let mask: Vec<f32> = (0..n).map(|v| if asked(v) { 0.0 } else { f32::NEG_INFINITY }).collect();
        Ok((logits + Tensor::from_vec(mask, n, &self.device)?)?)
    }
}

/// Kernel values (zero elsewhere) and which nodes are seeds, by a full sort.
fn seeds(head: &Head, query: &Query<'_>) -> (Vec<f32>, Vec<bool>) {
    let (graph, config) = (head.graph(), head.config());
    let mut order: Vec<(f64, usize)> = (0..graph.len())
        .filter(|&v| query.without_owner != Some(graph.owner(v)))
        .map(|v| (rollcheck_kernels::knn::distance_sq(query.window.newest(), graph.q(v)), v))
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut values, mut seeded) = (vec![0.0; graph.len()], vec![false; graph.len()]);
    for &(d2, v) in order.iter().take(config.seed_topk) {
        values[v] = (-d2 / (2.0 * config.bandwidth_rad * config.bandwidth_rad)).exp() as f32;
        seeded[v] = true;
    }
    (values, seeded)
}

/// One more round of reachability.
fn spread(head: &Head, query: &Query<'_>, reached: &[bool]) -> Vec<bool> {
    let graph = head.graph();
    (0..graph.len())
        .map(|v| {
            let from = |r: usize| head.topology().incoming(r).row(v).iter().any(|&u| reached[u as usize]);
            query.without_owner != Some(graph.owner(v)) && (reached[v] || (0..Relation::COUNT).any(from))
        })
        .collect()
}
