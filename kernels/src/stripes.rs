//! The order in which long sums are taken.
//!
//! Element `i` goes to stripe `i mod 8`, each stripe adds in index order, and the eight stripes join in a
//! fixed tree. A vector register of any width up to eight f64 keeps that order, so every level rounds
//! alike.

/// Number of stripes: the f64 lanes of the widest register.
pub(crate) const STRIPES: usize = 8;

/// Joins the stripes as halving a register does: quarters of the distance first.
#[inline(always)]
pub(crate) fn join(s: [f64; STRIPES]) -> f64 {
    ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}
