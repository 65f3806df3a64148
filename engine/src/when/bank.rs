//! Null banks: what one statistic was on clean leave-one-demo-out replays (sentinel page, section 5).
//!
//! [`NullBank`] keeps the samples as `g_track.npz` does, with owner, task and bin; [`PreparedBank`] is one
//! pooled and sorted for p-values without allocation. An owner under test must not stand in its own bank:
//! [`NullBank::without_owner`].

use super::conformal::{self, PValue};
use super::error::WhenError;
use super::pooling::{PoolLevel, Pools, Sample};
use crate::constants::NBINS_ALIGN;

/// Samples of one statistic. A NaN value is a check without a statistic; it is kept and never counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NullBank {
    value: Vec<f64>,
    owner: Vec<i32>,
    task_id: Vec<i32>,
    bin: Vec<i32>,
}

impl NullBank {
    /// A bank of parallel arrays.
    ///
    /// # Errors
    /// [`WhenError::Length`] when the arrays differ in length, [`WhenError::Value`] for a bin outside 0 to
    /// `NBINS_ALIGN - 1` or a negative owner.
    pub fn new(
        value: Vec<f64>,
        owner: Vec<i32>,
        task_id: Vec<i32>,
        bin: Vec<i32>,
    ) -> Result<Self, WhenError> {
        let expected = value.len();
        for (field, found) in [("owner", owner.len()), ("task_id", task_id.len()), ("bin", bin.len())] {
            if found != expected {
                return Err(WhenError::Length { field, expected, found });
            }
        }
        let refuse = |field, index, expected, found: i32| {
            Err(WhenError::Value { field, index, expected, found: found.to_string() })
        };
        if let Some(index) = owner.iter().position(|&o| o < 0) {
            return refuse("owner", index, "a demo, at least 0", owner[index]);
        }
        if let Some(index) = bin.iter().position(|&b| !(0..NBINS_ALIGN as i32).contains(&b)) {
            return refuse("bin", index, "a phase bin, 0 to 19", bin[index]);
        }
        Ok(Self { value, owner, task_id, bin })
    }

    /// Adds one check of a replay of demo `owner`; `bin` is clamped to the last phase bin.
    pub fn push(&mut self, owner: usize, sample: Sample) {
        self.value.push(sample.value);
        self.owner.push(owner as i32);
        self.task_id.push(sample.task_id);
        self.bin.push(sample.bin.min(NBINS_ALIGN - 1) as i32);
    }

    /// Number of samples, NaN included.
    pub fn len(&self) -> usize {
        self.value.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// The statistic of each sample.
    pub fn value(&self) -> &[f64] {
        &self.value
    }

    /// The replayed demo of each sample.
    pub fn owner(&self) -> &[i32] {
        &self.owner
    }

    /// The task of each sample.
    pub fn task_id(&self) -> &[i32] {
        &self.task_id
    }

    /// The phase bin of each sample.
    pub fn bin(&self) -> &[i32] {
        &self.bin
    }

    /// Pools and sorts all samples.
    pub fn prepare(&self) -> PreparedBank {
        self.prepare_where(|_| true)
    }

    /// As [`NullBank::prepare`], without the samples of one demo: the bank to test that demo with.
    pub fn without_owner(&self, owner: usize) -> PreparedBank {
        self.prepare_where(|o| o != owner)
    }

    /// As [`NullBank::prepare`], with the samples of the demos that `keep` names.
    pub fn prepare_where(&self, keep: impl Fn(usize) -> bool) -> PreparedBank {
        let samples = (0..self.len()).filter(|&i| keep(self.owner[i] as usize)).map(|i| Sample {
            task_id: self.task_id[i],
            bin: self.bin[i] as usize,
            value: self.value[i],
        });
        PreparedBank { pools: Pools::new(samples) }
    }
}

/// A bank ready for p-values: a binary search each, no allocation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PreparedBank {
    pools: Pools,
}

impl PreparedBank {
    /// How strange so large a statistic is in its cell; `None` for NaN.
    pub fn p_high(&self, task_id: i32, bin: usize, score: f64) -> Option<PValue> {
        conformal::p_high(self.pools.pool(task_id, bin).0, score)
    }

    /// How strange so small a statistic is in its cell; `None` for NaN.
    pub fn p_low(&self, task_id: i32, bin: usize, score: f64) -> Option<PValue> {
        conformal::p_low(self.pools.pool(task_id, bin).0, score)
    }

    /// Samples behind a cell's p-values, and how far they were pooled.
    pub fn support(&self, task_id: i32, bin: usize) -> (usize, PoolLevel) {
        let (pool, level) = self.pools.pool(task_id, bin);
        (pool.len(), level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_never_stands_in_its_own_bank() {
        let mut bank = NullBank::default();
        for owner in 0..40 {
            bank.push(owner, Sample { task_id: 1, bin: 2, value: owner as f64 });
        }
        bank.push(7, Sample { task_id: 1, bin: 2, value: f64::NAN });
        assert_eq!(bank.prepare().support(1, 2), (40, PoolLevel::Cell));
        let without = bank.without_owner(39);
        assert_eq!(without.support(1, 2), (39, PoolLevel::Cell));
        assert_eq!(without.p_high(1, 2, 39.0).map(PValue::get), Some(1.0 / 40.0));
        assert_eq!(bank.prepare().p_high(1, 2, 39.0).map(PValue::get), Some(2.0 / 41.0));
    }

    #[test]
    fn malformed_arrays_are_refused_by_name_and_index() {
        let text = |e: WhenError| e.to_string();
        let bank = |owner: Vec<i32>, bin: Vec<i32>| NullBank::new(vec![0.5, 0.7], owner, vec![0, 0], bin);
        assert_eq!(text(bank(vec![0], vec![0, 1]).unwrap_err()), "`owner` holds 1 values, expected 2");
        assert_eq!(
            text(bank(vec![0, -4], vec![0, 1]).unwrap_err()),
            "`owner`, index 1: -4, expected a demo, at least 0"
        );
        assert_eq!(
            text(bank(vec![0, 4], vec![20, 1]).unwrap_err()),
            "`bin`, index 0: 20, expected a phase bin, 0 to 19"
        );
    }
}
