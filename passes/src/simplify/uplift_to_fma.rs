//! `math-uplift-to-fma`: a product and a sum that may be contracted are one fused operation.
//!
//! Needs operations with the flag `contract`; others keep their two roundings. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, math};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, WalkOrder};

gpuc_ir::pass! {
    /// Fuse products and sums that may be contracted.
    MathUpliftToFma = "math-uplift-to-fma" {}
}

impl Pass for MathUpliftToFma {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for sum in ir.nested_ops(op, WalkOrder::PreOrder) {
            if arith::AddFOp::is(ir, sum) {
                fuse(ir, sum);
            }
        }
        Ok(())
    }
}

fn may_contract(ir: &Ir, op: Op) -> bool {
    arith::FastMath::of(ir, op).contains(arith::FastMath::CONTRACT)
}

fn fuse(ir: &mut Ir, sum: Op) {
    let (lhs, rhs) = (ir.operand(sum, 0), ir.operand(sum, 1));
    let product = |ir: &Ir, value| {
        ir.defining_op(value).filter(|&op| arith::MulFOp::is(ir, op) && may_contract(ir, op))
    };
    let (product, addend) = match (product(ir, lhs), product(ir, rhs)) {
        (Some(product), _) => (product, rhs),
        (None, Some(product)) => (product, lhs),
        (None, None) => return,
    };
    if !may_contract(ir, sum) {
        return;
    }
    let flags = ir.attr(sum, "fastmath");
    let (a, b) = (ir.operand(product, 0), ir.operand(product, 1));
    let mut builder = Builder::before(ir, sum);
    let fused = math::FmaOp::new(&mut builder, a, b, addend)
        .attr_option(&mut builder, "fastmath", flags)
        .value(&mut builder);
    ir.replace_op(sum, &[fused]);
    if ir.is_trivially_dead(product) {
        ir.erase_op(product);
    }
}
