//! Samples per (task, phase bin), pooled upward where a cell is thin (sentinel page, section 5, "pooling").
//!
//! ```text
//! pool(task, bin) = the cell            when it holds at least MIN_BANK samples
//!                   all bins of task    else, when those do
//!                   every sample        else
//! ```
//!
//! NaN is dropped before anything is counted. A task or a bin without samples is the thinnest of cells and
//! is pooled in the same way. Every pool is sorted once, so that a count against it is a binary search.

use crate::constants::{MIN_BANK, NBINS_ALIGN};

/// How far a cell was pooled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PoolLevel {
    /// The (task, bin) cell itself.
    Cell,
    /// All bins of the task.
    Task,
    /// Every sample.
    All,
}

impl PoolLevel {
    /// The number under which files keep it: 0 cell, 1 task, 2 everything.
    pub fn code(self) -> i32 {
        self as i32
    }

    /// The level of a number in a file.
    pub fn from_code(code: i32) -> Option<Self> {
        [Self::Cell, Self::Task, Self::All].into_iter().find(|level| level.code() == code)
    }
}

/// One measured value and the cell it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Task.
    pub task_id: i32,
    /// Phase bin, 0 to `NBINS_ALIGN - 1`.
    pub bin: usize,
    /// The value; NaN is dropped.
    pub value: f64,
}

/// Samples sorted once at each of the three levels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pools {
    tasks: Vec<i32>,
    /// Values by (task, bin), ascending inside a cell.
    by_cell: Vec<f64>,
    /// First value of each cell in `by_cell`; `tasks x NBINS_ALIGN`, and the end.
    cell_start: Vec<usize>,
    /// The same values by task, ascending inside a task.
    by_task: Vec<f64>,
    /// The same values, ascending.
    all: Vec<f64>,
}

impl Pools {
    /// Sorts the samples that are numbers.
    pub fn new(samples: impl IntoIterator<Item = Sample>) -> Self {
        let mut kept: Vec<Sample> = samples.into_iter().filter(|s| !s.value.is_nan()).collect();
        kept.sort_by(|a, b| (a.task_id, a.bin).cmp(&(b.task_id, b.bin)).then(a.value.total_cmp(&b.value)));
        let mut tasks: Vec<i32> = kept.iter().map(|s| s.task_id).collect();
        tasks.dedup();
        let cells = tasks.iter().flat_map(|&task| (0..NBINS_ALIGN).map(move |bin| (task, bin)));
        let mut cell_start: Vec<usize> =
            cells.map(|cell| kept.partition_point(|s| (s.task_id, s.bin) < cell)).collect();
        cell_start.push(kept.len());
        let by_cell: Vec<f64> = kept.iter().map(|s| s.value).collect();
        let mut by_task = by_cell.clone();
        for task in cell_start.windows(NBINS_ALIGN + 1).step_by(NBINS_ALIGN) {
            by_task[task[0]..task[NBINS_ALIGN]].sort_by(f64::total_cmp);
        }
        let mut all = by_cell.clone();
        all.sort_by(f64::total_cmp);
        Self { tasks, by_cell, cell_start, by_task, all }
    }

    /// The tasks that have samples, ascending.
    pub fn tasks(&self) -> &[i32] {
        &self.tasks
    }

    /// Number of samples that are numbers.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether no sample is a number.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The pool of a cell, ascending, and how far it was pooled. Empty only when there are no samples.
    pub fn pool(&self, task_id: i32, bin: usize) -> (&[f64], PoolLevel) {
        if let Ok(task) = self.tasks.binary_search(&task_id) {
            let starts = &self.cell_start[task * NBINS_ALIGN..=(task + 1) * NBINS_ALIGN];
            if bin < NBINS_ALIGN && starts[bin + 1] - starts[bin] >= MIN_BANK {
                return (&self.by_cell[starts[bin]..starts[bin + 1]], PoolLevel::Cell);
            }
            if starts[NBINS_ALIGN] - starts[0] >= MIN_BANK {
                return (&self.by_task[starts[0]..starts[NBINS_ALIGN]], PoolLevel::Task);
            }
        }
        (&self.all, PoolLevel::All)
    }
}

/// Quantile `share` (0 to 1) of ascending values, interpolated linearly at `(n - 1) share` as NumPy does;
/// `None` for no values.
pub fn quantile(ascending: &[f64], share: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    let at = last as f64 * share.clamp(0.0, 1.0);
    let below = (at.floor() as usize).min(last);
    let (low, high) = (ascending[below], ascending[(below + 1).min(last)]);
    let part = at - below as f64;
    // From the nearer end, as NumPy does: the same bits, and exact at both.
    Some(if part < 0.5 { low + (high - low) * part } else { high - (high - low) * (1.0 - part) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cell(task_id: i32, bin: usize, values: impl IntoIterator<Item = f64>) -> Vec<Sample> {
        values.into_iter().map(|value| Sample { task_id, bin, value }).collect()
    }

    #[test]
    fn a_thin_cell_takes_its_task_and_a_thin_task_takes_everything() {
        let count = |n: u32| (0..n).map(f64::from);
        let mut samples = cell(3, 0, count(30));
        samples.extend(cell(3, 19, count(29)));
        samples.extend(cell(3, 19, [f64::NAN]));
        samples.extend(cell(-1, 4, [7.0]));
        let pools = Pools::new(samples);
        assert_eq!(pools.tasks(), [-1, 3]);
        let seen = |task, bin| {
            let (pool, level) = pools.pool(task, bin);
            assert!(pool.is_sorted());
            (pool.len(), level)
        };
        assert_eq!(seen(3, 0), (30, PoolLevel::Cell));
        assert_eq!(seen(3, 19), (59, PoolLevel::Task));
        assert_eq!(seen(3, 7), (59, PoolLevel::Task));
        assert_eq!(seen(-1, 4), (60, PoolLevel::All));
        assert_eq!(seen(8, 4), (60, PoolLevel::All));
        assert_eq!(seen(3, 400), (59, PoolLevel::Task));
        assert_eq!(Pools::new([]).pool(3, 0), (&[][..], PoolLevel::All));
    }

    #[test]
    fn level_codes_go_both_ways() {
        for (level, code) in [(PoolLevel::Cell, 0), (PoolLevel::Task, 1), (PoolLevel::All, 2)] {
            assert_eq!((level.code(), PoolLevel::from_code(code)), (code, Some(level)));
        }
        assert_eq!(PoolLevel::from_code(3), None);
    }

    #[test]
    fn quantiles_interpolate_between_ranks() {
        let values = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(quantile(&values, 0.0), Some(1.0));
        assert_eq!(quantile(&values, 0.5), Some(3.0));
        assert_eq!(quantile(&values, 0.75), Some(5.0));
        assert_eq!(quantile(&values, 1.0), Some(8.0));
        assert_eq!(quantile(&[6.0], 0.95), Some(6.0));
        assert_eq!(quantile(&[], 0.5), None);
    }

    proptest! {
        #[test]
        fn quantiles_grow_with_their_share(mut values in prop::collection::vec(-9.0..9.0, 1..40),
                                           a in 0.0..1.0, b in 0.0..1.0) {
            values.sort_by(f64::total_cmp);
            let (low, high): (f64, f64) = (f64::min(a, b), f64::max(a, b));
            prop_assert!(quantile(&values, low) <= quantile(&values, high).map(|x| x + 1e-12));
        }
    }
}
