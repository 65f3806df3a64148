//! Text of strangers, safe to show.
//!
//! Names come from recorded files. A control character, or one that turns the direction of text, could move a cursor,
//! recolour a terminal or hide what stands beside it; each becomes U+FFFD. Newlines stay in [`lines`].

/// The text without characters that act on what shows it.
pub fn line(text: &str) -> String {
    text.chars().map(|c| if acts(c) { '\u{fffd}' } else { c }).collect()
}

/// The same, newlines kept.
pub fn lines(text: &str) -> String {
    text.chars().map(|c| if acts(c) && c != '\n' { '\u{fffd}' } else { c }).collect()
}

fn acts(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_replaced() {
        assert_eq!(
            line("a\x1b]0;x\x07\nb\u{202e}c\u{85}é"),
            "a\u{fffd}]0;x\u{fffd}\u{fffd}b\u{fffd}c\u{fffd}é"
        );
        assert_eq!(lines("a\r\nb\t"), "a\u{fffd}\nb\u{fffd}");
    }
}
