//! What changed from one round to another.
//!
//! Reference page, sections 12.7 and 13.3, D-6 and D-15. Fourteen fields of every scene that both rounds have are
//! compared with exact equality; a null parent makes a field null. A scene counts as changed when its outcome differs
//! or one side lacks it: evidence that moves under an equal outcome does not change it. Beside the scenes stand the
//! DDS scope, the rule set and each scene's budget source of both rounds.

use crate::verdict::schema::{
    FieldChange, RoundDiff, RoundVerdicts, SCHEMA_VERSION, SceneDelta, SceneVerdict, Setting,
};
use indexmap::IndexMap;
use serde_json::{Map, Value, json};

/// The field that differs between runs of the same thing, the policy being stochastic.
pub const STEPS: &str = "task_success_steps";

/// Which fields of the DDS scope a round's `metadata.json` has. Its `verdicts.json` cannot say: there an absent field
/// and an unset variable are both empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeRecorded {
    /// `ros_domain_id` is there.
    pub ros_domain_id: bool,
    /// `ros_automatic_discovery_range` is there.
    pub ros_automatic_discovery_range: bool,
}

impl ScopeRecorded {
    /// From the keys of `metadata.json`.
    pub fn of(metadata: &Map<String, Value>) -> Self {
        Self {
            ros_domain_id: metadata.contains_key("ros_domain_id"),
            ros_automatic_discovery_range: metadata.contains_key("ros_automatic_discovery_range"),
        }
    }
}

/// One side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its verdicts.
    pub verdicts: &'a RoundVerdicts,
    /// What its `metadata.json` records; None trusts the verdicts.
    pub scope: Option<ScopeRecorded>,
}

impl<'a> From<&'a RoundVerdicts> for Side<'a> {
    fn from(verdicts: &'a RoundVerdicts) -> Self {
        Self { verdicts, scope: None }
    }
}

impl Side<'_> {
    fn scene(&self, key: &str) -> Option<&SceneVerdict> {
        self.verdicts.scenes.iter().find(|s| s.scene == key)
    }

    fn domain(&self) -> Option<String> {
        let recorded = self.scope.is_none_or(|s| s.ros_domain_id);
        recorded.then(|| self.verdicts.metadata.ros_domain_id.clone())
    }

    fn range(&self) -> Option<String> {
        let recorded = self.scope.is_none_or(|s| s.ros_automatic_discovery_range);
        recorded.then(|| self.verdicts.metadata.ros_automatic_discovery_range.clone())
    }

    fn rule_set(&self) -> Option<String> {
        self.verdicts.extra.get("rule_set")?.as_str().map(str::to_owned)
    }
}

/// Compares `new` with `baseline`.
pub fn diff<'a>(new: impl Into<Side<'a>>, baseline: impl Into<Side<'a>>) -> RoundDiff {
    let (new, baseline) = (new.into(), baseline.into());
    let mut scenes: Vec<_> =
        new.verdicts.scenes.iter().map(|s| delta(&s.scene, baseline.scene(&s.scene), Some(s))).collect();
    let only_before = baseline.verdicts.scenes.iter().filter(|s| new.scene(&s.scene).is_none());
    scenes.extend(only_before.map(|s| delta(&s.scene, Some(s), None)));
    let budget_sources = scenes
        .iter()
        .filter_map(|d| {
            Some((d.scene.clone(), budget_sources(baseline.scene(&d.scene), new.scene(&d.scene))?))
        })
        .collect();
    let (before, after) = (&baseline.verdicts.metadata, &new.verdicts.metadata);
    RoundDiff {
        schema_version: SCHEMA_VERSION.to_owned(),
        round_id: after.round_id.clone(),
        baseline_round_id: before.round_id.clone(),
        executed_sha: after.executed_sha.clone(),
        baseline_executed_sha: before.executed_sha.clone(),
        seed: Some(after.seed),
        baseline_seed: Some(before.seed),
        scenes,
        ros_domain_id: setting(baseline.domain(), new.domain()),
        ros_automatic_discovery_range: setting(baseline.range(), new.range()),
        rule_set: setting(baseline.rule_set(), new.rule_set()),
        budget_sources,
        not_comparable: vec![STEPS.to_owned()],
        extra: Map::new(),
    }
}

fn setting(from: Option<String>, to: Option<String>) -> Setting {
    let changed = from != to;
    Setting { from, to, changed }
}

fn budget_sources(before: Option<&SceneVerdict>, after: Option<&SceneVerdict>) -> Option<Setting> {
    let source = |scene: Option<&SceneVerdict>| Some(scene?.ground_truth.as_ref()?.budget_source.clone());
    let (from, to) = (source(before), source(after));
    (from.is_some() || to.is_some()).then(|| setting(from, to))
}

fn delta(key: &str, before: Option<&SceneVerdict>, after: Option<&SceneVerdict>) -> SceneDelta {
    let (baseline_outcome, outcome) = (before.map(|s| s.outcome), after.map(|s| s.outcome));
    let changed_fields = match (before, after) {
        (Some(before), Some(after)) => compared(before)
            .into_iter()
            .zip(compared(after))
            .filter(|((_, from), (_, to))| from != to)
            .map(|((field, from), (_, to))| (field.to_owned(), FieldChange { from, to }))
            .collect(),
        _ => IndexMap::new(),
    };
    SceneDelta {
        scene: key.to_owned(),
        baseline_outcome,
        outcome,
        // One side without the scene has no outcome, so this covers it.
        changed: baseline_outcome != outcome,
        changed_fields,
        extra: Map::new(),
    }
}

/// The compared fields, in their order.
fn compared(scene: &SceneVerdict) -> [(&'static str, Value); 14] {
    let stop = scene.stop.as_ref();
    let truth = scene.ground_truth.as_ref();
    let witness = &scene.witness;
    [
        ("outcome", json!(scene.outcome)),
        ("task_success_final", json!(scene.task_success_final)),
        (STEPS, json!(scene.task_success_steps)),
        ("stop.party_a", json!(stop.map(|s| &s.party_a))),
        ("stop.party_b", json!(stop.map(|s| &s.party_b))),
        ("stop.horizon_step", json!(stop.map(|s| s.horizon_step))),
        ("stop.min_distance_m", json!(stop.map(|s| s.min_distance_m))),
        ("stop.sweep_min_distance_m", json!(stop.and_then(|s| s.sweep_min_distance_m))),
        ("stop.place_allowance_active", json!(stop.map(|s| s.place_allowance_active))),
        ("ground_truth.verdict", json!(truth.map(|g| g.verdict))),
        ("ground_truth.nearest_tripping_party_m", json!(truth.and_then(|g| g.nearest_tripping_party_m))),
        ("witness.kernel_witness_armed", json!(witness.kernel_witness_armed)),
        ("witness.kernel_witness_separated", json!(witness.kernel_witness_separated)),
        ("witness.place_allowance_active_lines", json!(witness.place_allowance_active_lines)),
    ]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::adjudication::outcome::Outcome;
    use crate::verdict::json::{diff_from_slice, verdicts_from_slice, write_diff};
    use proptest::prelude::*;

    pub(in crate::round_ops) const SHA: &str = "2edcf67c3b087958d475813fe19234c12e90698c";

    /// A round of the scenes that `scenes` gives as JSON.
    pub(in crate::round_ops) fn round(
        id: &str,
        sha: &str,
        seed: i64,
        scenes: impl Into<Value>,
    ) -> RoundVerdicts {
        let scenes = scenes.into();
        let document = json!({
            "metadata": {"round_id": id, "started_at": "2026-08-22T08:09:24+00:00", "executed_sha": sha,
                         "worktree_clean": null, "seed": seed},
            "scenes": scenes,
        });
        verdicts_from_slice(document.to_string().as_bytes(), "verdicts.json").unwrap()
    }

    fn scene(key: &str, outcome: &str) -> Value {
        json!({"scene": key, "config_path": "", "seed": 1, "outcome": outcome})
    }

    /// The compared fields of the recorded baguette scene of 2026-08-16; `tests/rounds/round_trip.rs` derives them anew.
    pub(in crate::round_ops) fn august_16() -> RoundVerdicts {
        let mut baguette = scene("baguette", "estop-collision-unadjudicated");
        baguette["task_success_final"] = json!(false);
        baguette["task_success_steps"] = json!(632);
        baguette["stop"] = json!({"kind": "world", "party_a": "attached:sim:obj_main", "party_b": "voxel_92208",
            "horizon_step": 0, "min_distance_m": -0.004_184_56, "sweep_min_distance_m": -0.035_533_8});
        baguette["ground_truth"] = json!({"verdict": "unadjudicated", "budget_source": "grid-quantization",
            "nearest_tripping_party_m": -0.017_412});
        baguette["witness"] = json!({"kernel_witness_armed": 2});
        round("2026-08-16-master-1", SHA, 1, json!([baguette]))
    }

    /// The same of 2026-08-22, of baguette alone in full.
    pub(in crate::round_ops) fn august_22() -> RoundVerdicts {
        let mut baguette = scene("baguette", "estop-collision-unadjudicated");
        baguette["task_success_final"] = json!(false);
        baguette["task_success_steps"] = json!(1285);
        baguette["stop"] = json!({"kind": "world", "party_a": "panda_link5", "party_b": "voxel_170781",
            "horizon_step": 0, "min_distance_m": -0.020_917_8, "sweep_min_distance_m": -0.020_917_8});
        baguette["ground_truth"] = json!({"verdict": "unadjudicated", "budget_source": "grid-quantization"});
        baguette["witness"] = json!({"kernel_witness_armed": 1, "kernel_witness_separated": 1});
        let stopped = "estop-collision-unadjudicated";
        round(
            "2026-08-22-master-1",
            SHA,
            1,
            json!([
                baguette,
                scene("sink_cup", stopped),
                scene("fridge", stopped),
                scene("utensil", stopped)
            ]),
        )
    }

    #[test]
    fn r05_equal_sha_and_seed_with_moved_evidence_is_a_reproducibility_comparison() {
        let (new, old) = (august_22(), august_16());
        let diff = diff(&new, &old);
        assert!(diff.is_reproducibility());
        let baguette = &diff.scenes[0];
        assert!(!baguette.changed);
        let moved = |field: &str| {
            (baguette.changed_fields[field].from.clone(), baguette.changed_fields[field].to.clone())
        };
        assert_eq!(moved("stop.party_a"), (json!("attached:sim:obj_main"), json!("panda_link5")));
        assert_eq!(moved("stop.min_distance_m"), (json!(-0.004_184_56), json!(-0.020_917_8)));
        assert_eq!(moved("stop.sweep_min_distance_m"), (json!(-0.035_533_8), json!(-0.020_917_8)));
        assert_eq!(moved("witness.kernel_witness_armed"), (json!(2), json!(1)));
        assert_eq!(moved("witness.kernel_witness_separated"), (json!(0), json!(1)));
        assert_eq!(moved("ground_truth.nearest_tripping_party_m"), (json!(-0.017_412), Value::Null));
        assert_eq!(
            baguette.changed_fields.keys().collect::<Vec<_>>(),
            [
                "task_success_steps",
                "stop.party_a",
                "stop.party_b",
                "stop.min_distance_m",
                "stop.sweep_min_distance_m",
                "ground_truth.nearest_tripping_party_m",
                "witness.kernel_witness_armed",
                "witness.kernel_witness_separated"
            ]
        );
        assert_eq!(diff.changed_scenes().collect::<Vec<_>>(), ["sink_cup", "fridge", "utensil"]);
        for missing in &diff.scenes[1..] {
            assert_eq!(missing.baseline_outcome, None);
            assert_eq!(missing.outcome, Some(Outcome::EstopCollisionUnadjudicated));
            assert!(missing.changed_fields.is_empty());
        }
    }

    #[test]
    fn r06_equal_sha_with_another_seed_is_no_reproducibility_comparison() {
        let (new, old) = (round("b", SHA, 1, json!([])), round("a", SHA, 2, json!([])));
        let diff = diff(&new, &old);
        assert!(diff.same_sha());
        assert!(!diff.is_reproducibility());
        assert_eq!((diff.baseline_seed, diff.seed), (Some(2), Some(1)));
    }

    #[test]
    fn r07_a_round_against_its_own_copy_changes_nothing() {
        let round = august_22();
        let diff = diff(&round, &round.clone());
        assert!(diff.is_reproducibility());
        assert_eq!(diff.changed_scenes().count(), 0);
        assert!(diff.scenes.iter().all(|s| s.changed_fields.is_empty()));
        assert_eq!(diff.scenes.len(), 4);
    }

    #[test]
    fn r08_a_difference_goes_through_json_and_comes_back_equal() {
        let (new, old) = (august_22(), august_16());
        let made = diff(&new, &old);
        let bytes = write_diff(&made);
        assert!(bytes.ends_with(b"}\n"));
        assert_eq!(diff_from_slice(&bytes, "diff.json").unwrap(), made);
        let value: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(value["not_comparable"], json!(["task_success_steps"]));
        assert_eq!(value["rule_set"], json!({"from": null, "to": null, "changed": false}));
        assert_eq!(
            value["budget_sources"],
            json!({"baguette": {"from": "grid-quantization", "to": "grid-quantization", "changed": false}})
        );
    }

    #[test]
    fn scenes_of_the_baseline_only_come_last_and_count_as_changed() {
        let new = round("b", "x", 1, json!([scene("utensil", "completed")]));
        let old = round("a", "y", 1, json!([scene("baguette", "completed"), scene("utensil", "completed")]));
        let diff = diff(&new, &old);
        let seen: Vec<_> = diff.scenes.iter().map(|s| (s.scene.as_str(), s.changed)).collect();
        assert_eq!(seen, [("utensil", false), ("baguette", true)]);
        assert_eq!(diff.scenes[1].outcome, None);
    }

    #[test]
    fn the_dds_scope_and_the_rule_set_are_compared_and_what_is_not_recorded_is_not_empty() {
        let (mut new, mut old) = (round("b", SHA, 1, json!([])), round("a", SHA, 1, json!([])));
        new.metadata.ros_domain_id = "77".to_owned();
        new.extra.insert("rule_set".to_owned(), json!("extended"));
        old.extra.insert("rule_set".to_owned(), json!("documented"));
        let plain = diff(&new, &old);
        let set = |from: Option<&str>, to: Option<&str>, changed| Setting {
            from: from.map(str::to_owned),
            to: to.map(str::to_owned),
            changed,
        };
        assert_eq!(plain.ros_domain_id, set(Some(""), Some("77"), true));
        assert_eq!(plain.ros_automatic_discovery_range, set(Some(""), Some(""), false));
        assert_eq!(plain.rule_set, set(Some("documented"), Some("extended"), true));
        let scope = ScopeRecorded::of(&Map::new());
        let aware = diff(&new, Side { verdicts: &old, scope: Some(scope) });
        assert_eq!(aware.ros_domain_id, set(None, Some("77"), true));
        assert_eq!(aware.ros_automatic_discovery_range, set(None, Some(""), true));
        let metadata = [("ros_domain_id".to_owned(), json!(""))].into_iter().collect();
        assert_eq!(
            ScopeRecorded::of(&metadata),
            ScopeRecorded { ros_domain_id: true, ros_automatic_discovery_range: false }
        );
    }

    #[test]
    fn a_negative_zero_equals_a_zero() {
        let stop = |distance: f64| {
            let mut scene = scene("fridge", "estop-collision-real");
            scene["stop"] = json!({"kind": "world", "party_a": "a", "party_b": "b", "horizon_step": 0,
                                   "min_distance_m": distance});
            round("r", SHA, 1, json!([scene]))
        };
        assert!(diff(&stop(0.0), &stop(-0.0)).scenes[0].changed_fields.is_empty());
    }

    proptest! {
        #[test]
        fn turning_a_comparison_round_swaps_both_sides(
            outcomes in prop::collection::vec((0_usize..9, 0_usize..9), 0..4),
            seeds in (0_i64..3, 0_i64..3),
        ) {
            let scenes = |pick: fn(&(usize, usize)) -> usize| -> Value {
                outcomes.iter().enumerate()
                    .map(|(at, pair)| scene(&format!("s{at}"), Outcome::ALL[pick(pair)].name())).collect()
            };
            let (new, old) = (round("b", "x", seeds.0, scenes(|p| p.0)), round("a", "x", seeds.1, scenes(|p| p.1)));
            let (there, back) = (diff(&new, &old), diff(&old, &new));
            prop_assert_eq!(there.is_reproducibility(), back.is_reproducibility());
            prop_assert_eq!(there.changed_scenes().collect::<Vec<_>>(), back.changed_scenes().collect::<Vec<_>>());
            for (a, b) in there.scenes.iter().zip(&back.scenes) {
                prop_assert_eq!(a.outcome, b.baseline_outcome);
                prop_assert_eq!(a.changed, a.changed_fields.contains_key("outcome"));
                for (field, change) in &a.changed_fields {
                    prop_assert_eq!(&change.from, &b.changed_fields[field].to);
                }
            }
        }
    }
}
