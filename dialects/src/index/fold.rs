//! Folds and patterns.
//!
//! A fold computes with 64 bits and with 32; its answer is the one of 64 bits, where its low half is the other one.

use gpuc_ir::op::Fold;
use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Attr, Ir, Op, OpView, Value};

use super::ops::*;
use crate::arith::CmpIPredicate;
use crate::arith::fold::defined_by;

type Constants<'a> = &'a [Option<Attr>];

/// The constants of both operands, as numbers of 64 bits.
fn both(ir: &Ir, c: Constants<'_>) -> Option<(i64, i64)> {
    let number = |attr: Option<Attr>| ir.ctx.int_value(attr?).map(|value| value as i64);
    Some((number(c[0])?, number(c[1])?))
}

fn is(ir: &Ir, constant: Option<Attr>, value: i64) -> bool {
    constant.and_then(|attr| ir.ctx.i64_value(attr)) == Some(value)
}

/// Whatever the width is: the answer of 64 bits, where that of 32 is its low half.
fn agreeing(
    ir: &mut Ir,
    c: Constants<'_>,
    wide: impl Fn(i64, i64) -> Option<i64>,
    narrow: impl Fn(i32, i32) -> Option<i32>,
) -> Fold {
    let Some((a, b)) = both(ir, c) else { return Fold::None };
    match (wide(a, b), narrow(a as i32, b as i32)) {
        (Some(result), Some(low)) if result as i32 == low => Fold::one(ir.ctx.index_attr(result)),
        _ => Fold::None,
    }
}

/// The same where 64 bits are always right in their low half.
fn modular(ir: &mut Ir, c: Constants<'_>, f: impl Fn(i64, i64) -> i64) -> Fold {
    match both(ir, c) {
        Some((a, b)) => Fold::one(ir.ctx.index_attr(f(a, b))),
        None => Fold::None,
    }
}

pub(super) fn add(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if is(ir, c[1], 0) {
        return Fold::one(ir.operand(op, 0));
    }
    modular(ir, c, i64::wrapping_add)
}

pub(super) fn sub(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if is(ir, c[1], 0) {
        return Fold::one(ir.operand(op, 0));
    }
    modular(ir, c, i64::wrapping_sub)
}

pub(super) fn mul(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if is(ir, c[1], 1) {
        return Fold::one(ir.operand(op, 0));
    }
    if is(ir, c[1], 0) {
        return Fold::one(ir.ctx.index_attr(0));
    }
    modular(ir, c, i64::wrapping_mul)
}

pub(super) fn divs(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(ir, c, i64::checked_div, i32::checked_div)
}

pub(super) fn divu(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(
        ir,
        c,
        |a, b| (a as u64).checked_div(b as u64).map(|value| value as i64),
        |a, b| (a as u32).checked_div(b as u32).map(|value| value as i32),
    )
}

/// Quotient and whether something is left, and whether quotient and rest have one sign.
macro_rules! rounded {
    ($a:ident, $b:ident, $correct:expr) => {{
        let quotient = $a.checked_div($b)?;
        let inexact = $a.wrapping_rem($b) != 0;
        let positive = ($a < 0) == ($b < 0);
        let correction: fn(bool) -> i8 = $correct;
        Some(quotient + if inexact { correction(positive).into() } else { 0 })
    }};
}

pub(super) fn ceildivs(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(
        ir,
        c,
        |a, b| rounded!(a, b, i8::from),
        |a, b| match a.checked_div(b) {
            // The least number divided by -1 wraps.
            None if b == -1 => Some(a),
            _ => rounded!(a, b, i8::from),
        },
    )
}

pub(super) fn floordivs(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(
        ir,
        c,
        |a, b| rounded!(a, b, |positive| -i8::from(!positive)),
        |a, b| rounded!(a, b, |positive| -i8::from(!positive)),
    )
}

pub(super) fn ceildivu(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(
        ir,
        c,
        |a, b| (b != 0).then(|| (a as u64).div_ceil(b as u64) as i64),
        |a, b| (b != 0).then(|| (a as u32).div_ceil(b as u32) as i32),
    )
}

pub(super) fn rems(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(ir, c, i64::checked_rem, i32::checked_rem)
}

pub(super) fn remu(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(
        ir,
        c,
        |a, b| (a as u64).checked_rem(b as u64).map(|value| value as i64),
        |a, b| (a as u32).checked_rem(b as u32).map(|value| value as i32),
    )
}

pub(super) fn maxs(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(ir, c, |a, b| Some(a.max(b)), |a, b| Some(a.max(b)))
}

pub(super) fn mins(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(ir, c, |a, b| Some(a.min(b)), |a, b| Some(a.min(b)))
}

pub(super) fn maxu(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(
        ir,
        c,
        |a, b| Some((a as u64).max(b as u64) as i64),
        |a, b| Some((a as u32).max(b as u32) as i32),
    )
}

pub(super) fn minu(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(
        ir,
        c,
        |a, b| Some((a as u64).min(b as u64) as i64),
        |a, b| Some((a as u32).min(b as u32) as i32),
    )
}

/// A shift that is one for both widths.
fn by(b: i64) -> Option<u32> {
    u32::try_from(b).ok().filter(|&by| by < 32)
}

pub(super) fn shl(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(ir, c, |a, b| Some(a << by(b)?), |a, b| Some(a << by(b.into())?))
}

pub(super) fn shrs(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(ir, c, |a, b| Some(a >> by(b)?), |a, b| Some(a >> by(b.into())?))
}

pub(super) fn shru(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    agreeing(
        ir,
        c,
        |a, b| Some(((a as u64) >> by(b)?) as i64),
        |a, b| Some(((a as u32) >> by(b.into())?) as i32),
    )
}

pub(super) fn and(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    modular(ir, c, |a, b| a & b)
}

pub(super) fn or(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    modular(ir, c, |a, b| a | b)
}

pub(super) fn xor(ir: &mut Ir, _: Op, c: Constants<'_>) -> Fold {
    modular(ir, c, |a, b| a ^ b)
}

fn cast(ir: &mut Ir, op: Op, c: Constants<'_>, signed: bool) -> Fold {
    let from = ir.ctx.int_or_index_width(ir.ty(ir.operand(op, 0)));
    let ty = ir.ty(ir.result(op, 0));
    let (Some(value), Some(from)) = (c[0].and_then(|attr| ir.ctx.int_value(attr)), from) else {
        return Fold::None;
    };
    let index = ir.ctx.is_index(ty);
    // What is wider than 32 bits would differ with the width of `index`.
    if !index && ir.ctx.int_or_index_width(ty).is_none_or(|to| to > 32) {
        let agrees = match signed {
            true => i128::from(value as i32) == value,
            false => (0..1 << 32).contains(&value),
        };
        if !agrees {
            return Fold::None;
        }
    }
    let value = match signed || from > 127 {
        true => value,
        false => value.rem_euclid(1 << from),
    };
    Fold::one(match index {
        true => ir.ctx.index_attr(value as i64),
        false => ir.ctx.int_attr(value, ty),
    })
}

pub(super) fn casts(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    cast(ir, op, c, true)
}

pub(super) fn castu(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    cast(ir, op, c, false)
}

fn answer(ir: &mut Ir, holds: bool) -> Fold {
    Fold::one(ir.ctx.bool_attr(holds))
}

pub(super) fn cmp(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let Some(predicate) = CmpOp(op).predicate(ir) else { return Fold::None };
    let (lhs, rhs) = (ir.operand(op, 0), ir.operand(op, 1));
    if lhs == rhs {
        return answer(ir, predicate.is_reflexive());
    }
    if let Some((a, b)) = both(ir, c) {
        let [wide, narrow] = [64, 32].map(|width| predicate.holds(a.into(), b.into(), width));
        return if wide == narrow { answer(ir, wide) } else { Fold::None };
    }
    // An extremum with a constant bounds what is compared.
    let Some(bound) = c[1].and_then(|attr| ir.ctx.i64_value(attr)) else { return Fold::None };
    let limit = |ir: &Ir, other: Value| crate::arith::constant_index_value(ir, other);
    let range = if let Some(max) = defined_by::<MaxSOp>(ir, lhs) {
        limit(ir, max.rhs(ir)).map(|least| (least, i64::MAX))
    } else if let Some(min) = defined_by::<MinSOp>(ir, lhs) {
        limit(ir, min.rhs(ir)).map(|most| (i64::MIN, most))
    } else {
        None
    };
    let Some((least, most)) = range else { return Fold::None };
    let holds = match predicate {
        CmpIPredicate::Slt if most < bound => true,
        CmpIPredicate::Slt if least >= bound => false,
        CmpIPredicate::Sle if most <= bound => true,
        CmpIPredicate::Sle if least > bound => false,
        CmpIPredicate::Sgt if least > bound => true,
        CmpIPredicate::Sgt if most <= bound => false,
        CmpIPredicate::Sge if least >= bound => true,
        CmpIPredicate::Sge if most < bound => false,
        CmpIPredicate::Eq if bound < least || bound > most => false,
        CmpIPredicate::Ne if bound < least || bound > most => true,
        _ => return Fold::None,
    };
    // Bounds that only 64 bits hold say nothing of 32.
    match [least, most, bound]
        .iter()
        .all(|&n| n == i64::MIN || n == i64::MAX || i64::from(n as i32) == n)
    {
        true => answer(ir, holds),
        false => Fold::None,
    }
}

/// `(x op c0) op c1` to `x op (c0 op c1)`, for operations that associate.
macro_rules! associative {
    ($($name:ident $view:ident $apply:ident $label:literal;)*) => {$(
        pub(super) const $name: &[Pattern] = &[Pattern { name: $label, apply: $apply }];

        fn $apply(rw: &mut Rewriter<'_>, op: Op) -> bool {
            let Some(inner) = defined_by::<$view>(rw, rw.operand(op, 0)) else { return false };
            let (x, c0, c1) = (inner.lhs(rw), inner.rhs(rw), rw.operand(op, 1));
            let known = |rw: &Rewriter<'_>, value| crate::arith::constant_value(rw, value).is_some();
            if inner.op() == op || !known(rw, c0) || !known(rw, c1) {
                return false;
            }
            let mut b = rw.before(op);
            let both = $view::new(&mut b, c0, c1).value(&mut b);
            let value = $view::new(&mut b, x, both).value(&mut b);
            rw.replace(op, &[value]);
            true
        }
    )*};
}

associative! {
    ADD AddOp add_constants "add-constants";
    MUL MulOp mul_constants "mul-constants";
    MAXS MaxSOp maxs_constants "maxs-constants";
    MAXU MaxUOp maxu_constants "maxu-constants";
    MINS MinSOp mins_constants "mins-constants";
    MINU MinUOp minu_constants "minu-constants";
    AND AndOp and_constants "and-constants";
    OR OrOp or_constants "or-constants";
    XOR XOrOp xor_constants "xor-constants";
}

pub(super) const CMP: &[Pattern] =
    &[Pattern { name: "compare-difference-with-zero", apply: compare_operands }];

/// Whether `x - y` is 0 is whether `x` is `y`; so where zero stands first. Upstream's pattern takes order too, which is
/// another one where the difference wraps.
fn compare_operands(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = CmpOp(op);
    let (lhs, rhs) = (view.lhs(rw), view.rhs(rw));
    if !matches!(view.predicate(rw), Some(CmpIPredicate::Eq | CmpIPredicate::Ne)) {
        return false;
    }
    let is_zero =
        |rw: &Rewriter<'_>, value| crate::arith::constant_index_value(rw, value) == Some(0);
    let (x, y) = if let Some(sub) = defined_by::<SubOp>(rw, lhs).filter(|_| is_zero(rw, rhs)) {
        (sub.lhs(rw), sub.rhs(rw))
    } else if let Some(sub) = defined_by::<SubOp>(rw, rhs).filter(|_| is_zero(rw, lhs)) {
        (sub.rhs(rw), sub.lhs(rw))
    } else {
        return false;
    };
    let pred = view.pred(rw);
    let mut b = rw.before(op);
    let value = CmpOp::new(&mut b, x, y).attr_option(&mut b, "pred", pred).value(&mut b);
    rw.replace(op, &[value]);
    true
}
