//! Time of a whole check on one thread: head, filter, tests, read-out.

use crate::error::CliError;
use rollcheck_engine::recovery::{SentinelModel, SentinelWorker};
use rollcheck_engine::when::pooling::quantile;
use rollcheck_models::audit::Source;
use rollcheck_models::head::{Head, HeadWorker};
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;

/// Quantiles over checks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CheckTimes {
    /// Checks timed.
    pub checks: usize,
    /// Median, ms; `None` where nothing was timed.
    pub p50: Option<f64>,
    /// 99th percentile, ms.
    pub p99: Option<f64>,
}

/// Times every check of the episodes; the first episode also runs once untimed, to warm up.
///
/// # Errors
/// [`CliError::Recovery`].
pub fn check_times(
    model: &SentinelModel,
    head: &Arc<Head>,
    sources: &[Source],
) -> Result<CheckTimes, CliError> {
    let mut worker_head = HeadWorker::new(Arc::clone(head));
    let mut times_ms = Vec::new();
    for (i, source) in sources.iter().take(1).chain(sources).enumerate() {
        let model = source.owner.map_or_else(|| model.clone(), |owner| model.without_owner(owner));
        let mut worker = SentinelWorker::new(Arc::new(model), source.episode.task_id())?;
        for check in 0..source.checks() {
            let window = source.window(check);
            let before = Instant::now();
            worker.check(&mut worker_head, &window)?;
            if i > 0 {
                times_ms.push(before.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    times_ms.sort_by(f64::total_cmp);
    Ok(CheckTimes { checks: times_ms.len(), p50: quantile(&times_ms, 0.5), p99: quantile(&times_ms, 0.99) })
}
