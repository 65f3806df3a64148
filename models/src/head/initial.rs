//! The first weights: a head that already answers as a kernel over matched features, plus seeded noise.
//!
//! A head of random weights spends most of a short training finding out that a query should match its
//! nodes. This one starts there. With `x` the newest position, mean velocity and newest gripper flag of the window
//! and `e` those of a node, all standardised, the first state holds `s` and `s relu(+-(x_c - e_c))` a
//! feature `c`, the rounds add almost nothing, and the logit is
//!
//! ```text
//! logit_v = SEED (s/KNEE below KNEE, 1 above) + NEAR s_v - s_v sum_c MISS_c |x_c - e_c|
//! ```
//!
//! The first term sets seeds apart from nodes that are merely reached. Wide on purpose: the filter
//! multiplies likelihoods of consecutive checks, which err together, so a sharp start that scores better
//! alone makes a worse filter. A width without room for all features drops the last ones.

use super::config::HeadConfig;
use super::weights::{HeadWeights, at};
use rollcheck_engine::graph::Relation;

/// Kernel value above which a seed is a seed.
const KNEE: f32 = 0.15;
/// Logit of being a seed.
const SEED: f32 = 3.0;
/// Logit of a kernel value of 1.
const NEAR: f32 = 5.0;
/// Logit lost by a deviation of one in a joint's position, in its velocity, and by the other gripper command.
const MISS: [f32; 3] = [0.3, 0.25, 1.8];
/// What is left of the random matrices outside the rounds.
const NOISE: f32 = 0.02;
/// Scale of what a round adds, per channel.
const ROUND_SCALE: f32 = 0.01;

/// Turns seeded random weights into the kernel; the encoder's hidden layer and the rounds' matrices stay.
pub(super) fn start_as_kernel(weights: &mut HeadWeights) {
    let config = *weights.config();
    let width = config.width;
    for position in [
        at::QUERY_W2,
        at::QUERY_SKIP,
        at::SEED_QUERY,
        at::SEED_NODE,
        at::LOGIT_STATE,
        at::LOGIT_QUERY,
        at::LOGIT_OUT,
    ] {
        weights.values_mut(position).iter_mut().for_each(|w| *w *= NOISE);
    }
    // Channel 0 of a state carries the kernel value itself, the last unit of the logit head its knee.
    weights.values_mut(at::SEED_BIAS)[0] = 1.0;
    for channel in 0..width - 1 {
        weights.values_mut(at::LOGIT_STATE)[channel * (width + 1)] += 1.0;
    }
    weights.values_mut(at::LOGIT_STATE)[width - 1] += 1.0;
    weights.values_mut(at::LOGIT_BIAS)[width - 1] = -KNEE;
    weights.values_mut(at::LOGIT_OUT)[0] = NEAR + SEED / KNEE;
    weights.values_mut(at::LOGIT_OUT)[width - 1] = -SEED / KNEE;
    let features = (2 * config.dof + 1).min((width - 2) / 2);
    for feature in 0..features {
        match_feature(weights, &config, feature);
    }
    for layer in 0..config.layers {
        let scale = Relation::COUNT * width + 2 * width * width + width;
        weights.values_mut(at::LAYERS + layer)[scale..scale + width].fill(ROUND_SCALE);
    }
}

/// Sends a feature straight through the encoder and gives two channels its excess and its lack.
fn match_feature(weights: &mut HeadWeights, config: &HeadConfig, feature: usize) {
    let HeadConfig { width, dof, history, .. } = *config;
    let (differences, gripper) = (history * dof, history * dof + (history - 1) * dof);
    let kind = feature / dof;
    let skip = weights.values_mut(at::QUERY_SKIP);
    match kind {
        0 => skip[((history - 1) * dof + feature) * width + feature] = 1.0,
        1 => {
            for k in 0..history - 1 {
                let row = differences + k * dof + feature - dof;
                skip[row * width + feature] = 1.0 / (history - 1) as f32;
            }
        }
        _ => skip[(gripper + history - 1) * width + feature] = 1.0,
    }
    for (sign, channel) in [(1.0, 1 + 2 * feature), (-1.0, 2 + 2 * feature)] {
        weights.values_mut(at::SEED_QUERY)[feature * width + channel] = sign;
        weights.values_mut(at::SEED_NODE)[feature * width + channel] = -sign;
        weights.values_mut(at::LOGIT_OUT)[channel] = -MISS[kind.min(2)];
    }
}
