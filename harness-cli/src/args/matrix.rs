//! `rollcheck matrix ...`

use clap::{Args, Subcommand, ValueEnum};
use rollcheck_eval::adjudication::rules::RuleSet;
use rollcheck_eval::round_ops::import_rules::LEGACY_STEM;
use rollcheck_eval::rounds::layout::{DEFAULT_RSKILL_ID, DEFAULT_STEM, MATRIX};
use rollcheck_eval::verdict::json_schema::Document;
use std::path::PathBuf;

/// A command on validation rounds.
#[derive(Debug, Subcommand)]
pub enum MatrixCommand {
    /// Derive a round's verdicts from its recorded artifacts
    ///
    /// Reads `metadata.json` and, of each scene, the deploy log (or its excerpt), the monitor stream, the goal log and the
    /// launch marker; writes `verdicts.json` and `NOTES.md` into the round. The same artifacts give the same bytes. Exit
    /// code 0 whatever the outcomes are; 2, with nothing written, when the round or a scene cannot be read.
    #[command(after_help = "Example:\n  rollcheck matrix verdicts rounds/2026-08-22-master-1")]
    Verdicts(VerdictsArgs),
    /// Say what changed since another round
    ///
    /// Compares both `verdicts.json`. Equal commit and equal seed make it a reproducibility comparison. Step counts are
    /// not comparable between rounds. Exit code 0 whatever changed.
    #[command(after_help = "Example:\n  rollcheck matrix diff rounds/new --baseline rounds/old")]
    Diff(DiffArgs),
    /// Make a round of the older layout queryable, in place
    ///
    /// Derives the stack, the robot and the start from the deploy logs, stores what no artifact states as given, writes
    /// `metadata.json`, and then derives the verdicts. Refused with exit code 2 and nothing written: no scene folder, scenes
    /// that ran two stacks, a start that nobody knows, a scene that cannot be read.
    #[command(
        alias = "import-round",
        after_help = "Example:\n  rollcheck matrix import runs/2026-08-22-master-1 --round-id 2026-08-22-master-1 \
                      --executed-sha 2edcf67c3b087958d475813fe19234c12e90698c"
    )]
    Import(ImportArgs),
    /// Say why a scene has its verdict
    ///
    /// The stop line, the pairs that answer it, their coverage, the gap budget with its source and terms, the arithmetic,
    /// the distance to the threshold and the rule that decided. Writes nothing. A folder without `metadata.json` is
    /// explained as far as its files go.
    #[command(after_help = "Example:\n  rollcheck matrix explain rounds/2026-08-22-master-1 baguette")]
    Explain(ExplainArgs),
    /// Measure a stop again from the joints on record
    ///
    /// Places the robot's links in the recorded joint states (the predicted one, on which the check tripped, where it is
    /// on record; the simulator's after the stop) and measures, for the stop's two links and for every other pair, the
    /// exact signed distance of the hulls of their source meshes and the number that the safety kernel prints for their
    /// boxes, beside the depth it reported. Says what the verdict would be with that distance; no documented outcome
    /// changes. Exit code 0 when the stop's pair was measured, 5 when it could not be (no two links, no joints, no
    /// mesh), 2 for input that cannot be read or a link that the manifest does not declare.
    #[command(
        after_help = "Example:\n  rollcheck matrix replay rounds/2026-09-04 sink_cup --robot robots/panda_mobile/robot.yaml \
                      --html replay.html"
    )]
    Replay(ReplayArgs),
    /// Judge many rounds anew and collect them in one table
    ///
    /// Reads the rounds as `matrix verdicts` does and writes none of them. `ledger.parquet` and `ledger.csv` hold one row for
    /// each scene and rule set, `summary.json`, `summary.txt` and `ledger.html` what they come to. A round or scene that
    /// cannot be read is a row with its reason. A run that was interrupted goes on where it was. Generated rounds are marked
    /// and counted apart.
    ///
    /// A round is a folder with `metadata.json`; folders are searched four levels down, links inside them are not followed
    /// (a warning counts what was passed over), and patterns are expanded here where the shell did not. One run at a time
    /// writes a ledger. Exit code 0 when every row has a verdict, 5 when some are damaged.
    #[command(
        after_help = "Examples:\n  rollcheck matrix readjudicate rounds --out ledger\n  rollcheck matrix readjudicate \
                      'runs/2026-08-*' runs/extra --rules both --out ledger"
    )]
    Readjudicate(ReadjudicateArgs),
    /// Ask every guard of a round, and launch nothing
    ///
    /// A round is refused before anything is created when it would record the wrong thing: a dirty worktree, another
    /// commit, an overlay older than its sources, the deploy command of another checkout, no pyzmq, a GPU in use, a token
    /// that reads like a safety knob, a scene copy without its pins or with a safety key moved. Scene copies are made and
    /// compared in memory. Exit code 3 and a line `GUARDRAIL: ...` for the first guard that refuses.
    #[command(
        after_help = "Example:\n  rollcheck matrix preflight --repo ~/openral --expect-sha $(git rev-parse HEAD)"
    )]
    Preflight(PreflightArgs),
    /// Print the JSON Schema of a document
    #[command(after_help = "Example:\n  rollcheck matrix schema verdicts > verdicts.schema.json")]
    Schema(SchemaArgs),
}

/// A rule set as typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RulesChoice {
    /// Published gap budgets as they stand
    #[default]
    Documented,
    /// Payload overhang, re-derived voxel term, box budget for a link without a hull
    Extended,
}

impl RulesChoice {
    /// The rule set.
    pub fn rule_set(self) -> RuleSet {
        match self {
            Self::Documented => RuleSet::Documented,
            Self::Extended => RuleSet::Extended,
        }
    }
}

/// One rule set or both, as typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RuleSetsChoice {
    /// Published gap budgets as they stand
    #[default]
    Documented,
    /// Payload overhang, re-derived voxel term, box budget for a link without a hull
    Extended,
    /// Each scene by both, and what changes
    Both,
}

impl RuleSetsChoice {
    /// The rule sets, in order.
    pub fn rule_sets(self) -> Vec<RuleSet> {
        match self {
            Self::Documented => vec![RuleSet::Documented],
            Self::Extended => vec![RuleSet::Extended],
            Self::Both => RuleSet::ALL.to_vec(),
        }
    }
}

/// Arguments of `matrix verdicts`.
#[derive(Args, Debug)]
pub struct VerdictsArgs {
    /// Folder of the round
    pub round: PathBuf,
    /// Beginning of the artifacts' file names [default: what metadata say, else run]
    #[arg(long)]
    pub stem: Option<String>,
    /// How gap budgets are read
    #[arg(long, value_enum, default_value_t)]
    pub rules: RulesChoice,
    /// Also write the excerpts of each whole deploy log, for reading
    #[arg(long)]
    pub excerpts: bool,
    /// An extra source
    #[command(flatten)]
    pub replay: UseReplayArgs,
}

/// Arguments of `matrix diff`.
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// Folder of the round
    pub round: PathBuf,
    /// Folder of the round to compare with
    #[arg(long, value_name = "ROUND")]
    pub baseline: PathBuf,
    /// Also write the difference as JSON
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Arguments of `matrix import`.
#[derive(Args, Debug)]
pub struct ImportArgs {
    /// Folder of the round
    pub source: PathBuf,
    /// Name of the round
    #[arg(long, value_name = "ID", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub round_id: String,
    /// Commit that was run
    #[arg(long, value_name = "SHA", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub executed_sha: String,
    /// Beginning of the artifacts' file names
    #[arg(long, default_value = LEGACY_STEM)]
    pub stem: String,
    /// Folder of a scene where it is none of the usual ones; repeatable
    #[arg(long, value_name = "SCENE=DIR", value_parser = scene_alias)]
    pub scene_alias: Vec<(String, String)>,
    /// Seed of every scene
    #[arg(long, default_value_t = 1)]
    pub seed: i64,
    /// Policy
    #[arg(long, value_name = "ID", default_value = DEFAULT_RSKILL_ID)]
    pub rskill_id: String,
    /// Host name
    #[arg(long, default_value = "", hide_default_value = true)]
    pub host: String,
    /// GPU
    #[arg(long, value_name = "NAME")]
    pub gpu_name: Option<String>,
    /// Dependency group of the environment; repeatable
    #[arg(long, value_name = "GROUP")]
    pub sync_group: Vec<String>,
    /// Start, where no log tells it, ISO 8601
    #[arg(long, value_name = "TIME", default_value = "", hide_default_value = true)]
    pub started_at: String,
    /// Where the round came from [default: the folder's absolute path]
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true)]
    pub imported_from: String,
    /// How gap budgets are read
    #[arg(long, value_enum, default_value_t)]
    pub rules: RulesChoice,
}

/// Arguments of `matrix explain`.
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// Folder of the round
    pub round: PathBuf,
    /// Key of the scene
    #[arg(value_parser = MATRIX.map(|scene| scene.key))]
    pub scene: String,
    /// Beginning of the artifacts' file names [default: what metadata say, else run]
    #[arg(long)]
    pub stem: Option<String>,
    /// How gap budgets are read
    #[arg(long, value_enum, default_value_t)]
    pub rules: RulesChoice,
    /// Take from the recorded verdicts.json what the files no longer say: stop, grid, monitor count, goal
    #[arg(long)]
    pub from_recorded: bool,
    /// An extra source
    #[command(flatten)]
    pub replay: UseReplayArgs,
}

/// Arguments of `matrix replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// Folder of the round
    pub round: PathBuf,
    /// Key of the scene
    #[arg(value_parser = MATRIX.map(|scene| scene.key))]
    pub scene: String,
    /// Manifest of the robot, with its `collision_geometry`
    #[arg(long, value_name = "YAML")]
    pub robot: PathBuf,
    /// Its other files
    #[command(flatten)]
    pub files: RobotFilesArgs,
    /// Beginning of the artifacts' file names [default: what metadata say, else run]
    #[arg(long)]
    pub stem: Option<String>,
    /// How gap budgets are read
    #[arg(long, value_enum, default_value_t)]
    pub rules: RulesChoice,
    /// Take from the recorded verdicts.json what the files no longer say: stop, grid, monitor count, goal
    #[arg(long)]
    pub from_recorded: bool,
    /// Also write the replay as a page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Files of a robot beside its manifest.
#[derive(Args, Debug, Default)]
pub struct RobotFilesArgs {
    /// Kinematics of the robot, URDF or MJCF [default: the built-in Panda]
    #[arg(long, value_name = "FILE", requires = "robot")]
    pub urdf: Option<PathBuf>,
    /// Folder of the link meshes [default: where the manifest names them]
    #[arg(long, value_name = "DIR", requires = "robot")]
    pub meshes: Option<PathBuf>,
}

/// A replay as an extra source of an adjudication.
#[derive(Args, Debug, Default)]
pub struct UseReplayArgs {
    /// Where the probe did not measure the stop's two links, let their distance in a replay stand in (source
    /// `engine-replay`); needs --robot
    #[arg(long, requires = "robot")]
    pub use_replay: bool,
    /// Manifest of the robot, with its `collision_geometry`
    #[arg(long, value_name = "YAML", requires = "use_replay")]
    pub robot: Option<PathBuf>,
    /// Its other files
    #[command(flatten)]
    pub files: RobotFilesArgs,
}

/// Arguments of `matrix readjudicate`.
#[derive(Args, Debug)]
pub struct ReadjudicateArgs {
    /// Rounds, folders that hold rounds, or patterns
    #[arg(required = true, value_name = "ROUNDS")]
    pub rounds: Vec<PathBuf>,
    /// Folder of the ledger
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// How gap budgets are read
    #[arg(long, value_enum, default_value_t)]
    pub rules: RuleSetsChoice,
    /// Take from a round's verdicts.json what its files no longer say; a round may then lack metadata.json
    #[arg(long)]
    pub from_recorded: bool,
}

/// Arguments of `matrix preflight`: those of a round.
#[derive(Args, Debug)]
pub struct PreflightArgs {
    /// Root of the checkout that would run
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// Commit that the checkout must be at, or its beginning
    #[arg(long, value_name = "SHA", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub expect_sha: Option<String>,
    /// Seed of every scene
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(i64).range(0..))]
    pub seed: i64,
    /// Keys of the scenes [default: all]
    #[arg(long, value_name = "KEY", num_args = 0..)]
    pub scenes: Vec<String>,
    /// Robot, where it is not the scene's
    #[arg(long, value_name = "ID")]
    pub robot: Option<String>,
    /// Manifest of the robot, as it would be recorded
    #[arg(long, value_name = "PATH")]
    pub robot_manifest: Option<String>,
    /// Policy
    #[arg(long, value_name = "ID", default_value = DEFAULT_RSKILL_ID)]
    pub rskill_id: String,
    /// Beginning of the artifacts' file names
    #[arg(long, default_value = DEFAULT_STEM)]
    pub stem: String,
    /// Token added to the deploy command; repeatable
    #[arg(long, value_name = "TOKEN", allow_hyphen_values = true)]
    pub deploy_arg: Vec<String>,
    /// Accept a GPU that others compute on
    #[arg(long)]
    pub force_shared_gpu: bool,
}

/// Arguments of `matrix schema`.
#[derive(Args, Debug)]
pub struct SchemaArgs {
    /// The document
    #[arg(value_enum)]
    pub document: DocumentChoice,
}

/// A document as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DocumentChoice {
    /// What a round's scenes came to
    Verdicts,
    /// What ran, on what, from what
    Metadata,
    /// What changed between two rounds
    Diff,
}

impl DocumentChoice {
    /// The document.
    pub fn document(self) -> Document {
        match self {
            Self::Verdicts => Document::Verdicts,
            Self::Metadata => Document::Metadata,
            Self::Diff => Document::Diff,
        }
    }
}

fn scene_alias(text: &str) -> Result<(String, String), String> {
    rollcheck_eval::round_ops::import_rules::scene_alias(text)
        .ok_or_else(|| "expected `SCENE=DIR`, such as `fridge=fridge1`".to_owned())
}
