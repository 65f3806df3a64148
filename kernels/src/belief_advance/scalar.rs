//! The definition: one row, then one node, after the other.

use super::{Concentration, Masses};
use crate::csr::Csr;
use crate::stripes::{STRIPES, join};

/// [`super::advance`] row by row, entries in order.
pub fn advance(transition: &Csr<f64>, belief: &[f64], out: &mut [f64]) {
    for (r, sum) in out.iter_mut().enumerate() {
        *sum = row(transition.row(r), transition.row_values(r), belief);
    }
}

/// One row of the product.
#[inline(always)]
pub(super) fn row(columns: &[u32], values: &[f64], belief: &[f64]) -> f64 {
    columns.iter().zip(values).fold(0.0, |sum, (&c, &value)| value.mul_add(belief[c as usize], sum))
}

/// [`super::update`] node by node.
pub fn update(predicted: &[f64], likelihood: &[f64], leak: f64, posterior: &mut [f64]) -> Masses {
    let keep = 1.0 - leak;
    let (mut total, mut evidence, mut likelihood_sq) = ([0.0; STRIPES], [0.0; STRIPES], [0.0; STRIPES]);
    for i in 0..posterior.len() {
        let (p, l, s) = (predicted[i], likelihood[i], i % STRIPES);
        posterior[i] = leak.mul_add(l, keep * p) * l;
        total[s] += posterior[i];
        evidence[s] = p.mul_add(l, evidence[s]);
        likelihood_sq[s] = l.mul_add(l, likelihood_sq[s]);
    }
    let masses = Masses { total: join(total), evidence: join(evidence), likelihood_sq: join(likelihood_sq) };
    if masses.is_normalised() {
        for b in posterior {
            *b /= masses.total;
        }
    }
    masses
}

/// [`super::concentration`] node by node.
pub fn concentration(belief: &[f64]) -> Concentration {
    let (mut sums, mut largest) = ([0.0; STRIPES], 0);
    for (i, &b) in belief.iter().enumerate() {
        sums[i % STRIPES] = b.mul_add(b, sums[i % STRIPES]);
        if b > belief[largest] {
            largest = i;
        }
    }
    Concentration { sum_sq: join(sums), largest }
}
