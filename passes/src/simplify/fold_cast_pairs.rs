//! `fold-cast-pairs`: a number that is cut to fewer bits and widened again is itself where it fits.
//!
//! Needs nothing. An `int` of C that counts a loop is cut from the loop's `index` and widened again
//! for each subscript; as long as the loop's bounds stand round the variable, its interval
//! ([`crate::analysis::range`]) shows that no bit is lost.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::arith;
use gpuc_dialects::offload::{FITS_ATTR, FITS_UNSIGNED_ATTR};
use gpuc_ir::dominance::DominanceInfo;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};

use crate::analysis::range::{Range, range};

gpuc_ir::pass! {
    /// Fold casts to fewer bits and back where the number fits.
    FoldCastPairs = "fold-cast-pairs" {}
}

impl Pass for FoldCastPairs {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if let Some(original) = original(ir, inner) {
                ir.replace_op(inner, &[original]);
            }
        }
        // Blocks and their terminators stay as they are.
        cx.preserve::<DominanceInfo>();
        Ok(())
    }
}

/// The value that a widening gives back.
fn original(ir: &Ir, widening: Op) -> Option<Value> {
    let bits = |value: Value| ir.ctx.int_or_index_width(ir.ty(value));
    let is_cast = |op: Op| {
        arith::IndexCastOp::is(ir, op) || arith::ExtSIOp::is(ir, op) || arith::TruncIOp::is(ir, op)
    };
    let is_unsigned = arith::IndexCastUIOp::is(ir, widening) || arith::ExtUIOp::is(ir, widening);
    if !is_cast(widening) && !is_unsigned {
        return None;
    }
    let narrow = ir.operand(widening, 0);
    let cut = ir.defining_op(narrow).filter(|&op| is_cast(op))?;
    let wide = ir.operand(cut, 0);
    let (attr, all) = match is_unsigned {
        true => (FITS_UNSIGNED_ATTR, Range::unsigned(bits(narrow)?)),
        false => (FITS_ATTR, Range::signed(bits(narrow)?)),
    };
    let fits = ir.attr(cut, attr).is_some() || range(ir, wide).is_within(all);
    (ir.ty(wide) == ir.ty(ir.result(widening, 0)) && bits(narrow)? < bits(wide)? && fits)
        .then_some(wide)
}
