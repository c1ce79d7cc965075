//! What ends the regions of `affine` operations.

use gpuc_ir::op::types::ANY;
use gpuc_ir::{Builder, Ir, Op, OpView, Region, Value, op};

use super::branch::AffineIfOp;
use super::for_loop::AffineForOp;
use super::parallel::AffineParallelOp;

op! {
    /// Ends a region of an `affine` operation with the values it yields.
    AffineYieldOp = "affine.yield" {
        operands { operands: Variadic ANY }
        traits PURE, TERMINATOR, RETURN_LIKE
        format "attr-dict ($operands^ `:` type($operands))?"
        hooks { verify: Some(verify_yield) }
    }
}

/// Creates the `affine.yield` without operands that the text leaves out.
pub(super) fn yield_nothing(b: &mut Builder<'_>) -> Op {
    AffineYieldOp::new(b, &[]).build(b)
}

/// What the terminator of a region of one block hands over.
pub(super) fn yielded(ir: &Ir, region: Region) -> Vec<Value> {
    let end = ir.blocks(region).first().and_then(|&block| ir.last_op(block));
    end.filter(|&end| AffineYieldOp::is(ir, end))
        .map_or(Vec::new(), |end| ir.operands(end).collect())
}

fn verify_yield(ir: &Ir, op: Op) -> Result<(), String> {
    let parent = ir.parent_op(op).filter(|&parent| {
        AffineForOp::is(ir, parent)
            || AffineIfOp::is(ir, parent)
            || AffineParallelOp::is(ir, parent)
    });
    let Some(parent) = parent else {
        return Err("only terminates affine.if/for/parallel regions".into());
    };
    let results = ir.results(parent);
    if results.len() != ir.operand_count(op) {
        return Err("parent of yield must have same number of results as the yield operands".into());
    }
    for (operand, &result) in ir.operands(op).zip(results) {
        if ir.ty(operand) != ir.ty(result) {
            return Err("types mismatch between yield op and its parent".into());
        }
    }
    Ok(())
}
