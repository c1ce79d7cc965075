//! Quasi-affine values: sums of variables and of floors of such sums divided by constants.

use std::fmt::{self, Display, Formatter};
use std::ops::{Add, Mul, Neg, Sub};

use smallvec::SmallVec;

use crate::affine::{Affine, Var};
use crate::basic_set::BasicSet;
use crate::error::{Error, Result};
use crate::integer::{gcd, narrow};
use crate::space::Space;

/// `floor(dividend / divisor)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Division {
    /// May mention divisions that stand before this one, as locals.
    dividend: Affine,
    divisor: i64,
}

/// An expression of dimensions and parameters with `floordiv` and `mod` by constants.
///
/// Written with operators, as [`Affine`] is; an overflow sticks and is reported where the value is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct QuasiAffine {
    /// A local is the division of that index.
    sum: Affine,
    /// Each occurs in the sum or in a later one.
    divisions: SmallVec<[Division; 1]>,
}

impl QuasiAffine {
    /// A constant.
    pub fn constant(value: i64) -> Self {
        Affine::constant(value).try_into().unwrap_or_default()
    }

    /// One dimension.
    pub fn dim(index: usize) -> Self {
        Self { sum: Affine::dim(index), ..Self::default() }
    }

    /// One parameter.
    pub fn param(index: usize) -> Self {
        Self { sum: Affine::param(index), ..Self::default() }
    }

    /// The value as an affine expression, where no division is left in it.
    pub fn as_affine(&self) -> Option<&Affine> {
        self.divisions.is_empty().then_some(&self.sum)
    }

    /// The value as a sum in which a local is the quotient of that index among [`divisions`](Self::divisions).
    pub fn sum(&self) -> &Affine {
        &self.sum
    }

    /// The dividends and divisors of the quotients, rounded down; a dividend may mention quotients before it as locals.
    pub fn divisions(&self) -> impl Iterator<Item = (&Affine, i64)> {
        self.divisions.iter().map(|division| (&division.dividend, division.divisor))
    }

    /// The value where it is a number.
    pub fn as_constant(&self) -> Option<i64> {
        self.as_affine()?.as_constant()
    }

    /// How many dimensions a space has at least in which the value means something.
    pub(crate) fn dims(&self) -> usize {
        let dividends = self.divisions.iter().map(|division| &division.dividend);
        let terms = dividends.chain([&self.sum]).flat_map(Affine::terms);
        let dims = terms.filter_map(|(var, _)| match var {
            Var::Dim(dim) => Some(dim + 1),
            Var::Param(_) | Var::Local(_) => None,
        });
        dims.max().unwrap_or(0)
    }

    /// `floor(self / divisor)`.
    pub fn floor_div(&self, divisor: i64) -> Result<Self> {
        if divisor <= 0 {
            return Err(Error::NonPositiveDivisor(divisor));
        }
        if self.sum.overflowed() {
            return Err(Error::Overflow);
        }
        // floor((d q + r) / d) = q + floor(r / d), for each coefficient.
        let mut quotient = Affine::default();
        let mut rest = Affine::constant(self.sum.constant_term());
        for (var, c) in self.sum.terms() {
            let least = c.rem_euclid(divisor);
            // The remainder that is nearest to 0.
            let up = least > divisor - least;
            quotient = quotient + Affine::from(var) * (c.div_euclid(divisor) + i64::from(up));
            rest = rest + Affine::from(var) * (if up { least - divisor } else { least });
        }
        // floor(-e / d) = -floor((e + d - 1) / d), so that values that are equal look the same.
        let flip = rest.terms().next().is_some_and(|(_, c)| c < 0);
        let (rest, sign) = if flip { (-rest + (divisor - 1), -1) } else { (rest, 1) };
        quotient = quotient + rest.constant_term().div_euclid(divisor) * sign;
        let constant = rest.constant_term().rem_euclid(divisor);
        let mut divisions = self.divisions.clone();
        if rest.terms().next().is_some() {
            // floor((g e + k) / (g d)) = floor((e + floor(k / g)) / d).
            let common =
                rest.terms().fold(divisor.unsigned_abs(), |g, (_, c)| gcd(g, c.unsigned_abs()));
            let common = i64::try_from(common).unwrap_or(1);
            let constant = Affine::constant(constant.div_euclid(common));
            let dividend =
                rest.terms().fold(constant, |sum, (var, c)| sum + Affine::from(var) * (c / common));
            divisions.push(Division { dividend, divisor: divisor / common });
            quotient = quotient + Affine::from(Var::Local(divisions.len() - 1)) * sign;
        }
        Ok(Self { sum: quotient, divisions }.without_unused())
    }

    /// `ceil(self / divisor)`.
    pub fn ceil_div(&self, divisor: i64) -> Result<Self> {
        (self.clone() + divisor.saturating_sub(1)).floor_div(divisor)
    }

    /// `self mod divisor`, between 0 and `divisor - 1`.
    pub fn modulo(&self, divisor: i64) -> Result<Self> {
        Ok(self.clone() - self.floor_div(divisor)? * divisor)
    }

    /// The value at a point; [`Error::SpaceMismatch`] where a variable has no value there.
    pub fn evaluate(&self, dims: &[i64], params: &[i64]) -> Result<i64> {
        let mut locals = Vec::with_capacity(self.divisions.len());
        for Division { dividend, divisor } in &self.divisions {
            let value = evaluate(dividend, dims, params, &locals)?;
            locals.push(value.div_euclid(*divisor));
        }
        evaluate(&self.sum, dims, params, &locals)
    }

    /// The value with every dimension and parameter replaced by a value.
    pub fn substitute(&self, mut by: impl FnMut(Var) -> Self) -> Result<Self> {
        let mut locals: Vec<Self> = Vec::with_capacity(self.divisions.len());
        let mut replaced = |expr: &Affine, locals: &[Self]| {
            let constant = Self::constant(expr.constant_term());
            expr.terms().fold(constant, |sum, (var, c)| match var {
                Var::Local(index) => sum + locals[index].clone() * c,
                var => sum + by(var) * c,
            })
        };
        for Division { dividend, divisor } in &self.divisions {
            let quotient = replaced(dividend, &locals).floor_div(*divisor)?;
            locals.push(quotient);
        }
        Ok(replaced(&self.sum, &locals))
    }

    /// The value as an affine expression over the variables of a set, which gets existentials for the divisions.
    pub fn lower(&self, set: &mut BasicSet) -> Result<Affine> {
        let mut locals: Vec<Affine> = Vec::with_capacity(self.divisions.len());
        let replaced = |expr: &Affine, locals: &[Affine]| {
            let constant = Affine::constant(expr.constant_term());
            expr.terms().fold(constant, |sum, (var, c)| match var {
                Var::Local(index) => sum + locals[index].clone() * c,
                var => sum + Affine::from(var) * c,
            })
        };
        if self.sum.overflowed() {
            return Err(Error::Overflow);
        }
        for Division { dividend, divisor } in &self.divisions {
            let quotient = set.floor_div(&replaced(dividend, &locals), *divisor)?;
            locals.push(quotient);
        }
        Ok(replaced(&self.sum, &locals))
    }

    /// The value as text with a space's names.
    pub fn display<'a>(&'a self, space: &'a Space) -> impl Display + 'a {
        Named { value: self, space }
    }

    fn without_unused(mut self) -> Self {
        let mut index = self.divisions.len();
        while index > 0 {
            index -= 1;
            let unused = {
                let later = self.divisions[index + 1..].iter().map(|division| &division.dividend);
                let mut all = later.chain([&self.sum]);
                all.all(|expr| expr.coefficient(Var::Local(index)) == 0)
            };
            if unused {
                self.divisions.remove(index);
                let shift = |var: Var| match var {
                    Var::Local(local) if local > index => Var::Local(local - 1),
                    other => other,
                };
                self.sum = self.sum.rename(shift);
                for division in &mut self.divisions[index..] {
                    division.dividend = division.dividend.rename(shift);
                }
            }
        }
        self
    }

    /// `self + scale * other`.
    fn plus(mut self, other: &Self, scale: i64) -> Self {
        let mut places = Vec::with_capacity(other.divisions.len());
        let rename = |expr: &Affine, places: &[usize]| {
            expr.rename(|var| match var {
                Var::Local(local) => Var::Local(places[local]),
                other => other,
            })
        };
        for division in &other.divisions {
            let dividend = rename(&division.dividend, &places);
            let moved = Division { dividend, divisor: division.divisor };
            let known = self.divisions.iter().position(|known| *known == moved);
            places.push(known.unwrap_or(self.divisions.len()));
            if known.is_none() {
                self.divisions.push(moved);
            }
        }
        self.sum = self.sum + rename(&other.sum, &places) * scale;
        self.without_unused()
    }
}

fn evaluate(expr: &Affine, dims: &[i64], params: &[i64], locals: &[i64]) -> Result<i64> {
    if expr.overflowed() {
        return Err(Error::Overflow);
    }
    let mut sum = i128::from(expr.constant_term());
    for (var, c) in expr.terms() {
        let value = match var {
            Var::Dim(index) => dims.get(index),
            Var::Param(index) => params.get(index),
            Var::Local(index) => locals.get(index),
        };
        let product = i128::from(*value.ok_or(Error::SpaceMismatch)?) * i128::from(c);
        sum = sum.checked_add(product).ok_or(Error::Overflow)?;
    }
    narrow(sum)
}

impl TryFrom<Affine> for QuasiAffine {
    type Error = Error;

    /// Refuses locals, which mean nothing outside their set.
    fn try_from(sum: Affine) -> Result<Self> {
        if sum.terms().any(|(var, _)| matches!(var, Var::Local(_))) {
            return Err(Error::SpaceMismatch);
        }
        Ok(Self { sum, divisions: SmallVec::new() })
    }
}

impl From<i64> for QuasiAffine {
    fn from(value: i64) -> Self {
        Self::constant(value)
    }
}

impl<T: Into<Self>> Add<T> for QuasiAffine {
    type Output = Self;

    fn add(self, other: T) -> Self {
        self.plus(&other.into(), 1)
    }
}

impl<T: Into<Self>> Sub<T> for QuasiAffine {
    type Output = Self;

    fn sub(self, other: T) -> Self {
        self.plus(&other.into(), -1)
    }
}

impl Mul<i64> for QuasiAffine {
    type Output = Self;

    fn mul(self, factor: i64) -> Self {
        Self::default().plus(&self, factor)
    }
}

impl Neg for QuasiAffine {
    type Output = Self;

    fn neg(self) -> Self {
        self * -1
    }
}

struct Named<'a> {
    value: &'a QuasiAffine,
    space: &'a Space,
}

impl Named<'_> {
    fn sum(&self, expr: &Affine) -> String {
        crate::display::sum(expr, |var| match var {
            Var::Dim(index) => self.space.dim_name(index).to_owned(),
            Var::Param(index) => self.space.param_name(index).to_owned(),
            Var::Local(index) => {
                let Division { dividend, divisor } = &self.value.divisions[index];
                format!("floor(({}) / {divisor})", self.sum(dividend))
            }
        })
    }
}

impl Display for Named<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sum(&self.value.sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_are_taken_apart_and_evaluated() {
        let space = Space::set(["n"], ["i"]);
        let (i, n) = (QuasiAffine::dim(0), QuasiAffine::param(0));
        let table = [
            ((i.clone() * 8 + 5).floor_div(4), "2i + 1"),
            ((i.clone() * 2 + n.clone()).floor_div(4), "floor((2i + n) / 4)"),
            ((i.clone() * 2 + 7).floor_div(4), "floor((i + 1) / 2) + 1"),
            (n.ceil_div(32), "floor((n + 31) / 32)"),
            (i.modulo(3), "i - 3floor((i) / 3)"),
            (n.floor_div(4).unwrap().floor_div(8), "floor((floor((n) / 4)) / 8)"),
            (Ok(n.modulo(4).unwrap() - n.modulo(4).unwrap()), "0"),
            (i.floor_div(1), "i"),
            ((-i.clone() * 5).floor_div(4), "-i - floor((i + 3) / 4)"),
        ];
        for (value, text) in table {
            assert_eq!(value.unwrap().display(&space).to_string(), text);
        }
        for x in -20..20 {
            let value = i.floor_div(3).unwrap() + i.modulo(5).unwrap() * 2 - n.ceil_div(7).unwrap();
            let expected = x_div(x, 3) + 2 * x.rem_euclid(5) + (-(2 * x)).div_euclid(7);
            assert_eq!(value.evaluate(&[x], &[2 * x]), Ok(expected));
            let shifted = value.substitute(|var| match var {
                Var::Dim(_) => QuasiAffine::param(0) + 1,
                _ => QuasiAffine::constant(2 * x + 2),
            });
            assert_eq!(
                shifted.unwrap().evaluate(&[], &[x]),
                value.evaluate(&[x + 1], &[2 * x + 2])
            );
        }
        assert_eq!(i.floor_div(0), Err(Error::NonPositiveDivisor(0)));
        assert_eq!(i.evaluate(&[], &[]), Err(Error::SpaceMismatch));
        assert_eq!((i * i64::MAX * 2).floor_div(2), Err(Error::Overflow));
    }

    fn x_div(x: i64, divisor: i64) -> i64 {
        x.div_euclid(divisor)
    }
}
