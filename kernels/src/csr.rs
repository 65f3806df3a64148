//! Compressed sparse rows, checked once: the sparse view that the graph ops share.
//!
//! Row `r` holds `indices[indptr[r] .. indptr[r + 1]]`, ascending and without repeats. A matrix without
//! values (an adjacency) has every value 1 and stores none.

use crate::error::KernelError;

/// An owned sparse matrix; `V = ()` for an adjacency.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr<V = ()> {
    indptr: Vec<u32>,
    indices: Vec<u32>,
    values: Vec<V>,
    columns: usize,
}

impl<V: Copy> Csr<V> {
    /// Checks and wraps the three arrays.
    ///
    /// # Errors
    /// [`KernelError::Csr`] when offsets decrease, a column is out of range, or a row is not strictly
    /// ascending; [`KernelError::Length`] when the arrays do not belong together.
    pub fn new(
        indptr: Vec<u32>,
        indices: Vec<u32>,
        values: Vec<V>,
        columns: usize,
    ) -> Result<Self, KernelError> {
        crate::error::expect_len("csr", "values", indices.len(), values.len())?;
        let Some((&last, &first)) = indptr.last().zip(indptr.first()) else {
            return Err(KernelError::Csr { row: 0, reason: "no row offsets" });
        };
        if first != 0 {
            return Err(KernelError::Csr { row: 0, reason: "offsets do not start at 0" });
        }
        crate::error::expect_len("csr", "indices", last as usize, indices.len())?;
        for (row, pair) in indptr.windows(2).enumerate() {
            if pair[1] < pair[0] || pair[1] as usize > indices.len() {
                return Err(KernelError::Csr { row, reason: "offsets decrease" });
            }
            let entries = &indices[pair[0] as usize..pair[1] as usize];
            if entries.iter().any(|&c| c as usize >= columns) {
                return Err(KernelError::Csr { row, reason: "column out of range" });
            }
            if entries.windows(2).any(|w| w[1] <= w[0]) {
                return Err(KernelError::Csr { row, reason: "columns not strictly ascending" });
            }
        }
        Ok(Self { indptr, indices, values, columns })
    }

    /// Builds from rows of (column, value); sorts each row by column.
    ///
    /// # Errors
    /// As [`Csr::new`].
    pub fn from_rows(mut rows: Vec<Vec<(u32, V)>>, columns: usize) -> Result<Self, KernelError> {
        let total = rows.iter().map(Vec::len).sum();
        let mut indptr = Vec::with_capacity(rows.len() + 1);
        let (mut indices, mut values) = (Vec::with_capacity(total), Vec::with_capacity(total));
        indptr.push(0);
        for row in &mut rows {
            row.sort_by_key(|&(c, _)| c);
            indices.extend(row.iter().map(|&(c, _)| c));
            values.extend(row.iter().map(|&(_, v)| v));
            indptr.push(indices.len() as u32);
        }
        Self::new(indptr, indices, values, columns)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.indptr.len() - 1
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.indices.len()
    }

    /// Columns of row `r`.
    pub fn row(&self, r: usize) -> &[u32] {
        &self.indices[self.indptr[r] as usize..self.indptr[r + 1] as usize]
    }

    /// Values of row `r`, in the order of its columns.
    pub fn row_values(&self, r: usize) -> &[V] {
        &self.values[self.indptr[r] as usize..self.indptr[r + 1] as usize]
    }

    /// The row offsets.
    pub fn indptr(&self) -> &[u32] {
        &self.indptr
    }

    /// The columns of all rows.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The values of all rows.
    pub fn values(&self) -> &[V] {
        &self.values
    }

    /// Rows become columns. Rows of the result are ascending, so the result is well formed.
    #[must_use]
    pub fn transpose(&self) -> Self {
        let mut indptr = vec![0_u32; self.columns + 1];
        for &c in &self.indices {
            indptr[c as usize + 1] += 1;
        }
        for c in 0..self.columns {
            indptr[c + 1] += indptr[c];
        }
        let mut next = indptr.clone();
        let mut order = vec![0_usize; self.indices.len()];
        let mut indices = vec![0_u32; self.indices.len()];
        for r in 0..self.rows() {
            for e in self.indptr[r] as usize..self.indptr[r + 1] as usize {
                let slot = &mut next[self.indices[e] as usize];
                order[*slot as usize] = e;
                indices[*slot as usize] = r as u32;
                *slot += 1;
            }
        }
        let values = order.iter().map(|&e| self.values[e]).collect();
        Self { indptr, indices, values, columns: self.rows() }
    }
}

impl Csr<()> {
    /// Checks and wraps an adjacency.
    ///
    /// # Errors
    /// As [`Csr::new`].
    pub fn adjacency(indptr: Vec<u32>, indices: Vec<u32>, columns: usize) -> Result<Self, KernelError> {
        let values = vec![(); indices.len()];
        Self::new(indptr, indices, values, columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transpose_swaps_rows_and_columns() {
        let a = Csr::from_rows(vec![vec![(2, 5.0), (0, 1.0)], vec![], vec![(2, 7.0)]], 4).unwrap();
        let t = a.transpose();
        assert_eq!(t.rows(), 4);
        assert_eq!(t.row(0), &[0]);
        assert_eq!(t.row(1), &[] as &[u32]);
        assert_eq!(t.row(2), &[0, 2]);
        assert_eq!(t.row_values(2), &[5.0, 7.0]);
        assert_eq!(t.transpose(), a);
    }

    #[test]
    fn malformed_arrays_are_refused_with_the_row() {
        let bad = |indptr: &[u32], indices: &[u32]| {
            Csr::adjacency(indptr.to_vec(), indices.to_vec(), 3).unwrap_err()
        };
        assert_eq!(
            bad(&[0, 2], &[1, 1]),
            KernelError::Csr { row: 0, reason: "columns not strictly ascending" }
        );
        assert_eq!(bad(&[0, 1, 2], &[0, 3]), KernelError::Csr { row: 1, reason: "column out of range" });
        assert_eq!(bad(&[0, 2, 1, 2], &[0, 1]), KernelError::Csr { row: 1, reason: "offsets decrease" });
        assert_eq!(bad(&[1, 2], &[0, 1]), KernelError::Csr { row: 0, reason: "offsets do not start at 0" });
        assert_eq!(bad(&[], &[]), KernelError::Csr { row: 0, reason: "no row offsets" });
        assert_eq!(
            bad(&[0, 1], &[0, 1]),
            KernelError::Length { op: "csr", argument: "indices", expected: 1, found: 2 }
        );
    }
}
