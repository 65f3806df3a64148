//! The goal log: the dispatcher's one status line, or its traceback.
//!
//! Reference page, section 5. The last object with a `status` is the status. Without one, a log that says anything is
//! the dispatcher's failure.

use super::json;
use super::lines;
use serde_json::{Map, Value};

/// What the dispatcher printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GoalLog {
    /// The log has a line at all, blank or not.
    pub has_lines: bool,
    /// The last status.
    pub status: Option<GoalStatus>,
    /// Last line that is not blank, where there is no status.
    pub last_line: Option<String>,
    /// A traceback was printed.
    pub traceback: bool,
}

/// A status line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GoalStatus {
    /// ROS goal status (4 succeeded, 5 cancelled, 6 aborted), -1 an overrun; none where it is no integer.
    pub code: Option<i64>,
    /// Why the goal ended, or empty.
    pub failure_reason: String,
    /// Duration of the goal, s.
    pub wall_s: Option<f64>,
    /// Action chunks that were delivered.
    pub latest_chunk: Option<i64>,
    /// Time to the first chunk, s.
    pub first_chunk_s: Option<f64>,
}

impl GoalLog {
    /// Why the goal ended, in the dispatcher's words or about them; empty when nothing was said.
    pub fn failure_reason(&self) -> String {
        match (&self.status, &self.last_line) {
            (Some(status), _) => status.failure_reason.clone(),
            (None, Some(line)) if self.traceback => format!("the dispatcher raised: {line}"),
            (None, Some(line)) => format!("the dispatcher wrote no status line; its last line is: {line}"),
            (None, None) => String::new(),
        }
    }
}

/// A whole goal log.
pub fn parse(bytes: &[u8]) -> GoalLog {
    let mut log = GoalLog::default();
    log.feed(bytes);
    log
}

impl GoalLog {
    /// Takes the next whole lines.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.has_lines |= !bytes.is_empty();
        for line in lines::python_lines(bytes) {
            let text = lines::text(line);
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            self.traceback |= text.contains("Traceback (most recent call last):");
            self.last_line = Some(text.to_owned());
            if let Some(object) = json::decode_object(text)
                && object.contains_key("status")
            {
                self.status = Some(status(&object));
            }
        }
    }
}

fn status(object: &Map<String, Value>) -> GoalStatus {
    let number = |key: &str| json::number(object.get(key));
    GoalStatus {
        code: json::integer(object.get("status")),
        failure_reason: object.get("failure_reason").map(json::printed).unwrap_or_default(),
        wall_s: number("wall_s"),
        latest_chunk: json::integer(object.get("latest_chunk")),
        first_chunk_s: number("first_chunk_s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_status_wins_over_whatever_else_is_printed() {
        let log = parse(
            b"{\"status\": 4}\nwarning: x\n{\"latest\": 1}\n  {\"failure_reason\": \"late\", \"first_chunk_s\": null, \
              \"latest_chunk\": 263, \"status\": 6, \"wall_s\": 222.8}\n\nbye\n",
        );
        let status = log.status.unwrap();
        assert_eq!((status.code, status.failure_reason.as_str()), (Some(6), "late"));
        assert_eq!(
            (status.wall_s, status.latest_chunk, status.first_chunk_s),
            (Some(222.8), Some(263), None)
        );
    }

    #[test]
    fn without_a_status_the_last_line_is_quoted() {
        let raised = parse(b"Traceback (most recent call last):\n  File x\nRuntimeError: gone\n\n");
        assert_eq!(raised.failure_reason(), "the dispatcher raised: RuntimeError: gone");
        let silent = parse(b"{\"latest_chunk\": 3}\n");
        assert_eq!(
            silent.failure_reason(),
            "the dispatcher wrote no status line; its last line is: {\"latest_chunk\": 3}"
        );
        assert_eq!(parse(b"").failure_reason(), "");
        let blank = parse(b"\n \n");
        assert!(blank.has_lines);
        assert_eq!(blank.failure_reason(), "");
    }

    #[test]
    fn a_reason_that_is_no_text_is_printed() {
        assert_eq!(parse(b"{\"status\": -1, \"failure_reason\": null}").failure_reason(), "None");
        assert_eq!(parse(b"{\"status\": -1, \"failure_reason\": NaN}").failure_reason(), "nan");
        assert_eq!(parse(b"{\"status\": -1, \"failure_reason\": [true]}").failure_reason(), "[True]");
        assert_eq!(parse(b"{\"status\": -1}").failure_reason(), "");
        assert_eq!(parse(b"{\"status\": \"x\", \"wall_s\": \"3\"}").status.unwrap().wall_s, None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes).failure_reason();
        }
    }
}
