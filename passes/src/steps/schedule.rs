//! Orders of execution as data.
//!
//! Each instance of a statement has a date, a tuple of integers, and instances are executed in
//! lexicographic order of their dates. A date begins with the rows of a [`Schedule`], affine forms
//! over the loops round the statement; instances that these leave equal keep the order of the
//! program. So one loop more outside that counts `j` is the row `j`, a distribution a row of
//! constants, a wavefront the row `i + j`. After Kelly and Pugh, "A unifying framework for iteration
//! reordering transformations", 1995.

use gpuc_presburger::{Affine, Var};

use super::statements::{Statement, Statements};

/// One row of all dates: for each statement a form over the loops round it, the outermost being
/// dimension 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row(pub Vec<Affine>);

/// The rows that come before the order of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule(pub Vec<Row>);

/// All rows, those of the order of the program included, without those that say nothing new.
#[derive(Clone, Debug)]
pub(super) struct Dates {
    /// For each row, a form for each statement.
    pub rows: Vec<Vec<Affine>>,
    /// For each statement and each loop round it, the row that is the loop's variable.
    pub places: Vec<Vec<usize>>,
}

impl Row {
    /// The row that counts, for each statement, one of the loops round it.
    pub fn of_loops(loops: &[usize]) -> Row {
        Row(loops.iter().map(|&index| Affine::dim(index)).collect())
    }

    /// The row of numbers, one for each statement.
    pub fn of_constants(numbers: &[i64]) -> Row {
        Row(numbers.iter().map(|&number| Affine::constant(number)).collect())
    }
}

impl Schedule {
    /// Complete dates.
    pub(super) fn dates(&self, statements: &Statements) -> Dates {
        let all = &statements.list;
        let mut rows: Vec<Vec<Affine>> = self.0.iter().map(|row| row.0.clone()).collect();
        let mut places: Vec<Vec<usize>> = all.iter().map(|_| Vec::new()).collect();
        let deepest = all.iter().map(|statement| statement.loops.len()).max().unwrap_or(0);
        for depth in 0..=deepest {
            let place = |statement: &Statement| {
                Affine::constant(statement.place.get(depth).copied().unwrap_or(0))
            };
            push(&mut rows, all.iter().map(place).collect());
            let variable = |statement: &Statement| match depth < statement.loops.len() {
                true => Affine::dim(depth),
                false => Affine::constant(0),
            };
            if depth == deepest {
                break;
            }
            let row = push(&mut rows, all.iter().map(variable).collect());
            for (statement, places) in all.iter().zip(&mut places) {
                if depth < statement.loops.len() {
                    places.extend(row);
                }
            }
        }
        Dates { rows, places }
    }
}

/// Adds a row unless it is one number for all; the row that says the same.
fn push(rows: &mut Vec<Vec<Affine>>, row: Vec<Affine>) -> Option<usize> {
    let same = row.iter().all(|form| form.as_constant().is_some() && *form == row[0]);
    if same {
        return None;
    }
    if let Some(known) = rows.iter().position(|known| *known == row) {
        return Some(known);
    }
    rows.push(row);
    Some(rows.len() - 1)
}

/// The form with the variable of each loop replaced by a dimension of another space.
pub(super) fn renamed(form: &Affine, place: impl Fn(usize) -> usize) -> Affine {
    form.rename(|var| match var {
        Var::Dim(index) => Var::Dim(place(index)),
        other => other,
    })
}
