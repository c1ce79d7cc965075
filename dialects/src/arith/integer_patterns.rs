//! Canonicalisation of integer arithmetic.

use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Attr, Ir, Op, OpView, Value};

use super::cast::{ExtSIOp, ExtUIOp};
use super::compare::CmpIOp;
use super::constant::{constant, constant_value};
use super::flags::{CmpIPredicate, OVERFLOW_FLAGS};
use super::fold::{Number, Width, defined_by, map_elements, splat_int, uniform_int};
use super::integer::*;

const NO_SIGNED_WRAP: i64 = 1;

pub(super) const ADDI: &[Pattern] = &[
    Pattern { name: "add-constants", apply: combine_constants },
    Pattern { name: "add-negated", apply: add_negated },
];

pub(super) const SUBI: &[Pattern] = &[
    Pattern { name: "sub-constants", apply: combine_constants },
    Pattern { name: "sub-own-minuend", apply: subtract_own_minuend },
];

pub(super) const MULI: &[Pattern] = &[Pattern { name: "mul-constants", apply: multiply_constants }];

pub(super) const ANDI: &[Pattern] =
    &[Pattern { name: "and-of-extensions", apply: bitwise_of_extensions }];

pub(super) const ORI: &[Pattern] =
    &[Pattern { name: "or-of-extensions", apply: bitwise_of_extensions }];

pub(super) const XORI: &[Pattern] = &[
    Pattern { name: "not-of-comparison", apply: invert_comparison },
    Pattern { name: "xor-of-extensions", apply: bitwise_of_extensions },
];

pub(super) const ADDUI_EXTENDED: &[Pattern] =
    &[Pattern { name: "add-without-overflow", apply: only_low_half }];

pub(super) const MULUI_EXTENDED: &[Pattern] =
    &[Pattern { name: "mul-without-high-half", apply: only_low_half }];

pub(super) const MULSI_EXTENDED: &[Pattern] = &[
    Pattern { name: "mul-without-high-half", apply: only_low_half },
    Pattern { name: "mul-extended-by-one", apply: extended_by_one },
];

/// A sum or difference of one value and one constant: `±x ± constant`.
struct Linear {
    x: Value,
    /// Whether `x` is subtracted.
    negative: bool,
    constant: Attr,
    /// Whether the constant is subtracted.
    subtracted: bool,
    flags: i64,
}

fn linear(ir: &Ir, op: Op) -> Option<Linear> {
    let is_sub = SubIOp::is(ir, op);
    if !is_sub && !AddIOp::is(ir, op) {
        return None;
    }
    let (lhs, rhs) = (ir.operand(op, 0), ir.operand(op, 1));
    let flags = ir.attr(op, "overflowFlags").and_then(|attr| OVERFLOW_FLAGS.number(&ir.ctx, attr));
    let flags = flags.unwrap_or(0);
    match (constant_value(ir, lhs), constant_value(ir, rhs)) {
        (None, Some(constant)) => {
            Some(Linear { x: lhs, negative: false, constant, subtracted: is_sub, flags })
        }
        (Some(constant), None) => {
            Some(Linear { x: rhs, negative: is_sub, constant, subtracted: false, flags })
        }
        _ => None,
    }
}

/// `(x + c0) + c1`, `c1 - (x - c0)` and their like to one addition or subtraction. What never
/// overflowed in two steps does not in one, if the combined constant did not overflow either.
fn combine_constants(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let Some(outer) = linear(rw, op) else { return false };
    let Some(inner) = rw.defining_op(outer.x).and_then(|inner| linear(rw, inner)) else {
        return false;
    };
    let ty = rw.ty(rw.result(op, 0));
    let Some(width) = Width::of(&rw.ctx, ty) else { return false };
    let both_subtracted = outer.subtracted && inner.subtracted;
    let mut exact = true;
    let combined =
        map_elements(&mut rw.ctx, [Some(outer.constant), Some(inner.constant)], ty, |numbers| {
            let [Number::Int(c1), Number::Int(c0)] = numbers else { return None };
            let (c1, c0) = (width.signed(c1), width.signed(c0));
            let subtract = |negate: bool, a: i128, b: i128| {
                if negate {
                    (a.wrapping_sub(b), a.checked_sub(b))
                } else {
                    (a.wrapping_add(b), a.checked_add(b))
                }
            };
            let (c1, checked) = if both_subtracted {
                subtract(false, c1, c0)
            } else {
                let (signed_c1, negation) = subtract(outer.subtracted, 0, c1);
                let (sum, checked) = subtract(outer.negative != inner.subtracted, signed_c1, c0);
                (sum, negation.and(checked))
            };
            exact &= checked.is_some_and(|value| width.signed(value) == value);
            Some(Number::Int(c1))
        });
    let Some(combined) = combined else { return false };
    let flags = if exact { outer.flags & inner.flags & NO_SIGNED_WRAP } else { 0 };
    let flags = (flags != 0).then(|| OVERFLOW_FLAGS.attr(&mut rw.ctx, flags));
    let x = inner.x;
    let mut b = rw.before(op);
    let c = constant(&mut b, combined);
    let build = match (both_subtracted, outer.negative != inner.negative) {
        (true, _) => SubIOp::new(&mut b, x, c),
        (false, true) => SubIOp::new(&mut b, c, x),
        (false, false) => AddIOp::new(&mut b, x, c),
    };
    let value = build.attr_option(&mut b, "overflowFlags", flags).value(&mut b);
    rw.replace(op, &[value]);
    true
}

/// `x + y * -1` to `x - y`.
fn add_negated(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let (lhs, rhs) = (rw.operand(op, 0), rw.operand(op, 1));
    for (x, product) in [(lhs, rhs), (rhs, lhs)] {
        let Some(mul) = defined_by::<MulIOp>(rw, product) else { continue };
        let Some(width) = Width::of(&rw.ctx, rw.ty(x)) else { return false };
        let factor = uniform_int(&rw.ctx, constant_value(rw, mul.rhs(rw)));
        if width.bits() > 1 && factor.is_some_and(|factor| width.signed(factor) == -1) {
            let y = mul.lhs(rw);
            let mut b = rw.before(op);
            let value = SubIOp::new(&mut b, x, y).value(&mut b);
            rw.replace(op, &[value]);
            return true;
        }
    }
    false
}

/// `(a - b) - a` to `0 - b`.
fn subtract_own_minuend(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let (lhs, rhs) = (rw.operand(op, 0), rw.operand(op, 1));
    let Some(inner) = defined_by::<SubIOp>(rw, lhs).filter(|inner| inner.lhs(rw) == rhs) else {
        return false;
    };
    let (b_value, ty) = (inner.rhs(rw), rw.ty(lhs));
    let Some(zero) = splat_int(&mut rw.ctx, 0, ty) else { return false };
    let mut b = rw.before(op);
    let zero = constant(&mut b, zero);
    let value = SubIOp::new(&mut b, zero, b_value).value(&mut b);
    rw.replace(op, &[value]);
    true
}

/// `(x * c0) * c1` to `x * (c0 * c1)`.
fn multiply_constants(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let Some(c1) = constant_value(rw, rw.operand(op, 1)) else { return false };
    let Some(inner) = defined_by::<MulIOp>(rw, rw.operand(op, 0)) else { return false };
    let Some(c0) = constant_value(rw, inner.rhs(rw)) else { return false };
    let (x, ty) = (inner.lhs(rw), rw.ty(rw.result(op, 0)));
    let product = map_elements(&mut rw.ctx, [Some(c0), Some(c1)], ty, |numbers| match numbers {
        [Number::Int(a), Number::Int(b)] => Some(Number::Int(a.wrapping_mul(b))),
        _ => None,
    });
    let Some(product) = product else { return false };
    let mut b = rw.before(op);
    let product = constant(&mut b, product);
    let value = MulIOp::new(&mut b, x, product).value(&mut b);
    rw.replace(op, &[value]);
    true
}

/// `ext(x) & ext(y)` to `ext(x & y)`; so for or and exclusive or.
fn bitwise_of_extensions(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let (Some(lhs), Some(rhs)) =
        (rw.defining_op(rw.operand(op, 0)), rw.defining_op(rw.operand(op, 1)))
    else {
        return false;
    };
    let both = |is: fn(&Ir, Op) -> bool, ir: &Ir| is(ir, lhs) && is(ir, rhs);
    let unsigned = both(ExtUIOp::is, rw);
    if !unsigned && !both(ExtSIOp::is, rw) {
        return false;
    }
    let (x, y, ty) = (rw.operand(lhs, 0), rw.operand(rhs, 0), rw.ty(rw.result(op, 0)));
    if rw.ty(x) != rw.ty(y) {
        return false;
    }
    let (is_and, is_or) = (AndIOp::is(rw, op), OrIOp::is(rw, op));
    let mut b = rw.before(op);
    let narrow = match (is_and, is_or) {
        (true, _) => AndIOp::new(&mut b, x, y),
        (_, true) => OrIOp::new(&mut b, x, y),
        _ => XOrIOp::new(&mut b, x, y),
    };
    let narrow = narrow.value(&mut b);
    let wide = if unsigned { ExtUIOp::new(&mut b, narrow) } else { ExtSIOp::new(&mut b, narrow) };
    let wide = wide.result(ty).value(&mut b);
    rw.replace(op, &[wide]);
    true
}

/// `cmpi(p, a, b) ^ true` to `cmpi(not p, a, b)`.
fn invert_comparison(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let Some(cmp) = defined_by::<CmpIOp>(rw, rw.operand(op, 0)) else { return false };
    if uniform_int(&rw.ctx, constant_value(rw, rw.operand(op, 1))) != Some(1) {
        return false;
    }
    let Some(predicate) = CmpIPredicate::of(rw, cmp.0) else { return false };
    let predicate = predicate.inverted().attr(&mut rw.ctx);
    let (lhs, rhs) = (cmp.lhs(rw), cmp.rhs(rw));
    let mut b = rw.before(op);
    let value = CmpIOp::new(&mut b, lhs, rhs).attr(&mut b, "predicate", predicate).value(&mut b);
    rw.replace(op, &[value]);
    true
}

/// An extended operation whose second result nobody uses is the plain one.
fn only_low_half(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let (low, high) = (rw.result(op, 0), rw.result(op, 1));
    if !rw.is_unused(high) {
        return false;
    }
    let is_add = AddUIExtendedOp::is(rw, op);
    let (lhs, rhs) = (rw.operand(op, 0), rw.operand(op, 1));
    let mut b = rw.before(op);
    let build = if is_add { AddIOp::new(&mut b, lhs, rhs) } else { MulIOp::new(&mut b, lhs, rhs) };
    let value = build.value(&mut b);
    rw.replace_uses(low, value);
    rw.erase(op);
    true
}

/// The high half of `x * 1` is the sign of `x`.
fn extended_by_one(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let (x, ty) = (rw.operand(op, 0), rw.ty(rw.result(op, 0)));
    let one = uniform_int(&rw.ctx, constant_value(rw, rw.operand(op, 1))) == Some(1);
    let width = Width::of(&rw.ctx, ty);
    if !one || rw.ctx.is_index(rw.ctx.element_or_self(ty)) || width.is_none_or(|w| w.bits() == 1) {
        return false;
    }
    let Some(zero) = splat_int(&mut rw.ctx, 0, ty) else { return false };
    let less = CmpIPredicate::Slt.attr(&mut rw.ctx);
    let mut b = rw.before(op);
    let zero = constant(&mut b, zero);
    let negative = CmpIOp::new(&mut b, x, zero).attr(&mut b, "predicate", less).value(&mut b);
    let high = ExtSIOp::new(&mut b, negative).result(ty).value(&mut b);
    rw.replace(op, &[x, high]);
    true
}
