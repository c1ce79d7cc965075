//! Whether a system has an integer point, with the point as the witness (the Omega test, with back substitution).

use crate::error::{Error, Result};
use crate::integer::{Row, ceil_div, evaluate, floor_div, narrow};
use crate::rows::Rows;
use crate::shadow::{Budget, eliminate, elimination_cost, splinters};
use crate::system::{Shear, System};

/// Each inexact elimination nests the search by one; no loop nest comes near.
const DEEPEST: usize = 400;

/// An integer point of the system, one value a variable, or `None` when there is none.
pub(crate) fn sample(system: &System, budget: &Budget) -> Result<Option<Vec<i64>>> {
    search(system.clone(), budget, 0)
}

/// How a variable that is no longer in the system follows from those that are. Undone last in, first out.
enum Step {
    /// A change of basis.
    Shear(Shear),
    /// The variable has one value.
    Fixed(usize, i64),
    /// The variable has a coefficient of 1 or -1 in an equality.
    Solved(usize, Row),
    /// The variable lies between the bounds that these inequalities are.
    Bounded(usize, Rows),
}

fn search(mut system: System, budget: &Budget, depth: usize) -> Result<Option<Vec<i64>>> {
    if depth > DEEPEST {
        return Err(Error::TooComplex);
    }
    let mut steps = Vec::new();
    let mut point = loop {
        system.normalize();
        if system.is_contradiction() {
            return Ok(None);
        }
        if !system.equalities.is_empty() {
            if !solve_equality(&mut system, &mut steps, budget)? {
                return Ok(None);
            }
            continue;
        }
        let cheapest = (0..system.width)
            .filter_map(|variable| elimination_cost(&system, variable).map(|cost| (cost, variable)))
            .min();
        let Some((_, variable)) = cheapest else { break vec![0; system.width] };
        let shadows = eliminate(&system, variable, budget)?;
        let mut bounds = Rows::new(system.width);
        let bounding = system.inequalities.iter().filter(|row| row[variable] != 0);
        bounding.for_each(|row| bounds.push(row));
        let Some(dark) = shadows.dark else {
            steps.push(Step::Bounded(variable, bounds));
            system = shadows.real;
            continue;
        };
        if let Some(mut point) = search(dark, budget, depth + 1)? {
            lift(&bounds, variable, &mut point)?;
            break point;
        }
        if search(shadows.real, budget, depth + 1)?.is_none() {
            return Ok(None);
        }
        let mut found = None;
        for piece in splinters(&system, variable, budget)? {
            found = search(piece, budget, depth + 1)?;
            if found.is_some() {
                break;
            }
        }
        match found {
            Some(point) => break point,
            None => return Ok(None),
        }
    };
    for step in steps.into_iter().rev() {
        match step {
            Step::Shear(shear) => {
                let product = i128::from(shear.factor) * i128::from(point[shear.column]);
                point[shear.pivot] = narrow(i128::from(point[shear.pivot]) - product)?;
            }
            Step::Fixed(variable, value) => point[variable] = value,
            Step::Solved(variable, row) => {
                point[variable] = 0;
                let value = evaluate(&row, &point)?;
                point[variable] = narrow(if row[variable] > 0 { -value } else { value })?;
            }
            Step::Bounded(variable, bounds) => lift(&bounds, variable, &mut point)?,
        }
    }
    Ok(Some(point))
}

/// Takes an equality and one of its variables out of the system; `false` when no integers satisfy it.
fn solve_equality(system: &mut System, steps: &mut Vec<Step>, budget: &Budget) -> Result<bool> {
    budget.spend(system.len(), system.width)?;
    // The sparsest equality with a unit coefficient disturbs the rest the least.
    let next = (0..system.equalities.len()).min_by_key(|&index| {
        let row = &system.equalities[index][..system.width];
        let used = row.iter().filter(|&&c| c != 0).count();
        let smallest = row.iter().filter(|&&c| c != 0).map(|c| c.unsigned_abs()).min();
        (smallest, used)
    });
    let Some(index) = next else { return Ok(true) };
    let unit = system.equalities[index][..system.width].iter().position(|c| c.abs() == 1);
    if let Some(variable) = unit {
        system.substitute(index, variable)?;
        steps.push(Step::Solved(variable, Row::from_slice(&system.equalities[index])));
        system.equalities.remove(index);
        return Ok(true);
    }
    let mut shears = Vec::new();
    let pivot = system.isolate(index, 0..system.width, &mut shears)?;
    steps.extend(shears.into_iter().map(Step::Shear));
    let Some(pivot) = pivot else { return Ok(true) };
    let row = &system.equalities[index];
    let (constant, coefficient) = (row[system.width], row[pivot]);
    if constant % coefficient != 0 {
        return Ok(false);
    }
    let value = -(constant / coefficient);
    system.equalities.remove(index);
    system.fix(pivot, value)?;
    steps.push(Step::Fixed(pivot, value));
    Ok(true)
}

/// Extends a point of an exact or dark shadow by the value of the eliminated variable that is nearest to 0.
fn lift(bounds: &Rows, variable: usize, point: &mut [i64]) -> Result<()> {
    point[variable] = 0;
    let (mut least, mut greatest) = (None, None);
    for row in bounds.iter() {
        let coefficient = i128::from(row[variable]);
        let rest = evaluate(row, point)?;
        if coefficient > 0 {
            least = least.max(Some(ceil_div(-rest, coefficient)));
        } else {
            let value = floor_div(rest, -coefficient);
            greatest = Some(greatest.map_or(value, |known: i128| known.min(value)));
        }
    }
    let value = greatest.map_or(0, |greatest| greatest.min(0));
    point[variable] = narrow(least.map_or(value, |least| least.max(value)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(width: usize, equalities: &[&[i64]], inequalities: &[&[i64]]) -> System {
        let mut system = System::universe(width);
        equalities.iter().for_each(|row| system.equalities.push(row));
        inequalities.iter().for_each(|row| system.inequalities.push(row));
        system
    }

    #[test]
    fn known_systems() {
        // Pugh 1992, §2.3.2: 27 <= 11x + 13y <= 45, -10 <= 7x - 9y <= 4 has rational points only.
        let pugh = system(2, &[], &[&[11, 13, -27], &[-11, -13, 45], &[7, -9, 10], &[-7, 9, 4]]);
        assert_eq!(sample(&pugh, &Budget::new()), Ok(None));
        // Pugh 1992, §2.2: 7x + 12y + 31z = 17, 3x + 5y + 14z = 7, 1 <= x <= 40, y free.
        let equal = system(
            3,
            &[&[7, 12, 31, -17], &[3, 5, 14, -7]],
            &[&[1, 0, 0, -1], &[-1, 0, 0, 40], &[0, 1, 0, 50], &[0, -1, 0, 50]],
        );
        let point = sample(&equal, &Budget::new()).unwrap().unwrap();
        assert!(equal.equalities.iter().all(|row| evaluate(row, &point) == Ok(0)), "{point:?}");
        assert!(
            equal.inequalities.iter().all(|row| evaluate(row, &point).unwrap() >= 0),
            "{point:?}"
        );
        // 2x = 2y + 1 has none; 3 <= 2x <= 3 has none.
        assert_eq!(sample(&system(2, &[&[2, -2, -1]], &[]), &Budget::new()), Ok(None));
        assert_eq!(sample(&system(1, &[], &[&[2, -3], &[-2, 3]]), &Budget::new()), Ok(None));
        // Unbounded in both directions.
        assert_eq!(sample(&system(2, &[], &[]), &Budget::new()), Ok(Some(vec![0, 0])));
        assert!(sample(&system(2, &[], &[&[1, -1, -1000]]), &Budget::new()).unwrap().is_some());
    }
}
