//! Who the parties of a stop are, and which comparison they make.
//!
//! Reference page, sections 3.1, 9.2 and 9.3. The comparison branches on who stands against the payload, never on the
//! stop's kind alone.

use crate::rounds::deploy_log::StopLine;

/// Begins the name of a carried object.
pub const PAYLOAD: &str = "attached:";
/// Begins the name of a robot link.
pub const LINK: &str = "panda_";

/// Which two things a stop compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// A robot link against the world.
    ArmWorld,
    /// The carried object against the world.
    PayloadWorld,
    /// The carried object against a robot link.
    PayloadLink,
    /// Two robot links.
    LinkLink,
}

impl Comparison {
    /// As printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::ArmWorld => "arm-world",
            Self::PayloadWorld => "payload-world",
            Self::PayloadLink => "payload-link",
            Self::LinkLink => "link-link",
        }
    }
}

/// Whether either party is the carried object.
pub fn involves_payload(stop: &StopLine) -> bool {
    stop.party_a.starts_with(PAYLOAD) || stop.party_b.starts_with(PAYLOAD)
}

/// The party that stands against the carried object.
pub fn partner(stop: &StopLine) -> &str {
    if stop.party_a.starts_with(PAYLOAD) { &stop.party_b } else { &stop.party_a }
}

/// The comparison of a stop.
pub fn comparison(stop: &StopLine) -> Comparison {
    if involves_payload(stop) {
        let partner = partner(stop);
        if partner.starts_with("voxel_") || partner.starts_with("place:") {
            return Comparison::PayloadWorld;
        }
        return Comparison::PayloadLink;
    }
    if stop.kind == "self" { Comparison::LinkLink } else { Comparison::ArmWorld }
}

/// The simulator's name of what the safety kernel names.
pub fn simulator_name(party: &str) -> String {
    match party.strip_prefix(LINK) {
        Some(rest) => format!("robot0_{rest}"),
        None => party.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adjudication::testing::stop;

    #[test]
    fn the_partner_decides_not_the_kind() {
        let class = |kind, a, b| comparison(&stop(kind, a, b, 0.0));
        assert_eq!(class("world", "panda_link5", "voxel_1"), Comparison::ArmWorld);
        assert_eq!(class("world", "attached:sim:o", "voxel_1"), Comparison::PayloadWorld);
        assert_eq!(class("self", "attached:sim:o", "place:sim:sink#4"), Comparison::PayloadWorld);
        assert_eq!(class("world", "panda_link1", "attached:sim:o"), Comparison::PayloadLink);
        assert_eq!(class("self", "attached:sim:o", "panda_link1"), Comparison::PayloadLink);
        assert_eq!(class("self", "panda_link1", "panda_link4"), Comparison::LinkLink);
        assert_eq!(class("SELF", "panda_link1", "panda_link4"), Comparison::ArmWorld, "case matters");
    }

    #[test]
    fn links_have_another_name_in_the_simulator() {
        assert_eq!(simulator_name("panda_link7"), "robot0_link7");
        assert_eq!(simulator_name("voxel_7"), "voxel_7");
        assert_eq!(simulator_name("my_panda_link7"), "my_panda_link7");
    }
}
