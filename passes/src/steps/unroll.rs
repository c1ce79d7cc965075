//! `affine-loop-unroll`: innermost affine loops do several iterations in one.
//!
//! Needs nothing. The options are those of MLIR's pass of the same name. Where the factor does not
//! divide the iterations, a second loop does the rest; its lower bound is the greater of where the
//! first one ends and where the whole began, so that it does nothing where the loop does nothing (upstream
//! counts on bounds that are in order). Iterations stay in their order, which no dependence forbids.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineApplyOp, AffineForOp, AffineValue, AffineYieldOp, compose};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{AffineExpr, Builder, Ir, Op, OpView, ValueMap, WalkOrder};

use super::free;
use super::normalize::promote;
use super::refusal::Refusal;
use super::trips::{constant_trips, divisor, trips};

gpuc_ir::pass! {
    /// Unroll innermost affine loops.
    AffineLoopUnroll = "affine-loop-unroll" on "func.func" {
        /// Iterations in one.
        unroll_factor: u64 = 4,
        /// Whether the factor is lowered to the iterations of shorter loops.
        unroll_up_to_factor: bool = false,
        /// Whether loops become straight code.
        unroll_full: bool = false,
        /// With `unroll-full`: every loop of at most so many iterations, not just innermost ones; 0 for
        /// innermost loops of any number.
        unroll_full_threshold: u64 = 0,
        /// How often innermost loops are unrolled.
        unroll_num_reps: u64 = 1,
        /// Whether loops whose iterations the factor does not divide become straight code.
        cleanup_unroll: bool = false,
    }
}

const STEP: &str = "affine-loop-unroll";

/// Operations that one loop may become, at most.
const MOST_OPERATIONS: u64 = 1 << 16;

impl Pass for AffineLoopUnroll {
    fn run(&mut self, ir: &mut Ir, func: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        if self.unroll_factor == 0 {
            return Err(Diagnostic::error("an unroll factor of 0 leaves no loop".to_owned()));
        }
        if self.unroll_full && self.unroll_full_threshold > 0 {
            for op in ir.nested_ops(func, WalkOrder::PostOrder) {
                if let Some(view) = AffineForOp::cast(ir, op)
                    && constant_trips(ir, view)
                        .is_some_and(|trips| trips <= self.unroll_full_threshold)
                    && let Err(refusal) = unroll_fully(ir, view)
                {
                    cx.report(refusal.remark(ir));
                }
            }
            return Ok(());
        }
        for _ in 0..self.unroll_num_reps {
            let mut changed = false;
            for view in innermost(ir, func) {
                match self.unroll(ir, view) {
                    Ok(done) => changed |= done,
                    Err(refusal) => cx.report(refusal.remark(ir)),
                }
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }
}

impl AffineLoopUnroll {
    fn unroll(&self, ir: &mut Ir, view: AffineForOp) -> Result<bool, Refusal> {
        if self.unroll_full {
            return unroll_fully(ir, view);
        }
        let factor = match constant_trips(ir, view) {
            Some(trips) if self.unroll_up_to_factor => self.unroll_factor.min(trips.max(1)),
            _ => self.unroll_factor,
        };
        if self.cleanup_unroll && !divisor(ir, view).is_multiple_of(factor) {
            return unroll_fully(ir, view);
        }
        unroll(ir, view, factor)
    }
}

/// Affine loops that hold no other.
fn innermost(ir: &Ir, func: Op) -> Vec<AffineForOp> {
    let all = ir.nested_ops(func, WalkOrder::PostOrder);
    let is_loop = |&op: &Op| AffineForOp::is(ir, op);
    let holds = |op: Op| ir.nested_ops(op, WalkOrder::PreOrder).iter().skip(1).any(is_loop);
    all.into_iter().filter(is_loop).filter(|&op| !holds(op)).map(AffineForOp).collect()
}

/// Makes straight code of a loop with a known number of iterations; whether there was anything to do.
///
/// # Errors
/// The number is not known, or too large.
pub fn unroll_fully(ir: &mut Ir, view: AffineForOp) -> Result<bool, Refusal> {
    match constant_trips(ir, view) {
        None => Err(Refusal::new(STEP, view.op(), "how often the loop runs is not known")),
        Some(0) => Ok(false),
        Some(trips) => unroll(ir, view, trips),
    }
}

/// Lets a loop do `factor` iterations in one; whether there was anything to do.
///
/// # Errors
/// The rest cannot be said by an affine bound, or the code would be too long.
pub fn unroll(ir: &mut Ir, view: AffineForOp, factor: u64) -> Result<bool, Refusal> {
    let op = view.op();
    let refuse = |rule: &str| Err(Refusal::new(STEP, op, rule));
    if !free(ir, op) {
        return refuse("the program says how the loop is executed");
    }
    if factor <= 1 {
        return Ok(promote(ir, view));
    }
    let length = ir.nested_ops(op, WalkOrder::PreOrder).len() as u64;
    if length.saturating_mul(factor) > MOST_OPERATIONS {
        return Err(Refusal::new(STEP, op, "the code would be too long").limit(
            "operations",
            i64::try_from(length.saturating_mul(factor)).unwrap_or(i64::MAX),
            MOST_OPERATIONS as i64,
        ));
    }
    if ir.ops(view.body(ir)).nth(1).is_none() {
        return Ok(false);
    }
    if constant_trips(ir, view).is_some_and(|trips| trips < factor) {
        return refuse("the loop has fewer iterations than the factor");
    }
    let Some(span) = i64::try_from(factor).ok().and_then(|n| n.checked_mul(view.step_value(ir)))
    else {
        return refuse("the factor is too large");
    };
    if !divisor(ir, view).is_multiple_of(factor) && !split_rest(ir, view, factor as i64, span) {
        return refuse("the iterations that are left cannot be counted by an affine bound");
    }
    repeat_body(ir, view, factor);
    let step = ir.ctx.index_attr(span);
    ir.set_attr(op, "step", step);
    promote(ir, view);
    Ok(true)
}

/// Puts a loop over the iterations that whole groups leave behind `view`, which keeps the groups.
pub(super) fn split_rest(ir: &mut Ir, view: AffineForOp, factor: i64, span: i64) -> bool {
    let op = view.op();
    let (lower, upper) = (view.lower_bound(ir), view.upper_bound(ir));
    if lower.results(&ir.ctx).len() != 1 || upper.results(&ir.ctx).len() != 1 {
        return false;
    }
    let Some(count) = trips(ir, view) else { return false };
    // lower + (trips floordiv factor) * span, over the operands of both.
    let (low, many) = (ir.ctx.map_data(lower.map).clone(), ir.ctx.map_data(count.map).clone());
    let dims: Vec<AffineExpr> = (0..many.dims).map(|i| ir.ctx.dim_expr(low.dims + i)).collect();
    let symbols: Vec<AffineExpr> =
        (0..many.symbols).map(|i| ir.ctx.symbol_expr(low.symbols + i)).collect();
    let number = ir.ctx.replace_expr(many.results[0], &dims, &symbols);
    let (factor, span) = (ir.ctx.constant_expr(factor), ir.ctx.constant_expr(span));
    let groups = ir.ctx.floordiv_expr(number, factor);
    let distance = ir.ctx.mul_expr(groups, span);
    let split = ir.ctx.add_expr(low.results[0], distance);
    let known = constant_trips(ir, view).is_some();
    let (low_dims, low_symbols) = lower.operands.split_at(low.dims as usize);
    let (many_dims, many_symbols) = count.operands.split_at(many.dims as usize);
    let operands = [low_dims, many_dims, low_symbols, many_symbols].concat();
    let counts = (low.dims + many.dims, low.symbols + many.symbols);
    let value = |ir: &mut Ir, results: &[AffineExpr]| {
        let map = ir.ctx.map(counts.0, counts.1, results);
        let mut value = AffineValue { map, operands: operands.clone() };
        compose(ir, &mut value);
        value
    };
    let end = value(ir, &[split]);
    let start = match known {
        true => end.clone(),
        false => value(ir, &[low.results[0], split]),
    };
    let rest = ir.clone_op(op, &mut ValueMap::new());
    ir.insert_after(op, rest);
    let rest = AffineForOp(rest);
    for (from, to) in ir.results(op).to_vec().into_iter().zip(ir.results(rest.op()).to_vec()) {
        ir.replace_all_uses(from, to);
    }
    let results = ir.results(op).to_vec();
    let first = rest.lowerBoundOperands(ir).len() + rest.upperBoundOperands(ir).len();
    for (i, value) in results.into_iter().enumerate() {
        ir.set_operand(rest.op(), first + i, value);
    }
    rest.set_bounds(ir, &start, &upper);
    view.set_bounds(ir, &lower, &end);
    promote(ir, rest);
    true
}

/// Copies the body behind itself until it stands there `times` times.
fn repeat_body(ir: &mut Ir, view: AffineForOp, times: u64) {
    let body = view.body(ir);
    let ops: Vec<Op> = ir.ops(body).filter(|&op| !AffineYieldOp::is(ir, op)).collect();
    let Some(end) = ir.last_op(body) else { return };
    let (variable, step) = (view.induction_var(ir), view.step_value(ir));
    let (arguments, yielded) = (view.carried(ir).to_vec(), view.yielded(ir));
    let used = !ir.is_unused(variable);
    let mut carried = yielded.clone();
    for number in 1..times {
        let mut b = Builder::before(ir, end);
        let mut map = ValueMap::new();
        if used {
            let (dim, further) = (b.ctx.dim_expr(0), b.ctx.constant_expr(number as i64 * step));
            let sum = b.ctx.add_expr(dim, further);
            let later = AffineValue { map: b.ctx.map(1, 0, &[sum]), operands: vec![variable] };
            map.insert(variable, AffineApplyOp::create(&mut b, &later));
        }
        for (&argument, &value) in arguments.iter().zip(&carried) {
            map.insert(argument, value);
        }
        for &op in &ops {
            let copy = b.clone_op(op, &mut map);
            b.insert(copy);
        }
        carried = yielded.iter().map(|&value| map.get(value)).collect();
    }
    ir.set_operands(end, &carried);
}
