//! The only place that prints.
//!
//! Data goes to standard output: text for people, or one JSON object with `--json`. Everything else goes to
//! standard error: notes and progress (silenced by `--quiet`), warnings and errors (never silenced). With
//! `--json` an error is on both: as text on standard error, and as
//! `{"error": {"exit_code", "message", "hint"}}` in place of the result. A command line that does not parse is
//! answered in text alone. Colour marks only words that say the same without it.

use crate::error::CliError;
use crate::exit::Exit;
use crate::progress::Progress;
use comfy_table::{CellAlignment, ContentLineStyle, LineStyle, Table, TableStyle};
use rollcheck_eval::guardrails::refusal::Refusal;
use serde_json::{Value, json};
use std::fmt;
use std::io::Write;

/// What the process is connected to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal {
    /// Standard error is a terminal.
    pub stderr_is_terminal: bool,
    /// The user wants no colour.
    pub no_color: bool,
}

/// How results and everything else are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// JSON instead of text.
    pub json: bool,
    /// No notes.
    pub quiet: bool,
    /// Progress is shown.
    pub progress: bool,
}

/// A result in its two forms.
pub trait Render {
    /// For programs: one object.
    fn json(&self) -> Value;
    /// For people: whole lines.
    fn text(&self) -> String;
}

/// Writes to both streams.
pub struct Printer<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    terminal: Terminal,
    output: Output,
}

#[derive(Clone, Copy)]
enum Tag {
    Error,
    Warning,
    Hint,
    Guardrail,
}

impl Tag {
    fn word(self) -> (&'static str, &'static str) {
        match self {
            Self::Error => ("error", "\x1b[1;31m"),
            Self::Warning => ("warning", "\x1b[1;33m"),
            Self::Hint => ("hint", "\x1b[1;36m"),
            Self::Guardrail => ("GUARDRAIL", "\x1b[1;31m"),
        }
    }
}

impl<'a> Printer<'a> {
    /// A printer for one command.
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write, terminal: Terminal, output: Output) -> Self {
        Self { out, err, terminal, output }
    }

    /// Prints a result.
    ///
    /// # Errors
    /// [`CliError::Stdout`].
    pub fn result(&mut self, result: &impl Render) -> Result<(), CliError> {
        if self.output.json {
            return self.data(&format!("{:#}\n", result.json()));
        }
        self.data(&result.text())
    }

    /// Writes text to standard output as it is.
    ///
    /// # Errors
    /// [`CliError::Stdout`].
    pub fn data(&mut self, text: &str) -> Result<(), CliError> {
        self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()).map_err(CliError::Stdout)
    }

    /// Says what happened, such as a file that was written.
    pub fn note(&mut self, text: impl fmt::Display) {
        if !self.output.quiet {
            // Nobody is left to tell when standard error is closed.
            let _ = writeln!(self.err, "{text}");
        }
    }

    /// Says what has to be said even when notes are not wanted.
    pub fn note_always(&mut self, text: impl fmt::Display) {
        let _ = writeln!(self.err, "{text}");
    }

    /// Says what the user should know before trusting the result.
    pub fn warning(&mut self, text: impl fmt::Display) {
        self.tagged(Tag::Warning, &text);
    }

    /// Reports why a command did not finish, and gives its exit code.
    pub fn error(&mut self, error: &CliError) -> Exit {
        let exit = error.exit();
        if exit == Exit::Done {
            return exit;
        }
        let (message, hint) = (error.message(), error.hint());
        self.tagged(
            if matches!(error, CliError::Refused(_)) { Tag::Guardrail } else { Tag::Error },
            &message,
        );
        if let Some(hint) = &hint {
            self.tagged(Tag::Hint, hint);
        }
        if self.output.json && !matches!(error, CliError::Stdout(_)) {
            let object = json!({"error": {"exit_code": exit.code(), "message": message, "hint": hint}});
            // The exit code already tells of the failure.
            let _ = self.data(&format!("{object:#}\n"));
        }
        exit
    }

    /// Reports a guard's refusal beside a result that is printed, and gives its exit code.
    pub fn guardrail(&mut self, refusal: &Refusal) -> Exit {
        self.tagged(Tag::Guardrail, refusal);
        Exit::Refused
    }

    /// Progress of one stage with a known number of steps; see [`Progress`].
    pub fn progress(&mut self, stage: &str, steps: u64) -> Progress<'_> {
        if !self.output.progress {
            return Progress::silent();
        }
        if self.terminal.stderr_is_terminal {
            return Progress::bar(stage, steps);
        }
        Progress::lines(self.err, stage, steps)
    }

    fn tagged(&mut self, tag: Tag, text: &dyn fmt::Display) {
        let (word, colour) = tag.word();
        let _ = if self.terminal.stderr_is_terminal && !self.terminal.no_color {
            writeln!(self.err, "{colour}{word}\x1b[0m: {text}")
        } else {
            writeln!(self.err, "{word}: {text}")
        };
    }
}

/// Prints what the argument parser has to say: help, the version, or what was wrong.
pub fn parser_message(
    out: &mut dyn Write,
    err: &mut dyn Write,
    terminal: Terminal,
    error: &clap::Error,
) -> Exit {
    let rendered = error.render();
    let written = if error.use_stderr() {
        let text = if terminal.stderr_is_terminal && !terminal.no_color {
            rendered.ansi().to_string()
        } else {
            rendered.to_string()
        };
        err.write_all(text.as_bytes())
    } else {
        out.write_all(rendered.to_string().as_bytes()).and_then(|()| out.flush())
    };
    match (error.exit_code(), written) {
        (0, Ok(())) => Exit::Done,
        (0, Err(e)) => CliError::Stdout(e).exit(),
        _ => Exit::Input,
    }
}

/// A table of text: first column to the left, the others to the right, one rule under the header.
pub fn table<'a>(header: &[&str], rows: impl IntoIterator<Item = Vec<String>> + 'a) -> String {
    const STYLE: TableStyle = TableStyle::new()
        .header_lines(ContentLineStyle::none())
        .header_separator(LineStyle::none().fill('-').junction('-'));
    let mut table = Table::new();
    table.load_style(STYLE);
    table.set_header(header.to_vec());
    for row in rows {
        table.add_row(row);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text = table.trim_fmt();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Two;

    impl Render for Two {
        fn json(&self) -> Value {
            json!({"two": 2})
        }
        fn text(&self) -> String {
            "two\n".to_owned()
        }
    }

    fn printed(terminal: Terminal, output: Output, act: impl Fn(&mut Printer<'_>)) -> (String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        act(&mut Printer::new(&mut out, &mut err, terminal, output));
        (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }

    #[test]
    fn data_and_notes_never_share_a_stream() {
        let act = |p: &mut Printer<'_>| {
            p.note("wrote a file");
            p.warning("look twice");
            p.result(&Two).unwrap();
        };
        let text = printed(Terminal::default(), Output::default(), act);
        assert_eq!(text, ("two\n".into(), "wrote a file\nwarning: look twice\n".into()));
        let quiet = Output { json: true, quiet: true, progress: false };
        let (out, err) = printed(Terminal::default(), quiet, act);
        assert_eq!(out, "{\n  \"two\": 2\n}\n");
        assert_eq!(err, "warning: look twice\n");
    }

    #[test]
    fn an_error_is_an_object_too_when_json_was_asked_for() {
        let act = |p: &mut Printer<'_>| {
            let error = CliError::Device { asked: "cuda:0".into(), reason: "none".into() };
            assert_eq!(p.error(&error), Exit::Device);
        };
        let (out, err) =
            printed(Terminal::default(), Output { json: true, quiet: true, progress: false }, act);
        let object: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(object["error"]["exit_code"], 6);
        assert!(err.starts_with("error: device `cuda:0` is not available: none\nhint: "), "{err}");
        assert_eq!(printed(Terminal::default(), Output::default(), act).0, "");
    }

    #[test]
    fn a_refused_round_is_told_as_a_guardrail() {
        let refusal = || Refusal::NoOverlay { folder: "/w/install".into() };
        let line =
            "GUARDRAIL: no built overlay: /w/install is not a directory; build it with `just ros2-build`\n";
        let (out, err) = printed(Terminal::default(), Output::default(), |p| {
            assert_eq!(p.error(&refusal().into()), Exit::Refused);
        });
        assert_eq!((out.as_str(), err.as_str()), ("", line));
        let json = Output { json: true, quiet: true, progress: false };
        let (out, err) = printed(Terminal::default(), json, |p| {
            assert_eq!(p.guardrail(&refusal()), Exit::Refused);
        });
        assert_eq!((out.as_str(), err.as_str()), ("", line));
    }

    #[test]
    fn colour_is_for_a_terminal_whose_user_did_not_refuse_it() {
        let act = |p: &mut Printer<'_>| p.warning("x");
        let at = |stderr_is_terminal, no_color| {
            printed(Terminal { stderr_is_terminal, no_color }, Output::default(), act).1
        };
        assert_eq!(at(true, false), "\x1b[1;33mwarning\x1b[0m: x\n");
        assert_eq!(at(true, true), "warning: x\n");
        assert_eq!(at(false, false), "warning: x\n");
    }

    #[test]
    fn a_closed_pipe_ends_quietly() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let (mut out, mut err) = (Closed, Vec::new());
        let mut printer = Printer::new(&mut out, &mut err, Terminal::default(), Output::default());
        let error = printer.result(&Two).unwrap_err();
        assert_eq!(printer.error(&error), Exit::Done);
        assert!(err.is_empty());
    }
}
