//! Why a scene has its verdict: everything that was compared, in the order in which it was.
//!
//! One account in two forms: [`Explanation::json`] for programs, [`Explanation::text`] for people. Nothing is decided
//! here. Lengths in metres; the text gives millimetres beside them.

use super::derive::{Finding, SceneJudgement};
use super::schema::SceneVerdict;
use crate::adjudication::adjudicate::Bound;
use crate::adjudication::ladder::Rung;
use crate::adjudication::outcome::GroundTruthVerdict;
use crate::adjudication::rules::RuleSet;
use crate::adjudication::stand_in::{self, ReplayedState};
use crate::adjudication::{Adjudication, party};
use crate::rounds::scene::{List, SceneConfig, Stated};
use rollcheck_engine::text::{plain, printf};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// What is explained.
#[derive(Clone, Copy, Debug)]
pub struct Explanation<'a> {
    /// The round.
    pub round_id: &'a str,
    /// Which reading of the budgets.
    pub rules: RuleSet,
    /// The scene, judged.
    pub judgement: &'a SceneJudgement,
    /// The log that was read, relative to the round.
    pub log_file: Option<&'a str>,
    /// The scene's configuration, where it could be read.
    pub config: Option<&'a SceneConfig>,
    /// What `verdicts.json` says of the scene, where there is one.
    pub recorded: Option<&'a SceneVerdict>,
    /// Stop, grid and monitor count come from that verdict.
    pub from_recorded: bool,
}

impl Explanation<'_> {
    /// For programs.
    pub fn json(&self) -> Value {
        let j = self.judgement;
        let v = &j.verdict;
        let (row, condition) = j.outcome_rule.words();
        let stop = j.stop.as_ref().map(|stop| {
            json!({
                "file": self.log_file, "line": Some(stop.line).filter(|&line| line > 0),
                "kind": stop.kind, "party_a": stop.party_a, "party_b": stop.party_b,
                "horizon_step": stop.horizon_step, "min_distance_m": stop.min_distance_m,
                "sweep_min_distance_m": stop.sweep_min_distance_m, "exemption_active": j.exemption_active,
                "place_allowance_active": stop.place_allowance_active, "place_target": stop.place_target,
                "depth_is_box_bound": stop.depth_is_box_bound, "involves_payload": party::involves_payload(stop),
            })
        });
        json!({
            "round_id": self.round_id, "scene": v.scene, "rule_set": self.rules.name(),
            "evidence": if self.from_recorded { "recorded verdict and log" } else { "log" },
            "outcome": v.outcome.name(), "outcome_rule": {"row": row, "condition": condition},
            "stop": stop,
            "adjudication": j.adjudication.as_ref().map(adjudication_json),
            "harness_error": j.harness_error.as_ref().map(|e| json!({"cause": e.cause.id(), "reason": e.reason})),
            "task_success": {"ever": v.task_success_ever, "final": v.task_success_final, "steps": v.task_success_steps},
            "dispatch_failure_reason": v.dispatch_failure_reason,
            "delivered_chunks": j.delivered_chunks, "wall_s": v.wall_s,
            "monitor_records": v.monitor_records,
            "witness": v.witness,
            "composition": composition_json(self),
            "findings": j.findings.iter().map(Finding::text).collect::<Vec<_>>(),
            "recorded": self.recorded.map(|r| recorded_json(r, v)),
        })
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let j = self.judgement;
        let v = &j.verdict;
        let (row, condition) = j.outcome_rule.words();
        let _ = writeln!(out, "{} {}: {}", self.round_id, v.scene, v.outcome);
        field(&mut out, "decided by", &format!("row {row}: {condition}"));
        field(&mut out, "rule set", self.rules.name());
        if self.from_recorded {
            field(
                &mut out,
                "evidence",
                "stop, grid and monitor count of the recorded verdict, snapshot of the log",
            );
        }
        if let Some(error) = &j.harness_error {
            field(&mut out, "void run", &format!("{}: {}", error.cause.id(), error.reason));
        }
        self.stop_text(&mut out);
        match &j.adjudication {
            Some(a) => adjudication_text(&mut out, a, j),
            None => field(&mut out, "ground truth", "nothing to judge: no stop was recorded"),
        }
        if v.outcome.is_deadline() || j.delivered_chunks.is_some() {
            let chunks =
                j.delivered_chunks.map_or_else(|| "unknown".to_owned(), |n| format!("latest chunk {n}"));
            let deadline =
                if v.outcome.is_deadline() { "; a dead graph looks like a deadline too" } else { "" };
            field(&mut out, "delivered", &format!("{chunks}{deadline}"));
        }
        if !v.dispatch_failure_reason.is_empty() {
            field(&mut out, "goal ended", &v.dispatch_failure_reason);
        }
        composition_text(&mut out, self);
        for finding in &j.findings {
            field(&mut out, "finding", &finding.text());
        }
        if let Some(recorded) = self.recorded {
            recorded_text(&mut out, recorded, v);
        }
        plain::lines(&out)
    }

    fn stop_text(&self, out: &mut String) {
        let j = self.judgement;
        let Some(stop) = &j.stop else { return };
        let place = match (self.log_file, stop.line) {
            (_, 0) => "recorded verdict".to_owned(),
            (Some(file), line) => format!("{file}, line {line}"),
            (None, line) => format!("line {line}"),
        };
        let step = if stop.horizon_step < 0 {
            "measured state".to_owned()
        } else {
            format!("step {}", stop.horizon_step)
        };
        field(out, "stop", &format!("{}: {} against {} ({step})", stop.kind, stop.party_a, stop.party_b));
        field(out, "", &place);
        let sweep = stop
            .sweep_min_distance_m
            .map_or_else(|| "no sweep".to_owned(), |m| format!("sweep {}", metres(m)));
        let exemption = match j.exemption_active {
            Some(true) => "an exemption was live",
            Some(false) => "no exemption was live",
            None => "exemption unknown",
        };
        field(out, "reported", &format!("{}; {sweep}; {exemption}", metres(stop.min_distance_m)));
        if stop.depth_is_box_bound {
            field(out, "", "a bound of the boxes, not of the hulls");
        }
        if stop.place_allowance_active {
            field(out, "", &format!("a place allowance was live for {}", stop.place_target));
        }
    }
}

fn field(out: &mut String, name: &str, value: &str) {
    let _ = writeln!(out, "  {name:<13} {}", value.split_whitespace().collect::<Vec<_>>().join(" "));
}

/// A length as written, and in millimetres.
fn metres(m: f64) -> String {
    format!("{m} m ({} mm)", printf::general(1000.0 * m, 4))
}

fn known(m: Option<f64>) -> String {
    m.map_or_else(|| "unknown".to_owned(), metres)
}

fn adjudication_json(a: &Adjudication) -> Value {
    let mut value = measured_json(a);
    // A key that is there only where a replay was asked for: a documented account stays as it was.
    if let Some(r) = &a.replayed {
        value["replay"] = json!({"source": stand_in::SOURCE, "distance_m": r.distance_m, "joints": r.state_field,
                                 "state_of_the_check": r.state == ReplayedState::OfTheCheck});
    }
    value
}

fn measured_json(a: &Adjudication) -> Value {
    let bound = match a.bound {
        Bound::Measured(m) => json!({"kind": "measured", "value_m": m}),
        Bound::Replayed(m) => json!({"kind": "engine-replay", "value_m": m}),
        Bound::BeyondRange(m) => json!({"kind": "beyond-range", "value_m": m}),
        Bound::Unknown => json!({"kind": "unknown", "value_m": null}),
    };
    let terms: Vec<Value> =
        a.budget.terms.iter().map(|t| json!({"name": t.name, "value_m": t.value_m})).collect();
    let attested = |flag: bool| a.truncated.is_some().then_some(flag);
    json!({
        "verdict": a.verdict.name(),
        "rule": {"rung": a.rung.id(), "condition": a.rung.condition(), "verdict": a.ladder_verdict.name(),
                 "withdrawn": a.not_certified},
        "reason_ids": a.reason_ids(), "reason": a.reason_text,
        "comparison": a.comparison.name(),
        "pair_set": {"list": a.pair_set.name(), "own_pairs": a.party_pairs,
                     "nearest_tripping_party_m": a.nearest_tripping_party_m},
        "coverage": {"block": a.pair_set.coverage_name(), "truncated": a.truncated, "probed_pairs": a.probed_pairs,
                     "distmax_m": a.distmax_m},
        "attestation": {"collidability_filtered": attested(a.attestation.collidability_filtered),
                        "distance_certified": attested(a.attestation.distance_certified)},
        "budget": {"admissible_gap_m": a.budget.admissible_gap_m, "source": a.budget.source.name(),
                   "rule": a.budget.rule.name(), "terms": terms, "quantization_budget_m": a.budget.quantization_m},
        "bound": bound, "discrepancy_m": a.discrepancy_m,
        "margin": a.margin.map(|m| json!({"quantity": m.quantity, "value_m": m.value_m, "threshold_m": m.threshold_m,
                                          "margin_m": m.margin_m})),
        "margin_m": a.margin.map(|m| m.margin_m),
        "nearest_any_m": a.nearest_any_m, "nearest_pair": a.nearest_pair,
        "contact_involves_tripping_party": a.contact_has_tripping_party,
        "uncounted_link_overlaps": a.uncounted_overlaps.iter()
            .map(|o| json!({"body_a": o.body_a, "body_b": o.body_b, "distance_m": o.distance_m})).collect::<Vec<_>>(),
        "stop_class": a.stop_class, "sim_time_s": a.sim_time_s, "grid_resolution_m": a.grid_resolution_m,
        "payload_contacts": a.payload_contacts,
    })
}

fn adjudication_text(out: &mut String, a: &Adjudication, j: &SceneJudgement) {
    field(out, "ground truth", a.verdict.name());
    if a.rung == Rung::NoSnapshot {
        field(out, "because", &a.reason_text);
        return;
    }
    field(out, "comparison", a.comparison.name());
    if let Some(r) = &a.replayed {
        let source = stand_in::SOURCE;
        field(out, "pairs", &format!("none measured of this stop; {source} stands in"));
        field(
            out,
            "replay",
            &format!("{} between the hulls, joints of `{}`", metres(r.distance_m), r.state_field),
        );
    } else {
        field(out, "pairs", &format!("{} of this stop in {}", a.party_pairs, a.pair_set.name()));
    }
    field(out, "nearest party", &known(a.nearest_tripping_party_m));
    let body = |key: &str| a.nearest_pair.get(key).and_then(Value::as_str).unwrap_or("?");
    match a.nearest_any_m {
        Some(m) => field(
            out,
            "nearest any",
            &format!(
                "{}: {} ({}) against {} ({})",
                metres(m),
                body("body_a"),
                body("geom_a"),
                body("body_b"),
                body("geom_b")
            ),
        ),
        None => field(out, "nearest any", "no pair was listed"),
    }
    let count = |n: Option<i64>| n.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
    field(
        out,
        "coverage",
        &format!(
            "{}: {} pairs probed within {}, {}",
            a.pair_set.coverage_name(),
            count(a.probed_pairs),
            known(a.distmax_m),
            if a.truncated == Some(false) { "not cut short" } else { "cut short, or it does not say" }
        ),
    );
    let attested = |flag| if flag { "yes" } else { "no" };
    field(
        out,
        "attested",
        &format!(
            "solid on both sides: {}; distances certified: {}",
            attested(a.attestation.collidability_filtered),
            attested(a.attestation.distance_certified)
        ),
    );
    let source = if a.budget.source.name().is_empty() { "no source" } else { a.budget.source.name() };
    field(
        out,
        "gap budget",
        &format!("{} from {source}, {}", known(a.budget.admissible_gap_m), a.budget.rule.name()),
    );
    for term in &a.budget.terms {
        field(out, "", &format!("{} = {}", term.name, known(term.value_m)));
    }
    arithmetic(out, a, j);
    if let Some(margin) = a.margin {
        field(
            out,
            "margin",
            &format!(
                "{} = {} - ({}), {}",
                metres(margin.margin_m),
                margin.threshold_m,
                margin.value_m,
                margin.quantity
            ),
        );
    }
    field(out, "rule", &format!("{}: {}", a.rung.id(), a.rung.condition()));
    if a.not_certified && a.ladder_verdict != GroundTruthVerdict::Unadjudicated {
        field(out, "withdrawn", &format!("the ladder said {}", a.ladder_verdict));
    }
    if !a.reason_text.is_empty() {
        field(out, "because", &format!("{}: {}", a.reason_ids().join(" and "), a.reason_text));
    }
}

fn arithmetic(out: &mut String, a: &Adjudication, j: &SceneJudgement) {
    let Some(stop) = &j.stop else { return };
    let bound = match a.bound {
        Bound::Measured(m) => format!("{m} (measured)"),
        Bound::Replayed(m) => format!("{m} (engine-replay)"),
        Bound::BeyondRange(m) => format!("more than {m} (nothing within the probe's range)"),
        Bound::Unknown => {
            field(out, "discrepancy", "unknown: no distance of the tripping party");
            return;
        }
    };
    field(out, "discrepancy", &format!("{} = {bound} - ({})", known(a.discrepancy_m), stop.min_distance_m));
}

fn composition_json(e: &Explanation<'_>) -> Value {
    let composed = e.judgement.composition.as_ref().map(|composition| {
        let fields = composition.fields.iter().map(|(k, v)| (k.clone(), Value::from(v.as_str())));
        json!({"resets": composition.resets, "fields": Value::Object(fields.collect::<Map<_, _>>())})
    });
    json!({"recorded": composed, "configured": e.config.map(configured)})
}

/// What a scene's configuration says of itself; null is not stated.
fn configured(config: &SceneConfig) -> Value {
    json!({"id": config.id.value(), "seed": config.seed.value(),
           "layout_ids": config.layout_ids.value().map(|list| &list.0),
           "style_ids": config.style_ids.value().map(|list| &list.0),
           "place_target": config.place_target.value()})
}

fn composition_text(out: &mut String, e: &Explanation<'_>) {
    let composed = e.judgement.composition.as_ref().map_or_else(
        || "not recorded".to_owned(),
        |composition| {
            composition.fields.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" ")
        },
    );
    field(out, "composed", &composed);
    if let Some(config) = e.config {
        let pool = |ids: &Stated<List<i64>>| match ids {
            Stated::Absent => "drawn".to_owned(),
            stated => stated.to_string(),
        };
        field(
            out,
            "configured",
            &format!(
                "{}, seed {}, layouts {}, styles {}",
                config.id,
                config.seed,
                pool(&config.layout_ids),
                pool(&config.style_ids)
            ),
        );
    }
}

fn recorded_json(recorded: &SceneVerdict, ours: &SceneVerdict) -> Value {
    let truth = recorded.ground_truth.as_ref();
    json!({
        "outcome": recorded.outcome.name(), "same_outcome": recorded.outcome == ours.outcome,
        "verdict": truth.map(|t| t.verdict.name()), "nearest_any_m": truth.and_then(|t| t.nearest_any_m),
        "nearest_pair": truth.map(|t| t.nearest_pair.clone()),
    })
}

fn recorded_text(out: &mut String, recorded: &SceneVerdict, ours: &SceneVerdict) {
    let truth = recorded.ground_truth.as_ref();
    if recorded.outcome == ours.outcome {
        field(out, "recorded", &format!("the same outcome, {}", recorded.outcome));
        return;
    }
    let verdict = truth.map_or("none", |t| t.verdict.name());
    field(out, "recorded", &format!("{} (ground truth {verdict}): differs from this one", recorded.outcome));
    if let Some(truth) = truth {
        let body = |key: &str| truth.nearest_pair.get(key).and_then(Value::as_str).unwrap_or("?");
        let pair = format!("{} against {}", body("body_a"), body("body_b"));
        field(out, "", &format!("its nearest pair: {pair} at {}", known(truth.nearest_any_m)));
    }
}
