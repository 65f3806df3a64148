//! The joint states of a stop that are on record, and which of them the reported number belongs to.
//!
//! ```text
//! predicted   collision_evidence.joint_positions_rad    the state on which the check tripped
//! measured    robot_joint_state                         the simulator's state when the snapshot was taken
//! ```
//!
//! Only the second has names; the first has their order (base and gripper are zero-filled in it). The evidence is a key of
//! the snapshot, or, in older rounds, a line of its own with the same `stop_seq`. What names other parties than the stop
//! is another stop's and is not used. Radians; a sliding joint in metres.

use crate::adjudication::party;
use crate::rounds::deploy_log::StopLine;
use crate::rounds::error::shown;
use crate::rounds::json;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Where the predicted state stands.
pub const PREDICTED_FIELD: &str = "collision_evidence.joint_positions_rad";
/// Where the measured state stands.
pub const MEASURED_FIELD: &str = "robot_joint_state";

/// Whose state it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateSource {
    /// The safety kernel's, on which the check tripped.
    Predicted,
    /// The simulator's, after the stop.
    Measured,
}

impl StateSource {
    /// As printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Predicted => "predicted",
            Self::Measured => "measured",
        }
    }

    /// The field it is read from.
    pub fn field(self) -> &'static str {
        match self {
            Self::Predicted => PREDICTED_FIELD,
            Self::Measured => MEASURED_FIELD,
        }
    }
}

/// Positions of named joints.
#[derive(Clone, Debug, PartialEq)]
pub struct JointState {
    /// Whose.
    pub source: StateSource,
    /// Names and positions in the recorded order, rad or m; all finite.
    pub joints: Vec<(String, f64)>,
}

impl JointState {
    /// Positions by the recorded name and by the simulator's (`panda_joint1`: `robot0_joint1`).
    pub fn positions(&self) -> BTreeMap<String, f64> {
        let both =
            |(name, value): &(String, f64)| [(party::simulator_name(name), *value), (name.clone(), *value)];
        self.joints.iter().flat_map(both).collect()
    }
}

/// Why a state is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateFault {
    /// No snapshot to look in.
    #[error("no snapshot was recorded for this stop")]
    NoSnapshot,
    /// The field is missing or null.
    #[error("`{field}` is not on record")]
    NotRecorded {
        /// The field.
        field: &'static str,
    },
    /// Positions without names, and nothing that names them.
    #[error(
        "`{PREDICTED_FIELD}` has positions without names, and `{MEASURED_FIELD}.name` does not name them"
    )]
    NoNames,
    /// Positions and names do not go together.
    #[error("`{field}`: {names} names for {positions} positions")]
    Length {
        /// The field.
        field: &'static str,
        /// How many names.
        names: usize,
        /// How many positions.
        positions: usize,
    },
    /// Something in it is not what it must be.
    #[error("`{field}`: expected {expected}, found {found}")]
    Form {
        /// The field, with the index where there is one.
        field: String,
        /// What may stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// It belongs to another stop.
    #[error("`collision_evidence` is of {found}, which is not this stop")]
    OtherStop {
        /// What it names.
        found: String,
    },
}

/// What is on record of a stop's joints.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedStates {
    /// The safety kernel's.
    pub predicted: Result<JointState, StateFault>,
    /// The simulator's.
    pub measured: Result<JointState, StateFault>,
}

/// Reads both states. `evidence` is the object of a line of its own, used where the snapshot has none.
pub fn recorded(
    stop: Option<&StopLine>,
    snapshot: Option<&Map<String, Value>>,
    evidence: Option<&Map<String, Value>>,
) -> RecordedStates {
    let measured = snapshot.ok_or(StateFault::NoSnapshot).and_then(measured);
    let predicted = collision_evidence(snapshot, evidence)
        .ok_or(StateFault::NotRecorded { field: PREDICTED_FIELD })
        .and_then(|block| predicted(block, stop, snapshot));
    RecordedStates { predicted, measured }
}

/// The safety kernel's account of the stop: of the snapshot, else of a line of its own.
pub fn collision_evidence<'a>(
    snapshot: Option<&'a Map<String, Value>>,
    evidence: Option<&'a Map<String, Value>>,
) -> Option<&'a Map<String, Value>> {
    let block = |object: &'a Map<String, Value>| object.get("collision_evidence").and_then(Value::as_object);
    let own = evidence.filter(|line| snapshot.is_none_or(|s| s.get("stop_seq") == line.get("stop_seq")));
    snapshot.and_then(block).or_else(|| own.and_then(block))
}

/// The stop as that account tells it, for a log without the kernel's own line; line 0.
pub fn stop_of_evidence(block: &Map<String, Value>) -> Option<StopLine> {
    let text = |key: &str| json::text(block.get(key)).map(str::to_owned);
    Some(StopLine {
        line: 0,
        kind: text("collision_kind")?,
        party_a: text("link_a")?,
        party_b: text("link_b_or_object")?,
        horizon_step: json::integer(block.get("horizon_step"))?,
        min_distance_m: block.get("min_distance_m").and_then(Value::as_f64)?,
        sweep_min_distance_m: None,
        place_allowance_active: false,
        place_target: String::new(),
        depth_is_box_bound: false,
    })
}

fn measured(snapshot: &Map<String, Value>) -> Result<JointState, StateFault> {
    let source = StateSource::Measured;
    let state = match snapshot.get(MEASURED_FIELD) {
        None | Some(Value::Null) => return Err(StateFault::NotRecorded { field: MEASURED_FIELD }),
        Some(Value::Object(state)) => state,
        Some(other) => return Err(form(MEASURED_FIELD, "an object", other)),
    };
    let names = names(state)?.ok_or(StateFault::NotRecorded { field: "robot_joint_state.name" })?;
    let positions = positions(state.get("position"), "robot_joint_state.position")?;
    joined(source, names, positions)
}

fn predicted(
    block: &Map<String, Value>,
    stop: Option<&StopLine>,
    snapshot: Option<&Map<String, Value>>,
) -> Result<JointState, StateFault> {
    let named = |key: &str| json::text(block.get(key)).unwrap_or_default();
    let (a, b) = (named("link_a"), named("link_b_or_object"));
    if stop.is_some_and(|stop| stop.party_a != a || stop.party_b != b) {
        return Err(StateFault::OtherStop { found: format!("'{a}' and '{b}'") });
    }
    let positions = positions(block.get("joint_positions_rad"), PREDICTED_FIELD)?;
    let state = snapshot.and_then(|s| s.get(MEASURED_FIELD)).and_then(Value::as_object);
    let names = state.map(names).transpose()?.flatten().ok_or(StateFault::NoNames)?;
    joined(StateSource::Predicted, names, positions)
}

fn joined(source: StateSource, names: Vec<String>, positions: Vec<f64>) -> Result<JointState, StateFault> {
    if names.len() != positions.len() {
        let (names, positions) = (names.len(), positions.len());
        return Err(StateFault::Length { field: source.field(), names, positions });
    }
    Ok(JointState { source, joints: names.into_iter().zip(positions).collect() })
}

/// The names, each once; `None` where there are none.
fn names(state: &Map<String, Value>) -> Result<Option<Vec<String>>, StateFault> {
    const FIELD: &str = "robot_joint_state.name";
    let items = match state.get("name") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(items)) => items,
        Some(other) => return Err(form(FIELD, "a list of names", other)),
    };
    let mut names: Vec<String> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match json::text(Some(item)) {
            Some(name) if !names.iter().any(|known| known == name) => names.push(name.to_owned()),
            _ => return Err(form(format!("{FIELD}[{index}]"), "a name that no other joint has", item)),
        }
    }
    Ok(Some(names))
}

fn positions(value: Option<&Value>, field: &'static str) -> Result<Vec<f64>, StateFault> {
    let items = match value {
        None | Some(Value::Null) => return Err(StateFault::NotRecorded { field }),
        Some(Value::Array(items)) => items,
        Some(other) => return Err(form(field, "a list of positions", other)),
    };
    // A number that JSON does not have was decoded to a text, so it is none here either.
    let number = |(index, item): (usize, &Value)| {
        let finite = item.as_f64().filter(|x| x.is_finite());
        finite.ok_or_else(|| form(format!("{field}[{index}]"), "a finite number", item))
    };
    items.iter().enumerate().map(number).collect()
}

fn form(field: impl Into<String>, expected: &'static str, found: &Value) -> StateFault {
    StateFault::Form { field: field.into(), expected, found: shown(found) }
}
