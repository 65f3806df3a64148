//! A file as blocks of whole lines, in bounded memory.
//!
//! A block ends after a newline (or, in a run without any, after a carriage return, as progress bars write it). A line
//! above [`MAX_LINE`] bytes is skipped whole and counted. Inside a block, [`python_lines`] splits where the recorder's
//! language does: `\n`, `\r\n`, `\r`, VT, FF, FS, GS, RS, NEL, LS, PS (reference page, section 2.1). The separators are
//! searched as bytes: none of their UTF-8 forms can begin inside another character, so the result is that of
//! splitting the text in which invalid bytes were replaced.

use memchr::{memchr, memchr2_iter, memchr3, memrchr, memrchr3};
use std::borrow::Cow;
use std::io::{self, Read};

/// Longest line that is looked at, bytes.
pub const MAX_LINE: usize = 64 << 20;

/// Read at once, bytes: small enough to be scanned and hashed while in the nearest caches (256 KiB costs a tenth more).
const CHUNK: usize = 64 << 10;

/// Lines that were not looked at, and the first of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many.
    pub lines: u64,
    /// Number of the first, from 1; 0 when there is none.
    pub first: u64,
}

impl Skipped {
    /// One more line.
    pub fn add(&mut self, line: u64) {
        if self.lines == 0 {
            self.first = line;
        }
        self.lines += 1;
    }
}

/// Whole lines, in the order of the file.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The bytes, separators included; only the last block may end without one.
    pub bytes: &'a [u8],
    /// Number of the first line, counting newlines from 1.
    pub first_line: u64,
}

/// Reads blocks.
pub struct BlockReader<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were given out with the last block.
    used: usize,
    filled: usize,
    line: u64,
    /// Newlines of the last block, where its taker counted them.
    newlines: Option<u64>,
    max_line: usize,
    /// Inside a line that is skipped.
    skipping: bool,
    ended: bool,
    /// Lines above the limit.
    pub too_long: Skipped,
}

impl<R: Read> BlockReader<R> {
    /// A reader with the limit [`MAX_LINE`].
    pub fn new(reader: R) -> Self {
        Self::with_limit(reader, MAX_LINE)
    }

    /// A reader with another limit.
    pub fn with_limit(reader: R, max_line: usize) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            used: 0,
            filled: 0,
            line: 1,
            newlines: None,
            max_line,
            skipping: false,
            ended: false,
            too_long: Skipped::default(),
        }
    }

    /// The next block, or `None` at the end.
    ///
    /// # Errors
    /// The reader's.
    pub fn next_block(&mut self) -> io::Result<Option<Block<'_>>> {
        let newlines = self.newlines.take();
        self.line += newlines.unwrap_or_else(|| count_newlines(&self.buffer[..self.used]));
        self.buffer.copy_within(self.used..self.filled, 0);
        self.filled -= self.used;
        self.used = 0;
        // Bytes that hold no line end: a long line is searched once, not once a chunk.
        let mut searched = 0;
        loop {
            if self.ended {
                if self.skipping || self.filled == 0 {
                    return Ok(None);
                }
                self.used = self.filled;
                return Ok(Some(self.block()));
            }
            self.fill()?;
            if self.skipping {
                match memchr(b'\n', &self.buffer[..self.filled]) {
                    None => {
                        self.filled = 0;
                        continue;
                    }
                    Some(at) => {
                        self.skipping = false;
                        self.line += 1;
                        self.buffer.copy_within(at + 1..self.filled, 0);
                        self.filled -= at + 1;
                    }
                }
            }
            if let Some(at) = memrchr(b'\n', &self.buffer[searched..self.filled]) {
                self.used = searched + at + 1;
                return Ok(Some(self.block()));
            }
            if self.filled >= CHUNK || self.filled > self.max_line {
                // A carriage return that ends the buffer may be half of a line end.
                let inner = self.filled.saturating_sub(1).max(searched);
                if let Some(at) = memrchr(b'\r', &self.buffer[searched..inner]) {
                    self.used = searched + at + 1;
                    return Ok(Some(self.block()));
                }
                searched = inner;
            }
            if self.filled > self.max_line {
                self.too_long.add(self.line);
                self.skipping = true;
                (self.filled, searched) = (0, 0);
            }
        }
    }

    /// Takes over the newlines that were counted in the last block, so that nobody counts them twice.
    pub fn counted(&mut self, newlines: u64) {
        self.newlines = Some(newlines);
    }

    fn block(&self) -> Block<'_> {
        Block { bytes: &self.buffer[..self.used], first_line: self.line }
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.buffer.len() < self.filled + CHUNK {
            let size = (2 * self.buffer.len()).clamp(self.filled + CHUNK, self.filled + (8 << 20));
            self.buffer.resize(size, 0);
        }
        let end = self.filled + CHUNK;
        while self.filled < end {
            match self.reader.read(&mut self.buffer[self.filled..end]) {
                Ok(0) => {
                    self.ended = true;
                    return Ok(());
                }
                Ok(n) => self.filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Newlines in `bytes`.
pub fn count_newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// The length of the separator at `at`, or 0.
fn separator(bytes: &[u8], at: usize) -> usize {
    let next = |n: usize| bytes.get(at + n).copied();
    match bytes[at] {
        b'\r' if next(1) == Some(b'\n') => 2,
        b'\n' | b'\r' | 0x0b | 0x0c | 0x1c..=0x1e => 1,
        0xc2 if next(1) == Some(0x85) => 2,
        0xe2 if next(1) == Some(0x80) && matches!(next(2), Some(0xa8 | 0xa9)) => 3,
        _ => 0,
    }
}

/// The lines of whole text, without their separators; a final separator ends the last line and begins none.
pub fn python_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= bytes.len() {
            return None;
        }
        let start = at;
        while at < bytes.len() {
            let length = separator(bytes, at);
            if length > 0 {
                let line = &bytes[start..at];
                at += length;
                return Some(line);
            }
            at += 1;
        }
        Some(&bytes[start..])
    })
}

/// The bounds of the line around `at`.
pub fn line_around(bytes: &[u8], at: usize) -> (usize, usize) {
    let start = memrchr(b'\n', &bytes[..at]).map_or(0, |n| n + 1);
    let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n);
    (start + after_last_rare(&bytes[start..at]), at + before_first_rare(&bytes[at..end]))
}

/// Where the first separator other than a newline begins, or the end. What begins two separators of more than one
/// byte (0xc2, 0xe2) begins other characters too, so those are looked at twice.
fn before_first_rare(bytes: &[u8]) -> usize {
    let mut end = bytes.len();
    for found in [memchr3(b'\r', 0x0b, 0x0c, bytes), memchr3(0x1c, 0x1d, 0x1e, bytes)].into_iter().flatten() {
        end = end.min(found);
    }
    memchr2_iter(0xc2, 0xe2, &bytes[..end]).find(|&at| separator(bytes, at) > 0).unwrap_or(end)
}

/// Where the text after the last separator other than a newline begins, or 0.
fn after_last_rare(bytes: &[u8]) -> usize {
    let mut start = 0;
    for found in [memrchr3(b'\r', 0x0b, 0x0c, bytes), memrchr3(0x1c, 0x1d, 0x1e, bytes)].into_iter().flatten()
    {
        start = start.max(found + 1);
    }
    memchr2_iter(0xc2, 0xe2, &bytes[start..])
        .map(|at| start + at)
        .filter_map(|at| Some(at + separator(bytes, at)).filter(|&after| after > at))
        .next_back()
        .unwrap_or(start)
}

/// A line as text: invalid bytes replaced, terminal colour codes (CSI sequences) taken out.
pub fn text(line: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(line);
    if memchr(0x1b, line).is_none() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some(at) = rest.find("\u{1b}[") {
        out.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let end = after.find(|c: char| !matches!(c, '0'..='?' | ' '..='/'));
        match end {
            Some(end) if matches!(after.as_bytes()[end], b'@'..=b'~') => rest = &after[end + 1..],
            Some(end) => rest = &after[end..],
            None => rest = "",
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The slow definition: split the replaced text.
    fn by_text(bytes: &[u8]) -> Vec<String> {
        let text = String::from_utf8_lossy(bytes);
        let (mut lines, mut line) = (Vec::new(), String::new());
        let mut chars = text.chars().peekable();
        let mut open = false;
        while let Some(c) = chars.next() {
            open = true;
            if matches!(
                c,
                '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
            ) {
                if c == '\r' && chars.peek() == Some(&'\n') {
                    chars.next();
                }
                lines.push(std::mem::take(&mut line));
                open = false;
            } else {
                line.push(c);
            }
        }
        if open {
            lines.push(line);
        }
        lines
    }

    fn blocks(bytes: &[u8], limit: usize) -> (Vec<(u64, Vec<u8>)>, Skipped) {
        let mut reader = BlockReader::with_limit(bytes, limit);
        let mut found = Vec::new();
        while let Some(block) = reader.next_block().unwrap() {
            found.push((block.first_line, block.bytes.to_vec()));
        }
        (found, reader.too_long)
    }

    #[test]
    fn blocks_are_whole_lines_and_make_up_the_file() {
        let long: Vec<u8> = (0..60_000).flat_map(|i| format!("line {i}\n").into_bytes()).collect();
        let (found, skipped) = blocks(&long, MAX_LINE);
        assert!(found.len() > 1);
        assert_eq!(skipped.lines, 0);
        for (number, block) in &found {
            assert!(block.starts_with(format!("line {}\n", number - 1).as_bytes()));
        }
        assert_eq!(found.into_iter().flat_map(|(_, b)| b).collect::<Vec<_>>(), long);
    }

    #[test]
    fn a_line_above_the_limit_is_skipped_alone() {
        let mut bytes = b"first\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', 3 * CHUNK));
        bytes.extend(b"\nlast\n");
        let (found, skipped) = blocks(&bytes, 2 * CHUNK);
        let text: Vec<u8> = found.iter().flat_map(|(_, b)| b.clone()).collect();
        assert_eq!(text, b"first\nlast\n");
        assert_eq!(skipped, Skipped { lines: 1, first: 2 });
        assert_eq!(found.last().unwrap().0, 3);
        let (found, skipped) = blocks(&bytes[..bytes.len() - 6], 2 * CHUNK);
        assert_eq!((found.len(), skipped.lines), (1, 1), "also when it is the last");
    }

    #[test]
    fn progress_bars_do_not_make_a_long_line() {
        let bars = "step 1 of 9\r".repeat(100_000).into_bytes();
        let (found, skipped) = blocks(&bars, CHUNK / 2);
        assert_eq!(skipped.lines, 0);
        assert_eq!(found.into_iter().flat_map(|(_, b)| b).collect::<Vec<_>>(), bars);
    }

    /// A reader that gives what it is told to, so that line ends fall on every side of a chunk's end.
    #[test]
    fn a_carriage_return_is_found_wherever_chunks_end() {
        for before in [CHUNK - 2, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK - 1] {
            for end in ["\r", "\r\n"] {
                let mut bytes = vec![b'x'; before];
                bytes.extend(end.as_bytes());
                bytes.extend(vec![b'y'; 2 * CHUNK]);
                bytes.extend(b"\nlast");
                let (found, skipped) = blocks(&bytes, 8 * CHUNK);
                assert_eq!(skipped.lines, 0);
                let lines: Vec<usize> =
                    found.iter().flat_map(|(_, block)| python_lines(block).map(<[u8]>::len)).collect();
                assert_eq!(lines, [before, 2 * CHUNK, 4], "{before} {end:?}");
            }
        }
    }

    #[test]
    fn lines_split_as_in_the_recorders_language() {
        let bytes = "a\r\nb\rc\u{b}d\u{c}e\u{1c}f\u{85}g\u{2028}h\u{2029}i\n\nj".as_bytes();
        let lines: Vec<&[u8]> = python_lines(bytes).collect();
        assert_eq!(lines, [&b"a"[..], b"b", b"c", b"d", b"e", b"f", b"g", b"h", b"i", b"", b"j"]);
        assert_eq!(python_lines(b"").count(), 0);
        assert_eq!(python_lines(b"\n").count(), 1);
    }

    #[test]
    fn colour_codes_are_taken_out_of_a_line() {
        let line = b"[x]: \x1b[34m\x1b[1mHave not\x1b[0m\x1b[0m";
        assert_eq!(text(line), "[x]: Have not");
        assert_eq!(text(b"\x1b[38;5;12mred\x1b["), "red");
        assert_eq!(text(b"plain \xff"), "plain \u{fffd}");
    }

    proptest! {
        #[test]
        fn splitting_bytes_is_splitting_text(bytes in proptest::collection::vec(
            prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'a'), Just(0xc2), Just(0x85), Just(0xe2), Just(0x80), Just(0xa8),
                        Just(0x1c), Just(0xf0), any::<u8>()], 0..60)) {
            let ours: Vec<String> =
                python_lines(&bytes).map(|l| String::from_utf8_lossy(l).into_owned()).collect();
            prop_assert_eq!(ours, by_text(&bytes));
            let mut at = 0;
            for line in python_lines(&bytes) {
                let start = line.as_ptr() as usize - bytes.as_ptr() as usize;
                if !line.is_empty() {
                    at = start + line.len() / 2;
                    prop_assert_eq!(line_around(&bytes, at), (start, start + line.len()));
                }
            }
            let _ = at;
        }

        #[test]
        fn any_line_becomes_text(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = text(&bytes);
        }
    }
}
