//! `scf-for-loop-range-folding`: what a loop only adds to its variable, or multiplies it with, goes into its
//! bounds.
//!
//! Needs an `scf.for` whose variable has one user, a sum or a product with a value from outside. After MLIR's
//! pass of the same name, which multiplies with any number; ours with positive constants, since with 0 or
//! less the loop would not end, or not begin.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, WalkOrder};

use crate::steps::refusal::Refusal;

gpuc_ir::pass! {
    /// Fold sums and products of loop variables into bounds and steps.
    ScfForLoopRangeFolding = "scf-for-loop-range-folding" {}
}

const STEP: &str = "scf-for-loop-range-folding";

impl Pass for ScfForLoopRangeFolding {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PostOrder) {
            let Some(view) = scf::ForOp::cast(ir, inner) else { continue };
            loop {
                match fold(ir, view) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(refusal) => {
                        cx.report(refusal.remark(ir));
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Takes one operation on the variable into the range; whether there was one.
///
/// # Errors
/// The variable is multiplied with something not known to be positive.
pub fn fold(ir: &mut Ir, view: scf::ForOp) -> Result<bool, Refusal> {
    let op = view.op();
    let variable = view.induction_var(ir);
    if !ir.ctx.is_index(ir.ty(variable)) || !ir.has_one_use(variable) {
        return Ok(false);
    }
    let Some(user) = ir.users(variable).next() else { return Ok(false) };
    let product = arith::MulIOp::is(ir, user);
    if !product && !arith::AddIOp::is(ir, user) {
        return Ok(false);
    }
    let operands: Vec<Value> = ir.operands(user).collect();
    let Some(&other) = operands.iter().find(|&&operand| operand != variable) else {
        return Ok(false);
    };
    let inside = |value: Value| {
        let block = ir.value_block(value);
        let owner = block.and_then(|block| ir.block_op(block));
        owner.is_none_or(|owner| owner == op || ir.is_inside(owner, op))
    };
    if inside(other) {
        return Ok(false);
    }
    if product && arith::constant_index_value(ir, other).is_none_or(|factor| factor <= 0) {
        let rule = "the factor of the variable is not known to be positive";
        return Err(Refusal::new(STEP, op, rule));
    }
    // Lower bound, upper bound, and of a product the step.
    for index in 0..2 + usize::from(product) {
        let bound = ir.operand(op, index);
        let mut b = Builder::before(ir, op);
        b.location = b.location(user);
        let swapped = operands[1] == variable;
        let (left, right) = if swapped { (other, bound) } else { (bound, other) };
        let value = match product {
            true => arith::MulIOp::new(&mut b, left, right).value(&mut b),
            false => arith::AddIOp::new(&mut b, left, right).value(&mut b),
        };
        ir.set_operand(op, index, value);
    }
    ir.replace_op(user, &[variable]);
    Ok(true)
}
