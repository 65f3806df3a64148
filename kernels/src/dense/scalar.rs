//! The definition: one output after the other.

/// [`super::forward`] without any vector form; the arguments must fit together.
pub fn forward(x: &[f32], matrix: &[f32], bias: &[f32], rectify: bool, y: &mut [f32]) {
    let width = y.len();
    for (c, y) in y.iter_mut().enumerate() {
        let sum = x.iter().enumerate().fold(bias[c], |s, (k, &v)| matrix[k * width + c].mul_add(v, s));
        *y = if rectify { sum.max(0.0) } else { sum };
    }
}
