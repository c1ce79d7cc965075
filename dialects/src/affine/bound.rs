//! Maps together with their operands, as bounds, subscripts and values have them.

use std::ops::Range;

use gpuc_ir::op::LoopBound;
use gpuc_ir::{AffineExpr, AffineMap, Context, Ir, Value};

/// An affine map and what it is applied to: dimensions, then symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffineValue {
    /// The map.
    pub map: AffineMap,
    /// Its operands.
    pub operands: Vec<Value>,
}

impl AffineValue {
    /// A map applied to operands.
    pub fn new(map: AffineMap, operands: &[Value]) -> Self {
        AffineValue { map, operands: operands.to_vec() }
    }

    /// A constant.
    pub fn constant(ctx: &mut Context, value: i64) -> Self {
        AffineValue { map: ctx.constant_map(value), operands: Vec::new() }
    }

    /// A value as it is, as a symbol: for bounds that do not change in the affine scope.
    pub fn symbol(ctx: &mut Context, value: Value) -> Self {
        let symbol = ctx.symbol_expr(0);
        AffineValue { map: ctx.map(0, 1, &[symbol]), operands: vec![value] }
    }

    /// A value as it is, as a dimension: for loop variables and what depends on them.
    pub fn dim(ctx: &mut Context, value: Value) -> Self {
        AffineValue { map: ctx.identity_map(1), operands: vec![value] }
    }

    /// The number that it always is, if the map has one constant result.
    pub fn constant_value(&self, ctx: &Context) -> Option<i64> {
        ctx.map_constant(self.map)
    }

    /// Results of the map.
    pub fn results<'a>(&self, ctx: &'a Context) -> &'a [AffineExpr] {
        &ctx.map_data(self.map).results
    }

    /// Number of dimensions of the map.
    pub fn dims(&self, ctx: &Context) -> usize {
        ctx.map_data(self.map).dims as usize
    }

    /// Some of the results as a bound of a loop.
    pub(super) fn loop_bound(&self, results: Range<usize>) -> LoopBound {
        let operands = self.operands.iter().copied().collect();
        LoopBound::Map { map: self.map, results, operands }
    }

    /// Whether the map takes as many operands as there are.
    pub(super) fn fits(&self, ir: &Ir) -> bool {
        let data = ir.ctx.map_data(self.map);
        (data.dims + data.symbols) as usize == self.operands.len()
    }
}
