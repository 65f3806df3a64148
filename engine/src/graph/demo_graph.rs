//! The read-only graph: nodes, relations, lanes, strands, phase bins, identity.

use super::error::GraphError;
use super::schema::Relation;
use crate::constants::{JQ_GRAPH_ENTRY_BAND, NBINS_ALIGN, phase_bin};
use crate::store::{Data, GraphHash};
use rollcheck_kernels::Csr;
use std::ops::Range;

// The entry band is one bin; `in_entry_band` rests on it.
const _: () = assert!(JQ_GRAPH_ENTRY_BAND * NBINS_ALIGN as f64 == 1.0);

/// Node arrays of `N` nodes; `dof` joints. Nodes of one demo are contiguous and ordered in time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nodes {
    /// Number of joints.
    pub dof: usize,
    /// Joint positions, `N x dof`, rad.
    pub q: Vec<f64>,
    /// Joint velocities, `N x dof`, rad/s, differenced at the raw rate.
    pub qdot: Vec<f64>,
    /// Gripper command, 1 = closed.
    pub gripper: Vec<u8>,
    /// Base task.
    pub task_id: Vec<i32>,
    /// Demo, `0 .. D-1` in input order.
    pub owner: Vec<i32>,
    /// Position along the episode, 0 to 1.
    pub phase: Vec<f64>,
    /// Raw frame index of the representative.
    pub frame: Vec<i32>,
    /// First node of each demo, and `N`; `D + 1` values.
    pub strand_start: Vec<i32>,
}

impl Nodes {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.phase.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.phase.is_empty()
    }
}

/// The nodes of one task, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The task.
    pub task_id: i32,
    /// Node ids, ascending.
    pub nodes: Vec<u32>,
}

/// A demonstration graph. Immutable; share it by `Arc`.
#[doc(alias = "DemonstrationGraph")]
#[derive(Clone, Debug, PartialEq)]
pub struct DemoGraph {
    nodes: Nodes,
    relations: Vec<Csr>,
    bin: Vec<u8>,
    lanes: Vec<Lane>,
    q_joint_major: Vec<f64>,
    hash: GraphHash,
}

impl DemoGraph {
    /// Derives lanes, bins and identity. `relations` holds one adjacency a relation, in the order of
    /// [`Relation::ALL`], row = source. Both must be well formed; [`super::files`] checks what comes from
    /// outside.
    pub(super) fn assemble(nodes: Nodes, relations: Vec<Csr>) -> Self {
        let n = nodes.len();
        let bin = nodes.phase.iter().map(|&p| phase_bin(p) as u8).collect();
        let mut tasks: Vec<i32> = nodes.task_id.clone();
        tasks.sort_unstable();
        tasks.dedup();
        let lanes = tasks
            .into_iter()
            .map(|task_id| Lane {
                task_id,
                nodes: (0..n as u32).filter(|&v| nodes.task_id[v as usize] == task_id).collect(),
            })
            .collect();
        let mut q_joint_major = vec![0.0; nodes.q.len()];
        for v in 0..n {
            for j in 0..nodes.dof {
                q_joint_major[j * n + v] = nodes.q[v * nodes.dof + j];
            }
        }
        let hash = graph_hash(&nodes, &relations);
        Self { nodes, relations, bin, lanes, q_joint_major, hash }
    }

    /// Number of nodes, `N`.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the graph has no nodes; a graph that was built or read never is.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.nodes.dof
    }

    /// Number of demos.
    pub fn owners(&self) -> usize {
        self.nodes.strand_start.len() - 1
    }

    /// The node arrays.
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// Joint positions of node `v`, rad.
    pub fn q(&self, v: usize) -> &[f64] {
        &self.nodes.q[v * self.nodes.dof..(v + 1) * self.nodes.dof]
    }

    /// Joint velocities of node `v`, rad/s.
    pub fn qdot(&self, v: usize) -> &[f64] {
        &self.nodes.qdot[v * self.nodes.dof..(v + 1) * self.nodes.dof]
    }

    /// Joint positions of all nodes, joint-major (`dof x N`), rad.
    pub fn q_joint_major(&self) -> &[f64] {
        &self.q_joint_major
    }

    /// Phase of node `v`.
    pub fn phase(&self, v: usize) -> f64 {
        self.nodes.phase[v]
    }

    /// Phase bin of node `v`.
    pub fn bin(&self, v: usize) -> usize {
        usize::from(self.bin[v])
    }

    /// Whether the gripper command of node `v` closes.
    pub fn closed(&self, v: usize) -> bool {
        self.nodes.gripper[v] != 0
    }

    /// Task of node `v`.
    pub fn task(&self, v: usize) -> i32 {
        self.nodes.task_id[v]
    }

    /// Demo of node `v`.
    pub fn owner(&self, v: usize) -> usize {
        self.nodes.owner[v] as usize
    }

    /// Raw frame of node `v`.
    pub fn frame(&self, v: usize) -> usize {
        self.nodes.frame[v] as usize
    }

    /// The nodes of a demo, in time order.
    pub fn strand(&self, owner: usize) -> Range<usize> {
        self.nodes.strand_start[owner] as usize..self.nodes.strand_start[owner + 1] as usize
    }

    /// Task of a demo.
    pub fn owner_task(&self, owner: usize) -> i32 {
        self.task(self.strand(owner).start)
    }

    /// The adjacency of a relation: row = source, columns = targets, ascending.
    pub fn relation(&self, relation: Relation) -> &Csr {
        &self.relations[relation as usize]
    }

    /// The lanes, by ascending task id.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The lane of a task, if the graph has it.
    pub fn lane(&self, task_id: i32) -> Option<&Lane> {
        self.lanes.iter().find(|l| l.task_id == task_id)
    }

    /// The graph's identity.
    pub fn hash(&self) -> &GraphHash {
        &self.hash
    }

    /// Whether node `v` lies in the entry band, `phase <= JQ_GRAPH_ENTRY_BAND`: `20 frame <= T - 1` in integers,
    /// so that no rounding of the phase decides.
    pub fn in_entry_band(&self, v: usize) -> bool {
        let last = self.strand(self.owner(v)).end - 1;
        NBINS_ALIGN * self.frame(v) <= self.frame(last)
    }

    /// Splits a position `advance` raw frames after node `v` between the two nodes of its strand that
    /// bracket it (sentinel page, section 4): `(lower node, upper node, share of the upper node)`. At or
    /// beyond the strand's last frame all of it is on the last node.
    pub fn bracket(&self, v: usize, advance: usize) -> (usize, usize, f64) {
        let strand = self.strand(self.owner(v));
        let at = self.frame(v) + advance;
        let last = strand.end - 1;
        if at >= self.frame(last) {
            return (last, last, 0.0);
        }
        let mut lower = v;
        while self.frame(lower + 1) <= at {
            lower += 1;
        }
        let (from, to) = (self.frame(lower), self.frame(lower + 1));
        (lower, lower + 1, (at - from) as f64 / (to - from) as f64)
    }
}

/// `graph_hash` of sentinel page, section 1.
fn graph_hash(nodes: &Nodes, relations: &[Csr]) -> GraphHash {
    let n = nodes.len();
    let (rows, joints, starts) = ([n], [n, nodes.dof], [nodes.strand_start.len()]);
    let mut arrays: Vec<(String, Vec<usize>, Data)> = vec![
        ("q".into(), joints.to_vec(), Data::F64(nodes.q.clone())),
        ("qdot".into(), joints.to_vec(), Data::F64(nodes.qdot.clone())),
        ("gripper".into(), rows.to_vec(), Data::U8(nodes.gripper.clone())),
        ("task_id".into(), rows.to_vec(), Data::I32(nodes.task_id.clone())),
        ("owner".into(), rows.to_vec(), Data::I32(nodes.owner.clone())),
        ("phase".into(), rows.to_vec(), Data::F64(nodes.phase.clone())),
        ("frame".into(), rows.to_vec(), Data::I32(nodes.frame.clone())),
        ("strand_start".into(), starts.to_vec(), Data::I32(nodes.strand_start.clone())),
    ];
    for (relation, csr) in Relation::ALL.into_iter().zip(relations) {
        for (part, values) in [("indptr", csr.indptr()), ("indices", csr.indices())] {
            let values: Vec<i32> = values.iter().map(|&x| x as i32).collect();
            arrays.push((format!("{}_{part}", relation.name()), vec![values.len()], Data::I32(values)));
        }
    }
    GraphHash::of(arrays.iter().map(|(name, shape, data)| (name.as_str(), shape.as_slice(), data)))
}

/// Ids are stored as `<i4`.
pub(super) fn check_size(nodes: usize) -> Result<(), GraphError> {
    const LIMIT: usize = i32::MAX as usize / 64;
    if nodes <= LIMIT { Ok(()) } else { Err(GraphError::TooLarge { found: nodes, limit: LIMIT }) }
}
