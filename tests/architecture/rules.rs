//! The orders, as `ARCHITECTURE.md` draws them.

/// What a workspace crate may depend on. A crate that is not listed here fails the test: placing it is a
/// decision.
///
/// ```text
/// kernels <- engine <- models <- harness-cli, python
///            engine <- eval   <- harness-cli, python        (a <- b: b uses a; benches and tests see all)
/// ```
pub(crate) const MAY_USE: &[(&str, &[&str])] = &[
    ("rollcheck-kernels", &[]),
    ("rollcheck-engine", &["rollcheck-kernels"]),
    ("rollcheck-models", &["rollcheck-kernels", "rollcheck-engine"]),
    ("rollcheck-eval", &["rollcheck-kernels", "rollcheck-engine"]),
    (
        "rollcheck-cli",
        &["rollcheck-kernels", "rollcheck-engine", "rollcheck-models", "rollcheck-eval", "rollcheck-benches"],
    ),
    ("rollcheck-python", &["rollcheck-kernels", "rollcheck-engine", "rollcheck-models", "rollcheck-eval"]),
    ("rollcheck-fixtures", &["rollcheck-kernels", "rollcheck-engine"]),
    // A bench times what a test checks, on the same generated rounds.
    (
        "rollcheck-benches",
        &[
            "rollcheck-kernels",
            "rollcheck-engine",
            "rollcheck-models",
            "rollcheck-eval",
            "rollcheck-fixtures",
        ],
    ),
];

/// The modules of a crate in order of use: each may use those before it.
pub(crate) struct FolderOrder {
    /// Folder of the crate.
    pub(crate) crate_folder: &'static str,
    /// Its top-level modules. One that is missing here fails the test.
    pub(crate) order: &'static [&'static str],
}

pub(crate) const FOLDER_ORDERS: &[FolderOrder] = &[
    FolderOrder {
        crate_folder: "engine",
        order: &[
            "constants",
            "text",
            "store",
            "geometry",
            "demos",
            "graph",
            "belief",
            "when",
            "readout",
            "servo",
            "track",
            "recovery",
        ],
    },
    FolderOrder { crate_folder: "models", order: &["random", "split", "head", "train", "fit", "audit"] },
    FolderOrder {
        crate_folder: "eval",
        order: &["rounds", "adjudication", "replay", "verdict", "guardrails", "round_ops", "ledger"],
    },
];

/// Files that decide: same input, same answer, so they may not ask the world for anything.
pub(crate) struct Deciding {
    /// Folder of the crate.
    pub(crate) crate_folder: &'static str,
    /// Beginnings of paths below its `src`.
    pub(crate) files: &'static [&'static str],
}

pub(crate) const DECIDING: &[Deciding] = &[
    Deciding { crate_folder: "kernels", files: &["knn/", "csr.rs"] },
    Deciding {
        crate_folder: "engine",
        files: &[
            "constants.rs",
            "text/",
            "store/yaml/",
            "geometry/budget",
            "geometry/dop.rs",
            "geometry/hull.rs",
            "geometry/hull_distance",
            "geometry/kinematics.rs",
            "geometry/mesh.rs",
            "geometry/obb.rs",
            "geometry/obb_voxel.rs",
            "geometry/overhang.rs",
            "geometry/pose.rs",
            "geometry/robot.rs",
            "geometry/slop.rs",
            "geometry/staged_check.rs",
            "geometry/support_excess.rs",
            "geometry/tight",
            "geometry/voxel_grid.rs",
            "demos/episode.rs",
            "graph/schema.rs",
            "graph/nodes.rs",
            "graph/edges.rs",
            "graph/demo_graph.rs",
            "belief/",
            "when/",
            "readout/",
            "servo/",
            "recovery/",
        ],
    },
    Deciding {
        crate_folder: "eval",
        files: &[
            "rounds/deploy_log",
            "rounds/monitor.rs",
            "rounds/goal.rs",
            "rounds/json.rs",
            "rounds/lines.rs",
            "rounds/needles.rs",
            "rounds/snapshot.rs",
            "rounds/evidence.rs",
            "rounds/scene.rs",
            "adjudication/",
            "replay/",
            "verdict/schema.rs",
            "verdict/fields.rs",
            "verdict/typed.rs",
            "verdict/derive.rs",
            "verdict/json.rs",
            "verdict/json_schema.rs",
            "verdict/notes.rs",
            "verdict/explain.rs",
            "guardrails/facts.rs",
            "guardrails/refusal.rs",
            "guardrails/worktree.rs",
            "guardrails/overlay.rs",
            "guardrails/launcher.rs",
            "guardrails/sidecar.rs",
            "guardrails/gpu.rs",
            "guardrails/safety_argv.rs",
            "guardrails/safety_scene",
            "round_ops/argv.rs",
            "round_ops/stamp.rs",
            "round_ops/diff.rs",
            "round_ops/diff_text.rs",
            "round_ops/import_rules.rs",
            "round_ops/splice.rs",
            "round_ops/command.rs",
            "round_ops/environment.rs",
            "round_ops/readiness.rs",
            "round_ops/preflight.rs",
        ],
    },
];

/// Modules of `std` that reach outside the process, or to its clock.
pub(crate) const WORLD: &[&str] = &["env", "fs", "net", "os", "path", "process", "time"];

/// Crate folders that may hold `unsafe`: SIMD and device code, and the C interface of Python.
pub(crate) const UNSAFE_ALLOWED: &[&str] = &["kernels", "python"];
