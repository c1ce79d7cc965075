//! Rows of coefficients, all of one length, in one allocation.

use std::ops::{Index, IndexMut};

/// A matrix that grows by rows. A row holds the coefficients of the variables and then the constant, so it is never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    columns: usize,
    data: Vec<i64>,
}

impl Rows {
    /// No rows of `width` variables.
    pub(crate) fn new(width: usize) -> Self {
        Self { columns: width + 1, data: Vec::new() }
    }

    /// No rows of `width` variables, with room for some.
    pub(crate) fn with_capacity(width: usize, rows: usize) -> Self {
        Self { columns: width + 1, data: Vec::with_capacity((width + 1).saturating_mul(rows)) }
    }

    pub(crate) fn len(&self) -> usize {
        self.data.len() / self.columns
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    pub(crate) fn first(&self) -> Option<&[i64]> {
        self.data.get(..self.columns)
    }

    pub(crate) fn iter(&self) -> std::slice::ChunksExact<'_, i64> {
        self.data.chunks_exact(self.columns)
    }

    pub(crate) fn iter_mut(&mut self) -> std::slice::ChunksExactMut<'_, i64> {
        self.data.chunks_exact_mut(self.columns)
    }

    pub(crate) fn push(&mut self, row: &[i64]) {
        debug_assert_eq!(row.len(), self.columns);
        self.data.extend_from_slice(row);
    }

    /// Adds a row of zeros and returns it.
    pub(crate) fn push_zeros(&mut self) -> &mut [i64] {
        let start = self.data.len();
        self.data.resize(start + self.columns, 0);
        &mut self.data[start..]
    }

    /// The rows over other columns: new column `c` is old column `columns[c]`, or 0 where `None`.
    pub(crate) fn select(&self, columns: &[Option<usize>]) -> Self {
        let mut result = Self::with_capacity(columns.len(), self.len());
        for row in self.iter() {
            let new = result.push_zeros();
            for (to, from) in new.iter_mut().zip(columns) {
                if let Some(from) = *from {
                    *to = row[from];
                }
            }
            new[columns.len()] = row[self.columns - 1];
        }
        result
    }

    /// Keeps the first `rows` rows.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.data.truncate(rows * self.columns);
    }

    /// Overwrites row `to` with row `from`.
    pub(crate) fn copy_within(&mut self, from: usize, to: usize) {
        if from != to {
            let start = from * self.columns;
            self.data.copy_within(start..start + self.columns, to * self.columns);
        }
    }

    pub(crate) fn extend(&mut self, other: &Self) {
        debug_assert_eq!(other.columns, self.columns);
        self.data.extend_from_slice(&other.data);
    }

    pub(crate) fn remove(&mut self, index: usize) {
        let start = index * self.columns;
        self.data.drain(start..start + self.columns);
    }

    pub(crate) fn insert(&mut self, index: usize, row: &[i64]) {
        debug_assert_eq!(row.len(), self.columns);
        let start = index * self.columns;
        self.data.splice(start..start, row.iter().copied());
    }

    /// Keeps the rows for which `keep` holds, which may also change them, in their order.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&mut [i64]) -> bool) {
        let (columns, mut to) = (self.columns, 0);
        for from in (0..self.data.len()).step_by(columns) {
            if keep(&mut self.data[from..from + columns]) {
                if to != from {
                    self.data.copy_within(from..from + columns, to);
                }
                to += columns;
            }
        }
        self.data.truncate(to);
    }
}

impl Index<usize> for Rows {
    type Output = [i64];

    fn index(&self, index: usize) -> &[i64] {
        &self.data[index * self.columns..(index + 1) * self.columns]
    }
}

impl IndexMut<usize> for Rows {
    fn index_mut(&mut self, index: usize) -> &mut [i64] {
        &mut self.data[index * self.columns..(index + 1) * self.columns]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_and_go_in_order() {
        let mut rows = Rows::with_capacity(1, 3);
        for x in 0..4 {
            rows.push(&[x, -x]);
        }
        rows.remove(1);
        rows.insert(1, &[7, 7]);
        rows.retain(|row| {
            row[1] += 1;
            row[0] != 2
        });
        rows.push_zeros()[0] = 5;
        assert_eq!(rows.iter().collect::<Vec<_>>(), [[0, 1], [7, 8], [3, -2], [5, 0]]);
        rows.truncate(3);
        assert_eq!((rows.len(), rows.first(), &rows[2]), (3, Some(&[0, 1][..]), &[3, -2][..]));
        rows.truncate(0);
        assert!(rows.is_empty() && rows.first().is_none());
    }
}
