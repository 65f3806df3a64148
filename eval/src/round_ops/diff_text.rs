//! A difference in words.
//!
//! Reference page, section 13.3:
//!
//! ```text
//! <baseline> -> <new>  (<kind>)
//!   CHANGED ros_domain_id   "" -> "77"
//!   same    rule_set   documented -> documented
//!   CHANGED baguette   <outcome> -> <outcome>
//!            stop.party_a: attached:sim:obj_main -> panda_link5
//! ```
//!
//! Values print as in Python. The settings under the title and the line of the budget source are additions to the page;
//! the latter stands where a scene that both rounds have shows other evidence or has two sources.

use super::diff::STEPS;
use crate::adjudication::outcome::Outcome;
use crate::verdict::schema::{RoundDiff, SceneDelta, Setting};
use rollcheck_engine::text::{plain, python};
use std::fmt::{self, Write};

/// What the text says of a setting that a round does not record.
const NOT_RECORDED: &str = "not recorded";

/// The difference as `diff` prints it; every line ends in a newline.
pub fn text(diff: &RoundDiff) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write_text(&mut out, diff);
    plain::lines(&out)
}

fn write_text(out: &mut String, diff: &RoundDiff) -> fmt::Result {
    writeln!(out, "{} -> {}  ({})", diff.baseline_round_id, diff.round_id, kind(diff))?;
    let quoted = |value: &str| format!("{value:?}");
    write_setting(out, "ros_domain_id", &diff.ros_domain_id, quoted)?;
    write_setting(out, "ros_automatic_discovery_range", &diff.ros_automatic_discovery_range, quoted)?;
    write_setting(out, "rule_set", &diff.rule_set, str::to_owned)?;
    for scene in &diff.scenes {
        let (from, to) = (outcome(scene.baseline_outcome), outcome(scene.outcome));
        writeln!(out, "  {:<7} {:<10} {from} -> {to}", flag(scene.changed), scene.scene)?;
        write_evidence(out, scene, diff.budget_sources.get(&scene.scene))?;
    }
    Ok(())
}

fn write_evidence(out: &mut String, scene: &SceneDelta, sources: Option<&Setting>) -> fmt::Result {
    let mut any = false;
    for (field, change) in scene.changed_fields.iter().filter(|(field, _)| *field != "outcome") {
        let (from, to) = (python::display(&change.from), python::display(&change.to));
        let note = if field == STEPS { " (not comparable between rounds)" } else { "" };
        writeln!(out, "           {field}: {from} -> {to}{note}")?;
        any = true;
    }
    let on_both_sides = scene.baseline_outcome.is_some() && scene.outcome.is_some();
    if let Some(sources) = sources
        && on_both_sides
        && (any || sources.changed)
    {
        let (from, to) = (source(sources.from.as_deref()), source(sources.to.as_deref()));
        writeln!(out, "           ground_truth.budget_source: {from} -> {to}")?;
    }
    Ok(())
}

fn write_setting(
    out: &mut String,
    name: &str,
    setting: &Setting,
    shown: impl Fn(&str) -> String,
) -> fmt::Result {
    let side = |value: &Option<String>| value.as_deref().map_or_else(|| NOT_RECORDED.to_owned(), &shown);
    writeln!(out, "  {:<7} {name}   {} -> {}", flag(setting.changed), side(&setting.from), side(&setting.to))
}

fn kind(diff: &RoundDiff) -> String {
    let seed = |seed: Option<i64>| seed.map_or_else(|| "None".to_owned(), |s| s.to_string());
    if diff.is_reproducibility() {
        "reproducibility".to_owned()
    } else if diff.same_sha() {
        format!("before/after — same sha, seed {} -> {}", seed(diff.baseline_seed), seed(diff.seed))
    } else {
        "before/after".to_owned()
    }
}

fn flag(changed: bool) -> &'static str {
    if changed { "CHANGED" } else { "same" }
}

fn outcome(outcome: Option<Outcome>) -> &'static str {
    outcome.map_or("None", Outcome::name)
}

/// An adjudication without a budget has an empty source; a scene without one has none to name.
fn source(source: Option<&str>) -> &str {
    match source {
        None => "None",
        Some("") => "no budget",
        Some(source) => source,
    }
}

#[cfg(test)]
mod tests {
    use super::super::diff::tests::{SHA, august_16, august_22, round};
    use super::super::diff::{ScopeRecorded, Side, diff};
    use super::*;
    use serde_json::{Map, json};

    #[test]
    fn r05_prints_the_documented_form() {
        let (new, old) = (august_22(), august_16());
        let unknown = Some(ScopeRecorded::of(&Map::new()));
        let made = diff(Side { verdicts: &new, scope: unknown }, Side { verdicts: &old, scope: unknown });
        assert_eq!(
            text(&made),
            "\
2026-08-16-master-1 -> 2026-08-22-master-1  (reproducibility)
  same    ros_domain_id   not recorded -> not recorded
  same    ros_automatic_discovery_range   not recorded -> not recorded
  same    rule_set   not recorded -> not recorded
  same    baguette   estop-collision-unadjudicated -> estop-collision-unadjudicated
           task_success_steps: 632 -> 1285 (not comparable between rounds)
           stop.party_a: attached:sim:obj_main -> panda_link5
           stop.party_b: voxel_92208 -> voxel_170781
           stop.min_distance_m: -0.00418456 -> -0.0209178
           stop.sweep_min_distance_m: -0.0355338 -> -0.0209178
           ground_truth.nearest_tripping_party_m: -0.017412 -> None
           witness.kernel_witness_armed: 2 -> 1
           witness.kernel_witness_separated: 0 -> 1
           ground_truth.budget_source: grid-quantization -> grid-quantization
  CHANGED sink_cup   None -> estop-collision-unadjudicated
  CHANGED fridge     None -> estop-collision-unadjudicated
  CHANGED utensil    None -> estop-collision-unadjudicated
"
        );
    }

    #[test]
    fn r06_names_both_seeds_in_the_title() {
        let (new, old) = (round("b", SHA, 1, json!([])), round("a", SHA, 2, json!([])));
        assert!(text(&diff(&new, &old)).starts_with("a -> b  (before/after — same sha, seed 2 -> 1)\n"));
        let other = round("a", "another", 1, json!([]));
        assert!(text(&diff(&new, &other)).starts_with("a -> b  (before/after)\n"));
    }

    #[test]
    fn r07_a_copy_prints_same_for_every_scene_and_no_evidence() {
        let round = august_22();
        let shown = text(&diff(&round, &round));
        assert_eq!(shown.lines().filter(|l| l.starts_with("  same    ")).count(), 7);
        assert_eq!(shown.lines().count(), 8);
    }

    #[test]
    fn settings_and_booleans_and_small_numbers_print_in_their_styles() {
        let scene = |done, distance: f64, source: &str| {
            json!([{"scene": "sink_cup", "config_path": "", "seed": 1, "outcome": "estop-collision-real",
                "task_success_final": done,
                "stop": {"kind": "world", "party_a": "a", "party_b": "b", "horizon_step": -1,
                         "min_distance_m": distance},
                "ground_truth": {"verdict": "real-contact", "budget_source": source}}])
        };
        let old = round("a", "x", 1, scene(json!(null), 8.9e-5, ""));
        let mut new = round("b", "y", 1, scene(json!(true), 1.0, "hal-adjudication-budget"));
        new.metadata.ros_domain_id = "77".to_owned();
        new.metadata.ros_automatic_discovery_range = "LOCALHOST".to_owned();
        new.extra.insert("rule_set".to_owned(), json!("documented"));
        assert_eq!(
            text(&diff(&new, &old)),
            "\
a -> b  (before/after)
  CHANGED ros_domain_id   \"\" -> \"77\"
  CHANGED ros_automatic_discovery_range   \"\" -> \"LOCALHOST\"
  CHANGED rule_set   not recorded -> documented
  same    sink_cup   estop-collision-real -> estop-collision-real
           task_success_final: None -> True
           stop.min_distance_m: 8.9e-05 -> 1.0
           ground_truth.budget_source: no budget -> hal-adjudication-budget
"
        );
    }
}
