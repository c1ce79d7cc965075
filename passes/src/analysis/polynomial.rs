//! Integer polynomials over values: the closed form of bounds and subscripts.
//!
//! `A[i*n + j]` has the subscript `i·n + j`, whatever chain of operations computes it. A polynomial
//! of degree one in everything that changes is affine; products with a run-time extent are what
//! [`delinearize`](crate::raise::delinearize) takes apart.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gpuc_ir::Value;
use smallvec::SmallVec;

/// A product of values, in ascending order; empty: 1.
pub type Monomial = SmallVec<[Value; 2]>;

/// A sum of products of values with integer coefficients, none 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Polynomial {
    terms: BTreeMap<Monomial, i64>,
}

impl Polynomial {
    /// A number.
    pub fn constant(value: i64) -> Polynomial {
        let mut sum = Polynomial::default();
        sum.set(Monomial::new(), value);
        sum
    }

    /// One value.
    pub fn value(value: Value) -> Polynomial {
        let mut sum = Polynomial::default();
        sum.set(Monomial::from_slice(&[value]), 1);
        sum
    }

    /// `coefficient * monomial`.
    pub fn term(monomial: &[Value], coefficient: i64) -> Polynomial {
        let mut sum = Polynomial::default();
        let mut sorted = Monomial::from_slice(monomial);
        sorted.sort_unstable();
        sum.set(sorted, coefficient);
        sum
    }

    fn set(&mut self, monomial: Monomial, coefficient: i64) {
        if coefficient == 0 {
            self.terms.remove(&monomial);
        } else {
            self.terms.insert(monomial, coefficient);
        }
    }

    /// The products with their coefficients, in a fixed order, the constant first.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, i64)> {
        self.terms.iter().map(|(monomial, &coefficient)| (monomial, coefficient))
    }

    /// The number that it is, if no value occurs.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Monomial::new()).copied(),
            _ => None,
        }
    }

    /// The value that it is, if it is just one.
    pub fn as_value(&self) -> Option<Value> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next()) {
            (Some((monomial, 1)), None) => match monomial[..] {
                [value] => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// The values that occur, in ascending order.
    pub fn values(&self) -> Vec<Value> {
        let mut values: Vec<Value> = self.terms.keys().flatten().copied().collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The coefficient of a product, its factors in ascending order.
    pub fn coefficient(&self, monomial: &[Value]) -> i64 {
        self.terms.get(monomial).copied().unwrap_or(0)
    }

    /// The summand without values.
    pub fn constant_term(&self) -> i64 {
        self.coefficient(&[])
    }

    /// Whether every product has one factor at most.
    pub fn is_affine(&self) -> bool {
        self.terms.keys().all(|monomial| monomial.len() <= 1)
    }

    /// `self + scale * other`; `None` where a coefficient leaves 64 bits.
    pub fn plus(&self, other: &Polynomial, scale: i64) -> Option<Polynomial> {
        let mut sum = self.clone();
        for (monomial, &coefficient) in &other.terms {
            let scaled = coefficient.checked_mul(scale)?;
            let old = sum.terms.get(monomial).copied().unwrap_or(0);
            sum.set(monomial.clone(), old.checked_add(scaled)?);
        }
        Some(sum)
    }

    /// The same with other values in the place of some; a product that then stands twice is added up.
    pub fn replaced(&self, with: impl Fn(Value) -> Value) -> Option<Polynomial> {
        let mut sum = Polynomial::default();
        for (monomial, &coefficient) in &self.terms {
            let monomial: Monomial = monomial.iter().map(|&value| with(value)).collect();
            sum = sum.plus(&Polynomial::term(&monomial, coefficient), 1)?;
        }
        Some(sum)
    }

    /// `self * other`; `None` where a coefficient leaves 64 bits or there are too many terms.
    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        /// Products of long sums are of no use to anybody.
        const MOST_TERMS: usize = 64;
        if self.terms.len().saturating_mul(other.terms.len()) > MOST_TERMS {
            return None;
        }
        let mut product = Polynomial::default();
        for (left, &a) in &self.terms {
            for (right, &b) in &other.terms {
                let mut monomial = left.clone();
                monomial.extend_from_slice(right);
                monomial.sort_unstable();
                let old = product.terms.get(&monomial).copied().unwrap_or(0);
                product.set(monomial, old.checked_add(a.checked_mul(b)?)?);
            }
        }
        Some(product)
    }

    /// Splits into `quotient * factor + rest`, where no product of the rest holds all of `factor`.
    pub fn divide_by(&self, factor: &[Value]) -> (Polynomial, Polynomial) {
        let (mut quotient, mut rest) = (Polynomial::default(), Polynomial::default());
        for (monomial, &coefficient) in &self.terms {
            match without(monomial, factor) {
                Some(reduced) => quotient.set(reduced, coefficient),
                None => rest.set(monomial.clone(), coefficient),
            }
        }
        (quotient, rest)
    }

    /// What `factor`, a product, is multiplied by to give this; `None` where it divides it not.
    pub fn exact_quotient(&self, factor: &Polynomial) -> Option<Polynomial> {
        let mut terms = factor.terms();
        let (Some((monomial, coefficient)), None) = (terms.next(), terms.next()) else {
            return None;
        };
        let (quotient, rest) = self.divide_by(monomial);
        let divides = |(_, own): (&Monomial, i64)| own.checked_rem(coefficient) == Some(0);
        if coefficient == 0 || rest.terms().next().is_some() || !quotient.terms().all(divides) {
            return None;
        }
        let mut all = Polynomial::default();
        for (monomial, own) in quotient.terms() {
            all.set(monomial.clone(), own.checked_div(coefficient)?);
        }
        Some(all)
    }

    /// As text, with names for values.
    pub fn display(&self, name: impl Fn(Value) -> String) -> String {
        let mut text = String::new();
        // The constant last, as people write it.
        let constant = self.terms.get(&Monomial::new()).copied();
        for (monomial, &coefficient) in self.terms.iter().filter(|(m, _)| !m.is_empty()) {
            let sign = if coefficient < 0 { "-" } else { "+" };
            if !text.is_empty() {
                let _ = write!(text, " {sign} ");
            } else if coefficient < 0 {
                text.push('-');
            }
            if coefficient.unsigned_abs() != 1 {
                let _ = write!(text, "{}*", coefficient.unsigned_abs());
            }
            let factors: Vec<String> = monomial.iter().map(|&value| name(value)).collect();
            text.push_str(&factors.join("*"));
        }
        match constant {
            Some(constant) if text.is_empty() => text = constant.to_string(),
            Some(constant) => {
                let sign = if constant < 0 { "-" } else { "+" };
                let _ = write!(text, " {sign} {}", constant.unsigned_abs());
            }
            None if text.is_empty() => text.push('0'),
            None => {}
        }
        text
    }
}

/// `monomial / factor`, if it divides.
fn without(monomial: &Monomial, factor: &[Value]) -> Option<Monomial> {
    let mut reduced = monomial.clone();
    for value in factor {
        let at = reduced.iter().position(|known| known == value)?;
        reduced.remove(at);
    }
    Some(reduced)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(value: Value) -> String {
        ["i", "j", "n"][value.as_u32() as usize].to_owned()
    }

    #[test]
    fn sums_products_and_quotients() {
        let [i, j, n] = [0, 1, 2].map(Value::from_u32);
        let [pi, pj, pn] = [i, j, n].map(Polynomial::value);
        let subscript = pi.times(&pn).and_then(|p| p.plus(&pj, 1)).unwrap();
        assert_eq!(subscript.display(names), "i*n + j");
        assert!(!subscript.is_affine());
        let (quotient, rest) = subscript.divide_by(&[n]);
        assert_eq!((quotient.as_value(), rest.as_value()), (Some(i), Some(j)));
        assert_eq!(subscript.plus(&subscript, -1).unwrap().as_constant(), Some(0));
        let shifted = pi.plus(&Polynomial::constant(-3), 1).unwrap();
        assert_eq!(shifted.times(&shifted).unwrap().display(names), "-6*i + i*i + 9");
        assert_eq!(Polynomial::constant(i64::MAX).plus(&Polynomial::constant(1), 1), None);
        assert_eq!(shifted.values(), vec![i]);
    }
}
