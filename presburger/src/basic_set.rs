//! A conjunction of affine constraints with existentials: one convex piece of a set, possibly with strides.

use crate::affine::{Affine, Constraint, Var};
use crate::error::{Error, Result};
use crate::existential;
use crate::integer::{Row, gcd, narrow};
use crate::sample;
use crate::shadow::Budget;
use crate::space::Space;
use crate::system::System;
use crate::witnessed::Witnessed;

/// An element of a set together with values of the parameters for which it is one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    /// The values of the dimensions.
    pub dims: Vec<i64>,
    /// The values of the parameters.
    pub params: Vec<i64>,
}

/// The integer tuples that satisfy all of some equalities and inequalities, for every value of the parameters.
///
/// Besides dimensions and parameters the constraints may mention *locals*: integers that must exist. `floordiv`, `mod`
/// and projections introduce them.
#[derive(Clone, Debug)]
pub struct BasicSet {
    space: Space,
    /// Columns: dimensions, parameters, locals.
    system: System,
}

impl BasicSet {
    /// All tuples.
    pub fn universe(space: Space) -> Self {
        let system = System::universe(space.dims() + space.params());
        Self { space, system }
    }

    /// No tuple.
    pub fn empty(space: Space) -> Self {
        let system = System::contradiction(space.dims() + space.params());
        Self { space, system }
    }

    /// The tuples that satisfy all constraints.
    pub fn new(space: Space, constraints: impl IntoIterator<Item = Constraint>) -> Result<Self> {
        let mut set = Self::universe(space);
        for constraint in constraints {
            set.push(&constraint)?;
        }
        set.system.normalize();
        Ok(set)
    }

    pub(crate) fn from_system(space: Space, mut system: System) -> Self {
        system.normalize();
        let mut set = Self { space, system };
        set.drop_unused_locals();
        set
    }

    /// The variables the set speaks of.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The number of existentials.
    pub fn locals(&self) -> usize {
        self.system.width - self.visible()
    }

    /// The number of columns that are not locals.
    pub(crate) fn visible(&self) -> usize {
        self.space.dims() + self.space.params()
    }

    pub(crate) fn system(&self) -> &System {
        &self.system
    }

    /// The column of a variable.
    pub(crate) fn column(&self, var: Var) -> Result<usize> {
        let (index, count, start) = match var {
            Var::Dim(index) => (index, self.space.dims(), 0),
            Var::Param(index) => (index, self.space.params(), self.space.dims()),
            Var::Local(index) => (index, self.locals(), self.visible()),
        };
        if index < count { Ok(start + index) } else { Err(Error::SpaceMismatch) }
    }

    /// The variable of a column.
    pub(crate) fn variable(&self, column: usize) -> Var {
        if column < self.space.dims() {
            Var::Dim(column)
        } else if column < self.visible() {
            Var::Param(column - self.space.dims())
        } else {
            Var::Local(column - self.visible())
        }
    }

    pub(crate) fn row(&self, expr: &Affine) -> Result<Row> {
        if expr.overflowed() {
            return Err(Error::Overflow);
        }
        let mut row = Row::from_elem(0, self.system.width + 1);
        for (var, coefficient) in expr.terms() {
            row[self.column(var)?] = narrow(i128::from(coefficient))?;
        }
        row[self.system.width] = narrow(i128::from(expr.constant_term()))?;
        Ok(row)
    }

    pub(crate) fn affine(&self, row: &[i64]) -> Affine {
        let constant = Affine::constant(row[self.system.width]);
        (0..self.system.width)
            .filter(|&column| row[column] != 0)
            .fold(constant, |sum, column| sum + Affine::from(self.variable(column)) * row[column])
    }

    /// The constraints as they stand, equalities first.
    pub fn constraints(&self) -> impl Iterator<Item = Constraint> + '_ {
        let equalities =
            self.system.equalities.iter().map(|row| Constraint::eq(self.affine(row), 0));
        let inequalities =
            self.system.inequalities.iter().map(|row| Constraint::ge(self.affine(row), 0));
        equalities.chain(inequalities)
    }

    fn push(&mut self, constraint: &Constraint) -> Result<()> {
        let row = self.row(constraint.expr())?;
        if constraint.is_equality() {
            self.system.equalities.push(&row);
        } else {
            self.system.inequalities.push(&row);
        }
        Ok(())
    }

    /// Keeps the tuples that also satisfy the constraint.
    pub fn add(&mut self, constraint: &Constraint) -> Result<()> {
        self.push(constraint)?;
        self.system.normalize();
        Ok(())
    }

    /// Keeps the tuples that also satisfy all the constraints.
    pub(crate) fn add_all(
        &mut self,
        constraints: impl IntoIterator<Item = Constraint>,
    ) -> Result<()> {
        constraints.into_iter().try_for_each(|constraint| self.push(&constraint))?;
        self.system.normalize();
        Ok(())
    }

    /// Adds an existential without any constraint and returns it.
    pub fn add_local(&mut self) -> Affine {
        let columns: Vec<_> = (0..self.system.width).map(Some).chain([None]).collect();
        self.system = self.system.select(&columns);
        Var::Local(self.locals() - 1).into()
    }

    /// `floor(expr / divisor)` as an expression, by way of a new existential where one is needed.
    pub fn floor_div(&mut self, expr: &Affine, divisor: i64) -> Result<Affine> {
        if divisor <= 0 {
            return Err(Error::NonPositiveDivisor(divisor));
        }
        if expr.overflowed() {
            return Err(Error::Overflow);
        }
        // floor((d q(x) + c) / d) = q(x) + floor(c / d).
        if expr.terms().all(|(_, coefficient)| coefficient % divisor == 0) {
            let quotient = Affine::constant(expr.constant_term().div_euclid(divisor));
            return Ok(expr.terms().fold(quotient, |sum, (var, coefficient)| {
                sum + Affine::from(var) * (coefficient / divisor)
            }));
        }
        let quotient = self.add_local();
        let remainder = expr.clone() - quotient.clone() * divisor;
        self.push(&Constraint::ge(remainder.clone(), 0))?;
        self.push(&Constraint::lt(remainder, divisor))?;
        Ok(quotient)
    }

    /// `ceil(expr / divisor)`, as [`Self::floor_div`].
    pub fn ceil_div(&mut self, expr: &Affine, divisor: i64) -> Result<Affine> {
        Ok(-self.floor_div(&-expr.clone(), divisor)?)
    }

    /// `expr mod divisor`, between 0 and `divisor - 1`, as [`Self::floor_div`].
    pub fn modulo(&mut self, expr: &Affine, divisor: i64) -> Result<Affine> {
        let quotient = self.floor_div(expr, divisor)?;
        Ok(expr.clone() - quotient * divisor)
    }

    /// The tuples that are in both.
    pub fn intersect(&self, other: &Self) -> Result<Self> {
        self.space.expect(&other.space)?;
        let (visible, own) = (self.visible(), self.system.width);
        let width = own + other.locals();
        let mut system = self.system.place(visible, visible, width);
        system.extend(&other.system.place(visible, own, width));
        system.normalize();
        Ok(Self { space: self.space.clone(), system })
    }

    /// The tuples for which a variable has the given value. The variable stays part of the space.
    pub fn fix(&self, var: Var, value: i64) -> Result<Self> {
        let mut fixed = self.clone();
        fixed.add(&Constraint::eq(Affine::from(var), value))?;
        Ok(fixed)
    }

    /// Whether the tuple is in the set for these values of the parameters.
    pub fn contains(&self, dims: &[i64], params: &[i64]) -> Result<bool> {
        if dims.len() != self.space.dims() || params.len() != self.space.params() {
            return Err(Error::SpaceMismatch);
        }
        let mut system = self.system.clone();
        for (column, &value) in dims.iter().chain(params).enumerate() {
            system.fix(column, value)?;
        }
        Ok(sample::sample(&system, &Budget::new())?.is_some())
    }

    /// A tuple of the set with values of the parameters, or `None` when the set is empty for all of them.
    pub fn sample(&self) -> Result<Option<Point>> {
        self.sample_within(&Budget::new())
    }

    pub(crate) fn sample_within(&self, budget: &Budget) -> Result<Option<Point>> {
        let found = sample::sample(&self.system, budget)?;
        let (dims, visible) = (self.space.dims(), self.visible());
        Ok(found.map(|values| Point {
            dims: values[..dims].to_vec(),
            params: values[dims..visible].to_vec(),
        }))
    }

    /// Whether no tuple is in the set, whatever the parameters.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.sample()?.is_none())
    }

    /// Whether every tuple satisfies the constraint, whatever the parameters.
    pub fn implies(&self, constraint: &Constraint) -> Result<bool> {
        let budget = Budget::new();
        let row = self.row(constraint.expr())?;
        Ok(implies_at_least(&self.system, &row, &budget)?
            && (!constraint.is_equality()
                || implies_at_least(&self.system, &negated(&row), &budget)?))
    }

    /// The tuples without the dimensions in `dims`, for which those dimensions have some value. Exact: what cannot be
    /// eliminated without loss stays as locals.
    pub fn project_out(&self, dims: std::ops::Range<usize>) -> Result<Self> {
        if dims.end > self.space.dims() || dims.start > dims.end {
            return Err(Error::SpaceMismatch);
        }
        let kept = (0..self.space.dims()).filter(|dim| !dims.contains(dim));
        let inputs = self
            .space
            .is_map()
            .then(|| (0..self.space.inputs()).filter(|d| !dims.contains(d)).count());
        let space = self.space.select(kept.clone(), inputs);
        let columns: Vec<_> = kept
            .chain(self.space.dims()..self.system.width)
            .chain(dims.clone())
            .map(Some)
            .collect();
        Ok(Self { space, system: self.system.select(&columns) }.simplified())
    }

    /// The tuples of some dimensions, in this order, in a space of so many, for which the others have some value.
    pub(crate) fn project_onto(&self, space: &Space, dims: &[usize]) -> Self {
        let others = (0..self.space.dims()).filter(|dim| !dims.contains(dim));
        let rest = self.space.dims()..self.system.width;
        let columns: Vec<_> = dims.iter().copied().chain(rest).chain(others).map(Some).collect();
        Self { space: space.clone(), system: self.system.select(&columns) }.simplified()
    }

    /// The same set in another space, dimension `d` of `self` becoming dimension `places[d]`; dimensions of the new
    /// space that are not named are free.
    pub(crate) fn embed(&self, space: Space, places: &[usize]) -> Self {
        let mut columns = vec![None; space.dims()];
        for (dim, &place) in places.iter().enumerate() {
            columns[place] = Some(dim);
        }
        columns.extend((self.space.dims()..self.system.width).map(Some));
        Self { system: self.system.select(&columns), space }
    }

    /// The same constraints under another space with as many columns.
    pub(crate) fn recast(&self, space: Space) -> Self {
        Self { space, system: self.system.clone() }
    }

    /// The same set with the locals eliminated that can be without loss, and without redundant rows seen on the way.
    #[must_use]
    pub fn simplified(&self) -> Self {
        let mut system = self.system.clone();
        // An overflow half way may leave the copy meaningless, so the original stays then.
        match existential::simplify(&mut system, self.visible(), &Budget::new()) {
            Ok(()) => Self::from_system(self.space.clone(), system),
            Err(_) => Self::from_system(self.space.clone(), self.system.clone()),
        }
    }

    /// The same set without the constraints that follow from the others.
    pub fn without_redundancies(&self) -> Result<Self> {
        self.gist(&Self::universe(self.space.clone()))
    }

    /// The same set without inequalities that follow from the others, except those that make locals functions of the other
    /// variables (see the module `existential`), so that it can be subtracted as it stands.
    pub(crate) fn pruned(&self, budget: &Budget) -> Result<Self> {
        let mut defines = vec![false; self.system.inequalities.len()];
        for form in existential::forms(&self.system, self.visible()) {
            if let Some(existential::Form::Window { lower, upper }) = form {
                (defines[lower], defines[upper]) = (true, true);
            }
        }
        let Some(witnessed) = Witnessed::find(&self.system, budget)? else {
            return Ok(Self::empty(self.space.clone()));
        };
        let mut pruned = witnessed;
        for index in (0..defines.len()).rev().filter(|&index| !defines[index]) {
            let mut rest = pruned.system().clone();
            let row = Row::from_slice(&rest.inequalities[index]);
            rest.inequalities.remove(index);
            let rest = pruned.with_system(rest);
            if rest.implies(&row, budget)? {
                pruned = rest;
            }
        }
        Ok(Self { space: self.space.clone(), system: pruned.system().clone() })
    }

    /// A set with as few of the constraints as are needed to be equal to `self` inside `context`.
    pub fn gist(&self, context: &Self) -> Result<Self> {
        let budget = Budget::new();
        if sample::sample(&self.intersect(context)?.system, &budget)?.is_none() {
            return Ok(Self::empty(self.space.clone()));
        }
        let (visible, own) = (self.visible(), self.system.width);
        let width = own + context.locals();
        let given = context.system.place(visible, own, width);
        let mut kept = self.system.place(visible, visible, width);
        // Last rows first: what was written first is what stays.
        for index in (0..kept.equalities.len()).rev() {
            let row = Row::from_slice(&kept.equalities[index]);
            kept.equalities.remove(index);
            let mut rest = given.clone();
            rest.extend(&kept);
            if !implies_at_least(&rest, &row, &budget)?
                || !implies_at_least(&rest, &negated(&row), &budget)?
            {
                kept.equalities.insert(index, &row);
            }
        }
        for index in (0..kept.inequalities.len()).rev() {
            let row = Row::from_slice(&kept.inequalities[index]);
            kept.inequalities.remove(index);
            let mut rest = given.clone();
            rest.extend(&kept);
            if !implies_at_least(&rest, &row, &budget)? {
                kept.inequalities.insert(index, &row);
            }
        }
        Ok(Self::from_system(self.space.clone(), kept.place(visible, visible, own)))
    }

    /// Pieces without locals other than determined ones (see the module `existential`).
    pub(crate) fn determined(&self, budget: &Budget) -> Result<Vec<Self>> {
        let systems = existential::determine(&self.system, self.visible(), budget)?;
        Ok(systems
            .into_iter()
            .map(|system| Self::from_system(self.space.clone(), system))
            .collect())
    }

    fn drop_unused_locals(&mut self) {
        let visible = self.visible();
        if (visible..self.system.width).all(|column| self.system.mentions(column)) {
            return;
        }
        let columns: Vec<_> = (0..self.system.width)
            .filter(|&c| c < visible || self.system.mentions(c))
            .map(Some)
            .collect();
        self.system = self.system.select(&columns);
    }
}

/// Equal as text, not as sets: the same space and the same rows.
impl PartialEq for BasicSet {
    fn eq(&self, other: &Self) -> bool {
        self.space.compatible(&other.space) && self.system == other.system
    }
}

/// `-row`.
pub(crate) fn negated(row: &[i64]) -> Row {
    row.iter().map(|&c| -c).collect()
}

/// The row of `not (row >= 0)`, which is `-row - 1 >= 0`.
pub(crate) fn complement(row: &[i64]) -> Result<Row> {
    let mut complement = negated(row);
    if let Some(constant) = complement.last_mut() {
        *constant = narrow(i128::from(*constant) - 1)?;
    }
    Ok(complement)
}

/// Whether every point of the system satisfies `row >= 0`.
pub(crate) fn implies_at_least(system: &System, row: &[i64], budget: &Budget) -> Result<bool> {
    let variables = &row[..system.width];
    // A row of the system that is parallel and at least as tight answers at once.
    let divisor = variables.iter().fold(0, |g, c| gcd(g, c.unsigned_abs()));
    if divisor == 0 && row[system.width] >= 0 {
        return Ok(true);
    }
    let known = system.inequalities.iter().any(|known| {
        known[..system.width] == *variables && known[system.width] <= row[system.width]
    });
    if known {
        return Ok(true);
    }
    let mut counterexample = system.clone();
    counterexample.inequalities.push(&complement(row)?);
    Ok(sample::sample(&counterexample, budget)?.is_none())
}
