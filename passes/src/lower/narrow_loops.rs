//! `narrow-loops`: loops of kernels count in 32 bits where that is enough.
//!
//! Needs nothing; leaves loops whose bounds and step are not known to fit, with the variable behind
//! its last value, and those that count in 32 bits or less. A 64-bit counter costs a device two
//! additions and two comparisons a round, in 32-bit registers. The intervals come from
//! [`crate::analysis::range`]: a bound that the program has as `int` is enough. Uses of the variable
//! see it widened again.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, gpu, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, WalkOrder};

use crate::analysis::range::{Range, range};

gpuc_ir::pass! {
    /// Let loops of kernels count in 32 bits where that is enough.
    NarrowLoops = "narrow-loops" on "builtin.module" {}
}

/// Bits of a narrow counter.
const WIDTH: u32 = 32;

impl Pass for NarrowLoops {
    fn run(&mut self, ir: &mut Ir, module: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for func in ir.nested_ops(module, WalkOrder::PreOrder) {
            if !gpu::GPUFuncOp::is(ir, func) {
                continue;
            }
            for op in ir.nested_ops(func, WalkOrder::PreOrder) {
                if let Some(view) = scf::ForOp::cast(ir, op)
                    && fits(ir, view)
                {
                    narrow(ir, view);
                }
            }
        }
        Ok(())
    }
}

/// Whether the variable has no value that a narrow counter has not, the one that ends the loop
/// included.
fn fits(ir: &Ir, view: scf::ForOp) -> bool {
    if !ir.ctx.is_index(ir.ty(view.lowerBound(ir))) {
        return false;
    }
    let [lower, upper, step] =
        [view.lowerBound(ir), view.upperBound(ir), view.step(ir)].map(|value| range(ir, value));
    let all = Range::signed(WIDTH);
    // The variable is below the upper bound before its last step.
    let last = Range { min: lower.min, max: (upper.max - 1).saturating_add(step.max) };
    let known = [lower, upper, step].iter().all(|bound| bound.is_within(all));
    known && step.min > 0 && last.is_within(all)
}

fn narrow(ir: &mut Ir, view: scf::ForOp) {
    let op = view.op();
    let mut b = Builder::before(ir, op);
    let narrow = b.ctx.i32();
    let bounds = [view.lowerBound(&b), view.upperBound(&b), view.step(&b)];
    let bounds =
        bounds.map(|value| arith::IndexCastOp::new(&mut b, value).result(narrow).value(&mut b));
    for (index, bound) in bounds.into_iter().enumerate() {
        ir.set_operand(op, index, bound);
    }
    let (variable, body) = (view.induction_var(ir), view.body(ir));
    ir.set_type(variable, narrow);
    let location = ir.location(op);
    let mut b = Builder::at_start(ir, body, location);
    let index = b.ctx.index();
    let wide = arith::IndexCastOp::new(&mut b, variable).result(index).value(&mut b);
    replace_uses(ir, variable, wide);
}

/// Puts the widened variable in the place of the variable itself.
fn replace_uses(ir: &mut Ir, variable: Value, wide: Value) {
    let cast = ir.defining_op(wide);
    ir.replace_uses_if(variable, wide, |ir, slot| Some(ir.use_owner(slot)) != cast);
}
