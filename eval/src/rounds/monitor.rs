//! The monitor stream: JSON lines of attachments, voxel grids and place declarations.
//!
//! Reference page, section 4. Lines end at newlines alone. A blank line is nothing; one that does not decode to an
//! object is skipped and counted, and reading goes on behind it: after a power cut a file may hold a run of NUL bytes
//! glued to the next record, and that record is lost with them. A decoded record whose needed value has another type is
//! refused.

use super::error::{RoundError, shown};
use super::json;
use super::lines::{self, Block, Skipped};
use serde_json::{Map, Value};

/// What the monitor saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Monitor {
    /// Records received; its own start and stop do not count.
    pub records: i64,
    /// Edge of a voxel, of the first grid that states one, m.
    pub grid_resolution_m: Option<f64>,
    /// First attachment, s since the monitor started.
    pub attach_t_s: Option<f64>,
    /// First detachment, s since the monitor started.
    pub detach_t_s: Option<f64>,
    /// Last support that was seen.
    pub support_id: Option<String>,
    /// A declaration with a region was seen.
    pub place_declaration_seen: bool,
    /// Lines that were skipped: no JSON object.
    pub skipped: Skipped,
}

/// Reads a stream block by block.
pub struct MonitorScanner {
    file: String,
    monitor: Monitor,
    carried: bool,
}

impl MonitorScanner {
    /// A scanner; `file` is named in errors.
    pub fn new(file: impl Into<String>) -> Self {
        Self { file: file.into(), monitor: Monitor::default(), carried: false }
    }

    /// Takes the next lines.
    ///
    /// # Errors
    /// [`RoundError::Field`]: a record whose needed value has another type.
    pub fn feed(&mut self, block: Block<'_>) -> Result<(), RoundError> {
        for (index, line) in block.bytes.split(|&b| b == b'\n').enumerate() {
            let number = block.first_line + index as u64;
            // Universal newlines: a lone carriage return ends a line too.
            for line in line.split(|&b| b == b'\r') {
                self.line(line, number)?;
            }
        }
        Ok(())
    }

    /// What the monitor saw.
    pub fn finish(self) -> Monitor {
        self.monitor
    }

    fn line(&mut self, line: &[u8], number: u64) -> Result<(), RoundError> {
        let text = lines::text(line);
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        let Some(record) = json::decode_object(text) else {
            self.monitor.skipped.add(number);
            return Ok(());
        };
        self.record(&record, number)
    }

    fn record(&mut self, record: &Map<String, Value>, line: u64) -> Result<(), RoundError> {
        let event = json::text(record.get("event")).unwrap_or_default();
        if matches!(event, "monitor_started" | "monitor_stopped") {
            return Ok(());
        }
        self.monitor.records += 1;
        match event {
            "world_voxels" => self.grid(record, line),
            "attachment_state" => self.attachment(record, line),
            "place_declaration" => {
                let region =
                    record.get("declaration").and_then(Value::as_object).and_then(|d| d.get("region"));
                self.monitor.place_declaration_seen |= region.is_some_and(json::truthy);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn grid(&mut self, record: &Map<String, Value>, line: u64) -> Result<(), RoundError> {
        if self.monitor.grid_resolution_m.is_some() {
            return Ok(());
        }
        match record.get("resolution") {
            None | Some(Value::Null) => {}
            Some(Value::Number(n)) => self.monitor.grid_resolution_m = n.as_f64(),
            Some(other) => {
                return Err(self.malformed("world_voxels.resolution", "a number of metres", other, line));
            }
        }
        Ok(())
    }

    fn attachment(&mut self, record: &Map<String, Value>, line: u64) -> Result<(), RoundError> {
        let objects = match record.get("objects") {
            None | Some(Value::Null) => &[][..],
            Some(Value::Array(objects)) => objects.as_slice(),
            Some(other) => return Err(self.malformed("attachment_state.objects", "an array", other, line)),
        };
        let t_s = record.get("t").and_then(Value::as_f64);
        for object in objects {
            let Some(object) = object.as_object() else {
                return Err(self.malformed("attachment_state.objects[]", "an object", object, line));
            };
            let contact = object.get("support_contact").and_then(Value::as_object);
            let support = json::text(contact.and_then(|c| c.get("support_id")));
            if let Some(support) = support.filter(|s| !s.is_empty()) {
                self.monitor.support_id = Some(support.to_owned());
            }
        }
        if !objects.is_empty() && self.monitor.attach_t_s.is_none() {
            self.monitor.attach_t_s = t_s;
        }
        if objects.is_empty() && self.carried && self.monitor.detach_t_s.is_none() {
            self.monitor.detach_t_s = t_s;
        }
        self.carried = !objects.is_empty();
        Ok(())
    }

    fn malformed(&self, field: &str, expected: &'static str, found: &Value, line: u64) -> RoundError {
        RoundError::Field {
            file: self.file.clone(),
            line: Some(line),
            field: field.to_owned(),
            expected,
            found: shown(found),
        }
    }
}

/// A whole stream that is at hand.
///
/// # Errors
/// As [`MonitorScanner::feed`].
pub fn parse(bytes: &[u8], file: &str) -> Result<Monitor, RoundError> {
    let mut scanner = MonitorScanner::new(file);
    scanner.feed(Block { bytes, first_line: 1 })?;
    Ok(scanner.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Monitor {
        parse(text.as_bytes(), "run_monitor.jsonl").unwrap()
    }

    #[test]
    fn t07_the_grid_is_that_of_the_first_record_that_states_one() {
        let text = r#"{"event": "world_voxels", "resolution": null, "t": 1.0}
{"event": "world_voxels", "resolution": 0.025, "t": 2.0}
{"event": "world_voxels", "resolution": 0.05, "t": 3.0}"#;
        assert_eq!(of(text).grid_resolution_m, Some(0.025));
        assert_eq!(of("").grid_resolution_m, None);
    }

    #[test]
    fn t08_start_and_stop_are_not_received() {
        let text =
            "{\"event\": \"monitor_started\", \"t\": 0.0}\n{\"event\": \"monitor_stopped\", \"t\": 3.0}\n";
        assert_eq!(of(text).records, 0);
        assert_eq!(of("{\"t\": 1.0}\n{\"event\": 3}\n").records, 2, "a record of no known event counts");
    }

    #[test]
    fn an_attachment_without_a_time_leaves_it_to_a_later_one() {
        let text = r#"{"event": "attachment_state", "objects": null, "t": 0.5}
{"event": "attachment_state", "objects": [{"support_contact": {"support_id": "sim:a"}}], "t": "1"}
{"event": "attachment_state", "objects": [{"support_contact": {"support_id": ""}}], "t": 2.5}
{"event": "attachment_state", "objects": [], "t": 4}
{"event": "attachment_state", "objects": [], "t": 5}"#;
        let monitor = of(text);
        assert_eq!((monitor.attach_t_s, monitor.detach_t_s), (Some(2.5), Some(4.0)));
        assert_eq!(monitor.support_id.as_deref(), Some("sim:a"));
    }

    #[test]
    fn a_declaration_needs_a_region() {
        let seen = |declaration: &str| {
            of(&format!("{{\"event\": \"place_declaration\", \"declaration\": {declaration}}}"))
                .place_declaration_seen
        };
        assert!(seen(r#"{"region": {"x": 1}}"#));
        for without in ["null", "{}", r#"{"region": null}"#, r#"{"region": {}}"#, "[1]"] {
            assert!(!seen(without), "{without}");
        }
    }

    #[test]
    fn what_does_not_decode_is_skipped_whole_and_reading_goes_on() {
        let mut bytes =
            b"{\"event\": \"estop\"}\n\0\0\0{\"event\": \"world_voxels\", \"resolution\": 0.05}\n".to_vec();
        bytes.extend(
            b"{\"event\": \"world_voxels\", \"resolution\": 0.025}\r\n\r\n\xff\n[1]\n{\"event\": \"wor",
        );
        let monitor = parse(&bytes, "m").unwrap();
        assert_eq!((monitor.records, monitor.grid_resolution_m), (2, Some(0.025)));
        assert_eq!(monitor.skipped, Skipped { lines: 4, first: 2 });
    }

    #[test]
    fn a_needed_value_of_another_type_is_refused_by_line() {
        for (text, message) in [
            (
                "{\"event\": \"world_voxels\", \"resolution\": \"0.025\"}",
                "m, line 2: field `world_voxels.resolution`: expected a number of metres, found text \"0.025\"",
            ),
            (
                "{\"event\": \"world_voxels\", \"resolution\": NaN}",
                "m, line 2: field `world_voxels.resolution`: expected a number of metres, found NaN",
            ),
            (
                "{\"event\": \"attachment_state\", \"objects\": [3]}",
                "m, line 2: field `attachment_state.objects[]`: expected an object, found 3",
            ),
            (
                "{\"event\": \"attachment_state\", \"objects\": {}}",
                "m, line 2: field `attachment_state.objects`: expected an array, found {}",
            ),
        ] {
            assert_eq!(parse(format!("\n{text}").as_bytes(), "m").unwrap_err().to_string(), message);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes, "m");
        }
    }
}
