//! The documents' types out of parsed JSON, field by field.
//!
//! Reference page, section 12: which keys must be there and what the others default to. `serde` is given the same
//! reader, so that no second set of rules exists.

use super::fields::{Fields, FromJson, Place, Wrong, wrong};
use super::schema::{
    FieldChange, GroundTruthAdjudication, RoundDiff, RoundMetadata, RoundVerdicts, SCHEMA_VERSION,
    SceneDelta, SceneVerdict, Setting, StopEvidence, WitnessTimeline,
};
use crate::adjudication::outcome::{GroundTruthVerdict, Outcome};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// `serde` reads by the same rules.
macro_rules! deserialize {
    ($($type:ty),+) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = Value::deserialize(deserializer)?;
                Self::from_json(value, Place::Document).map_err(D::Error::custom)
            }
        }
    )+};
}

deserialize!(
    RoundVerdicts,
    RoundMetadata,
    SceneVerdict,
    StopEvidence,
    GroundTruthAdjudication,
    WitnessTimeline,
    RoundDiff,
    SceneDelta,
    FieldChange,
    Setting
);

fn version() -> String {
    SCHEMA_VERSION.to_owned()
}

impl FromJson for Outcome {
    const EXPECTED: &'static str = "one of the nine outcomes";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        let name = value.as_str().unwrap_or_default();
        Self::ALL.into_iter().find(|o| o.name() == name).ok_or_else(|| wrong::<Self>(&value, place))
    }
}

impl FromJson for GroundTruthVerdict {
    const EXPECTED: &'static str = "real-contact, false-positive, within-quantization or unadjudicated";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        let name = value.as_str().unwrap_or_default();
        [Self::RealContact, Self::FalsePositive, Self::WithinQuantization, Self::Unadjudicated]
            .into_iter()
            .find(|v| v.name() == name)
            .ok_or_else(|| wrong::<Self>(&value, place))
    }
}

impl FromJson for RoundVerdicts {
    const EXPECTED: &'static str = "an object, the verdicts of a round";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        let mut f = Fields::of::<Self>(value, place)?;
        Ok(Self {
            schema_version: f.or("schema_version", version)?,
            metadata: f.required("metadata")?,
            scenes: f.or_default("scenes")?,
            extra: f.rest(),
        })
    }
}

impl FromJson for RoundMetadata {
    const EXPECTED: &'static str = "an object, the metadata of a round";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        let mut f = Fields::of::<Self>(value, place)?;
        Ok(Self {
            round_id: f.required("round_id")?,
            started_at: f.required("started_at")?,
            host: f.or_default("host")?,
            executed_sha: f.required("executed_sha")?,
            worktree_clean: f.required("worktree_clean")?,
            overlay_built_at_ns: f.or_default("overlay_built_at_ns")?,
            launcher_path: f.or_default("launcher_path")?,
            repo_root: f.or_default("repo_root")?,
            robot_manifest_path: f.or_default("robot_manifest_path")?,
            robot_id: f.or_default("robot_id")?,
            sync_groups: f.or_default("sync_groups")?,
            stack_argv: f.or_default("stack_argv")?,
            safety_overrides_absent: f.or("safety_overrides_absent", || true)?,
            collision_scale: f.or_default("collision_scale")?,
            gpu_name: f.or_default("gpu_name")?,
            ros_domain_id: f.or_default("ros_domain_id")?,
            ros_automatic_discovery_range: f.or_default("ros_automatic_discovery_range")?,
            notes_path: f.or_default("notes_path")?,
            scene_dirs: f.or_default("scene_dirs")?,
            seed: f.or("seed", || 1)?,
            artifact_stem: f.or("artifact_stem", || "run".to_owned())?,
            imported_from: f.or_default("imported_from")?,
            scene_pins: f.or_default("scene_pins")?,
            extra: f.rest(),
        })
    }
}

impl FromJson for SceneVerdict {
    const EXPECTED: &'static str = "an object, the verdict of a scene";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        let mut f = Fields::of::<Self>(value, place)?;
        Ok(Self {
            scene: f.required("scene")?,
            config_path: f.required("config_path")?,
            config_sha256: f.or_default("config_sha256")?,
            seed: f.required("seed")?,
            prompt: f.or_default("prompt")?,
            rskill_id: f.or_default("rskill_id")?,
            outcome: f.required("outcome")?,
            task_success_final: f.or_default("task_success_final")?,
            task_success_ever: f.or_default("task_success_ever")?,
            task_success_steps: f.or_default("task_success_steps")?,
            task_success_transitions: f.or_default("task_success_transitions")?,
            stop: f.or_default("stop")?,
            ground_truth: f.or_default("ground_truth")?,
            witness: f.or_default("witness")?,
            monitor_records: f.or_default("monitor_records")?,
            dispatch_failure_reason: f.or_default("dispatch_failure_reason")?,
            wall_s: f.or_default("wall_s")?,
            artifacts: f.or_default("artifacts")?,
            harness_error_reason: f.or_default("harness_error_reason")?,
            extra: f.rest(),
        })
    }
}

impl FromJson for StopEvidence {
    const EXPECTED: &'static str = "an object, the evidence of a stop";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        let mut f = Fields::of::<Self>(value, place)?;
        Ok(Self {
            kind: f.required("kind")?,
            party_a: f.required("party_a")?,
            party_b: f.required("party_b")?,
            horizon_step: f.required("horizon_step")?,
            min_distance_m: f.required("min_distance_m")?,
            sweep_min_distance_m: f.or_default("sweep_min_distance_m")?,
            place_allowance_active: f.or_default("place_allowance_active")?,
            place_target: f.or_default("place_target")?,
            depth_is_box_bound: f.or_default("depth_is_box_bound")?,
            extra: f.rest(),
        })
    }
}

impl FromJson for GroundTruthAdjudication {
    const EXPECTED: &'static str = "an object, the adjudication of a stop";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        let mut f = Fields::of::<Self>(value, place)?;
        Ok(Self {
            verdict: f.required("verdict")?,
            stop_class: f.or_default("stop_class")?,
            sim_time_s: f.or_default("sim_time_s")?,
            grid_resolution_m: f.or_default("grid_resolution_m")?,
            quantization_budget_m: f.or_default("quantization_budget_m")?,
            admissible_gap_m: f.or_default("admissible_gap_m")?,
            budget_source: f.or_default("budget_source")?,
            probe_collidability_filtered: f.or_default("probe_collidability_filtered")?,
            probe_distance_certified: f.or_default("probe_distance_certified")?,
            unadjudicated_reason: f.or_default("unadjudicated_reason")?,
            nearest_any_m: f.or_default("nearest_any_m")?,
            nearest_tripping_party_m: f.or_default("nearest_tripping_party_m")?,
            nearest_pair: f.or_default("nearest_pair")?,
            discrepancy_m: f.or_default("discrepancy_m")?,
            probed_pairs: f.or_default("probed_pairs")?,
            probe_truncated: f.or_default("probe_truncated")?,
            distmax_m: f.or_default("distmax_m")?,
            payload_contacts: f.or_default("payload_contacts")?,
            extra: f.rest(),
        })
    }
}

impl FromJson for WitnessTimeline {
    const EXPECTED: &'static str = "an object, the witness timeline of a scene";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        let mut f = Fields::of::<Self>(value, place)?;
        Ok(Self {
            attach_t_s: f.or_default("attach_t_s")?,
            detach_t_s: f.or_default("detach_t_s")?,
            support_id: f.or_default("support_id")?,
            kernel_witness_armed: f.or_default("kernel_witness_armed")?,
            kernel_witness_separated: f.or_default("kernel_witness_separated")?,
            place_declaration_seen: f.or_default("place_declaration_seen")?,
            place_region_armed: f.or_default("place_region_armed")?,
            place_allowance_active_lines: f.or_default("place_allowance_active_lines")?,
            extra: f.rest(),
        })
    }
}

impl FromJson for RoundDiff {
    const EXPECTED: &'static str = "an object, the difference of two rounds";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        let mut f = Fields::of::<Self>(value, place)?;
        Ok(Self {
            schema_version: f.or("schema_version", version)?,
            round_id: f.required("round_id")?,
            baseline_round_id: f.required("baseline_round_id")?,
            executed_sha: f.required("executed_sha")?,
            baseline_executed_sha: f.required("baseline_executed_sha")?,
            seed: f.or_default("seed")?,
            baseline_seed: f.or_default("baseline_seed")?,
            scenes: f.or_default("scenes")?,
            ros_domain_id: f.or_default("ros_domain_id")?,
            ros_automatic_discovery_range: f.or_default("ros_automatic_discovery_range")?,
            rule_set: f.or_default("rule_set")?,
            budget_sources: f.or_default("budget_sources")?,
            not_comparable: f.or_default("not_comparable")?,
            extra: f.rest(),
        })
    }
}

impl FromJson for SceneDelta {
    const EXPECTED: &'static str = "an object, the difference of a scene";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        let mut f = Fields::of::<Self>(value, place)?;
        Ok(Self {
            scene: f.required("scene")?,
            baseline_outcome: f.or_default("baseline_outcome")?,
            outcome: f.or_default("outcome")?,
            changed: f.or_default("changed")?,
            changed_fields: f.or_default("changed_fields")?,
            extra: f.rest(),
        })
    }
}

impl FromJson for FieldChange {
    const EXPECTED: &'static str = "an object with from and to";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        let mut f = Fields::of::<Self>(value, place)?;
        Ok(Self { from: f.required("from")?, to: f.required("to")? })
    }
}

impl FromJson for Setting {
    const EXPECTED: &'static str = "an object with from, to and changed";

    fn from_json(value: Value, place: Place<'_>) -> Result<Self, Wrong> {
        let mut f = Fields::of::<Self>(value, place)?;
        Ok(Self { from: f.or_default("from")?, to: f.or_default("to")?, changed: f.or_default("changed")? })
    }
}
