//! What folding and canonicalisation do: constants, values, patterns that replace an operation and what it holds.

use gpuc_ir::op::{Fold, FoldResult, attrs, types};
use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Attr, Builder, Op, Type, op};
use types::{ANY, I32};

use crate::arith;
use crate::func;
use attrs::{FLAT_SYMBOL, TYPED};

op! {
    /// A constant.
    ConstantOp = "test.constant" {
        results { result: One ANY }
        attrs { value: Required TYPED }
        traits PURE, CONSTANT_LIKE
    }
}

/// [`gpuc_ir::context::DialectDef::materialize`] of the dialect.
pub(super) fn materialize(b: &mut Builder<'_>, value: Attr, ty: Type) -> Option<Op> {
    Some(ConstantOp::new(b).attr(b, "value", value).result(ty).build(b))
}

op! {
    /// Folds to its operand where that is constant.
    ManualFoldOp = "test.manual_cpp_op_with_fold" {
        operands { op: One ANY }
        results { result: One ANY }
        traits PURE
        hooks { fold: Some(|_, _, constants| constants[0].map_or(Fold::None, Fold::one)) }
    }
}

op! {
    /// Commutes in all four operands.
    OpCommutative = "test.op_commutative" {
        operands { op1: One I32, op2: One I32, op3: One I32, op4: One I32 }
        results { result: One I32 }
        traits COMMUTATIVE
    }
}

op! {
    /// Its results are its operands.
    OpWithVariadicResultsAndFolder = "test.op_with_variadic_results_and_folder" {
        operands { operands: Variadic I32 }
        results { result: Variadic I32 }
        traits PURE
        hooks {
            fold: Some(|ir, op, _| Fold::Results(ir.operands(op).map(FoldResult::Value).collect())),
        }
    }
}

const INNER_OPS: &[Pattern] =
    &[Pattern { name: "TestRemoveOpWithInnerOps", apply: remove_with_inner_ops }];

fn remove_with_inner_ops(rw: &mut Rewriter<'_>, op: Op) -> bool {
    rw.erase(op);
    true
}

op! {
    /// A pattern erases it with what it holds.
    OpWithRegionPattern = "test.op_with_region_pattern" {
        regions { region: SizedOne }
        hooks { canonicalize: INNER_OPS }
    }
}

op! {
    /// Folds to its operand, region and all.
    OpWithRegionFold = "test.op_with_region_fold" {
        operands { operand: One I32 }
        results { result: One I32 }
        regions { region: SizedOne }
        traits PURE
        hooks { fold: Some(|ir, op, _| Fold::one(ir.operand(op, 0))) }
    }
}

op! {
    /// Has no effect, nor has what it holds.
    OpWithRegionFoldNoSideEffect = "test.op_with_region_fold_no_side_effect" {
        regions { region: SizedOne }
        traits PURE
    }
}

op! {
    /// Ends the regions of these operations.
    OpWithRegionTerminator = "test.op_with_region_terminator" {
        traits TERMINATOR
    }
}

const FORTY_TWO: &[Pattern] = &[Pattern { name: "dialect-canonicalization", apply: to_constant }];

fn to_constant(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let mut b = rw.before(op);
    let ty = b.ctx.i32();
    let value = arith::constant_int(&mut b, 42, ty);
    rw.replace(op, &[value]);
    true
}

op! {
    /// A pattern makes a constant of it.
    DialectCanonicalizableOp = "test.dialect_canonicalizable" {
        results { result: One I32 }
        hooks { canonicalize: FORTY_TWO }
    }
}

const TO_CALL: &[Pattern] = &[Pattern { name: "fold-to-call", apply: to_call }];

fn to_call(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let Some(callee) = FoldToCallOp(op).callee(rw) else { return false };
    let mut b = rw.before(op);
    func::CallOp::new(&mut b, &[]).result_group(&[]).attr(&mut b, "callee", callee).build(&mut b);
    rw.erase(op);
    true
}

op! {
    /// A pattern makes a call of it: calls appear while functions are inlined.
    FoldToCallOp = "test.fold_to_call_op" {
        attrs { callee: Required FLAT_SYMBOL }
        hooks { canonicalize: TO_CALL }
    }
}
