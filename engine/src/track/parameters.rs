//! The fitted parameters of a suite.

use crate::belief::AdvanceParameters;
use crate::store::{GraphHash, HeadHash};
use crate::when::{BasinTable, NullBank, PreparedBank};

/// The three null banks: what each statistic was on clean leave-one-demo-out replays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Banks {
    /// Distance to the manifold in certified radii.
    pub basin: NullBank,
    /// Change of `phase_hat` a check.
    pub progress: NullBank,
    /// Log predictive likelihood; telemetry, no test uses it.
    pub evidence: NullBank,
}

/// Everything that `g_track.npz` holds.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackParameters {
    /// Advance weights, sibling share, sibling rule.
    pub advance: AdvanceParameters,
    /// The fitted restart share; the filter runs with it only when asked to.
    pub leak: f64,
    /// The fitted temperature of the likelihood, with which the banks were made.
    pub tau: f64,
    /// The null banks.
    pub banks: Banks,
    /// Certified radius and bandwidth of each (task, phase bin).
    pub basin: BasinTable,
    /// Clean replays behind the fits.
    pub replays: usize,
    /// Checks of those replays.
    pub checks: usize,
    /// Summary of the fits as JSON: their likelihoods against the unfitted defaults.
    pub summary: String,
    /// The graph.
    pub graph: GraphHash,
    /// The head.
    pub head: HeadHash,
}

/// The two banks that bets are made against, ready for p-values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PreparedBanks {
    /// Of the basin test.
    pub basin: PreparedBank,
    /// Of the progress test.
    pub progress: PreparedBank,
}

impl Banks {
    /// Ready for p-values; the samples of a demo under test are left out.
    pub fn prepare(&self, without_owner: Option<usize>) -> PreparedBanks {
        let keep = |owner| Some(owner) != without_owner;
        PreparedBanks { basin: self.basin.prepare_where(keep), progress: self.progress.prepare_where(keep) }
    }
}
