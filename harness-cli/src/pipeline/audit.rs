//! The audit: phase, false alarms and detection on the audit split, and on a shifted set beside it.
//!
//! Both rule settings run over the same recorded logits and the same disturbances. Disturbances are generated:
//! kind `k` of [`Disturbance::ALL`] takes stream `DISTURBANCE_STREAM + k` of the head's seed, over the audit
//! demos in their order.

use super::artifacts::Artifacts;
use super::recording::{Recording, owner_of};
use crate::error::CliError;
use crate::settings::RuleChoice;
use rollcheck_engine::recovery::SentinelModel;
use rollcheck_models::audit::alarms::{detection, false_alarms, unzip};
use rollcheck_models::audit::perturb::{Disturbance, Disturbed, disturb};
use rollcheck_models::audit::{Detection, FalseAlarms, PhaseTable, PhaseTrack, Recorded, Source};
use rollcheck_models::random::Random;
use serde::Serialize;

/// First random stream of the disturbances.
const DISTURBANCE_STREAM: u64 = 100;

/// Phase estimates on one set of clean episodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PhaseSet {
    /// Over all episodes.
    pub all: PhaseTable,
    /// Over those in the rarer object order, where the file tells.
    pub rarer_order: Option<PhaseTable>,
}

/// One rule setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingAudit {
    /// Its name on the command line.
    pub name: &'static str,
    /// The rule in words.
    pub rule: String,
    /// On clean episodes of the audit split.
    pub false_alarms: FalseAlarms,
    /// On clean episodes of the shifted set, which supports no claim.
    pub shifted_false_alarms: Option<FalseAlarms>,
    /// On disturbed episodes of the audit split.
    pub detection: Vec<Detection>,
}

impl SettingAudit {
    /// Detection of one kind.
    pub fn detection_of(&self, disturbance: Disturbance) -> Option<&Detection> {
        self.detection.iter().find(|d| d.disturbance == disturbance)
    }
}

/// Everything measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Audit {
    /// The share of false alarms that the rules claim.
    pub alpha: f64,
    /// Phase on the audit split.
    pub audit: PhaseSet,
    /// Phase on the shifted set.
    pub shifted: Option<PhaseSet>,
    /// By rule setting: the method's, then the recommended one.
    pub settings: Vec<SettingAudit>,
}

impl Audit {
    /// One setting.
    pub fn setting(&self, choice: RuleChoice) -> Option<&SettingAudit> {
        self.settings.iter().find(|s| s.name == choice.name())
    }
}

/// Steps that [`run`] reports.
pub const STEPS: u64 = 4 + Disturbance::ALL.len() as u64;

/// The clean episodes of the audit split, each without its own strand.
pub fn audit_sources(artifacts: &Artifacts, recording: &Recording) -> Vec<Source> {
    let episodes = recording.demos.episodes();
    artifacts.trained.split.audit.iter().map(|&owner| Source::clean(&episodes[owner], Some(owner))).collect()
}

/// The disturbed episodes of one kind, in the order of the clean ones; one whose gripper is never open where a
/// disturbance may begin is left out.
pub fn disturbed(sources: &[Source], disturbance: Disturbance, seed: u64) -> Vec<Disturbed> {
    let kind = Disturbance::ALL.iter().position(|d| *d == disturbance).unwrap_or(Disturbance::ALL.len());
    let mut random = Random::new(seed, DISTURBANCE_STREAM + kind as u64);
    sources.iter().filter_map(|source| disturb(source, disturbance, &mut random)).collect()
}

/// Runs the audit; `progress` hears after each of [`STEPS`] what comes next.
///
/// # Errors
/// [`CliError::Recovery`]; [`CliError::Usage`] when no demo is left for the audit.
pub fn run(
    artifacts: &Artifacts,
    recording: &Recording,
    shifted: Option<&Recording>,
    progress: &mut dyn FnMut(u64, &str),
) -> Result<Audit, CliError> {
    let (trained, seed) = (&artifacts.trained, artifacts.trained.training.seed);
    let sources = audit_sources(artifacts, recording);
    if sources.is_empty() {
        let reason = "no demo is left for the audit: a task needs at least three demos";
        return Err(CliError::Usage(format!("{}: {reason}", recording.file)));
    }
    let mut done = 0;
    let mut step = |next: &str| {
        progress(done, next);
        done += 1;
    };
    step("head over the audit split");
    let clean = Recorded::all(&trained.head, sources.clone());
    step("head over the shifted set");
    let far = shifted.map(|set| Recorded::all(&trained.head, shifted_sources(artifacts, set)));
    step("phase");
    let models = RuleChoice::ALL
        .into_iter()
        .map(|choice| Ok((choice, artifacts.model(choice.settings())?)))
        .collect::<Result<Vec<_>, CliError>>()?;
    let timed = |owner: usize| trained.split.train.contains(&owner);
    // The phase estimate does not depend on the rule.
    let any = &models[0].1;
    let swapped = recording.swapped.as_ref();
    let is_rarer = |i: usize| swapped.map(|s| s[trained.split.audit[i]]);
    let audit = phase_set(any, &clean, timed, &is_rarer)?;
    let shifted_phase = match (shifted, &far) {
        (Some(set), Some(far)) => Some(phase_set(any, far, timed, &|i| set.swapped.as_ref().map(|s| s[i]))?),
        _ => None,
    };
    step("false alarms");
    let mut settings = models
        .iter()
        .map(|(choice, model)| {
            Ok(SettingAudit {
                name: choice.name(),
                rule: choice.settings().to_string(),
                false_alarms: false_alarms(model, &clean)?,
                shifted_false_alarms: far.as_ref().map(|far| false_alarms(model, far)).transpose()?,
                detection: Vec::new(),
            })
        })
        .collect::<Result<Vec<_>, CliError>>()?;
    for disturbance in Disturbance::ALL {
        step(&disturbance.to_string());
        let (sources, onsets) = unzip(disturbed(&sources, disturbance, seed));
        let recorded = Recorded::all(&trained.head, sources);
        for (setting, (_, model)) in settings.iter_mut().zip(&models) {
            setting.detection.push(detection(model, disturbance, &recorded, &onsets)?);
        }
    }
    step("done");
    let alpha = RuleChoice::Method.settings().alpha;
    Ok(Audit { alpha, audit, shifted: shifted_phase, settings })
}

fn shifted_sources(artifacts: &Artifacts, recording: &Recording) -> Vec<Source> {
    let graph = artifacts.trained.graph();
    recording.demos.episodes().iter().map(|e| Source::clean(e, owner_of(graph, e))).collect()
}

fn phase_set(
    model: &SentinelModel,
    recorded: &[Recorded],
    timed: impl Fn(usize) -> bool + Sync,
    is_rarer: &dyn Fn(usize) -> Option<bool>,
) -> Result<PhaseSet, CliError> {
    let (all, tracks) = PhaseTable::new(model, recorded, timed)?;
    let known = (0..tracks.len()).any(|i| is_rarer(i).is_some());
    let rarer: Vec<&PhaseTrack> =
        tracks.iter().enumerate().filter(|(i, _)| is_rarer(*i) == Some(true)).map(|(_, t)| t).collect();
    Ok(PhaseSet { all, rarer_order: known.then(|| PhaseTable::of(&rarer)) })
}
