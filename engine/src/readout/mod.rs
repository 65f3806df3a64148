//! WHERE: the joint pose to put the arm back to (sentinel page, sections 3 and 6).
//!
//! [`entry`] averages the demos' starts, [`basin`] weighs nodes by belief and distance, [`segment`] turns the
//! weighted nodes of either into the frames that the servo follows.

pub mod basin;
pub mod entry;
pub mod error;
pub mod segment;

pub use basin::{BasinReadout, TargetKind};
pub use entry::{EntryReadout, EntryTarget, StratumCounts, needs_rewind};
pub use error::ReadoutError;
pub use segment::Segment;
