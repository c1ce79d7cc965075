//! A conjunction of rows over nameless variables: what all exact algorithms work on.

use std::collections::hash_map::Entry;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::integer::{Relation, Row, combine, content, floor_div, narrow};

/// Equalities `row = 0` and inequalities `row >= 0` over `width` integer variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct System {
    pub(crate) width: usize,
    pub(crate) equalities: Vec<Row>,
    pub(crate) inequalities: Vec<Row>,
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
        Self { width, equalities: Vec::new(), inequalities: Vec::new() }
    }

    pub(crate) fn contradiction(width: usize) -> Self {
        let mut row = Row::from_elem(0, width + 1);
        row[width] = -1;
        Self { width, equalities: Vec::new(), inequalities: vec![row] }
    }

    /// Whether normalisation found a contradiction. `false` does not mean that there is a point.
    pub(crate) fn is_contradiction(&self) -> bool {
        self.inequalities
            .first()
            .is_some_and(|row| row[self.width] < 0 && row[..self.width].iter().all(|&c| c == 0))
    }

    /// All rows, equalities first.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.equalities.iter().chain(&self.inequalities)
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.equalities.iter_mut().chain(&mut self.inequalities)
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
        let width = self.width;
        let mut equalities: Vec<Row> = Vec::with_capacity(self.equalities.len());
        for mut row in self.equalities.drain(..) {
            let divisor = content(&row[..width]);
            if divisor == 0 {
                if row[width] != 0 {
                    return false;
                }
                continue;
            }
            if row[width] % divisor != 0 {
                return false;
            }
            let positive = row[..width].iter().find(|&&c| c != 0).is_some_and(|&c| c > 0);
            let divisor = if positive { divisor } else { -divisor };
            row.iter_mut().for_each(|c| *c /= divisor);
            match equalities.iter().find(|known| known[..width] == row[..width]) {
                Some(known) if known[width] != row[width] => return false,
                Some(_) => {}
                None => equalities.push(row),
            }
        }

        // By direction (first coefficient positive): where the kept row and its opposite stand.
        let mut seen: FxHashMap<Row, [Option<usize>; 2]> = FxHashMap::default();
        let mut inequalities: Vec<Row> = Vec::with_capacity(self.inequalities.len());
        for mut row in self.inequalities.drain(..) {
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
            let positive = row[..width].iter().find(|&&c| c != 0).is_some_and(|&c| c > 0);
            let key: Row = row[..width].iter().map(|&c| if positive { c } else { -c }).collect();
            let slot = match seen.entry(key) {
                Entry::Occupied(entry) => &mut entry.into_mut()[usize::from(positive)],
                Entry::Vacant(entry) => &mut entry.insert([None; 2])[usize::from(positive)],
            };
            match *slot {
                Some(at) => {
                    let known: &mut Row = &mut inequalities[at];
                    known[width] = known[width].min(row[width]);
                }
                None => {
                    *slot = Some(inequalities.len());
                    inequalities.push(row);
                }
            }
        }

        let mut joined = vec![false; inequalities.len()];
        for index in 0..inequalities.len() {
            let row = &inequalities[index];
            let positive = row[..width].iter().find(|&&c| c != 0).is_some_and(|&c| c > 0);
            let key: Row = row[..width].iter().map(|&c| if positive { c } else { -c }).collect();
            let Some(&[Some(negative), Some(other)]) = seen.get(&key) else { continue };
            let gap =
                i128::from(inequalities[negative][width]) + i128::from(inequalities[other][width]);
            if gap < 0 {
                return false;
            }
            if gap == 0 && !joined[index] {
                joined[negative] = true;
                joined[other] = true;
                let row = inequalities[other].clone();
                match equalities.iter().find(|known| known[..width] == row[..width]) {
                    Some(known) if known[width] != row[width] => return false,
                    Some(_) => {}
                    None => equalities.push(row),
                }
            }
        }
        let mut joined = joined.into_iter();
        inequalities.retain(|_| !joined.next().unwrap_or(false));
        self.equalities = equalities;
        self.inequalities = inequalities;
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
        let pivot_row = self.equalities[index].clone();
        let pivot = pivot_row[variable];
        for (at, row) in self.equalities.iter_mut().enumerate() {
            if at != index && row[variable] != 0 {
                *row = combine(pivot, row, -row[variable], &pivot_row, 0, Relation::Equal)?;
            }
        }
        for row in &mut self.inequalities {
            if row[variable] != 0 {
                // The inequality is scaled by |pivot| to keep its direction.
                let factor = if pivot > 0 { -row[variable] } else { row[variable] };
                *row = combine(pivot.abs(), row, factor, &pivot_row, 0, Relation::AtLeast)?;
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
        let row = |row: &Row| -> Row {
            let variables = columns.iter().map(|column| column.map_or(0, |c| row[c]));
            variables.chain([row[self.width]]).collect()
        };
        Self {
            width: columns.len(),
            equalities: self.equalities.iter().map(row).collect(),
            inequalities: self.inequalities.iter().map(row).collect(),
        }
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
    pub(crate) fn extend(&mut self, other: Self) {
        self.equalities.extend(other.equalities);
        self.inequalities.extend(other.inequalities);
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;

    #[test]
    fn normalisation_tightens_joins_and_refuses() {
        let mut system = System::universe(2);
        system.inequalities = vec![
            smallvec![2, 0, -3], // 2x >= 3, so x >= 2
            smallvec![1, 0, -1], // weaker
            smallvec![0, 3, 0],  // y >= 0
            smallvec![0, -1, 0], // y <= 0
            smallvec![0, 0, 5],  // trivial
        ];
        system.normalize();
        assert_eq!(system.inequalities, vec![Row::from_slice(&[1, 0, -2])]);
        assert_eq!(system.equalities, vec![Row::from_slice(&[0, 1, 0])]);

        type Rows = &'static [[i64; 3]];
        let refused: [(Rows, Rows); 4] = [
            (&[[2, 4, 1]], &[]),
            (&[[1, 0, 1], [1, 0, 2]], &[]),
            (&[], &[[1, 1, -4], [-1, -1, 3]]),
            (&[], &[[2, 2, -1], [-2, -2, 1]]),
        ];
        for (equalities, inequalities) in refused {
            let mut system = System {
                width: 2,
                equalities: equalities.iter().map(|row| Row::from_slice(row)).collect(),
                inequalities: inequalities.iter().map(|row| Row::from_slice(row)).collect(),
            };
            system.normalize();
            assert!(system.is_contradiction(), "{equalities:?} {inequalities:?}");
        }
    }

    #[test]
    fn isolation_leaves_the_greatest_common_divisor() {
        let mut system = System::universe(3);
        system.equalities = vec![smallvec![6, 10, 15, -1]];
        let mut shears = Vec::new();
        let pivot = system.isolate(0, 0..3, &mut shears).unwrap().unwrap();
        assert_eq!(system.equalities[0][pivot].abs(), 1);
        assert_eq!(system.equalities[0][..3].iter().filter(|&&c| c != 0).count(), 1);
    }
}
