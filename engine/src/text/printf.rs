//! C's `%g` and `%f`, and Python's `round(x, 6)`.
//!
//! ```text
//! %.Pg   X = decimal exponent of x rounded to P significant digits
//!        fixed with P-1-X decimals if -4 <= X < P, else exponent form; trailing zeros dropped
//! %.1f   one decimal
//! round6 x to six decimals, read back
//! ```
//!
//! All round the exact binary value, ties to even. Exponents have a sign and at least two digits. Reference page,
//! sections 10.4, 11, 13.2 and 18.

/// `%.<digits>g`; `digits` counts significant digits, and 0 counts as 1.
///
/// ```
/// use rollcheck_engine::text::printf::general;
/// assert_eq!(general(0.1209178, 6), "0.120918");
/// assert_eq!(general(8.9e-5, 6), "8.9e-05");
/// ```
pub fn general(x: f64, digits: usize) -> String {
    if let Some(text) = not_finite(x) {
        return text.to_owned();
    }
    let digits = digits.max(1);
    let scientific = format!("{x:.*e}", digits - 1);
    let Some((mantissa, exponent)) = split_exponent(&scientific) else { return scientific };
    if exponent < -4 || i64::from(exponent) >= digits as i64 {
        return format!("{}{}", trimmed(mantissa), exponent_text(exponent));
    }
    let decimals = (digits as i64 - 1 - i64::from(exponent)).max(0) as usize;
    trimmed(&format!("{x:.decimals$}")).to_owned()
}

/// `%.1f`.
pub fn one_decimal(x: f64) -> String {
    not_finite(x).map_or_else(|| format!("{x:.1}"), str::to_owned)
}

/// Python's `round(x, 6)`: the double nearest to `x` written with six decimals.
pub fn round6(x: f64) -> f64 {
    if x.is_finite() { format!("{x:.6}").parse().unwrap_or(x) } else { x }
}

/// C's and Python's word for a value without digits. C prints the sign of a NaN, Python does not; neither do we.
pub(super) fn not_finite(x: f64) -> Option<&'static str> {
    if x.is_nan() {
        Some("nan")
    } else if x.is_infinite() {
        Some(if x > 0.0 { "inf" } else { "-inf" })
    } else {
        None
    }
}

/// `1.5e-7` into `1.5` and -7.
pub(super) fn split_exponent(scientific: &str) -> Option<(&str, i32)> {
    let (mantissa, exponent) = scientific.split_once('e')?;
    Some((mantissa, exponent.parse().ok()?))
}

/// `e-05`, `e+16`, `e-100`.
pub(super) fn exponent_text(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:02}", exponent.unsigned_abs())
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn six_significant_digits_are_those_of_c() {
        for (x, text) in [
            (0.120_917_8, "0.120918"),
            (0.021_650_635_094_610_966, "0.0216506"),
            (8.9e-5, "8.9e-05"),
            (0.0001, "0.0001"),
            (0.000_099_999_99, "0.0001"),
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (100_000.0, "100000"),
            (999_999.5, "1e+06"),
            (1_000_000.0, "1e+06"),
            (1e100, "1e+100"),
            (-0.020_917_8, "-0.0209178"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(general(x, 6), text, "{x:?}");
        }
    }

    #[test]
    fn seven_significant_digits_keep_what_the_kernel_printed() {
        assert_eq!(general(-0.004_184_56, 7), "-0.00418456");
        assert_eq!(general(-0.036_335_58, 7), "-0.03633558");
        assert_eq!(general(0.109_870_635_094_610_98, 7), "0.1098706");
        assert_eq!(general(0.5, 0), "0.5");
    }

    #[test]
    fn one_decimal_rounds_the_exact_value_and_ties_to_even() {
        for (x, text) in [
            (55.355, "55.4"),
            (199.557_216_405, "199.6"),
            (0.25, "0.2"),
            (0.75, "0.8"),
            (0.05, "0.1"), // stored a little above
            (0.35, "0.3"), // stored a little below
            (300.0, "300.0"),
            (-0.0, "-0.0"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(one_decimal(x), text, "{x:?}");
        }
    }

    #[test]
    fn the_hull_sum_of_the_reference_rounds_to_six_decimals() {
        assert_eq!(round6(0.000_259 + 0.000_089), 0.000_348);
        assert_eq!(round6(0.000_13 + 0.000_07), 0.0002);
        assert_eq!(round6(0.000_000_5), 0.0, "stored a little below the tie");
        assert_eq!(round6(2.675_000_5), 2.675, "as above; Python gives the same");
        assert!(round6(f64::NAN).is_nan());
        assert_eq!(round6(f64::INFINITY), f64::INFINITY);
        assert_eq!(round6(1.7e308), 1.7e308);
    }

    proptest! {
        #[test]
        fn seventeen_digits_read_back_to_the_same_number(x in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
            prop_assert_eq!(general(x, 17).parse::<f64>().unwrap().to_bits(), x.to_bits());
        }

        #[test]
        fn a_shorter_form_is_off_by_half_a_unit_of_its_last_digit_at_most(x in -1e9_f64..1e9, digits in 1_usize..12) {
            prop_assume!(x != 0.0);
            let back: f64 = general(x, digits).parse().unwrap();
            let unit = 10_f64.powi(x.abs().log10().floor() as i32 + 1 - digits as i32);
            prop_assert!((back - x).abs() <= 0.5 * unit * (1.0 + 1e-9), "{x:?} {back:?}");
        }

        #[test]
        fn rounding_to_six_decimals_twice_changes_nothing(x in -1e3_f64..1e3) {
            let once = round6(x);
            prop_assert_eq!(round6(once), once);
            prop_assert!((once - x).abs() <= 0.500_000_1e-6);
        }
    }
}
