//! Unions of basic sets.

use std::ops::Range;

use crate::affine::{Constraint, Var};
use crate::basic_set::{BasicSet, Point};
use crate::error::{Error, Result};
use crate::shadow::{Budget, MOST_PIECES};
use crate::space::Space;
use crate::subtract;

/// A finite union of [`BasicSet`]s of one space. The pieces may overlap.
#[derive(Clone, Debug)]
pub struct Set {
    space: Space,
    pieces: Vec<BasicSet>,
}

impl From<BasicSet> for Set {
    fn from(piece: BasicSet) -> Self {
        Self::collect(piece.space().clone(), vec![piece])
    }
}

impl Set {
    /// All tuples.
    pub fn universe(space: Space) -> Self {
        BasicSet::universe(space).into()
    }

    /// No tuple.
    pub fn empty(space: Space) -> Self {
        Self { space, pieces: Vec::new() }
    }

    /// The union of pieces of one space.
    pub fn new(space: Space, pieces: impl IntoIterator<Item = BasicSet>) -> Result<Self> {
        let pieces: Vec<_> = pieces.into_iter().collect();
        pieces.iter().try_for_each(|piece| space.expect(piece.space()))?;
        Ok(Self::collect(space, pieces))
    }

    /// The union of the pieces that are not plainly empty or repeated.
    pub(crate) fn collect(space: Space, pieces: Vec<BasicSet>) -> Self {
        let mut kept: Vec<BasicSet> = Vec::with_capacity(pieces.len());
        for piece in pieces {
            if !piece.system().is_contradiction() && !kept.contains(&piece) {
                kept.push(piece);
            }
        }
        Self { space, pieces: kept }
    }

    /// The variables the set speaks of.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The pieces; none when the set is plainly empty.
    pub fn pieces(&self) -> &[BasicSet] {
        &self.pieces
    }

    fn map_pieces(&self, mut each: impl FnMut(&BasicSet) -> Result<BasicSet>) -> Result<Self> {
        let pieces = self.pieces.iter().map(&mut each).collect::<Result<Vec<_>>>()?;
        let space =
            pieces.first().map_or_else(|| self.space.clone(), |piece| piece.space().clone());
        Ok(Self::collect(space, pieces))
    }

    pub(crate) fn embed(&self, space: &Space, places: &[usize]) -> Self {
        let pieces = self.pieces.iter().map(|piece| piece.embed(space.clone(), places)).collect();
        Self::collect(space.clone(), pieces)
    }

    pub(crate) fn recast(&self, space: &Space) -> Self {
        let pieces = self.pieces.iter().map(|piece| piece.recast(space.clone())).collect();
        Self { space: space.clone(), pieces }
    }

    /// The tuples in either set.
    pub fn union(&self, other: &Self) -> Result<Self> {
        self.space.expect(&other.space)?;
        if self.pieces.len() + other.pieces.len() > MOST_PIECES {
            return Err(Error::TooComplex);
        }
        let pieces = self.pieces.iter().chain(&other.pieces).cloned().collect();
        Ok(Self::collect(self.space.clone(), pieces))
    }

    /// The tuples in both sets.
    pub fn intersect(&self, other: &Self) -> Result<Self> {
        self.space.expect(&other.space)?;
        if self.pieces.len().saturating_mul(other.pieces.len()) > MOST_PIECES {
            return Err(Error::TooComplex);
        }
        let mut pieces = Vec::with_capacity(self.pieces.len() * other.pieces.len());
        for left in &self.pieces {
            for right in &other.pieces {
                pieces.push(left.intersect(right)?);
            }
        }
        Ok(Self::collect(self.space.clone(), pieces))
    }

    /// The tuples of `self` that satisfy the constraint, which may not mention locals.
    pub fn constrain(&self, constraint: &Constraint) -> Result<Self> {
        if constraint.expr().terms().any(|(var, _)| matches!(var, Var::Local(_))) {
            return Err(Error::SpaceMismatch);
        }
        self.map_pieces(|piece| {
            let mut piece = piece.clone();
            piece.add(constraint)?;
            Ok(piece)
        })
    }

    /// The tuples for which a variable has the given value.
    pub fn fix(&self, var: Var, value: i64) -> Result<Self> {
        self.map_pieces(|piece| piece.fix(var, value))
    }

    /// The tuples without the dimensions in `dims`, for which those dimensions have some value.
    pub fn project_out(&self, dims: Range<usize>) -> Result<Self> {
        let space = BasicSet::empty(self.space.clone()).project_out(dims.clone())?.space().clone();
        let pieces = self.pieces.iter().map(|piece| piece.project_out(dims.clone()));
        Ok(Self::collect(space, pieces.collect::<Result<_>>()?))
    }

    /// The tuples of `self` that are not in `other`, in pieces that do not overlap where those of `self` do not.
    pub fn subtract(&self, other: &Self) -> Result<Self> {
        self.space.expect(&other.space)?;
        let budget = Budget::new();
        let mut rest = self.pieces.clone();
        for piece in &other.pieces {
            rest = subtract::subtract(rest, piece, &budget)?;
        }
        Ok(Self::collect(self.space.clone(), rest))
    }

    /// The tuples of the space that are not in the set.
    pub fn complement(&self) -> Result<Self> {
        Self::universe(self.space.clone()).subtract(self)
    }

    /// Whether no tuple is in the set, whatever the parameters.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.sample()?.is_none())
    }

    /// A tuple of the set with values of the parameters, or `None` when the set is empty for all of them.
    pub fn sample(&self) -> Result<Option<Point>> {
        let mut failure = None;
        for piece in &self.pieces {
            match piece.sample() {
                Ok(Some(point)) => return Ok(Some(point)),
                Ok(None) => {}
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(None), Err)
    }

    /// Whether the tuple is in the set for these values of the parameters.
    pub fn contains(&self, dims: &[i64], params: &[i64]) -> Result<bool> {
        if dims.len() != self.space.dims() || params.len() != self.space.params() {
            return Err(Error::SpaceMismatch);
        }
        for piece in &self.pieces {
            if piece.contains(dims, params)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether every tuple satisfies the constraint, whatever the parameters.
    pub fn implies(&self, constraint: &Constraint) -> Result<bool> {
        for piece in &self.pieces {
            if !piece.implies(constraint)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether every tuple of `self` is in `other`, for every value of the parameters.
    pub fn is_subset(&self, other: &Self) -> Result<bool> {
        self.space.expect(&other.space)?;
        let budget = Budget::new();
        for piece in &self.pieces {
            let mut rest = vec![piece.clone()];
            for removed in &other.pieces {
                rest = subtract::subtract(rest, removed, &budget)?;
            }
            for piece in rest {
                if piece.sample_within(&budget)?.is_some() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether both sets have the same tuples, for every value of the parameters.
    pub fn is_equal(&self, other: &Self) -> Result<bool> {
        Ok(self.is_subset(other)? && other.is_subset(self)?)
    }

    /// The same set in pieces that do not overlap.
    pub fn disjoint(&self) -> Result<Self> {
        let budget = Budget::new();
        let mut pieces: Vec<BasicSet> = Vec::new();
        for (index, piece) in self.pieces.iter().enumerate() {
            let mut rest = vec![piece.clone()];
            for earlier in &self.pieces[..index] {
                rest = subtract::subtract(rest, earlier, &budget)?;
            }
            pieces.extend(rest);
        }
        Ok(Self::collect(self.space.clone(), pieces))
    }

    /// The same set without empty pieces, pieces inside others and redundant constraints.
    pub fn simplified(&self) -> Result<Self> {
        let mut pieces: Vec<BasicSet> = Vec::new();
        for piece in &self.pieces {
            if !piece.is_empty()? {
                pieces.push(piece.simplified().without_redundancies()?);
            }
        }
        let mut index = pieces.len();
        while index > 0 {
            index -= 1;
            let piece = Self::from(pieces[index].clone());
            let mut covered = false;
            for (other, cover) in pieces.iter().enumerate() {
                covered |= other != index && piece.is_subset(&cover.clone().into())?;
            }
            if covered {
                pieces.remove(index);
            }
        }
        Ok(Self::collect(self.space.clone(), pieces))
    }

    /// A set that is equal to `self` inside `context`, with fewer constraints.
    pub fn gist(&self, context: &BasicSet) -> Result<Self> {
        self.map_pieces(|piece| piece.gist(context))
    }
}
