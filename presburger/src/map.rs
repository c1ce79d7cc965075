//! Relations between two tuples.

use crate::affine::{Affine, Constraint};
use crate::basic_set::{BasicSet, Point};
use crate::error::{Error, Result};
use crate::quasi_affine::QuasiAffine;
use crate::set::Set;
use crate::space::Space;

/// A union of basic relations between an input and an output tuple. Its pieces are [`BasicSet`]s over the input
/// dimensions followed by the output dimensions.
#[derive(Clone, Debug)]
pub struct Map {
    set: Set,
}

impl Map {
    /// The union of basic relations of one map space.
    pub fn new(space: Space, pieces: impl IntoIterator<Item = BasicSet>) -> Result<Self> {
        Self::from_set(Set::new(space, pieces)?)
    }

    /// The relation whose pairs are the tuples of a set over a map space.
    pub fn from_set(set: Set) -> Result<Self> {
        if set.space().is_map() { Ok(Self { set }) } else { Err(Error::SpaceMismatch) }
    }

    /// No pair.
    pub fn empty(space: Space) -> Result<Self> {
        Self::from_set(Set::empty(space))
    }

    /// The map from each tuple of `domain` to the values of the expressions there, which mention dimensions and
    /// parameters of the domain.
    pub fn from_affine(domain: &Set, exprs: &[Affine]) -> Result<Self> {
        let exprs = exprs.iter().cloned().map(QuasiAffine::try_from).collect::<Result<Vec<_>>>()?;
        Self::from_quasi_affine(domain, &exprs)
    }

    /// The map from each tuple of `domain` to values with `floordiv` and `mod`; see [`Map::from_affine`].
    pub fn from_quasi_affine(domain: &Set, values: &[QuasiAffine]) -> Result<Self> {
        let outputs = domain
            .space()
            .with_dims_of(&Space::set([""; 0], (0..values.len()).map(|o| format!("o{o}"))));
        let space = Space::between(domain.space(), &outputs)?;
        let inputs = domain.space().dims();
        if values.iter().any(|value| value.dims() > inputs) {
            return Err(Error::SpaceMismatch);
        }
        let places: Vec<_> = (0..inputs).collect();
        let mut pieces = Vec::with_capacity(domain.pieces().len());
        for piece in domain.pieces() {
            let mut piece = piece.embed(space.clone(), &places);
            for (index, value) in values.iter().enumerate() {
                let value = value.lower(&mut piece)?;
                piece.add(&Constraint::eq(Affine::dim(inputs + index), value))?;
            }
            pieces.push(piece);
        }
        Self::new(space, pieces)
    }

    /// The map of every tuple of `domain` to itself.
    pub fn identity(domain: &Set) -> Result<Self> {
        let exprs: Vec<_> = (0..domain.space().dims()).map(Affine::dim).collect();
        Self::from_affine(domain, &exprs)
    }

    /// The variables the map speaks of.
    pub fn space(&self) -> &Space {
        self.set.space()
    }

    /// The basic relations.
    pub fn pieces(&self) -> &[BasicSet] {
        self.set.pieces()
    }

    /// The pairs as the set of input dimensions followed by output dimensions.
    pub fn wrap(&self) -> Set {
        self.set.recast(&self.space().flattened())
    }

    fn input_space(&self) -> Space {
        self.space().select(0..self.space().inputs(), None)
    }

    fn output_space(&self) -> Space {
        self.space().select(self.space().inputs()..self.space().dims(), None)
    }

    /// The inputs that have an output.
    pub fn domain(&self) -> Result<Set> {
        self.wrap().project_out(self.space().inputs()..self.space().dims())
    }

    /// The outputs that have an input.
    pub fn range(&self) -> Result<Set> {
        self.wrap().project_out(0..self.space().inputs())
    }

    /// The pairs with input and output exchanged.
    pub fn inverse(&self) -> Result<Self> {
        let (inputs, outputs) = (self.space().inputs(), self.space().outputs());
        let space = Space::between(&self.output_space(), &self.input_space())?;
        let places: Vec<_> = (0..inputs).map(|dim| outputs + dim).chain(0..outputs).collect();
        Self::from_set(self.set.embed(&space, &places))
    }

    /// The pairs in either map.
    pub fn union(&self, other: &Self) -> Result<Self> {
        Self::from_set(self.set.union(&other.set)?)
    }

    /// The pairs in both maps.
    pub fn intersect(&self, other: &Self) -> Result<Self> {
        Self::from_set(self.set.intersect(&other.set)?)
    }

    /// The pairs of `self` that are not in `other`.
    pub fn subtract(&self, other: &Self) -> Result<Self> {
        Self::from_set(self.set.subtract(&other.set)?)
    }

    /// The pairs that satisfy the constraint; dimensions count through inputs and then outputs.
    pub fn constrain(&self, constraint: &Constraint) -> Result<Self> {
        Self::from_set(self.set.constrain(constraint)?)
    }

    /// The pairs whose input is in the set.
    pub fn intersect_domain(&self, domain: &Set) -> Result<Self> {
        self.input_space().expect(domain.space())?;
        let places: Vec<_> = (0..self.space().inputs()).collect();
        Self::from_set(self.set.intersect(&domain.embed(self.space(), &places))?)
    }

    /// First `self`, then `next`: the pairs `(x, z)` with some `y` such that `(x, y)` is in `self` and `(y, z)` in `next`.
    pub fn then(&self, next: &Self) -> Result<Self> {
        self.output_space().expect(&next.input_space())?;
        let (inputs, middle) = (self.space().inputs(), self.space().outputs());
        let outputs = next.space().outputs();
        let between = Space::between(&self.space().flattened(), &next.output_space())?;
        let joint = between.flattened();
        let first: Vec<_> = (0..inputs + middle).collect();
        let second: Vec<_> = (inputs..inputs + middle + outputs).collect();
        let joined = self.set.embed(&joint, &first).intersect(&next.set.embed(&joint, &second))?;
        let projected = joined.project_out(inputs..inputs + middle)?;
        let space = Space::between(&self.input_space(), &next.output_space())?;
        Self::from_set(projected.recast(&space))
    }

    /// The outputs of the inputs in the set.
    pub fn apply(&self, set: &Set) -> Result<Set> {
        self.intersect_domain(set)?.range()
    }

    /// The set of differences `output - input` of all pairs of a map between tuples of one length.
    pub fn deltas(&self) -> Result<Set> {
        let length = self.space().inputs();
        if length != self.space().outputs() {
            return Err(Error::SpaceMismatch);
        }
        let difference = self.output_space();
        let space = Space::between(&self.space().flattened(), &difference)?.flattened();
        let places: Vec<_> = (0..2 * length).collect();
        let mut joint = self.set.embed(&space, &places);
        for dim in 0..length {
            let delta = Affine::dim(length + dim) - Affine::dim(dim);
            joint = joint.constrain(&Constraint::eq(Affine::dim(2 * length + dim), delta))?;
        }
        joint.project_out(0..2 * length)
    }

    /// Whether there is no pair, whatever the parameters.
    pub fn is_empty(&self) -> Result<bool> {
        self.set.is_empty()
    }

    /// A pair: the dimensions of the point are the input followed by the output.
    pub fn sample(&self) -> Result<Option<Point>> {
        self.set.sample()
    }

    /// Whether the pair is in the map for these values of the parameters.
    pub fn contains(&self, input: &[i64], output: &[i64], params: &[i64]) -> Result<bool> {
        if input.len() != self.space().inputs() {
            return Err(Error::SpaceMismatch);
        }
        self.set.contains(&[input, output].concat(), params)
    }

    /// Whether every pair is in `other`, for every value of the parameters.
    pub fn is_subset(&self, other: &Self) -> Result<bool> {
        self.set.is_subset(&other.set)
    }

    /// Whether both maps have the same pairs, for every value of the parameters.
    pub fn is_equal(&self, other: &Self) -> Result<bool> {
        self.set.is_equal(&other.set)
    }

    /// The same map without empty pieces, pieces inside others and redundant constraints.
    pub fn simplified(&self) -> Result<Self> {
        Self::from_set(self.set.simplified()?)
    }
}
