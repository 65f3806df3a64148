//! One axis: a range of values, the pixels it covers, ticks at round numbers.

use super::format::fixed;

/// A linear axis. `pixel_low` may lie above `pixel_high`, as it does for a vertical axis in SVG.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Value at `pixel_low`.
    pub low: f64,
    /// Value at `pixel_high`; above `low`.
    pub high: f64,
    /// Pixel of `low`.
    pub pixel_low: f64,
    /// Pixel of `high`.
    pub pixel_high: f64,
}

/// A tick: where and what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The value.
    pub value: f64,
    /// The value as text, with as many decimals as the step needs.
    pub label: String,
}

impl Axis {
    /// The pixel of a value; a value outside the range goes to its end.
    pub fn pixel(&self, value: f64) -> f64 {
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.pixel_low + share * (self.pixel_high - self.pixel_low)
    }

    /// Whether the range holds a value.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Ticks at multiples of 1, 2 or 5 times a power of ten inside the range, at most `most` and at least two
    /// where `most` is 3 or more.
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        let (factor, exponent) = step(self.high - self.low, most);
        // Multiples are formed from integers so that a label is exact: 3 * 2 / 10, never 0.2 + 0.2 + 0.2.
        let value = |i: i64| {
            let scaled = i as f64 * factor;
            if exponent < 0 { scaled / 10f64.powi(-exponent) } else { scaled * 10f64.powi(exponent) }
        };
        let size = factor * 10f64.powi(exponent);
        let slack = 1e-9 * size;
        let first = ((self.low - slack) / size).ceil() as i64;
        let last = ((self.high + slack) / size).floor() as i64;
        let decimals = usize::try_from(-exponent).unwrap_or(0);
        (first..=last).map(|i| Tick { value: value(i), label: fixed(value(i), decimals) }).collect()
    }
}

/// The smallest step of the form `{1, 2, 5} * 10^k` with at most `most` ticks in `span`.
fn step(span: f64, most: usize) -> (f64, i32) {
    let rough = span / (most.max(2) - 1) as f64;
    let exponent = rough.log10().floor() as i32;
    let unit = 10f64.powi(exponent);
    [1.0, 2.0, 5.0]
        .into_iter()
        .find(|factor| factor * unit >= rough * (1.0 - 1e-9))
        .map_or((1.0, exponent + 1), |factor| (factor, exponent))
}

/// The least and the greatest of the finite values, apart from each other: a single value gets room around
/// it, no value gives 0 to 1.
pub fn range(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .into_iter()
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return (0.0, 1.0);
    }
    // Narrower than this, ticks and pixels would be rounding noise.
    let least = 1e-9 * low.abs().max(high.abs()).max(1e-3);
    if high - low > least {
        return (low, high);
    }
    let room = if low == 0.0 { 1.0 } else { low.abs() / 2.0 };
    (low - room, high + room)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, most: usize) -> Vec<String> {
        let axis = Axis { low, high, pixel_low: 0.0, pixel_high: 1.0 };
        axis.ticks(most).into_iter().map(|t| t.label).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(0.0, 1.0, 6), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(0.0, 311.0, 8), ["0", "50", "100", "150", "200", "250", "300"]);
        assert_eq!(labels(-13.2, 5.1, 6), ["-10", "-5", "0", "5"]);
        assert_eq!(labels(0.0, 0.37, 5), ["0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(0.011, 0.0139, 5), ["0.011", "0.012", "0.013"]);
        assert_eq!(labels(0.0, 4e6, 5), ["0", "1000000", "2000000", "3000000", "4000000"]);
    }

    #[test]
    fn any_range_gets_two_or_more_ticks_and_never_too_many() {
        for scale in [1e-6, 0.003, 0.7, 1.0, 9.99, 10.0, 123.4, 5e7] {
            for low in [-1.7, -0.2, 0.0, 0.013, 3.9] {
                let (low, high) = (low * scale, (low + 1.0) * scale);
                let ticks = labels(low, high, 6);
                assert!((2..=6).contains(&ticks.len()), "{low} to {high}: {ticks:?}");
                let mut distinct = ticks.clone();
                distinct.dedup();
                assert_eq!(distinct, ticks);
            }
        }
    }

    #[test]
    fn a_range_is_never_empty_or_unbounded() {
        assert_eq!(range([]), (0.0, 1.0));
        assert_eq!(range([f64::NAN, f64::INFINITY]), (0.0, 1.0));
        assert_eq!(range([0.0]), (-1.0, 1.0));
        assert_eq!(range([4.0, 4.0]), (2.0, 6.0));
        assert_eq!(range([2.0, f64::NAN, -3.0]), (-3.0, 2.0));
    }

    #[test]
    fn pixels_stay_inside() {
        let axis = Axis { low: 0.0, high: 2.0, pixel_low: 100.0, pixel_high: 20.0 };
        assert_eq!([-1.0, 0.0, 1.0, 2.0, 9.0].map(|v| axis.pixel(v)), [100.0, 100.0, 60.0, 20.0, 20.0]);
    }
}
