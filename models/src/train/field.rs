//! How clean a window is: how close it lies to the other demos of its task.
//!
//! ```text
//! weight = clamp(exp(-d^2 / (2 h^2)), 0.1, 1)
//! ```
//!
//! `d` (rad): distance of the newest frame to the nearest node of another demo of the task within one phase
//! bin; `h` (rad): the bandwidth of its (task, bin) cell. Computed once before training; on no inference
//! path (method document, "Not measured").

use rollcheck_engine::graph::DemoGraph;
use rollcheck_kernels::knn::distance_sq;

/// Bounds of a weight.
pub const WEIGHT_RANGE: (f64, f64) = (0.1, 1.0);

/// The nearest node of another demo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The node.
    pub node: u32,
    /// Its distance, rad.
    pub distance_rad: f64,
}

/// Nearest node to `q` among the nodes of a task's other demos within one bin of `bin`.
pub fn nearest_other(graph: &DemoGraph, task: i32, owner: usize, bin: usize, q: &[f64]) -> Option<Nearest> {
    let lane = graph.lane(task)?;
    let mut best: Option<(f64, u32)> = None;
    for &v in &lane.nodes {
        let i = v as usize;
        if graph.owner(i) != owner && graph.bin(i).abs_diff(bin) <= 1 {
            let d2 = distance_sq(q, graph.q(i));
            if best.is_none_or(|(b, _)| d2 < b) {
                best = Some((d2, v));
            }
        }
    }
    best.map(|(d2, node)| Nearest { node, distance_rad: d2.sqrt() })
}

/// The weight of a window; a window without a neighbour or a bandwidth gets the least.
#[doc(alias = "ONFField")]
pub fn cleanliness(distance_rad: Option<f64>, bandwidth_rad: Option<f64>) -> f64 {
    let (Some(d), Some(h)) = (distance_rad, bandwidth_rad) else {
        return WEIGHT_RANGE.0;
    };
    if d == 0.0 {
        return WEIGHT_RANGE.1;
    }
    let weight = (-d * d / (2.0 * h * h)).exp();
    if weight.is_nan() { WEIGHT_RANGE.0 } else { weight.clamp(WEIGHT_RANGE.0, WEIGHT_RANGE.1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_fall_with_distance_and_stay_in_range() {
        assert_eq!(cleanliness(Some(0.0), Some(0.05)), 1.0);
        assert!((cleanliness(Some(0.05), Some(0.05)) - (-0.5_f64).exp()).abs() < 1e-15);
        assert_eq!(cleanliness(Some(9.0), Some(0.05)), 0.1);
        assert_eq!(cleanliness(None, Some(0.05)), 0.1);
        assert_eq!(cleanliness(Some(0.0), Some(0.0)), 1.0, "on another demo");
        assert_eq!(cleanliness(Some(0.1), Some(0.0)), 0.1);
    }
}
