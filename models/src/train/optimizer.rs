//! AdamW with its moments in sight (Loshchilov and Hutter, ICLR 2019), over one flat vector.
//!
//! ```text
//! m = b1 m + (1 - b1) g        v = b2 v + (1 - b2) g^2
//! w = w - rate (m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps) + decay w)
//! ```

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.99;
const EPSILON: f32 = 1e-8;

/// Moments and step count.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AdamW {
    pub(crate) first: Vec<f32>,
    pub(crate) second: Vec<f32>,
    pub(crate) steps: u64,
}

impl AdamW {
    /// One step; `decays[i]` says whether weight `i` decays.
    pub(crate) fn step(
        &mut self,
        weights: &mut [f32],
        gradient: &[f32],
        rate: f32,
        decay: f32,
        decays: &[bool],
    ) {
        self.steps += 1;
        let t = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let (scale1, scale2) = (1.0 / (1.0 - BETA1.powi(t)), 1.0 / (1.0 - BETA2.powi(t)));
        for (i, w) in weights.iter_mut().enumerate() {
            let g = gradient[i];
            self.first[i] = BETA1 * self.first[i] + (1.0 - BETA1) * g;
            self.second[i] = BETA2 * self.second[i] + (1.0 - BETA2) * g * g;
            let step = self.first[i] * scale1 / ((self.second[i] * scale2).sqrt() + EPSILON);
            *w -= rate * (step + if decays[i] { decay * *w } else { 0.0 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> AdamW {
        AdamW { first: vec![0.0; 2], second: vec![0.0; 2], steps: 0 }
    }

    #[test]
    fn the_first_step_has_the_size_of_the_rate_and_a_bowl_is_descended() {
        let mut adam = fresh();
        let mut w = [1.0_f32, -3.0];
        adam.step(&mut w, &[0.4, -7.0], 0.1, 0.0, &[true, true]);
        assert!((w[0] - 0.9).abs() < 1e-6 && (w[1] + 2.9).abs() < 1e-6);
        for _ in 0..400 {
            let gradient = [2.0 * w[0], 2.0 * w[1]];
            adam.step(&mut w, &gradient, 0.05, 0.0, &[true, true]);
        }
        assert!(w[0].abs() < 0.02 && w[1].abs() < 0.02, "{w:?}");
    }

    #[test]
    fn decay_shrinks_only_what_decays() {
        let mut adam = fresh();
        let mut w = [1.0_f32, 1.0];
        adam.step(&mut w, &[0.0, 0.0], 0.1, 0.5, &[true, false]);
        assert_eq!(w, [0.95, 1.0]);
    }
}
