//! `raise-inductions`: numbers that grow by as much in every iteration become functions of the loop's
//! variable.
//!
//! `k += 2` beside `i++`, `j--`, and the position of `*p++` are carried from one iteration to the next,
//! which looks like a dependence, and subscripts made of them have no closed form. A carried integer
//! that each iteration adds the same value to is its first value and the number of iterations before
//! times that. It is computed in 64 bits; where the program's addition does not wrap, what is cut from
//! that fits. Needs loops as `scf.for` and their variables as values; inner loops first, so that what
//! an inner loop adds up is seen by the outer one. (Wolfe, "Beyond induction variables", PLDI 1992.)

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::FITS_ATTR;
use gpuc_dialects::{arith, scf};
use gpuc_ir::op::LoopCarried;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Type, Value, ValueMap, WalkOrder};

use crate::analysis::range::promises_no_signed_wrap;
use crate::analysis::slice::{clone_slice, pure_slice};

gpuc_ir::pass! {
    /// Make what loops add up evenly a function of their variables.
    RaiseInductions = "raise-inductions" on "func.func" {}
}

impl Pass for RaiseInductions {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PostOrder) {
            if let Some(view) = scf::ForOp::cast(ir, inner) {
                for carried in ir.loop_carried(inner) {
                    raise(ir, view, carried);
                }
            }
        }
        Ok(())
    }
}

/// What an iteration adds to a carried number.
struct Step {
    /// The value; the same in every iteration.
    value: Value,
    /// Whether it is taken away.
    negative: bool,
    /// Whether the sum is known not to wrap around.
    fits: bool,
}

fn raise(ir: &mut Ir, view: scf::ForOp, carried: LoopCarried) -> Option<()> {
    let op = view.op();
    let LoopCarried { init, argument, yielded, result } = carried;
    let ty = ir.ty(argument);
    if ir.ctx.int_or_index_width(ty).is_none_or(|width| width < 8) {
        return None;
    }
    // Not one number but the loop's own, or one that stays.
    if yielded == argument || ir.is_unused(argument) && ir.is_unused(result) {
        return None;
    }
    let mut step = step(ir, yielded, argument)?;
    let (lower, upper, by) = (view.lowerBound(ir), view.upperBound(ir), view.step(ir));
    if !ir.ctx.is_index(ir.ty(lower)) {
        return None;
    }
    // What an inner loop adds may be computed behind it, from values outside.
    let slice = pure_slice(ir, step.value, op)?;
    step.value =
        clone_slice(&mut Builder::before(ir, op), &slice, step.value, &mut ValueMap::new());
    let body = view.body(ir);
    let variable = view.induction_var(ir);
    let location = ir.location(op);
    let mut b = Builder::new(ir, InsertPoint::Start(body), location);
    let passed = arith::SubIOp::new(&mut b, variable, lower).value(&mut b);
    let rounds = match arith::constant_index_value(&b, by) {
        Some(1) => passed,
        _ => arith::DivSIOp::new(&mut b, passed, by).value(&mut b),
    };
    let now = sum(&mut b, init, rounds, &step, ty);
    ir.replace_all_uses(argument, now);
    if !ir.is_unused(result) {
        let mut b = Builder::after(ir, op);
        let zero = arith::constant_index(&mut b, 0);
        let length = arith::SubIOp::new(&mut b, upper, lower).value(&mut b);
        let length = arith::MaxSIOp::new(&mut b, length, zero).value(&mut b);
        let rounds = match arith::constant_index_value(&b, by) {
            Some(1) => length,
            _ => {
                // A loop that does not run may have any step.
                let one = arith::constant_index(&mut b, 1);
                let by = arith::MaxSIOp::new(&mut b, by, one).value(&mut b);
                arith::CeilDivSIOp::new(&mut b, length, by).value(&mut b)
            }
        };
        let last = sum(&mut b, init, rounds, &step, ty);
        ir.replace_all_uses(result, last);
    }
    Some(())
}

/// `init + rounds * step`, in the type of the carried number.
fn sum(b: &mut Builder<'_>, init: Value, rounds: Value, step: &Step, ty: Type) -> Value {
    let index = b.ctx.index();
    let [init, by] = [init, step.value].map(|value| match b.ctx.is_index(b.ty(value)) {
        true => value,
        false => arith::IndexCastOp::new(b, value).result(index).value(b),
    });
    let moved = arith::MulIOp::new(b, rounds, by).value(b);
    let wide = match step.negative {
        true => arith::SubIOp::new(b, init, moved).value(b),
        false => arith::AddIOp::new(b, init, moved).value(b),
    };
    if b.ctx.is_index(ty) {
        return wide;
    }
    let narrow = arith::IndexCastOp::new(b, wide).result(ty).value(b);
    if step.fits
        && let Some(cast) = b.defining_op(narrow)
    {
        let unit = b.ctx.unit_attr();
        b.set_attr(cast, FITS_ATTR, unit);
    }
    narrow
}

/// What `value` is more than `argument`.
fn step(ir: &Ir, value: Value, argument: Value) -> Option<Step> {
    let def = ir.defining_op(value)?;
    let is_sum = arith::AddIOp::is(ir, def);
    if is_sum || arith::SubIOp::is(ir, def) {
        let (a, b) = (ir.operand(def, 0), ir.operand(def, 1));
        let other = match (is_same(ir, a, argument), is_sum && is_same(ir, b, argument)) {
            (true, _) => b,
            (_, true) => a,
            _ => return None,
        };
        let fits = ir.ctx.is_index(ir.ty(value)) || promises_no_signed_wrap(ir, def);
        return Some(Step { value: other, negative: !is_sum, fits });
    }
    // A sum in 64 bits that is cut again, as this pass leaves it for an inner loop.
    let fits = arith::IndexCastOp::is(ir, def) && ir.attr(def, FITS_ATTR).is_some();
    match fits {
        true => step(ir, ir.operand(def, 0), argument),
        false => None,
    }
}

/// Whether a value is the carried number, widened at most.
fn is_same(ir: &Ir, value: Value, argument: Value) -> bool {
    let widened = ir.defining_op(value).filter(|&def| arith::IndexCastOp::is(ir, def));
    value == argument || widened.is_some_and(|def| ir.operand(def, 0) == argument)
}
