//! `affine-loop-coalescing`: one loop in place of loops that stand directly in each other.
//!
//! Needs `affine.for` loops, each directly in the other, whose bounds do not depend on each other. The one
//! loop counts all iterations; the variables are what is left of its own by division. Iterations stay in
//! their order, which no dependence forbids. After MLIR's pass of the same name, which multiplies
//! numbers of iterations as they are; where more than one of them may be negative ours takes 0 for those,
//! since the product of two negative ones would be taken for iterations.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{
    AffineApplyOp, AffineForOp, AffineMaxOp, AffineMinOp, AffineValue, AffineYieldOp, affine_scope,
    is_valid_symbol,
};
use gpuc_dialects::memref;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, WalkOrder};

use super::free;
use super::normalize::normalize_for;
use super::refusal::Refusal;
use super::tile::band;

gpuc_ir::pass! {
    /// Make one loop of affine loops that stand directly in each other.
    AffineLoopCoalescing = "affine-loop-coalescing" on "func.func" {}
}

const STEP: &str = "affine-loop-coalescing";

impl Pass for AffineLoopCoalescing {
    fn run(&mut self, ir: &mut Ir, func: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mut done: Vec<Op> = Vec::new();
        for op in ir.nested_ops(func, WalkOrder::PreOrder) {
            if ir.is_erased(op) || !AffineForOp::is(ir, op) || done.contains(&op) {
                continue;
            }
            let loops = band(ir, op);
            done.extend(loops.iter().map(|view| view.op()));
            // Innermost groups first, so that what stands outside is still as it was seen.
            let mut end = loops.len();
            while end > 1 {
                let Some(start) = (0..end - 1).find(|&start| independent(ir, &loops[start..end]))
                else {
                    end -= 1;
                    continue;
                };
                if let Err(refusal) = coalesce(ir, &loops[start..end]) {
                    cx.report(refusal.remark(ir));
                }
                end = start;
            }
        }
        Ok(())
    }
}

/// Whether no loop's bounds are computed in another of them.
fn independent(ir: &Ir, loops: &[AffineForOp]) -> bool {
    let variables: Vec<Value> = loops.iter().map(|view| view.induction_var(ir)).collect();
    loops.iter().all(|view| ir.operands(view.op()).all(|operand| !variables.contains(&operand)))
}

/// Makes one loop of loops that stand directly in each other, outermost first.
///
/// # Errors
/// A loop carries values, its iterations cannot be counted, or the program says how it is executed.
pub fn coalesce(ir: &mut Ir, loops: &[AffineForOp]) -> Result<(), Refusal> {
    let Some((&outermost, inner)) = loops.split_first() else { return Ok(()) };
    let Some(&innermost) = inner.last() else { return Ok(()) };
    for view in loops {
        let refuse = |rule: &str| Err(Refusal::new(STEP, view.op(), rule));
        if !free(ir, view.op()) {
            return refuse("the program says how the loop is executed");
        }
        if !view.inits(ir).is_empty() {
            return refuse("the loop carries values");
        }
        if view.lower_bound(ir).results(&ir.ctx).len() != 1 {
            return refuse("the iterations cannot be counted by one affine map");
        }
        if ir.operands(view.op()).any(|bound| !is_valid_symbol(ir, bound)) {
            return refuse(
                "its bounds vary in loops round it, so that nothing can be divided by them",
            );
        }
    }
    let scope = affine_scope(ir, outermost.op());
    let top_level = scope.is_some() && ir.parent_region(outermost.op()) == scope;
    for &view in loops {
        normalize_for(ir, view);
    }
    let bounds: Vec<AffineValue> = loops.iter().map(|view| view.upper_bound(ir)).collect();
    let unknown = bounds.iter().filter(|bound| !never_negative(ir, bound)).count();
    let minima = bounds.iter().any(|bound| bound.results(&ir.ctx).len() > 1);
    if !top_level && (minima || unknown > 1) {
        // The least of values is a symbol at the top of a function only.
        let rule = "its iterations cannot be counted by one affine map";
        return Err(Refusal::new(STEP, outermost.op(), rule));
    }
    let mut b = Builder::before(ir, outermost.op());
    let (dim, symbol) = (b.ctx.dim_expr(0), b.ctx.symbol_expr(0));
    let maps = [
        b.ctx.mul_expr(dim, symbol),
        b.ctx.mod_expr(dim, symbol),
        b.ctx.floordiv_expr(dim, symbol),
    ];
    let [product, rest, quotient] = maps.map(|expr| b.ctx.map(1, 1, &[expr]));
    let apply = |b: &mut Builder<'_>, map, left: Value, right: Value| {
        AffineApplyOp::create(b, &AffineValue { map, operands: vec![left, right] })
    };
    let mut counts: Vec<Value> = Vec::new();
    let mut all: Option<Value> = None;
    for bound in &bounds {
        let mut count = match bound.results(&b.ctx).len() {
            1 => AffineApplyOp::create(&mut b, bound),
            _ => AffineMinOp::create(&mut b, bound),
        };
        if unknown > 1 && !never_negative(&b, bound) {
            let (zero, same) = (b.ctx.constant_expr(0), b.ctx.dim_expr(0));
            let map = b.ctx.map(1, 0, &[zero, same]);
            count = AffineMaxOp::create(&mut b, &AffineValue { map, operands: vec![count] });
        }
        all = Some(match all {
            None => count,
            Some(so_far) => apply(&mut b, product, so_far, count),
        });
        counts.push(count);
    }
    let Some(all) = all else { return Ok(()) };
    let zero = AffineValue::constant(&mut ir.ctx, 0);
    let upper = AffineValue::symbol(&mut ir.ctx, all);
    outermost.set_bounds(ir, &zero, &upper);

    let mut at = outermost.induction_var(ir);
    let body = outermost.body(ir);
    let location = ir.location(outermost.op());
    // What stands for variables goes in front of all, then what the loops computed, outermost first.
    let mut b = Builder::at_start(ir, body, location);
    let mut stands = Vec::new();
    let mut made = Vec::new();
    for index in (0..loops.len()).rev() {
        if index + 1 < loops.len() {
            at = apply(&mut b, quotient, at, counts[index + 1]);
            made.push(at);
        }
        let variable = match index {
            0 => at,
            _ => apply(&mut b, rest, at, counts[index]),
        };
        made.push(variable);
        stands.push((loops[index].induction_var(&b), variable));
    }
    let own: Vec<Op> = made.iter().filter_map(|&value| ir.defining_op(value)).collect();
    for (variable, value) in stands {
        ir.replace_uses_if(variable, value, |ir, slot| !own.contains(&ir.use_owner(slot)));
    }
    let second = inner[0].op();
    for view in inner {
        for op in ir.ops(view.body(ir)).collect::<Vec<_>>() {
            if !AffineYieldOp::is(ir, op) && !inner.iter().any(|inner| inner.op() == op) {
                ir.move_before(second, op);
            }
        }
    }
    debug_assert!(ir.ops(innermost.body(ir)).count() == 1);
    ir.erase_op(second);
    Ok(())
}

/// Whether a number of iterations is known to be one: a constant, or extents of arrays.
fn never_negative(ir: &Ir, count: &AffineValue) -> bool {
    let extent = |&value: &Value| ir.defining_op(value).is_some_and(|op| memref::DimOp::is(ir, op));
    let plain = count.results(&ir.ctx).iter().all(|&result| match ir.ctx.expr_constant(result) {
        Some(number) => number >= 0,
        None => matches!(
            ir.ctx.expr_kind(result),
            gpuc_ir::affine::AffineExprKind::Dim(_) | gpuc_ir::affine::AffineExprKind::Symbol(_)
        ),
    });
    plain && count.operands.iter().all(extent)
}
