//! What the filter asks a head for: a window in, one logit a node out.
//!
//! `engine` never sees the network; `models` implements [`Likelihood`], tests implement it with recorded
//! logits.

/// A window of `HIST_H` consecutive joint states at the raw rate, oldest first. The newest frame is the
/// one that is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window<'a> {
    /// Joint positions, `HIST_H x dof`, rad, row-major.
    pub q: &'a [f64],
    /// Gripper command of each frame: true closes.
    pub closed: &'a [bool],
    /// Frames per second.
    pub rate_hz: f64,
}

impl<'a> Window<'a> {
    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.q.len() / self.closed.len().max(1)
    }

    /// Joint positions of the newest frame, rad.
    pub fn newest(&self) -> &'a [f64] {
        &self.q[self.q.len() - self.dof()..]
    }

    /// Gripper command of the newest frame.
    pub fn newest_closed(&self) -> bool {
        self.closed.last().copied().unwrap_or(false)
    }

    /// Whether every value is finite.
    pub fn is_finite(&self) -> bool {
        self.q.iter().all(|x| x.is_finite()) && self.rate_hz.is_finite()
    }
}

/// What is asked of a head.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The window.
    pub window: Window<'a>,
    /// The known task: logits outside its lane are `-inf`. `None` asks for every node.
    pub lane: Option<i32>,
    /// A demo whose nodes are neither seeded nor reached (leave-one-demo-out).
    pub without_owner: Option<usize>,
}

/// One logit a node of the lane, in the order of the lane's nodes (all nodes without a lane). A node that
/// was not reached holds `-inf`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Logits {
    /// The logits; `-inf` is unreachable.
    pub values: Vec<f32>,
}

impl Logits {
    /// Number of reached nodes.
    pub fn reached(&self) -> usize {
        self.values.iter().filter(|&&l| l > f32::NEG_INFINITY).count()
    }
}

/// A head: one forward pass a call. Implementations allocate nothing once `out` has its size.
pub trait Likelihood {
    /// Scores the nodes for a window. The caller has checked that the window is finite and of the graph's
    /// number of joints, and that the lane exists.
    fn logits(&mut self, query: &Query<'_>, out: &mut Logits);
}
