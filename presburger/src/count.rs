//! The number of tuples of a set without parameters.

use crate::affine::{Affine, Var};
use crate::basic_set::BasicSet;
use crate::bounds::Optimum;
use crate::error::{Error, Result};
use crate::set::Set;

/// Sets that have to be enumerated up to more values than this are refused.
const MOST_STEPS: u128 = 20_000;

impl Set {
    /// The number of tuples, for a set without parameters. Boxes are counted by their sides, other sets along their
    /// longest possible boxes.
    pub fn count(&self) -> Result<u128> {
        if self.space().params() > 0 {
            return Err(Error::Parametric);
        }
        let mut steps = MOST_STEPS;
        let mut total = 0_u128;
        for piece in self.disjoint()?.pieces() {
            let tuples = count(&piece.simplified(), 0, &mut steps)?;
            total = total.checked_add(tuples).ok_or(Error::Overflow)?;
        }
        Ok(total)
    }
}

/// The number of tuples that differ in the dimensions from `first` on; the earlier ones are fixed.
fn count(set: &BasicSet, first: usize, steps: &mut u128) -> Result<u128> {
    *steps = steps.checked_sub(1).ok_or(Error::TooComplex)?;
    let dims = set.space().dims();
    if first == dims {
        return Ok(u128::from(!set.is_empty()?));
    }
    if set.is_empty()? {
        return Ok(0);
    }
    let (least, greatest) =
        match (set.minimum(&Affine::dim(first))?, set.maximum(&Affine::dim(first))?) {
            (Optimum::At(least), Optimum::At(greatest)) => (least, greatest),
            (Optimum::Empty, _) | (_, Optimum::Empty) => return Ok(0),
            _ => return Err(Error::Unbounded),
        };
    let side = greatest.abs_diff(least);
    // A dimension that shares no row with any other, and has no stride, multiplies the rest.
    if separate(set, first) {
        let rest = count(&set.fix(Var::Dim(first), least)?, first + 1, steps)?;
        return rest.checked_mul(u128::from(side) + 1).ok_or(Error::Overflow);
    }
    if u128::from(side) > *steps {
        return Err(Error::TooComplex);
    }
    let mut total = 0_u128;
    for value in least..=greatest {
        let slice = count(&set.fix(Var::Dim(first), value)?.simplified(), first + 1, steps)?;
        total = total.checked_add(slice).ok_or(Error::Overflow)?;
    }
    Ok(total)
}

fn separate(set: &BasicSet, dim: usize) -> bool {
    set.system().rows().filter(|row| row[dim] != 0).all(|row| {
        row[..set.system().width].iter().enumerate().all(|(column, &c)| column == dim || c == 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let table = [
            ("{ [i, j] : 0 <= i < 1000000 and 0 <= j < 1000000 }", Ok(1_000_000_000_000)),
            ("{ [i, j] : 0 <= i <= j < 10 }", Ok(55)),
            ("{ [i] : 0 <= i < 100 and i mod 7 = 3 }", Ok(14)),
            ("{ [i] : 0 <= i < 10; [i] : 5 <= i < 20 }", Ok(20)),
            ("{ [i] : exists (k : 0 <= k < 9 and i = 2k) }", Ok(9)),
            ("{ [i] : false }", Ok(0)),
            ("{ [] }", Ok(1)),
            ("{ [i] : i >= 0 }", Err(Error::Unbounded)),
            ("[n] -> { [i] : 0 <= i < n }", Err(Error::Parametric)),
            ("{ [i, j] : 0 <= i <= j < 100000000 }", Err(Error::TooComplex)),
        ];
        for (text, expected) in table {
            let set: Set = text.parse().unwrap();
            assert_eq!(set.count(), expected, "{text}");
        }
    }
}
