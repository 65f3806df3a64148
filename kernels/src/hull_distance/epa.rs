//! EPA: a polytope inside A - B around the origin, grown towards its nearest facet until that is one of A - B.

use super::gjk::Simplex;
use super::support::{Corner, Pair};
use super::{Answer, GOAL_M, Iteration, V3, Workspace, cross, dot, norm, scale, sub};

/// Facets of a Minkowski difference that matter lie near its nearest one; hulls of a robot need some dozens.
const STEPS_MAX: u32 = 256;
/// A corner this far outside a facet sees it, m; less is rounding.
const VISIBLE_M: f64 = 1e-14;

/// Facets this close, and normals this alike, are of one flat side.
const COPLANAR_M: f64 = 1e-11;

/// A facet of the polytope: `n . p <= d` holds for all of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    corners: [u32; 3],
    n: V3,
    d: f64,
}

#[inline(always)]
pub(super) fn run(pair: &Pair<'_>, simplex: Simplex, before: u32, work: &mut Workspace) -> Answer {
    let mut upper = (f64::INFINITY, [1.0, 0.0, 0.0], pair.corner(0, 0));
    if start(pair, simplex, work) {
        for steps in 0..STEPS_MAX {
            let Some(facet) = closest(&work.facets) else { break };
            let w = pair.support(facet.n);
            let h = dot(facet.n, w.p);
            if h < upper.0 {
                upper = (h, facet.n, w);
            }
            // The nearest facet is one of A - B itself: its own direction proves it, not an earlier one of equal depth.
            if h - facet.d <= GOAL_M {
                return answer(pair, work, &facet, h, before + steps);
            }
            if !grow(w, work) {
                break;
            }
        }
    }
    let (h, n, w) = upper;
    Answer {
        distance: if h.is_finite() { -h } else { 0.0 },
        witness_a: pair.point_a(w.a),
        witness_b: pair.point_b(w.b),
        axis: n,
        gap: f64::INFINITY,
        iteration: Iteration::Epa,
        steps: before + STEPS_MAX,
    }
}

/// A tetrahedron of corners, wound outwards; false when A - B seems to have no volume.
#[inline(always)]
fn start(pair: &Pair<'_>, simplex: Simplex, work: &mut Workspace) -> bool {
    work.points.clear();
    work.facets.clear();
    work.points.extend_from_slice(&simplex.corners[..simplex.len]);
    // What touching left incomplete is filled up with the corners that add most.
    while work.points.len() < 4 {
        let corner = match *work.points.as_slice() {
            [a] => most(pair, &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], |p| norm(sub(p, a.p))),
            [a, b] => {
                let along = sub(b.p, a.p);
                let beside = [
                    cross(along, [1.0, 0.0, 0.0]),
                    cross(along, [0.0, 1.0, 0.0]),
                    cross(along, [0.0, 0.0, 1.0]),
                ];
                most(pair, &beside, |p| norm(cross(along, sub(p, a.p))) / norm(along).max(f64::MIN_POSITIVE))
            }
            [a, b, c] => {
                let n = cross(sub(b.p, a.p), sub(c.p, a.p));
                let size = norm(n).max(f64::MIN_POSITIVE);
                most(pair, &[n], |p| (dot(n, sub(p, a.p)) / size).abs())
            }
            _ => return false,
        };
        let Some(corner) = corner else { return false };
        work.points.push(corner);
    }
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| work.points[i].p);
    if dot(cross(sub(b, a), sub(c, a)), sub(d, a)) > 0.0 {
        work.points.swap(0, 1);
    }
    for corners in [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] {
        let Some(facet) = facet(&work.points, corners) else { return false };
        work.facets.push(facet);
    }
    true
}

/// The corner, among the supports both ways along `directions`, with the largest measure; `None` when all are near 0.
#[inline(always)]
fn most(pair: &Pair<'_>, directions: &[V3], measure: impl Fn(V3) -> f64) -> Option<Corner> {
    let mut best: Option<(f64, Corner)> = None;
    for &d in directions {
        for sign in [1.0, -1.0] {
            let corner = pair.support(scale(d, sign));
            let size = measure(corner.p);
            if size > 1e-9 && best.is_none_or(|(b, _)| size > b) {
                best = Some((size, corner));
            }
        }
    }
    best.map(|(_, corner)| corner)
}

#[inline(always)]
fn facet(points: &[Corner], corners: [u32; 3]) -> Option<Facet> {
    let [a, b, c] = corners.map(|i| points[i as usize].p);
    let (ab, ac) = (sub(b, a), sub(c, a));
    let n = cross(ab, ac);
    let size = norm(n);
    // Smaller than this the direction is rounding.
    if size <= 1e-13 * dot(ab, ab).max(dot(ac, ac)) {
        return None;
    }
    let n = scale(n, 1.0 / size);
    Some(Facet { corners, n, d: dot(n, a) })
}

#[inline(always)]
fn closest(facets: &[Facet]) -> Option<Facet> {
    let mut least: Option<&Facet> = None;
    for facet in facets {
        if least.is_none_or(|l| facet.d < l.d) {
            least = Some(facet);
        }
    }
    least.copied()
}

/// Puts a corner that lies outside into the polytope; false when what is left is no polytope.
#[inline(always)]
fn grow(w: Corner, work: &mut Workspace) -> bool {
    let Workspace { points, facets, horizon } = work;
    if points.iter().any(|p| p.a == w.a && p.b == w.b) {
        return false;
    }
    horizon.clear();
    let mut i = 0;
    while i < facets.len() {
        let seen = &facets[i];
        if dot(seen.n, w.p) - seen.d <= VISIBLE_M {
            i += 1;
            continue;
        }
        let [a, b, c] = seen.corners;
        for (from, to) in [(a, b), (b, c), (c, a)] {
            // An edge of two facets that are both seen is not of the horizon.
            if let Some(at) = horizon.iter().position(|&edge| edge == (to, from)) {
                horizon.swap_remove(at);
            } else {
                horizon.push((from, to));
            }
        }
        facets.swap_remove(i);
    }
    // One closed line: each corner is left once and the line comes back after all edges.
    let Some(&(begin, mut at)) = horizon.first() else { return false };
    let mut passed = 1;
    while at != begin {
        let mut next = horizon.iter().filter(|&&(from, _)| from == at);
        let (Some(&(_, to)), None) = (next.next(), next.next()) else { return false };
        at = to;
        passed += 1;
        if passed > horizon.len() {
            return false;
        }
    }
    if passed != horizon.len() {
        return false;
    }
    let new = points.len() as u32;
    points.push(w);
    for &(from, to) in horizon.iter() {
        let Some(facet) = facet(points, [from, to, new]) else { return false };
        facets.push(facet);
    }
    true
}

#[inline(always)]
fn answer(pair: &Pair<'_>, work: &Workspace, found: &Facet, upper: f64, steps: u32) -> Answer {
    // A flat side of A - B is several coplanar facets, and the origin may project into any of them.
    let mut best = (f64::NEG_INFINITY, *found, [0.0; 3]);
    for facet in &work.facets {
        if facet.d <= found.d + COPLANAR_M && dot(facet.n, found.n) > 1.0 - COPLANAR_M {
            let weights = weights(&work.points, facet);
            let least = weights[0].min(weights[1]).min(weights[2]);
            if least > best.0 {
                best = (least, *facet, weights);
            }
        }
    }
    let (_, facet, weights) = best;
    let weights = [weights[0].max(0.0), weights[1].max(0.0), weights[2].max(0.0)];
    let whole = weights[0] + weights[1] + weights[2];
    let mut witness_a = [0.0; 3];
    let mut witness_b = [0.0; 3];
    for (corner, weight) in facet.corners.iter().zip(weights) {
        let corner = work.points[*corner as usize];
        let (pa, pb) = (pair.point_a(corner.a), pair.point_b(corner.b));
        for k in 0..3 {
            witness_a[k] += weight / whole * pa[k];
            witness_b[k] += weight / whole * pb[k];
        }
    }
    // The bounds, and how far the two points are from spanning the depth along the axis.
    let span = sub(sub(witness_a, witness_b), scale(found.n, upper));
    let gap = (upper - found.d.max(0.0)).max(norm(span));
    Answer { distance: -upper, witness_a, witness_b, axis: found.n, gap, iteration: Iteration::Epa, steps }
}

/// Barycentric coordinates of the origin's projection on a facet, adding up to 1.
#[inline(always)]
fn weights(points: &[Corner], facet: &Facet) -> [f64; 3] {
    let [a, b, c] = facet.corners;
    let [a, b, c] = [points[a as usize].p, points[b as usize].p, points[c as usize].p];
    let p = scale(facet.n, facet.d);
    let [ap, bp, cp] = [sub(a, p), sub(b, p), sub(c, p)];
    let [wa, wb, wc] =
        [dot(facet.n, cross(bp, cp)), dot(facet.n, cross(cp, ap)), dot(facet.n, cross(ap, bp))];
    let whole = wa + wb + wc;
    [wa / whole, wb / whole, wc / whole]
}
