//! The same sums, eight nodes at a time. Rows of a transition are short and stay in entry order: there the
//! gain is the fused product without a call.

use super::{Concentration, Masses, scalar};
use crate::backend::simd_levels;
use crate::csr::Csr;
use crate::stripes::{STRIPES, join};

#[inline(always)]
fn advance_body(transition: &Csr<f64>, belief: &[f64], out: &mut [f64]) {
    let (indptr, indices, values) = (transition.indptr(), transition.indices(), transition.values());
    for (sum, pair) in out.iter_mut().zip(indptr.windows(2)) {
        let entries = pair[0] as usize..pair[1] as usize;
        *sum = scalar::row(&indices[entries.clone()], &values[entries], belief);
    }
}

#[derive(Default)]
struct Sums {
    total: [f64; STRIPES],
    evidence: [f64; STRIPES],
    likelihood_sq: [f64; STRIPES],
}

#[inline(always)]
fn update_body(predicted: &[f64], likelihood: &[f64], leak: f64, posterior: &mut [f64]) -> Masses {
    let mut sums = Sums::default();
    let (p_chunks, p_rest) = predicted.as_chunks::<STRIPES>();
    let (l_chunks, l_rest) = likelihood.as_chunks::<STRIPES>();
    let (b_chunks, b_rest) = posterior.as_chunks_mut::<STRIPES>();
    for ((p, l), b) in p_chunks.iter().zip(l_chunks).zip(b_chunks) {
        weigh(p, l, leak, b, &mut sums);
    }
    weigh(p_rest, l_rest, leak, b_rest, &mut sums);
    let masses = Masses {
        total: join(sums.total),
        evidence: join(sums.evidence),
        likelihood_sq: join(sums.likelihood_sq),
    };
    if masses.is_normalised() {
        for b in posterior {
            *b /= masses.total;
        }
    }
    masses
}

#[inline(always)]
fn weigh(predicted: &[f64], likelihood: &[f64], leak: f64, posterior: &mut [f64], sums: &mut Sums) {
    let keep = 1.0 - leak;
    for (s, ((&p, &l), b)) in predicted.iter().zip(likelihood).zip(posterior).enumerate() {
        *b = leak.mul_add(l, keep * p) * l;
        sums.total[s] += *b;
        sums.evidence[s] = p.mul_add(l, sums.evidence[s]);
        sums.likelihood_sq[s] = l.mul_add(l, sums.likelihood_sq[s]);
    }
}

#[inline(always)]
fn concentration_body(belief: &[f64]) -> Concentration {
    let (mut sums, mut maxima) = ([0.0; STRIPES], [f64::NEG_INFINITY; STRIPES]);
    let (chunks, rest) = belief.as_chunks::<STRIPES>();
    for chunk in chunks {
        gather(chunk, &mut sums, &mut maxima);
    }
    gather(rest, &mut sums, &mut maxima);
    let max = maxima.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let largest = belief.iter().position(|&b| b == max).unwrap_or(0);
    Concentration { sum_sq: join(sums), largest }
}

#[inline(always)]
fn gather(belief: &[f64], sums: &mut [f64; STRIPES], maxima: &mut [f64; STRIPES]) {
    for ((&b, sum), max) in belief.iter().zip(sums).zip(maxima) {
        *sum = b.mul_add(b, *sum);
        *max = max.max(b);
    }
}

simd_levels! {
    /// [`super::scalar::advance`] under the instructions of `level`.
    pub(super) fn advance(transition: &Csr<f64>, belief: &[f64], out: &mut [f64]) = advance_body
}
simd_levels! {
    /// [`super::scalar::update`] under the instructions of `level`.
    pub(super) fn update(
        predicted: &[f64], likelihood: &[f64], leak: f64, posterior: &mut [f64],
    ) -> Masses = update_body
}
simd_levels! {
    /// [`super::scalar::concentration`] under the instructions of `level`.
    pub(super) fn concentration(belief: &[f64]) -> Concentration = concentration_body
}
