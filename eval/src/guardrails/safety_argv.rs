//! Guard 7: no token of the launched command reads like a knob of the safety kernel.
//!
//! A token is put in lower case with `-` as `_`, so that the spellings of a flag and of a parameter are one, and refused
//! when it holds one of [`PATTERNS`]. Every token of the whole command is looked at, paths included. A token that matches
//! by accident is refused too: rename it. Reference page, section 15.3.

use super::refusal::Refusal;

/// What a token must not hold.
pub const PATTERNS: [&str; 13] = [
    "safety",
    "estop",
    "e_stop",
    "collision_margin",
    "margin_m",
    "attached_contact_tolerance",
    "allowance",
    "watchdog",
    "velocity_limit",
    "force_limit",
    "deadman",
    "no_enable_octomap_kernel_check",
    "kernel_check=false",
];

/// Lower case, `-` as `_`.
pub fn folded(text: &str) -> String {
    text.to_lowercase().replace('-', "_")
}

/// The first pattern that a text holds.
pub fn pattern_in(text: &str) -> Option<&'static str> {
    let text = folded(text);
    PATTERNS.into_iter().find(|pattern| text.contains(pattern))
}

/// Refuses the first token that matches.
pub fn check<'a>(tokens: impl IntoIterator<Item = &'a str>) -> Result<(), Refusal> {
    for token in tokens {
        if let Some(pattern) = pattern_in(token) {
            return Err(Refusal::SafetyToken { token: token.to_owned(), pattern });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn g01_each_safety_knob_is_refused_with_its_token_and_pattern() {
        for (tokens, token, pattern) in [
            (&["--hal", "collision_margin_m=0.0"][..], "collision_margin_m=0.0", "collision_margin"),
            (
                &["--hal", "attached_contact_tolerance_m=0.05"],
                "attached_contact_tolerance_m=0.05",
                "attached_contact_tolerance",
            ),
            (
                &["--enable-octomap-kernel-check=false"],
                "--enable-octomap-kernel-check=false",
                "kernel_check=false",
            ),
            (&["--disable-safety-watchdog"], "--disable-safety-watchdog", "safety"),
            (&["-p", "estop_topic:=/dev/null"], "estop_topic:=/dev/null", "estop"),
            (
                &["--no-enable-octomap-kernel-check"],
                "--no-enable-octomap-kernel-check",
                "no_enable_octomap_kernel_check",
            ),
        ] {
            let refusal = check(tokens.iter().copied()).unwrap_err();
            assert_eq!(refusal, Refusal::SafetyToken { token: token.to_owned(), pattern });
            let text = refusal.to_string();
            assert!(text.contains(token) && text.contains("safety-knob pattern"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_knob_is_found_in_any_spelling_and_place(
            which in 0..PATTERNS.len(), before in "[a-z/.]{0,6}", after in "[a-z0-9=:]{0,6}", flips in any::<u64>(),
        ) {
            let spelled: String = PATTERNS[which]
                .chars()
                .enumerate()
                .map(|(at, c)| match (c, flips >> (at % 64) & 1) {
                    ('_', 1) => '-',
                    (c, 1) => c.to_ascii_uppercase(),
                    (c, _) => c,
                })
                .collect();
            let token = format!("{before}{spelled}{after}");
            prop_assert!(check(["deploy", token.as_str()]).is_err(), "{token}");
        }
    }
}
