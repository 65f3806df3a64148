//! Basin geometry: how tightly clean demos lie together, per (task, phase bin) (sentinel page, section 6).
//!
//! ```text
//! x_v = min_u ||q_v - q_u||     u of another demo of v's task, |bin(u) - bin(v)| <= 1
//! r = p95, h = p50 of the x_v of the cell, pooled as the null banks are
//! ```
//!
//! One sample a node, in the cell of the node's own bin; a node without such a `u` has none. `r` (certified
//! radius) and `h` (bandwidth) are in rad.

use super::basin::nearest_rad;
use super::error::WhenError;
use super::pooling::{PoolLevel, Pools, Sample, quantile};
use crate::constants::{BASIN_BANDWIDTH_QUANTILE, BASIN_RADIUS_QUANTILE, NBINS_ALIGN};
use crate::graph::DemoGraph;

/// Leave-one-demo-out distance of each node to the nearest node of another demo, rad.
///
/// `sampled` names the demos whose nodes are measured, `neighbour` those they are measured against; a demo is
/// never its own neighbour. `None` for a node of no sampled demo, or without a neighbour near its bin.
pub fn node_distances(
    graph: &DemoGraph,
    sampled: impl Fn(usize) -> bool,
    neighbour: impl Fn(usize) -> bool,
) -> Vec<Option<f64>> {
    let mut distances = vec![None; graph.len()];
    for lane in graph.lanes() {
        for v in lane.nodes.iter().map(|&v| v as usize) {
            let own = graph.owner(v);
            if sampled(own) {
                let others = |owner| owner != own && neighbour(owner);
                distances[v] = nearest_rad(graph, &lane.nodes, graph.q(v), graph.bin(v), others);
            }
        }
    }
    distances
}

/// Geometry of one (task, phase bin).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BasinCell {
    /// Certified radius `r`, rad.
    pub radius_rad: f64,
    /// Bandwidth `h`, rad.
    pub bandwidth_rad: f64,
    /// How far the cell was pooled.
    pub level: PoolLevel,
    /// Samples behind it.
    pub count: usize,
}

/// The geometry of every cell of the graph's tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BasinTable {
    tasks: Vec<i32>,
    /// By task, then bin; all unknown (empty) where no node had a neighbour.
    cells: Vec<BasinCell>,
}

impl BasinTable {
    /// The table of `tasks` (in any order, repeats ignored) from one sample a node.
    pub fn from_samples(tasks: &[i32], samples: impl IntoIterator<Item = Sample>) -> Self {
        let pools = Pools::new(samples);
        let mut tasks = tasks.to_vec();
        tasks.sort_unstable();
        tasks.dedup();
        let cell = |task_id, bin| {
            let (pool, level) = pools.pool(task_id, bin);
            Some(BasinCell {
                radius_rad: quantile(pool, BASIN_RADIUS_QUANTILE)?,
                bandwidth_rad: quantile(pool, BASIN_BANDWIDTH_QUANTILE)?,
                level,
                count: pool.len(),
            })
        };
        // Only an empty set of samples leaves a cell unknown, and then it leaves every cell unknown.
        let ids = tasks.iter().flat_map(|&task_id| (0..NBINS_ALIGN).map(move |bin| (task_id, bin)));
        let cells = ids.filter_map(|(task_id, bin)| cell(task_id, bin)).collect();
        Self { tasks, cells }
    }

    /// The table of a graph, from the demos that `sampled` names, measured against those that `neighbour`
    /// names (see [`node_distances`]).
    pub fn of_graph(
        graph: &DemoGraph,
        sampled: impl Fn(usize) -> bool,
        neighbour: impl Fn(usize) -> bool,
    ) -> Self {
        let tasks: Vec<i32> = graph.lanes().iter().map(|lane| lane.task_id).collect();
        let distances = node_distances(graph, sampled, neighbour);
        let samples = distances.into_iter().enumerate().filter_map(|(v, distance)| {
            Some(Sample { task_id: graph.task(v), bin: graph.bin(v), value: distance? })
        });
        Self::from_samples(&tasks, samples)
    }

    /// A table that was stored: `tasks` ascending, `cells` by task, then bin, or none where nothing could be
    /// measured.
    ///
    /// # Errors
    /// [`WhenError::Length`] for some but not `NBINS_ALIGN` cells a task, [`WhenError::Value`] for tasks that do
    /// not ascend and for a radius or bandwidth that is negative or not finite.
    pub fn from_cells(tasks: Vec<i32>, cells: Vec<BasinCell>) -> Result<Self, WhenError> {
        let expected = tasks.len() * NBINS_ALIGN;
        if !cells.is_empty() && cells.len() != expected {
            return Err(WhenError::Length { field: "basin cells", expected, found: cells.len() });
        }
        if let Some(at) = tasks.windows(2).position(|w| w[0] >= w[1]) {
            let (index, found) = (at + 1, tasks[at + 1].to_string());
            return Err(WhenError::Value { field: "basin tasks", index, expected: "ascending ids", found });
        }
        for (index, cell) in cells.iter().enumerate() {
            for (field, found) in [("basin_r", cell.radius_rad), ("basin_h", cell.bandwidth_rad)] {
                if !(found.is_finite() && found >= 0.0) {
                    let found = found.to_string();
                    return Err(WhenError::Value { field, index, expected: "a distance in rad", found });
                }
            }
        }
        Ok(Self { tasks, cells })
    }

    /// The tasks, ascending.
    pub fn tasks(&self) -> &[i32] {
        &self.tasks
    }

    /// The cells by task, then bin; empty when nothing could be measured.
    pub fn cells(&self) -> &[BasinCell] {
        &self.cells
    }

    /// The geometry of a cell; `None` for a task or bin that the table does not have.
    pub fn cell(&self, task_id: i32, bin: usize) -> Option<BasinCell> {
        let task = self.tasks.binary_search(&task_id).ok()?;
        (bin < NBINS_ALIGN).then(|| self.cells.get(task * NBINS_ALIGN + bin).copied())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> BasinTable {
        let samples = (0..30_u32).map(|i| Sample { task_id: 4, bin: 3, value: f64::from(i) });
        BasinTable::from_samples(&[9, 4], samples)
    }

    #[test]
    fn a_task_without_samples_takes_everything() {
        let table = table();
        assert_eq!(table.tasks(), [4, 9]);
        let own = table.cell(4, 3).unwrap();
        assert_eq!((own.level, own.count), (PoolLevel::Cell, 30));
        assert_eq!(own.bandwidth_rad, 14.5);
        let foreign = table.cell(9, 3).unwrap();
        assert_eq!((foreign.level, foreign.radius_rad), (PoolLevel::All, own.radius_rad));
        assert_eq!(table.cell(5, 3), None);
        assert_eq!(table.cell(4, 20), None);
    }

    #[test]
    fn nothing_measured_is_an_unknown_table() {
        let table = BasinTable::from_samples(&[4], []);
        assert_eq!((table.tasks(), table.cell(4, 0)), (&[4][..], None));
    }

    #[test]
    fn stored_tables_are_checked() {
        let table = table();
        let (tasks, cells) = (table.tasks().to_vec(), table.cells().to_vec());
        assert_eq!(BasinTable::from_cells(tasks.clone(), cells.clone()), Ok(table));
        let refused = |tasks: &[i32], cells: &[BasinCell]| {
            BasinTable::from_cells(tasks.to_vec(), cells.to_vec()).unwrap_err().to_string()
        };
        assert_eq!(refused(&tasks, &cells[1..]), "`basin cells` holds 39 values, expected 40");
        assert_eq!(refused(&[9, 4], &cells), "`basin tasks`, index 1: 4, expected ascending ids");
        let mut bad = cells;
        bad[21].radius_rad = f64::NAN;
        assert_eq!(refused(&tasks, &bad), "`basin_r`, index 21: NaN, expected a distance in rad");
    }
}
