//! The published JSON Schemas of the documents, draft 2020-12, made from their types.
//!
//! Reference page, section 12: which keys are required, which values may be null. Keys that are not listed are
//! allowed.

use super::schema::{RoundDiff, RoundMetadata, RoundVerdicts};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// A document that is written about a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    /// `verdicts.json`.
    Verdicts,
    /// `metadata.json`.
    Metadata,
    /// What `diff --out` writes.
    Diff,
}

impl Document {
    /// Every document that has a schema.
    pub const ALL: [Self; 3] = [Self::Verdicts, Self::Metadata, Self::Diff];

    /// Name of the published file, which stands in `docs/schemas`.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Verdicts => "verdicts.schema.json",
            Self::Metadata => "metadata.schema.json",
            Self::Diff => "diff.schema.json",
        }
    }
}

/// The schema of a document.
pub fn schema(document: Document) -> Value {
    match document {
        Document::Verdicts => of::<RoundVerdicts>(),
        Document::Metadata => of::<RoundMetadata>(),
        Document::Diff => of::<RoundDiff>(),
    }
}

/// The schema as it is published: 2 blanks, final newline.
pub fn text(document: Document) -> String {
    format!("{:#}\n", schema(document))
}

fn of<T: JsonSchema>() -> Value {
    let made = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value();
    let Value::Object(mut rest) = made else { return made };
    // What a reader looks for first stands first.
    let mut ordered = Map::new();
    for key in ["$schema", "title", "description"] {
        if let Some(value) = rest.shift_remove(key) {
            ordered.insert(key.to_owned(), value);
        }
    }
    ordered.append(&mut rest);
    Value::Object(ordered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::shared;
    use serde_json::json;
    use std::path::{Path, PathBuf};

    fn published(document: Document) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schemas").join(document.file_name())
    }

    fn valid(document: Document, value: &Value) -> bool {
        let mut schemas = boon::Schemas::new();
        let mut compiler = boon::Compiler::new();
        compiler.add_resource("schema.json", schema(document)).unwrap();
        let index = compiler.compile("schema.json", &mut schemas).unwrap();
        schemas.validate(value, index).is_ok()
    }

    fn metadata() -> Value {
        json!({"round_id": "r", "started_at": "t", "executed_sha": "s", "worktree_clean": null})
    }

    fn verdicts() -> Value {
        json!({"metadata": metadata(), "scenes": [{
            "scene": "fridge", "config_path": "", "seed": 1, "outcome": "estop-collision-unadjudicated",
            "stop": {"kind": "world", "party_a": "panda_link7", "party_b": "voxel_1", "horizon_step": -1,
                     "min_distance_m": -0.025, "sweep_min_distance_m": null},
            "ground_truth": {"verdict": "unadjudicated", "nearest_any_m": 0, "nearest_pair": {"body_a": "x"}},
            "witness": {"attach_t_s": 1.5}
        }]})
    }

    fn set(mut value: Value, pointer: &str, to: Value) -> Value {
        *value.pointer_mut(pointer).unwrap() = to;
        value
    }

    fn without(mut value: Value, parent: &str, key: &str) -> Value {
        value.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key).unwrap();
        value
    }

    #[test]
    fn the_published_schemas_are_those_of_the_types() {
        for document in Document::ALL {
            let path = published(document);
            let found = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                found == text(document),
                "{} is not what the types say; run write_the_schemas",
                path.display()
            );
        }
    }

    #[test]
    #[ignore = "writes docs/schemas"]
    fn write_the_schemas() {
        for document in Document::ALL {
            rollcheck_engine::store::atomic::write(&published(document), text(document).as_bytes()).unwrap();
        }
    }

    #[test]
    fn what_is_required_and_what_may_be_null_is_as_in_the_reference() {
        let schema = schema(Document::Verdicts);
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["required"], json!(["metadata"]));
        let defs = &schema["$defs"];
        assert_eq!(
            defs["RoundMetadata"]["required"],
            json!(["round_id", "started_at", "executed_sha", "worktree_clean"])
        );
        assert_eq!(defs["RoundMetadata"]["properties"]["worktree_clean"]["type"], json!(["boolean", "null"]));
        assert_eq!(defs["SceneVerdict"]["required"], json!(["scene", "config_path", "seed", "outcome"]));
        assert_eq!(
            defs["StopEvidence"]["required"],
            json!(["kind", "party_a", "party_b", "horizon_step", "min_distance_m"])
        );
        assert_eq!(defs["GroundTruthAdjudication"]["required"], json!(["verdict"]));
        assert_eq!(defs["WitnessTimeline"].get("required"), None);
        let sweep = &defs["StopEvidence"]["properties"]["sweep_min_distance_m"];
        assert_eq!(sweep["type"], json!(["number", "null"]));
        assert!(sweep["description"].as_str().unwrap().contains("exempted"));
        assert_eq!(
            super::schema(Document::Diff)["required"],
            json!(["round_id", "baseline_round_id", "executed_sha", "baseline_executed_sha"])
        );
    }

    #[test]
    fn valid_documents_pass_and_unknown_keys_are_allowed() {
        assert!(valid(Document::Metadata, &metadata()));
        assert!(valid(Document::Verdicts, &verdicts()));
        let mut more = verdicts();
        more["scenes"][0]["composition"] = json!({"layout": 47});
        more["rule_set"] = json!("documented");
        assert!(valid(Document::Verdicts, &more));
    }

    #[test]
    fn wrong_documents_fail() {
        assert!(!valid(Document::Metadata, &without(metadata(), "", "round_id")));
        assert!(!valid(Document::Metadata, &without(metadata(), "", "worktree_clean")));
        assert!(!valid(Document::Metadata, &set(metadata(), "/executed_sha", json!(null))));
        let mut seed = metadata();
        seed["seed"] = json!("1");
        assert!(!valid(Document::Metadata, &seed));
        assert!(!valid(Document::Verdicts, &set(verdicts(), "/scenes/0/seed", json!("1"))));
        assert!(!valid(Document::Verdicts, &set(verdicts(), "/scenes/0/outcome", json!("fine"))));
        assert!(!valid(Document::Verdicts, &set(verdicts(), "/scenes/0/stop/min_distance_m", json!("-0.1"))));
        assert!(!valid(Document::Verdicts, &without(verdicts(), "/metadata", "round_id")));
        assert!(!valid(Document::Verdicts, &without(verdicts(), "/scenes/0/ground_truth", "verdict")));
    }

    #[test]
    fn the_recorded_documents_are_valid() {
        let Some(rounds) = shared("the_recorded_documents_are_valid", "rounds") else { return };
        let mut found = 0;
        for entry in std::fs::read_dir(rounds).unwrap() {
            let folder = entry.unwrap().path();
            for (name, document) in
                [("metadata.json", Document::Metadata), ("verdicts.json", Document::Verdicts)]
            {
                let Ok(bytes) = std::fs::read(folder.join(name)) else { continue };
                assert!(
                    valid(document, &serde_json::from_slice(&bytes).unwrap()),
                    "{}/{name}",
                    folder.display()
                );
                found += 1;
            }
        }
        assert!(found >= 6, "{found} documents");
    }
}
