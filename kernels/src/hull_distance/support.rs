//! Support points: the vertex farthest along a direction, by a scan over all of them.

use super::{V3, Vertices, sub};

/// Vertices scanned at once; slices are padded to a multiple of it.
pub const LANES: usize = 8;

/// Both hulls and how they stand.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) a: Vertices<'a>,
    pub(super) b: Vertices<'a>,
    pub(super) a_from_b: &'a [[f64; 4]; 3],
}

/// A corner of the Minkowski difference: `p = a - b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Corner {
    pub(super) p: V3,
    pub(super) a: u32,
    pub(super) b: u32,
}

impl Pair<'_> {
    /// Vertex of A.
    #[inline(always)]
    pub(super) fn point_a(&self, i: u32) -> V3 {
        let i = i as usize;
        [self.a.x[i], self.a.y[i], self.a.z[i]]
    }

    /// Vertex of B, in A's frame.
    #[inline(always)]
    pub(super) fn point_b(&self, i: u32) -> V3 {
        let i = i as usize;
        let p = [self.b.x[i], self.b.y[i], self.b.z[i]];
        let row = |r: &[f64; 4]| r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + r[3];
        [row(&self.a_from_b[0]), row(&self.a_from_b[1]), row(&self.a_from_b[2])]
    }

    /// The corner of A - B for two vertices.
    #[inline(always)]
    pub(super) fn corner(&self, a: u32, b: u32) -> Corner {
        Corner { p: sub(self.point_a(a), self.point_b(b)), a, b }
    }

    /// The corner farthest along `d` (frame of A).
    #[inline(always)]
    pub(super) fn support(&self, d: V3) -> Corner {
        let m = self.a_from_b;
        let column = |c: usize| -(m[0][c] * d[0] + m[1][c] * d[1] + m[2][c] * d[2]);
        self.corner(farthest(&self.a, d), farthest(&self.b, [column(0), column(1), column(2)]))
    }
}

/// Index of the vertex with the largest `d . v`; ties go to the lower index.
#[inline(always)]
fn farthest(vertices: &Vertices<'_>, d: V3) -> u32 {
    let mut best = [f64::NEG_INFINITY; LANES];
    let mut at = [0.0_f64; LANES];
    let mut block = 0.0;
    let xs = vertices.x.chunks_exact(LANES);
    for ((x, y), z) in xs.zip(vertices.y.chunks_exact(LANES)).zip(vertices.z.chunks_exact(LANES)) {
        for l in 0..LANES {
            let along = x[l].mul_add(d[0], y[l].mul_add(d[1], z[l] * d[2]));
            // Both selects on one comparison; the block's number is kept as f64 so that lanes stay alike.
            let more = along > best[l];
            best[l] = if more { along } else { best[l] };
            at[l] = if more { block } else { at[l] };
        }
        block += 1.0;
    }
    let mut winner = 0;
    for l in 1..LANES {
        if best[l] > best[winner] || (best[l] == best[winner] && at[l] < at[winner]) {
            winner = l;
        }
    }
    at[winner] as u32 * LANES as u32 + winner as u32
}
