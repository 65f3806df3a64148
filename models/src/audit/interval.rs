//! A counted share with its exact (Clopper and Pearson) 95 % interval.
//!
//! ```text
//! low  = Beta^-1(0.025; k, n - k + 1)        high = Beta^-1(0.975; k + 1, n - k)
//! ```

use serde::Serialize;
use statrs::distribution::{Beta, ContinuousCDF};

const TAIL: f64 = 0.025;

/// `count` of `of`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// How many.
    pub count: usize,
    /// Of how many.
    pub of: usize,
    /// The share; `None` of nothing.
    pub share: Option<f64>,
    /// Exact 95 % interval; 0 to 1 of nothing.
    pub interval: (f64, f64),
}

impl Share {
    /// The share of a count.
    pub fn new(count: usize, of: usize) -> Self {
        let quantile = |p: f64, a: usize, b: usize| {
            Beta::new(a as f64, b as f64).map_or(f64::NAN, |beta| beta.inverse_cdf(p))
        };
        let count = count.min(of);
        let low = if count == 0 { 0.0 } else { quantile(TAIL, count, of - count + 1) };
        let high = if count == of { 1.0 } else { quantile(1.0 - TAIL, count + 1, of - count) };
        let share = (of > 0).then(|| count as f64 / of as f64);
        Self { count, of, share, interval: (low, high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_match_the_closed_forms_and_the_tables() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
        // None of n: high = 1 - (alpha / 2)^(1/n).
        let none = Share::new(0, 16);
        assert_eq!(none.interval.0, 0.0);
        close(none.interval.1, 1.0 - 0.025_f64.powf(1.0 / 16.0));
        let all = Share::new(16, 16);
        close(all.interval.0, 0.025_f64.powf(1.0 / 16.0));
        assert_eq!(all.interval.1, 1.0);
        // 3 of 112 and 3 of 75, as printed on the sentinel page: 0.6-7.6 % and 0.8-11.2 %.
        let page = Share::new(3, 112).interval;
        assert!((page.0 - 0.006).abs() < 5e-4 && (page.1 - 0.076).abs() < 5e-4, "{page:?}");
        let page = Share::new(3, 75).interval;
        assert!((page.0 - 0.008).abs() < 5e-4 && (page.1 - 0.112).abs() < 5e-4, "{page:?}");
        assert_eq!(Share::new(0, 0).share, None);
        assert_eq!(Share::new(0, 0).interval, (0.0, 1.0));
    }
}
