//! Demonstrations from `.npz`, in the layout of `fixtures/demos/README.md`.
//!
//! Frames of all episodes are concatenated: `q` (F x dof, float, rad), the gripper command as `action`
//! (F x any, float; the last column closes when > 0) or as `gripper` (F, 0 or 1), `demo_start` (D + 1,
//! integer), `demo_task` (D, integer), `rate_hz` (scalar or D, float). Optional: `task_id` and
//! `task_language`. Other arrays are left alone.

use super::episode::{DemoSet, Episode, Origin, TaskInfo};
use super::error::DemoError;
use crate::store::arrays::{Arrays, Dim};
use crate::store::npz;
use std::path::Path;

/// Reads a file.
///
/// # Errors
/// [`DemoError`], naming file, episode, field and index.
pub fn read(path: &Path) -> Result<DemoSet, DemoError> {
    from_arrays(&npz::read(path)?)
}

/// As [`read`], from arrays.
///
/// # Errors
/// As [`read`].
pub fn from_arrays(arrays: &Arrays) -> Result<DemoSet, DemoError> {
    let file = arrays.file();
    let q = arrays.f64("q", &[Dim::Any, Dim::Any])?;
    let shape = &arrays.get("q")?.shape;
    let (frames, dof) = (shape[0], shape[1]);
    let start = boundaries(arrays, frames)?;
    let closed = gripper(arrays, frames, &start)?;
    let demos = start.len() - 1;
    if demos == 0 {
        return Err(DemoError::Empty { file: file.to_owned() });
    }
    let task = arrays.i32("demo_task", &[Dim::Is(demos)])?;
    let rate = match arrays.get("rate_hz")?.shape.len() {
        0 => vec![arrays.f64("rate_hz", &[])?[0]; demos],
        _ => arrays.f64("rate_hz", &[Dim::Is(demos)])?,
    };
    let episodes = (0..demos)
        .map(|episode| {
            let (from, to) = (start[episode], start[episode + 1]);
            let origin = Origin { file, episode, field: "q" };
            let closed = closed[from..to].to_vec();
            Episode::new(q[from * dof..to * dof].to_vec(), dof, closed, task[episode], rate[episode], origin)
        })
        .collect::<Result<Vec<_>, _>>()?;
    DemoSet::new(episodes, task_infos(arrays)?, Origin { file, episode: 0, field: "q" })
}

fn gripper(arrays: &Arrays, frames: usize, start: &[usize]) -> Result<Vec<bool>, DemoError> {
    let lengths = |field: &str, found: usize| DemoError::Lengths {
        file: arrays.file().to_owned(),
        field: field.to_owned(),
        unit: "frames",
        other: "q".to_owned(),
        expected: frames,
        found,
    };
    let refuse = |field: &str, frame: usize, expected: &'static str, found: f64| {
        let episode = start.partition_point(|&s| s <= frame).saturating_sub(1);
        DemoError::Gripper {
            file: arrays.file().to_owned(),
            episode,
            field: field.to_owned(),
            frame: frame - start[episode],
            expected,
            found,
        }
    };
    if arrays.find("gripper").is_some() {
        let commands = arrays.i64("gripper", &[Dim::Any])?;
        if commands.len() != frames {
            return Err(lengths("gripper", commands.len()));
        }
        let flag = |(frame, &command): (usize, &i64)| match command {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(refuse("gripper", frame, "0 or 1", command as f64)),
        };
        return commands.iter().enumerate().map(flag).collect();
    }
    let action = arrays.f64("action", &[Dim::Any, Dim::Any])?;
    let (rows, columns) = (arrays.get("action")?.shape[0], arrays.get("action")?.shape[1]);
    if rows != frames {
        return Err(lengths("action", rows));
    }
    if columns == 0 {
        return Err(arrays.value_error("action", 0, "at least one column", "no column").into());
    }
    let mut closed = Vec::with_capacity(frames);
    for frame in 0..frames {
        let at = frame * columns + columns - 1;
        if !action[at].is_finite() {
            return Err(refuse("action", frame, "a finite number", action[at]));
        }
        closed.push(action[at] > 0.0);
    }
    Ok(closed)
}

fn boundaries(arrays: &Arrays, frames: usize) -> Result<Vec<usize>, DemoError> {
    const FIELD: &str = "demo_start";
    let start = arrays.i64(FIELD, &[Dim::Any])?;
    let refuse = |index: usize, expected: String, found: i64| DemoError::Boundary {
        file: arrays.file().to_owned(),
        field: FIELD.to_owned(),
        index,
        expected,
        found,
    };
    let (Some(&first), Some(&last)) = (start.first(), start.last()) else {
        return Err(DemoError::Empty { file: arrays.file().to_owned() });
    };
    if first != 0 {
        return Err(refuse(0, "0".to_owned(), first));
    }
    if let Some(i) = start.windows(2).position(|w| w[1] < w[0]) {
        return Err(refuse(i + 1, format!("at least {}", start[i]), start[i + 1]));
    }
    if last != frames as i64 {
        return Err(refuse(start.len() - 1, format!("{frames}, the frames of `q`"), last));
    }
    Ok(start.iter().map(|&s| s as usize).collect())
}

fn task_infos(arrays: &Arrays) -> Result<Vec<TaskInfo>, DemoError> {
    if arrays.find("task_id").is_none() || arrays.find("task_language").is_none() {
        return Ok(Vec::new());
    }
    let ids = arrays.i32("task_id", &[Dim::Any])?;
    let language = arrays.texts("task_language", &[Dim::Is(ids.len())])?;
    Ok(ids.into_iter().zip(language).map(|(id, text)| TaskInfo { id, language: text.clone() }).collect())
}
