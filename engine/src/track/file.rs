//! `g_track.npz`.
//!
//! `pi` (8), `advance_set` (8, raw frames), `beta`, `leak`, `tau`, `sibling_rule`; for each bank `null_<name>`
//! with `_owner`, `_task`, `_bin` and, by task and bin, `_level` (0 cell, 1 task, 2 everything); `task_ids`,
//! `basin_r`, `basin_h` (task x bin, rad), `basin_level`, `basin_count`; the constants of the rules; counts of
//! replays; `graph_hash` and `head_hash`.

use super::error::TrackError;
use super::parameters::{Banks, TrackParameters};
use crate::belief::{AdvanceParameters, SiblingRule};
use crate::constants::{
    BASIN_BANDWIDTH_QUANTILE, BASIN_RADIUS_QUANTILE, MAX_INTERVENTIONS, MIN_BANK, NBINS_ALIGN,
    TRACK_ADVANCE_SET, TRACK_ALPHA_EVIDENCE, TRACK_LAM,
};
use crate::store::arrays::{Arrays, Data, Dim};
use crate::store::{GraphHash, HeadHash, npz};
use crate::when::pooling::PoolLevel;
use crate::when::{BasinCell, BasinTable, NullBank};
use std::path::Path;

/// File name of the fitted parameters.
pub const TRACK_FILE: &str = "g_track.npz";

/// Writes the file, atomically.
///
/// # Errors
/// [`TrackError::Store`].
pub fn write(folder: &Path, parameters: &TrackParameters) -> Result<(), TrackError> {
    Ok(npz::write(&folder.join(TRACK_FILE), &to_arrays(parameters))?)
}

/// Reads the file of a folder, made for this graph and this head.
///
/// # Errors
/// [`TrackError`]: unreadable, of another graph or head, malformed.
pub fn read(folder: &Path, graph: &GraphHash, head: &HeadHash) -> Result<TrackParameters, TrackError> {
    from_arrays(&npz::read(&folder.join(TRACK_FILE))?, graph, head)
}

/// The arrays of the file.
pub fn to_arrays(parameters: &TrackParameters) -> Arrays {
    let mut arrays = Arrays::new(TRACK_FILE);
    let scalar = |x: f64| Data::F64(vec![x]);
    arrays.push("pi", &[parameters.advance.pi.len()], Data::F64(parameters.advance.pi.to_vec()));
    let advances: Vec<i32> = TRACK_ADVANCE_SET.iter().map(|&a| a as i32).collect();
    arrays.push("advance_set", &[advances.len()], Data::I32(advances));
    arrays.push("beta", &[], scalar(parameters.advance.beta));
    arrays.push("leak", &[], scalar(parameters.leak));
    arrays.push("tau", &[], scalar(parameters.tau));
    arrays.push_text("sibling_rule", sibling_name(parameters.advance.siblings));
    let tasks = parameters.basin.tasks();
    for (name, bank) in banks(&parameters.banks) {
        let n = [bank.len()];
        arrays.push(name, &n, Data::F64(bank.value().to_vec()));
        arrays.push(format!("{name}_owner"), &n, Data::I32(bank.owner().to_vec()));
        arrays.push(format!("{name}_task"), &n, Data::I32(bank.task_id().to_vec()));
        arrays.push(format!("{name}_bin"), &n, Data::I32(bank.bin().to_vec()));
        let prepared = bank.prepare();
        let levels = tasks
            .iter()
            .flat_map(|&t| (0..NBINS_ALIGN).map(move |b| (t, b)))
            .map(|(t, b)| prepared.support(t, b).1.code())
            .collect();
        arrays.push(format!("{name}_level"), &[tasks.len(), NBINS_ALIGN], Data::I32(levels));
    }
    let cells = parameters.basin.cells();
    let shape = [cells.len() / NBINS_ALIGN, NBINS_ALIGN];
    arrays.push("task_ids", &[tasks.len()], Data::I32(tasks.to_vec()));
    arrays.push("basin_r", &shape, Data::F64(cells.iter().map(|c| c.radius_rad).collect()));
    arrays.push("basin_h", &shape, Data::F64(cells.iter().map(|c| c.bandwidth_rad).collect()));
    arrays.push("basin_level", &shape, Data::I32(cells.iter().map(|c| c.level.code()).collect()));
    arrays.push("basin_count", &shape, Data::I32(cells.iter().map(|c| c.count as i32).collect()));
    for (name, value) in [
        ("track_alpha", TRACK_ALPHA_EVIDENCE),
        ("track_lam", TRACK_LAM),
        ("basin_radius_quantile", BASIN_RADIUS_QUANTILE),
        ("basin_bandwidth_quantile", BASIN_BANDWIDTH_QUANTILE),
    ] {
        arrays.push(name, &[], scalar(value));
    }
    for (name, value) in [
        ("max_interventions", MAX_INTERVENTIONS),
        ("min_bank", MIN_BANK),
        ("replays", parameters.replays),
        ("checks", parameters.checks),
    ] {
        arrays.push(name, &[], Data::I64(vec![value as i64]));
    }
    arrays.push_text("summary", parameters.summary.clone());
    parameters.graph.stamp(&mut arrays);
    parameters.head.stamp(&mut arrays);
    arrays
}

/// Parameters from arrays.
///
/// # Errors
/// As [`read`].
pub fn from_arrays(
    arrays: &Arrays,
    graph: &GraphHash,
    head: &HeadHash,
) -> Result<TrackParameters, TrackError> {
    graph.verify(arrays)?;
    head.verify(arrays)?;
    check_constants(arrays)?;
    let file = || arrays.file().to_owned();
    let scalar = |name: &str| Ok::<_, TrackError>(arrays.f64(name, &[])?[0]);
    let count = |name: &str| -> Result<usize, TrackError> {
        let found = arrays.i64(name, &[])?[0];
        usize::try_from(found).map_err(|_| arrays.value_error(name, 0, "at least 0", found).into())
    };
    let advances = arrays.i32("advance_set", &[Dim::Is(TRACK_ADVANCE_SET.len())])?;
    if let Some(i) = (0..advances.len()).find(|&i| advances[i] != TRACK_ADVANCE_SET[i] as i32) {
        return Err(arrays
            .value_error("advance_set", i, TRACK_ADVANCE_SET[i].to_string(), advances[i])
            .into());
    }
    let weights = arrays.f64("pi", &[Dim::Is(TRACK_ADVANCE_SET.len())])?;
    let mut pi = [0.0; TRACK_ADVANCE_SET.len()];
    pi.copy_from_slice(&weights);
    let rule = arrays.text("sibling_rule")?;
    let siblings = [SiblingRule::Near, SiblingRule::All]
        .into_iter()
        .find(|&s| sibling_name(s) == rule)
        .ok_or_else(|| arrays.value_error("sibling_rule", 0, "near or all", rule))?;
    let advance = AdvanceParameters { pi, beta: scalar("beta")?, siblings };
    advance.check().map_err(|source| TrackError::Advance { file: file(), source })?;
    let leak = share(arrays, "leak", scalar("leak")?)?;
    let tau = scalar("tau")?;
    if !(tau.is_finite() && tau > 0.0) {
        return Err(arrays.value_error("tau", 0, "a positive temperature", tau).into());
    }
    Ok(TrackParameters {
        advance,
        leak,
        tau,
        banks: Banks {
            basin: bank(arrays, NAMES[0])?,
            progress: bank(arrays, NAMES[1])?,
            evidence: bank(arrays, NAMES[2])?,
        },
        basin: table(arrays)?,
        replays: count("replays")?,
        checks: count("checks")?,
        summary: arrays.text("summary")?.to_owned(),
        graph: graph.clone(),
        head: head.clone(),
    })
}

const NAMES: [&str; 3] = ["null_basin", "null_progress", "null_evidence"];

fn banks(banks: &Banks) -> [(&'static str, &NullBank); 3] {
    [(NAMES[0], &banks.basin), (NAMES[1], &banks.progress), (NAMES[2], &banks.evidence)]
}

fn sibling_name(rule: SiblingRule) -> &'static str {
    match rule {
        SiblingRule::Near => "near",
        SiblingRule::All => "all",
    }
}

fn share(arrays: &Arrays, name: &str, found: f64) -> Result<f64, TrackError> {
    if (0.0..=1.0).contains(&found) {
        return Ok(found);
    }
    Err(arrays.value_error(name, 0, "a share from 0 to 1", found).into())
}

/// Refuses a table or banks that were made by another rule than the one that will read them.
fn check_constants(arrays: &Arrays) -> Result<(), TrackError> {
    for (name, expected) in [
        ("basin_radius_quantile", BASIN_RADIUS_QUANTILE),
        ("basin_bandwidth_quantile", BASIN_BANDWIDTH_QUANTILE),
    ] {
        let found = arrays.f64(name, &[])?[0];
        if found != expected {
            return Err(arrays.value_error(name, 0, expected.to_string(), found).into());
        }
    }
    let found = arrays.i64("min_bank", &[])?[0];
    if found != MIN_BANK as i64 {
        return Err(arrays.value_error("min_bank", 0, MIN_BANK.to_string(), found).into());
    }
    Ok(())
}

fn bank(arrays: &Arrays, name: &'static str) -> Result<NullBank, TrackError> {
    let value = arrays.f64(name, &[Dim::Any])?;
    let n = [Dim::Is(value.len())];
    let column = |part: &str| arrays.i32(&format!("{name}_{part}"), &n);
    NullBank::new(value, column("owner")?, column("task")?, column("bin")?)
        .map_err(|source| TrackError::When { file: arrays.file().to_owned(), part: name, source })
}

fn table(arrays: &Arrays) -> Result<BasinTable, TrackError> {
    let tasks = arrays.i32("task_ids", &[Dim::Any])?;
    let radius = arrays.f64("basin_r", &[Dim::Any, Dim::Is(NBINS_ALIGN)])?;
    let shape = [Dim::Is(radius.len() / NBINS_ALIGN), Dim::Is(NBINS_ALIGN)];
    let bandwidth = arrays.f64("basin_h", &shape)?;
    let level = arrays.i32("basin_level", &shape)?;
    let count = arrays.i32("basin_count", &shape)?;
    let mut cells = Vec::with_capacity(radius.len());
    for i in 0..radius.len() {
        let level = PoolLevel::from_code(level[i])
            .ok_or_else(|| arrays.value_error("basin_level", i, "0, 1 or 2", level[i]))?;
        let count = usize::try_from(count[i])
            .map_err(|_| arrays.value_error("basin_count", i, "at least 0", count[i]))?;
        cells.push(BasinCell { radius_rad: radius[i], bandwidth_rad: bandwidth[i], level, count });
    }
    BasinTable::from_cells(tasks, cells).map_err(|source| TrackError::When {
        file: arrays.file().to_owned(),
        part: "basin table",
        source,
    })
}
