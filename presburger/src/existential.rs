//! Elimination of existentially quantified variables.
//!
//! The result is a union of systems in which every variable left over is *determined*: an integer function of the
//! visible variables that the system itself spells out. Two forms occur. A **stride** `c w = e(x)` says that `c` divides
//! `e(x)`. A **window** `e(x) - (c - 1) <= c w <= e(x)` says that `w = floor(e(x) / c)`. Only such systems can be
//! negated row by row.

use crate::error::{Error, Result};
use crate::shadow::{Budget, MOST_PIECES, eliminate, elimination_cost, splinters};
use crate::system::System;

/// How a determined variable depends on the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Equality `index` is the only row that mentions it.
    Stride {
        /// The equality.
        equality: usize,
    },
    /// These two opposite inequalities leave at most one value.
    Window {
        /// `c w >= e - (c - 1) + k` with `0 <= k < c`.
        lower: usize,
        /// `c w <= e`.
        upper: usize,
    },
}

/// The form of each variable from `visible` on; `None` where it is not determined.
pub(crate) fn forms(system: &System, visible: usize) -> Vec<Option<Form>> {
    let mut forms = vec![None; system.width - visible];
    for variable in visible..system.width {
        let mut rows = system.rows().filter(|row| row[variable] != 0);
        if rows.next().is_some() && rows.next().is_none() {
            let equality = system.equalities.iter().position(|row| row[variable] != 0);
            let alone = |index: &usize| {
                let row = &system.equalities[*index];
                (visible..system.width).all(|other| other == variable || row[other] == 0)
            };
            forms[variable - visible] =
                equality.filter(alone).map(|equality| Form::Stride { equality });
        }
    }
    loop {
        let mut changed = false;
        for variable in visible..system.width {
            if forms[variable - visible].is_none()
                && let Some(form) = window(system, visible, variable, &forms)
            {
                forms[variable - visible] = Some(form);
                changed = true;
            }
        }
        if !changed {
            return forms;
        }
    }
}

fn window(
    system: &System,
    visible: usize,
    variable: usize,
    forms: &[Option<Form>],
) -> Option<Form> {
    let rows = &system.inequalities;
    for (upper, row) in rows.iter().enumerate().filter(|(_, row)| row[variable] < 0) {
        let of_determined = (visible..system.width)
            .all(|other| other == variable || row[other] == 0 || forms[other - visible].is_some());
        if !of_determined {
            continue;
        }
        let opposite = |other: &[i64]| {
            let gap = i128::from(other[system.width]) + i128::from(row[system.width]);
            gap < -i128::from(row[variable])
                && row[..system.width].iter().zip(&other[..system.width]).all(|(a, b)| *a == -*b)
        };
        if let Some(lower) = rows.iter().position(opposite) {
            return Some(Form::Window { lower, upper });
        }
    }
    None
}

/// Eliminates the variables from `visible` on as far as needed for all that stay to be determined. The union of the
/// results is the same set of visible points. Columns stay in place; those of eliminated variables are empty.
pub(crate) fn determine(system: &System, visible: usize, budget: &Budget) -> Result<Vec<System>> {
    let mut pending = vec![system.clone()];
    let mut done = Vec::new();
    while let Some(mut system) = pending.pop() {
        budget.spend(system.inequalities.len(), system.width)?;
        solve_equalities(&mut system, visible)?;
        if system.is_contradiction() {
            continue;
        }
        let forms = forms(&system, visible);
        let next = (visible..system.width)
            .filter(|&variable| forms[variable - visible].is_none())
            .filter_map(|variable| elimination_cost(&system, variable).map(|cost| (cost, variable)))
            .min();
        let Some((_, variable)) = next else {
            done.push(system);
            if done.len() > MOST_PIECES {
                return Err(Error::TooComplex);
            }
            continue;
        };
        let shadows = eliminate(&system, variable, budget)?;
        match shadows.dark {
            None => pending.push(shadows.real),
            Some(dark) => {
                // Popped last in, first out: the dark shadow comes first in the result.
                pending.extend(splinters(&system, variable, budget)?.into_iter().rev());
                pending.push(dark);
            }
        }
    }
    Ok(done)
}

/// Eliminates hidden variables only where that neither splits the set nor loses precision. The result may keep hidden
/// variables that are not determined.
pub(crate) fn simplify(system: &mut System, visible: usize, budget: &Budget) -> Result<()> {
    solve_equalities(system, visible)?;
    loop {
        let next = (visible..system.width)
            .filter_map(|variable| {
                let used_in_equality = system.equalities.iter().any(|row| row[variable] != 0);
                let cost = elimination_cost(system, variable)?;
                (!used_in_equality && !cost.0 && cost.1 <= 4).then_some((cost, variable))
            })
            .min();
        let Some((_, variable)) = next else {
            match drop_window(system, visible, budget)? {
                true => continue,
                false => return Ok(()),
            }
        };
        *system = eliminate(system, variable, budget)?.real;
        if system.equalities.iter().any(|row| row[visible..system.width].iter().any(|&c| c != 0)) {
            solve_equalities(system, visible)?;
        }
    }
}

/// Eliminates a hidden variable that only two inequalities mention and that has a value for all of the others, as a floor
/// has that nothing else asks for. Says whether there was one.
fn drop_window(system: &mut System, visible: usize, budget: &Budget) -> Result<bool> {
    for variable in visible..system.width {
        let used_in_equality = system.equalities.iter().any(|row| row[variable] != 0);
        let alone = system.inequalities.iter().filter(|row| row[variable] != 0).count() == 2;
        if alone && !used_in_equality {
            let shadows = eliminate(system, variable, budget)?;
            if shadows.dark.is_none() {
                *system = shadows.real;
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Gives every equality that mentions hidden variables one of its own, which then occurs nowhere else, and drops it
/// together with the equality where its coefficient is 1. Normalises.
pub(crate) fn solve_equalities(system: &mut System, visible: usize) -> Result<()> {
    let mut unused = Vec::new();
    'again: loop {
        system.normalize();
        if system.is_contradiction() {
            return Ok(());
        }
        for index in 0..system.equalities.len() {
            let row = &system.equalities[index];
            let mut hidden = (visible..system.width).filter(|&c| row[c] != 0);
            let Some(first) = hidden.next() else { continue };
            let settled = hidden.next().is_none()
                && row[first].abs() != 1
                && system.rows().filter(|row| row[first] != 0).count() == 1;
            if settled {
                continue;
            }
            let Some(pivot) = system.isolate(index, visible..system.width, &mut unused)? else {
                continue;
            };
            system.substitute(index, pivot)?;
            if system.equalities[index][pivot].abs() == 1 {
                system.equalities.remove(index);
            }
            continue 'again;
        }
        return Ok(());
    }
}
