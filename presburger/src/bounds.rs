//! What a dimension is bounded by: as expressions of parameters and other dimensions, and as a number.

use std::fmt::{self, Display, Formatter};

use crate::affine::{Affine, Var};
use crate::basic_set::{BasicSet, negated};
use crate::error::{Error, Result};
use crate::integer::Row;
use crate::set::Set;
use crate::shadow::Budget;
use crate::system::System;
use crate::witnessed::{Component, Witnessed, component, project};

/// `expr / divisor`, rounded up where it is a lower bound and down where it is an upper bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    /// The dividend.
    pub expr: Affine,
    /// The divisor, at least 1.
    pub divisor: i64,
}

/// The bounds of one dimension: it is at least every lower one (so, their maximum) and at most every upper one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// Lower bounds, inclusive, each `ceil(expr / divisor)`; none when the dimension is unbounded below.
    pub lower: Vec<Bound>,
    /// Upper bounds, inclusive, each `floor(expr / divisor)`.
    pub upper: Vec<Bound>,
}

impl Bounds {
    /// `max - min + 1` as an expression, when there is one bound on each side and neither needs rounding.
    pub fn extent(&self) -> Option<Affine> {
        match (self.lower.as_slice(), self.upper.as_slice()) {
            ([lower], [upper]) if lower.divisor == 1 && upper.divisor == 1 => {
                Some(upper.expr.clone() - lower.expr.clone() + 1)
            }
            _ => None,
        }
    }
}

/// The least or greatest value of an expression over a set, over all values of the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Optimum {
    /// There is no tuple to take a value at.
    Empty,
    /// The values go on without end.
    Unbounded,
    /// The value, which is attained.
    At(i64),
}

impl Optimum {
    /// The value, where there is one.
    pub fn value(self) -> Option<i64> {
        match self {
            Self::At(value) => Some(value),
            Self::Empty | Self::Unbounded => None,
        }
    }

    /// The better of two optima, none being worse than any.
    fn better(self, other: Self, choose: impl Fn(i64, i64) -> i64) -> Self {
        match (self, other) {
            (Self::Unbounded, _) | (_, Self::Unbounded) => Self::Unbounded,
            (Self::At(a), Self::At(b)) => Self::At(choose(a, b)),
            (Self::Empty, other) | (other, Self::Empty) => other,
        }
    }

    /// The least value over two sets with these least values.
    pub(crate) fn min(self, other: Self) -> Self {
        self.better(other, i64::min)
    }

    /// The greatest value over two sets with these greatest values.
    pub(crate) fn max(self, other: Self) -> Self {
        self.better(other, i64::max)
    }
}

impl Display for Optimum {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("none"),
            Self::Unbounded => f.write_str("unbounded"),
            Self::At(value) => write!(f, "{value}"),
        }
    }
}

/// Removes the inequalities with the column that follow from the others.
fn drop_redundant_bounds(system: &mut System, column: usize, budget: &Budget) -> Result<()> {
    let mut sides = [0, 0];
    for row in system.inequalities.iter().filter(|row| row[column] != 0) {
        sides[usize::from(row[column] > 0)] += 1;
    }
    // The only bound of a side follows from nothing.
    if sides.iter().all(|&bounds| bounds <= 1) {
        return Ok(());
    }
    let Some(witnessed) = Witnessed::find(system, budget)? else { return Ok(()) };
    // Last ones first: the constraints written first are the ones to keep.
    for index in (0..system.inequalities.len()).rev() {
        let row = Row::from_slice(&system.inequalities[index]);
        let side = &mut sides[usize::from(row[column] > 0)];
        if row[column] == 0 || *side <= 1 {
            continue;
        }
        let mut rest = system.clone();
        rest.inequalities.remove(index);
        if witnessed.with_system(rest).implies(&row, budget)? {
            system.inequalities.remove(index);
            *side -= 1;
        }
    }
    Ok(())
}

impl BasicSet {
    /// The bounds of a dimension in terms of the parameters and of the dimensions in `known`, such as those of outer
    /// loops. They hold for every tuple; over the rationals they are the tightest ones. Bounds that follow from others are left out.
    pub fn bounds(&self, dim: usize, known: &[usize]) -> Result<Bounds> {
        self.bounds_with(dim, known, drop_redundant_bounds)
    }

    /// As [`Self::bounds`], with those that follow from others.
    pub(crate) fn all_bounds(&self, dim: usize, known: &[usize]) -> Result<Bounds> {
        self.bounds_with(dim, known, |_, _, _| Ok(()))
    }

    fn bounds_with(
        &self,
        dim: usize,
        known: &[usize],
        prune: impl Fn(&mut System, usize, &Budget) -> Result<()>,
    ) -> Result<Bounds> {
        let whole = self.column(Var::Dim(dim))?;
        let budget = Budget::new();
        let dims = self.space().dims();
        let visible = self.visible();
        // Rows that are connected with the dimension by nothing say nothing of it, unless the set is empty.
        let mut seed = Row::from_elem(0, self.system().width + 1);
        seed[whole] = 1;
        let Component { system, columns } = component(self.system(), &seed);
        let Some(column) = columns.iter().position(|&c| c == whole) else {
            return Err(Error::SpaceMismatch);
        };
        let keep = |c: usize| {
            let c = columns[c];
            c == whole || (c < dims && known.contains(&c)) || (c >= dims && c < visible)
        };
        let (mut system, _) = project(&system, keep, &budget)?;
        for index in 0..system.equalities.len() {
            let equality = Row::from_slice(&system.equalities[index]);
            system.inequalities.push(&equality);
            system.inequalities.push(&negated(&equality));
        }
        system.equalities.truncate(0);
        prune(&mut system, column, &budget)?;
        let mut bounds = Bounds { lower: Vec::new(), upper: Vec::new() };
        for row in system.inequalities.iter() {
            let coefficient = row[column];
            let others = (0..system.width).filter(|&c| c != column && row[c] != 0);
            let rest = others.fold(Affine::constant(row[system.width]), |sum, c| {
                sum + Affine::from(self.variable(columns[c])) * row[c]
            });
            match coefficient {
                0 => {}
                1.. => bounds.lower.push(Bound { expr: -rest, divisor: coefficient }),
                _ => bounds.upper.push(Bound { expr: rest, divisor: -coefficient }),
            }
        }
        Ok(bounds)
    }

    /// The least value of an expression over all tuples and all values of the parameters.
    pub fn minimum(&self, expr: &Affine) -> Result<Optimum> {
        let budget = Budget::new();
        let row = self.row(expr)?;
        match Witnessed::find(self.system(), &budget)? {
            Some(witnessed) => witnessed.least(&row, &budget),
            None => Ok(Optimum::Empty),
        }
    }

    /// The greatest value of an expression over all tuples and all values of the parameters.
    pub fn maximum(&self, expr: &Affine) -> Result<Optimum> {
        Ok(match self.minimum(&-expr.clone())? {
            Optimum::At(value) => Optimum::At(-value),
            other => other,
        })
    }
}

impl Set {
    /// The least value of an expression over all tuples and all values of the parameters.
    pub fn minimum(&self, expr: &Affine) -> Result<Optimum> {
        let mut least = Optimum::Empty;
        for piece in self.pieces() {
            least = least.min(piece.minimum(expr)?);
        }
        Ok(least)
    }

    /// The greatest value of an expression over all tuples and all values of the parameters.
    pub fn maximum(&self, expr: &Affine) -> Result<Optimum> {
        Ok(match self.minimum(&-expr.clone())? {
            Optimum::At(value) => Optimum::At(-value),
            other => other,
        })
    }

    /// The smallest box that contains the set, for a set without parameters: least and greatest value of each dimension.
    /// `None` when the set is empty; [`Error::Unbounded`] when there is no such box.
    pub fn rectangular_hull(&self) -> Result<Option<Vec<(i64, i64)>>> {
        if self.space().params() > 0 {
            return Err(Error::Parametric);
        }
        if self.is_empty()? {
            return Ok(None);
        }
        let side = |dim: usize| {
            let expr = Affine::dim(dim);
            let least = self.minimum(&expr)?.value().ok_or(Error::Unbounded)?;
            let greatest = self.maximum(&expr)?.value().ok_or(Error::Unbounded)?;
            Ok((least, greatest))
        };
        (0..self.space().dims()).map(side).collect::<Result<_>>().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> BasicSet {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn bounds_in_parameters_and_outer_dimensions() {
        let triangle = set("[n] -> { [i, j] : 0 <= i < n and i <= j < n and 2j <= 3n + 1 }");
        let inner = triangle.bounds(1, &[0]).unwrap();
        assert_eq!(inner.lower, vec![Bound { expr: Affine::dim(0), divisor: 1 }]);
        assert_eq!(inner.upper[0], Bound { expr: Affine::param(0) - 1, divisor: 1 });
        let outer = triangle.bounds(0, &[]).unwrap();
        assert_eq!(outer.lower, vec![Bound { expr: Affine::constant(0), divisor: 1 }]);
        assert_eq!(outer.extent(), Some(Affine::param(0)));
        let half = set("[n] -> { [i] : 1 <= 2i <= n }").bounds(0, &[]).unwrap();
        assert_eq!(half.lower, vec![Bound { expr: Affine::constant(1), divisor: 1 }]);
        assert_eq!(half.upper, vec![Bound { expr: Affine::param(0), divisor: 2 }]);
        assert_eq!(half.extent(), None);
        let line = set("[n] -> { [i] : i = 2n }").bounds(0, &[]).unwrap();
        assert_eq!((line.lower.len(), line.upper.len()), (1, 1));
        assert!(set("{ [i] : i >= 0 }").bounds(0, &[]).unwrap().upper.is_empty());
    }

    #[test]
    fn optima_are_attained_integers() {
        let x = Affine::dim(0);
        let table = [
            ("{ [i] : 3 <= 2i <= 9 }", Optimum::At(2), Optimum::At(4)),
            ("{ [i] : i mod 7 = 3 and 20 <= i <= 40 }", Optimum::At(24), Optimum::At(38)),
            ("{ [i] : i >= 3 }", Optimum::At(3), Optimum::Unbounded),
            ("{ [i] : 3 <= 2i <= 3 }", Optimum::Empty, Optimum::Empty),
            ("[n] -> { [i] : 0 <= i < n }", Optimum::At(0), Optimum::Unbounded),
            ("[n] -> { [i] : 0 <= i < n and n <= 64 }", Optimum::At(0), Optimum::At(63)),
            ("{ [i] : exists (j : 2i = 3j and 10 <= j) }", Optimum::At(15), Optimum::Unbounded),
        ];
        for (text, least, greatest) in table {
            assert_eq!(set(text).minimum(&x), Ok(least), "{text}");
            assert_eq!(set(text).maximum(&x), Ok(greatest), "{text}");
        }
    }

    #[test]
    fn hulls_need_numbers() {
        let union: Set =
            "{ [i, j] : 0 <= i < 4 and j = 2i; [i, j] : i = 9 and j = 1 }".parse().unwrap();
        assert_eq!(union.rectangular_hull(), Ok(Some(vec![(0, 9), (0, 6)])));
        let none: Set = "{ [i] : false }".parse().unwrap();
        assert_eq!(none.rectangular_hull(), Ok(None));
        let open: Set = "{ [i] : i >= 0 }".parse().unwrap();
        assert_eq!(open.rectangular_hull(), Err(Error::Unbounded));
        let symbolic: Set = "[n] -> { [i] : 0 <= i < n }".parse().unwrap();
        assert_eq!(symbolic.rectangular_hull(), Err(Error::Parametric));
    }
}
