//! Affine expressions and constraints as the callers write them.

use std::ops::{Add, Mul, Neg, Sub};

use smallvec::SmallVec;

use crate::integer::narrow;

/// A variable of a [`Space`](crate::Space) or an existential of one basic set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Var {
    /// A dimension of the tuple; of a map, outputs follow inputs.
    Dim(usize),
    /// A parameter.
    Param(usize),
    /// An existentially quantified integer, as [`BasicSet::floor_div`](crate::BasicSet::floor_div) introduces them.
    Local(usize),
}

/// A sum of variables with integer coefficients, and a constant.
///
/// An overflow sticks to the expression and is reported by the operation that uses it, as
/// [`Error::Overflow`](crate::Error::Overflow); so expressions are written with plain operators.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Affine {
    /// Sorted by variable, no coefficient 0.
    terms: SmallVec<[(Var, i64); 4]>,
    constant: i64,
    overflowed: bool,
}

impl Affine {
    /// A constant.
    pub fn constant(value: i64) -> Self {
        Self { constant: value, overflowed: value == i64::MIN, ..Self::default() }
    }

    /// One dimension.
    pub fn dim(index: usize) -> Self {
        Var::Dim(index).into()
    }

    /// One parameter.
    pub fn param(index: usize) -> Self {
        Var::Param(index).into()
    }

    /// The variables with their coefficients, none 0, in the order of [`Var`].
    pub fn terms(&self) -> impl Iterator<Item = (Var, i64)> + '_ {
        self.terms.iter().copied()
    }

    /// The coefficient of a variable.
    pub fn coefficient(&self, var: Var) -> i64 {
        self.terms.iter().find(|term| term.0 == var).map_or(0, |term| term.1)
    }

    /// The constant summand.
    pub fn constant_term(&self) -> i64 {
        self.constant
    }

    /// The value when no variable occurs.
    pub fn as_constant(&self) -> Option<i64> {
        (self.terms.is_empty() && !self.overflowed).then_some(self.constant)
    }

    /// Whether an operation on the way to this expression left 64 bits.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// The expression with every variable renamed; variables that become equal are added up.
    #[must_use]
    pub fn rename(&self, mut to: impl FnMut(Var) -> Var) -> Self {
        let constant = Self { overflowed: self.overflowed, ..Self::constant(self.constant) };
        self.terms
            .iter()
            .fold(constant, |sum, &(var, coefficient)| sum + Self::from(to(var)) * coefficient)
    }

    /// `self + scale * other`.
    fn plus(&self, other: &Self, scale: i64) -> Self {
        let mut result =
            Self { overflowed: self.overflowed || other.overflowed, ..Self::default() };
        let mut checked = |a: i64, b: i64| {
            narrow(i128::from(a) + i128::from(scale) * i128::from(b)).unwrap_or_else(|_| {
                result.overflowed = true;
                0
            })
        };
        result.constant = checked(self.constant, other.constant);
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        let mut terms = SmallVec::new();
        loop {
            let var = match (left.peek(), right.peek()) {
                (Some(l), Some(r)) => l.0.min(r.0),
                (Some(l), None) => l.0,
                (None, Some(r)) => r.0,
                (None, None) => break,
            };
            let a = left.next_if(|term| term.0 == var).map_or(0, |term| term.1);
            let b = right.next_if(|term| term.0 == var).map_or(0, |term| term.1);
            let sum = checked(a, b);
            if sum != 0 {
                terms.push((var, sum));
            }
        }
        result.terms = terms;
        result
    }
}

impl From<Var> for Affine {
    fn from(var: Var) -> Self {
        Self { terms: SmallVec::from_iter([(var, 1)]), ..Self::default() }
    }
}

impl From<i64> for Affine {
    fn from(value: i64) -> Self {
        Self::constant(value)
    }
}

impl<T: Into<Self>> Add<T> for Affine {
    type Output = Self;

    fn add(self, other: T) -> Self {
        self.plus(&other.into(), 1)
    }
}

impl<T: Into<Self>> Sub<T> for Affine {
    type Output = Self;

    fn sub(self, other: T) -> Self {
        self.plus(&other.into(), -1)
    }
}

impl Mul<i64> for Affine {
    type Output = Self;

    fn mul(self, factor: i64) -> Self {
        let zero = Self::default();
        zero.plus(&self, factor)
    }
}

impl Neg for Affine {
    type Output = Self;

    fn neg(self) -> Self {
        self * -1
    }
}

/// `expr = 0` or `expr >= 0`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Constraint {
    expr: Affine,
    equality: bool,
}

impl Constraint {
    /// `left = right`.
    pub fn eq(left: impl Into<Affine>, right: impl Into<Affine>) -> Self {
        Self { expr: left.into() - right.into(), equality: true }
    }

    /// `left >= right`.
    pub fn ge(left: impl Into<Affine>, right: impl Into<Affine>) -> Self {
        Self { expr: left.into() - right.into(), equality: false }
    }

    /// `left <= right`.
    pub fn le(left: impl Into<Affine>, right: impl Into<Affine>) -> Self {
        Self::ge(right, left)
    }

    /// `left < right`.
    pub fn lt(left: impl Into<Affine>, right: impl Into<Affine>) -> Self {
        Self { expr: right.into() - left.into() - 1, equality: false }
    }

    /// `left > right`.
    pub fn gt(left: impl Into<Affine>, right: impl Into<Affine>) -> Self {
        Self::lt(right, left)
    }

    /// The side that is compared with 0.
    pub fn expr(&self) -> &Affine {
        &self.expr
    }

    /// Whether it is `expr = 0` rather than `expr >= 0`.
    pub fn is_equality(&self) -> bool {
        self.equality
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_merge_terms_and_drop_zeros() {
        let expr = Affine::dim(1) * 3 + Affine::param(0) - Affine::dim(1) * 3 + Affine::dim(0) + 7;
        assert_eq!(expr.terms().collect::<Vec<_>>(), vec![(Var::Dim(0), 1), (Var::Param(0), 1)]);
        assert_eq!(expr.constant_term(), 7);
        assert_eq!((expr.clone() - expr).as_constant(), Some(0));
    }

    #[test]
    fn overflow_sticks() {
        let huge = Affine::dim(0) * i64::MAX;
        let expr = huge.clone() + huge.clone() - huge;
        assert!(expr.overflowed());
        assert!(expr.rename(|var| var).overflowed());
        assert!((expr * 2 + 1).overflowed());
        assert!(Affine::constant(i64::MIN).overflowed());
    }
}
