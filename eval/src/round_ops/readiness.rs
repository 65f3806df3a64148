//! When the monitor may start, and when a goal is worth sending again.
//!
//! The deploy command removes stale shared-memory files of DDS just before it launches the graph, and a participant made
//! earlier loses its own. It then prints a line with [`READINESS_MARKER`], and the monitor waits for it. A goal that ended
//! because the graph was not assembled yet, with no action chunk delivered, may be sent again; a stop, an overrun or a
//! capability mismatch never. Reference page, sections 3.7 and 15.5. Deciding only: [`super::gate`] reads the log and the
//! clock.

use crate::rounds::goal::GoalLog;
use crate::rounds::lines::{python_lines, text};

/// What the readiness line holds.
pub const READINESS_MARKER: &str = "dds_transport_ready:";
/// Time between two looks at the log, s.
pub const GATE_PERIOD_S: f64 = 0.05;
/// Time allowed for the readiness line, s.
pub const GATE_LIMIT_S: f64 = 300.0;
/// Time between two goals of the readiness retry, s.
pub const RETRY_PERIOD_S: f64 = 12.0;
/// Time allowed for the readiness retry, s.
pub const RETRY_LIMIT_S: f64 = 180.0;
/// What a failure says while the graph is not assembled.
pub const NOT_ASSEMBLED: [&str; 3] =
    ["ConnectivityException", "not part of the same tree", "expected camera"];

/// Longest beginning of a line that is kept until its end comes, bytes.
const LINE_KEPT_MAX: usize = 64 << 10;

/// What the gate says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The readiness line, stripped.
    Ready(String),
    /// Not yet.
    Waiting,
    /// It will not come: the deploy ended or time is over.
    Missing,
}

/// Looks for the readiness line in a log that grows.
#[derive(Clone, Debug, Default)]
pub struct ReadinessScan {
    /// The line that has no end yet.
    open: Vec<u8>,
    found: Option<String>,
}

impl ReadinessScan {
    /// Takes what was added to the log. A line counts before its end has come.
    pub fn feed(&mut self, added: &[u8]) {
        if self.found.is_some() {
            return;
        }
        self.open.extend_from_slice(added);
        self.found = python_lines(&self.open)
            .map(text)
            .find(|line| line.contains(READINESS_MARKER))
            .map(|line| line.trim().to_owned());
        if let Some(end) = memchr::memrchr(b'\n', &self.open) {
            self.open.drain(..=end);
        }
        if self.open.len() > LINE_KEPT_MAX {
            self.open.drain(..self.open.len() - LINE_KEPT_MAX);
        }
    }

    /// Decides, after the log was read: what it holds counts although the deploy has ended.
    pub fn gate(&self, deploy_alive: bool, waited_s: f64, limit_s: f64) -> Gate {
        match &self.found {
            Some(line) => Gate::Ready(line.clone()),
            None if deploy_alive && waited_s < limit_s => Gate::Waiting,
            None => Gate::Missing,
        }
    }
}

/// What is written beside the monitor's stream.
pub fn gate_note(gate: &Gate) -> String {
    match gate {
        Gate::Ready(line) => {
            format!(
                "The monitor was started after the deploy command had printed its readiness line:\n{line}\n"
            )
        }
        Gate::Waiting | Gate::Missing => format!(
            "WARNING: the line `{READINESS_MARKER}` never came, and the monitor was started without it.\nAn empty monitor \
             file is then missing evidence, not a quiet run.\n"
        ),
    }
}

/// Why a goal may be sent again, in the dispatcher's words; none where its end is an answer, or where there is no log.
pub fn retry_reason(log: Option<&GoalLog>) -> Option<&str> {
    let status = log?.status.as_ref()?;
    let delivered = status.latest_chunk.is_some_and(|chunk| chunk != 0);
    let reason = status.failure_reason.as_str();
    (!delivered && NOT_ASSEMBLED.iter().any(|text| reason.contains(text))).then_some(reason)
}

/// The same, while time for another goal is left. `waited_s` counts from the first goal.
pub fn retry(log: Option<&GoalLog>, waited_s: f64) -> Option<&str> {
    retry_reason(log).filter(|_| waited_s + RETRY_PERIOD_S <= RETRY_LIMIT_S)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rounds::goal;
    use proptest::prelude::*;

    const LINE: &[u8] = b"  dds_transport_ready: rmw=rmw_fastrtps_cpp shm_purged=41 shm_kept_live=0\n";

    #[test]
    fn the_line_counts_although_the_deploy_has_ended_or_time_is_over() {
        let mut scan = ReadinessScan::default();
        assert_eq!(scan.gate(true, 0.0, 300.0), Gate::Waiting);
        assert_eq!(scan.gate(false, 0.0, 300.0), Gate::Missing);
        assert_eq!(scan.gate(true, 300.0, 300.0), Gate::Missing);
        scan.feed(LINE);
        let line = "dds_transport_ready: rmw=rmw_fastrtps_cpp shm_purged=41 shm_kept_live=0".to_owned();
        assert_eq!(scan.gate(false, 301.0, 300.0), Gate::Ready(line.clone()));
        assert!(gate_note(&Gate::Ready(line.clone())).contains(&line));
        assert!(gate_note(&Gate::Missing).contains("missing evidence"));
    }

    #[test]
    fn g16_only_a_graph_that_is_not_assembled_is_asked_again() {
        let reason = |text: &str| retry_reason(Some(&goal::parse(text.as_bytes()))).map(str::to_owned);
        let connectivity = "ConnectivityException: base_link and map are not part of the same tree";
        let log =
            |reason: &str, more: &str| format!(r#"{{"failure_reason": "{reason}", "status": 6{more}}}"#);
        assert_eq!(reason(&log(connectivity, r#", "latest_chunk": 0"#)).as_deref(), Some(connectivity));
        assert_eq!(
            reason(&log("expected camera front, got none", "")).as_deref(),
            Some("expected camera front, got none")
        );
        assert_eq!(reason(r#"{"latest_chunk": 400, "status": -1, "success": false}"#), None);
        assert_eq!(reason(&log("E-stop: safety.collision", r#", "latest_chunk": 161"#)), None);
        assert_eq!(reason(&log("capability mismatch: needs a gripper", "")), None);
        assert_eq!(reason(&log(connectivity, r#", "latest_chunk": 240"#)), None);
        assert_eq!(retry_reason(None), None);
    }

    #[test]
    fn a_count_that_is_no_integer_is_no_delivered_chunk() {
        for count in ["null", "\"7\"", "7.5", "true", "0"] {
            let text =
                format!(r#"{{"failure_reason": "expected camera", "status": 6, "latest_chunk": {count}}}"#);
            assert!(retry_reason(Some(&goal::parse(text.as_bytes()))).is_some(), "{count}");
        }
        assert_eq!(retry_reason(Some(&goal::parse(b"expected camera"))), None, "no status, no answer");
    }

    #[test]
    fn the_retry_ends_with_its_time() {
        let log = goal::parse(br#"{"failure_reason": "expected camera", "status": 6}"#);
        assert!(retry(Some(&log), 0.0).is_some());
        assert!(retry(Some(&log), 168.0).is_some());
        assert!(retry(Some(&log), 168.5).is_none());
    }

    proptest! {
        #[test]
        fn the_line_is_found_however_the_log_grows(
            before in "([a-z]{0,20}\n){0,5}[a-z]{0,5}", cuts in prop::collection::vec(1_usize..30, 0..20),
        ) {
            let log = [before.as_bytes(), LINE, b"next\n"].concat();
            let mut scan = ReadinessScan::default();
            let mut at = 0;
            for cut in cuts.into_iter().chain([log.len()]) {
                let end = (at + cut).min(log.len());
                scan.feed(&log[at..end]);
                at = end;
            }
            let Gate::Ready(line) = scan.gate(true, 0.0, 1.0) else { panic!("not found") };
            prop_assert!(line.contains("dds_transport_ready:"));
        }
    }
}
