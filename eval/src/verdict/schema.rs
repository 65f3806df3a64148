//! `verdicts.json` and `metadata.json`, field for field.
//!
//! Reference page, section 12; field order is the order on disk. Objects keep keys they do not know and write them
//! after their own, in input order. Lengths in metres, times in seconds.
//!
//! Every type is read through [`super::json`] alone, which names the place of what is wrong; `serde` attributes here state
//! defaults for the published schemas.

use crate::adjudication::outcome::{GroundTruthVerdict, Outcome};
use indexmap::IndexMap;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value};

/// Version of both documents.
pub const SCHEMA_VERSION: &str = "0.1";

fn schema_version() -> String {
    SCHEMA_VERSION.to_owned()
}

fn one() -> i64 {
    1
}

fn yes() -> bool {
    true
}

fn default_stem() -> String {
    "run".to_owned()
}

/// `worktree_clean` must be there, though it may be null: nobody knows is an answer, silence is not.
fn require_worktree_clean(schema: &mut Schema) {
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.push(Value::from("worktree_clean"));
    }
}

/// A round's verdicts: the document `verdicts.json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[doc(alias = "ValidationRoundVerdicts")]
pub struct RoundVerdicts {
    /// Version of the document.
    #[serde(default = "schema_version")]
    pub schema_version: String,
    /// What ran, on what, from what.
    pub metadata: RoundMetadata,
    /// One verdict a scene, in matrix order.
    #[serde(default)]
    pub scenes: Vec<SceneVerdict>,
    /// Keys this version does not know, and `rule_set`.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What ran, on what, from what: the document `metadata.json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[doc(alias = "ValidationRoundMetadata")]
#[schemars(transform = require_worktree_clean)]
pub struct RoundMetadata {
    /// Name of the round.
    pub round_id: String,
    /// Start, ISO 8601 with offset.
    pub started_at: String,
    /// Host name, or empty.
    #[serde(default)]
    pub host: String,
    /// Commit that was run.
    pub executed_sha: String,
    /// The checkout had no local changes; null when nobody knows.
    pub worktree_clean: Option<bool>,
    /// Modification time of the built overlay, ns since the epoch.
    #[serde(default)]
    pub overlay_built_at_ns: Option<i64>,
    /// Launcher that was run, or empty.
    #[serde(default)]
    pub launcher_path: String,
    /// Checkout that was run, or empty.
    #[serde(default)]
    pub repo_root: String,
    /// Robot manifest, where one was named.
    #[serde(default)]
    pub robot_manifest_path: Option<String>,
    /// Robot, where one was named.
    #[serde(default)]
    pub robot_id: Option<String>,
    /// Dependency groups of the environment.
    #[serde(default)]
    pub sync_groups: Vec<String>,
    /// Arguments that pin the stack.
    #[serde(default)]
    pub stack_argv: Vec<String>,
    /// No argument moved a safety knob.
    #[serde(default = "yes")]
    pub safety_overrides_absent: bool,
    /// Graded velocity band, empty when disabled.
    #[serde(default)]
    pub collision_scale: IndexMap<String, f64>,
    /// GPU, where one was found.
    #[serde(default)]
    pub gpu_name: Option<String>,
    /// ROS domain, or empty when unset.
    #[serde(default)]
    pub ros_domain_id: String,
    /// ROS discovery range, or empty when unset.
    #[serde(default)]
    pub ros_automatic_discovery_range: String,
    /// The notes beside the verdicts.
    #[serde(default)]
    pub notes_path: Option<String>,
    /// Folder of each scene where it is not the scene's key.
    #[serde(default)]
    pub scene_dirs: IndexMap<String, String>,
    /// Seed of every scene.
    #[serde(default = "one")]
    pub seed: i64,
    /// File-name prefix of the artifacts.
    #[serde(default = "default_stem")]
    pub artifact_stem: String,
    /// Where an imported round came from.
    #[serde(default)]
    pub imported_from: Option<String>,
    /// Scene settings spliced into every scene.
    #[serde(default)]
    pub scene_pins: IndexMap<String, bool>,
    /// Keys this version does not know; `rskill_id`, `scene_configs`, `octomap_resolution`, `generated` among them.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl RoundMetadata {
    /// Configuration of each scene, relative to the round or to the checkout; empty where none is recorded.
    pub fn scene_configs(&self) -> IndexMap<String, String> {
        let Some(Value::Object(map)) = self.extra.get("scene_configs") else { return IndexMap::new() };
        map.iter().filter_map(|(key, v)| Some((key.clone(), v.as_str()?.to_owned()))).collect()
    }

    /// The policy, where it is recorded.
    pub fn rskill_id(&self) -> Option<&str> {
        self.extra.get("rskill_id")?.as_str()
    }

    /// The round was made by a generator, not recorded.
    pub fn generated(&self) -> bool {
        // Whoever writes the key means it: only a clear no, or nothing at all, makes a round recorded.
        !matches!(self.extra.get("generated"), None | Some(Value::Null | Value::Bool(false)))
    }
}

/// One scene's verdict.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[doc(alias = "ValidationSceneVerdict")]
pub struct SceneVerdict {
    /// Key of the scene.
    pub scene: String,
    /// Scene configuration that ran.
    pub config_path: String,
    /// SHA-256 of that file, lowercase hex.
    #[serde(default)]
    pub config_sha256: Option<String>,
    /// Seed.
    pub seed: i64,
    /// Prompt given to the policy.
    #[serde(default)]
    pub prompt: String,
    /// Policy.
    #[serde(default)]
    pub rskill_id: String,
    /// What the scene came to.
    pub outcome: Outcome,
    /// The task was in success at the end.
    #[serde(default)]
    pub task_success_final: Option<bool>,
    /// The task was in success at any time.
    #[serde(default)]
    pub task_success_ever: Option<bool>,
    /// Simulator steps; not comparable between rounds.
    #[serde(default)]
    pub task_success_steps: Option<i64>,
    /// Changes of the success state.
    #[serde(default)]
    pub task_success_transitions: Option<i64>,
    /// The safety kernel's stop.
    #[serde(default)]
    pub stop: Option<StopEvidence>,
    /// What ground truth says about it.
    #[serde(default)]
    pub ground_truth: Option<GroundTruthAdjudication>,
    /// Attachment, witness, place and allowance.
    #[serde(default)]
    pub witness: WitnessTimeline,
    /// Records the monitor received; null without a monitor file.
    #[serde(default)]
    pub monitor_records: Option<i64>,
    /// Why the dispatcher says the goal ended.
    #[serde(default)]
    pub dispatch_failure_reason: String,
    /// Duration of the goal, s.
    #[serde(default)]
    pub wall_s: Option<f64>,
    /// Files the verdict was made from, relative to the round.
    #[serde(default)]
    pub artifacts: IndexMap<String, String>,
    /// Why the run is void, or empty.
    #[serde(default)]
    pub harness_error_reason: String,
    /// Keys this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The safety kernel's stop, transcribed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[doc(alias = "ValidationStopEvidence")]
pub struct StopEvidence {
    /// `world` or `self`.
    pub kind: String,
    /// First party.
    pub party_a: String,
    /// Second party.
    pub party_b: String,
    /// -1 measured state, 0.. predicted step.
    pub horizon_step: i64,
    /// Distance the kernel reported, m; negative is inside.
    pub min_distance_m: f64,
    /// Deepest distance of the sweep, exempted cells included, m.
    #[serde(default)]
    pub sweep_min_distance_m: Option<f64>,
    /// A place allowance was live.
    #[serde(default)]
    pub place_allowance_active: bool,
    /// Its target, or empty.
    #[serde(default)]
    pub place_target: String,
    /// The distance is a bound of the boxes, not of the hulls.
    #[serde(default)]
    pub depth_is_box_bound: bool,
    /// Keys this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What ground truth says about a stop.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[doc(alias = "ValidationGroundTruthAdjudication")]
pub struct GroundTruthAdjudication {
    /// The verdict.
    pub verdict: GroundTruthVerdict,
    /// Class the simulator gave the stop.
    #[serde(default)]
    pub stop_class: Option<String>,
    /// Simulated time of the snapshot, s.
    #[serde(default)]
    pub sim_time_s: Option<f64>,
    /// Edge of a voxel, m.
    #[serde(default)]
    pub grid_resolution_m: Option<f64>,
    /// Half the voxel's body diagonal, m.
    #[serde(default)]
    pub quantization_budget_m: Option<f64>,
    /// Gap budget that was applied, m.
    #[serde(default)]
    pub admissible_gap_m: Option<f64>,
    /// `hal-adjudication-budget`, `grid-quantization`, `robot-file` (of a replay) or empty.
    #[serde(default)]
    pub budget_source: String,
    /// Both sides of the probe are attested solid.
    #[serde(default)]
    pub probe_collidability_filtered: Option<bool>,
    /// Every distance of the probe is attested certified.
    #[serde(default)]
    pub probe_distance_certified: Option<bool>,
    /// Why nobody can say, or empty.
    #[serde(default)]
    pub unadjudicated_reason: String,
    /// Nearest pair of all probes that count, m.
    #[serde(default)]
    pub nearest_any_m: Option<f64>,
    /// Nearest pair of the tripping party, m.
    #[serde(default)]
    pub nearest_tripping_party_m: Option<f64>,
    /// The pair behind `nearest_any_m`, as recorded.
    #[serde(default)]
    pub nearest_pair: Map<String, Value>,
    /// Nearest distance (or its lower bound) less what the kernel reported, m.
    #[serde(default)]
    pub discrepancy_m: Option<f64>,
    /// Pairs the probe measured.
    #[serde(default)]
    pub probed_pairs: Option<i64>,
    /// The probe was cut short.
    #[serde(default)]
    pub probe_truncated: Option<bool>,
    /// Range of the probe, m.
    #[serde(default)]
    pub distmax_m: Option<f64>,
    /// Contacts of the payload, counted; they decide nothing.
    #[serde(default)]
    pub payload_contacts: Option<i64>,
    /// Keys this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Attachment, support witness, place region and allowance of one scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[doc(alias = "ValidationWitnessTimeline")]
#[serde(default)]
pub struct WitnessTimeline {
    /// First attachment, s since the monitor started.
    pub attach_t_s: Option<f64>,
    /// First detachment, s since the monitor started.
    pub detach_t_s: Option<f64>,
    /// Last support that a carried object was in contact with.
    pub support_id: Option<String>,
    /// Lines in which a support witness was armed.
    pub kernel_witness_armed: i64,
    /// Lines in which it was separated.
    pub kernel_witness_separated: i64,
    /// A place declaration with a region was seen.
    pub place_declaration_seen: bool,
    /// A place region was armed.
    pub place_region_armed: bool,
    /// Lines with a live allowance.
    pub place_allowance_active_lines: i64,
    /// Keys this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What changed from one round to another: the document that `diff --out` writes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[doc(alias = "ValidationRoundDiff")]
pub struct RoundDiff {
    /// Version of the document.
    #[serde(default = "schema_version")]
    pub schema_version: String,
    /// The new round.
    pub round_id: String,
    /// The round it is compared with.
    pub baseline_round_id: String,
    /// Commit of the new round.
    pub executed_sha: String,
    /// Commit of the baseline.
    pub baseline_executed_sha: String,
    /// Seed of the new round.
    #[serde(default)]
    pub seed: Option<i64>,
    /// Seed of the baseline.
    #[serde(default)]
    pub baseline_seed: Option<i64>,
    /// Scenes of the new round in its order, then those of the baseline only.
    #[serde(default)]
    pub scenes: Vec<SceneDelta>,
    /// ROS domain of both rounds.
    #[serde(default)]
    pub ros_domain_id: Setting,
    /// ROS discovery range of both rounds.
    #[serde(default)]
    pub ros_automatic_discovery_range: Setting,
    /// Rules that the verdicts of both rounds follow.
    #[serde(default)]
    pub rule_set: Setting,
    /// Where each scene's gap budget came from, for scenes with ground truth on either side.
    #[serde(default)]
    pub budget_sources: IndexMap<String, Setting>,
    /// Compared fields that differ between runs of the same thing.
    #[serde(default)]
    pub not_comparable: Vec<String>,
    /// Keys this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What changed in one scene.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[doc(alias = "ValidationSceneDelta")]
pub struct SceneDelta {
    /// Key of the scene.
    pub scene: String,
    /// Outcome in the baseline; null where it lacks the scene.
    #[serde(default)]
    pub baseline_outcome: Option<Outcome>,
    /// Outcome in the new round; null where it lacks the scene.
    #[serde(default)]
    pub outcome: Option<Outcome>,
    /// The outcomes differ, or one side lacks the scene.
    #[serde(default)]
    pub changed: bool,
    /// Evidence that moved, by field.
    #[serde(default)]
    pub changed_fields: IndexMap<String, FieldChange>,
    /// Keys this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A value before and after.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FieldChange {
    /// In the baseline.
    pub from: Value,
    /// In the new round.
    pub to: Value,
}

/// A setting of both rounds; null where a round does not record it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(default)]
pub struct Setting {
    /// In the baseline.
    pub from: Option<String>,
    /// In the new round.
    pub to: Option<String>,
    /// The two differ; a value that is not recorded differs from every recorded one.
    pub changed: bool,
}

impl RoundDiff {
    /// Both rounds ran one commit.
    pub fn same_sha(&self) -> bool {
        self.executed_sha == self.baseline_executed_sha
    }

    /// Both rounds ran one seed, which decides the scenes' initial configurations.
    pub fn same_seed(&self) -> bool {
        self.seed == self.baseline_seed
    }

    /// The same thing ran twice: equal commit and equal seed.
    pub fn is_reproducibility(&self) -> bool {
        self.same_sha() && self.same_seed()
    }

    /// Scenes whose outcome changed, or that one side lacks.
    pub fn changed_scenes(&self) -> impl Iterator<Item = &str> {
        self.scenes.iter().filter(|s| s.changed).map(|s| s.scene.as_str())
    }
}
