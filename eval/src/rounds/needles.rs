//! What is looked for in a deploy log, in one pass.
//!
//! A vectorised search for a few texts at once (Teddy, of the crate `aho-corasick`) visits every byte once; a processor
//! without it takes the automaton of the same crate. What is searched begins where a needle becomes rare: nearly every
//! line of a log names the safety kernel, so `safe` would be met everywhere, `ty.c` almost nowhere. The part before it is
//! compared behind a match. No needle begins inside another, so each match is one occurrence.

use aho_corasick::{AhoCorasick, packed};
use std::sync::OnceLock;

/// A text that makes a line matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needle {
    /// The safety kernel's stop line.
    Collision,
    /// A support witness was armed.
    WitnessArmed,
    /// A support witness was separated.
    WitnessSeparated,
    /// A place region was armed.
    PlaceRegionArmed,
    /// A live place allowance.
    Allowance,
    /// Success of the task at the end.
    TaskSuccess,
    /// Ground truth at the stop.
    Snapshot,
    /// The safety kernel's account of the stop, where the snapshot came before it.
    Evidence,
    /// A stop before any action.
    InitialConfiguration,
    /// The launch threw.
    LaunchException,
    /// A server's bond was lost.
    Heartbeat,
    /// A lifecycle transition timed out.
    Lifecycle,
    /// The kitchen that was composed.
    Composition,
}

impl Needle {
    /// Every needle.
    pub const ALL: [Self; 13] = [
        Self::Collision,
        Self::WitnessArmed,
        Self::WitnessSeparated,
        Self::PlaceRegionArmed,
        Self::Allowance,
        Self::TaskSuccess,
        Self::Snapshot,
        Self::Evidence,
        Self::InitialConfiguration,
        Self::LaunchException,
        Self::Heartbeat,
        Self::Lifecycle,
        Self::Composition,
    ];

    /// The text, as recorded.
    pub fn text(self) -> &'static str {
        match self {
            Self::Collision => "safety.collision",
            Self::WitnessArmed => "safety.support_witness_armed",
            Self::WitnessSeparated => "safety.support_witness_separated",
            Self::PlaceRegionArmed => "safety.place_region_armed",
            Self::Allowance => "place_allowance_active=1",
            Self::TaskSuccess => "sim.task_success_final",
            Self::Snapshot => "sim.estop_ground_truth_snapshot",
            Self::Evidence => "sim.estop_ground_truth_evidence",
            Self::InitialConfiguration => "sim.estop_initial_configuration",
            Self::LaunchException => "[ERROR] [launch]: Caught exception in launch",
            Self::Heartbeat => "Have not received a heartbeat from ",
            Self::Lifecycle => "' did not advance the FSM within ",
            Self::Composition => "robocasa_scene_composition",
        }
    }
}

impl Needle {
    /// Bytes before the part that is searched.
    fn common(self) -> usize {
        match self {
            Self::Collision | Self::WitnessArmed | Self::WitnessSeparated | Self::PlaceRegionArmed => {
                "safe".len()
            }
            Self::Allowance => "place_all".len(),
            Self::LaunchException => "[ERROR] [launch]: ".len(),
            Self::Composition => "robocasa_sce".len(),
            Self::TaskSuccess | Self::Snapshot | Self::Evidence | Self::InitialConfiguration => "s".len(),
            Self::Heartbeat | Self::Lifecycle => 0,
        }
    }
}

/// An occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// Of what.
    pub needle: Needle,
    /// First byte.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
}

struct Searcher {
    packed: Option<packed::Searcher>,
    automaton: Option<AhoCorasick>,
}

fn searcher() -> &'static Searcher {
    static ONCE: OnceLock<Searcher> = OnceLock::new();
    ONCE.get_or_init(|| {
        let texts = Needle::ALL.map(|needle| &needle.text()[needle.common()..]);
        let packed = packed::Searcher::new(texts);
        // The needles are few and fixed: building their automaton does not fail.
        let automaton = if packed.is_some() { None } else { AhoCorasick::new(texts).ok() };
        Searcher { packed, automaton }
    })
}

/// The first occurrence that begins at or after `at`.
pub fn find(bytes: &[u8], at: usize) -> Option<Match> {
    let searcher = searcher();
    let mut from = at;
    while from < bytes.len() {
        let (index, start, end) = if let Some(packed) = &searcher.packed {
            let m = packed.find_in(bytes, aho_corasick::Span::from(from..bytes.len()))?;
            (m.pattern().as_usize(), m.start(), m.end())
        } else {
            let m = searcher.automaton.as_ref()?.find(aho_corasick::Input::new(bytes).range(from..))?;
            (m.pattern().as_usize(), m.start(), m.end())
        };
        let needle = Needle::ALL[index];
        let common = &needle.text().as_bytes()[..needle.common()];
        if bytes[at..start].ends_with(common) {
            return Some(Match { needle, start: start - common.len(), end });
        }
        from = start + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_needle_begins_inside_another() {
        for a in Needle::ALL {
            for b in Needle::ALL.into_iter().filter(|&b| b != a) {
                let (a, b) = (a.text(), b.text());
                assert!((1..a.len()).all(|i| !b.starts_with(&a[i..])), "{b} begins inside {a}");
                assert!(!a.contains(b), "{a} holds {b}");
            }
        }
    }

    #[test]
    fn every_occurrence_is_found_in_order() {
        let text: String = Needle::ALL.map(|n| format!("[x-1] {} y\n", n.text())).concat();
        let (mut at, mut found) = (0, Vec::new());
        while let Some(m) = find(text.as_bytes(), at) {
            assert_eq!(&text[m.start..m.end], m.needle.text());
            found.push(m.needle);
            at = m.end;
        }
        assert_eq!(found, Needle::ALL);
        assert_eq!(find(b"safety.place_region_not_armed safety.place_region_dropped", 0), None);
        assert_eq!(find(b"ty.collision saftyty.collision", 0), None);
        assert_eq!(find(b"x safety.collision", 3), None, "it begins before");
    }
}
