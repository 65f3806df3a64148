//! Start poses: which ones, and what the servo did with them.

use super::recording::{Recording, owner_of};
use rollcheck_engine::graph::DemoGraph;
use rollcheck_models::audit::entry::{EntryRun, Start};

/// Every start pose of a file for every task; without such poses, each episode's first frame for its own task,
/// leaving out the demo that the episode is.
pub fn starts(graph: &DemoGraph, recording: &Recording, tasks: &[i32]) -> Vec<Start> {
    if recording.starts.is_empty() {
        return recorded(graph, recording, tasks);
    }
    let of_task = |task: i32| {
        recording.starts.iter().map(move |(q, level)| Start {
            task,
            q: q.clone(),
            level: *level,
            closed: false,
            owner: None,
        })
    };
    tasks.iter().flat_map(|&task| of_task(task)).collect()
}

/// Start pose `i` of a file for the task `i` mod their number.
pub fn starts_in_turn(recording: &Recording, tasks: &[i32]) -> Vec<Start> {
    let turn = recording.starts.iter().zip(tasks.iter().cycle());
    turn.map(|((q, level), &task)| Start { task, q: q.clone(), level: *level, closed: false, owner: None })
        .collect()
}

/// Each episode's first frame, for its own task; the level is the file's, 0 where it tells none.
pub fn recorded(graph: &DemoGraph, recording: &Recording, tasks: &[i32]) -> Vec<Start> {
    let level = |i: usize| recording.level.as_ref().map_or(0.0, |levels| levels[i]);
    let episodes = recording.demos.episodes().iter().enumerate();
    episodes
        .filter(|(_, episode)| tasks.contains(&episode.task_id()))
        .map(|(i, episode)| Start {
            task: episode.task_id(),
            q: episode.q(0).to_vec(),
            level: level(i),
            closed: episode.closed(0),
            owner: owner_of(graph, episode),
        })
        .collect()
}

/// Mean distance (rad) to the frame that is followed, before the first control step and after each, over the
/// rewound starts of a level. A run that has ended keeps its last distance.
pub fn approach(runs: &[EntryRun], level: f64) -> Vec<f64> {
    let curves: Vec<Vec<f64>> = runs
        .iter()
        .filter(|run| run.start.level == level)
        .filter_map(|run| {
            let after = run.servo.as_ref()?.steps.iter().map(|step| step.error_rad);
            Some(std::iter::once(run.plan.error_rad).chain(after).collect())
        })
        .collect();
    let longest = curves.iter().map(Vec::len).max().unwrap_or(0);
    let at = |curve: &Vec<f64>, k: usize| curve[k.min(curve.len() - 1)];
    (0..longest).map(|k| curves.iter().map(|c| at(c, k)).sum::<f64>() / curves.len() as f64).collect()
}
