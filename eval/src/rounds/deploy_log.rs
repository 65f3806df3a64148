//! The deploy log: what it says about one run.
//!
//! Reference page, section 3. A rule looks for its text anywhere in a line; only the first usable line of an event
//! counts. [`LogScanner`] takes blocks of whole lines and gives a [`DeployLog`]; it knows no file. JSON is decoded only
//! behind an event's name and only until that event has been understood once.
//!
//! A stop line whose numbers are none is refused: no value is guessed.

use super::error::RoundError;
use super::json;
use super::lines::{self, Block, Skipped};
use super::needles::{self, Needle};
use super::snapshot;
use serde_json::{Map, Value};

/// The safety kernel's stop line, transcribed.
#[derive(Clone, Debug, PartialEq)]
pub struct StopLine {
    /// Line of the log, from 1; 0 when the stop was taken from a recorded verdict.
    pub line: u64,
    /// `world` or `self`.
    pub kind: String,
    /// First party.
    pub party_a: String,
    /// Second party, or empty.
    pub party_b: String,
    /// -1 measured state, 0.. predicted step.
    pub horizon_step: i64,
    /// Reported distance, m; negative is inside.
    pub min_distance_m: f64,
    /// Deepest distance of the sweep, m.
    pub sweep_min_distance_m: Option<f64>,
    /// A place allowance was live.
    pub place_allowance_active: bool,
    /// Its target, or empty.
    pub place_target: String,
    /// The distance is a bound of the boxes, not of the hulls.
    pub depth_is_box_bound: bool,
}

/// Lines of the safety kernel that are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelLines {
    /// Lines in which a support witness was armed.
    pub witness_armed: i64,
    /// Lines in which one was separated.
    pub witness_separated: i64,
    /// A place region was armed.
    pub place_region_armed: bool,
    /// Lines with a live allowance.
    pub place_allowance_active: i64,
    /// Whether a support witness was live when the stop came, by the last transition before it.
    pub witness_live_at_stop: Option<bool>,
}

/// A navigation server whose bond was lost.
#[derive(Clone, Debug, PartialEq)]
pub struct BondLoss {
    /// Since the log's first stamp, s.
    pub elapsed_s: f64,
    /// The server.
    pub server: String,
}

/// A lifecycle transition that never finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LifecycleTimeout {
    /// The transition.
    pub transition: String,
    /// The node, or empty.
    pub node: String,
    /// Seconds, as printed.
    pub seconds: String,
}

/// The kitchen that the simulator composed at a reset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneComposition {
    /// Fields of the line, in its order; `None` prints as `None`.
    pub fields: Vec<(String, String)>,
    /// Resets seen until the stop, or in all.
    pub resets: u64,
}

/// What a deploy log says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeployLog {
    /// The log has a line at all.
    pub has_lines: bool,
    /// First line that is not blank.
    pub first_line: Option<String>,
    /// The stop.
    pub stop: Option<StopLine>,
    /// Counted lines.
    pub kernel: KernelLines,
    /// `sim.task_success_final`.
    pub task_success: Option<Map<String, Value>>,
    /// `sim.estop_ground_truth_snapshot`, the keys that are read.
    pub snapshot: Option<Map<String, Value>>,
    /// One was recorded and did not decode, and none that does.
    pub snapshot_lost: bool,
    /// Its line, from 1; 0 without one.
    pub snapshot_line: u64,
    /// `sim.estop_ground_truth_evidence`: what the safety kernel said of the stop, where the snapshot came before it.
    pub evidence: Option<Map<String, Value>>,
    /// `sim.estop_initial_configuration`.
    pub initial_configuration: Option<Map<String, Value>>,
    /// What the launch threw; may be empty.
    pub launch_exception: Option<String>,
    /// What the command line rejected, where the first line is its usage.
    pub usage_detail: Option<String>,
    /// The first stamped loss of a bond, in a log that begins with the deploy banner.
    pub bond_loss: Option<BondLoss>,
    /// The first transition that timed out.
    pub lifecycle_timeout: Option<LifecycleTimeout>,
    /// The last composition before the stop.
    pub composition: Option<SceneComposition>,
    /// Event lines whose JSON did not decode.
    pub undecodable: Skipped,
}

/// First line of a rejected command line.
pub const USAGE_BANNER: &str = "Usage: openral";
/// First line of a deploy log that was kept whole.
pub const DEPLOY_BANNER: &str = "deploy sim";

/// Reads a log block by block.
pub struct LogScanner {
    file: String,
    log: DeployLog,
    first_stamp_s: Option<f64>,
    bond_decided: bool,
    /// Line, within its block, of the last handled match of each counted needle.
    counted: [Option<(u64, usize)>; Needle::ALL.len()],
    witness_live: Option<bool>,
    block: u64,
    /// Place in the block up to which lines were counted, and the number of the line there.
    line_at: (usize, u64),
}

impl LogScanner {
    /// A scanner; `file` is named in errors.
    pub fn new(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            log: DeployLog::default(),
            first_stamp_s: None,
            bond_decided: false,
            counted: [None; Needle::ALL.len()],
            witness_live: None,
            block: 0,
            line_at: (0, 1),
        }
    }

    /// Takes the next lines; gives their number of newlines, which are counted on the way.
    ///
    /// # Errors
    /// [`RoundError::Field`]: a stop line whose number is none.
    pub fn feed(&mut self, block: Block<'_>) -> Result<u64, RoundError> {
        self.block += 1;
        self.line_at = (0, block.first_line);
        self.begin(block.bytes);
        let mut at = 0;
        while let Some(found) = needles::find(block.bytes, at) {
            at = found.end;
            self.found(block, found)?;
        }
        Ok(self.line_number(block.bytes, block.bytes.len()) - block.first_line)
    }

    /// What the log says; lines that were too long to be looked at are lines too.
    pub fn finish(self, too_long: Skipped) -> DeployLog {
        let has_lines = self.log.has_lines || too_long.lines > 0;
        DeployLog { has_lines, ..self.log }
    }

    /// First line, first stamp, and the reason behind a usage banner.
    fn begin(&mut self, bytes: &[u8]) {
        self.log.has_lines |= !bytes.is_empty();
        if self.log.first_line.is_none() {
            let first = lines::python_lines(bytes).map(lines::text).find(|line| !line.trim().is_empty());
            self.log.first_line = first.map(std::borrow::Cow::into_owned);
        }
        let first = self.log.first_line.as_deref().unwrap_or_default();
        if first.starts_with(DEPLOY_BANNER) && self.first_stamp_s.is_none() {
            self.first_stamp_s = lines::python_lines(bytes).find_map(stamp_s);
        } else if first.starts_with(USAGE_BANNER) && self.log.usage_detail.is_none() {
            const REASONS: [&str; 3] = ["No such option", "Error:", "Missing option"];
            self.log.usage_detail = lines::python_lines(bytes)
                .map(lines::text)
                .find(|line| REASONS.iter().any(|r| line.contains(r)))
                .map(|line| {
                    line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '│' | '|')).to_owned()
                });
        }
    }

    fn found(&mut self, block: Block<'_>, found: needles::Match) -> Result<(), RoundError> {
        let Self { log, .. } = self;
        let decided = match found.needle {
            // A kitchen composed after the stop is not the one that was stopped in.
            Needle::Collision | Needle::Composition => log.stop.is_some(),
            Needle::TaskSuccess => log.task_success.is_some(),
            Needle::Snapshot => log.snapshot.is_some(),
            Needle::Evidence => log.evidence.is_some(),
            Needle::InitialConfiguration => log.initial_configuration.is_some(),
            Needle::LaunchException => log.launch_exception.is_some(),
            Needle::Lifecycle => log.lifecycle_timeout.is_some(),
            Needle::Heartbeat => self.bond_decided,
            Needle::PlaceRegionArmed => log.kernel.place_region_armed,
            Needle::WitnessArmed | Needle::WitnessSeparated | Needle::Allowance => false,
        };
        if decided {
            return Ok(());
        }
        let (start, end) = lines::line_around(block.bytes, found.start);
        let index = Needle::ALL.iter().position(|&n| n == found.needle).unwrap_or_default();
        if self.counted[index].replace((self.block, start)) == Some((self.block, start)) {
            return Ok(());
        }
        let number = self.line_number(block.bytes, start);
        let line = &block.bytes[start..end];
        let tail = &block.bytes[found.end..end];
        match found.needle {
            Needle::Collision => {
                self.log.stop = self.stop_line(number, tail)?;
                if self.log.stop.is_some() {
                    self.log.kernel.witness_live_at_stop = self.witness_live;
                }
            }
            Needle::WitnessArmed => {
                self.log.kernel.witness_armed += 1;
                self.witness_live = Some(true);
            }
            Needle::WitnessSeparated => {
                self.log.kernel.witness_separated += 1;
                self.witness_live = Some(still_live(tail));
            }
            Needle::PlaceRegionArmed => self.log.kernel.place_region_armed = true,
            Needle::Allowance => self.log.kernel.place_allowance_active += 1,
            Needle::TaskSuccess => self.log.task_success = self.event(tail, number),
            Needle::Snapshot => {
                self.log.snapshot = self.object(tail, number, |text| json::decode_keys(text, snapshot::KEYS));
                self.log.snapshot_lost = self.log.snapshot.is_none() && memchr::memchr(b'{', tail).is_some();
                self.log.snapshot_line = self.log.snapshot.as_ref().map_or(0, |_| number);
            }
            Needle::Evidence => self.log.evidence = self.event(tail, number),
            Needle::InitialConfiguration => self.log.initial_configuration = self.event(tail, number),
            Needle::LaunchException => {
                let detail = lines::text(tail).replace("(see debug for traceback):", "");
                self.log.launch_exception = Some(detail.trim().to_owned());
            }
            Needle::Heartbeat => self.heartbeat(line),
            Needle::Lifecycle => self.log.lifecycle_timeout = lifecycle_timeout(&lines::text(line)),
            Needle::Composition => {
                let resets = self.log.composition.as_ref().map_or(0, |c| c.resets) + 1;
                self.log.composition =
                    Some(SceneComposition { fields: composition(&lines::text(tail)), resets });
            }
        }
        Ok(())
    }

    /// Number of the line that begins at `start`. Matches come in order, so each byte is counted once.
    fn line_number(&mut self, bytes: &[u8], start: usize) -> u64 {
        let (counted, number) = self.line_at;
        // A line may begin before the last match on it ended.
        if start > counted {
            self.line_at = (start, number + lines::count_newlines(&bytes[counted..start]));
        }
        self.line_at.1
    }

    /// The stop behind `safety.collision`, or none when the line is not one.
    fn stop_line(&self, line: u64, tail: &[u8]) -> Result<Option<StopLine>, RoundError> {
        let text = lines::text(tail);
        let last = |key: &str| fields(&text).filter(|(k, _)| *k == key).map(|(_, v)| v.to_owned()).last();
        let (Some(party_a), Some(min)) = (last("a"), last("min_distance_m")) else { return Ok(None) };
        let malformed = |field: &str, expected, found: &str| RoundError::Field {
            file: self.file.clone(),
            line: Some(line),
            field: format!("safety.collision {field}"),
            expected,
            found: format!("`{found}`"),
        };
        let distance_m = |field: &str, value: &str| match value.parse::<f64>() {
            Ok(distance_m) if distance_m.is_finite() => Ok(distance_m),
            _ => Err(malformed(field, "a finite number of metres", value)),
        };
        let flag = |key: &str| last(key).as_deref() == Some("1");
        let step = last("step").unwrap_or_else(|| "-1".to_owned());
        Ok(Some(StopLine {
            line,
            kind: last("kind").unwrap_or_default(),
            party_a,
            party_b: last("b").unwrap_or_default(),
            horizon_step: step.parse().map_err(|_| malformed("step", "an integer", &step))?,
            min_distance_m: distance_m("min_distance_m", &min)?,
            sweep_min_distance_m: last("sweep_min_distance_m")
                .map(|sweep| distance_m("sweep_min_distance_m", &sweep))
                .transpose()?,
            place_allowance_active: flag("place_allowance_active"),
            place_target: last("place_target").unwrap_or_default(),
            depth_is_box_bound: flag("depth_is_box_bound"),
        }))
    }

    /// The object behind an event's name, to the end of the line.
    fn event(&mut self, tail: &[u8], line: u64) -> Option<Map<String, Value>> {
        self.object(tail, line, json::decode_object)
    }

    fn object(
        &mut self,
        tail: &[u8],
        line: u64,
        decode: impl Fn(&str) -> Option<Map<String, Value>>,
    ) -> Option<Map<String, Value>> {
        let brace = memchr::memchr(b'{', tail)?;
        let object = decode(&lines::text(&tail[brace..]));
        if object.is_none() {
            self.log.undecodable.add(line);
        }
        object
    }

    fn heartbeat(&mut self, line: &[u8]) {
        let (Some(first_s), Some(stamp_s)) = (self.first_stamp_s, stamp_s(line)) else { return };
        let text = lines::text(line);
        let servers = text.match_indices(Needle::Heartbeat.text()).map(|(at, needle)| {
            let name = &text[at + needle.len()..];
            &name[..name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len())]
        });
        let Some(server) = servers.into_iter().find(|server| !server.is_empty()) else { return };
        self.bond_decided = true;
        self.log.bond_loss = Some(BondLoss { elapsed_s: stamp_s - first_s, server: server.to_owned() });
    }
}

/// The `key=value` tokens of a text; others are no fields.
fn fields(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split_whitespace().filter_map(|token| token.split_once('='))
}

/// The fields of a composition: those of a JSON object, or `key=value` where a value in brackets or quotes may hold
/// blanks.
fn composition(text: &str) -> Vec<(String, String)> {
    if let Some(object) = text.find('{').and_then(|brace| json::decode_object(&text[brace..])) {
        return object.iter().map(|(key, value)| (key.clone(), json::printed(value))).collect();
    }
    let (mut token, mut tokens) = (String::new(), Vec::new());
    let (mut depth, mut quote) = (0_usize, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '(' | '{') => depth += 1,
            (None, ']' | ')' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c.is_whitespace() && depth == 0 && quote.is_none() {
            tokens.push(std::mem::take(&mut token));
        } else {
            token.push(c);
        }
    }
    tokens.push(token);
    let fields = tokens.iter().filter_map(|token| token.split_once('='));
    fields.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// Whether a witness lives on after `live=0x.. was=0x..`.
fn still_live(tail: &[u8]) -> bool {
    let text = lines::text(tail);
    let live = fields(&text).find(|(key, _)| *key == "live").map(|(_, mask)| mask.trim_start_matches("0x"));
    live.is_some_and(|mask| u64::from_str_radix(mask, 16).is_ok_and(|mask| mask != 0))
}

/// The first ROS stamp of a line, s: nine to eleven digits, a point, digits, in brackets.
fn stamp_s(line: &[u8]) -> Option<f64> {
    for at in memchr::memchr_iter(b'[', line) {
        let rest = &line[at + 1..];
        let digits = |from: usize| rest[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let whole = digits(0);
        if !(9..=11).contains(&whole) || rest.get(whole) != Some(&b'.') {
            continue;
        }
        let fraction = digits(whole + 1);
        let end = whole + 1 + fraction;
        if fraction > 0 && rest.get(end) == Some(&b']') {
            return std::str::from_utf8(&rest[..end]).ok()?.parse().ok();
        }
    }
    None
}

/// `transition '<word>' on '<node>' did not advance the FSM within <seconds>s`.
fn lifecycle_timeout(line: &str) -> Option<LifecycleTimeout> {
    for (at, needle) in line.match_indices(Needle::Lifecycle.text()) {
        let (before, after) = (&line[..at], &line[at + needle.len()..]);
        let end = after.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(after.len());
        let Some((head, node)) = before.rsplit_once('\'') else { continue };
        let Some(head) = head.strip_suffix("' on ") else { continue };
        let Some((_, transition)) = head.rsplit_once("transition '") else { continue };
        let word = !transition.is_empty() && transition.chars().all(|c| c.is_alphanumeric() || c == '_');
        if word && end > 0 && after[end..].starts_with('s') {
            return Some(LifecycleTimeout {
                transition: transition.to_owned(),
                node: node.to_owned(),
                seconds: after[..end].to_owned(),
            });
        }
    }
    None
}

/// A whole log that is at hand.
///
/// # Errors
/// As [`LogScanner::feed`].
pub fn parse(bytes: &[u8], file: &str) -> Result<DeployLog, RoundError> {
    let mut scanner = LogScanner::new(file);
    scanner.feed(Block { bytes, first_line: 1 })?;
    Ok(scanner.finish(Skipped::default()))
}

#[cfg(test)]
mod tests;
