//! How often an `affine.for` runs, as an affine value.

use gpuc_dialects::affine::{AffineForOp, AffineValue, compose};
use gpuc_ir::{AffineExpr, Ir};

/// The iterations of a loop as the least of a map's results; a negative one means none. `None` where the
/// lower bound is the greatest of several values.
pub fn trips(ir: &mut Ir, view: AffineForOp) -> Option<AffineValue> {
    let (lower, upper) = (view.lower_bound(ir), view.upper_bound(ir));
    let step = view.step_value(ir);
    let mut count = minus(ir, &upper, &lower)?;
    let data = ir.ctx.map_data(count.map).clone();
    let step = ir.ctx.constant_expr(step);
    let results: Vec<AffineExpr> =
        data.results.iter().map(|&result| ir.ctx.ceildiv_expr(result, step)).collect();
    count.map = ir.ctx.map(data.dims, data.symbols, &results);
    compose(ir, &mut count);
    Some(count)
}

/// The number of iterations where it is known, though the bounds may not be.
pub fn constant_trips(ir: &mut Ir, view: AffineForOp) -> Option<u64> {
    if let Some(known) = view.constant_trip_count(ir) {
        return Some(known);
    }
    let count = trips(ir, view)?;
    let results: Option<Vec<i64>> =
        count.results(&ir.ctx).iter().map(|&result| ir.ctx.expr_constant(result)).collect();
    Some(results?.into_iter().min()?.max(0) as u64)
}

/// A number that divides the iterations, whatever the bounds are.
pub fn divisor(ir: &mut Ir, view: AffineForOp) -> u64 {
    if let Some(known) = constant_trips(ir, view) {
        return known;
    }
    let Some(count) = trips(ir, view) else { return 1 };
    let each = |&result: &AffineExpr| match ir.ctx.expr_constant(result) {
        Some(number) => number.unsigned_abs(),
        None => ir.ctx.largest_known_divisor(result).unsigned_abs(),
    };
    count.results(&ir.ctx).iter().map(each).fold(0, gpuc_presburger::gcd).max(1)
}

/// Each result of `upper` less the one of `lower`, over the operands of both.
fn minus(ir: &mut Ir, upper: &AffineValue, lower: &AffineValue) -> Option<AffineValue> {
    let (high, low) = (ir.ctx.map_data(upper.map).clone(), ir.ctx.map_data(lower.map).clone());
    let [result] = low.results[..] else { return None };
    let dims: Vec<AffineExpr> = (0..low.dims).map(|i| ir.ctx.dim_expr(high.dims + i)).collect();
    let symbols: Vec<AffineExpr> =
        (0..low.symbols).map(|i| ir.ctx.symbol_expr(high.symbols + i)).collect();
    let result = ir.ctx.replace_expr(result, &dims, &symbols);
    let results: Vec<AffineExpr> =
        high.results.iter().map(|&each| ir.ctx.sub_expr(each, result)).collect();
    let map = ir.ctx.map(high.dims + low.dims, high.symbols + low.symbols, &results);
    let (upper_dims, upper_symbols) = upper.operands.split_at(high.dims as usize);
    let (lower_dims, lower_symbols) = lower.operands.split_at(low.dims as usize);
    let operands = [upper_dims, lower_dims, upper_symbols, lower_symbols].concat();
    let mut value = AffineValue { map, operands };
    compose(ir, &mut value);
    Some(value)
}
