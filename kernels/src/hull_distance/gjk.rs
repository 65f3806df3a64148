//! GJK: the point of A - B nearest the origin, or that the origin lies inside.

use super::support::{Corner, Pair};
use super::{Answer, CERTIFIED_M, GOAL_M, Iteration, TOUCH_M, V3, cross, dot, norm, scale, sub};

/// When to stop before the bounds meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Until {
    /// As soon as the lower bound is above this, m.
    pub(super) cleared: f64,
    /// After so many steps.
    pub(super) steps: u32,
}

impl Until {
    /// Not before they meet.
    pub(super) const THEY_MEET: Self = Self { cleared: f64::INFINITY, steps: STEPS_MAX };
}

/// More than any pair of hulls of a robot has needed (19 in a million poses of the Panda).
const STEPS_MAX: u32 = 128;

/// Up to four corners whose hull comes nearest the origin, and how far each counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simplex {
    pub(super) corners: [Corner; 4],
    pub(super) weights: [f64; 4],
    pub(super) len: usize,
}

pub(super) enum End {
    Apart(Answer),
    Overlap { simplex: Simplex, steps: u32 },
}

#[inline(always)]
pub(super) fn run(pair: &Pair<'_>, until: Until) -> End {
    let first = pair.corner(0, 0);
    let mut simplex = Simplex { corners: [first; 4], weights: [1.0, 0.0, 0.0, 0.0], len: 1 };
    let mut v = first.p;
    let mut length = norm(v);
    let mut lower = f64::NEG_INFINITY;
    let mut axis = [0.0; 3];
    for steps in 1..=until.steps {
        if length <= TOUCH_M {
            return End::Overlap { simplex, steps };
        }
        // The normal of a triangle is exact where v, a short difference of long vectors, is not.
        let n = direction(&simplex, v, length);
        let w = pair.support(scale(n, -1.0));
        let bound = dot(w.p, n);
        if bound > lower {
            lower = bound;
            axis = n;
        }
        let known = simplex.corners[..simplex.len].iter().any(|c| c.a == w.a && c.b == w.b);
        if length - lower <= GOAL_M || known || lower > until.cleared {
            return End::Apart(answer(pair, &simplex, length, lower, axis, steps));
        }
        let before = (simplex, length);
        simplex.corners[simplex.len] = w;
        simplex.len += 1;
        match nearest(&mut simplex) {
            None => return End::Overlap { simplex, steps },
            Some(p) => v = p,
        }
        length = norm(v);
        if length >= before.1 && length > TOUCH_M {
            // Rounding has the last word: no nearer point can be found.
            return End::Apart(answer(pair, &before.0, before.1, lower, axis, steps));
        }
    }
    End::Apart(answer(pair, &simplex, length, lower, axis, until.steps))
}

/// The unit vector from the origin towards the simplex.
#[inline(always)]
fn direction(simplex: &Simplex, v: V3, length: f64) -> V3 {
    if simplex.len == 3 {
        let [a, b, c] = [0, 1, 2].map(|i| simplex.corners[i].p);
        let n = cross(sub(b, a), sub(c, a));
        let size = norm(n);
        let longest = dot(sub(b, a), sub(b, a)).max(dot(sub(c, a), sub(c, a)));
        // A sliver's normal is worse than v.
        if size > 1e-6 * longest {
            let n = scale(n, 1.0 / size);
            return if dot(n, v) < 0.0 { scale(n, -1.0) } else { n };
        }
    }
    scale(v, 1.0 / length)
}

#[inline(always)]
fn answer(pair: &Pair<'_>, simplex: &Simplex, upper: f64, lower: f64, axis: V3, steps: u32) -> Answer {
    let mut witness_a = [0.0; 3];
    let mut witness_b = [0.0; 3];
    for i in 0..simplex.len {
        let (a, b) = (pair.point_a(simplex.corners[i].a), pair.point_b(simplex.corners[i].b));
        for k in 0..3 {
            witness_a[k] += simplex.weights[i] * a[k];
            witness_b[k] += simplex.weights[i] * b[k];
        }
    }
    let gap = upper - lower;
    // Every v of A - B points from B to A.
    let axis = scale(axis, -1.0);
    let distance = if gap <= CERTIFIED_M { upper } else { lower.max(0.0) };
    Answer { distance, witness_a, witness_b, axis, gap, iteration: Iteration::Gjk, steps }
}

/// Keeps the corners that carry the nearest point and returns it; `None` when four of them hold the origin.
#[inline(always)]
fn nearest(simplex: &mut Simplex) -> Option<V3> {
    match simplex.len {
        2 => {
            let mut best = Best::none();
            best.segment(simplex, [0, 1]);
            Some(best.keep(simplex))
        }
        3 => {
            let mut best = Best::none();
            best.triangle(simplex, [0, 1, 2]);
            Some(best.keep(simplex))
        }
        _ => {
            let mut best = Best::none();
            let mut inside = true;
            for (face, other) in [([0, 1, 2], 3), ([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)] {
                let [a, b, c] = face.map(|i: usize| simplex.corners[i].p);
                let n = cross(sub(b, a), sub(c, a));
                let side = -dot(n, a);
                let other_side = dot(n, sub(simplex.corners[other].p, a));
                // In the plane counts as outside: a flat tetrahedron holds nothing.
                if side * other_side <= 0.0 {
                    inside = false;
                    best.triangle(simplex, face);
                }
            }
            if inside { None } else { Some(best.keep(simplex)) }
        }
    }
}

/// The nearest point found so far, and by which corners.
struct Best {
    square: f64,
    point: V3,
    corners: [usize; 3],
    weights: [f64; 3],
    len: usize,
}

impl Best {
    #[inline(always)]
    fn none() -> Self {
        Self { square: f64::INFINITY, point: [0.0; 3], corners: [0; 3], weights: [0.0; 3], len: 0 }
    }

    #[inline(always)]
    fn offer<const N: usize>(&mut self, simplex: &Simplex, corners: [usize; N], weights: [f64; N]) {
        let mut point = [0.0; 3];
        for i in 0..N {
            for k in 0..3 {
                point[k] += weights[i] * simplex.corners[corners[i]].p[k];
            }
        }
        let square = dot(point, point);
        if square < self.square {
            self.square = square;
            self.point = point;
            self.len = N;
            self.corners[..N].copy_from_slice(&corners);
            self.weights[..N].copy_from_slice(&weights);
        }
    }

    #[inline(always)]
    fn segment(&mut self, simplex: &Simplex, [i, j]: [usize; 2]) {
        let (a, b) = (simplex.corners[i].p, simplex.corners[j].p);
        let ab = sub(b, a);
        let along = -dot(a, ab);
        let whole = dot(ab, ab);
        if along <= 0.0 {
            self.offer(simplex, [i], [1.0]);
        } else if along >= whole {
            self.offer(simplex, [j], [1.0]);
        } else {
            let t = along / whole;
            self.offer(simplex, [i, j], [1.0 - t, t]);
        }
    }

    /// Regions of a triangle, as in Ericson 2005, section 5.1.5, with the origin as the point.
    #[inline(always)]
    fn triangle(&mut self, simplex: &Simplex, [i, j, k]: [usize; 3]) {
        let [a, b, c] = [i, j, k].map(|i| simplex.corners[i].p);
        let (ab, ac) = (sub(b, a), sub(c, a));
        let (d1, d2) = (-dot(ab, a), -dot(ac, a));
        let (d3, d4) = (-dot(ab, b), -dot(ac, b));
        let (d5, d6) = (-dot(ab, c), -dot(ac, c));
        let vc = d1 * d4 - d3 * d2;
        let vb = d5 * d2 - d1 * d6;
        let va = d3 * d6 - d5 * d4;
        let whole = va + vb + vc;
        if va > 0.0 && vb > 0.0 && vc > 0.0 && whole > 0.0 {
            self.offer(simplex, [i, j, k], [va / whole, vb / whole, vc / whole]);
        } else {
            self.segment(simplex, [i, j]);
            self.segment(simplex, [i, k]);
            self.segment(simplex, [j, k]);
        }
    }

    #[inline(always)]
    fn keep(&self, simplex: &mut Simplex) -> V3 {
        let kept = self.corners.map(|i| simplex.corners[i]);
        for i in 0..self.len {
            simplex.corners[i] = kept[i];
            simplex.weights[i] = self.weights[i];
        }
        simplex.len = self.len;
        self.point
    }
}
