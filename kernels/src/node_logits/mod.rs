//! The logit head: one number a reached node.
//!
//! ```text
//! logit_v = sum_c out_c * relu( sum_k W[k, c] h_v[k] + query[c] )
//! ```
//!
//! `h`: rows of `D` channels; `query`: the query's share, the same for every node. Sums over channels are
//! [`crate::message_pass`]'s lane sums, products run over the input channel upward, fused.

pub mod scalar;
mod simd;

use crate::backend::SimdLevel;
use crate::error::{KernelError, expect_len};
use crate::message_pass::WIDTHS;

/// Weights of the logit head.
#[derive(Clone, Copy, Debug)]
pub struct LogitHead<'a> {
    /// `D x D`, row = input channel.
    pub matrix: &'a [f32],
    /// `D`: the query's share.
    pub query: &'a [f32],
    /// `D`.
    pub out: &'a [f32],
}

/// Gradients of the logit head.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogitGradient {
    /// As the rows of `h`.
    pub states: Vec<f32>,
    /// `D x D`.
    pub matrix: Vec<f32>,
    /// `D`.
    pub query: Vec<f32>,
    /// `D`.
    pub out: Vec<f32>,
}

fn check(
    width: usize,
    head: &LogitHead<'_>,
    rows: &[u32],
    states: &[f32],
    n: usize,
) -> Result<(), KernelError> {
    const OP: &str = "node_logits";
    if !WIDTHS.contains(&width) {
        return Err(KernelError::Length { op: OP, argument: "width", expected: 32, found: width });
    }
    expect_len(OP, "matrix", width * width, head.matrix.len())?;
    expect_len(OP, "query", width, head.query.len())?;
    expect_len(OP, "out", width, head.out.len())?;
    expect_len(OP, "logits", rows.len(), n)?;
    match rows.iter().position(|&r| (r as usize + 1) * width > states.len()) {
        Some(row) => Err(KernelError::Csr { row, reason: "row list out of range" }),
        None => Ok(()),
    }
}

/// The logits of the rows `rows` of `states`.
///
/// # Errors
/// [`KernelError`] when a slice does not fit.
pub fn forward(
    level: SimdLevel,
    width: usize,
    head: &LogitHead<'_>,
    rows: &[u32],
    states: &[f32],
    logits: &mut [f32],
) -> Result<(), KernelError> {
    check(width, head, rows, states, logits.len())?;
    match width {
        16 => simd::forward::<16>(level, head, rows, states, logits),
        32 => simd::forward::<32>(level, head, rows, states, logits),
        64 => simd::forward::<64>(level, head, rows, states, logits),
        _ => simd::forward::<128>(level, head, rows, states, logits),
    }
    Ok(())
}

/// The gradients that `grad_logits` sends back.
///
/// # Errors
/// As [`forward`].
pub fn backward(
    level: SimdLevel,
    width: usize,
    head: &LogitHead<'_>,
    rows: &[u32],
    states: &[f32],
    grad_logits: &[f32],
) -> Result<LogitGradient, KernelError> {
    check(width, head, rows, states, grad_logits.len())?;
    let mut gradient = LogitGradient {
        states: vec![0.0; states.len()],
        matrix: vec![0.0; width * width],
        query: vec![0.0; width],
        out: vec![0.0; width],
    };
    match width {
        16 => simd::backward::<16>(level, head, rows, states, grad_logits, &mut gradient),
        32 => simd::backward::<32>(level, head, rows, states, grad_logits, &mut gradient),
        64 => simd::backward::<64>(level, head, rows, states, grad_logits, &mut gradient),
        _ => simd::backward::<128>(level, head, rows, states, grad_logits, &mut gradient),
    }
    Ok(gradient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_agree_with_the_definition_and_differences_with_the_gradient() {
        let wave = |n: usize, f: f32| (0..n).map(|i| (i as f32 * f).sin()).collect::<Vec<f32>>();
        let (matrix, query, out) = (wave(256, 0.7), wave(16, 1.3), wave(16, 0.9));
        let head = LogitHead { matrix: &matrix, query: &query, out: &out };
        let mut states = wave(5 * 16, 0.31);
        let rows = [0, 2, 4];
        let mut expected = [0.0; 3];
        scalar::forward(16, &head, &rows, &states, &mut expected);
        let grad = [1.0, -0.5, 2.0];
        let reference = backward(SimdLevel::portable(), 16, &head, &rows, &states, &grad).unwrap();
        for level in SimdLevel::supported() {
            let mut logits = [0.0; 3];
            forward(level, 16, &head, &rows, &states, &mut logits).unwrap();
            assert_eq!(logits, expected, "{}", level.name());
            assert_eq!(backward(level, 16, &head, &rows, &states, &grad).unwrap(), reference);
        }
        let loss = |states: &[f32]| {
            let mut logits = [0.0; 3];
            scalar::forward(16, &head, &rows, states, &mut logits);
            logits.iter().zip(grad).map(|(a, b)| f64::from(*a) * f64::from(b)).sum::<f64>()
        };
        for i in [0, 5, 35, 70, 20] {
            let old = states[i];
            states[i] = old + 1e-3;
            let plus = loss(&states);
            states[i] = old - 1e-3;
            let minus = loss(&states);
            states[i] = old;
            let numeric = (plus - minus) / 2e-3;
            assert!((numeric - f64::from(reference.states[i])).abs() < 2e-2, "{i}: {numeric}");
        }
        assert!(reference.states[16..32].iter().all(|&x| x == 0.0), "row 1 was not asked for");
    }

    #[test]
    fn rows_out_of_range_are_refused() {
        let head = LogitHead { matrix: &[0.0; 256], query: &[0.0; 16], out: &[0.0; 16] };
        let error = forward(SimdLevel::portable(), 16, &head, &[1], &[0.0; 16], &mut [0.0]).unwrap_err();
        assert_eq!(error, KernelError::Csr { row: 0, reason: "row list out of range" });
    }
}
