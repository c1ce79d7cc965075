//! Folders and canonicalisation of comparisons.

use gpuc_ir::op::Fold;
use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Attr, Ir, Op, Value};

use super::cast::{ExtSIOp, ExtUIOp};
use super::compare::CmpIOp;
use super::flags::{CmpFPredicate, CmpIPredicate, FastMath};
use super::fold::{
    Number, Width, defined_by, fold_ints, folded, is_computable, map_elements, splat_int,
    uniform_float, uniform_int,
};

type Constants<'a> = &'a [Option<Attr>];

/// The same answer for every element.
fn answer(ir: &mut Ir, op: Op, holds: bool) -> Fold {
    let ty = ir.ty(ir.result(op, 0));
    folded(splat_int(&mut ir.ctx, holds.into(), ty))
}

pub(super) fn fold_cmpi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let (lhs, rhs) = (ir.operand(op, 0), ir.operand(op, 1));
    let Some(predicate) = CmpIPredicate::of(ir, op) else { return Fold::None };
    if lhs == rhs {
        return answer(ir, op, predicate.is_reflexive());
    }
    if c[0].is_some() && c[1].is_none() {
        let swapped = predicate.swapped().attr(&mut ir.ctx);
        ir.set_operand(op, 0, rhs);
        ir.set_operand(op, 1, lhs);
        ir.set_attr(op, "predicate", swapped);
        return Fold::InPlace;
    }
    let Some(width) = Width::of(&ir.ctx, ir.ty(lhs)) else { return Fold::None };
    if let Some(bound) = uniform_int(&ir.ctx, c[1]) {
        if c[0].is_none()
            && let Some(holds) = decided_by_bound(predicate, width, bound)
        {
            return answer(ir, op, holds);
        }
        if let Some(truth) = tested_truth(ir, predicate, width, lhs, bound) {
            return Fold::one(truth);
        }
    }
    folded(fold_ints(ir, op, c, |width, a, b| Some(predicate.holds(a, b, width.bits()).into())))
}

/// A comparison with the least or greatest number may have one answer for all.
fn decided_by_bound(predicate: CmpIPredicate, width: Width, bound: i128) -> Option<bool> {
    let (least, greatest) = match predicate {
        CmpIPredicate::Ult | CmpIPredicate::Ule | CmpIPredicate::Ugt | CmpIPredicate::Uge => {
            (0, -1)
        }
        CmpIPredicate::Eq | CmpIPredicate::Ne => return None,
        _ => (width.least_signed(), width.greatest_signed()),
    };
    let bound = width.signed(bound);
    match predicate {
        CmpIPredicate::Ult | CmpIPredicate::Slt if bound == least => Some(false),
        CmpIPredicate::Uge | CmpIPredicate::Sge if bound == least => Some(true),
        CmpIPredicate::Ugt | CmpIPredicate::Sgt if bound == greatest => Some(false),
        CmpIPredicate::Ule | CmpIPredicate::Sle if bound == greatest => Some(true),
        _ => None,
    }
}

/// `ext(c) != 0`, `c != false` and `c == true` ask for `c` itself.
fn tested_truth(
    ir: &Ir,
    predicate: CmpIPredicate,
    width: Width,
    lhs: Value,
    bound: i128,
) -> Option<Value> {
    let (wanted, truth) = match predicate {
        CmpIPredicate::Ne => (0, true),
        CmpIPredicate::Eq => (1, width.bits() == 1),
        _ => return None,
    };
    if width.unsigned(bound) != wanted || !truth {
        return None;
    }
    if width.bits() == 1 {
        return Some(lhs);
    }
    let extended = defined_by::<ExtUIOp>(ir, lhs)
        .map(|ext| ext.input(ir))
        .or_else(|| defined_by::<ExtSIOp>(ir, lhs).map(|ext| ext.input(ir)))?;
    (Width::of(&ir.ctx, ir.ty(extended))?.bits() == 1).then_some(extended)
}

pub(super) const CMPI: &[Pattern] =
    &[Pattern { name: "compare-before-extension", apply: compare_narrow }];

/// Two values widened in the same way compare as they did before.
fn compare_narrow(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let (lhs, rhs) = (rw.operand(op, 0), rw.operand(op, 1));
    let Some(mut predicate) = CmpIPredicate::of(rw, op) else { return false };
    let zero = |ir: &Ir, value| defined_by::<ExtUIOp>(ir, value).map(|ext| ext.input(ir));
    let sign = |ir: &Ir, value| defined_by::<ExtSIOp>(ir, value).map(|ext| ext.input(ir));
    let sources = if let (Some(a), Some(b)) = (zero(rw, lhs), zero(rw, rhs)) {
        // Neither is negative when wide.
        predicate = match predicate {
            CmpIPredicate::Slt => CmpIPredicate::Ult,
            CmpIPredicate::Sle => CmpIPredicate::Ule,
            CmpIPredicate::Sgt => CmpIPredicate::Ugt,
            CmpIPredicate::Sge => CmpIPredicate::Uge,
            other => other,
        };
        (a, b)
    } else if let (Some(a), Some(b)) = (sign(rw, lhs), sign(rw, rhs)) {
        (a, b)
    } else {
        return false;
    };
    if rw.ty(sources.0) != rw.ty(sources.1) {
        return false;
    }
    let predicate = predicate.attr(&mut rw.ctx);
    let mut b = rw.before(op);
    let value = CmpIOp::new(&mut b, sources.0, sources.1)
        .attr(&mut b, "predicate", predicate)
        .value(&mut b);
    rw.replace(op, &[value]);
    true
}

pub(super) fn fold_cmpf(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let (lhs, rhs) = (ir.operand(op, 0), ir.operand(op, 1));
    let Some(predicate) = CmpFPredicate::of(ir, op) else { return Fold::None };
    if matches!(predicate, CmpFPredicate::False | CmpFPredicate::True) {
        return answer(ir, op, predicate == CmpFPredicate::True);
    }
    if c.iter().any(|&constant| uniform_float(&ir.ctx, constant).is_some_and(f64::is_nan)) {
        return answer(ir, op, predicate.holds(f64::NAN, 0.0));
    }
    if lhs == rhs {
        let (equal, unordered) = (predicate.holds(0.0, 0.0), predicate.holds(f64::NAN, 0.0));
        if equal == unordered || FastMath::of(ir, op).contains(FastMath::NO_NANS) {
            return answer(ir, op, equal);
        }
    }
    if !is_computable(&ir.ctx, ir.ty(lhs)) {
        return Fold::None;
    }
    let ty = ir.ty(ir.result(op, 0));
    folded(map_elements(&mut ir.ctx, [c[0], c[1]], ty, |numbers| match numbers {
        [Number::Float(a), Number::Float(b)] => Some(Number::Int(predicate.holds(a, b).into())),
        _ => None,
    }))
}
