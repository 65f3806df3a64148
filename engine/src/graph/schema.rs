//! The twelve relations, their names and their order.

use crate::constants::DILATIONS;

/// A typed relation between nodes. Messages run from source to target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// Successor, one node step along the strand.
    Next1,
    /// Successor, two node steps.
    Next2,
    /// Successor, four node steps.
    Next4,
    /// Successor, eight node steps.
    Next8,
    /// Successor, sixteen node steps.
    Next16,
    /// Predecessor, one node step.
    Prev1,
    /// Predecessor, two node steps.
    Prev2,
    /// Predecessor, four node steps.
    Prev4,
    /// Predecessor, eight node steps.
    Prev8,
    /// Predecessor, sixteen node steps.
    Prev16,
    /// Nearest nodes in joint space of other demos of the same task.
    Sibling,
    /// Nearest nodes in joint space of other demos in the same phase bin, any task.
    Align,
}

impl Relation {
    /// All relations, in the order of the files and of `graph_hash`.
    pub const ALL: [Self; 12] = [
        Self::Next1,
        Self::Next2,
        Self::Next4,
        Self::Next8,
        Self::Next16,
        Self::Prev1,
        Self::Prev2,
        Self::Prev4,
        Self::Prev8,
        Self::Prev16,
        Self::Sibling,
        Self::Align,
    ];

    /// Number of relations, `R`.
    pub const COUNT: usize = Self::ALL.len();

    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Next1 => "next1",
            Self::Next2 => "next2",
            Self::Next4 => "next4",
            Self::Next8 => "next8",
            Self::Next16 => "next16",
            Self::Prev1 => "prev1",
            Self::Prev2 => "prev2",
            Self::Prev4 => "prev4",
            Self::Prev8 => "prev8",
            Self::Prev16 => "prev16",
            Self::Sibling => "sibling",
            Self::Align => "align",
        }
    }

    /// Signed node steps of a temporal relation; `None` for the spatial ones.
    pub fn node_step(self) -> Option<isize> {
        let index = self as usize;
        let steps = DILATIONS.len();
        match index {
            i if i < steps => Some(DILATIONS[i] as isize),
            i if i < 2 * steps => Some(-(DILATIONS[i - steps] as isize)),
            _ => None,
        }
    }
}
