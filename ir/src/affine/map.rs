//! Affine maps and integer sets.

use super::expr::{AffineExpr, AffineExprKind};
use crate::context::Context;

cranelift_entity::entity_impl!(AffineMap, "map");
cranelift_entity::entity_impl!(IntegerSet, "set");

/// An interned affine map `(d0, ...)[s0, ...] -> (e0, ...)`; a key into the [`Context`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AffineMap(pub(crate) u32);

/// An interned integer set `(d0, ...)[s0, ...] : (e0 >= 0, e1 == 0)`; a key into the [`Context`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntegerSet(pub(crate) u32);

/// What an [`AffineMap`] is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AffineMapData {
    /// Number of dimensions.
    pub dims: u32,
    /// Number of symbols.
    pub symbols: u32,
    /// Results.
    pub results: Box<[AffineExpr]>,
}

/// What an [`IntegerSet`] is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IntegerSetData {
    /// Number of dimensions.
    pub dims: u32,
    /// Number of symbols.
    pub symbols: u32,
    /// Constraints `e >= 0`, or `e == 0` where the flag is set.
    pub constraints: Box<[(AffineExpr, bool)]>,
}

/// Maps.
impl Context {
    /// A map.
    pub fn map(&mut self, dims: u32, symbols: u32, results: &[AffineExpr]) -> AffineMap {
        self.intern_map(AffineMapData { dims, symbols, results: results.into() })
    }

    /// `(d0, ..., dn) -> (d0, ..., dn)`.
    pub fn identity_map(&mut self, dims: u32) -> AffineMap {
        let results: Vec<_> = (0..dims).map(|i| self.dim_expr(i)).collect();
        self.map(dims, 0, &results)
    }

    /// `() -> (value)`.
    pub fn constant_map(&mut self, value: i64) -> AffineMap {
        let value = self.constant_expr(value);
        self.map(0, 0, &[value])
    }

    /// Whether each result is the dimension of its position, with no symbols.
    pub fn map_is_identity(&self, map: AffineMap) -> bool {
        let data = self.map_data(map);
        data.results.len() == data.dims as usize
            && data
                .results
                .iter()
                .enumerate()
                .all(|(i, &e)| *self.expr_kind(e) == AffineExprKind::Dim(i as u32))
    }

    /// The value of a map with one constant result.
    pub fn map_constant(&self, map: AffineMap) -> Option<i64> {
        match *self.map_data(map).results {
            [result] => self.expr_constant(result),
            _ => None,
        }
    }

    /// Results at the given operands (dimensions, then symbols).
    pub fn eval_map(&self, map: AffineMap, operands: &[i64]) -> Option<Vec<i64>> {
        let data = self.map_data(map);
        let (dims, symbols) = operands.split_at_checked(data.dims as usize)?;
        data.results.iter().map(|&e| self.eval_expr(e, dims, symbols)).collect()
    }
}

/// Sets.
impl Context {
    /// A set.
    pub fn integer_set(
        &mut self,
        dims: u32,
        symbols: u32,
        constraints: &[(AffineExpr, bool)],
    ) -> IntegerSet {
        self.intern_set(IntegerSetData { dims, symbols, constraints: constraints.into() })
    }

    /// Whether the operands (dimensions, then symbols) are in the set.
    pub fn eval_set(&self, set: IntegerSet, operands: &[i64]) -> Option<bool> {
        let data = self.set_data(set);
        let (dims, symbols) = operands.split_at_checked(data.dims as usize)?;
        for &(expr, equality) in &data.constraints {
            let value = self.eval_expr(expr, dims, symbols)?;
            if !(value == 0 || (value > 0 && !equality)) {
                return Some(false);
            }
        }
        Some(true)
    }
}
