//! Which nodes a query reaches, and which of them its lane needs.
//!
//! A node is reached after round `k` when it lies within `k` edges of a seed, along the edges' direction.
//! A lane's logits depend on few of them: the last round is needed in the lane only, the one before in the
//! lane and its in-neighbours, and so on back. Both restrictions are exact: what they leave out cannot
//! change a logit of the lane.

use rollcheck_engine::graph::{DemoGraph, Relation};
use rollcheck_kernels::Csr;
use rollcheck_kernels::message_pass::TypedEdges;
use std::ops::Range;

/// The graph's edges as the head uses them.
#[derive(Clone, Debug)]
pub struct Topology {
    /// In-edges of each relation: row = target, columns = sources.
    incoming: Vec<Csr>,
    /// The same, grouped by target, for message passing over node ids.
    typed: TypedEdges,
    /// Targets of each node in any relation.
    outgoing: Csr,
    /// For each lane, and last for no lane: the highest round in which a node is needed.
    need: Vec<Vec<u8>>,
    tasks: Vec<i32>,
    layers: usize,
}

impl Topology {
    /// Derives the in-edges and the needs of each lane for a number of rounds.
    pub fn new(graph: &DemoGraph, layers: usize) -> Self {
        let n = graph.len();
        let incoming: Vec<Csr> = Relation::ALL.iter().map(|&r| graph.relation(r).transpose()).collect();
        let mut typed = TypedEdges::new(n, Relation::COUNT);
        let mut outgoing = Vec::with_capacity(n);
        for v in 0..n {
            for (r, csr) in incoming.iter().enumerate() {
                let sources = csr.row(v);
                typed
                    .push_group(r, sources.len(), sources.iter().copied())
                    .unwrap_or_else(|e| unreachable!("edges of a checked graph: {e}"));
            }
            typed.finish_row();
            let mut targets: Vec<u32> =
                Relation::ALL.iter().flat_map(|&r| graph.relation(r).row(v)).copied().collect();
            targets.sort_unstable();
            targets.dedup();
            outgoing.push(targets.into_iter().map(|t| (t, ())).collect());
        }
        let outgoing = Csr::from_rows(outgoing, n).unwrap_or_else(|e| unreachable!("checked edges: {e}"));
        let tasks: Vec<i32> = graph.lanes().iter().map(|l| l.task_id).collect();
        let mut need: Vec<Vec<u8>> =
            graph.lanes().iter().map(|lane| need_of(&lane.nodes, &incoming, n, layers)).collect();
        need.push(vec![layers as u8; n]);
        Self { incoming, typed, outgoing, need, tasks, layers }
    }

    /// In-edges by target over node ids.
    pub fn typed(&self) -> &TypedEdges {
        &self.typed
    }

    /// In-edges of one relation.
    pub fn incoming(&self, relation: usize) -> &Csr {
        &self.incoming[relation]
    }

    /// Rounds of message passing.
    pub fn layers(&self) -> usize {
        self.layers
    }

    fn need(&self, lane: Option<i32>) -> &[u8] {
        let index = lane.and_then(|task| self.tasks.binary_search(&task).ok()).unwrap_or(self.tasks.len());
        &self.need[index]
    }
}

fn need_of(lane: &[u32], incoming: &[Csr], n: usize, layers: usize) -> Vec<u8> {
    let mut need = vec![0_u8; n];
    let mut members = lane.to_vec();
    for &v in lane {
        need[v as usize] = layers as u8;
    }
    for round in (1..layers).rev() {
        for i in 0..members.len() {
            for csr in incoming {
                for &u in csr.row(members[i] as usize) {
                    if need[u as usize] == 0 {
                        need[u as usize] = round as u8;
                        members.push(u);
                    }
                }
            }
        }
    }
    need
}

const UNREACHED: u8 = u8::MAX;

/// The reached nodes of one query, round by round.
#[derive(Clone, Debug, Default)]
pub struct Frontier {
    /// First round in which a node is reached; [`UNREACHED`] else.
    round: Vec<u8>,
    queue: Vec<u32>,
    /// Nodes computed in each round, ascending; round 0 are the seeds.
    active: Vec<Vec<u32>>,
}

impl Frontier {
    /// Room for a graph; nothing is allocated later.
    pub fn new(topology: &Topology) -> Self {
        let n = topology.outgoing.rows();
        Self {
            round: vec![UNREACHED; n],
            queue: Vec::with_capacity(n),
            // Not `vec![..; n]`: a cloned list has no room.
            active: (0..=topology.layers).map(|_| Vec::with_capacity(n)).collect(),
        }
    }

    /// Walks from the seeds; `skip` is neither seeded nor reached.
    pub fn walk(&mut self, topology: &Topology, lane: Option<i32>, skip: Range<usize>, seeds: &[(u32, f32)]) {
        let need = topology.need(lane);
        self.round.fill(UNREACHED);
        self.queue.clear();
        for &(v, _) in seeds {
            self.round[v as usize] = 0;
            self.queue.push(v);
        }
        self.active[0].clear();
        self.active[0].extend(&self.queue);
        let mut next = 0;
        for round in 1..=topology.layers as u8 {
            let (first, end) = (next, self.queue.len());
            for at in first..end {
                for &v in topology.outgoing.row(self.queue[at] as usize) {
                    let i = v as usize;
                    if self.round[i] == UNREACHED && need[i] >= round && !skip.contains(&i) {
                        self.round[i] = round;
                        self.queue.push(v);
                    }
                }
            }
            next = end;
        }
        for k in 1..=topology.layers {
            self.active[k].clear();
        }
        for (v, (&round, &need)) in self.round.iter().zip(need).enumerate() {
            if round != UNREACHED {
                for k in usize::from(round.max(1))..=usize::from(need) {
                    self.active[k].push(v as u32);
                }
            }
        }
    }

    /// The nodes computed in a round, ascending; round 0 are the seeds.
    pub fn active(&self, round: usize) -> &[u32] {
        &self.active[round]
    }
}
