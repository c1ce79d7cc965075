//! Lexicographic order: the first tuple of a set, and the relations "comes before".

use crate::affine::{Affine, Constraint, Var};
use crate::basic_set::{BasicSet, Point};
use crate::bounds::Optimum;
use crate::error::{Error, Result};
use crate::map::Map;
use crate::set::Set;
use crate::space::Space;

impl BasicSet {
    /// The lexicographically first tuple over all values of the parameters, with values of the parameters for which it is in
    /// the set. `None` when the set is empty.
    pub fn lexmin_point(&self) -> Result<Option<Point>> {
        let mut rest = self.clone();
        for dim in 0..self.space().dims() {
            match rest.minimum(&Affine::dim(dim))? {
                Optimum::Empty => return Ok(None),
                Optimum::Unbounded => return Err(Error::Unbounded),
                Optimum::At(value) => rest = rest.fix(Var::Dim(dim), value)?,
            }
        }
        rest.sample()
    }
}

impl Set {
    /// The lexicographically first tuple over all values of the parameters; see [`BasicSet::lexmin_point`].
    pub fn lexmin_point(&self) -> Result<Option<Point>> {
        let mut first: Option<Point> = None;
        for piece in self.pieces() {
            if let Some(point) = piece.lexmin_point()?
                && first.as_ref().is_none_or(|first| point.dims < first.dims)
            {
                first = Some(point);
            }
        }
        Ok(first)
    }

    /// For each value of the parameters the set of the lexicographically first tuple: one tuple, or none where there is
    /// no first one. Exact with parameters; each tuple is described by constraints.
    pub fn lexmin(&self) -> Result<Self> {
        let later = Map::lex_lt(self.space())?.apply(self)?;
        self.subtract(&later)?.simplified()
    }

    /// For each value of the parameters the set of the lexicographically last tuple; see [`Set::lexmin`].
    pub fn lexmax(&self) -> Result<Self> {
        let earlier = Map::lex_lt(self.space())?.inverse()?.apply(self)?;
        self.subtract(&earlier)?.simplified()
    }
}

impl Map {
    /// The pairs of tuples that agree in the dimensions before `dim` and of which the first is less in `dim`.
    pub fn lex_lt_at(space: &Space, dim: usize) -> Result<Self> {
        if space.is_map() || dim >= space.dims() {
            return Err(Error::SpaceMismatch);
        }
        let length = space.dims();
        let pairs = Space::between(space, space)?;
        let equal = (0..dim).map(|d| Constraint::eq(Affine::dim(d), Affine::dim(length + d)));
        let less = Constraint::lt(Affine::dim(dim), Affine::dim(length + dim));
        let piece = BasicSet::new(pairs.clone(), equal.chain([less]))?;
        Self::new(pairs, [piece])
    }

    /// The pairs of tuples of which the first comes lexicographically before the second.
    pub fn lex_lt(space: &Space) -> Result<Self> {
        let nothing = Self::empty(Space::between(space, space)?)?;
        (0..space.dims()).try_fold(nothing, |union, dim| union.union(&Self::lex_lt_at(space, dim)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_tuples() {
        let table: [(&str, &[i64]); 3] = [
            ("{ [i, j] : 2 <= i <= 5 and 7 - i <= 3j <= 20 }", &[2, 2]),
            ("{ [i, j] : 0 <= i <= 9 and i + j = 4 and j <= 1 }", &[3, 1]),
            ("{ [i, j] : i = 4 and 0 <= j <= 3; [i, j] : i = 3 and j = 9 }", &[3, 9]),
        ];
        for (text, first) in table {
            let set: Set = text.parse().unwrap();
            assert_eq!(set.lexmin_point().unwrap().unwrap().dims, first, "{text}");
        }
        let open: Set = "{ [i] : i <= 0 }".parse().unwrap();
        assert_eq!(open.lexmin_point(), Err(Error::Unbounded));
    }

    #[test]
    fn parametric_first_and_last() {
        let set: Set = "[n] -> { [i, j] : 0 <= i < n and i <= j < n }".parse().unwrap();
        let first: Set = "[n] -> { [i, j] : i = 0 and j = 0 and n >= 1 }".parse().unwrap();
        let last: Set = "[n] -> { [i, j] : i = n - 1 and j = n - 1 and n >= 1 }".parse().unwrap();
        assert_eq!(set.lexmin().unwrap().is_equal(&first), Ok(true));
        assert_eq!(set.lexmax().unwrap().is_equal(&last), Ok(true));
        let strided: Set = "[n] -> { [i] : i mod 4 = 1 and n <= i }".parse().unwrap();
        let expected: Set = "[n] -> { [i] : i mod 4 = 1 and n <= i <= n + 3 }".parse().unwrap();
        assert_eq!(strided.lexmin().unwrap().is_equal(&expected), Ok(true));
    }
}
