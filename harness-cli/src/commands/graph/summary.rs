//! What a person asks of a graph before using it.
//!
//! Per task: demos, nodes, mean length in frames (the graph keeps frame numbers, not the rate), and two
//! figures of the entry stratum, the lane's nodes with `phase <= JQ_GRAPH_ENTRY_BAND`:
//!
//! ```text
//! entry_nodes         number of nodes in the stratum, reachability aside
//! entry_to_start_rad  || mean of q over the stratum - mean of q over the first nodes of the demos ||_2
//! ```
//!
//! The second tells whether `JQ_GATE` can be trusted on these demonstrations: an expert that starts at full
//! speed leaves a stratum whose mean is not where episodes start.

use crate::printer::{Render, table};
use rollcheck_engine::graph::{DemoGraph, Lane, Relation};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Figures of one graph.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphSummary {
    /// `graph_hash`.
    pub hash: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of demos.
    pub demos: usize,
    /// Number of joints.
    pub dof: usize,
    /// By ascending task id.
    pub tasks: Vec<TaskSummary>,
    /// Edges of each relation, in file order.
    pub edges: Vec<(Relation, usize)>,
}

/// Figures of one task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskSummary {
    /// The task.
    pub task_id: i32,
    /// Number of demos.
    pub demos: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// Mean length of a demo, frames.
    pub mean_frames: f64,
    /// Nodes in the entry stratum.
    pub entry_nodes: usize,
    /// Distance of the stratum's mean from the mean start pose, rad.
    pub entry_to_start_rad: f64,
}

impl GraphSummary {
    /// Takes the figures of a graph.
    pub fn of(graph: &DemoGraph) -> Self {
        Self {
            hash: graph.hash().to_string(),
            nodes: graph.len(),
            demos: graph.owners(),
            dof: graph.dof(),
            tasks: graph.lanes().iter().map(|lane| TaskSummary::of(graph, lane)).collect(),
            edges: Relation::ALL.map(|r| (r, graph.relation(r).entries())).to_vec(),
        }
    }
}

impl TaskSummary {
    fn of(graph: &DemoGraph, lane: &Lane) -> Self {
        let owners: Vec<usize> =
            (0..graph.owners()).filter(|&owner| graph.owner_task(owner) == lane.task_id).collect();
        let frames: usize = owners.iter().map(|&owner| graph.frame(graph.strand(owner).end - 1) + 1).sum();
        let stratum: Vec<usize> =
            lane.nodes.iter().map(|&v| v as usize).filter(|&v| graph.in_entry_band(v)).collect();
        let starts: Vec<usize> = owners.iter().map(|&owner| graph.strand(owner).start).collect();
        let (entry, start) = (mean_pose(graph, &stratum), mean_pose(graph, &starts));
        Self {
            task_id: lane.task_id,
            demos: owners.len(),
            nodes: lane.nodes.len(),
            mean_frames: frames as f64 / owners.len() as f64,
            entry_nodes: stratum.len(),
            entry_to_start_rad: entry.iter().zip(&start).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
        }
    }
}

/// Mean joint positions of nodes. A lane is never empty, and its first nodes have phase 0, so neither is a
/// stratum.
fn mean_pose(graph: &DemoGraph, nodes: &[usize]) -> Vec<f64> {
    let mut sum = vec![0.0; graph.dof()];
    for &v in nodes {
        for (s, q) in sum.iter_mut().zip(graph.q(v)) {
            *s += q;
        }
    }
    sum.iter().map(|s| s / nodes.len() as f64).collect()
}

impl Render for GraphSummary {
    fn json(&self) -> Value {
        let tasks: Vec<Value> = self
            .tasks
            .iter()
            .map(|t| {
                json!({
                    "task_id": t.task_id,
                    "demos": t.demos,
                    "nodes": t.nodes,
                    "mean_frames": t.mean_frames,
                    "entry_nodes": t.entry_nodes,
                    "entry_to_start_rad": t.entry_to_start_rad,
                })
            })
            .collect();
        let edges: Map<String, Value> =
            self.edges.iter().map(|&(r, n)| (r.name().to_owned(), json!(n))).collect();
        json!({"graph": {
            "hash": self.hash,
            "nodes": self.nodes,
            "demos": self.demos,
            "dof": self.dof,
            "tasks": tasks,
            "edges": edges,
        }})
    }

    fn text(&self) -> String {
        let mut text = format!("graph {}\n", self.hash);
        let _ = writeln!(text, "{} nodes, {} demos, {} joints\n", self.nodes, self.demos, self.dof);
        text += &table(
            &["task", "demos", "nodes", "mean frames", "entry nodes", "entry to start (rad)"],
            self.tasks.iter().map(|t| {
                vec![
                    t.task_id.to_string(),
                    t.demos.to_string(),
                    t.nodes.to_string(),
                    format!("{:.1}", t.mean_frames),
                    t.entry_nodes.to_string(),
                    format!("{:.4}", t.entry_to_start_rad),
                ]
            }),
        );
        text.push('\n');
        text += &table(
            &["relation", "edges"],
            self.edges.iter().map(|(relation, n)| vec![relation.name().to_owned(), n.to_string()]),
        );
        text
    }
}
