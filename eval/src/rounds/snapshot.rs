//! Ground truth at a stop: what the simulator's distance probes measured and what it publishes to judge by.
//!
//! Reference page, section 8. [`Snapshot`] borrows the decoded object of `sim.estop_ground_truth_snapshot`. Tolerant
//! where the page says so (an absent list is empty, an absent block is unknown), strict elsewhere: a pair of a list that
//! contact is read from must have a distance. All lengths in metres.

use super::error::shown;
use super::json;
use serde_json::{Map, Value};

/// Keys of the event that are read; a snapshot holds many more.
pub const KEYS: &[&str] = &[
    "nearest_robot_world_pairs",
    "nearest_payload_world_pairs",
    "nearest_payload_robot_pairs",
    "nearest_link_link_pairs",
    "nearest_probe_coverage",
    "nearest_payload_world_coverage",
    "nearest_payload_robot_coverage",
    "adjudication_budget",
    "stop_class",
    "sim_time_s",
    "payload_contacts",
    "robot_joint_state",
    "collision_evidence",
    "stop_seq",
];

/// A value that the adjudication needs and that is not what it must be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("field `{field}`: expected {expected}, found {found}")]
pub struct SnapshotFault {
    /// Dotted path in the snapshot.
    pub field: String,
    /// What it must be.
    pub expected: &'static str,
    /// What it is.
    pub found: String,
}

/// A pair of bodies and the distance between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<'a> {
    /// First body, or empty.
    pub body_a: &'a str,
    /// Second body, or empty.
    pub body_b: &'a str,
    /// Distance, m; negative is overlap. Absent only in link-link pairs.
    pub distance_m: Option<f64>,
    /// The pair as recorded.
    pub record: &'a Map<String, Value>,
}

/// How far a probe looked, and what it attests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// It was cut short; true when it does not say.
    pub truncated: bool,
    /// Its range, m.
    pub distmax_m: Option<f64>,
    /// Pairs it measured.
    pub probed_pairs: Option<i64>,
    /// It says how many geoms of its own side were left out as not collidable.
    pub side_filtered: bool,
    /// It says that no distance was left uncertified.
    pub certified: bool,
}

/// What two representations of the same geometry may differ by, as the simulator publishes it.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedBudget<'a> {
    /// Arm link against voxel, m.
    pub admissible_gap_m: Option<f64>,
    /// Largest corner slop of a link, m.
    pub max_corner_slop_m: Option<f64>,
    /// Half the voxel's body diagonal, m.
    pub voxel_half_diagonal_m: Option<f64>,
    /// Payload against link: absent block, or its gap.
    pub self_collision: Option<Option<f64>>,
    /// Link against link at box fidelity: absent block, or its gap.
    pub link_link: Option<Option<f64>>,
    /// Payload against voxel, newer form.
    pub payload_world_voxel: Option<PayloadWorldVoxel>,
    /// Slop of each link by the safety kernel's name.
    pub links: Option<&'a Map<String, Value>>,
}

/// Terms of the payload's budget against the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PayloadWorldVoxel {
    /// How far the payload's model stands out, m.
    pub max_payload_model_overhang_m: Option<f64>,
    /// Half the voxel's body diagonal, m.
    pub voxel_half_diagonal_m: Option<f64>,
}

/// What is published of one link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkSlop {
    /// How far its hull stands out past its mesh, m.
    pub hull_overhang_m: Option<f64>,
    /// Whether it has a hull at all; `None` is unknown, never no.
    pub has_stage2_hull: Option<bool>,
}

impl PublishedBudget<'_> {
    /// What is published of a link, by the safety kernel's name.
    pub fn link(&self, name: &str) -> Option<LinkSlop> {
        let link = self.links?.get(name)?.as_object()?;
        Some(LinkSlop {
            hull_overhang_m: json::number(link.get("hull_overhang_m")),
            has_stage2_hull: link.get("has_stage2_hull").and_then(Value::as_bool),
        })
    }
}

/// A snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot<'a> {
    /// Robot link against world.
    pub robot_world: Vec<Pair<'a>>,
    /// Payload against world.
    pub payload_world: Vec<Pair<'a>>,
    /// Payload (`body_a`) against robot link.
    pub payload_robot: Vec<Pair<'a>>,
    /// Link against link.
    pub link_link: Vec<Pair<'a>>,
    /// Coverage of the robot-world probe.
    pub robot_world_coverage: Option<Coverage>,
    /// Coverage of the payload-world probe.
    pub payload_world_coverage: Option<Coverage>,
    /// Coverage of the payload-robot probe.
    pub payload_robot_coverage: Option<Coverage>,
    /// The published budget.
    pub budget: Option<PublishedBudget<'a>>,
    /// Class the simulator gave the stop.
    pub stop_class: Option<String>,
    /// Simulated time, s.
    pub sim_time_s: Option<f64>,
    /// Contacts of the payload.
    pub payload_contacts: i64,
}

impl<'a> Snapshot<'a> {
    /// Reads the decoded object.
    ///
    /// # Errors
    /// [`SnapshotFault`].
    pub fn from_object(object: &'a Map<String, Value>) -> Result<Self, SnapshotFault> {
        Ok(Self {
            robot_world: pairs(object, "nearest_robot_world_pairs", true)?,
            payload_world: pairs(object, "nearest_payload_world_pairs", true)?,
            payload_robot: pairs(object, "nearest_payload_robot_pairs", true)?,
            link_link: pairs(object, "nearest_link_link_pairs", false)?,
            robot_world_coverage: coverage(object.get("nearest_probe_coverage")),
            payload_world_coverage: coverage(object.get("nearest_payload_world_coverage")),
            payload_robot_coverage: coverage(object.get("nearest_payload_robot_coverage")),
            budget: object.get("adjudication_budget").and_then(Value::as_object).map(budget),
            stop_class: match object.get("stop_class") {
                None | Some(Value::Null) => None,
                found @ Some(other) => match json::text(found) {
                    Some(text) => Some(text.to_owned()),
                    None => return Err(fault("stop_class", "text or null", other)),
                },
            },
            sim_time_s: json::number(object.get("sim_time_s")),
            payload_contacts: list(object, "payload_contacts")?.len() as i64,
        })
    }
}

fn fault(field: impl Into<String>, expected: &'static str, found: &Value) -> SnapshotFault {
    SnapshotFault { field: field.into(), expected, found: shown(found) }
}

fn list<'a>(object: &'a Map<String, Value>, key: &str) -> Result<&'a [Value], SnapshotFault> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(other) => Err(fault(key, "an array", other)),
    }
}

fn pairs<'a>(
    object: &'a Map<String, Value>,
    key: &str,
    distance_needed: bool,
) -> Result<Vec<Pair<'a>>, SnapshotFault> {
    let body = |record: &'a Map<String, Value>, key| json::text(record.get(key)).unwrap_or_default();
    let pair = |(index, item): (usize, &'a Value)| {
        let Value::Object(record) = item else {
            return Err(fault(format!("{key}[{index}]"), "an object", item));
        };
        let distance_m = json::number(record.get("distance_m"));
        if distance_needed && distance_m.is_none() {
            let found = record.get("distance_m").unwrap_or(&Value::Null);
            return Err(fault(format!("{key}[{index}].distance_m"), "a number of metres", found));
        }
        Ok(Pair { body_a: body(record, "body_a"), body_b: body(record, "body_b"), distance_m, record })
    };
    list(object, key)?.iter().enumerate().map(pair).collect()
}

/// A block that is absent, empty or no object covers nothing.
fn coverage(value: Option<&Value>) -> Option<Coverage> {
    let block = value?.as_object().filter(|block| !block.is_empty())?;
    Some(Coverage {
        // Whatever is no clear answer is none.
        truncated: block.get("truncated").and_then(Value::as_bool).unwrap_or(true),
        distmax_m: json::number(block.get("distmax_m")),
        probed_pairs: json::integer(block.get("probed_pairs")),
        side_filtered: block.contains_key("noncollidable_side_geoms_excluded"),
        certified: block.get("uncertified_pairs").is_some_and(|n| !json::truthy(n)),
    })
}

fn budget(block: &Map<String, Value>) -> PublishedBudget<'_> {
    let object = |key: &str| block.get(key).and_then(Value::as_object);
    let number = |block: &Map<String, Value>, key: &str| json::number(block.get(key));
    PublishedBudget {
        admissible_gap_m: number(block, "admissible_gap_m"),
        max_corner_slop_m: number(block, "max_corner_slop_m"),
        voxel_half_diagonal_m: number(block, "voxel_half_diagonal_m"),
        self_collision: object("self_collision").map(|b| number(b, "admissible_gap_m")),
        link_link: object("link_link").map(|b| number(b, "admissible_gap_box_m")),
        payload_world_voxel: object("payload_world_voxel").map(|b| PayloadWorldVoxel {
            max_payload_model_overhang_m: number(b, "max_payload_model_overhang_m"),
            voxel_half_diagonal_m: number(b, "voxel_half_diagonal_m"),
        }),
        links: object("collision_model_slop").and_then(|b| b.get("links")).and_then(Value::as_object),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        let Value::Object(map) = value else { panic!("an object") };
        map
    }

    #[test]
    fn absent_lists_are_empty_and_absent_blocks_unknown() {
        let empty = object(json!({"nearest_robot_world_pairs": null, "nearest_probe_coverage": {}}));
        let snapshot = Snapshot::from_object(&empty).unwrap();
        assert!(snapshot.robot_world.is_empty() && snapshot.link_link.is_empty());
        assert_eq!((snapshot.robot_world_coverage, snapshot.payload_contacts), (None, 0));
        assert_eq!(snapshot.budget, None);
    }

    #[test]
    fn a_probe_that_does_not_say_was_cut_short() {
        let block = object(json!({"nearest_probe_coverage": {"probed_pairs": 3}}));
        let coverage = Snapshot::from_object(&block).unwrap().robot_world_coverage.unwrap();
        assert!(coverage.truncated && !coverage.side_filtered && !coverage.certified);
    }

    #[test]
    fn a_pair_that_contact_is_read_from_needs_its_distance() {
        for (value, message) in [
            (
                json!({"nearest_robot_world_pairs": [{"distance_m": 0.1}, {"body_a": "x"}]}),
                "field `nearest_robot_world_pairs[1].distance_m`: expected a number of metres, found null",
            ),
            (
                json!({"nearest_payload_world_pairs": [{"distance_m": "0.1"}]}),
                "field `nearest_payload_world_pairs[0].distance_m`: expected a number of metres, found text \"0.1\"",
            ),
            (
                json!({"nearest_payload_robot_pairs": 3}),
                "field `nearest_payload_robot_pairs`: expected an array, found 3",
            ),
            (
                json!({"nearest_link_link_pairs": [3]}),
                "field `nearest_link_link_pairs[0]`: expected an object, found 3",
            ),
            (json!({"stop_class": 3}), "field `stop_class`: expected text or null, found 3"),
        ] {
            let object = object(value);
            assert_eq!(Snapshot::from_object(&object).unwrap_err().to_string(), message);
        }
        for (text, found) in
            [("{\"stop_class\": NaN}", "NaN"), ("{\"payload_contacts\": -Infinity}", "-Infinity")]
        {
            let object = json::decode_object(text).unwrap();
            assert_eq!(Snapshot::from_object(&object).unwrap_err().found, found);
        }
        let unused = object(json!({"nearest_link_link_pairs": [{"body_a": "x"}]}));
        assert_eq!(Snapshot::from_object(&unused).unwrap().link_link[0].distance_m, None);
    }

    #[test]
    fn no_statement_about_a_hull_is_not_a_statement_that_there_is_none() {
        let published = object(json!({"adjudication_budget": {"collision_model_slop": {"links": {
            "a": {"hull_overhang_m": 0.1}, "b": {"has_stage2_hull": false}, "c": {"has_stage2_hull": 0}, "d": 1}}}}));
        let budget = Snapshot::from_object(&published).unwrap().budget.unwrap();
        let hull = |name| budget.link(name).map(|link| link.has_stage2_hull);
        assert_eq!(
            [hull("a"), hull("b"), hull("c"), hull("d")],
            [Some(None), Some(Some(false)), Some(None), None]
        );
    }
}
