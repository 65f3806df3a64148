//! One round of relation-typed message passing, forward and backward.
//!
//! ```text
//! m_v  = sum_r gate_r * (1 / deg_r(v)) * sum_{u -> v in r} h_u          typed mean, per channel
//! a_v  = relu(W_self' h_v + W_msg' m_v + bias)
//! h'_v = h_v + layer_norm(a_v) * scale + shift
//! ```
//!
//! `h`: rows of `D` channels, f32. The mean divides by *all* in-edges of the relation, also those whose
//! source was not reached: such a source has a row of zeros (sentinel page, section 2). A relation acts on
//! a message by a gate a channel, the multiplicative composition of CompGCN (Vashishth et al., ICLR 2020),
//! before one shared matrix: twelve full matrices would cost six times the arithmetic of a check. The
//! normalisation is on the branch, not on the sum, so the size of a seed's state (how near it is) survives.
//!
//! Order of operations: channels are independent; edges of a group are added in ascending source order;
//! matrix products run over the input channel upward, fused; sums over channels take sixteen stripes and a fixed tree (`lane_sum`).
//! `scalar` is the definition, every SIMD level gives its bits.

#![allow(clippy::needless_range_loop, reason = "several rows of channels are walked side by side")]

mod backward;
pub(crate) mod rows;
pub mod scalar;
mod simd;

use crate::backend::SimdLevel;
use crate::error::{KernelError, expect_len};

pub use backward::Gradient;

/// Added to the variance in the layer normalisation.
pub const NORM_EPSILON: f32 = 1e-5;
/// Widths `D` that are compiled.
pub const WIDTHS: [usize; 4] = [16, 32, 64, 128];
/// Stripes of a [`lane_sum`].
const STRIPES: usize = 16;

/// In-edges of each row, grouped by relation: the sparse operand of a round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypedEdges {
    group_ptr: Vec<u32>,
    groups: Vec<Group>,
    sources: Vec<u32>,
    source_rows: usize,
    relations: usize,
}

/// The in-edges of one row in one relation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Group {
    relation: u32,
    start: u32,
    end: u32,
    /// One over the number of all in-edges.
    weight: f32,
}

impl TypedEdges {
    /// No rows yet; sources index a table of `source_rows` rows, relations count to `relations`.
    pub fn new(source_rows: usize, relations: usize) -> Self {
        Self { group_ptr: vec![0], source_rows, relations, ..Self::default() }
    }

    /// Adds a group to the row being filled: sources in a relation, and the number of in-edges that the
    /// mean divides by. A group without sources adds nothing and is dropped.
    ///
    /// # Errors
    /// [`KernelError::Csr`] when a source or the relation is out of range.
    pub fn push_group(
        &mut self,
        relation: usize,
        in_edges: usize,
        sources: impl IntoIterator<Item = u32>,
    ) -> Result<(), KernelError> {
        let row = self.rows();
        let start = self.sources.len();
        for source in sources {
            if source as usize >= self.source_rows {
                return Err(KernelError::Csr { row, reason: "source out of range" });
            }
            self.sources.push(source);
        }
        if relation >= self.relations {
            return Err(KernelError::Csr { row, reason: "relation out of range" });
        }
        if self.sources.len() > start {
            self.groups.push(Group {
                relation: relation as u32,
                start: start as u32,
                end: self.sources.len() as u32,
                weight: 1.0 / in_edges as f32,
            });
        }
        Ok(())
    }

    /// Closes the row being filled.
    pub fn finish_row(&mut self) {
        self.group_ptr.push(self.groups.len() as u32);
    }

    /// Number of finished rows.
    pub fn rows(&self) -> usize {
        self.group_ptr.len() - 1
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.sources.len()
    }

    fn row(&self, row: usize) -> &[Group] {
        &self.groups[self.group_ptr[row] as usize..self.group_ptr[row + 1] as usize]
    }

    fn sources(&self, group: &Group) -> &[u32] {
        &self.sources[group.start as usize..group.end as usize]
    }
}

/// Weights of one round, `D` channels, `R` relations.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a> {
    /// `R x D`.
    pub gates: &'a [f32],
    /// `D x D`, row = input channel.
    pub w_self: &'a [f32],
    /// `D x D`, row = input channel.
    pub w_msg: &'a [f32],
    /// `D`.
    pub bias: &'a [f32],
    /// `D`.
    pub scale: &'a [f32],
    /// `D`.
    pub shift: &'a [f32],
}

/// Which rows a round computes: output `i` reads the edges of row `edge_rows[i]` and itself at
/// `self_rows[i]` of the input, and lands in row `out_rows[i]` of the output.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Row of the edge table.
    pub edge_rows: &'a [u32],
    /// Row of the input.
    pub self_rows: &'a [u32],
    /// Row of the output.
    pub out_rows: &'a [u32],
}

impl<'a> Rows<'a> {
    /// The same numbering everywhere.
    pub fn same(rows: &'a [u32]) -> Self {
        Self { edge_rows: rows, self_rows: rows, out_rows: rows }
    }
}

/// Checks every index once, so that the loops below cannot go wrong.
fn check(
    width: usize,
    layer: &Layer<'_>,
    edges: &TypedEdges,
    rows: &Rows<'_>,
    input: &[f32],
    output: &[f32],
) -> Result<(), KernelError> {
    const OP: &str = "message_pass";
    if !WIDTHS.contains(&width) {
        return Err(KernelError::Length { op: OP, argument: "width", expected: 32, found: width });
    }
    expect_len(OP, "gates", edges.relations * width, layer.gates.len())?;
    expect_len(OP, "w_self", width * width, layer.w_self.len())?;
    expect_len(OP, "w_msg", width * width, layer.w_msg.len())?;
    for (name, vector) in [("bias", layer.bias), ("scale", layer.scale), ("shift", layer.shift)] {
        expect_len(OP, name, width, vector.len())?;
    }
    expect_len(OP, "input", edges.source_rows * width, input.len())?;
    expect_len(OP, "self_rows", rows.edge_rows.len(), rows.self_rows.len())?;
    expect_len(OP, "out_rows", rows.edge_rows.len(), rows.out_rows.len())?;
    let within = |list: &[u32], limit: usize| list.iter().all(|&r| (r as usize) < limit);
    let ok = within(rows.edge_rows, edges.rows())
        && within(rows.self_rows, edges.source_rows)
        && within(rows.out_rows, output.len() / width);
    if ok { Ok(()) } else { Err(KernelError::Csr { row: 0, reason: "row list out of range" }) }
}

/// Forward: fills the rows `rows.out_rows` of `output` (rows of `width` channels) from `input`.
///
/// # Errors
/// [`KernelError`] when a slice or a row list does not fit.
pub fn forward(
    level: SimdLevel,
    width: usize,
    layer: &Layer<'_>,
    edges: &TypedEdges,
    rows: &Rows<'_>,
    input: &[f32],
    output: &mut [f32],
) -> Result<(), KernelError> {
    check(width, layer, edges, rows, input, output)?;
    match width {
        16 => simd::forward::<16>(level, layer, edges, rows, input, output),
        32 => simd::forward::<32>(level, layer, edges, rows, input, output),
        64 => simd::forward::<64>(level, layer, edges, rows, input, output),
        _ => simd::forward::<128>(level, layer, edges, rows, input, output),
    }
    Ok(())
}

/// Backward: adds to `gradient` what `grad_output` (rows as `output` of [`forward`]) sends back to the
/// weights and to the input. The forward values are computed anew.
///
/// # Errors
/// As [`forward`].
#[allow(clippy::too_many_arguments, reason = "a forward call and its gradient")]
pub fn backward(
    level: SimdLevel,
    width: usize,
    layer: &Layer<'_>,
    edges: &TypedEdges,
    rows: &Rows<'_>,
    input: &[f32],
    grad_output: &[f32],
    gradient: &mut Gradient,
) -> Result<(), KernelError> {
    check(width, layer, edges, rows, input, grad_output)?;
    expect_len("message_pass", "gradient.input", input.len(), gradient.input.len())?;
    expect_len("message_pass", "gradient.gates", layer.gates.len(), gradient.gates.len())?;
    expect_len("message_pass", "gradient.w_self", width * width, gradient.w_self.len())?;
    match width {
        16 => backward::run::<16>(level, layer, edges, rows, input, grad_output, gradient),
        32 => backward::run::<32>(level, layer, edges, rows, input, grad_output, gradient),
        64 => backward::run::<64>(level, layer, edges, rows, input, grad_output, gradient),
        _ => backward::run::<128>(level, layer, edges, rows, input, grad_output, gradient),
    }
    Ok(())
}

/// Sum over channels in sixteen stripes, then a fixed tree: the order that vector code can keep.
#[inline(always)]
pub(crate) fn lane_sum(values: &[f32]) -> f32 {
    let mut stripes = [0.0_f32; STRIPES];
    for block in values.chunks_exact(STRIPES) {
        for (stripe, &x) in stripes.iter_mut().zip(block) {
            *stripe += x;
        }
    }
    let mut half = STRIPES / 2;
    while half > 0 {
        for i in 0..half {
            stripes[i] += stripes[i + half];
        }
        half /= 2;
    }
    stripes[0]
}

#[cfg(test)]
mod tests;
