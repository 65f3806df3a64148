//! Signed distance between two convex hulls, with the two bounds that prove it.
//!
//! ```text
//! M = A - B (Minkowski difference)      h(n) = max over M of n . p = h_A(n) + h_B(-n)
//! apart:        |v| for any v of M is an upper bound, -h(-n) for any unit n a lower one     (GJK closes them)
//! overlapping:  depth = min over unit n of h(n); any h(n) is an upper bound of it, the distance from the origin to
//!               the nearest facet of a polytope inside M a lower one                        (EPA closes them)
//! ```
//!
//! Geometry page, sections 2.4 and 8. Gilbert, Johnson and Keerthi 1988; van den Bergen 2001. Supports scan every vertex:
//! hill climbing may stop early. [`Answer::certified`] is whether the bounds met; where they did not the caller has to
//! enumerate features, and knows it.
//!
//! Vertices (m) as three slices, padded with copies of the last one to a multiple of [`LANES`]; `a_from_b` as rows
//! `[R | t]`. Everything that comes back is in the frame of A.

mod epa;
mod gjk;
mod support;

pub use support::LANES;

use crate::backend::{SimdLevel, simd_levels};
use crate::error::{KernelError, expect_len};

/// Bounds this close are one number, m.
pub const CERTIFIED_M: f64 = 1e-9;
/// Iteration goes on until the bounds are this close, m. Absolute, as are the thresholds of EPA: meant for hulls of
/// millimetres to some metres; far larger ones end uncertified, which the caller is told.
const GOAL_M: f64 = 1e-12;
/// Hulls nearer than this touch, m (geometry page, section 2.4).
pub const TOUCH_M: f64 = 1e-12;

/// Vertices of a hull, m.
#[derive(Clone, Copy, Debug)]
pub struct Vertices<'a> {
    /// Along x.
    pub x: &'a [f64],
    /// Along y.
    pub y: &'a [f64],
    /// Along z.
    pub z: &'a [f64],
}

impl Vertices<'_> {
    fn expect(&self, names: [&'static str; 3]) -> Result<(), KernelError> {
        let whole = self.x.len().next_multiple_of(LANES).max(LANES);
        for (name, slice) in names.into_iter().zip([self.x, self.y, self.z]) {
            expect_len("hull_distance", name, whole, slice.len())?;
        }
        Ok(())
    }
}

/// Which iteration gave an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iteration {
    /// The hulls are apart.
    Gjk,
    /// The hulls overlap.
    Epa,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Gap, or minus the depth, m.
    pub distance: f64,
    /// Point of A, in A's frame, m.
    pub witness_a: [f64; 3],
    /// Point of B, in A's frame, m.
    pub witness_b: [f64; 3],
    /// Unit vector from A to B: the direction of the gap, or in which B is moved out by the shortest way.
    pub axis: [f64; 3],
    /// Upper less lower bound, m.
    pub gap: f64,
    /// Which iteration ended it.
    pub iteration: Iteration,
    /// How many steps both took.
    pub steps: u32,
}

impl Answer {
    /// Whether the bounds met.
    pub fn certified(&self) -> bool {
        self.gap <= CERTIFIED_M
    }
}

/// Buffers of a call, reused: nothing is allocated once they have grown.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    points: Vec<support::Corner>,
    facets: Vec<epa::Facet>,
    horizon: Vec<(u32, u32)>,
}

/// The signed distance of hull `b` from hull `a`.
///
/// # Errors
/// [`KernelError::Length`] when the slices of a hull differ in length or are not padded.
pub fn signed_distance(
    level: SimdLevel,
    a: Vertices<'_>,
    b: Vertices<'_>,
    a_from_b: &[[f64; 4]; 3],
    work: &mut Workspace,
) -> Result<Answer, KernelError> {
    a.expect(["a.x", "a.y", "a.z"])?;
    b.expect(["b.x", "b.y", "b.z"])?;
    Ok(run(level, a, b, a_from_b, work))
}

#[inline(always)]
fn body(a: Vertices<'_>, b: Vertices<'_>, a_from_b: &[[f64; 4]; 3], work: &mut Workspace) -> Answer {
    let pair = support::Pair { a, b, a_from_b };
    match gjk::run(&pair, gjk::Until::THEY_MEET) {
        gjk::End::Apart(answer) => answer,
        gjk::End::Overlap { simplex, steps } => epa::run(&pair, simplex, steps, work),
    }
}

simd_levels! {
    fn run(a: Vertices<'_>, b: Vertices<'_>, a_from_b: &[[f64; 4]; 3], work: &mut Workspace) -> Answer = body
}

/// A lower bound of the distance of hull `b` from hull `a`, m, as the safety kernel's second stage takes it: it stops as
/// soon as the bound is above `cleared`, or after `steps`. `None`: they overlap.
///
/// # Errors
/// [`KernelError::Length`] as [`signed_distance`].
pub fn separation_bound(
    level: SimdLevel,
    a: Vertices<'_>,
    b: Vertices<'_>,
    a_from_b: &[[f64; 4]; 3],
    cleared: f64,
    steps: u32,
) -> Result<Option<f64>, KernelError> {
    a.expect(["a.x", "a.y", "a.z"])?;
    b.expect(["b.x", "b.y", "b.z"])?;
    Ok(run_bound(level, a, b, a_from_b, cleared, steps))
}

#[inline(always)]
fn bound_body(
    a: Vertices<'_>,
    b: Vertices<'_>,
    a_from_b: &[[f64; 4]; 3],
    cleared: f64,
    steps: u32,
) -> Option<f64> {
    let pair = support::Pair { a, b, a_from_b };
    match gjk::run(&pair, gjk::Until { cleared, steps }) {
        // Upper less gap is the lower bound; a distance that is not certified is that bound already.
        gjk::End::Apart(answer) if answer.certified() => Some(answer.distance - answer.gap),
        gjk::End::Apart(answer) => Some(answer.distance),
        gjk::End::Overlap { .. } => None,
    }
}

simd_levels! {
    fn run_bound(
        a: Vertices<'_>, b: Vertices<'_>, a_from_b: &[[f64; 4]; 3], cleared: f64, steps: u32,
    ) -> Option<f64> = bound_body
}

type V3 = [f64; 3];

#[inline(always)]
fn sub(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot(a: V3, b: V3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn scale(a: V3, s: f64) -> V3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

#[inline(always)]
fn norm(a: V3) -> f64 {
    dot(a, a).sqrt()
}
