//! `affine-loop-normalize`: loops that count from 0 by 1.
//!
//! Needs an `affine.for` whose lower bound is one value, or an `affine.parallel` whose bounds are one
//! value each. The variable is computed from the new one by an `affine.apply`. With
//! `promote-single-iter`, loops of one iteration become straight code. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{
    AffineApplyOp, AffineForOp, AffineParallelOp, AffineValue, AffineYieldOp, compose,
};
use gpuc_dialects::arith;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{AffineExpr, Builder, Ir, Op, OpView, Value, WalkOrder};

use super::trips::{constant_trips, trips};

gpuc_ir::pass! {
    /// Let affine loops count from 0 by 1.
    AffineLoopNormalize = "affine-loop-normalize" on "func.func" {
        /// Whether loops of one iteration become straight code.
        promote_single_iter: bool = false,
    }
}

impl Pass for AffineLoopNormalize {
    fn run(&mut self, ir: &mut Ir, func: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        // Inner loops first: what they take from outer ones is still one variable.
        for op in ir.nested_ops(func, WalkOrder::PostOrder) {
            if let Some(view) = AffineForOp::cast(ir, op) {
                if self.promote_single_iter && promote(ir, view) {
                    continue;
                }
                normalize_for(ir, view);
            } else if let Some(view) = AffineParallelOp::cast(ir, op) {
                normalize_parallel(ir, view);
            }
        }
        Ok(())
    }
}

/// Lets a loop count from 0 by 1; whether it does now and did not before.
pub fn normalize_for(ir: &mut Ir, view: AffineForOp) -> bool {
    let (lower, step) = (view.lower_bound(ir), view.step_value(ir));
    if lower.constant_value(&ir.ctx) == Some(0) && step == 1 {
        return false;
    }
    let Some(upper) = trips(ir, view) else { return false };
    let zero = AffineValue::constant(&mut ir.ctx, 0);
    view.set_bounds(ir, &zero, &upper);
    let one = ir.ctx.index_attr(1);
    ir.set_attr(view.op(), "step", one);
    let variable = view.induction_var(ir);
    let data = ir.ctx.map_data(lower.map).clone();
    let dim = ir.ctx.dim_expr(data.dims);
    let step = ir.ctx.constant_expr(step);
    let distance = ir.ctx.mul_expr(dim, step);
    let sum = ir.ctx.add_expr(data.results[0], distance);
    let map = ir.ctx.map(data.dims + 1, data.symbols, &[sum]);
    let mut operands = lower.operands;
    operands.insert(data.dims as usize, variable);
    let mut value = AffineValue { map, operands };
    compose(ir, &mut value);
    stand_for(ir, variable, view.body(ir), &value);
    true
}

/// Lets the users of a variable use a value that is computed from it at the start of the body.
fn stand_for(ir: &mut Ir, variable: Value, body: gpuc_ir::Block, value: &AffineValue) {
    let location = ir.value_location(variable);
    let applied = AffineApplyOp::create(&mut Builder::at_start(ir, body, location), value);
    let apply = ir.defining_op(applied);
    ir.replace_uses_if(variable, applied, |ir, slot| Some(ir.use_owner(slot)) != apply);
}

/// Lets all dimensions of a parallel loop count from 0 by 1; whether they do now and did not before.
pub fn normalize_parallel(ir: &mut Ir, view: AffineParallelOp) -> bool {
    let plain = |groups: Vec<i64>| groups.iter().all(|&group| group == 1);
    if !plain(view.lower_groups(ir)) || !plain(view.upper_groups(ir)) {
        return false;
    }
    let (lower, upper) = (view.lower_bounds(ir), view.upper_bounds(ir));
    let steps = view.step_values(ir);
    let (low, high) = (ir.ctx.map_data(lower.map).clone(), ir.ctx.map_data(upper.map).clone());
    let starts_at_0 = |&low: &AffineExpr| ir.ctx.expr_constant(low) == Some(0);
    if low.results.iter().all(starts_at_0) && steps.iter().all(|&step| step == 1) {
        return false;
    }
    let dims: Vec<AffineExpr> = (0..low.dims).map(|i| ir.ctx.dim_expr(high.dims + i)).collect();
    let symbols: Vec<AffineExpr> =
        (0..low.symbols).map(|i| ir.ctx.symbol_expr(high.symbols + i)).collect();
    let mut results = Vec::new();
    for ((&upper, &lower), &step) in high.results.iter().zip(low.results.iter()).zip(&steps) {
        let lower = ir.ctx.replace_expr(lower, &dims, &symbols);
        let distance = ir.ctx.sub_expr(upper, lower);
        let step = ir.ctx.constant_expr(step);
        results.push(ir.ctx.ceildiv_expr(distance, step));
    }
    let map = ir.ctx.map(high.dims + low.dims, high.symbols + low.symbols, &results);
    let (high_dims, high_symbols) = upper.operands.split_at(high.dims as usize);
    let (low_dims, low_symbols) = lower.operands.split_at(low.dims as usize);
    let operands = [high_dims, low_dims, high_symbols, low_symbols].concat();
    let mut counts = AffineValue { map, operands };
    compose(ir, &mut counts);
    let variables = view.induction_vars(ir).to_vec();
    for (i, ((&variable, &step), &start)) in
        variables.iter().zip(&steps).zip(low.results.iter()).enumerate().rev()
    {
        if ir.ctx.expr_constant(low.results[i]) == Some(0) && step == 1 {
            continue;
        }
        let dim = ir.ctx.dim_expr(low.dims);
        let step = ir.ctx.constant_expr(step);
        let distance = ir.ctx.mul_expr(dim, step);
        let sum = ir.ctx.add_expr(start, distance);
        let map = ir.ctx.map(low.dims + 1, low.symbols, &[sum]);
        let mut operands = lower.operands.clone();
        operands.insert(low.dims as usize, variable);
        stand_for(ir, variable, view.body(ir), &AffineValue { map, operands });
    }
    let zero = ir.ctx.constant_expr(0);
    let zeros = AffineValue { map: ir.ctx.map(0, 0, &vec![zero; steps.len()]), operands: vec![] };
    view.set_bounds(ir, &zeros, &counts);
    let one = ir.ctx.i64_attr(1);
    let ones = ir.ctx.array_attr(&vec![one; steps.len()]);
    ir.set_attr(view.op(), "steps", ones);
    true
}

/// Makes straight code of a loop that is known to run once; whether it was one.
pub fn promote(ir: &mut Ir, view: AffineForOp) -> bool {
    if constant_trips(ir, view) != Some(1) {
        return false;
    }
    let lower = view.lower_bound(ir);
    let variable = view.induction_var(ir);
    if !ir.is_unused(variable) {
        let value = match lower.constant_value(&ir.ctx) {
            Some(number) => arith::constant_index(&mut at_top(ir, view.op()), number),
            None => {
                let mut b = Builder::before(ir, view.op());
                match lower.operands[..] {
                    [operand] if b.ctx.map_is_identity(lower.map) => operand,
                    _ if lower.results(&b.ctx).len() == 1 => AffineApplyOp::create(&mut b, &lower),
                    _ => return false,
                }
            }
        };
        ir.replace_all_uses(variable, value);
    }
    let inits = view.inits(ir).to_vec();
    for (argument, init) in view.carried(ir).to_vec().into_iter().zip(inits) {
        ir.replace_all_uses(argument, init);
    }
    let ops: Vec<Op> = ir.ops(view.body(ir)).collect();
    for op in ops {
        if !AffineYieldOp::is(ir, op) {
            ir.move_before(view.op(), op);
        }
    }
    let yielded = view.yielded(ir);
    ir.replace_op(view.op(), &yielded);
    true
}

/// A builder at the start of the function that holds `op`, where upstream puts constants.
fn at_top(ir: &mut Ir, op: Op) -> Builder<'_> {
    let func = ir.ancestors(op).find(|&outer| ir.symbol_name(outer).is_some());
    match func.and_then(|func| ir.entry_block(ir.region(func, 0))) {
        Some(entry) => {
            let location = ir.location(op);
            Builder::at_start(ir, entry, location)
        }
        None => Builder::before(ir, op),
    }
}
