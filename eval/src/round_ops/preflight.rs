//! All guards of a round, over facts: what `run` asks before it creates anything, and `preflight` shows.
//!
//! Guards 1 to 9 in order, those of scenes for all selected scenes, whose copies are made and compared in memory: nothing
//! is written when one refuses, not even the round's folder. Every guard that can be evaluated is, so that one look shows
//! all that is wrong; the first that refuses gives the text. A tracked scene that cannot be read refuses at guard 8.
//! Reference page, section 15.1 and D-7.

use super::command::{OUTPUT_ROOT, deploy_argv};
use super::splice::{self, SceneCopy};
use crate::guardrails::facts::{Asked, HostFacts, Import};
use crate::guardrails::refusal::Refusal;
use crate::guardrails::safety_scene::{self, SafetySurface};
use crate::guardrails::{gpu, launcher, overlay, safety_argv, sidecar, worktree};
use crate::rounds::layout::{MATRIX, MatrixScene};
use rollcheck_engine::store::yaml::Yaml;
use serde_json::{Value, json};

/// Stands for the round's name in the path of a copy, where no round is made.
pub const NO_ROUND: &str = "<round-id>";

/// A guard, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// Nothing changed in the worktree.
    Worktree,
    /// The commit is the one asked for.
    Sha,
    /// The built overlay is not older than its sources.
    Overlay,
    /// The checkout has its own deploy command.
    Launcher,
    /// The policy's adapter can import what it needs.
    SidecarWire,
    /// Nobody else computes on the GPU.
    Gpu,
    /// No token of the command reads like a safety knob.
    Argv,
    /// Scene copies hold seed and pins.
    ScenePins,
    /// Scene copies move no safety key.
    SceneSafety,
}

impl Guard {
    /// Its number, from 1.
    pub fn number(self) -> usize {
        self as usize + 1
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Worktree => "worktree",
            Self::Sha => "sha",
            Self::Overlay => "overlay",
            Self::Launcher => "launcher",
            Self::SidecarWire => "sidecar-wire",
            Self::Gpu => "gpu",
            Self::Argv => "argv",
            Self::ScenePins => "scene-pins",
            Self::SceneSafety => "scene-safety",
        }
    }
}

/// What a guard says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing against the round.
    Passed,
    /// There is nothing that it could refuse.
    NotApplicable,
    /// No round.
    Refused(Refusal),
    /// It needs what an earlier guard missed.
    NotEvaluated,
}

impl State {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::NotApplicable => "not applicable",
            Self::Refused(_) => "refused",
            Self::NotEvaluated => "not evaluated",
        }
    }
}

/// A guard's answer and what it was given.
#[derive(Clone, Debug, PartialEq)]
pub struct GuardReport {
    /// The guard.
    pub guard: Guard,
    /// Its answer.
    pub state: State,
    /// What it found, in words; the refusal's text where it refuses.
    pub detail: String,
    /// The facts, for programs.
    pub facts: Value,
}

/// What the user asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Seed of every scene.
    pub seed: i64,
    /// Beginning of the commit that the checkout must be at.
    pub expect_sha: Option<String>,
    /// Robot, where it is not the scene's.
    pub robot: Option<String>,
    /// Tokens added to the deploy command.
    pub deploy_args: Vec<String>,
    /// Run beside whoever holds the GPU.
    pub force_shared_gpu: bool,
}

/// A selected scene as it stands in the checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedScene {
    /// The scene.
    pub scene: &'static MatrixScene,
    /// Bytes of its tracked file.
    pub bytes: Asked<Vec<u8>>,
}

/// Every guard's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Preflight {
    /// In order.
    pub guards: Vec<GuardReport>,
    /// The copies that hold seed and pins, in matrix order. To be launched only when nothing refuses.
    pub copies: Vec<SceneCopy>,
}

impl Preflight {
    /// The first refusal.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.guards.iter().find_map(|report| match &report.state {
            State::Refused(refusal) => Some(refusal),
            _ => None,
        })
    }
}

/// The scenes of these keys in matrix order; no key means all. Keys of no scene select nothing.
pub fn select(keys: &[String]) -> Vec<&'static MatrixScene> {
    MATRIX.iter().filter(|scene| keys.is_empty() || keys.iter().any(|key| key == scene.key)).collect()
}

/// Runs every guard. Without scenes the guards of scenes and of their commands are not evaluated.
pub fn check(host: &HostFacts, scenes: &[TrackedScene], request: &Request) -> Preflight {
    let copies: Vec<Result<SceneCopy, Refusal>> =
        scenes.iter().map(|scene| copied(scene, request.seed)).collect();
    let guards = vec![
        clean(host),
        sha(host, request),
        fresh(host),
        command(host),
        wire(host),
        unshared(host, request),
        tokens(host, scenes, request),
        pins(scenes, &copies, request),
        safety(scenes, &copies),
    ];
    Preflight { guards, copies: copies.into_iter().filter_map(Result::ok).collect() }
}

fn report(guard: Guard, answer: Result<(State, String), Refusal>, facts: Value) -> GuardReport {
    let (state, detail) = answer.unwrap_or_else(|refusal| {
        let text = refusal.to_string();
        (State::Refused(refusal), text)
    });
    GuardReport { guard, state, detail, facts }
}

fn passed(detail: impl Into<String>) -> (State, String) {
    (State::Passed, detail.into())
}

fn clean(host: &HostFacts) -> GuardReport {
    let answer = worktree::check_clean(&host.changes).map(|()| passed("nothing changed"));
    let facts = json!({"changes": host.changes.answer(), "unknown": host.changes.unknown()});
    report(Guard::Worktree, answer, facts)
}

fn sha(host: &HostFacts, request: &Request) -> GuardReport {
    let expected = request.expect_sha.as_deref();
    let answer = worktree::check_sha(&host.head, expected).map(|head| match expected {
        Some(expected) => passed(format!("HEAD is {head}, as asked by {expected}")),
        None => (State::NotApplicable, format!("HEAD is {head}; --expect-sha is not given")),
    });
    let facts = json!({"head": host.head.answer(), "expected": expected, "unknown": host.head.unknown()});
    report(Guard::Sha, answer, facts)
}

fn fresh(host: &HostFacts) -> GuardReport {
    let known = host.overlay.answer();
    let newest = known.and_then(|overlay| overlay.newest_source.as_ref());
    let answer = overlay::check(&host.overlay).map(|built_at_ns| match newest {
        Some(source) => {
            let s = (built_at_ns - source.changed_at_ns) as f64 / 1e9;
            passed(format!("built {s:.0} s after {} changed", source.path))
        }
        None => passed("built; no source that needs a build"),
    });
    let facts = json!({
        "folder": known.map(|overlay| &overlay.folder),
        "built_at_ns": known.and_then(|overlay| overlay.built_at_ns),
        "newest_source": newest.map(|source| &source.path),
        "newest_source_at_ns": newest.map(|source| source.changed_at_ns),
        "unknown": host.overlay.unknown(),
    });
    report(Guard::Overlay, answer, facts)
}

fn command(host: &HostFacts) -> GuardReport {
    let answer = launcher::check(&host.launcher).map(passed);
    report(Guard::Launcher, answer, json!({"path": host.launcher.path, "exists": host.launcher.exists}))
}

fn wire(host: &HostFacts) -> GuardReport {
    let answer = sidecar::check(&host.sidecar)
        .map(|()| passed(format!("pyzmq is imported by {}", host.sidecar.python)));
    let failure = if let Import::Fails(reason) = &host.sidecar.import { Some(reason) } else { None };
    let facts = json!({
        "python": host.sidecar.python, "pyzmq_importable": failure.is_none(), "failure": failure,
        "sync_groups": sidecar::SYNC_GROUPS,
    });
    report(Guard::SidecarWire, answer, facts)
}

fn unshared(host: &HostFacts, request: &Request) -> GuardReport {
    let forced = request.force_shared_gpu;
    let known = host.gpu.answer();
    let answer = gpu::check(&host.gpu, forced).map(|()| match known {
        Some(gpu) if !gpu.tool_found => (State::NotApplicable, "no nvidia-smi on the search path".to_owned()),
        Some(gpu) => {
            let name = gpu.name.as_deref().unwrap_or("a GPU without a name").replace('\n', ", ");
            match gpu.processes.as_slice() {
                [] => passed(format!("{name}, nobody computes there")),
                some => passed(format!("{name}, shared as asked with {}", some.join("; "))),
            }
        }
        None => passed("unknown, and --force-shared-gpu is given"),
    });
    let facts = json!({
        "nvidia_smi_found": known.map(|gpu| gpu.tool_found),
        "name": known.and_then(|gpu| gpu.name.as_ref()),
        "processes": known.map(|gpu| &gpu.processes),
        "forced": forced,
        "unknown": host.gpu.unknown(),
    });
    report(Guard::Gpu, answer, facts)
}

/// Where a scene's copy will lie in a round.
fn copy_path(host: &HostFacts, scene: &MatrixScene, seed: i64) -> String {
    let file = splice::file_name(scene.config, seed);
    format!("{}/{OUTPUT_ROOT}/{NO_ROUND}/{}/{file}", host.repo_root, scene.key)
}

fn tokens(host: &HostFacts, scenes: &[TrackedScene], request: &Request) -> GuardReport {
    let commands: Vec<Vec<String>> = scenes
        .iter()
        .map(|tracked| {
            let config = copy_path(host, tracked.scene, request.seed);
            deploy_argv(&host.launcher.path, &config, &request.deploy_args, request.robot.as_deref())
        })
        .collect();
    let facts = json!({
        "commands": scenes.iter().zip(&commands)
            .map(|(tracked, command)| json!({"scene": tracked.scene.key, "argv": command}))
            .collect::<Vec<_>>(),
    });
    let Some(first) = commands.first() else { return no_scene(Guard::Argv, facts) };
    let answer = safety_argv::check(commands.iter().flatten().map(String::as_str))
        .map(|()| passed(format!("{} tokens a scene, no safety knob", first.len())));
    report(Guard::Argv, answer, facts)
}

fn copied(tracked: &TrackedScene, seed: i64) -> Result<SceneCopy, Refusal> {
    let MatrixScene { key, config, .. } = tracked.scene;
    match &tracked.bytes {
        Asked::Answer(bytes) => splice::copy(key, config, bytes, seed),
        Asked::Unknown(reason) => Err(Refusal::Unread { scene: (*key).to_owned(), reason: reason.clone() }),
    }
}

fn pins(scenes: &[TrackedScene], copies: &[Result<SceneCopy, Refusal>], request: &Request) -> GuardReport {
    let facts = json!({
        "seed": request.seed,
        "pins": splice::SCENE_PINS.iter().map(|(key, value)| ((*key).to_owned(), json!(value)))
            .collect::<serde_json::Map<_, _>>(),
        "scenes": scenes.iter().zip(copies).map(|(tracked, copy)| json!({
            "scene": tracked.scene.key,
            "tracked": tracked.scene.config,
            "copy": copy.as_ref().ok().map(|copy| &copy.file_name),
            "refusal": copy.as_ref().err().map(ToString::to_string),
        })).collect::<Vec<_>>(),
    });
    if scenes.is_empty() {
        return no_scene(Guard::ScenePins, facts);
    }
    let answer = match copies.iter().find_map(|copy| copy.as_ref().err()) {
        Some(refusal) => Err(refusal.clone()),
        None => {
            Ok(passed(format!("{} with seed {} and reasoner off", copies_text(copies.len()), request.seed)))
        }
    };
    report(Guard::ScenePins, answer, facts)
}

fn safety(scenes: &[TrackedScene], copies: &[Result<SceneCopy, Refusal>]) -> GuardReport {
    let mut compared = 0;
    let mut keys = 0;
    let mut refusal = None;
    let mut rows = Vec::new();
    for (tracked, copy) in scenes.iter().zip(copies) {
        let key = tracked.scene.key;
        let before = tracked.bytes.answer().and_then(|bytes| Yaml::read(bytes, tracked.scene.config).ok());
        // Guard 8 has refused a scene that lacks either.
        let (Some(before), Ok(copy)) = (before, copy) else {
            rows.push(json!({"scene": key, "compared": false, "safety_keys": null, "moved": null}));
            continue;
        };
        let (before, after) = (SafetySurface::of(&before), SafetySurface::of(&copy.tree));
        compared += 1;
        keys += before.len();
        if let Err(found) = safety_scene::check(key, &before, &after) {
            refusal.get_or_insert(found);
        }
        let moved: Vec<Value> = before
            .moved(&after)
            .into_iter()
            .map(|moved| json!({"key": moved.key, "old": moved.old, "new": moved.new}))
            .collect();
        let names: Vec<&str> = before.keys().collect();
        rows.push(json!({"scene": key, "compared": true, "safety_keys": names, "moved": moved}));
    }
    let facts = json!({"scenes": rows});
    if scenes.is_empty() {
        return no_scene(Guard::SceneSafety, facts);
    }
    let answer = match refusal {
        Some(refusal) => Err(refusal),
        None if compared < scenes.len() => {
            let detail =
                format!("{compared} of {} compared, none moves a safety key", copies_text(scenes.len()));
            Ok((State::NotEvaluated, detail))
        }
        None => Ok(passed(format!("{} compared, none of {keys} safety keys moves", copies_text(compared)))),
    };
    report(Guard::SceneSafety, answer, facts)
}

fn no_scene(guard: Guard, facts: Value) -> GuardReport {
    GuardReport { guard, state: State::NotEvaluated, detail: "no scene is selected".to_owned(), facts }
}

fn copies_text(count: usize) -> String {
    format!("{count} {}", if count == 1 { "copy" } else { "copies" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guardrails::facts::{GpuFacts, LauncherFacts, OverlayFacts, SidecarFacts, SourceTime};

    const HEAD: &str = "2edcf67c3b087958d475813fe19234c12e90698c";

    fn host() -> HostFacts {
        HostFacts {
            repo_root: "/w/openral".to_owned(),
            changes: Asked::Answer(Vec::new()),
            head: Asked::Answer(HEAD.to_owned()),
            overlay: Asked::Answer(OverlayFacts {
                folder: "/w/openral/install".to_owned(),
                built_at_ns: Some(30_000_000_000),
                newest_source: Some(SourceTime {
                    path: "cpp/a.cpp".to_owned(),
                    changed_at_ns: 10_000_000_000,
                }),
            }),
            launcher: LauncherFacts { path: "/w/openral/.venv/bin/openral".to_owned(), exists: true },
            sidecar: SidecarFacts { python: "/w/openral/.venv/bin/python".to_owned(), import: Import::Works },
            gpu: Asked::Answer(GpuFacts::default()),
        }
    }

    fn scenes(text: &str) -> Vec<TrackedScene> {
        let bytes = Asked::Answer(text.as_bytes().to_vec());
        select(&[]).into_iter().map(|scene| TrackedScene { scene, bytes: bytes.clone() }).collect()
    }

    fn request() -> Request {
        Request { seed: 1, ..Request::default() }
    }

    fn states(preflight: &Preflight) -> Vec<&'static str> {
        preflight.guards.iter().map(|report| report.state.name()).collect()
    }

    const SCENE: &str = "seed: 1\nplace_declaration: {target: sim:sink}\n";

    #[test]
    fn a_sound_host_passes_every_guard_that_applies() {
        let preflight = check(&host(), &scenes(SCENE), &request());
        assert_eq!(
            states(&preflight),
            [
                "passed",
                "not applicable",
                "passed",
                "passed",
                "passed",
                "not applicable",
                "passed",
                "passed",
                "passed"
            ]
        );
        assert_eq!(preflight.refusal(), None);
        let details: Vec<&str> = preflight.guards.iter().map(|report| report.detail.as_str()).collect();
        assert_eq!(details[2], "built 20 s after cpp/a.cpp changed");
        assert_eq!(details[6], "14 tokens a scene, no safety knob");
        assert_eq!(details[8], "4 copies compared, none of 4 safety keys moves");
        let names: Vec<&str> = preflight.copies.iter().map(|copy| copy.file_name.as_str()).collect();
        assert_eq!(names[0], "robocasa_baguette_seed1.yaml");
        assert_eq!(names.len(), 4);
        let numbers: Vec<usize> = preflight.guards.iter().map(|report| report.guard.number()).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn every_guard_is_evaluated_and_the_first_refusal_gives_the_text() {
        let mut host = host();
        host.changes = Asked::Answer(vec!["?? x".to_owned()]);
        host.launcher.exists = false;
        host.gpu = Asked::Unknown("nvidia-smi gave no answer within 60 s".to_owned());
        let request = Request {
            expect_sha: Some("0".repeat(40)),
            deploy_args: vec!["--hal".into(), "collision_margin_m=0.0".into()],
            ..request()
        };
        let preflight = check(&host, &scenes("runtime: {enable_octomap_kernel_check: true}\n"), &request);
        assert_eq!(
            states(&preflight),
            ["refused", "refused", "passed", "refused", "passed", "refused", "refused", "passed", "refused"]
        );
        assert!(matches!(preflight.refusal(), Some(Refusal::Dirty { .. })));
        assert!(preflight.guards[8].detail.contains("safety key"));
    }

    #[test]
    fn a_scene_that_cannot_be_read_refuses_and_the_others_are_compared() {
        let mut scenes = scenes(SCENE);
        scenes[1].bytes = Asked::Unknown("scenes/deploy/robocasa_sink_cup.yaml: no such file".to_owned());
        let preflight = check(&host(), &scenes, &request());
        assert_eq!(states(&preflight)[7..], ["refused", "not evaluated"]);
        assert_eq!(
            preflight.refusal().unwrap().to_string(),
            "scene `sink_cup` cannot be copied: scenes/deploy/robocasa_sink_cup.yaml: no such file"
        );
        assert_eq!(preflight.guards[8].detail, "3 of 4 copies compared, none moves a safety key");
        assert_eq!(preflight.copies.len(), 3);
        scenes[1].bytes = Asked::Answer(b"seed: 1\nruntime:\n    x: 1\n".to_vec());
        assert_eq!(states(&check(&host(), &scenes, &request()))[7..], ["refused", "not evaluated"]);
    }

    #[test]
    fn a_checkout_whose_path_reads_like_a_knob_is_refused() {
        let host = HostFacts { repo_root: "/w/safety-round".to_owned(), ..host() };
        let preflight = check(&host, &scenes(SCENE), &request());
        assert!(matches!(preflight.refusal(), Some(Refusal::SafetyToken { pattern: "safety", .. })));
    }

    #[test]
    fn keys_select_in_matrix_order_and_unknown_ones_select_nothing() {
        let keys = |keys: &[&str]| -> Vec<&str> {
            let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
            select(&keys).into_iter().map(|scene| scene.key).collect()
        };
        assert_eq!(keys(&[]), ["baguette", "sink_cup", "fridge", "utensil"]);
        assert_eq!(keys(&["utensil", "baguette", "kettle"]), ["baguette", "utensil"]);
        assert_eq!(keys(&["kettle"]), [""; 0]);
        let preflight = check(&host(), &[], &request());
        assert_eq!(states(&preflight)[6..], ["not evaluated"; 3]);
        assert_eq!(preflight.refusal(), None);
    }

    #[test]
    fn a_forced_gpu_passes_with_what_is_resident_named() {
        let busy = GpuFacts {
            tool_found: true,
            name: Some("A\nB".to_owned()),
            processes: vec!["812, python3, 9 MiB".to_owned()],
        };
        let host = HostFacts { gpu: Asked::Answer(busy), ..host() };
        assert!(matches!(
            check(&host, &scenes(SCENE), &request()).refusal(),
            Some(Refusal::SharedGpu { .. })
        ));
        let forced = Request { force_shared_gpu: true, ..request() };
        let preflight = check(&host, &scenes(SCENE), &forced);
        assert_eq!(preflight.guards[5].detail, "A, B, shared as asked with 812, python3, 9 MiB");
        assert_eq!(preflight.refusal(), None);
    }
}
