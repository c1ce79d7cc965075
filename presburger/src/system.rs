//! A conjunction of rows over nameless variables: what all exact algorithms work on.

use std::ops::Range;

use smallvec::SmallVec;

use crate::error::Result;
use crate::integer::{Relation, Row, combine, content, floor_div, narrow};
use crate::rows::Rows;

/// Equalities `row = 0` and inequalities `row >= 0` over `width` integer variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct System {
    pub(crate) width: usize,
    pub(crate) equalities: Rows,
    pub(crate) inequalities: Rows,
}

/// One change of basis `x[pivot] := x[pivot] - factor * x[column]`, which keeps integer points integer both ways.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shear {
    pub(crate) pivot: usize,
    pub(crate) column: usize,
    pub(crate) factor: i64,
}

impl System {
    pub(crate) fn universe(width: usize) -> Self {
        Self { width, equalities: Rows::new(width), inequalities: Rows::new(width) }
    }

    pub(crate) fn contradiction(width: usize) -> Self {
        let mut system = Self::universe(width);
        system.inequalities.push_zeros()[width] = -1;
        system
    }

    /// Whether normalisation found a contradiction. `false` does not mean that there is a point.
    pub(crate) fn is_contradiction(&self) -> bool {
        self.inequalities
            .first()
            .is_some_and(|row| row[self.width] < 0 && row[..self.width].iter().all(|&c| c == 0))
    }

    /// All rows, equalities first.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[i64]> {
        self.equalities.iter().chain(self.inequalities.iter())
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut [i64]> {
        self.equalities.iter_mut().chain(self.inequalities.iter_mut())
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.equalities.len() + self.inequalities.len()
    }

    /// Whether any row mentions the variable.
    pub(crate) fn mentions(&self, variable: usize) -> bool {
        self.rows().any(|row| row[variable] != 0)
    }

    /// Divides rows by their common factor and rounds, drops trivial and repeated rows, keeps the tighter of parallel
    /// inequalities, and joins opposite ones into equalities. A contradiction seen on the way replaces the system.
    /// The order of the rows that stay is kept.
    pub(crate) fn normalize(&mut self) {
        if !self.tighten() {
            *self = Self::contradiction(self.width);
        }
    }

    fn tighten(&mut self) -> bool {
        self.tighten_equalities() && self.tighten_inequalities()
    }

    fn tighten_equalities(&mut self) -> bool {
        if self.equalities.is_empty() {
            return true;
        }
        let width = self.width;
        let mut consistent = true;
        self.equalities.retain(|row| {
            let divisor = content(&row[..width]);
            if divisor == 0 {
                consistent &= row[width] == 0;
                return false;
            }
            consistent &= row[width] % divisor == 0;
            let divisor = if leads_positive(&row[..width]) { divisor } else { -divisor };
            if divisor != 1 {
                row.iter_mut().for_each(|c| *c /= divisor);
            }
            true
        });
        let mut index = 0;
        while consistent && index < self.equalities.len() {
            let row = &self.equalities[index];
            let known = (0..index).find(|&k| self.equalities[k][..width] == row[..width]);
            match known {
                Some(known) => {
                    consistent &= self.equalities[known][width] == row[width];
                    self.equalities.remove(index);
                }
                None => index += 1,
            }
        }
        consistent
    }

    fn tighten_inequalities(&mut self) -> bool {
        let width = self.width;
        let mut directions = Directions::new(self.inequalities.len());
        let mut kept = 0;
        for index in 0..self.inequalities.len() {
            let row = &mut self.inequalities[index];
            let divisor = content(&row[..width]);
            if divisor == 0 {
                if row[width] < 0 {
                    return false;
                }
                continue;
            }
            if divisor > 1 {
                row[..width].iter_mut().for_each(|c| *c /= divisor);
                row[width] = row[width].div_euclid(divisor);
            }
            match directions.find_or_insert(&self.inequalities, index, kept) {
                Some(known) => {
                    let constant = self.inequalities[index][width];
                    let known = &mut self.inequalities[known];
                    known[width] = known[width].min(constant);
                }
                None => {
                    self.inequalities.copy_within(index, kept);
                    kept += 1;
                }
            }
        }
        self.inequalities.truncate(kept);

        let mut joined = Vec::new();
        directions.opposite.sort_unstable();
        for &(first, second) in &directions.opposite {
            let (first_row, second_row) = (&self.inequalities[first], &self.inequalities[second]);
            let gap = i128::from(first_row[width]) + i128::from(second_row[width]);
            if gap < 0 {
                return false;
            }
            if gap == 0 {
                let row: Row = Row::from_slice(if leads_positive(&first_row[..width]) {
                    first_row
                } else {
                    second_row
                });
                joined.extend([(first, second), (second, first)]);
                match self.equalities.iter().find(|known| known[..width] == row[..width]) {
                    Some(known) if known[width] != row[width] => return false,
                    Some(_) => {}
                    None => self.equalities.push(&row),
                }
            }
        }
        if !joined.is_empty() {
            let mut index = 0;
            self.inequalities.retain(|_| {
                index += 1;
                !joined.iter().any(|&(row, _)| row + 1 == index)
            });
        }
        true
    }

    /// Changes the basis of the variables in `columns` until equality `index` mentions only one of them, and returns
    /// that one, or `None` when it mentions none. (Euclid's algorithm by column operations: one step of the Hermite
    /// normal form.)
    pub(crate) fn isolate(
        &mut self,
        index: usize,
        columns: Range<usize>,
        shears: &mut Vec<Shear>,
    ) -> Result<Option<usize>> {
        loop {
            let row = &self.equalities[index];
            let Some(pivot) =
                columns.clone().filter(|&c| row[c] != 0).min_by_key(|&c| row[c].unsigned_abs())
            else {
                return Ok(None);
            };
            let mut alone = true;
            for column in columns.clone() {
                let row = &self.equalities[index];
                if column == pivot || row[column] == 0 {
                    continue;
                }
                alone = false;
                let (numerator, divisor) = (i128::from(row[column]), i128::from(row[pivot]));
                let factor = narrow(if divisor > 0 {
                    floor_div(numerator, divisor)
                } else {
                    floor_div(-numerator, -divisor)
                })?;
                for row in self.rows_mut() {
                    if row[pivot] != 0 {
                        row[column] = narrow(
                            i128::from(row[column]) - i128::from(factor) * i128::from(row[pivot]),
                        )?;
                    }
                }
                shears.push(Shear { pivot, column, factor });
            }
            if alone {
                return Ok(Some(pivot));
            }
        }
    }

    /// Uses equality `index` to remove `variable` from every other row. Rational: that the variable is an integer is
    /// only kept by the equality itself.
    pub(crate) fn substitute(&mut self, index: usize, variable: usize) -> Result<()> {
        let pivot_row = Row::from_slice(&self.equalities[index]);
        let pivot = pivot_row[variable];
        for (at, row) in self.equalities.iter_mut().enumerate() {
            if at != index && row[variable] != 0 {
                combine(row, pivot, -row[variable], &pivot_row, 0, Relation::Equal)?;
            }
        }
        for row in self.inequalities.iter_mut() {
            if row[variable] != 0 {
                // The inequality is scaled by |pivot| to keep its direction.
                let factor = if pivot > 0 { -row[variable] } else { row[variable] };
                combine(row, pivot.abs(), factor, &pivot_row, 0, Relation::AtLeast)?;
            }
        }
        Ok(())
    }

    /// Replaces a variable by a number; its column becomes 0.
    pub(crate) fn fix(&mut self, variable: usize, value: i64) -> Result<()> {
        let width = self.width;
        for row in self.rows_mut() {
            let product = i128::from(row[variable]) * i128::from(value);
            row[width] = narrow(i128::from(row[width]) + product)?;
            row[variable] = 0;
        }
        Ok(())
    }

    /// The system over other columns: new column `c` is old column `columns[c]`, or unused where `None`.
    pub(crate) fn select(&self, columns: &[Option<usize>]) -> Self {
        Self {
            width: columns.len(),
            equalities: self.equalities.select(columns),
            inequalities: self.inequalities.select(columns),
        }
    }

    /// Replaces variables by their opposites.
    pub(crate) fn negate_columns(&mut self, columns: Range<usize>) {
        self.rows_mut().for_each(|row| row[columns.clone()].iter_mut().for_each(|c| *c = -*c));
    }

    /// The system among `width` variables, of which the first `visible` stay and the others move to `start` and on.
    pub(crate) fn place(&self, visible: usize, start: usize, width: usize) -> Self {
        let source = |column: usize| {
            if column < visible {
                return Some(column);
            }
            let moved = column.checked_sub(start)? + visible;
            (moved < self.width).then_some(moved)
        };
        self.select(&(0..width).map(source).collect::<Vec<_>>())
    }

    /// Adds the rows of a system of the same width.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.equalities.extend(&other.equalities);
        self.inequalities.extend(&other.inequalities);
    }
}

/// Whether the first coefficient that is not 0 is positive.
fn leads_positive(coefficients: &[i64]) -> bool {
    coefficients.iter().find(|&&c| c != 0).is_some_and(|&c| c > 0)
}

/// Finds parallel and opposite rows among those seen so far.
struct Directions {
    /// One more than the index of a row, or 0, by the hash of its direction. The length is a power of two.
    slots: SmallVec<[u32; 128]>,
    /// Pairs of rows with opposite coefficients.
    opposite: Vec<(usize, usize)>,
}

impl Directions {
    fn new(rows: usize) -> Self {
        let slots = SmallVec::from_elem(0, (2 * rows).next_power_of_two().max(16));
        Self { slots, opposite: Vec::new() }
    }

    /// The row before `place` that is parallel to row `index`. Where there is none, the row becomes known as row `place`.
    fn find_or_insert(&mut self, rows: &Rows, index: usize, place: usize) -> Option<usize> {
        let row = &rows[index];
        let coefficients = &row[..row.len() - 1];
        // A linear hash: opposite rows have opposite hashes.
        let mut factor = 0x9e37_79b9_7f4a_7c15_u64;
        let mut hash = 0_u64;
        for &c in coefficients {
            hash = hash.wrapping_add(factor.wrapping_mul(c as u64));
            factor = factor.wrapping_mul(0xd134_2543_de82_ef95);
        }
        let hash = hash.min(hash.wrapping_neg()).wrapping_mul(0x2545_f491_4f6c_dd1d);
        let mask = self.slots.len() - 1;
        let mut slot = (hash >> 40) as usize & mask;
        let mut opposite = None;
        while self.slots[slot] != 0 {
            let known = self.slots[slot] as usize - 1;
            let other = &rows[known][..coefficients.len()];
            if other == coefficients {
                return Some(known);
            }
            if other.iter().zip(coefficients).all(|(a, b)| *a == -*b) {
                opposite = Some(known);
            }
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = place as u32 + 1;
        self.opposite.extend(opposite.map(|known| (known, place)));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalisation_tightens_joins_and_refuses() {
        let mut system = System::universe(2);
        let rows = [
            [2, 0, -3], // 2x >= 3, so x >= 2
            [1, 0, -1], // weaker
            [0, 3, 0],  // y >= 0
            [0, -1, 0], // y <= 0
            [0, 0, 5],  // trivial
        ];
        rows.iter().for_each(|row| system.inequalities.push(row));
        system.normalize();
        assert_eq!(system.inequalities.iter().collect::<Vec<_>>(), [[1, 0, -2]]);
        assert_eq!(system.equalities.iter().collect::<Vec<_>>(), [[0, 1, 0]]);

        type Rows = &'static [[i64; 3]];
        let refused: [(Rows, Rows); 4] = [
            (&[[2, 4, 1]], &[]),
            (&[[1, 0, 1], [1, 0, 2]], &[]),
            (&[], &[[1, 1, -4], [-1, -1, 3]]),
            (&[], &[[2, 2, -1], [-2, -2, 1]]),
        ];
        for (equalities, inequalities) in refused {
            let mut system = System::universe(2);
            equalities.iter().for_each(|row| system.equalities.push(row));
            inequalities.iter().for_each(|row| system.inequalities.push(row));
            system.normalize();
            assert!(system.is_contradiction(), "{equalities:?} {inequalities:?}");
        }
    }

    #[test]
    fn isolation_leaves_the_greatest_common_divisor() {
        let mut system = System::universe(3);
        system.equalities.push(&[6, 10, 15, -1]);
        let mut shears = Vec::new();
        let pivot = system.isolate(0, 0..3, &mut shears).unwrap().unwrap();
        assert_eq!(system.equalities[0][pivot].abs(), 1);
        assert_eq!(system.equalities[0][..3].iter().filter(|&&c| c != 0).count(), 1);
    }
}
