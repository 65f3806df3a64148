//! Self-contained HTML pages with inline SVG, from plain numbers.
//!
//! Pure functions: what comes in is a struct of `Vec`, `Option` and `String`, what goes out is the text of a
//! page; files, clocks and the engine are elsewhere, so equal figures give equal bytes. No page fetches
//! anything: no script, no font, no image.
//!
//! What is not known is `None` (a value that is not finite counts as `None`). It leaves a gap in a line, says
//! `unknown` in a table, and is never shown in the colour of something good. Nothing is told by colour alone:
//! lines have dash patterns, marks have words, judgements have a sign.
//!
//! Pages: [`Replay`], [`Quickstart`], [`StopReplay`], [`matrix`] and [`hulls`]. Parts: [`LineChart`], [`RateChart`],
//! [`OutcomeBars`], [`GapChart`],
//! [`Table`], [`Page`]. Values are
//! escaped by `maud` wherever they enter markup.

pub mod axis;
pub mod figure;
pub mod format;
pub mod gap_chart;
pub mod hulls;
pub mod line_chart;
pub mod matrix;
pub mod outcome_bars;
pub mod page;
pub mod quickstart;
pub mod rate_chart;
pub mod replay;
pub mod stop_replay;
pub mod table;

pub use gap_chart::GapChart;
pub use line_chart::{LineChart, Mark, Series, Span, Threshold, YRange};
pub use outcome_bars::OutcomeBars;
pub use page::{Fact, Page, Provenance, Section};
pub use quickstart::Quickstart;
pub use rate_chart::{RateChart, RateRow, Reference};
pub use replay::Replay;
pub use stop_replay::StopReplay;
pub use table::{Cell, Column, Judgement, Table};
