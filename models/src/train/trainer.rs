//! The epochs: seeded windows, gradients in window order, the best epoch by held-out likelihood.
//!
//! A batch's windows are differentiated in parallel, each on its own; their gradients are added in the
//! order of the windows, so the weights do not depend on the number of threads.

use super::checkpoint::Checkpoint;
use super::error::TrainError;
use super::loss::{logits, loss};
use super::metrics::{Scores, score};
use super::optimizer::AdamW;
use super::subgraph::SubgraphScratch;
use super::windows::{Bandwidth, Kind, Sample, Variation, WindowBuffer, checks, draw, sample};
use crate::head::frontier::Topology;
use crate::head::{Head, HeadConfig, HeadWeights};
use crate::random::Random;
use crate::split::Split;
use candle_core::{Device, Tensor, Var};
use rayon::prelude::*;
use rollcheck_engine::belief::Query;
use rollcheck_engine::demos::DemoSet;
use rollcheck_engine::graph::DemoGraph;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::Arc;

/// First random stream of the variations; those of the draws start at 1.
const VARIATION_STREAM: u64 = 1 << 32;

/// Settings of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainConfig {
    /// Sizes of the head.
    pub head: HeadConfig,
    /// Seed of initial weights and windows.
    pub seed: u64,
    /// Epochs.
    pub epochs: usize,
    /// Windows of an epoch.
    pub windows_per_epoch: usize,
    /// Windows of a step.
    pub batch: usize,
    /// Largest learning rate; a linear warm-up over one epoch, then half a cosine to a hundredth.
    pub learning_rate: f64,
    /// Training windows move up to this factor faster or slower than recorded.
    pub speed_factor: f64,
    /// Standard deviation of a training window's offset in each joint, rad.
    pub offset_rad: f64,
    /// Largest norm of a step's gradient.
    pub clip_norm: f64,
    /// Decay a step of the running mean of the weights that is scored and kept.
    pub averaging: f64,
    /// Weight decay of the matrices.
    pub weight_decay: f64,
    /// One window in this many is `ENTRY_STATIC`.
    pub static_every: usize,
}

impl TrainConfig {
    /// The defaults for a number of joints.
    pub fn new(dof: usize, seed: u64) -> Self {
        Self {
            head: HeadConfig::new(dof),
            seed,
            epochs: 8,
            windows_per_epoch: 512,
            batch: 16,
            learning_rate: 2e-4,
            speed_factor: 1.5,
            offset_rad: 0.05,
            clip_norm: 1.0,
            averaging: 0.98,
            weight_decay: 1e-2,
            static_every: 16,
        }
    }

    /// Everything that must not change when a run is resumed.
    ///
    /// One `name value` a line, so that a mismatch can be named.
    pub fn fingerprint(&self) -> String {
        let h = &self.head;
        [
            ("dof", h.dof.to_string()),
            ("width", h.width.to_string()),
            ("hidden", h.hidden.to_string()),
            ("layers", h.layers.to_string()),
            ("seed_topk", h.seed_topk.to_string()),
            ("bandwidth_rad", h.bandwidth_rad.to_string()),
            ("seed", self.seed.to_string()),
            ("epochs", self.epochs.to_string()),
            ("windows_per_epoch", self.windows_per_epoch.to_string()),
            ("batch", self.batch.to_string()),
            ("learning_rate", self.learning_rate.to_string()),
            ("speed_factor", self.speed_factor.to_string()),
            ("offset_rad", self.offset_rad.to_string()),
            ("clip_norm", self.clip_norm.to_string()),
            ("averaging", self.averaging.to_string()),
            ("weight_decay", self.weight_decay.to_string()),
            ("static_every", self.static_every.to_string()),
        ]
        .map(|(name, value)| format!("{name} {value}"))
        .join("\n")
    }

    /// Steps of a whole number of epochs.
    pub(super) fn steps(&self, epochs: usize) -> usize {
        epochs * self.windows_per_epoch.div_ceil(self.batch)
    }

    fn check(&self) -> Result<(), TrainError> {
        self.head.check()?;
        let counts = [
            ("epochs", self.epochs),
            ("windows_per_epoch", self.windows_per_epoch),
            ("batch", self.batch),
            ("static_every", self.static_every),
        ];
        for (field, found) in counts {
            if found == 0 {
                let (expected, found) = ("at least 1".to_owned(), found.to_string());
                return Err(TrainError::Config { field, expected, found });
            }
        }
        let numbers = [
            ("learning_rate", self.learning_rate, self.learning_rate >= 0.0, "a number of at least 0"),
            ("weight_decay", self.weight_decay, self.weight_decay >= 0.0, "a number of at least 0"),
            ("offset_rad", self.offset_rad, self.offset_rad >= 0.0, "an angle of at least 0"),
            ("speed_factor", self.speed_factor, self.speed_factor >= 1.0, "a factor of at least 1"),
            ("clip_norm", self.clip_norm, self.clip_norm > 0.0, "a positive norm"),
            ("averaging", self.averaging, (0.0..1.0).contains(&self.averaging), "a decay from 0 to below 1"),
        ];
        for (field, found, allowed, expected) in numbers {
            if !(found.is_finite() && allowed) {
                let (expected, found) = (expected.to_owned(), found.to_string());
                return Err(TrainError::Config { field, expected, found });
            }
        }
        Ok(())
    }

    fn rate(&self, step: usize) -> f64 {
        let per_epoch = self.windows_per_epoch.div_ceil(self.batch);
        let (warm, total) = (per_epoch, per_epoch * self.epochs);
        if step < warm {
            return self.learning_rate * (step + 1) as f64 / warm as f64;
        }
        let done = (step - warm) as f64 / (total - warm).max(1) as f64;
        self.learning_rate * (0.01 + 0.99 * 0.5 * (1.0 + (std::f64::consts::PI * done).cos()))
    }
}

/// One epoch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochReport {
    /// From 1.
    pub epoch: usize,
    /// Weighted mean loss of its windows.
    pub train_loss: f64,
    /// Scores on the fit part.
    pub held_out: Scores,
    /// Whether this epoch's weights are the best so far.
    pub best: bool,
}

/// A finished or stopped run.
#[derive(Clone, Debug)]
pub struct Trained {
    /// Weights of the best epoch.
    pub weights: HeadWeights,
    /// All epochs.
    pub reports: Vec<EpochReport>,
    /// To go on from.
    pub checkpoint: Checkpoint,
}

/// Trains a head on the train part of a split; the fit part chooses the epoch.
///
/// `bandwidth` gives the cells' bandwidths for the cleanliness weight. `observe` sees each epoch and the
/// state after it, and may stop the run.
///
/// # Errors
/// [`TrainError`].
pub fn train(
    graph: &Arc<DemoGraph>,
    demos: &DemoSet,
    split: &Split,
    config: &TrainConfig,
    bandwidth: &Bandwidth<'_>,
    resume: Option<Checkpoint>,
    observe: &mut dyn FnMut(&EpochReport, &Checkpoint) -> ControlFlow<()>,
) -> Result<Trained, TrainError> {
    config.check()?;
    graph.made_from(demos)?;
    let held_out = held_out(graph, demos, &split.fit, bandwidth);
    if split.train.is_empty() || held_out.is_empty() {
        let (part, reason) = if split.train.is_empty() {
            ("train", "no demo in this part")
        } else {
            ("fit", "no demo of at least eight frames in this part")
        };
        return Err(TrainError::NoWindows { part, reason: reason.to_owned() });
    }
    let topology = Arc::new(Topology::new(graph, config.head.layers));
    let mut state = resume.unwrap_or_else(|| start(config));
    let decays = decays(&config.head);
    let mut adam = AdamW { first: state.first.clone(), second: state.second.clone(), steps: state.steps };
    let per_epoch = config.windows_per_epoch.div_ceil(config.batch);
    for epoch in state.epochs() + 1..=config.epochs {
        let queries =
            draw(demos, &split.train, config.seed, epoch, config.windows_per_epoch, config.static_every);
        let samples: Vec<Sample> = queries
            .par_iter()
            .map(|&(owner, frame, kind)| sample(graph, demos, owner, frame, kind, bandwidth))
            .collect();
        let (mut total, mut mass) = (0.0, 0.0);
        let mut random = Random::new(config.seed, VARIATION_STREAM + epoch as u64);
        let dof = config.head.dof;
        let variations: Vec<Variation> = samples
            .iter()
            .map(|_| Variation::draw(&mut random, dof, config.speed_factor, config.offset_rad))
            .collect();
        let batches = samples.chunks(config.batch).zip(variations.chunks(config.batch));
        for (batch, (samples, variations)) in batches.enumerate() {
            let head = Arc::new(Head::with_topology(
                Arc::clone(graph),
                Arc::clone(&topology),
                unflatten(&config.head, &state.weights)?,
            )?);
            let (mut gradient, sum, weight) = gradient(&head, demos, samples, variations)?;
            if !sum.is_finite() {
                return Err(TrainError::Diverged { epoch, batch, found: sum });
            }
            total += sum;
            mass += weight;
            let rate = config.rate((epoch - 1) * per_epoch + batch) as f32;
            clip(&mut gradient, config.clip_norm);
            adam.step(&mut state.weights, &gradient, rate, config.weight_decay as f32, &decays);
            average(&mut state.average, &state.weights, config.averaging, adam.steps);
        }
        let head = Head::with_topology(
            Arc::clone(graph),
            Arc::clone(&topology),
            unflatten(&config.head, &state.average)?,
        )?;
        let Some(scores) = score(&Arc::new(head), demos, &held_out) else {
            return Err(TrainError::NoWindows { part: "fit", reason: "nothing was scored".to_owned() });
        };
        let best =
            state.reports.iter().all(|r| scores.negative_log_likelihood < r.held_out.negative_log_likelihood);
        if best {
            state.best.clone_from(&state.average);
        }
        let report = EpochReport { epoch, train_loss: total / mass, held_out: scores, best };
        state.reports.push(report);
        (state.first, state.second, state.steps) = (adam.first.clone(), adam.second.clone(), adam.steps);
        if observe(&report, &state).is_break() {
            break;
        }
    }
    let weights = unflatten(&config.head, &state.best)?;
    Ok(Trained { weights, reports: state.reports.clone(), checkpoint: state })
}

/// The windows on which the epoch is chosen: every second check of the fit part.
fn held_out(graph: &DemoGraph, demos: &DemoSet, owners: &[usize], bandwidth: &Bandwidth<'_>) -> Vec<Sample> {
    owners
        .iter()
        .flat_map(|&o| checks(demos.episodes()[o].frames()).step_by(2).map(move |frame| (o, frame)))
        .map(|(owner, frame)| sample(graph, demos, owner, frame, Kind::Moving, bandwidth))
        .collect()
}

fn start(config: &TrainConfig) -> Checkpoint {
    let weights = flatten(&HeadWeights::initial(config.head, config.seed));
    let zeros = vec![0.0; weights.len()];
    Checkpoint {
        average: weights.clone(),
        best: weights.clone(),
        first: zeros.clone(),
        second: zeros,
        steps: 0,
        reports: Vec::new(),
        settings: config.fingerprint(),
        weights,
    }
}

/// One window's gradient, flat, and its loss.
type WindowGradient = (Vec<f32>, f64);

/// Sum of the windows' weighted gradients over the sum of their weights, with both sums.
fn gradient(
    head: &Arc<Head>,
    demos: &DemoSet,
    samples: &[Sample],
    variations: &[Variation],
) -> Result<(Vec<f32>, f64, f64), TrainError> {
    let weights = vars(head.weights())?;
    let parts: Vec<Result<Option<WindowGradient>, TrainError>> = samples
        .par_iter()
        .zip(variations)
        .map_init(
            || SubgraphScratch::new(head.topology(), head.graph().len()),
            |scratch, (sample, variation)| window_gradient(head, demos, &weights, scratch, sample, variation),
        )
        .collect();
    let mass: f64 = samples.iter().map(|s| s.weight).sum();
    let (mut gradient, mut total) = (vec![0.0_f32; head.weights().len()], 0.0);
    for (part, sample) in parts.into_iter().zip(samples) {
        if let Some((part, loss)) = part? {
            let share = (sample.weight / mass) as f32;
            for (sum, g) in gradient.iter_mut().zip(part) {
                *sum += share * g;
            }
            total += sample.weight * loss;
        }
    }
    Ok((gradient, total, mass))
}

/// Moves the running mean of the weights; it forgets faster in the first steps, where it knows little.
fn average(mean: &mut [f32], weights: &[f32], decay: f64, steps: u64) {
    let keep = decay.min(steps as f64 / (steps as f64 + 9.0)) as f32;
    for (a, w) in mean.iter_mut().zip(weights) {
        *a = keep * *a + (1.0 - keep) * w;
    }
}

/// Scales a gradient down to a norm it must not exceed.
fn clip(gradient: &mut [f32], largest: f64) {
    let norm = gradient.iter().map(|&g| f64::from(g) * f64::from(g)).sum::<f64>().sqrt();
    if norm > largest {
        let factor = (largest / norm) as f32;
        for g in gradient {
            *g *= factor;
        }
    }
}

/// Gradient and loss of one window; `None` when no node of its lane is reached.
fn window_gradient(
    head: &Head,
    demos: &DemoSet,
    weights: &[Tensor],
    scratch: &mut SubgraphScratch,
    sample: &Sample,
    variation: &Variation,
) -> Result<Option<WindowGradient>, TrainError> {
    let window = WindowBuffer::varied(demos, sample, variation);
    let query = Query { window: window.view(), lane: Some(sample.task), without_owner: Some(sample.owner) };
    let subgraph = scratch.make(head, &query);
    if subgraph.nodes.is_empty() {
        return Ok(None);
    }
    let logits = logits(head, weights, &window, &subgraph)?;
    let loss = loss(head.graph(), sample, &subgraph.nodes, &logits)?;
    let store = loss.backward()?;
    let mut flat = Vec::with_capacity(head.weights().len());
    for (tensor, weight) in weights.iter().zip(head.weights().tensors()) {
        match store.get(tensor) {
            Some(gradient) => flat.extend(gradient.flatten_all()?.to_vec1::<f32>()?),
            None => flat.resize(flat.len() + weight.values.len(), 0.0),
        }
    }
    Ok(Some((flat, f64::from(loss.to_scalar::<f32>()?))))
}

fn vars(weights: &HeadWeights) -> Result<Vec<Tensor>, TrainError> {
    weights
        .tensors()
        .iter()
        .map(|t| {
            let tensor = Tensor::from_slice(&t.values, t.shape.as_slice(), &Device::Cpu)?;
            Ok(Var::from_tensor(&tensor)?.as_tensor().clone())
        })
        .collect()
}

fn flatten(weights: &HeadWeights) -> Vec<f32> {
    weights.tensors().iter().flat_map(|t| t.values.iter().copied()).collect()
}

fn unflatten(config: &HeadConfig, flat: &[f32]) -> Result<HeadWeights, TrainError> {
    let mut rest = flat;
    let mut tensors = Vec::new();
    for (_, shape) in HeadWeights::shapes(config) {
        let (head, tail) = rest.split_at(shape.iter().product::<usize>().min(rest.len()));
        tensors.push(head.to_vec());
        rest = tail;
    }
    Ok(HeadWeights::new(*config, tensors)?)
}

/// Matrices decay; biases, gates and normalisation do not.
fn decays(config: &HeadConfig) -> Vec<bool> {
    let (gates, matrices) =
        (rollcheck_engine::graph::Relation::COUNT * config.width, 2 * config.width.pow(2));
    HeadWeights::shapes(config)
        .into_iter()
        .flat_map(|(name, shape)| {
            let n: usize = shape.iter().product();
            let packed = name.starts_with("layer");
            (0..n)
                .map(move |i| if packed { (gates..gates + matrices).contains(&i) } else { shape.len() == 2 })
        })
        .collect()
}

#[cfg(test)]
mod tests;
