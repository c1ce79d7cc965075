//! Folders of integer arithmetic.

use gpuc_ir::op::Fold;
use gpuc_ir::{Attr, Ir, Op, Value};
use smallvec::smallvec;

use super::constant::constant_value;
use super::fold::{Width, defined_by, fold_ints, folded, map_elements, splat_int, uniform_int};
use super::integer::{AddIOp, AndIOp, OrIOp, SubIOp, XOrIOp};
use super::{CmpIPredicate, Number};

type Constants<'a> = &'a [Option<Attr>];

fn operands(ir: &Ir, op: Op) -> (Value, Value) {
    (ir.operand(op, 0), ir.operand(op, 1))
}

fn is(ir: &Ir, constant: Option<Attr>, value: i128) -> bool {
    uniform_int(&ir.ctx, constant) == Some(value)
}

/// Whether every bit of the constant is one.
fn is_all_ones(ir: &Ir, op: Op, constant: Option<Attr>) -> bool {
    let Some(width) = Width::of(&ir.ctx, ir.ty(ir.operand(op, 0))) else { return false };
    uniform_int(&ir.ctx, constant).is_some_and(|value| width.signed(value) == -1)
}

fn zero(ir: &mut Ir, op: Op) -> Option<Attr> {
    let ty = ir.ty(ir.result(op, 0));
    splat_int(&mut ir.ctx, 0, ty)
}

pub(super) fn fold_addi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let (lhs, rhs) = operands(ir, op);
    if is(ir, c[1], 0) {
        return Fold::one(lhs);
    }
    // (a - b) + b and b + (a - b)
    for (difference, addend) in [(lhs, rhs), (rhs, lhs)] {
        if let Some(sub) = defined_by::<SubIOp>(ir, difference)
            && sub.rhs(ir) == addend
        {
            return Fold::one(sub.lhs(ir));
        }
    }
    folded(fold_ints(ir, op, c, |_, a, b| Some(a.wrapping_add(b))))
}

pub(super) fn fold_subi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let (lhs, rhs) = operands(ir, op);
    if lhs == rhs
        && let Some(zero) = zero(ir, op)
    {
        return Fold::one(zero);
    }
    if is(ir, c[1], 0) {
        return Fold::one(lhs);
    }
    if let Some(add) = defined_by::<AddIOp>(ir, lhs) {
        let (a, b) = (add.lhs(ir), add.rhs(ir));
        if b == rhs {
            return Fold::one(a);
        }
        if a == rhs {
            return Fold::one(b);
        }
    }
    folded(fold_ints(ir, op, c, |_, a, b| Some(a.wrapping_sub(b))))
}

pub(super) fn fold_muli(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let (lhs, rhs) = operands(ir, op);
    if is(ir, c[1], 0) {
        return Fold::one(rhs);
    }
    if is(ir, c[1], 1) {
        return Fold::one(lhs);
    }
    folded(fold_ints(ir, op, c, |_, a, b| Some(a.wrapping_mul(b))))
}

/// `x / 1`, for every rounding. In `i1`, where 1 is -1, only unsigned division has it.
fn fold_division(
    ir: &mut Ir,
    op: Op,
    c: Constants<'_>,
    signed: bool,
    divide: impl Fn(Width, i128, i128) -> Option<i128>,
) -> Fold {
    let (lhs, _) = operands(ir, op);
    let one_bit = Width::of(&ir.ctx, ir.ty(lhs)).is_some_and(|width| width.bits() == 1);
    if is(ir, c[1], 1) && !(signed && one_bit) {
        return Fold::one(lhs);
    }
    folded(fold_ints(ir, op, c, divide))
}

/// Quotient and remainder towards zero, where they are defined.
fn signed_division(width: Width, a: i128, b: i128) -> Option<(i128, i128)> {
    let (a, b) = (width.signed(a), width.signed(b));
    if b == 0 || (b == -1 && a == width.least_signed()) {
        return None;
    }
    Some((a / b, a % b))
}

fn unsigned_division(width: Width, a: i128, b: i128) -> Option<(u128, u128)> {
    let (a, b) = (width.unsigned(a), width.unsigned(b));
    (b != 0).then(|| (a / b, a % b))
}

pub(super) fn fold_divui(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_division(ir, op, c, false, |w, a, b| Some(unsigned_division(w, a, b)?.0 as i128))
}

pub(super) fn fold_divsi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_division(ir, op, c, true, |w, a, b| Some(signed_division(w, a, b)?.0))
}

pub(super) fn fold_ceildivui(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_division(ir, op, c, false, |w, a, b| {
        let (quotient, remainder) = unsigned_division(w, a, b)?;
        Some((quotient + u128::from(remainder != 0)) as i128)
    })
}

pub(super) fn fold_ceildivsi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_division(ir, op, c, true, |w, a, b| {
        let (quotient, remainder) = signed_division(w, a, b)?;
        let positive = (w.signed(a) < 0) == (w.signed(b) < 0);
        Some(quotient + i128::from(remainder != 0 && positive))
    })
}

pub(super) fn fold_floordivsi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_division(ir, op, c, true, |w, a, b| {
        let (quotient, remainder) = signed_division(w, a, b)?;
        let negative = (w.signed(a) < 0) != (w.signed(b) < 0);
        Some(quotient - i128::from(remainder != 0 && negative))
    })
}

pub(super) fn fold_remui(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if is(ir, c[1], 1) {
        return folded(zero(ir, op));
    }
    folded(fold_ints(ir, op, c, |w, a, b| Some(unsigned_division(w, a, b)?.1 as i128)))
}

pub(super) fn fold_remsi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if is(ir, c[1], 1) {
        return folded(zero(ir, op));
    }
    folded(fold_ints(ir, op, c, |w, a, b| {
        let (a, b) = (w.signed(a), w.signed(b));
        // The remainder by -1 is zero for every dividend.
        if b == -1 { Some(0) } else { a.checked_rem(b) }
    }))
}

/// The operand of a bitwise complement (`x ^ -1`).
fn complemented(ir: &Ir, value: Value) -> Option<Value> {
    let xor = defined_by::<XOrIOp>(ir, value)?;
    let constant = constant_value(ir, xor.rhs(ir));
    is_all_ones(ir, xor.0, constant).then(|| xor.lhs(ir))
}

fn are_complements(ir: &Ir, a: Value, b: Value) -> bool {
    complemented(ir, a) == Some(b) || complemented(ir, b) == Some(a)
}

pub(super) fn fold_andi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let (lhs, rhs) = operands(ir, op);
    if is(ir, c[1], 0) {
        return Fold::one(rhs);
    }
    if is_all_ones(ir, op, c[1]) {
        return Fold::one(lhs);
    }
    if are_complements(ir, lhs, rhs) {
        return folded(zero(ir, op));
    }
    // a & (a & b)
    for (part, whole) in [(lhs, rhs), (rhs, lhs)] {
        if defined_by::<AndIOp>(ir, whole)
            .is_some_and(|and| and.lhs(ir) == part || and.rhs(ir) == part)
        {
            return Fold::one(whole);
        }
    }
    folded(fold_ints(ir, op, c, |_, a, b| Some(a & b)))
}

pub(super) fn fold_ori(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let (lhs, rhs) = operands(ir, op);
    if is(ir, c[1], 0) {
        return Fold::one(lhs);
    }
    if is_all_ones(ir, op, c[1]) {
        return Fold::one(rhs);
    }
    if are_complements(ir, lhs, rhs) {
        let ty = ir.ty(lhs);
        return folded(splat_int(&mut ir.ctx, -1, ty));
    }
    for (part, whole) in [(lhs, rhs), (rhs, lhs)] {
        if defined_by::<OrIOp>(ir, whole).is_some_and(|or| or.lhs(ir) == part || or.rhs(ir) == part)
        {
            return Fold::one(whole);
        }
    }
    folded(fold_ints(ir, op, c, |_, a, b| Some(a | b)))
}

pub(super) fn fold_xori(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let (lhs, rhs) = operands(ir, op);
    if is(ir, c[1], 0) {
        return Fold::one(lhs);
    }
    if lhs == rhs
        && let Some(zero) = zero(ir, op)
    {
        return Fold::one(zero);
    }
    // (a ^ b) ^ b
    for (inner, other) in [(lhs, rhs), (rhs, lhs)] {
        if let Some(xor) = defined_by::<XOrIOp>(ir, inner) {
            let (a, b) = (xor.lhs(ir), xor.rhs(ir));
            if b == other {
                return Fold::one(a);
            }
            if a == other {
                return Fold::one(b);
            }
        }
    }
    folded(fold_ints(ir, op, c, |_, a, b| Some(a ^ b)))
}

fn fold_shift(
    ir: &mut Ir,
    op: Op,
    c: Constants<'_>,
    shift: impl Fn(Width, i128, u32) -> i128,
) -> Fold {
    if is(ir, c[1], 0) {
        return Fold::one(ir.operand(op, 0));
    }
    folded(fold_ints(ir, op, c, |w, a, b| {
        let amount = u32::try_from(w.unsigned(b)).ok().filter(|&amount| amount < w.bits())?;
        Some(shift(w, a, amount))
    }))
}

pub(super) fn fold_shli(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_shift(ir, op, c, |_, a, amount| a << amount)
}

pub(super) fn fold_shrui(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_shift(ir, op, c, |w, a, amount| (w.unsigned(a) >> amount) as i128)
}

pub(super) fn fold_shrsi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_shift(ir, op, c, |w, a, amount| w.signed(a) >> amount)
}

/// The greater or lesser of two; `keeps` is whether the first of two numbers is the result.
fn fold_extremum(ir: &mut Ir, op: Op, c: Constants<'_>, keeps: CmpIPredicate) -> Fold {
    let (lhs, rhs) = operands(ir, op);
    if lhs == rhs {
        return Fold::one(lhs);
    }
    if let (Some(width), Some(value)) = (Width::of(&ir.ctx, ir.ty(lhs)), uniform_int(&ir.ctx, c[1]))
    {
        let bounds = match keeps {
            CmpIPredicate::Sge | CmpIPredicate::Sle => {
                [width.least_signed(), width.greatest_signed()]
            }
            _ => [0, -1],
        };
        let (neutral, absorbing) = match keeps {
            CmpIPredicate::Sge | CmpIPredicate::Uge => (bounds[0], bounds[1]),
            _ => (bounds[1], bounds[0]),
        };
        if width.signed(value) == neutral {
            return Fold::one(lhs);
        }
        if width.signed(value) == absorbing {
            return Fold::one(rhs);
        }
    }
    folded(fold_ints(ir, op, c, |w, a, b| Some(if keeps.holds(a, b, w.bits()) { a } else { b })))
}

pub(super) fn fold_maxsi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_extremum(ir, op, c, CmpIPredicate::Sge)
}

pub(super) fn fold_maxui(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_extremum(ir, op, c, CmpIPredicate::Uge)
}

pub(super) fn fold_minsi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_extremum(ir, op, c, CmpIPredicate::Sle)
}

pub(super) fn fold_minui(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_extremum(ir, op, c, CmpIPredicate::Ule)
}

/// Folds an operation with two results from two functions of its two constants.
fn fold_pair(
    ir: &mut Ir,
    op: Op,
    c: Constants<'_>,
    f: impl Fn(Width, i128, i128) -> (i128, i128),
) -> Fold {
    let types = [ir.ty(ir.result(op, 0)), ir.ty(ir.result(op, 1))];
    let Some(width) = Width::of(&ir.ctx, types[0]) else { return Fold::None };
    let mut half = |ty, second: bool| {
        map_elements(&mut ir.ctx, [c[0], c[1]], ty, |numbers| match numbers {
            [Number::Int(a), Number::Int(b)] => {
                let (first, other) = f(width, a, b);
                Some(Number::Int(if second { other } else { first }))
            }
            _ => None,
        })
    };
    match (half(types[0], false), half(types[1], true)) {
        (Some(low), Some(high)) => Fold::Results(smallvec![low.into(), high.into()]),
        _ => Fold::None,
    }
}

pub(super) fn fold_addui_extended(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if is(ir, c[1], 0) {
        let ty = ir.ty(ir.result(op, 1));
        if let Some(no_overflow) = splat_int(&mut ir.ctx, 0, ty) {
            return Fold::Results(smallvec![ir.operand(op, 0).into(), no_overflow.into()]);
        }
    }
    fold_pair(ir, op, c, |w, a, b| {
        let sum = a.wrapping_add(b);
        (sum, i128::from(w.unsigned(sum) < w.unsigned(a)))
    })
}

/// The high half of the product of two unsigned numbers of up to 128 bits.
fn unsigned_high(w: Width, a: u128, b: u128) -> u128 {
    if w.bits() <= 64 {
        return (a * b) >> w.bits();
    }
    // By halves of 64 bits; the product has up to 256.
    let low = u128::from(u64::MAX);
    let (a1, a0, b1, b0) = (a >> 64, a & low, b >> 64, b & low);
    let middle = ((a0 * b0) >> 64) + ((a1 * b0) & low) + ((a0 * b1) & low);
    let high = a1 * b1 + ((a1 * b0) >> 64) + ((a0 * b1) >> 64) + (middle >> 64);
    let product_low = a.wrapping_mul(b);
    match w.bits() {
        128 => high,
        bits => high << (128 - bits) | product_low >> bits,
    }
}

pub(super) fn fold_mului_extended(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let results = [0, 1].map(|i| ir.ty(ir.result(op, i)));
    if is(ir, c[1], 0) {
        let rhs = ir.operand(op, 1);
        return Fold::Results(smallvec![rhs.into(), rhs.into()]);
    }
    if is(ir, c[1], 1)
        && let Some(high) = splat_int(&mut ir.ctx, 0, results[1])
    {
        return Fold::Results(smallvec![ir.operand(op, 0).into(), high.into()]);
    }
    fold_pair(ir, op, c, |w, a, b| {
        (a.wrapping_mul(b), unsigned_high(w, w.unsigned(a), w.unsigned(b)) as i128)
    })
}

pub(super) fn fold_mulsi_extended(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if is(ir, c[1], 0) {
        let rhs = ir.operand(op, 1);
        return Fold::Results(smallvec![rhs.into(), rhs.into()]);
    }
    fold_pair(ir, op, c, |w, a, b| {
        // A negative factor counts 2^n less than its unsigned reading.
        let mut high = unsigned_high(w, w.unsigned(a), w.unsigned(b)) as i128;
        if w.signed(a) < 0 {
            high = high.wrapping_sub(b);
        }
        if w.signed(b) < 0 {
            high = high.wrapping_sub(a);
        }
        (a.wrapping_mul(b), high)
    })
}
