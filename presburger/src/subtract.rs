//! Set difference, row by row.

use crate::basic_set::{BasicSet, complement, negated};
use crate::error::{Error, Result};
use crate::existential::{self, Form};
use crate::integer::{Row, narrow};
use crate::sample::sample;
use crate::shadow::{Budget, MOST_PIECES};
use crate::system::System;

/// The points of the union of `pieces` that are not in `removed`.
pub(crate) fn subtract(
    pieces: Vec<BasicSet>,
    removed: &BasicSet,
    budget: &Budget,
) -> Result<Vec<BasicSet>> {
    let mut rest = pieces;
    for basic in removed.determined(budget)? {
        let mut next = Vec::with_capacity(rest.len());
        for piece in rest {
            subtract_determined(piece, &basic, budget, &mut next)?;
            if next.len() > MOST_PIECES {
                return Err(Error::TooComplex);
            }
        }
        rest = next;
    }
    Ok(rest)
}

/// A condition of the set taken away.
enum Condition {
    /// `row >= 0`.
    AtLeast(Row),
    /// `row = 0`.
    Equal(Row),
    /// `modulus` divides the row without its hidden variable, which has the coefficient `modulus` or its opposite.
    Divides { row: Row, modulus: i64 },
}

fn subtract_determined(
    piece: BasicSet,
    removed: &BasicSet,
    budget: &Budget,
    result: &mut Vec<BasicSet>,
) -> Result<()> {
    let common = piece.intersect(removed)?;
    if sample(common.system(), budget)?.is_none() {
        result.push(piece);
        return Ok(());
    }

    let visible = removed.visible();
    let own = piece.system();
    let width = own.width + removed.locals();
    let mut current = own.place(visible, visible, width);
    let taken = removed.system().place(visible, own.width, width);
    let conditions = conditions(removed, &taken, own.width, &mut current)?;

    for condition in conditions {
        match condition {
            Condition::AtLeast(row) => {
                keep(&piece, &current, [complement(&row)?], budget, result)?;
                current.inequalities.push(&row);
            }
            Condition::Equal(row) => {
                keep(&piece, &current, [complement(&row)?], budget, result)?;
                keep(&piece, &current, [complement(&negated(&row))?], budget, result)?;
                current.equalities.push(&row);
            }
            Condition::Divides { row, modulus } => {
                // A remainder from 1 to modulus - 1.
                let mut at_least_one = row.clone();
                at_least_one[width] = narrow(i128::from(row[width]) - 1)?;
                let mut below = negated(&row);
                below[width] = narrow(i128::from(below[width]) + i128::from(modulus) - 1)?;
                keep(&piece, &current, [at_least_one, below], budget, result)?;
                current.equalities.push(&row);
            }
        }
    }
    Ok(())
}

/// Splits the rows of the set taken away into conditions; the rows that define its windows hold everywhere and go to
/// `current`.
fn conditions(
    removed: &BasicSet,
    taken: &System,
    first_local: usize,
    current: &mut System,
) -> Result<Vec<Condition>> {
    let forms = existential::forms(removed.system(), removed.visible());
    let mut strides = vec![None; taken.equalities.len()];
    let mut defines = vec![false; taken.inequalities.len()];
    for (local, form) in forms.iter().enumerate() {
        let column = first_local + local;
        match *form {
            Some(Form::Stride { equality }) => {
                strides[equality] = Some(taken.equalities[equality][column].abs());
            }
            Some(Form::Window { upper, .. }) => {
                let row = &taken.inequalities[upper];
                let mut lower = negated(row);
                // c w >= e - (c - 1), the coefficient of w in `row` being -c.
                let widest = i128::from(row[column]).abs() - 1;
                lower[taken.width] = narrow(i128::from(lower[taken.width]) + widest)?;
                defines[upper] = true;
                current.inequalities.push(row);
                current.inequalities.push(&lower);
            }
            // `determined` leaves none of these.
            None => return Err(Error::TooComplex),
        }
    }
    let equalities = taken.equalities.iter().zip(strides).map(|(row, modulus)| match modulus {
        Some(modulus) => Condition::Divides { row: Row::from_slice(row), modulus },
        None => Condition::Equal(Row::from_slice(row)),
    });
    let inequalities = taken.inequalities.iter().zip(defines);
    let inequalities = inequalities
        .filter(|(_, defines)| !defines)
        .map(|(row, _)| Condition::AtLeast(Row::from_slice(row)));
    Ok(equalities.chain(inequalities).collect())
}

/// Adds `current` with further rows to the result unless it is empty.
fn keep<const N: usize>(
    piece: &BasicSet,
    current: &System,
    rows: [Row; N],
    budget: &Budget,
    result: &mut Vec<BasicSet>,
) -> Result<()> {
    let mut system = current.clone();
    rows.iter().for_each(|row| system.inequalities.push(row));
    if sample(&system, budget)?.is_some() {
        result.push(BasicSet::from_system(piece.space().clone(), system).simplified());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::set::Set;

    #[test]
    fn complements_of_existentials() {
        let table = [
            ("{ [i] : exists (w : i = 3w) }", "{ [i] : 1 <= i mod 3 }"),
            ("{ [i] : 1 <= i mod 3 }", "{ [i] : exists (w : i = 3w) }"),
            ("{ [i] : floor(i / 4) <= 2 }", "{ [i] : i >= 12 }"),
            // One value too many for `w` to be a function of `i`: both 3 and 4 lie in the window of i = 8.
            ("{ [i] : exists (w : i - 2 <= 2w <= i and w <= 3) }", "{ [i] : i >= 9 }"),
            ("{ [i] : exists (v, w : i = 2v + 4w) }", "{ [i] : i mod 2 = 1 }"),
            (
                "{ [i] : exists (v, w : i = 4v + 6w and 0 <= v <= 1) }",
                "{ [i] : i mod 6 != 0 and i mod 6 != 4 }",
            ),
            ("[n] -> { [i] : i < n or i mod 2 = 0 }", "[n] -> { [i] : i >= n and i mod 2 = 1 }"),
        ];
        for (text, complement) in table {
            let (set, expected): (Set, Set) = (text.parse().unwrap(), complement.parse().unwrap());
            assert_eq!(set.complement().unwrap().is_equal(&expected), Ok(true), "{text}");
        }
    }
}
