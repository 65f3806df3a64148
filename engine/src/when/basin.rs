//! Basin statistic: how far the arm is from the demonstrated manifold (sentinel page, section 5).
//!
//! ```text
//! s = min_v ||q - q_v|| / r(task, bin)       v in the lane, |bin(v) - bin| <= 1, bin = bin(phase_hat)
//! ```
//!
//! `q` is the judged frame (rad). Any gripper flag counts. `r` is the certified radius of the cell. Where
//! radius and distance are both 0 the arm is on the manifold and `s` is 0.

use super::basin_table::BasinTable;
use crate::constants::phase_bin;
use crate::graph::{DemoGraph, Lane};
use rollcheck_kernels::knn::distance_sq;

/// What the basin test saw at one check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BasinReading {
    /// Phase bin whose radius and bank apply.
    pub bin: usize,
    /// Distance to the nearest node, rad.
    pub distance_rad: f64,
    /// Certified radius, rad.
    pub radius_rad: f64,
}

impl BasinReading {
    /// The statistic: distance in radii.
    pub fn ratio(&self) -> f64 {
        if self.distance_rad == 0.0 { 0.0 } else { self.distance_rad / self.radius_rad }
    }
}

/// Whether two phase bins are the same or neighbours.
pub fn near_bins(a: usize, b: usize) -> bool {
    a.abs_diff(b) <= 1
}

/// Reads the basin test for joint positions `q` (rad) at `phase_hat`. `without_owner` leaves out a demo.
///
/// `None` where the lane has no node near the bin, the table no radius for the task, or `q` is not of finite
/// numbers: no statistic, so no bet.
pub fn read(
    graph: &DemoGraph,
    table: &BasinTable,
    lane: &Lane,
    q: &[f64],
    phase_hat: f64,
    without_owner: Option<usize>,
) -> Option<BasinReading> {
    let bin = phase_bin(phase_hat);
    let radius_rad = table.cell(lane.task_id, bin)?.radius_rad;
    let distance_rad = nearest_rad(graph, &lane.nodes, q, bin, |owner| Some(owner) != without_owner)?;
    Some(BasinReading { bin, distance_rad, radius_rad })
}

/// Distance (rad) from `q` to the nearest of `nodes` whose bin is near `bin` and whose owner `keep` names.
pub(super) fn nearest_rad(
    graph: &DemoGraph,
    nodes: &[u32],
    q: &[f64],
    bin: usize,
    keep: impl Fn(usize) -> bool,
) -> Option<f64> {
    let nearest_sq = nodes
        .iter()
        .map(|&v| v as usize)
        .filter(|&v| near_bins(graph.bin(v), bin) && keep(graph.owner(v)))
        .map(|v| distance_sq(q, graph.q(v)))
        .fold(f64::INFINITY, f64::min);
    nearest_sq.is_finite().then(|| nearest_sq.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zero_radius_tells_on_from_off_the_manifold() {
        let at = |distance_rad| BasinReading { bin: 0, distance_rad, radius_rad: 0.0 }.ratio();
        assert_eq!(at(0.0), 0.0);
        assert_eq!(at(0.1), f64::INFINITY);
    }
}
