//! When a round began, from the first ROS stamp of a deploy log.
//!
//! Reference page, section 14:
//!
//! ```text
//! [1787422850.534169223]   ten digits that start with 1, exactly nine behind the point
//! x  = sec + nsec / 1e9                       a double
//! us = round_half_even(fraction(x) * 1e6)     what Python's fromtimestamp does
//! ```
//!
//! printed as `2026-08-22T18:20:50.534169+00:00`, without the fraction when it is zero.

use jiff::Timestamp;
use jiff::tz::Offset;

/// A ROS stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Seconds since the epoch.
    pub sec: i64,
    /// Nanoseconds of that second.
    pub nsec: u32,
}

/// The first stamp in a text.
pub fn first_stamp(text: &[u8]) -> Option<Stamp> {
    memchr::memchr_iter(b'[', text).find_map(|at| stamp(text.get(at + 1..at + 22)?))
}

/// `1787422850.534169223]`
fn stamp(text: &[u8]) -> Option<Stamp> {
    let [b'1', ..] = text else { return None };
    let (sec, rest) = text.split_at_checked(10)?;
    let (nsec, end) = rest.strip_prefix(b".")?.split_at_checked(9)?;
    let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    if end != b"]" || !digits(sec) || !digits(nsec) {
        return None;
    }
    let number = |part: &[u8]| part.iter().fold(0_i64, |n, b| n * 10 + i64::from(b - b'0'));
    Some(Stamp { sec: number(sec), nsec: number(nsec) as u32 })
}

/// ISO 8601 in UTC, to the microsecond; None where no date has that number of seconds.
pub fn started_at(stamp: Stamp) -> Option<String> {
    let x = stamp.sec as f64 + f64::from(stamp.nsec) / 1e9;
    let whole = x.floor();
    let mut sec = whole as i64;
    let mut us = ((x - whole) * 1e6).round_ties_even() as i64;
    if us >= 1_000_000 {
        us -= 1_000_000;
        sec += 1;
    }
    let date = Offset::UTC.to_datetime(Timestamp::from_second(sec).ok()?);
    let fraction = if us == 0 { String::new() } else { format!(".{us:06}") };
    Some(format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{fraction}+00:00",
        date.year(),
        date.month(),
        date.day(),
        date.hour(),
        date.minute(),
        date.second()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn from_line(line: &str) -> Option<String> {
        started_at(first_stamp(line.as_bytes())?)
    }

    #[test]
    fn r11_the_first_stamp_gives_the_start() {
        assert_eq!(
            from_line("[node-1] [INFO] [1787422850.534169223] [x]: up").as_deref(),
            Some("2026-08-22T18:20:50.534169+00:00")
        );
        assert_eq!(from_line("[node-1] up"), None);
    }

    #[test]
    fn a_stamp_has_ten_digits_and_nine() {
        for line in [
            "[178742285.534169223]",
            "[17874228500.534169223]",
            "[2787422850.534169223]",
            "[1787422850.53416922]",
            "[1787422850.5341692230]",
            "[1787422850,534169223]",
            "[1787422850.534169223",
            "1787422850.534169223]",
            "[17874228\u{2003}",
            "[",
        ] {
            assert_eq!(from_line(line), None, "{line}");
        }
        let later = "[node-1] [[1787422850.000000000] x [1787422851.000000000]";
        assert_eq!(from_line(later).as_deref(), Some("2026-08-22T18:20:50+00:00"));
    }

    #[test]
    fn the_double_is_rounded_not_the_decimal() {
        // Answers of Python's datetime.fromtimestamp(sec + nsec / 1e9, timezone.utc).isoformat().
        for (sec, nsec, text) in [
            (1_787_386_164, 746_577_123, "2026-08-22T08:09:24.746577+00:00"),
            (1_787_422_850, 999_999_999, "2026-08-22T18:20:51+00:00"),
            (1_787_422_850, 999_999_400, "2026-08-22T18:20:50.999999+00:00"),
            (1_787_422_850, 500, "2026-08-22T18:20:50+00:00"),
            (1_787_422_850, 600, "2026-08-22T18:20:50.000001+00:00"),
            (1_000_000_000, 0, "2001-09-09T01:46:40+00:00"),
            (1_999_999_999, 1_500, "2033-05-18T03:33:19.000001+00:00"),
        ] {
            assert_eq!(started_at(Stamp { sec, nsec }).as_deref(), Some(text), "{sec} {nsec}");
        }
    }

    proptest! {
        #[test]
        fn a_printed_start_is_within_a_microsecond_of_its_stamp(sec in 1_000_000_000_i64..2_000_000_000, nsec in 0_u32..1_000_000_000) {
            let text = started_at(Stamp { sec, nsec }).unwrap();
            let back: Timestamp = text.parse().unwrap();
            let off_ns = back.as_nanosecond() - (i128::from(sec) * 1_000_000_000 + i128::from(nsec));
            prop_assert!(off_ns.abs() <= 1000, "{text}: {off_ns} ns");
        }

        #[test]
        fn bytes_from_strangers_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = first_stamp(&bytes);
        }

        #[test]
        fn a_stamp_anywhere_is_found(before in "[^\\[]{0,20}", sec in 1_000_000_000_i64..2_000_000_000, nsec in 0_u32..1_000_000_000) {
            let line = format!("{before}[{sec}.{nsec:09}] rest");
            prop_assert_eq!(first_stamp(line.as_bytes()), Some(Stamp { sec, nsec }));
        }
    }
}
