//! The columns of the ledger, each written once.
//!
//! From this table come the fields of [`Row`], the schema of the Parquet file, the header of the CSV file and the table
//! in `docs/ledger.md`. Every column may be null, and null is the only way to say nothing: a text that would be empty is
//! null. Lengths are metres, times seconds, as the names say.

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Words.
    Text,
    /// A whole number, 64 bits.
    Int,
    /// A double; never NaN or infinite.
    Float,
    /// Yes or no.
    Bool,
}

impl Kind {
    /// As the documentation says it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Int => "integer",
            Self::Float => "double",
            Self::Bool => "boolean",
        }
    }
}

/// The value of one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Nothing is known.
    Null,
    /// Words.
    Text(&'a str),
    /// A whole number.
    Int(i64),
    /// A double.
    Float(f64),
    /// Yes or no.
    Bool(bool),
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What it says.
    pub doc: &'static str,
    /// Its cell in a row.
    pub of: fn(&Row) -> Value<'_>,
}

macro_rules! columns {
    (@type Text) => { String };
    (@type Int) => { i64 };
    (@type Float) => { f64 };
    (@type Bool) => { bool };
    (@value Text $cell:expr) => { $cell.as_deref().map_or(Value::Null, Value::Text) };
    (@value Int $cell:expr) => { $cell.map_or(Value::Null, Value::Int) };
    (@value Float $cell:expr) => { $cell.map_or(Value::Null, Value::Float) };
    (@value Bool $cell:expr) => { $cell.map_or(Value::Null, Value::Bool) };
    ($(#[doc = $doc:literal] $name:ident: $kind:ident,)+) => {
        /// One scene under one rule set; or one scene, or one round, that cannot be judged.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Row {
            $(
                #[doc = $doc]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $name: Option<columns!(@type $kind)>,
            )+
        }

        /// Every column, in order.
        pub const COLUMNS: &[Column] = &[
            $(Column {
                name: stringify!($name),
                kind: Kind::$kind,
                doc: $doc,
                of: |row| columns!(@value $kind row.$name),
            },)+
        ];
    };
}

columns! {
    /// The round's folder as it was found, with `/`.
    round_path: Text,
    /// Name of the round.
    round_id: Text,
    /// Scene key; null where a whole round is damaged.
    scene: Text,
    /// `judged` or `damaged`.
    status: Text,
    /// Why nothing could be judged.
    damage: Text,
    /// `documented` or `extended`; null where nothing was judged.
    rule_set: Text,
    /// Version of the tool.
    tool_version: Text,
    /// The round was made by a generator: its rows are no evidence. Null where nobody knows.
    generated: Bool,
    /// Where the round's facts were read: `metadata.json`, `verdicts.json` or `assumed`.
    metadata_source: Text,
    /// Evidence that the round's own files lack was taken from its `verdicts.json`.
    completed_from_recorded: Bool,
    /// Start, ISO 8601.
    started_at: Text,
    /// Host.
    host: Text,
    /// Commit that was run.
    executed_sha: Text,
    /// The checkout had no local changes; null when nobody knows.
    worktree_clean: Bool,
    /// Robot.
    robot_id: Text,
    /// GPU.
    gpu_name: Text,
    /// Seed.
    seed: Int,
    /// Policy; the default one where none is recorded.
    rskill_id: Text,
    /// File-name prefix of the artifacts.
    artifact_stem: Text,
    /// ROS domain; `unset` where the round records that there was none, null where it does not say.
    ros_domain_id: Text,
    /// ROS discovery range; `unset` and null as above.
    ros_automatic_discovery_range: Text,
    /// Folder of the scene, relative to the round.
    scene_folder: Text,
    /// Scene configuration.
    config_path: Text,
    /// SHA-256 of that file.
    config_sha256: Text,
    /// What the scene came to.
    outcome: Text,
    /// Which condition decided that: row of section 7 and the condition.
    outcome_rule: Text,
    /// The task was in success at the end.
    task_success_final: Bool,
    /// The task was in success at any time.
    task_success_ever: Bool,
    /// Simulator steps; not comparable between rounds.
    task_success_steps: Int,
    /// Changes of the success state.
    task_success_transitions: Int,
    /// `world` or `self`.
    stop_kind: Text,
    /// First party of the stop.
    party_a: Text,
    /// Second party of the stop.
    party_b: Text,
    /// -1 measured state, 0.. predicted step.
    horizon_step: Int,
    /// Distance the safety kernel reported, m; negative is inside.
    min_distance_m: Float,
    /// Deepest distance of the sweep, exempted cells included, m.
    sweep_min_distance_m: Float,
    /// A place allowance was live.
    place_allowance_active: Bool,
    /// Its target.
    place_target: Text,
    /// The reported distance bounds boxes, not hulls.
    depth_is_box_bound: Bool,
    /// A deeper cell was exempted at the stop; null without a stop or a sweep.
    exemption_active: Bool,
    /// A party of the stop is the carried object.
    involves_payload: Bool,
    /// Which two things the stop compared.
    comparison: Text,
    /// List of pairs that answered.
    pair_set: Text,
    /// What ground truth says about the stop.
    gt_verdict: Text,
    /// Rung of the ladder that decided, before any withdrawal.
    rung: Text,
    /// Ids of the reasons why nobody can say, joined by `+`.
    reason_ids: Text,
    /// The same in words.
    unadjudicated_reason: Text,
    /// Class the simulator gave the stop.
    stop_class: Text,
    /// Simulated time of the snapshot, s.
    sim_time_s: Float,
    /// Edge of a voxel, m.
    grid_resolution_m: Float,
    /// Half the voxel's body diagonal, m.
    quantization_budget_m: Float,
    /// Gap budget that was applied, m.
    admissible_gap_m: Float,
    /// Where the budget comes from.
    budget_source: Text,
    /// How the budget was arrived at: section and a few words.
    budget_rule: Text,
    /// Both sides of the probe are attested solid.
    filtered: Bool,
    /// Every distance of the probe is attested certified.
    certified: Bool,
    /// Nearest pair of all probes that count, m.
    nearest_any_m: Float,
    /// First body of that pair.
    nearest_body_a: Text,
    /// Second body of that pair.
    nearest_body_b: Text,
    /// First geom of that pair.
    nearest_geom_a: Text,
    /// Second geom of that pair.
    nearest_geom_b: Text,
    /// Nearest pair of the tripping party, m.
    nearest_tripping_party_m: Float,
    /// Nearest distance, or its lower bound, less what the safety kernel reported, m.
    discrepancy_m: Float,
    /// What was compared with its threshold: `discrepancy_m` or `nearest_any_m`.
    margin_quantity: Text,
    /// Threshold less that quantity, m.
    margin_m: Float,
    /// Pairs the probe measured.
    probed_pairs: Int,
    /// The probe was cut short.
    probe_truncated: Bool,
    /// Range of the probe, m.
    distmax_m: Float,
    /// Contacts of the payload, counted; they decide nothing.
    payload_contacts: Int,
    /// The pair in contact has a party of the stop; null when contact did not decide.
    contact_involves_tripping_party: Bool,
    /// First attachment, s since the monitor started.
    attach_t_s: Float,
    /// First detachment, s since the monitor started.
    detach_t_s: Float,
    /// Last support that a carried object was in contact with.
    support_id: Text,
    /// Lines in which a support witness was armed.
    kernel_witness_armed: Int,
    /// Lines in which it was separated.
    kernel_witness_separated: Int,
    /// A place declaration with a region was seen.
    place_declaration_seen: Bool,
    /// A place region was armed.
    place_region_armed: Bool,
    /// Lines with a live allowance.
    place_allowance_active_lines: Int,
    /// Records the monitor received; null without a monitor file.
    monitor_records: Int,
    /// Why the dispatcher says the goal ended.
    dispatch_failure_reason: Text,
    /// Action chunks that were delivered.
    delivered_chunks: Int,
    /// Duration of the goal, s.
    wall_s: Float,
    /// Which way the run was void: F1 to F6 or `goal`.
    harness_error_cause: Text,
    /// Why the run was void.
    harness_error_reason: Text,
    /// What a reader should know that changes no verdict, joined by `; `.
    findings: Text,
    /// Lines of the evidence that were skipped.
    lines_skipped: Int,
    /// Kitchen layout that was composed.
    effective_layout_id: Int,
    /// Kitchen style that was composed.
    effective_style_id: Int,
    /// SHA-256 of `metadata.json`.
    metadata_sha256: Text,
    /// Which deploy log was read, such as `deploy.log` or `deploy_excerpt.log`.
    deploy_log_file: Text,
    /// SHA-256 of the deploy log or its excerpt.
    deploy_log_sha256: Text,
    /// Its length, bytes.
    deploy_log_bytes: Int,
    /// SHA-256 of the monitor stream.
    monitor_sha256: Text,
    /// SHA-256 of the goal log.
    goal_sha256: Text,
    /// SHA-256 of the marker of a graph that never came up.
    launch_failed_sha256: Text,
    /// Outcome in the round's own `verdicts.json`.
    recorded_outcome: Text,
    /// Verdict of ground truth there.
    recorded_gt_verdict: Text,
    /// Outcome or verdict differ from the recorded ones; null when nothing is recorded.
    changed: Bool,
}

/// The columns as a Markdown table.
pub fn markdown() -> String {
    let mut text = "| column | type | what it says |\n| --- | --- | --- |\n".to_owned();
    for column in COLUMNS {
        let _ = writeln!(text, "| `{}` | {} | {} |", column.name, column.kind.name(), column.doc.trim());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_column_has_one_name_and_says_what_it_holds() {
        let names: BTreeSet<_> = COLUMNS.iter().map(|column| column.name).collect();
        assert_eq!(names.len(), COLUMNS.len());
        for column in COLUMNS {
            let unit = column.name.ends_with("_m") || column.name.ends_with("_s");
            assert_eq!(column.kind == Kind::Float, unit, "{}", column.name);
            assert!(column.doc.trim().ends_with('.'), "{}", column.name);
        }
    }

    #[test]
    fn a_cell_is_what_the_field_of_its_name_holds() {
        let row = Row { scene: Some("fridge".to_owned()), seed: Some(3), ..Row::default() };
        let cell = |name: &str| COLUMNS.iter().find(|c| c.name == name).map(|c| (c.of)(&row));
        assert_eq!(cell("scene"), Some(Value::Text("fridge")));
        assert_eq!(cell("seed"), Some(Value::Int(3)));
        assert_eq!(cell("wall_s"), Some(Value::Null));
    }

    #[test]
    fn the_documented_table_is_this_one() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/ledger.md");
        let page = std::fs::read_to_string(page).unwrap();
        assert!(page.contains(&markdown()), "docs/ledger.md should hold:\n{}", markdown());
    }
}
