//! Coarsening: episodes to nodes (sentinel page, section 1, "Nodes").
//!
//! `COARSEN` frames to a node, with a forced split at every gripper change; the run after a split starts
//! counting at 0 and its last segment may be short. The representative of a segment is its first frame,
//! of an episode's last segment its last frame, so that a strand runs from phase 0 to phase 1. An episode
//! of one segment is split into its first frame and the rest.
//!
//! ```text
//! qdot[k] = (q[k+1] - q[k-1]) * (rate / 2)      qdot[0] = (q[1] - q[0]) * rate, the end alike
//! ```

use super::demo_graph::{DemoGraph, Nodes};
use super::error::GraphError;
use crate::constants::COARSEN;
use crate::demos::{DemoSet, Episode};

/// The nodes of all episodes, in input order.
pub fn coarsen(demos: &DemoSet) -> Nodes {
    let mut nodes = Nodes { dof: demos.dof(), strand_start: vec![0], ..Nodes::default() };
    for (owner, episode) in demos.episodes().iter().enumerate() {
        for frame in representatives(episode.closed_all()) {
            nodes.q.extend(episode.q(frame));
            nodes.qdot.extend(velocity(episode, frame));
            nodes.gripper.push(u8::from(episode.closed(frame)));
            nodes.task_id.push(episode.task_id());
            nodes.owner.push(owner as i32);
            nodes.phase.push(episode.phase(frame));
            nodes.frame.push(frame as i32);
        }
        nodes.strand_start.push(nodes.len() as i32);
    }
    nodes
}

impl DemoGraph {
    /// Refuses demonstrations that do not make this graph's nodes, value for value: owners, windows and
    /// targets are positional, so others would train and fit without any error.
    ///
    /// # Errors
    /// [`GraphError::OtherDemos`], naming what differs first.
    pub fn made_from(&self, demos: &DemoSet) -> Result<(), GraphError> {
        let (mine, theirs) = (self.nodes(), coarsen(demos));
        let differ = |what: String, expected: String, found: String| {
            Err(GraphError::OtherDemos { what, expected, found })
        };
        for (what, expected, found) in [
            ("the number of joints", mine.dof, theirs.dof),
            ("the number of episodes", mine.strand_start.len() - 1, theirs.strand_start.len() - 1),
            ("the number of nodes", mine.len(), theirs.len()),
        ] {
            if expected != found {
                return differ(what.to_owned(), expected.to_string(), found.to_string());
            }
        }
        if *mine == theirs {
            return Ok(());
        }
        let row = |nodes: &Nodes, v: usize| {
            let joints = v * nodes.dof..(v + 1) * nodes.dof;
            let (q, qdot) = (&nodes.q[joints.clone()], &nodes.qdot[joints]);
            let (task, frame, gripper) = (nodes.task_id[v], nodes.frame[v], nodes.gripper[v]);
            format!("task {task}, frame {frame}, gripper {gripper}, q {q:?}, qdot {qdot:?}")
        };
        let v = (0..mine.len()).find(|&v| row(mine, v) != row(&theirs, v)).unwrap_or(0);
        differ(format!("node {v}"), row(mine, v), row(&theirs, v))
    }
}

/// Representative frames of an episode with these gripper commands.
pub fn representatives(closed: &[bool]) -> Vec<usize> {
    let mut first_frames = Vec::new();
    let mut in_segment = 0;
    for (frame, &state) in closed.iter().enumerate() {
        let changed = frame > 0 && state != closed[frame - 1];
        if frame == 0 || changed || in_segment == COARSEN {
            first_frames.push(frame);
            in_segment = 0;
        }
        in_segment += 1;
    }
    if first_frames.len() == 1 && closed.len() > 1 {
        first_frames.push(1);
    }
    if let Some(last) = first_frames.last_mut() {
        *last = closed.len() - 1;
    }
    first_frames
}

/// Joint velocity at a frame, rad/s.
fn velocity(episode: &Episode, frame: usize) -> Vec<f64> {
    let last = episode.frames() - 1;
    let rate = episode.rate_hz();
    let (from, to, factor) = match frame {
        0 => (0, 1, rate),
        k if k == last => (last - 1, last, rate),
        k => (k - 1, k + 1, rate / 2.0),
    };
    episode.q(from).iter().zip(episode.q(to)).map(|(a, b)| (b - a) * factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> Vec<usize> {
        representatives(&text.chars().map(|c| c == 'c').collect::<Vec<_>>())
    }

    #[test]
    fn segments_split_at_gripper_changes_and_end_on_the_last_frame() {
        assert_eq!(runs("oooooooooooo"), [0, 5, 11]);
        assert_eq!(runs("ooooooocccccc"), [0, 5, 7, 12]);
        assert_eq!(runs("oooooooc"), [0, 5, 7]);
        assert_eq!(runs("ooooo"), [0, 4]);
        assert_eq!(runs("oo"), [0, 1]);
        assert_eq!(runs("ocococ"), [0, 1, 2, 3, 4, 5]);
        assert_eq!(runs("oooooccccc"), [0, 9]);
    }
}
