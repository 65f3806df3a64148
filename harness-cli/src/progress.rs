//! Progress of one stage: a bar on a terminal, a line every tenth otherwise, or nothing.
//!
//! Lower crates know none of this. They take a callback
//!
//! ```text
//! progress: &mut dyn FnMut(done: u64, detail: &str)
//! ```
//!
//! and a command hands them `&mut |done, detail| progress.at(done, detail)`.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::Write;

/// Progress of one stage. Dropping it takes a bar off the screen.
pub struct Progress<'a>(Kind<'a>);

enum Kind<'a> {
    Silent,
    Bar(ProgressBar),
    Lines(Lines<'a>),
}

struct Lines<'a> {
    err: &'a mut dyn Write,
    stage: String,
    steps: u64,
    tenth: Option<u64>,
}

impl<'a> Progress<'a> {
    /// Shows nothing.
    pub fn silent() -> Self {
        Self(Kind::Silent)
    }

    /// A bar on the terminal of standard error.
    pub fn bar(stage: &str, steps: u64) -> Self {
        let bar = ProgressBar::new(steps);
        if let Ok(style) =
            ProgressStyle::with_template("{prefix} [{bar:28}] {pos}/{len} {elapsed} {wide_msg}")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(stage.to_owned());
        Self(Kind::Bar(bar))
    }

    /// A line whenever another tenth of the steps is done.
    pub fn lines(err: &'a mut dyn Write, stage: &str, steps: u64) -> Self {
        Self(Kind::Lines(Lines { err, stage: stage.to_owned(), steps, tenth: None }))
    }

    /// `done` of the steps are done; `detail` is what is known at this point, or empty.
    pub fn at(&mut self, done: u64, detail: &str) {
        match &mut self.0 {
            Kind::Silent => {}
            Kind::Bar(bar) => {
                bar.set_position(done);
                bar.set_message(detail.to_owned());
            }
            Kind::Lines(lines) => lines.at(done, detail),
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Kind::Bar(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Lines<'_> {
    fn at(&mut self, done: u64, detail: &str) {
        let tenth = (10 * done) / self.steps.max(1);
        if self.tenth.is_some_and(|last| tenth <= last) || done == 0 {
            return;
        }
        self.tenth = Some(tenth);
        let dash = if detail.is_empty() { "" } else { ": " };
        // Nobody is left to tell when standard error is closed.
        let _ = writeln!(self.err, "{} {done} of {}{dash}{detail}", self.stage, self.steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_stage_gives_about_ten_lines_and_its_end() {
        let mut err = Vec::new();
        let mut progress = Progress::lines(&mut err, "training: epoch", 24);
        for epoch in 0..=24 {
            progress.at(epoch, if epoch == 24 { "phase error 0.031" } else { "" });
        }
        drop(progress);
        let text = String::from_utf8(err).unwrap();
        assert!((10..=12).contains(&text.lines().count()), "{text}");
        assert_eq!(text.lines().last(), Some("training: epoch 24 of 24: phase error 0.031"));
    }

    #[test]
    fn a_stage_without_steps_is_no_reason_to_divide_by_zero() {
        let mut err = Vec::new();
        Progress::lines(&mut err, "x", 0).at(0, "");
        Progress::silent().at(3, "");
        assert!(err.is_empty());
    }
}
