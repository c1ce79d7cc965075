//! Unions of fewer pieces: two basic sets whose union is a basic set become one.
//!
//! The candidate for two pieces has the constraints of both, each moved outwards as far as the other piece needs; it
//! contains the union, and takes its place when it contains nothing else. That covers a piece inside the other, pieces that
//! meet along a face or an integer apart, and pieces that cut each other (Verdoolaege, "Integer set coalescing",
//! IMPACT 2015, has the cases one by one).

use crate::basic_set::{BasicSet, negated};
use crate::bounds::Optimum;
use crate::error::Result;
use crate::existential::{self, Form};
use crate::integer::{Row, narrow};
use crate::map::Map;
use crate::piecewise::{Piece, PiecewiseQuasiAffine};
use crate::set::Set;
use crate::shadow::Budget;
use crate::space::Space;
use crate::system::System;
use crate::witnessed::{Witnessed, project};

/// How many pairs of pieces are tried.
const MOST_TRIES: usize = 1000;

impl Set {
    /// The same set in as few pieces as pairs of them can be joined to, without empty pieces and redundant constraints.
    /// What cannot be decided in bounded time stays as it is.
    #[must_use]
    pub fn coalesced(&self) -> Self {
        let pieces = self.pieces().iter().map(|piece| (tidy(piece), ())).collect();
        let pieces = coalesce(pieces).into_iter().map(|(piece, ())| piece).collect();
        Self::collect(self.space().clone(), pieces)
    }
}

impl Map {
    /// The same map in fewer pieces; see [`Set::coalesced`].
    pub fn coalesced(&self) -> Result<Self> {
        let set = Set::new(self.space().clone(), self.pieces().iter().cloned())?;
        Self::from_set(set.coalesced())
    }
}

impl PiecewiseQuasiAffine {
    /// The same function with pieces of the same values joined where their union is one piece; see [`Set::coalesced`].
    #[must_use]
    pub fn coalesced(&self) -> Self {
        let pieces = self.pieces().iter();
        let pieces = pieces.map(|piece| (tidy(&piece.domain), piece.values.clone())).collect();
        let pieces = coalesce(pieces).into_iter();
        let pieces = pieces.map(|(domain, values)| Piece { domain, values }).collect();
        Self::from_disjoint(self.space().clone(), self.outputs(), pieces)
    }
}

fn tidy(piece: &BasicSet) -> BasicSet {
    let piece = piece.simplified();
    piece.without_redundancies().unwrap_or(piece)
}

/// Joins pieces of equal labels until no two can be joined.
fn coalesce<T: PartialEq>(mut pieces: Vec<(BasicSet, T)>) -> Vec<(BasicSet, T)> {
    pieces.retain(|(piece, _)| piece.is_empty() != Ok(true));
    let mut first = 0;
    let mut tries = MOST_TRIES;
    while first < pieces.len() {
        let joined = (0..pieces.len()).filter(|&other| other != first).find_map(|other| {
            let ((a, label), (b, other_label)) = (&pieces[first], &pieces[other]);
            if label != other_label || tries == 0 {
                return None;
            }
            tries -= 1;
            // What is not decided is not joined.
            let union = join(a, b).unwrap_or(None)?;
            Some((other, union))
        });
        match joined {
            Some((other, union)) => {
                let place = first.min(other);
                pieces[place].0 = tidy(&union);
                pieces.remove(first.max(other));
                // A piece that did not fit to the old ones may fit to the new one.
                first = 0;
            }
            None => first += 1,
        }
    }
    pieces
}

/// The union of two sets when it is one basic set.
fn join(a: &BasicSet, b: &BasicSet) -> Result<Option<BasicSet>> {
    let budget = Budget::new();
    // Locals that mean the same in both are like dimensions.
    let shared = if a.locals() > 0 && same_locals(a, b) { a.locals() } else { 0 };
    let visible = a.visible() + shared;
    let systems = [a, b].map(|piece| piece.system().clone());
    let [Some(inside_a), Some(inside_b)] =
        [Witnessed::find(&systems[0], &budget)?, Witnessed::find(&systems[1], &budget)?]
    else {
        return Ok(None);
    };
    let hull = envelope([&inside_a, &inside_b], visible, &budget)?;
    let space = if shared == 0 { a.space().clone() } else { Space::anonymous(0, visible) };
    let hull = BasicSet::from_system(space.clone(), hull);
    let pieces = systems.map(|system| BasicSet::from_system(space.clone(), system));
    let joined = Set::from(hull.clone()).is_subset(&Set::new(space, pieces)?)?;
    Ok(joined.then(|| BasicSet::from_system(a.space().clone(), hull.system().clone())))
}

/// A basic set without existentials that contains both sets.
pub(crate) fn hull(a: &BasicSet, b: &BasicSet) -> Result<BasicSet> {
    let budget = Budget::new();
    let visible = a.visible();
    let shadow = |piece: &BasicSet| {
        let (shadow, _) = project(piece.system(), |column| column < visible, &budget)?;
        Witnessed::find(&shadow.select(&(0..visible).map(Some).collect::<Vec<_>>()), &budget)
    };
    let hull = match (shadow(a)?, shadow(b)?) {
        (Some(inside_a), Some(inside_b)) => envelope([&inside_a, &inside_b], visible, &budget)?,
        (None, None) => System::contradiction(visible),
        (Some(inside), None) | (None, Some(inside)) => inside.system().clone(),
    };
    Ok(BasicSet::from_system(a.space().clone(), hull))
}

/// The constraints of both on the first `visible` variables, moved outwards as far as the other one needs.
fn envelope(pieces: [&Witnessed; 2], visible: usize, budget: &Budget) -> Result<System> {
    let mut hull = System::universe(visible);
    for (own, other) in [(pieces[0], pieces[1]), (pieces[1], pieces[0])] {
        let system = own.system();
        let equalities = system.equalities.iter();
        let both = equalities.flat_map(|row| [Row::from_slice(row), negated(row)]);
        for row in both.chain(system.inequalities.iter().map(Row::from_slice)) {
            if row[visible..system.width].iter().all(|&c| c == 0) {
                relax(&row, visible, other, &mut hull, budget)?;
            }
        }
    }
    hull.normalize();
    Ok(hull)
}

/// Adds the row to the hull, with its constant as great as the other piece needs.
fn relax(
    row: &[i64],
    visible: usize,
    other: &Witnessed,
    hull: &mut System,
    budget: &Budget,
) -> Result<()> {
    let width = other.system().width;
    let mut own = Row::from_elem(0, width + 1);
    own[..visible].copy_from_slice(&row[..visible]);
    own[width] = row[row.len() - 1];
    let Optimum::At(least) = other.least(&own, budget)? else { return Ok(()) };
    let to = hull.inequalities.push_zeros();
    to[..visible].copy_from_slice(&row[..visible]);
    to[visible] = narrow(i128::from(own[width]) - i128::from(least.min(0)))?;
    Ok(())
}

/// Whether both sets have the same locals, each a function of the visible variables that the same rows spell out.
fn same_locals(a: &BasicSet, b: &BasicSet) -> bool {
    if a.locals() != b.locals() {
        return false;
    }
    let definitions = |piece: &BasicSet| {
        let system = piece.system();
        let forms = existential::forms(system, piece.visible());
        forms
            .into_iter()
            .map(|form| match form? {
                Form::Stride { equality } => {
                    Some((Row::from_slice(&system.equalities[equality]), None))
                }
                Form::Window { lower, upper } => Some((
                    Row::from_slice(&system.inequalities[lower]),
                    Some(Row::from_slice(&system.inequalities[upper])),
                )),
            })
            .collect::<Option<Vec<_>>>()
    };
    definitions(a).is_some_and(|own| definitions(b) == Some(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_that_are_one_become_one() {
        let table = [
            // Inside, overlapping, an integer apart, with a gap.
            ("{ [i] : 0 <= i < 9; [i] : 2 <= i < 5 }", "{ [i] : 0 <= i <= 8 }"),
            ("{ [i] : 0 <= i < 5; [i] : 3 <= i < 9 }", "{ [i] : 0 <= i <= 8 }"),
            ("{ [i] : 0 <= i < 5; [i] : 5 <= i < 9 }", "{ [i] : 0 <= i <= 8 }"),
            ("{ [i] : 0 <= i < 5; [i] : 6 <= i < 9 }", "{ [i] : 0 <= i <= 4; [i] : 6 <= i <= 8 }"),
            ("[n] -> { [i] : i = n and n >= 0; [i] : 0 <= i < n }", "[n] -> { [i] : 0 <= i <= n }"),
            (
                "[n] -> { [i] : i = n; [i] : 0 <= i < n }",
                "[n] -> { [i] : i = n; [i] : 0 <= i < n }",
            ),
            ("[n] -> { [i] : i <= n; [i] : i > n }", "[n] -> { [i] }"),
            // A triangle from two, a square from strips, an L that stays two.
            (
                "{ [i, j] : 0 <= i <= j < 9 and j < 5; [i, j] : 0 <= i <= j < 9 and j >= 5 }",
                "{ [i, j] : i >= 0 and i <= j <= 8 }",
            ),
            (
                "{ [i, j] : 0 <= j < 4 and i = 0; [i, j] : 0 <= j < 4 and i = 2; [i, j] : 0 <= j < 4 and i = 1 }",
                "{ [i, j] : 0 <= i <= 2 and 0 <= j <= 3 }",
            ),
            (
                "{ [i, j] : 0 <= i < 4 and j = 0; [i, j] : i = 0 and 0 <= j < 4 }",
                "{ [i, j] : j = 0 and 0 <= i <= 3; [i, j] : i = 0 and 0 <= j <= 3 }",
            ),
            // Strides.
            (
                "{ [i] : i mod 2 = 0 and 0 <= i < 6; [i] : i mod 2 = 0 and 6 <= i < 20 }",
                "{ [i] : exists (e0 : i = 2e0 and 0 <= i <= 18) }",
            ),
            ("{ [i] : i mod 2 = 0; [i] : i mod 2 = 1 }", "{ [i] }"),
            ("{ [i] : i < 0 and i > 0; [i] : i = 3 }", "{ [i] : i = 3 }"),
        ];
        for (text, expected) in table {
            let set: Set = text.parse().unwrap();
            let coalesced = set.coalesced();
            assert_eq!(coalesced.to_string(), expected, "{text}");
            assert_eq!(coalesced.is_equal(&set), Ok(true), "{text}");
        }
    }

    #[test]
    fn functions_coalesce_where_values_agree() {
        let union: Set =
            "[n] -> { [i] : 0 <= n < 5 and i = n; [i] : 5 <= n and i = n }".parse().unwrap();
        let values = union.lexmin_values().unwrap();
        assert_eq!(values.pieces().len(), 2);
        assert_eq!(values.coalesced().to_string(), "[n] -> { [n] : n >= 0 }");
    }
}
