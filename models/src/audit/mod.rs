//! What the suite's artifacts are worth on demos that neither training nor fitting saw.
//!
//! [`recorded`] runs the head once over each episode; [`transitions`] and [`baselines`] score the phase
//! estimate; [`perturb`] disturbs recordings and [`alarms`] counts false alarms and detections, with exact
//! intervals ([`interval`]); [`entry`] rewinds start poses on the offline plant. Figures only: nothing here is
//! used to choose anything.

pub mod alarms;
pub mod baselines;
pub mod entry;
pub mod interval;
pub mod perturb;
pub mod recorded;
pub mod transitions;

pub use alarms::{Detection, FalseAlarms};
pub use entry::{EntryAudit, LevelAudit};
pub use interval::Share;
pub use recorded::{Recorded, Source};
pub use transitions::{PhaseTable, PhaseTrack, Transitions};
