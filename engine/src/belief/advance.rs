//! The transition of the filter: how belief moves along the graph between two checks.
//!
//! ```text
//! P = S_beta A_pi                A_pi = sum_a pi[a] A_a           a in TRACK_ADVANCE_SET, raw frames
//! A_a     source v gives to the two nodes of its strand that bracket frame(v) + a, linearly;
//!         beyond the strand's last frame all to its last node
//! S_beta  source v keeps 1 - beta and gives beta to its siblings, uniformly; without any it keeps all
//! ```
//!
//! Row = destination, column = source, local indices, so that a step is `P b` and columns sum to 1
//! (sentinel page, section 4). `A` is read off the frames of the nodes. `align` and `prev*` never enter: an
//! arm does not change its task, and going back must pay. `P` is kept as its two factors, which hold about a
//! third of the entries of the product.

use super::error::BeliefError;
use super::scope::{Scope, ScopeId};
use crate::constants::{BETA, PI, TRACK_ADVANCE_SET};
use crate::graph::{DemoGraph, Relation};
use rollcheck_kernels::belief_advance::advance;
use rollcheck_kernels::{Csr, KernelError, SimdLevel};

/// Largest deviation of `sum pi` from 1.
const PI_SUM_TOLERANCE: f64 = 1e-9;

/// Which siblings take belief (`TRACK_SIBLING`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SiblingRule {
    /// Those in the same or a neighbouring phase bin and with the same gripper command.
    #[default]
    Near,
    /// All of them.
    All,
}

impl SiblingRule {
    fn takes(self, graph: &DemoGraph, from: usize, to: usize) -> bool {
        match self {
            Self::All => true,
            Self::Near => {
                graph.bin(from).abs_diff(graph.bin(to)) <= 1 && graph.closed(from) == graph.closed(to)
            }
        }
    }
}

/// What the transition is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdvanceParameters {
    /// Weight of each advance of [`TRACK_ADVANCE_SET`]; not negative, sum 1.
    pub pi: [f64; TRACK_ADVANCE_SET.len()],
    /// Share that moves to the siblings, 0 to 1.
    pub beta: f64,
    /// Which siblings.
    pub siblings: SiblingRule,
}

impl Default for AdvanceParameters {
    fn default() -> Self {
        Self { pi: PI, beta: BETA, siblings: SiblingRule::default() }
    }
}

impl AdvanceParameters {
    /// Whether every parameter is what it may be.
    ///
    /// # Errors
    /// [`BeliefError::Parameter`], naming the first that is not.
    pub fn check(&self) -> Result<(), BeliefError> {
        let refuse = |name: String, expected, found| Err(BeliefError::Parameter { name, expected, found });
        for (i, &weight) in self.pi.iter().enumerate() {
            if !(weight.is_finite() && weight >= 0.0) {
                return refuse(format!("pi[{i}]"), "a finite weight of at least 0", weight);
            }
        }
        let sum: f64 = self.pi.iter().sum();
        if (sum - 1.0).abs() > PI_SUM_TOLERANCE {
            return refuse("sum of pi".to_owned(), "1", sum);
        }
        if !(0.0..=1.0).contains(&self.beta) {
            return refuse("beta".to_owned(), "a share from 0 to 1", self.beta);
        }
        Ok(())
    }
}

/// The transition over the nodes of a scope. Immutable; share it by `Arc`.
#[derive(Clone, Debug)]
pub struct Advance {
    scope: ScopeId,
    parameters: AdvanceParameters,
    along_strand: Csr<f64>,
    to_siblings: Csr<f64>,
    level: SimdLevel,
}

impl Advance {
    /// Builds both factors.
    ///
    /// # Errors
    /// [`BeliefError::Parameter`]; [`BeliefError::ForeignScope`] when `scope` is of another graph.
    pub fn build(
        graph: &DemoGraph,
        scope: &Scope,
        parameters: &AdvanceParameters,
    ) -> Result<Self, BeliefError> {
        parameters.check()?;
        check_graph(graph, scope)?;
        let weighted = TRACK_ADVANCE_SET.into_iter().zip(parameters.pi).filter(|&(_, weight)| weight > 0.0);
        let along_strand = matrix(scope.len(), |source, gives| {
            for (frames, weight) in weighted.clone() {
                split(graph, scope, source, frames, weight, gives);
            }
        })?;
        let siblings = graph.relation(Relation::Sibling);
        let to_siblings = matrix(scope.len(), |source, gives| {
            let from = scope.nodes()[source] as usize;
            let takers = || {
                let taking = |&&to: &&u32| parameters.siblings.takes(graph, from, to as usize);
                siblings.row(from).iter().filter(taking).filter_map(|&to| scope.local(to))
            };
            let count = takers().count();
            let moved = if count == 0 { 0.0 } else { parameters.beta };
            gives.push((source, 1.0 - moved));
            gives.extend(takers().map(|to| (to, moved / count as f64)));
        })?;
        Ok(Self {
            scope: scope.id().clone(),
            parameters: *parameters,
            along_strand,
            to_siblings,
            level: SimdLevel::detect(),
        })
    }

    /// The nodes it was built for.
    pub fn scope(&self) -> &ScopeId {
        &self.scope
    }

    /// The parameters it was built with.
    pub fn parameters(&self) -> &AdvanceParameters {
        &self.parameters
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.along_strand.rows()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `A_pi`.
    pub fn along_strand(&self) -> &Csr<f64> {
        &self.along_strand
    }

    /// `S_beta`.
    pub fn to_siblings(&self) -> &Csr<f64> {
        &self.to_siblings
    }

    /// `out = P belief`, by way of `advanced = A_pi belief`. Allocates nothing.
    ///
    /// # Errors
    /// [`KernelError::Length`] when a slice has not one value a node.
    pub fn apply(&self, belief: &[f64], advanced: &mut [f64], out: &mut [f64]) -> Result<(), KernelError> {
        advance(self.level, &self.along_strand, belief, advanced)?;
        advance(self.level, &self.to_siblings, advanced, out)
    }

    /// `P` as one matrix, for inspection.
    ///
    /// # Errors
    /// [`BeliefError::Kernel`], which would be a defect of this module.
    pub fn composed(&self) -> Result<Csr<f64>, BeliefError> {
        let (into, by_source) = (self.to_siblings.transpose(), self.along_strand.transpose());
        matrix(self.len(), |source, gives| {
            for (&via, &first) in by_source.row(source).iter().zip(by_source.row_values(source)) {
                let via = via as usize;
                let onward = into.row(via).iter().zip(into.row_values(via));
                gives.extend(onward.map(|(&to, &second)| (to as usize, second * first)));
            }
        })
    }
}

/// `A_a`: the advance by exactly `frames` raw frames.
///
/// # Errors
/// [`BeliefError::ForeignScope`] when `scope` is of another graph.
pub fn advance_matrix(graph: &DemoGraph, scope: &Scope, frames: usize) -> Result<Csr<f64>, BeliefError> {
    check_graph(graph, scope)?;
    matrix(scope.len(), |source, gives| split(graph, scope, source, frames, 1.0, gives))
}

fn check_graph(graph: &DemoGraph, scope: &Scope) -> Result<(), BeliefError> {
    if scope.id().graph == *graph.hash() {
        return Ok(());
    }
    let expected = ScopeId { graph: graph.hash().clone(), lane: scope.lane() };
    Err(BeliefError::ForeignScope { expected: Box::new(expected), found: Box::new(scope.id().clone()) })
}

/// Gives `mass` of a source to the two nodes that bracket its frame plus `frames`.
fn split(
    graph: &DemoGraph,
    scope: &Scope,
    source: usize,
    frames: usize,
    mass: f64,
    gives: &mut Vec<(usize, f64)>,
) {
    let (lower, upper, share) = graph.bracket(scope.nodes()[source] as usize, frames);
    for (node, part) in [(lower, 1.0 - share), (upper, share)] {
        gives.extend(scope.local(node as u32).map(|to| (to, mass * part)));
    }
}

/// A square matrix from what each source gives to whom; repeated destinations add up in the order given,
/// zeros are left out.
fn matrix(n: usize, mut give: impl FnMut(usize, &mut Vec<(usize, f64)>)) -> Result<Csr<f64>, BeliefError> {
    let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); n];
    let mut gives = Vec::new();
    for source in 0..n {
        gives.clear();
        give(source, &mut gives);
        for &(to, mass) in gives.iter().filter(|&&(_, mass)| mass > 0.0) {
            // Sources come in ascending order, so an earlier gift of this one is the row's last entry.
            match rows[to].last_mut() {
                Some((last, sum)) if *last as usize == source => *sum += mass,
                _ => rows[to].push((source as u32, mass)),
            }
        }
    }
    Ok(Csr::from_rows(rows, n)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_accepted() {
        assert_eq!(AdvanceParameters::default().check(), Ok(()));
    }

    #[test]
    fn parameters_that_are_no_shares_are_refused_by_name() {
        let refused = |change: fn(&mut AdvanceParameters)| {
            let mut parameters = AdvanceParameters::default();
            change(&mut parameters);
            parameters.check().unwrap_err().to_string()
        };
        assert_eq!(
            refused(|p| p.pi[3] = -0.1),
            "parameter `pi[3]`: -0.1, expected a finite weight of at least 0"
        );
        assert_eq!(
            refused(|p| p.pi[7] = f64::NAN),
            "parameter `pi[7]`: NaN, expected a finite weight of at least 0"
        );
        assert_eq!(refused(|p| p.pi = [0.25; 8]), "parameter `sum of pi`: 2, expected 1");
        assert_eq!(refused(|p| p.beta = 1.5), "parameter `beta`: 1.5, expected a share from 0 to 1");
        assert_eq!(refused(|p| p.beta = f64::NAN), "parameter `beta`: NaN, expected a share from 0 to 1");
    }
}
