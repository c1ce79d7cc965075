//! Rectangular hulls whose sides are values of the parameters.

use std::fmt::{self, Display, Formatter};

use crate::error::{Error, Result};
use crate::piecewise::PiecewiseQuasiAffine;
use crate::set::Set;

/// The smallest box round a set for each value of the parameters.
#[derive(Clone, Debug)]
pub struct ParametricHull {
    sides: Vec<(PiecewiseQuasiAffine, PiecewiseQuasiAffine)>,
}

impl Set {
    /// The smallest box that contains the set, as values of the parameters. [`Error::Unbounded`] where some values of the
    /// parameters leave a dimension without end.
    pub fn parametric_hull(&self) -> Result<ParametricHull> {
        let sides = (0..self.space().dims())
            .map(|dim| Ok((self.dim_min(dim)?.coalesced(), self.dim_max(dim)?.coalesced())));
        Ok(ParametricHull { sides: sides.collect::<Result<_>>()? })
    }
}

impl ParametricHull {
    /// The least and the greatest value of each dimension, both inclusive, defined where the set has a tuple.
    pub fn sides(&self) -> &[(PiecewiseQuasiAffine, PiecewiseQuasiAffine)] {
        &self.sides
    }

    /// The box for some values of the parameters, or `None` where the set has no tuple.
    pub fn evaluate(&self, params: &[i64]) -> Result<Option<Vec<(i64, i64)>>> {
        let mut sides = Vec::with_capacity(self.sides.len());
        for (least, greatest) in &self.sides {
            let (least, greatest) = (least.evaluate(&[], params)?, greatest.evaluate(&[], params)?);
            match (least.as_deref(), greatest.as_deref()) {
                (Some([least]), Some([greatest])) => sides.push((*least, *greatest)),
                _ => return Ok(None),
            }
        }
        Ok(Some(sides))
    }

    /// The number of tuples of the box for some values of the parameters.
    pub fn count(&self, params: &[i64]) -> Result<u128> {
        let Some(sides) = self.evaluate(params)? else { return Ok(0) };
        sides.iter().try_fold(1_u128, |product, (least, greatest)| {
            let extent = u128::from(greatest.abs_diff(*least)) + 1;
            product.checked_mul(extent).ok_or(Error::Overflow)
        })
    }
}

impl Display for ParametricHull {
    /// One line a side, least and greatest value.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, (least, greatest)) in self.sides.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{least} to {greatest}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_in_parameters() {
        let triangle: Set = "[n] -> { [i, j] : 1 <= i < n and 0 <= 4j <= i }".parse().unwrap();
        assert_eq!(
            triangle.parametric_hull().unwrap().to_string(),
            "[n] -> { [1] : n >= 2 } to [n] -> { [n - 1] : n >= 2 }\n\
             [n] -> { [0] : n >= 2 } to [n] -> { [floor((n + 3) / 4) - 1] : n >= 2 }"
        );
        let set: Set = "[n, m] -> { [i, j] : 0 <= i < n and i <= 2j <= m }".parse().unwrap();
        let hull = set.parametric_hull().unwrap();
        // 0 <= i <= 4, 0 <= j <= 3.
        assert_eq!(hull.evaluate(&[5, 7]), Ok(Some(vec![(0, 4), (0, 3)])));
        assert_eq!((hull.count(&[5, 7]), hull.count(&[0, 7])), (Ok(20), Ok(0)));
        let tile: Set = "[n, t] -> { [i] : 32t <= i < 32t + 32 and 0 <= i < n }".parse().unwrap();
        let hull = tile.parametric_hull().unwrap();
        assert_eq!((hull.count(&[100, 2]), hull.count(&[100, 3])), (Ok(32), Ok(4)));
        let open: Set = "[n] -> { [i] : i <= n }".parse().unwrap();
        assert_eq!(open.parametric_hull().unwrap_err(), Error::Unbounded);
    }
}
