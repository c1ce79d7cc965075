//! Whether a system has an integer point, with the point as the witness (the Omega test, with back substitution).

use crate::error::{Error, Result};
use crate::integer::{ceil_div, evaluate, floor_div, narrow};
use crate::shadow::{Budget, bounding_rows, eliminate, elimination_cost, splinters};
use crate::system::System;

/// Equalities, parallel rows and each elimination nest the search by one; no loop nest comes near.
const DEEPEST: usize = 400;

/// An integer point of the system, one value a variable, or `None` when there is none.
pub(crate) fn sample(system: &System, budget: &Budget) -> Result<Option<Vec<i64>>> {
    search(system.clone(), budget, 0)
}

fn search(mut system: System, budget: &Budget, depth: usize) -> Result<Option<Vec<i64>>> {
    if depth > DEEPEST {
        return Err(Error::TooComplex);
    }
    let mut shears = Vec::new();
    let mut fixed = Vec::new();
    loop {
        system.normalize();
        if system.is_contradiction() {
            return Ok(None);
        }
        // The sparsest equality with a unit coefficient disturbs the rest the least.
        let next = (0..system.equalities.len()).min_by_key(|&index| {
            let row = &system.equalities[index][..system.width];
            let used = row.iter().filter(|&&c| c != 0).count();
            let smallest = row.iter().filter(|&&c| c != 0).map(|c| c.unsigned_abs()).min();
            (smallest, used)
        });
        let Some(index) = next else { break };
        budget.spend(system.equalities.len() + system.inequalities.len(), system.width)?;
        let Some(pivot) = system.isolate(index, 0..system.width, &mut shears)? else { continue };
        let row = system.equalities.swap_remove(index);
        let (constant, coefficient) = (row[system.width], row[pivot]);
        if constant % coefficient != 0 {
            return Ok(None);
        }
        let value = -(constant / coefficient);
        system.fix(pivot, value)?;
        fixed.push((pivot, value));
    }
    let Some(mut point) = search_inequalities(&system, budget, depth)? else { return Ok(None) };
    for (variable, value) in fixed {
        point[variable] = value;
    }
    for shear in shears.iter().rev() {
        let product = i128::from(shear.factor) * i128::from(point[shear.column]);
        point[shear.pivot] = narrow(i128::from(point[shear.pivot]) - product)?;
    }
    Ok(Some(point))
}

fn search_inequalities(system: &System, budget: &Budget, depth: usize) -> Result<Option<Vec<i64>>> {
    let cheapest = (0..system.width)
        .filter_map(|variable| elimination_cost(system, variable).map(|cost| (cost, variable)))
        .min();
    let Some((_, variable)) = cheapest else { return Ok(Some(vec![0; system.width])) };
    let shadows = eliminate(system, variable, budget)?;
    let Some(dark) = shadows.dark else {
        let Some(point) = search(shadows.real, budget, depth + 1)? else { return Ok(None) };
        return lift(system, variable, point).map(Some);
    };
    if let Some(point) = search(dark, budget, depth + 1)? {
        return lift(system, variable, point).map(Some);
    }
    if search(shadows.real, budget, depth + 1)?.is_none() {
        return Ok(None);
    }
    for piece in splinters(system, variable, budget)? {
        if let Some(point) = search(piece, budget, depth + 1)? {
            return Ok(Some(point));
        }
    }
    Ok(None)
}

/// Extends a point of an exact or dark shadow by the value of the eliminated variable that is nearest to 0.
fn lift(system: &System, variable: usize, mut point: Vec<i64>) -> Result<Vec<i64>> {
    point[variable] = 0;
    let rows = bounding_rows(system, variable);
    let mut value = 0;
    for index in rows.lower {
        let row = &system.inequalities[index];
        value = value.max(ceil_div(-evaluate(row, &point)?, i128::from(row[variable])));
    }
    for index in rows.upper {
        let row = &system.inequalities[index];
        value = value.min(floor_div(evaluate(row, &point)?, -i128::from(row[variable])));
    }
    point[variable] = narrow(value)?;
    Ok(point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integer::Row;

    fn system(width: usize, equalities: &[&[i64]], inequalities: &[&[i64]]) -> System {
        System {
            width,
            equalities: equalities.iter().map(|row| Row::from_slice(row)).collect(),
            inequalities: inequalities.iter().map(|row| Row::from_slice(row)).collect(),
        }
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
