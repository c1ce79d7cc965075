//! Which tiles are full.

use crate::affine::Constraint;
use crate::basic_set::BasicSet;
use crate::error::Result;
use crate::integer::{Relation, Row, combine};

/// Bounds of a dimension whose distance is a constant: two inequalities of the set.
#[derive(Clone, Copy)]
struct Sides {
    lower: usize,
    upper: usize,
}

/// The tiles, which the dimensions before `first` count, all of whose points are in the set; a condition on those dimensions
/// and parameters. A point's dimension ranges between bounds of a constant distance. `None` where the set is not of that
/// form.
pub(super) fn full(set: &BasicSet, first: usize) -> Result<Option<BasicSet>> {
    let system = set.system();
    let points = first..set.space().dims();
    if set.locals() > 0
        || points.is_empty()
        || system.equalities.iter().any(|row| row[points.clone()].iter().any(|&c| c != 0))
    {
        return Ok(None);
    }
    let mut sides = Vec::with_capacity(points.len());
    for dim in points.clone() {
        match box_sides(set, dim, &points) {
            Some(found) => sides.push(found),
            None => return Ok(None),
        }
    }
    let mut full = BasicSet::universe(set.space().clone());
    for (index, row) in system.inequalities.iter().enumerate() {
        let of_box = sides.iter().any(|side| side.lower == index || side.upper == index);
        if of_box || row[points.clone()].iter().all(|&c| c == 0) {
            continue;
        }
        // The row is least at a corner of the box: `x >= l` for a positive coefficient, `x <= u` for a negative one.
        let mut least = Row::from_slice(row);
        for (dim, side) in points.clone().zip(&sides) {
            let bound = if least[dim] > 0 { side.lower } else { side.upper };
            let factor = -least[dim].abs();
            combine(&mut least, 1, factor, &system.inequalities[bound], 0, Relation::AtLeast)?;
        }
        full.add(&Constraint::ge(set.affine(&least), 0))?;
    }
    Ok(Some(full))
}

/// The closest bounds of a dimension that only tiles and parameters decide and that are a constant apart.
fn box_sides(set: &BasicSet, dim: usize, points: &std::ops::Range<usize>) -> Option<Sides> {
    let rows = &set.system().inequalities;
    let width = set.system().width;
    let alone = |row: &[i64]| points.clone().all(|other| other == dim || row[other] == 0);
    let candidates = |sign: i64| {
        let fits = move |(_, row): &(usize, &[i64])| row[dim] == sign && alone(row);
        rows.iter().enumerate().filter(fits)
    };
    let mut best: Option<(i128, Sides)> = None;
    for (lower, low) in candidates(1) {
        for (upper, high) in candidates(-1) {
            let apart = low[..width].iter().zip(&high[..width]).any(|(a, b)| *a != -*b);
            let size = i128::from(low[width]) + i128::from(high[width]) + 1;
            if !apart && size > 0 && best.is_none_or(|(known, _)| size < known) {
                best = Some((size, Sides { lower, upper }));
            }
        }
    }
    best.map(|(_, sides)| sides)
}
