//! Lexicographic order: the first tuple of a set, and the relations "comes before".

use crate::affine::{Affine, Constraint, Var};
use crate::basic_set::{BasicSet, Point};
use crate::bounds::Optimum;
use crate::error::{Error, Result};
use crate::map::Map;
use crate::parametric;
use crate::piecewise::PiecewiseQuasiAffine;
use crate::set::Set;
use crate::shadow::Budget;
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
        match self.lexmin_values() {
            Ok(values) => Self::from_values(self.space(), &values),
            Err(Error::Unbounded) => {
                let later = Map::lex_lt(self.space())?.apply(self)?;
                self.subtract(&later)?.simplified()
            }
            Err(error) => Err(error),
        }
    }

    /// For each value of the parameters the set of the lexicographically last tuple; see [`Set::lexmin`].
    pub fn lexmax(&self) -> Result<Self> {
        match self.lexmax_values() {
            Ok(values) => Self::from_values(self.space(), &values),
            Err(Error::Unbounded) => {
                let earlier = Map::lex_lt(self.space())?.inverse()?.apply(self)?;
                self.subtract(&earlier)?.simplified()
            }
            Err(error) => Err(error),
        }
    }

    fn from_values(space: &Space, values: &PiecewiseQuasiAffine) -> Result<Self> {
        Ok(values.to_map()?.wrap().recast(space))
    }

    /// The lexicographically first tuple as values of the parameters, defined where the set has a tuple.
    /// [`Error::Unbounded`] where some values of the parameters leave no first one.
    pub fn lexmin_values(&self) -> Result<PiecewiseQuasiAffine> {
        let dims: Vec<_> = (0..self.space().dims()).collect();
        optimum(self.space(), self.pieces(), &[], &dims, &dims, 1)
    }

    /// The lexicographically last tuple; see [`Set::lexmin_values`].
    pub fn lexmax_values(&self) -> Result<PiecewiseQuasiAffine> {
        let dims: Vec<_> = (0..self.space().dims()).collect();
        optimum(self.space(), self.pieces(), &[], &dims, &dims, -1)
    }

    /// The least value of a dimension for each value of the parameters; see [`Set::lexmin_values`].
    pub fn dim_min(&self, dim: usize) -> Result<PiecewiseQuasiAffine> {
        self.dim_optimum(dim, 1)
    }

    /// The greatest value of a dimension for each value of the parameters.
    pub fn dim_max(&self, dim: usize) -> Result<PiecewiseQuasiAffine> {
        self.dim_optimum(dim, -1)
    }

    fn dim_optimum(&self, dim: usize, sign: i64) -> Result<PiecewiseQuasiAffine> {
        if dim >= self.space().dims() {
            return Err(Error::SpaceMismatch);
        }
        let dims: Vec<_> = (0..self.space().dims()).collect();
        optimum(self.space(), self.pieces(), &[], &dims, &[dim], sign)
    }
}

/// The optimum of the `wanted` dimensions, in this order, among the `unknown` ones, as values of the `known` ones and of
/// the parameters: the first tuple for the sign 1, the last one for -1.
fn optimum(
    space: &Space,
    pieces: &[BasicSet],
    known: &[usize],
    unknown: &[usize],
    wanted: &[usize],
    sign: i64,
) -> Result<PiecewiseQuasiAffine> {
    let budget = Budget::new();
    let domain = space.select(known.iter().copied(), None);
    let mut best = PiecewiseQuasiAffine::undefined(domain.clone(), wanted.len());
    let mut defined = Set::empty(domain.clone());
    for piece in pieces {
        let piece = piece.simplified();
        let width = piece.system().width;
        let rest = unknown.iter().filter(|dim| !wanted.contains(dim));
        let locals = piece.visible()..width;
        let params = space.dims()..piece.visible();
        let unknowns: Vec<_> = wanted.iter().chain(rest).copied().chain(locals).collect();
        let columns = unknowns.iter().chain(known).copied().chain(params);
        let columns: Vec<_> = columns.map(Some).collect();
        let mut system = piece.system().select(&columns);
        if sign < 0 {
            system.negate_columns(0..wanted.len());
        }
        let optima = parametric::lexmin(&system, unknowns.len(), wanted.len(), &budget)?;
        let mut found = PiecewiseQuasiAffine::from_optima(&domain, wanted.len(), optima, &budget)?;
        if sign < 0 {
            found = found.map_values(|value| -value);
        }
        if pieces.len() == 1 {
            return Ok(found);
        }
        // Where there is an optimum at all is simpler than where it has which value.
        let covered = Set::from(piece.project_onto(&domain, known));
        best = best.choose(&found, [&defined, &covered], sign)?;
        defined = defined.union(&covered)?;
    }
    Ok(best)
}

impl Map {
    /// The lexicographically first output of each input as values of the input and the parameters; defined on the domain.
    /// [`Error::Unbounded`] where some input has no first output.
    pub fn lexmin_values(&self) -> Result<PiecewiseQuasiAffine> {
        self.output_optimum(1)
    }

    /// The lexicographically last output of each input; see [`Map::lexmin_values`].
    pub fn lexmax_values(&self) -> Result<PiecewiseQuasiAffine> {
        self.output_optimum(-1)
    }

    fn output_optimum(&self, sign: i64) -> Result<PiecewiseQuasiAffine> {
        let inputs: Vec<_> = (0..self.space().inputs()).collect();
        let outputs: Vec<_> = (self.space().inputs()..self.space().dims()).collect();
        optimum(self.space(), self.pieces(), &inputs, &outputs, &outputs, sign)
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
        let table = [
            ("[n] -> { [i] : i mod 4 = 3 and n <= i }", "[n] -> { [4floor((n) / 4) + 3] }"),
            ("[n] -> { [i] : 0 <= i < n }", "[n] -> { [0] : n >= 1 }"),
            (
                "[n, m] -> { [i] : i >= n and i >= m }",
                "[n, m] -> { [m] : m >= n + 1; [n] : m <= n }",
            ),
            (
                "[n] -> { [t, i] : 32t <= i < 32t + 32 and n <= i < n + 40 }",
                "[n] -> { [floor((n) / 32), n] }",
            ),
            ("[n] -> { [i] : i >= n; [i] : i >= 2n }", "[n] -> { [n] : n >= 0; [2n] : n <= -1 }"),
            ("{ [i] : false }", "{ }"),
        ];
        for (text, expected) in table {
            let set: Set = text.parse().unwrap();
            let values = set.lexmin_values().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(values.to_string(), expected, "{text}");
        }
        let strided: Set = "[n] -> { [i] : i mod 4 = 1 and n <= i }".parse().unwrap();
        let expected: Set = "[n] -> { [i] : i mod 4 = 1 and n <= i <= n + 3 }".parse().unwrap();
        assert_eq!(strided.lexmin().unwrap().is_equal(&expected), Ok(true));
    }
}
