//! Elimination of one variable: Fourier–Motzkin's real shadow, and the dark shadow and splinters that make it exact over
//! the integers (Pugh, "The Omega test", CACM 1992, §2.3).

use std::cell::Cell;

use crate::error::{Error, Result};
use crate::integer::{Relation, combine, narrow};
use crate::rows::Rows;
use crate::system::System;

/// A union of more pieces than this helps no customer and is refused.
pub(crate) const MOST_PIECES: usize = 1000;

/// How much work one question may cost, in combined rows.
#[derive(Debug)]
pub(crate) struct Budget(Cell<usize>);

impl Budget {
    /// Some 10 to 20 milliseconds of work; questions of real loop nests take a few hundred rows.
    pub(crate) fn new() -> Self {
        Self(Cell::new(200_000))
    }

    /// Pays for touching that many rows of a system; long rows count more than once.
    pub(crate) fn spend(&self, rows: usize, width: usize) -> Result<()> {
        let price = rows.saturating_add(1).saturating_mul(1 + width / 32);
        let left = self.0.get().checked_sub(price).ok_or(Error::TooComplex)?;
        self.0.set(left);
        Ok(())
    }
}

/// What is left of a system when one variable is projected out.
pub(crate) struct Shadows {
    /// The rational projection; contains every integer projection.
    pub(crate) real: System,
    /// Points that certainly have an integer above them; `None` when the real shadow is already exact.
    pub(crate) dark: Option<System>,
}

/// The rows that bound a variable from below and from above, as indices of inequalities.
pub(crate) struct BoundingRows {
    pub(crate) lower: Vec<usize>,
    pub(crate) upper: Vec<usize>,
}

pub(crate) fn bounding_rows(system: &System, variable: usize) -> BoundingRows {
    let mut rows = BoundingRows { lower: Vec::new(), upper: Vec::new() };
    for (index, row) in system.inequalities.iter().enumerate() {
        match row[variable] {
            0 => {}
            1.. => rows.lower.push(index),
            _ => rows.upper.push(index),
        }
    }
    rows
}

/// How costly it is to eliminate a variable that no equality mentions: first whether the result may be inexact, then by
/// how many rows the system grows. `None` when no inequality mentions it.
pub(crate) fn elimination_cost(system: &System, variable: usize) -> Option<(bool, i64)> {
    let (mut lower, mut upper) = (0_i64, 0_i64);
    let (mut unit_lower, mut unit_upper) = (true, true);
    for row in system.inequalities.iter() {
        match row[variable] {
            0 => {}
            c @ 1.. => {
                lower += 1;
                unit_lower &= c == 1;
            }
            c => {
                upper += 1;
                unit_upper &= c == -1;
            }
        }
    }
    if lower + upper == 0 {
        return None;
    }
    let inexact = lower > 0 && upper > 0 && !unit_lower && !unit_upper;
    Some((inexact, lower * upper - lower - upper))
}

/// Whether every projection along the variable has an integer above it: on one side all coefficients are 1.
fn is_exact(rows: &BoundingRows, system: &System, variable: usize) -> bool {
    let unit = |list: &[usize]| list.iter().all(|&r| system.inequalities[r][variable].abs() == 1);
    unit(&rows.lower) || unit(&rows.upper)
}

/// Projects out a variable that no equality mentions.
pub(crate) fn eliminate(system: &System, variable: usize, budget: &Budget) -> Result<Shadows> {
    let rows = bounding_rows(system, variable);
    let pairs = rows.lower.len().saturating_mul(rows.upper.len());
    budget.spend(pairs + system.inequalities.len(), system.width)?;
    let mut kept = Rows::with_capacity(system.width, system.inequalities.len() + pairs);
    system.inequalities.iter().filter(|row| row[variable] == 0).for_each(|row| kept.push(row));
    let mut real =
        System { width: system.width, equalities: system.equalities.clone(), inequalities: kept };
    if is_exact(&rows, system, variable) {
        for &lower in &rows.lower {
            for &upper in &rows.upper {
                push_combination(&mut real, system, variable, lower, upper, 0)?;
            }
        }
        real.normalize();
        return Ok(Shadows { real, dark: None });
    }
    let mut dark = real.clone();
    let mut exact = true;
    for &lower in &rows.lower {
        for &upper in &rows.upper {
            let [a, b] = [lower, upper].map(|row| i128::from(system.inequalities[row][variable]));
            let slack = (a - 1) * (-b - 1);
            push_combination(&mut real, system, variable, lower, upper, 0)?;
            push_combination(&mut dark, system, variable, lower, upper, slack)?;
            let row = &real.inequalities[real.inequalities.len() - 1];
            let darker = &dark.inequalities[dark.inequalities.len() - 1];
            // Rounding, or a row of constants, may hide the difference.
            let trivial = row[..system.width].iter().all(|&c| c == 0);
            exact &= if trivial {
                row[system.width] < 0 || darker[system.width] >= 0
            } else {
                row == darker
            };
        }
    }
    real.normalize();
    if exact {
        return Ok(Shadows { real, dark: None });
    }
    dark.normalize();
    Ok(Shadows { real, dark: Some(dark) })
}

/// Adds the combination of a lower and an upper bound that does not mention the variable, less `slack`.
fn push_combination(
    target: &mut System,
    system: &System,
    variable: usize,
    lower: usize,
    upper: usize,
    slack: i128,
) -> Result<()> {
    let (lower, upper) = (&system.inequalities[lower], &system.inequalities[upper]);
    let (a, b) = (lower[variable], -upper[variable]);
    target.inequalities.push(lower);
    let last = target.inequalities.len() - 1;
    combine(&mut target.inequalities[last], b, a, upper, slack, Relation::AtLeast)
}

/// The systems that together with the dark shadow cover every point: `variable` lies close above one of its lower (or
/// below one of its upper) bounds.
pub(crate) fn splinters(system: &System, variable: usize, budget: &Budget) -> Result<Vec<System>> {
    let rows = bounding_rows(system, variable);
    // With `bound >= 0` of coefficient b and largest opposite coefficient a, an integer below the dark shadow has
    // `bound <= (a b - a - b) / a`.
    let plan = |near: &[usize], far: &[usize]| -> Vec<(usize, i128)> {
        let largest =
            far.iter().map(|&row| i128::from(system.inequalities[row][variable]).abs()).max();
        let reach = |row: usize| {
            let (a, b) =
                (largest.unwrap_or(1), i128::from(system.inequalities[row][variable]).abs());
            (row, (a * b - a - b).div_euclid(a))
        };
        near.iter().map(|&row| reach(row)).collect()
    };
    let total = |plan: &[(usize, i128)]| {
        plan.iter().fold(0_i128, |sum, &(_, last)| sum.saturating_add(last + 1))
    };
    let (below, above) = (plan(&rows.lower, &rows.upper), plan(&rows.upper, &rows.lower));
    let chosen = if total(&below) <= total(&above) { below } else { above };
    let work = total(&chosen)
        .saturating_mul(i128::try_from(system.inequalities.len()).unwrap_or(i128::MAX));
    budget.spend(usize::try_from(work).map_err(|_| Error::TooComplex)?, system.width)?;

    let mut pieces = Vec::new();
    for (row, last) in chosen {
        let bound = &system.inequalities[row];
        for distance in 0..=last {
            let mut piece = system.clone();
            let equality = piece.equalities.push_zeros();
            equality.copy_from_slice(bound);
            equality[system.width] = narrow(i128::from(bound[system.width]) - distance)?;
            pieces.push(piece);
        }
    }
    Ok(pieces)
}

/// The rational projection that drops a variable, through an equality where one mentions it.
pub(crate) fn project_rational(
    system: &System,
    variable: usize,
    budget: &Budget,
) -> Result<System> {
    let through = (0..system.equalities.len())
        .filter(|&index| system.equalities[index][variable] != 0)
        .min_by_key(|&index| system.equalities[index][variable].unsigned_abs());
    let Some(index) = through else { return Ok(eliminate(system, variable, budget)?.real) };
    budget.spend(system.len(), system.width)?;
    let mut projected = system.clone();
    projected.substitute(index, variable)?;
    projected.equalities.remove(index);
    projected.normalize();
    Ok(projected)
}
