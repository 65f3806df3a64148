//! The definition: one cell, axes in order.

use super::{BoxAxes, SlabAxes};

/// The largest gap between the prepared box and the cube of one cell, m.
pub fn sat(axes: &BoxAxes, cell: [f64; 3]) -> f64 {
    let d = [0, 1, 2].map(|k| cell[k] - axes.base[k]);
    let mut largest = f64::NEG_INFINITY;
    let mut take = |at: usize, along: f64| {
        let gap = along.abs() - axes.reach[at];
        largest = if gap > largest { gap } else { largest };
    };
    for k in 0..3 {
        take(k, axes.grid[k].mul_add(d[k], axes.offset[k]));
    }
    for (j, n) in axes.face.iter().enumerate() {
        take(3 + j, n[0].mul_add(d[0], n[1].mul_add(d[1], n[2].mul_add(d[2], axes.offset[3 + j]))));
    }
    for (e, n) in axes.edge.iter().enumerate() {
        let (u, v) = [(1, 2), (0, 2), (0, 1)][e / 3];
        take(6 + e, n[0].mul_add(d[u], n[1].mul_add(d[v], axes.offset[6 + e])));
    }
    largest
}

/// The largest gap between the prepared slabs and the cube of one cell, m.
pub fn slab(axes: &SlabAxes, cell: [f64; 3]) -> f64 {
    let d = [0, 1, 2].map(|k| cell[k] - axes.base[k]);
    let mut largest = f64::NEG_INFINITY;
    for (i, n) in axes.axis.iter().enumerate() {
        let along = n[0].mul_add(d[0], n[1].mul_add(d[1], n[2].mul_add(d[2], axes.offset[i])));
        let gap = along.abs() - axes.reach[i];
        largest = if gap > largest { gap } else { largest };
    }
    largest
}
