//! Seeds of a query: the nearest nodes in joint space, their kernel value, their first state.
//!
//! ```text
//! s_v  = exp(-d2_v / (2 bandwidth^2))            for the k smallest d2, ties to the lower id
//! h0_v = s_v * relu(query + embedding_v)         per channel
//! ```
//!
//! Selection is by `d2` in f64 (sentinel page, section 2), so a seed whose `s_v` underflows is still one.

use crate::backend::{SimdLevel, simd_levels};
use crate::error::{KernelError, expect_len};
use crate::knn;
use std::ops::Range;

/// Buffers of [`select`]; nothing is allocated once they have the table's size.
#[derive(Clone, Debug, Default)]
pub struct SeedScratch {
    distances_sq: Vec<f64>,
    order: Vec<(u64, u32)>,
}

impl SeedScratch {
    /// Room for a table of `nodes` nodes.
    pub fn with_nodes(nodes: usize) -> Self {
        Self { distances_sq: vec![0.0; nodes], order: Vec::with_capacity(nodes) }
    }
}

/// The `k` nodes nearest to `query` among the joint-major `points` (`dof x n`), without those of `skip`.
/// `seeds` receives (node, kernel value), by ascending node.
///
/// # Errors
/// [`KernelError::Length`] when `points` is not `dof x n`.
#[allow(clippy::too_many_arguments, reason = "one call of the op")]
pub fn select(
    level: SimdLevel,
    query: &[f64],
    points: &[f64],
    skip: Range<usize>,
    k: usize,
    bandwidth: f64,
    scratch: &mut SeedScratch,
    seeds: &mut Vec<(u32, f32)>,
) -> Result<(), KernelError> {
    if query.is_empty() {
        return Err(KernelError::Length { op: "seed_topk", argument: "query", expected: 1, found: 0 });
    }
    let n = points.len() / query.len();
    scratch.distances_sq.resize(n, 0.0);
    knn::distances_sq(level, query, points, &mut scratch.distances_sq)?;
    scratch.order.clear();
    // A distance is not negative, so its bits order as its value does (NaN last).
    let key = |(v, d2): (usize, &f64)| (d2.to_bits(), v as u32);
    scratch.order.extend(scratch.distances_sq.iter().enumerate().filter(|(v, _)| !skip.contains(v)).map(key));
    if scratch.order.len() > k {
        scratch.order.select_nth_unstable(k);
        scratch.order.truncate(k);
    }
    scratch.order.sort_unstable_by_key(|&(_, v)| v);
    seeds.clear();
    seeds.extend(
        scratch
            .order
            .iter()
            .map(|&(bits, v)| (v, (-f64::from_bits(bits) / (2.0 * bandwidth * bandwidth)).exp() as f32)),
    );
    Ok(())
}

/// First states: row `rows[i]` of `states` for seed `i`, from row `seeds[i].0` of `embedding`.
///
/// # Errors
/// [`KernelError`] when a slice does not fit or a row is out of range.
pub fn states(
    level: SimdLevel,
    query: &[f32],
    embedding: &[f32],
    seeds: &[(u32, f32)],
    rows: &[u32],
    states: &mut [f32],
) -> Result<(), KernelError> {
    const OP: &str = "seed_topk::states";
    let width = query.len();
    expect_len(OP, "rows", seeds.len(), rows.len())?;
    let fits = |table: &[f32], r: u32| (r as usize + 1) * width <= table.len();
    if let Some(row) = seeds.iter().zip(rows).position(|(s, &r)| !fits(embedding, s.0) || !fits(states, r)) {
        return Err(KernelError::Csr { row, reason: "row list out of range" });
    }
    states_at(level, query, embedding, seeds, rows, states);
    Ok(())
}

#[inline(always)]
fn states_body(query: &[f32], embedding: &[f32], seeds: &[(u32, f32)], rows: &[u32], states: &mut [f32]) {
    let width = query.len();
    for (&(v, s), &r) in seeds.iter().zip(rows) {
        let e = &embedding[v as usize * width..][..width];
        let h = &mut states[r as usize * width..][..width];
        for ((h, &e), &q) in h.iter_mut().zip(e).zip(query) {
            *h = s * (q + e).max(0.0);
        }
    }
}

simd_levels! {
    fn states_at(
        query: &[f32], embedding: &[f32], seeds: &[(u32, f32)], rows: &[u32], states: &mut [f32],
    ) = states_body
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_nearest_are_taken_with_ties_to_the_lower_id_and_the_skipped_left_out() {
        // Points on a line at 3, 1, 2, 1, 0, joint-major with one joint.
        let points = [3.0, 1.0, 2.0, 1.0, 0.0];
        let mut seeds = Vec::new();
        let mut scratch = SeedScratch::default();
        let level = SimdLevel::detect();
        select(level, &[0.0], &points, 4..5, 1, 1.0, &mut scratch, &mut seeds).unwrap();
        assert_eq!(seeds, [(1, (-0.5_f64).exp() as f32)]);
        select(level, &[0.0], &points, 0..0, 3, 1.0, &mut scratch, &mut seeds).unwrap();
        assert_eq!(seeds.iter().map(|s| s.0).collect::<Vec<_>>(), [1, 3, 4]);
        select(level, &[0.0], &points, 0..0, 9, 1e-3, &mut scratch, &mut seeds).unwrap();
        assert_eq!(seeds.len(), 5);
        assert_eq!(seeds[0].1, 0.0, "underflows, still a seed");
    }

    proptest! {
        #[test]
        fn selection_equals_a_full_sort(values in prop::collection::vec(0_u8..9, 1..80), k in 1_usize..20) {
            let points: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
            let mut seeds = Vec::new();
            let level = SimdLevel::detect();
            select(level, &[0.0], &points, 0..0, k, 1.0, &mut SeedScratch::default(), &mut seeds).unwrap();
            let mut all: Vec<(u8, u32)> = values.iter().enumerate().map(|(i, &v)| (v, i as u32)).collect();
            all.sort_unstable();
            all.truncate(k);
            let mut ids: Vec<u32> = all.iter().map(|p| p.1).collect();
            ids.sort_unstable();
            prop_assert_eq!(seeds.iter().map(|s| s.0).collect::<Vec<_>>(), ids);
        }
    }

    #[test]
    fn states_scale_the_rectified_sum() {
        for level in SimdLevel::supported() {
            let mut out = [9.0; 6];
            states(level, &[1.0, -1.0], &[0.0, 0.0, 1.0, 3.0], &[(1, 0.5)], &[2], &mut out).unwrap();
            assert_eq!(out, [9.0, 9.0, 9.0, 9.0, 1.0, 1.0]);
        }
        assert!(states(SimdLevel::portable(), &[1.0], &[0.0], &[(1, 0.5)], &[0], &mut [0.0]).is_err());
    }
}
