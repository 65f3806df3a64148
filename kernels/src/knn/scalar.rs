//! The definition: one point after the other, joints in order.

/// Squared distances from `query` to each column of the joint-major table `points`.
pub fn distances_sq(query: &[f64], points: &[f64], out: &mut [f64]) {
    let n = out.len();
    for (i, d2) in out.iter_mut().enumerate() {
        let mut sum = 0.0;
        for (j, &x) in query.iter().enumerate() {
            let difference = x - points[j * n + i];
            sum += difference * difference;
        }
        *d2 = sum;
    }
}
