//! Piecewise quasi-affine values: one tuple of values for each of some disjoint sets.

use std::fmt::{self, Display, Formatter};

use crate::affine::{Affine, Constraint};
use crate::basic_set::BasicSet;
use crate::error::{Error, Result};
use crate::map::Map;
use crate::parametric::Optimal;
use crate::quasi_affine::QuasiAffine;
use crate::set::Set;
use crate::shadow::{Budget, MOST_PIECES};
use crate::space::Space;

/// Where some values hold.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The tuples, for all values of the parameters.
    pub domain: BasicSet,
    /// The values there, in the dimensions and parameters of the domain.
    pub values: Vec<QuasiAffine>,
}

/// A function from the tuples of a space and the parameters to tuples of integers, which may be undefined at some.
///
/// The space has no dimensions where the values only depend on parameters. The pieces do not overlap.
#[derive(Clone, Debug)]
pub struct PiecewiseQuasiAffine {
    space: Space,
    outputs: usize,
    pieces: Vec<Piece>,
}

impl PiecewiseQuasiAffine {
    /// The function that is defined nowhere.
    pub(crate) fn undefined(space: Space, outputs: usize) -> Self {
        Self { space, outputs, pieces: Vec::new() }
    }

    /// The function with these pieces, which have to be disjoint.
    pub fn new(
        space: Space,
        outputs: usize,
        pieces: impl IntoIterator<Item = Piece>,
    ) -> Result<Self> {
        let pieces: Vec<_> = pieces.into_iter().collect();
        for (index, piece) in pieces.iter().enumerate() {
            space.expect(piece.domain.space())?;
            if piece.values.len() != outputs {
                return Err(Error::SpaceMismatch);
            }
            for earlier in &pieces[..index] {
                if !earlier.domain.intersect(&piece.domain)?.is_empty()? {
                    return Err(Error::SpaceMismatch);
                }
            }
        }
        Ok(Self { space, outputs, pieces })
    }

    /// The function with these pieces, which are known to be disjoint.
    pub(crate) fn from_disjoint(space: Space, outputs: usize, pieces: Vec<Piece>) -> Self {
        Self { space, outputs, pieces }
    }

    /// Pieces from optima whose symbols are the dimensions and parameters of the space.
    pub(crate) fn from_optima(
        space: &Space,
        outputs: usize,
        optima: Vec<Optimal>,
        budget: &Budget,
    ) -> Result<Self> {
        let mut pieces = Vec::with_capacity(optima.len());
        for Optimal { context, divisions, values } in optima {
            let symbols = space.dims() + space.params();
            let mut quotients: Vec<QuasiAffine> = Vec::with_capacity(divisions.len());
            let value = |row: &[i64], quotients: &[QuasiAffine]| {
                let constant = QuasiAffine::constant(row[row.len() - 1]);
                let used = (0..row.len() - 1).filter(|&column| row[column] != 0);
                used.fold(constant, |sum, column| {
                    let symbol = if column < space.dims() {
                        QuasiAffine::dim(column)
                    } else if column < symbols {
                        QuasiAffine::param(column - space.dims())
                    } else {
                        quotients[column - symbols].clone()
                    };
                    sum + symbol * row[column]
                })
            };
            for (row, divisor) in &divisions {
                let quotient = value(row, &quotients).floor_div(*divisor)?;
                quotients.push(quotient);
            }
            let values = values.iter().map(|row| value(row, &quotients)).collect();
            let domain = BasicSet::from_system(space.clone(), context).simplified();
            pieces.push(Piece { domain: domain.pruned(budget)?, values });
        }
        Ok(Self { space: space.clone(), outputs, pieces })
    }

    /// The space of the function's domain.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The number of values.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The pieces, which do not overlap.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Where the function is defined.
    pub fn domain(&self) -> Result<Set> {
        Set::new(self.space.clone(), self.pieces.iter().map(|piece| piece.domain.clone()))
    }

    /// The values at a point, or `None` where there are none.
    pub fn evaluate(&self, dims: &[i64], params: &[i64]) -> Result<Option<Vec<i64>>> {
        for piece in &self.pieces {
            if piece.domain.contains(dims, params)? {
                let values = piece.values.iter().map(|value| value.evaluate(dims, params));
                return values.collect::<Result<_>>().map(Some);
            }
        }
        Ok(None)
    }

    /// The function as the relation of each tuple to its values.
    pub fn to_map(&self) -> Result<Map> {
        let outputs = Space::set([""; 0], (0..self.outputs).map(|output| format!("o{output}")));
        let space = Space::between(&self.space, &self.space.with_dims_of(&outputs))?;
        let places: Vec<_> = (0..self.space.dims()).collect();
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let mut set = piece.domain.embed(space.clone(), &places);
            for (index, value) in piece.values.iter().enumerate() {
                let value = value.lower(&mut set)?;
                set.add(&Constraint::eq(Affine::dim(self.space.dims() + index), value))?;
            }
            pieces.push(set);
        }
        Map::new(space, pieces)
    }

    /// Whether both are defined for the same tuples and have the same values there.
    pub fn is_equal(&self, other: &Self) -> Result<bool> {
        self.to_map()?.is_equal(&other.to_map()?)
    }

    /// The same function with each value replaced.
    pub(crate) fn map_values(mut self, mut each: impl FnMut(QuasiAffine) -> QuasiAffine) -> Self {
        for piece in &mut self.pieces {
            piece.values = std::mem::take(&mut piece.values).into_iter().map(&mut each).collect();
        }
        self
    }

    /// The lexicographically lesser values where both are defined, and those of the one where only one is.
    pub fn lesser(&self, other: &Self) -> Result<Self> {
        self.choose(other, [&self.domain()?, &other.domain()?], 1)
    }

    /// The lexicographically greater values where both are defined, and those of the one where only one is.
    pub fn greater(&self, other: &Self) -> Result<Self> {
        self.choose(other, [&self.domain()?, &other.domain()?], -1)
    }

    /// The values that are lexicographically less after multiplication by `sign`; own ones where both are equal. The domains
    /// are those of both, in as few pieces as is known.
    pub(crate) fn choose(&self, other: &Self, domains: [&Set; 2], sign: i64) -> Result<Self> {
        self.space.expect(&other.space)?;
        if self.outputs != other.outputs {
            return Err(Error::SpaceMismatch);
        }
        let mut pieces = Vec::new();
        let mut add = |piece: &BasicSet, values: &[QuasiAffine]| {
            if !piece.is_empty()? {
                pieces.push(Piece { domain: piece.simplified(), values: values.to_vec() });
            }
            if pieces.len() > MOST_PIECES { Err(Error::TooComplex) } else { Ok(()) }
        };
        for own in &self.pieces {
            for foreign in &other.pieces {
                // Equal in the values so far.
                let mut common = own.domain.intersect(&foreign.domain)?;
                let compared = own.values.iter().zip(&foreign.values);
                for (index, (own_value, foreign_value)) in compared.enumerate() {
                    if common.is_empty()? {
                        break;
                    }
                    let (a, b) = (own_value.lower(&mut common)?, foreign_value.lower(&mut common)?);
                    let lead = (b - a) * sign;
                    let (mut ahead, mut behind) = (common.clone(), common.clone());
                    let least = i64::from(index + 1 < self.outputs);
                    ahead.add(&Constraint::ge(lead.clone(), least))?;
                    add(&ahead, &own.values)?;
                    behind.add(&Constraint::le(lead.clone(), -1))?;
                    add(&behind, &foreign.values)?;
                    common.add(&Constraint::eq(lead, 0))?;
                }
                if self.outputs == 0 {
                    add(&common, &own.values)?;
                }
            }
        }
        for (these, covered) in [(self, domains[1]), (other, domains[0])] {
            for piece in &these.pieces {
                for rest in Set::from(piece.domain.clone()).subtract(covered)?.pieces() {
                    add(rest, &piece.values)?;
                }
            }
        }
        Ok(Self { space: self.space.clone(), outputs: self.outputs, pieces })
    }
}

impl Display for PiecewiseQuasiAffine {
    /// One piece after the other: `[n] -> { [floor((n) / 2)] : n >= 0 }`, or `{ [i] -> [2i] : … }`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let params: Vec<_> = (0..self.space.params()).map(|p| self.space.param_name(p)).collect();
        if !params.is_empty() {
            write!(f, "[{}] -> ", params.join(", "))?;
        }
        f.write_str("{ ")?;
        let dims: Vec<_> = (0..self.space.dims()).map(|d| self.space.dim_name(d)).collect();
        for (index, piece) in self.pieces.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            if !dims.is_empty() {
                write!(f, "[{}] -> ", dims.join(", "))?;
            }
            let values: Vec<_> =
                piece.values.iter().map(|value| value.display(&self.space).to_string()).collect();
            write!(f, "[{}]", values.join(", "))?;
            let condition = crate::display::condition(&piece.domain);
            if !condition.is_empty() {
                write!(f, " : {condition}")?;
            }
        }
        f.write_str(if self.pieces.is_empty() { "}" } else { " }" })
    }
}
