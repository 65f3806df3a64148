//! The 26-DOP: thirteen slabs that hold a link tighter than its box.
//!
//! ```text
//! lo_i = min over vertices of u_i . v        hi_i = max over vertices of u_i . v        (tangent, no padding)
//! ```
//!
//! Geometry page, section 2.3. All in the box frame of the link, metres.

use super::pose::{Point, Vector};

/// Number of slabs.
pub const DOP_SLABS: usize = 13;

const R3: f64 = 0.577_350_269_189_625_8;
const R2: f64 = 0.707_106_781_186_547_5;

/// The unit axes, by position.
pub const DOP_AXES: [[f64; 3]; DOP_SLABS] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [R3, R3, R3],
    [R3, R3, -R3],
    [R3, -R3, R3],
    [R3, -R3, -R3],
    [R2, R2, 0.0],
    [R2, -R2, 0.0],
    [R2, 0.0, R2],
    [R2, 0.0, -R2],
    [0.0, R2, R2],
    [0.0, R2, -R2],
];

/// Thirteen slabs, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dop26 {
    /// Lower ends.
    pub lo_m: [f64; DOP_SLABS],
    /// Upper ends.
    pub hi_m: [f64; DOP_SLABS],
}

impl Dop26 {
    /// The slabs tangent to points; `None` without a point.
    pub fn around<'a>(points: impl IntoIterator<Item = &'a Point>) -> Option<Self> {
        let mut dop = Self { lo_m: [f64::INFINITY; DOP_SLABS], hi_m: [f64::NEG_INFINITY; DOP_SLABS] };
        for point in points {
            for (i, axis) in DOP_AXES.iter().enumerate() {
                let s = Vector::from(*axis).dot(&point.coords);
                dop.lo_m[i] = dop.lo_m[i].min(s);
                dop.hi_m[i] = dop.hi_m[i].max(s);
            }
        }
        (dop.lo_m[0] <= dop.hi_m[0]).then_some(dop)
    }

    /// How far a point is outside, m: the largest excess over a slab; at or below 0 inside.
    pub fn excess_m(&self, point: &Point) -> f64 {
        DOP_AXES.iter().enumerate().fold(f64::NEG_INFINITY, |excess, (i, axis)| {
            let s = Vector::from(*axis).dot(&point.coords);
            excess.max(s - self.hi_m[i]).max(self.lo_m[i] - s)
        })
    }
}
