//! `scf-for-loop-peeling`: the iteration that fills no whole step apart from the others.
//!
//! Needs an `scf.for` over indices whose step is not known to divide its range. The loop ends where whole
//! steps do, and a copy of it behind does the rest, once at most. With `peel-front` the first iteration
//! stands apart. After MLIR's pass of the same name, whose rest runs also where the lower bound lies above
//! the upper one; ours starts at the lower bound then, and does nothing. Bounds of
//! `affine.min(step, upper - variable)` are simplified in both loops, as upstream does.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineApplyOp, AffineMaxOp, AffineMinOp, AffineValue};
use gpuc_dialects::{arith, memref, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{AffineExpr, Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

gpuc_ir::pass! {
    /// Peel loops at the end or at the front.
    ScfForLoopPeeling = "scf-for-loop-peeling" on "func.func" {
        /// Whether the first iteration is peeled in place of the last ones.
        peel_front: bool = false,
        /// Whether loops inside a peeled rest are left as they are.
        skip_partial: bool = true,
    }
}

impl Pass for ScfForLoopPeeling {
    fn run(&mut self, ir: &mut Ir, func: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        // Outer loops first: with `skip-partial`, what their rests hold is left alone.
        let mut waiting: Vec<Op> = ir.nested_ops(func, WalkOrder::PreOrder);
        waiting.reverse();
        while let Some(op) = waiting.pop() {
            let Some(view) = scf::ForOp::cast(ir, op) else { continue };
            if self.peel_front {
                peel_front(ir, view);
                continue;
            }
            if let Some(rest) = peel(ir, view)
                && !self.skip_partial
            {
                waiting.extend(
                    ir.nested_ops(rest.op(), WalkOrder::PostOrder)
                        .into_iter()
                        .filter(|&inner| inner != rest.op()),
                );
            }
        }
        Ok(())
    }
}

/// Ends a loop where whole steps do, and puts a loop for the rest behind it, which is given; `None`, with
/// nothing changed, where there is no rest, or where bounds are no indices.
pub fn peel(ir: &mut Ir, view: scf::ForOp) -> Option<scf::ForOp> {
    let op = view.op();
    let (lower, upper, step) = (view.lowerBound(ir), view.upperBound(ir), view.step(ir));
    if !ir.ctx.is_index(ir.ty(lower)) {
        return None;
    }
    let [low, high, by] = [lower, upper, step].map(|value| arith::constant_index_value(ir, value));
    if by.is_some_and(|by| by <= 1) {
        return None;
    }
    if let (Some(low), Some(high), Some(by)) = (low, high, by)
        && (low >= high || i128::from(high).checked_sub(i128::from(low))? % i128::from(by) == 0)
    {
        return None;
    }
    // upper - (upper - lower) mod step
    let mut b = Builder::before(ir, op);
    let [s0, s1, s2] = [0, 1, 2].map(|i| b.ctx.symbol_expr(i));
    let range = b.ctx.sub_expr(s1, s0);
    let rest = b.ctx.mod_expr(range, s2);
    let split = b.ctx.sub_expr(s1, rest);
    let operands = vec![lower, upper, step];
    let split = match (low, high, by) {
        (Some(low), Some(high), Some(by)) => {
            arith::constant_index(&mut b, high - (high - low) % by)
        }
        _ if in_order(&b, lower, upper) => {
            let value = AffineValue { map: b.ctx.map(0, 3, &[split]), operands };
            AffineApplyOp::create(&mut b, &value)
        }
        _ => {
            let value = AffineValue { map: b.ctx.map(0, 3, &[s0, split]), operands };
            AffineMaxOp::create(&mut b, &value)
        }
    };
    let rest = ir.clone_op(op, &mut ValueMap::new());
    ir.insert_after(op, rest);
    for (from, to) in ir.results(op).to_vec().into_iter().zip(ir.results(rest).to_vec()) {
        ir.replace_all_uses(from, to);
    }
    ir.set_operand(rest, 0, split);
    for (i, value) in ir.results(op).to_vec().into_iter().enumerate() {
        ir.set_operand(rest, 3 + i, value);
    }
    ir.set_operand(op, 1, split);
    let rest = scf::ForOp(rest);
    simplify_minima(ir, view, (upper, step), true);
    simplify_minima(ir, rest, (upper, step), false);
    Some(rest)
}

/// Whether a loop's bounds are known not to lie in the wrong order.
fn in_order(ir: &Ir, lower: Value, upper: Value) -> bool {
    let extent = ir.defining_op(upper).is_some_and(|op| memref::DimOp::is(ir, op));
    let low = arith::constant_index_value(ir, lower);
    lower == upper || low.is_some_and(|low| low <= 0) && extent
}

/// Replaces `min(step, upper - variable)` by the step in a loop of whole steps, and by the other in one of
/// the rest, which runs once.
fn simplify_minima(ir: &mut Ir, view: scf::ForOp, (upper, step): (Value, Value), whole: bool) {
    let variable = view.induction_var(ir);
    for op in ir.nested_ops(view.op(), WalkOrder::PreOrder) {
        let Some(value) = AffineMinOp::cast(ir, op).and_then(|view| view.value(ir)) else {
            continue;
        };
        let results = value.results(&ir.ctx).to_vec();
        let [first, second] = results[..] else { continue };
        let is_step = |expr| is_value(ir, &value, expr, step);
        let (other, by) = match (is_step(first), is_step(second)) {
            (true, false) => (second, first),
            (false, true) => (first, second),
            _ => continue,
        };
        if !is_distance(ir, &value, other, (upper, variable)) {
            continue;
        }
        let kept = if whole { by } else { other };
        let data = ir.ctx.map_data(value.map).clone();
        let map = ir.ctx.map(data.dims, data.symbols, &[kept]);
        let mut b = Builder::before(ir, op);
        let new = gpuc_dialects::affine::build_affine_value(
            &mut b,
            AffineValue { map, operands: value.operands },
        );
        ir.replace_op(op, &[new]);
    }
}

/// Whether an expression is a value, as an operand or a number.
fn is_value(ir: &Ir, value: &AffineValue, expr: AffineExpr, wanted: Value) -> bool {
    let number = arith::constant_index_value(ir, wanted);
    match ir.ctx.expr_constant(expr) {
        Some(constant) => number == Some(constant),
        None => operand_of(ir, value, expr) == Some(wanted),
    }
}

fn operand_of(ir: &Ir, value: &AffineValue, expr: AffineExpr) -> Option<Value> {
    use gpuc_ir::affine::AffineExprKind;
    match *ir.ctx.expr_kind(expr) {
        AffineExprKind::Dim(i) => value.operands.get(i as usize).copied(),
        AffineExprKind::Symbol(i) => value.operands.get(value.dims(&ir.ctx) + i as usize).copied(),
        _ => None,
    }
}

/// Whether an expression is `upper - variable`.
fn is_distance(
    ir: &mut Ir,
    value: &AffineValue,
    expr: AffineExpr,
    (upper, variable): (Value, Value),
) -> bool {
    let dims = value.dims(&ir.ctx);
    let expr_of = |ir: &mut Ir, wanted: Value| {
        let at = value.operands.iter().position(|&operand| operand == wanted);
        match at {
            Some(at) if at < dims => Some(ir.ctx.dim_expr(at as u32)),
            Some(at) => Some(ir.ctx.symbol_expr((at - dims) as u32)),
            None => {
                let number = arith::constant_index_value(ir, wanted)?;
                Some(ir.ctx.constant_expr(number))
            }
        }
    };
    let (Some(end), Some(here)) = (expr_of(ir, upper), expr_of(ir, variable)) else { return false };
    let distance = ir.ctx.sub_expr(end, here);
    let difference = ir.ctx.sub_expr(distance, expr);
    let difference = gpuc_dialects::affine::simplify_expr(&mut ir.ctx, difference);
    ir.ctx.expr_constant(difference) == Some(0)
}

/// Puts the first iteration of a loop in front of it; whether there is one and more than that: bounds and
/// step are constants, and the loop runs at least twice.
pub fn peel_front(ir: &mut Ir, view: scf::ForOp) -> bool {
    let op = view.op();
    if view.constant_trip_count(ir).is_none_or(|trips| trips < 2) {
        return false;
    }
    let (lower, step) = (view.lowerBound(ir), view.step(ir));
    let numbers = [lower, step].map(|value| arith::constant_int_value(ir, value));
    let [Some(low), Some(by)] = numbers else { return false };
    let ty = ir.ty(lower);
    let mut b = Builder::before(ir, op);
    let split = arith::constant_int(&mut b, low + by, ty);
    let first = b.clone_op(op, &mut ValueMap::new());
    b.insert(first);
    ir.set_operand(first, 1, split);
    ir.set_operand(op, 0, split);
    for (i, value) in ir.results(first).to_vec().into_iter().enumerate() {
        ir.set_operand(op, 3 + i, value);
    }
    true
}
