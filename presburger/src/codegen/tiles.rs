//! Which tiles are full.

use std::ops::Range;

use super::Piece;
use crate::affine::Constraint;
use crate::basic_set::{BasicSet, negated};
use crate::error::Result;
use crate::integer::{Relation, Row, combine};
use crate::rows::Rows;
use crate::space::Space;

/// Bounds of a dimension whose distance is a constant: two of the rows.
#[derive(Clone, Copy)]
struct Sides {
    lower: usize,
    upper: usize,
}

/// The tiles, which the dimensions before `first` count, that are full for each piece. `None` where one has no such tiles.
pub(super) fn full(space: &Space, pieces: &[Piece], first: usize) -> Result<Option<BasicSet>> {
    let mut all = BasicSet::universe(space.clone());
    for piece in pieces {
        match full_of(&piece.set, first)? {
            Some(full) => all = all.intersect(&full)?,
            None => return Ok(None),
        }
    }
    Ok(Some(all))
}

/// The tiles all of whose points are in the set; a condition on the tiles' dimensions and parameters. A point's dimension
/// ranges between bounds of a constant distance.
fn full_of(set: &BasicSet, first: usize) -> Result<Option<BasicSet>> {
    let system = set.system();
    let points = first..set.space().dims();
    if set.locals() > 0 || points.is_empty() {
        return Ok(None);
    }
    let mut rows = system.inequalities.clone();
    for row in system.equalities.iter() {
        rows.push(row);
        rows.push(&negated(row));
    }
    let mut sides = Vec::with_capacity(points.len());
    for dim in points.clone() {
        match box_sides(&rows, dim, &points) {
            Some(found) => sides.push(found),
            None => return Ok(None),
        }
    }
    let mut full = BasicSet::universe(set.space().clone());
    for (index, row) in rows.iter().enumerate() {
        let of_box = sides.iter().any(|side| side.lower == index || side.upper == index);
        if of_box || row[points.clone()].iter().all(|&c| c == 0) {
            continue;
        }
        // The row is least at a corner of the box: `x >= l` for a positive coefficient, `x <= u` for a negative one.
        let mut least = Row::from_slice(row);
        for (dim, side) in points.clone().zip(&sides) {
            let bound = if least[dim] > 0 { side.lower } else { side.upper };
            let factor = -least[dim].abs();
            combine(&mut least, 1, factor, &rows[bound], 0, Relation::AtLeast)?;
        }
        full.add(&Constraint::ge(set.affine(&least), 0))?;
    }
    Ok(Some(full))
}

/// The closest bounds of a dimension that only tiles and parameters decide and that are a constant apart.
fn box_sides(rows: &Rows, dim: usize, points: &Range<usize>) -> Option<Sides> {
    let alone = |row: &[i64]| points.clone().all(|other| other == dim || row[other] == 0);
    let candidates = |sign: i64| {
        let fits = move |(_, row): &(usize, &[i64])| row[dim] == sign && alone(row);
        rows.iter().enumerate().filter(fits)
    };
    let mut best: Option<(i128, Sides)> = None;
    for (lower, low) in candidates(1) {
        for (upper, high) in candidates(-1) {
            let width = low.len() - 1;
            let apart = low[..width].iter().zip(&high[..width]).any(|(a, b)| *a != -*b);
            let size = i128::from(low[width]) + i128::from(high[width]) + 1;
            if !apart && size > 0 && best.is_none_or(|(known, _)| size < known) {
                best = Some((size, Sides { lower, upper }));
            }
        }
    }
    best.map(|(_, sides)| sides)
}
