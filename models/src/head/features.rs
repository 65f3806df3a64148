//! What the network sees: standardised windows and nodes.
//!
//! Positions are standardised with the graph's own mean and deviation per joint (population deviation, at
//! least 1e-6 rad); frame differences times the rate with those of the graph's `qdot`, so a query and a
//! node speak of velocity in the same unit. Gripper flags are 0 or 1, phase is as it is.

use rollcheck_engine::belief::Window;
use rollcheck_engine::constants::MIN_DEVIATION;
use rollcheck_engine::graph::DemoGraph;

/// Mean and deviation of each joint's position (rad) and velocity (rad/s).
#[derive(Clone, Debug, PartialEq)]
pub struct Standard {
    q: Vec<(f64, f64)>,
    qdot: Vec<(f64, f64)>,
}

impl Standard {
    /// From the nodes of a graph.
    pub fn of(graph: &DemoGraph) -> Self {
        let nodes = graph.nodes();
        Self { q: moments(&nodes.q, nodes.dof), qdot: moments(&nodes.qdot, nodes.dof) }
    }

    /// Fills `out` with a window's features: positions, differences, gripper, oldest frame first.
    pub fn query(&self, window: &Window<'_>, out: &mut [f32]) {
        let dof = window.dof();
        let (positions, rest) = out.split_at_mut(window.q.len());
        let (differences, gripper) = rest.split_at_mut(window.q.len() - dof);
        for (i, x) in positions.iter_mut().enumerate() {
            *x = scale(window.q[i], self.q[i % dof]);
        }
        for (i, x) in differences.iter_mut().enumerate() {
            *x = scale((window.q[i + dof] - window.q[i]) * window.rate_hz, self.qdot[i % dof]);
        }
        for (x, &closed) in gripper.iter_mut().zip(window.closed) {
            *x = f32::from(u8::from(closed));
        }
    }

    /// The features of node `v`: q, qdot, gripper, phase.
    pub fn node(&self, graph: &DemoGraph, v: usize, out: &mut Vec<f32>) {
        out.extend(graph.q(v).iter().zip(&self.q).map(|(&x, &m)| scale(x, m)));
        out.extend(graph.qdot(v).iter().zip(&self.qdot).map(|(&x, &m)| scale(x, m)));
        out.push(f32::from(u8::from(graph.closed(v))));
        out.push(graph.phase(v) as f32);
    }
}

fn scale(x: f64, (mean, deviation): (f64, f64)) -> f32 {
    ((x - mean) / deviation) as f32
}

fn moments(values: &[f64], dof: usize) -> Vec<(f64, f64)> {
    let n = (values.len() / dof) as f64;
    (0..dof)
        .map(|j| {
            let column = || values.iter().skip(j).step_by(dof);
            let mean = column().sum::<f64>() / n;
            let variance = column().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
            (mean, variance.sqrt().max(MIN_DEVIATION))
        })
        .collect()
}
