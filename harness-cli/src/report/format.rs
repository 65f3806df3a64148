//! Numbers as words. A missing or non-finite number is `unknown`.

use rollcheck_engine::text::printf;

/// What stands where a number is not known.
pub const UNKNOWN: &str = "unknown";

/// The value if it is a finite number.
pub fn known(value: Option<f64>) -> Option<f64> {
    value.filter(|v| v.is_finite())
}

/// A number with a fixed count of decimals; never `-0`.
pub fn number(value: Option<f64>, decimals: usize) -> String {
    known(value).map_or_else(|| UNKNOWN.to_owned(), |v| fixed(v, decimals))
}

/// A share of 1 in per cent.
pub fn percent(share: Option<f64>, decimals: usize) -> String {
    known(share).map_or_else(|| UNKNOWN.to_owned(), |s| format!("{} %", fixed(100.0 * s, decimals)))
}

/// A share with its interval: `6.3 % (2.5 to 12.5 %)`.
pub fn percent_interval(share: Option<f64>, interval: Option<(f64, f64)>) -> String {
    match (known(share), interval.filter(|(low, high)| low.is_finite() && high.is_finite())) {
        (Some(s), Some((low, high))) => {
            format!("{} % ({} to {} %)", fixed(100.0 * s, 1), fixed(100.0 * low, 1), fixed(100.0 * high, 1))
        }
        (share, _) => percent(share, 1),
    }
}

/// A finite number with a fixed count of decimals.
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
        _ => text,
    }
}

/// Least and greatest gap as one text.
pub fn gaps(least_m: Option<f64>, greatest_m: Option<f64>) -> String {
    match (least_m, greatest_m) {
        (Some(least), Some(greatest)) if least < greatest => {
            format!("{} to {}", length(least), length(greatest))
        }
        (Some(gap), _) => length(gap),
        _ => UNKNOWN.to_owned(),
    }
}

/// A length with six significant digits.
pub fn length(m: f64) -> String {
    printf::general(m, 6)
}

/// A count of things.
pub fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("{n} {what}") } else { format!("{n} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_a_person_writes_them() {
        assert_eq!(number(Some(0.03449), 3), "0.034");
        assert_eq!(number(Some(-0.0004), 3), "0.000");
        assert_eq!(number(Some(-0.04), 1), "0.0");
        assert_eq!(number(Some(-1.25), 2), "-1.25");
        assert_eq!(percent(Some(0.978), 1), "97.8 %");
        assert_eq!(percent_interval(Some(0.0625), Some((0.025, 0.125))), "6.2 % (2.5 to 12.5 %)");
    }

    #[test]
    fn what_is_not_known_says_so() {
        assert_eq!(number(None, 3), "unknown");
        assert_eq!(number(Some(f64::NAN), 3), "unknown");
        assert_eq!(percent(Some(f64::INFINITY), 1), "unknown");
        assert_eq!(percent_interval(None, Some((0.0, 1.0))), "unknown");
        assert_eq!(percent_interval(Some(0.5), Some((f64::NAN, 1.0))), "50.0 %");
    }

    #[test]
    fn equal_gaps_are_one() {
        assert_eq!(gaps(Some(0.1), Some(0.1)), "0.1");
        assert_eq!(gaps(Some(0.1), Some(0.2)), "0.1 to 0.2");
        assert_eq!(gaps(None, None), "unknown");
    }
}
