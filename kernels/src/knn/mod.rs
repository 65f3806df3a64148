//! Squared joint-space distances, and the exact nearest few.
//!
//! ```text
//! d2[i] = sum_j (query[j] - points[j][i])^2
//! ```
//!
//! summed in joint order in f64 without fused multiply-add, so that ties are the same on every machine
//! (sentinel page, "Notation"). `points` is joint-major: `dof x n`. Ties go to the lower index.

pub mod scalar;
mod simd;

use crate::backend::SimdLevel;
use crate::error::{KernelError, expect_len};

/// Squared distances (rad^2) from `query` (`dof`) to each of the `out.len()` points of the joint-major
/// table `points` (`dof x n`).
///
/// # Errors
/// [`KernelError::Length`] when `points` is not `dof x n`.
pub fn distances_sq(
    level: SimdLevel,
    query: &[f64],
    points: &[f64],
    out: &mut [f64],
) -> Result<(), KernelError> {
    expect_len("knn::distances_sq", "points", query.len() * out.len(), points.len())?;
    simd::distances_sq(level, query, points, out);
    Ok(())
}

/// Squared distance (rad^2) between two points of the same length, in joint order.
pub fn distance_sq(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y))
}

/// The `k` smallest (distance, index) pairs seen so far, ascending; ties go to the lower index.
#[derive(Clone, Debug)]
pub struct Nearest {
    k: usize,
    best: Vec<(f64, u32)>,
}

impl Nearest {
    /// Room for `k` pairs; nothing is allocated later.
    pub fn new(k: usize) -> Self {
        Self { k, best: Vec::with_capacity(k + 1) }
    }

    /// Forgets what was seen.
    pub fn clear(&mut self) {
        self.best.clear();
    }

    /// Offers a candidate. NaN distances are never kept.
    pub fn offer(&mut self, distance: f64, index: u32) {
        let before = |&(d, i): &(f64, u32)| d < distance || (d == distance && i < index);
        if distance.is_nan() || (self.best.len() == self.k && self.best.last().is_none_or(before)) {
            return;
        }
        let at = self.best.iter().rposition(before).map_or(0, |p| p + 1);
        self.best.insert(at, (distance, index));
        self.best.truncate(self.k);
    }

    /// The pairs kept, ascending by (distance, index).
    pub fn as_slice(&self) -> &[(f64, u32)] {
        &self.best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nearest_keeps_the_smallest_and_breaks_ties_by_index() {
        let mut nearest = Nearest::new(3);
        for (d, i) in [(2.0, 4), (1.0, 9), (1.0, 3), (f64::NAN, 0), (2.0, 1), (5.0, 2)] {
            nearest.offer(d, i);
        }
        assert_eq!(nearest.as_slice(), &[(1.0, 3), (1.0, 9), (2.0, 1)]);
        let mut none = Nearest::new(0);
        none.offer(1.0, 1);
        assert!(none.as_slice().is_empty());
    }

    proptest! {
        #[test]
        fn every_level_gives_the_scalar_bits(
            dof in 1_usize..9, n in 0_usize..70, seed in any::<u32>(),
        ) {
            let value = |i: usize| f64::from(seed.wrapping_mul(2_654_435_761).wrapping_add((i as u32).wrapping_mul(40_503))) * 1e-9;
            let query: Vec<f64> = (0..dof).map(value).collect();
            let points: Vec<f64> = (0..dof * n).map(|i| value(i + 100)).collect();
            let mut expected = vec![0.0; n];
            scalar::distances_sq(&query, &points, &mut expected);
            for level in SimdLevel::supported() {
                let mut out = vec![f64::NAN; n];
                distances_sq(level, &query, &points, &mut out).unwrap();
                prop_assert_eq!(&out, &expected);
            }
        }

        #[test]
        fn nearest_equals_a_full_sort(values in prop::collection::vec(0_u8..12, 0..60), k in 1_usize..9) {
            let mut nearest = Nearest::new(k);
            for (i, &v) in values.iter().enumerate() {
                nearest.offer(f64::from(v), i as u32);
            }
            let mut sorted: Vec<(f64, u32)> =
                values.iter().enumerate().map(|(i, &v)| (f64::from(v), i as u32)).collect();
            sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
            sorted.truncate(k);
            prop_assert_eq!(nearest.as_slice(), &sorted[..]);
        }
    }

    #[test]
    fn a_wrong_table_is_refused() {
        let error = distances_sq(SimdLevel::portable(), &[0.0; 2], &[0.0; 5], &mut [0.0; 3]).unwrap_err();
        assert_eq!(
            error,
            KernelError::Length { op: "knn::distances_sq", argument: "points", expected: 6, found: 5 }
        );
    }
}
