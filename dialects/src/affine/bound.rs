//! Maps together with their operands, as bounds, subscripts and values have them.

use std::ops::Range;

use gpuc_ir::op::LoopBound;
use gpuc_ir::{AffineExpr, AffineMap, Context, Ir, Value};

/// An affine map and what it is applied to: dimensions, then symbols.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

    /// The results of both, over the operands of both.
    pub fn and(&self, ctx: &mut Context, other: &AffineValue) -> AffineValue {
        let [first, second] = [self, other].map(|value| ctx.map_data(value.map).clone());
        let dims: Vec<AffineExpr> =
            (0..second.dims).map(|i| ctx.dim_expr(first.dims + i)).collect();
        let symbols: Vec<AffineExpr> =
            (0..second.symbols).map(|i| ctx.symbol_expr(first.symbols + i)).collect();
        let mut results = first.results.to_vec();
        let moved = second.results.iter().map(|&expr| ctx.replace_expr(expr, &dims, &symbols));
        results.extend(moved.collect::<Vec<_>>());
        let map = ctx.map(first.dims + second.dims, first.symbols + second.symbols, &results);
        let (own, others) = (first.dims as usize, second.dims as usize);
        let operands = [
            &self.operands[..own],
            &other.operands[..others],
            &self.operands[own..],
            &other.operands[others..],
        ];
        AffineValue { map, operands: operands.concat() }
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
