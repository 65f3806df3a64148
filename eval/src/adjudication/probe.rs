//! Which measured pairs answer a stop, and how far the probe behind them can be trusted.
//!
//! Reference page, sections 9.1, 9.3 and 9.4. The coverage block moves with the pair set: a probe that was not asked
//! must not vouch for one that was.

use super::party::{self, Comparison};
use crate::rounds::deploy_log::StopLine;
use crate::rounds::snapshot::{Coverage, Pair, Snapshot, SnapshotFault};

/// A list of pairs in the snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairSet {
    /// `nearest_robot_world_pairs`
    RobotWorld,
    /// `nearest_payload_world_pairs`
    PayloadWorld,
    /// `nearest_payload_robot_pairs`
    PayloadRobot,
    /// `nearest_link_link_pairs`
    LinkLink,
    /// No list: a replay of the recorded joints stands in.
    Replayed,
    /// None: two links, and the probe measured none against another.
    Unprobed,
}

impl PairSet {
    /// The key in the snapshot, or `none`.
    pub fn name(self) -> &'static str {
        match self {
            Self::RobotWorld => "nearest_robot_world_pairs",
            Self::PayloadWorld => "nearest_payload_world_pairs",
            Self::PayloadRobot => "nearest_payload_robot_pairs",
            Self::LinkLink => "nearest_link_link_pairs",
            Self::Replayed => "engine-replay",
            Self::Unprobed => "none",
        }
    }

    /// The key of the coverage block that goes with it.
    pub fn coverage_name(self) -> &'static str {
        match self {
            Self::RobotWorld | Self::LinkLink | Self::Replayed | Self::Unprobed => "nearest_probe_coverage",
            Self::PayloadWorld => "nearest_payload_world_coverage",
            Self::PayloadRobot => "nearest_payload_robot_coverage",
        }
    }
}

/// What the probe attests of itself, in every block it wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attestation {
    /// Both sides were filtered to solid geoms.
    pub collidability_filtered: bool,
    /// Every distance is certified.
    pub distance_certified: bool,
}

/// What answers a stop.
#[derive(Clone, Debug)]
pub struct Probe<'a> {
    /// The list.
    pub pair_set: PairSet,
    /// Its pairs that are the stop's own.
    pub party_pairs: Vec<Pair<'a>>,
    /// Its coverage; `None` is a block that is missing.
    pub coverage: Option<Coverage>,
    /// What the probe attests.
    pub attestation: Attestation,
}

/// Chooses what answers a stop.
pub fn choose<'a>(comparison: Comparison, stop: &StopLine, snapshot: &Snapshot<'a>) -> Probe<'a> {
    let a = party::simulator_name(&stop.party_a);
    let b = party::simulator_name(&stop.party_b);
    let (pair_set, party_pairs, coverage) = match comparison {
        Comparison::PayloadWorld => {
            (PairSet::PayloadWorld, snapshot.payload_world.clone(), snapshot.payload_world_coverage)
        }
        Comparison::PayloadLink => {
            let partner = party::simulator_name(party::partner(stop));
            let own = snapshot.payload_robot.iter().filter(|pair| pair.body_b == partner);
            (PairSet::PayloadRobot, own.copied().collect(), snapshot.payload_robot_coverage)
        }
        Comparison::LinkLink if snapshot.link_link.is_empty() => {
            (PairSet::Unprobed, Vec::new(), snapshot.robot_world_coverage)
        }
        Comparison::LinkLink => {
            let own = snapshot.link_link.iter().filter(|pair| is_pair(pair, &a, &b));
            (PairSet::LinkLink, own.copied().collect(), snapshot.robot_world_coverage)
        }
        Comparison::ArmWorld => {
            let own = snapshot.robot_world.iter().filter(|pair| pair.body_a == a);
            (PairSet::RobotWorld, own.copied().collect(), snapshot.robot_world_coverage)
        }
    };
    Probe { pair_set, party_pairs, coverage, attestation: attestation(snapshot) }
}

fn is_pair(pair: &Pair<'_>, a: &str, b: &str) -> bool {
    (pair.body_a == a && pair.body_b == b) || (pair.body_a == b && pair.body_b == a)
}

/// Every block that was written must attest; none attests nothing.
pub fn attestation(snapshot: &Snapshot<'_>) -> Attestation {
    let blocks =
        [snapshot.robot_world_coverage, snapshot.payload_world_coverage, snapshot.payload_robot_coverage];
    let mut kept = blocks.into_iter().flatten().peekable();
    if kept.peek().is_none() {
        return Attestation { collidability_filtered: false, distance_certified: false };
    }
    kept.fold(Attestation { collidability_filtered: true, distance_certified: true }, |all, block| {
        Attestation {
            collidability_filtered: all.collidability_filtered && block.side_filtered,
            distance_certified: all.distance_certified && block.certified,
        }
    })
}

/// The pairs that contact is read from: robot-world, payload-world, payload-robot, and a named pair of links. Other
/// pairs of links never enter, since neighbours overlap for ever and are permitted to.
pub fn contact_pairs<'a>(snapshot: &Snapshot<'a>, probe: &Probe<'a>) -> Vec<Pair<'a>> {
    let mut pairs = [&snapshot.robot_world[..], &snapshot.payload_world, &snapshot.payload_robot].concat();
    if probe.pair_set == PairSet::LinkLink {
        pairs.extend(&probe.party_pairs);
    }
    pairs
}

/// The first of the nearest pairs, with its distance in metres.
///
/// # Errors
/// A pair without a distance.
pub fn nearest<'a>(pairs: &[Pair<'a>], list: &str) -> Result<Option<(f64, Pair<'a>)>, SnapshotFault> {
    let mut nearest: Option<(f64, Pair<'a>)> = None;
    for pair in pairs {
        let Some(distance_m) = pair.distance_m else {
            return Err(SnapshotFault {
                field: format!("{list}[{} against {}].distance_m", pair.body_a, pair.body_b),
                expected: "a number of metres",
                found: "null".to_owned(),
            });
        };
        if nearest.is_none_or(|(least, _)| distance_m < least) {
            nearest = Some((distance_m, *pair));
        }
    }
    Ok(nearest)
}
