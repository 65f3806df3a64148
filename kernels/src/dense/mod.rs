//! A dense layer on one row: `y = x' W + bias`, optionally rectified.
//!
//! ```text
//! y[c] = bias[c] + sum_k x[k] W[k, c]        k upward, fused
//! ```

pub mod scalar;

use crate::backend::{SimdLevel, simd_levels};
use crate::error::{KernelError, expect_len};

/// Fills `y` from `x`, `matrix` (`x.len() x y.len()`, row = input) and `bias`.
///
/// # Errors
/// [`KernelError::Length`] when a slice does not fit.
pub fn forward(
    level: SimdLevel,
    x: &[f32],
    matrix: &[f32],
    bias: &[f32],
    rectify: bool,
    y: &mut [f32],
) -> Result<(), KernelError> {
    expect_len("dense", "matrix", x.len() * y.len(), matrix.len())?;
    expect_len("dense", "bias", y.len(), bias.len())?;
    forward_at(level, x, matrix, bias, rectify, y);
    Ok(())
}

#[inline(always)]
fn body(x: &[f32], matrix: &[f32], bias: &[f32], rectify: bool, y: &mut [f32]) {
    y.copy_from_slice(bias);
    let width = y.len().max(1);
    for (&value, weights) in x.iter().zip(matrix.chunks_exact(width)) {
        for (y, &w) in y.iter_mut().zip(weights) {
            *y = w.mul_add(value, *y);
        }
    }
    if rectify {
        for y in y {
            *y = y.max(0.0);
        }
    }
}

simd_levels! {
    fn forward_at(x: &[f32], matrix: &[f32], bias: &[f32], rectify: bool, y: &mut [f32]) = body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_gives_the_scalar_bits() {
        let wave = |n: usize, f: f32| (0..n).map(|i| (i as f32 * f).cos()).collect::<Vec<f32>>();
        let (x, matrix, bias) = (wave(7, 0.4), wave(7 * 19, 0.9), wave(19, 2.0));
        for rectify in [false, true] {
            let mut expected = [0.0; 19];
            scalar::forward(&x, &matrix, &bias, rectify, &mut expected);
            for level in SimdLevel::supported() {
                let mut y = [f32::NAN; 19];
                forward(level, &x, &matrix, &bias, rectify, &mut y).unwrap();
                assert_eq!(y, expected);
            }
        }
        assert!(forward(SimdLevel::portable(), &x, &matrix[1..], &bias, false, &mut [0.0; 19]).is_err());
    }
}
