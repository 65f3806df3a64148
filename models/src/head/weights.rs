//! The weights of a head by name, their initial values, their identity.

use super::config::HeadConfig;
use super::error::HeadError;
use crate::random::Random;
use rollcheck_engine::graph::Relation;
use rollcheck_engine::store::{Data, HeadHash};
use rollcheck_kernels::message_pass::Layer;

const STREAM: u64 = 0x01_0ead;

/// One trained tensor, f32, C order.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    /// Name in files.
    pub name: String,
    /// Shape; a layer is packed into one vector.
    pub shape: Vec<usize>,
    /// Values.
    pub values: Vec<f32>,
}

/// All weights of a head, in the order of [`HeadWeights::shapes`].
#[derive(Clone, Debug, PartialEq)]
pub struct HeadWeights {
    config: HeadConfig,
    tensors: Vec<Weight>,
}

/// Positions of the tensors.
pub(crate) mod at {
    pub(crate) const QUERY_W1: usize = 0;
    pub(crate) const QUERY_B1: usize = 1;
    pub(crate) const QUERY_W2: usize = 2;
    pub(crate) const QUERY_B2: usize = 3;
    pub(crate) const QUERY_SKIP: usize = 4;
    pub(crate) const SEED_QUERY: usize = 5;
    pub(crate) const SEED_NODE: usize = 6;
    pub(crate) const SEED_BIAS: usize = 7;
    pub(crate) const LOGIT_STATE: usize = 8;
    pub(crate) const LOGIT_QUERY: usize = 9;
    pub(crate) const LOGIT_BIAS: usize = 10;
    pub(crate) const LOGIT_OUT: usize = 11;
    pub(crate) const LOGIT_MATCH: usize = 12;
    pub(crate) const LAYERS: usize = 13;
}

impl HeadWeights {
    /// Names and shapes for a configuration.
    pub fn shapes(config: &HeadConfig) -> Vec<(String, Vec<usize>)> {
        let (d, hidden) = (config.width, config.hidden);
        let mut shapes: Vec<(String, Vec<usize>)> = vec![
            ("query_w1".into(), vec![config.query_features(), hidden]),
            ("query_b1".into(), vec![hidden]),
            ("query_w2".into(), vec![hidden, d]),
            ("query_b2".into(), vec![d]),
            ("query_skip".into(), vec![config.query_features(), d]),
            ("seed_query".into(), vec![d, d]),
            ("seed_node".into(), vec![config.node_features(), d]),
            ("seed_bias".into(), vec![d]),
            ("logit_state".into(), vec![d, d]),
            ("logit_query".into(), vec![d, d]),
            ("logit_bias".into(), vec![d]),
            ("logit_out".into(), vec![d]),
            ("logit_match".into(), vec![d, d]),
        ];
        for layer in 0..config.layers {
            shapes.push((format!("layer{layer}"), vec![config.layer_len()]));
        }
        shapes
    }

    /// Seeded initial weights: He normal matrices and gates of one half, then shaped into a kernel (see
    /// `head::initial`).
    pub fn initial(config: HeadConfig, seed: u64) -> Self {
        let mut random = Random::new(seed, STREAM);
        let d = config.width;
        let mut he = |n: usize, fan_in: usize| -> Vec<f32> {
            let deviation = (2.0 / fan_in as f64).sqrt();
            (0..n).map(|_| (random.normal() * deviation) as f32).collect()
        };
        let tensors = Self::shapes(&config)
            .into_iter()
            .map(|(name, shape)| {
                let n: usize = shape.iter().product();
                let values = if name.starts_with("layer") {
                    let mut values = vec![0.5_f32; Relation::COUNT * d];
                    values.extend(he(d * d, d).iter().map(|x| 0.5 * x));
                    values.extend(he(d * d, d).iter().map(|x| 0.5 * x));
                    values.extend(vec![0.0; d]);
                    values.extend(vec![1.0; d]);
                    values.extend(vec![0.0; d]);
                    values
                } else if name == "logit_match" {
                    vec![0.0; n]
                } else if name == "logit_out" {
                    he(n, d)
                } else if shape.len() == 2 {
                    he(n, shape[0])
                } else {
                    vec![0.0; n]
                };
                Weight { name, shape, values }
            })
            .collect();
        let mut weights = Self { config, tensors };
        super::initial::start_as_kernel(&mut weights);
        weights
    }

    /// Wraps tensors given in the order of [`Self::shapes`].
    ///
    /// # Errors
    /// [`HeadError`] when a size is not supported, a tensor does not fit or a value is not finite.
    pub fn new(config: HeadConfig, values: Vec<Vec<f32>>) -> Result<Self, HeadError> {
        config.check()?;
        let shapes = Self::shapes(&config);
        if shapes.len() != values.len() {
            let (expected, found) = (shapes.len().to_string(), values.len().to_string());
            return Err(HeadError::Config { field: "tensors", expected, found });
        }
        let mut tensors = Vec::with_capacity(shapes.len());
        for ((name, shape), values) in shapes.into_iter().zip(values) {
            if values.len() != shape.iter().product::<usize>() {
                let (expected, found) = (format!("{name} {shape:?}"), values.len().to_string());
                return Err(HeadError::Config { field: "tensor length", expected, found });
            }
            if let Some(index) = values.iter().position(|x| !x.is_finite()) {
                return Err(HeadError::NotFinite { name, index, found: values[index] });
            }
            tensors.push(Weight { name, shape, values });
        }
        Ok(Self { config, tensors })
    }

    /// The sizes.
    pub fn config(&self) -> &HeadConfig {
        &self.config
    }

    /// All tensors.
    pub fn tensors(&self) -> &[Weight] {
        &self.tensors
    }

    /// Number of trained values.
    pub fn len(&self) -> usize {
        self.tensors.iter().map(|t| t.values.len()).sum()
    }

    /// Whether there are no values; never for weights that were made or read.
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    pub(super) fn values_mut(&mut self, position: usize) -> &mut [f32] {
        &mut self.tensors[position].values
    }

    pub(crate) fn values(&self, position: usize) -> &[f32] {
        &self.tensors[position].values
    }

    /// The weights of a round.
    pub(crate) fn layer(&self, layer: usize) -> Layer<'_> {
        unpack(&self.config, self.values(at::LAYERS + layer))
    }

    /// The head's identity: sizes and values.
    pub fn hash(&self) -> HeadHash {
        let c = &self.config;
        let sizes = [c.dof, c.width, c.hidden, c.layers, c.history, c.seed_topk].map(|x| x as i64);
        let config = [Data::I64(sizes.to_vec()), Data::F64(vec![c.bandwidth_rad])];
        let weights: Vec<Data> = self.tensors.iter().map(|t| Data::F32(t.values.clone())).collect();
        let shapes = [[sizes.len()], [1]];
        let head = [("sizes", &shapes[0][..], &config[0]), ("bandwidth_rad", &shapes[1][..], &config[1])];
        let tensors =
            self.tensors.iter().zip(&weights).map(|(t, w)| (t.name.as_str(), t.shape.as_slice(), w));
        HeadHash::of(head.into_iter().chain(tensors))
    }
}

/// The parts of a packed layer.
pub(crate) fn unpack<'a>(config: &HeadConfig, packed: &'a [f32]) -> Layer<'a> {
    let d = config.width;
    let (gates, rest) = packed.split_at(Relation::COUNT * d);
    let (w_self, rest) = rest.split_at(d * d);
    let (w_msg, rest) = rest.split_at(d * d);
    let (bias, rest) = rest.split_at(d);
    let (scale, shift) = rest.split_at(d);
    Layer { gates, w_self, w_msg, bias, scale, shift }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_the_hash_sees_every_value() {
        let config = HeadConfig::new(7);
        let weights = HeadWeights::initial(config, 3);
        assert_eq!(weights, HeadWeights::initial(config, 3));
        let mut values: Vec<Vec<f32>> = weights.tensors().iter().map(|t| t.values.clone()).collect();
        assert_eq!(HeadWeights::new(config, values.clone()).unwrap().hash(), weights.hash());
        let layer2 = at::LAYERS + 2;
        values[layer2][5] += 1e-3;
        assert_ne!(HeadWeights::new(config, values.clone()).unwrap().hash(), weights.hash());
        values[layer2][5] = f32::NAN;
        assert!(matches!(
            HeadWeights::new(config, values),
            Err(HeadError::NotFinite { name, index: 5, .. }) if name == "layer2"
        ));
    }
}
