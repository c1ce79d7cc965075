//! Bounds of parallel loops of both dialects as values, on the host and in a kernel.

use gpuc_dialects::affine::{AffineParallelOp, AffineValue};
use gpuc_dialects::{arith, scf};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap};

use crate::analysis::slice;
use crate::lower::lower_affine::{Extremum, bounds};
use crate::raise::parallel_nest::groups;

/// The bounds of one dimension.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Where it starts.
    pub lower: Value,
    /// Where it ends; not included.
    pub upper: Value,
    /// From one iteration to the next.
    pub step: Value,
}

/// The bounds of a parallel loop, computed at the builder's point, outside `scope`; `None` where they
/// depend on what `scope` does.
pub fn compute_outside(b: &mut Builder<'_>, op: Op, scope: Op) -> Option<Vec<Bounds>> {
    let mut map = ValueMap::new();
    let mut outside =
        |b: &mut Builder<'_>, value: Value| slice::compute_outside(b, value, scope, &mut map);
    if let Some(view) = scf::ParallelOp::cast(b, op) {
        let (lower, upper, step) = (view.lowerBound(b), view.upperBound(b), view.step(b));
        let mut all = Vec::new();
        for ((lower, upper), step) in lower.into_iter().zip(upper).zip(step) {
            let (lower, upper) = (outside(b, lower)?, outside(b, upper)?);
            all.push(Bounds { lower, upper, step: outside(b, step)? });
        }
        return Some(all);
    }
    let view = AffineParallelOp::cast(b, op)?;
    let (lower_groups, upper_groups) = (view.lower_groups(b), view.upper_groups(b));
    let mut sides = [view.lower_bounds(b), view.upper_bounds(b)];
    for side in &mut sides {
        for operand in &mut side.operands {
            *operand = outside(b, *operand)?;
        }
    }
    let lowers = bounds(b, &sides[0], &lower_groups, Extremum::Greatest);
    let uppers = bounds(b, &sides[1], &upper_groups, Extremum::Least);
    let mut all = Vec::new();
    for ((lower, upper), step) in lowers.into_iter().zip(uppers).zip(view.step_values(b)) {
        all.push(Bounds { lower, upper, step: arith::constant_index(b, step) });
    }
    Some(all)
}

/// Lets dimension `dim` of a parallel loop go from `lower` to `upper`, values that may be symbols of
/// an affine loop.
pub fn set_bounds(ir: &mut Ir, op: Op, dim: usize, lower: Value, upper: Value) {
    if let Some(view) = scf::ParallelOp::cast(ir, op) {
        let dims = view.step(ir).len();
        ir.set_operand(op, dim, lower);
        ir.set_operand(op, dims + dim, upper);
        return;
    }
    let Some(view) = AffineParallelOp::cast(ir, op) else { return };
    let (mut lower_groups, mut upper_groups) = (view.lower_groups(ir), view.upper_groups(ir));
    let sides = [
        with_symbol(ir, &view.lower_bounds(ir), &mut lower_groups, dim, lower),
        with_symbol(ir, &view.upper_bounds(ir), &mut upper_groups, dim, upper),
    ];
    view.set_bounds(ir, &sides[0], &sides[1]);
    for (name, sizes) in [("lowerBoundsGroups", lower_groups), ("upperBoundsGroups", upper_groups)]
    {
        let attr = groups(&mut ir.ctx, &sizes);
        ir.set_attr(op, name, attr);
    }
}

/// Bounds of which one dimension's group of results has become a new symbol.
fn with_symbol(
    ir: &mut Ir,
    side: &AffineValue,
    sizes: &mut [i64],
    dim: usize,
    value: Value,
) -> AffineValue {
    let data = ir.ctx.map_data(side.map).clone();
    let first: usize = sizes[..dim].iter().map(|&size| size as usize).sum();
    let mut results = data.results.to_vec();
    let symbol = ir.ctx.symbol_expr(data.symbols);
    results.splice(first..first + sizes[dim] as usize, [symbol]);
    sizes[dim] = 1;
    let map = ir.ctx.map(data.dims, data.symbols + 1, &results);
    let operands: Vec<Value> = side.operands.iter().copied().chain([value]).collect();
    AffineValue::new(map, &operands)
}
