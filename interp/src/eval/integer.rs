//! Integer arithmetic of `arith`.

use gpuc_dialects::arith::{self, OVERFLOW_FLAGS};
use gpuc_ir::Op;

use super::elementwise::{Checked, int, int_binary, map_values};
use super::{Family, Handler, Step};
use crate::interpreter::Interpreter;
use crate::names;
use crate::value::{Int, RtValue};

pub(super) const OPS: Family = &[
    (arith::AddIOp::NAME, Handler::leaf(add)),
    (arith::SubIOp::NAME, Handler::leaf(subtract)),
    (arith::MulIOp::NAME, Handler::leaf(multiply)),
    (arith::ShLIOp::NAME, Handler::leaf(shift_left)),
    (arith::DivUIOp::NAME, Handler::leaf(unsigned_quotient)),
    (arith::CeilDivUIOp::NAME, Handler::leaf(unsigned_ceil)),
    (arith::DivSIOp::NAME, Handler::leaf(signed_quotient)),
    (arith::CeilDivSIOp::NAME, Handler::leaf(signed_ceil)),
    (arith::FloorDivSIOp::NAME, Handler::leaf(signed_floor)),
    (arith::RemUIOp::NAME, Handler::leaf(unsigned_remainder)),
    (arith::RemSIOp::NAME, Handler::leaf(signed_remainder)),
    (arith::AndIOp::NAME, Handler::leaf(and)),
    (arith::OrIOp::NAME, Handler::leaf(or)),
    (arith::XOrIOp::NAME, Handler::leaf(xor)),
    (arith::ShRUIOp::NAME, Handler::leaf(shift_right_unsigned)),
    (arith::ShRSIOp::NAME, Handler::leaf(shift_right_signed)),
    (arith::MaxSIOp::NAME, Handler::leaf(max_signed)),
    (arith::MinSIOp::NAME, Handler::leaf(min_signed)),
    (arith::MaxUIOp::NAME, Handler::leaf(max_unsigned)),
    (arith::MinUIOp::NAME, Handler::leaf(min_unsigned)),
    (arith::AddUIExtendedOp::NAME, Handler::leaf(add_extended)),
    (arith::MulSIExtendedOp::NAME, Handler::leaf(|m, op| multiply_extended(m, op, true))),
    (arith::MulUIExtendedOp::NAME, Handler::leaf(|m, op| multiply_extended(m, op, false))),
];

const SIGNED_OVERFLOW: &str = "a signed overflow that the program promises not to happen (nsw)";
const UNSIGNED_OVERFLOW: &str =
    "an unsigned overflow that the program promises not to happen (nuw)";
const ZERO_DIVISOR: &str = "division by zero";
const DIVISION_OVERFLOW: &str = "overflow in the division of the least number by -1";
const TOO_LONG_SHIFT: &str = "a shift by the width or more";

/// The promises of an operation: (no signed overflow, no unsigned overflow).
fn promises(m: &Interpreter<'_>, op: Op) -> (bool, bool) {
    let attr = names::attr(m.ir, op, m.names.overflow);
    let flags = attr.and_then(|attr| OVERFLOW_FLAGS.number(&m.ir.ctx, attr)).unwrap_or(0);
    (flags & 1 != 0, flags & 2 != 0)
}

/// Whether a signed number is one of the width; `None` is a number beyond 128 bits.
fn fits_signed(value: Option<i128>, width: u32) -> bool {
    value.is_some_and(|value| Int::new(value, width).signed() == value)
}

fn fits_unsigned(value: Option<u128>, width: u32) -> bool {
    value.is_some_and(|value| Int::new(value as i128, width).unsigned() == value)
}

fn wrapping(
    m: &mut Interpreter<'_>,
    op: Op,
    value: fn(i128, i128) -> i128,
    signed: fn(i128, i128) -> Option<i128>,
    unsigned: fn(u128, u128) -> Option<u128>,
) -> Step {
    let (nsw, nuw) = promises(m, op);
    int_binary(m, op, |a, b| {
        let width = a.width();
        Checked::new(value(a.signed(), b.signed()))
            .poison_if(nsw && !fits_signed(signed(a.signed(), b.signed()), width), SIGNED_OVERFLOW)
            .poison_if(
                nuw && !fits_unsigned(unsigned(a.unsigned(), b.unsigned()), width),
                UNSIGNED_OVERFLOW,
            )
    })
}

pub(super) fn add(m: &mut Interpreter<'_>, op: Op) -> Step {
    wrapping(m, op, i128::wrapping_add, i128::checked_add, u128::checked_add)
}

pub(super) fn subtract(m: &mut Interpreter<'_>, op: Op) -> Step {
    wrapping(m, op, i128::wrapping_sub, i128::checked_sub, u128::checked_sub)
}

pub(super) fn multiply(m: &mut Interpreter<'_>, op: Op) -> Step {
    wrapping(m, op, i128::wrapping_mul, i128::checked_mul, u128::checked_mul)
}

pub(super) fn shift_left(m: &mut Interpreter<'_>, op: Op) -> Step {
    let (nsw, nuw) = promises(m, op);
    int_binary(m, op, |a, b| {
        let (width, by) = (a.width(), b.unsigned());
        if by >= width.into() {
            return Checked::new(0).poison_if(true, TOO_LONG_SHIFT);
        }
        let shifted = Int::new(a.signed().wrapping_shl(by as u32), width);
        Checked::new(shifted.signed())
            .poison_if(nsw && shifted.signed() >> by != a.signed(), SIGNED_OVERFLOW)
            .poison_if(nuw && shifted.unsigned() >> by != a.unsigned(), UNSIGNED_OVERFLOW)
    })
}

pub(super) fn shift_right_unsigned(m: &mut Interpreter<'_>, op: Op) -> Step {
    int_binary(m, op, |a, b| {
        let too_long = b.unsigned() >= a.width().into();
        let value = if too_long { 0 } else { a.unsigned() >> b.unsigned() };
        Checked::new(value as i128).poison_if(too_long, TOO_LONG_SHIFT)
    })
}

pub(super) fn shift_right_signed(m: &mut Interpreter<'_>, op: Op) -> Step {
    int_binary(m, op, |a, b| {
        let too_long = b.unsigned() >= a.width().into();
        let by = if too_long { a.width() - 1 } else { b.unsigned() as u32 };
        Checked::new(a.signed() >> by).poison_if(too_long, TOO_LONG_SHIFT)
    })
}

fn unsigned_division(m: &mut Interpreter<'_>, op: Op, f: fn(u128, u128) -> u128) -> Step {
    int_binary(m, op, |a, b| match b.unsigned() {
        0 => Checked::new(-1).undefined_if(true, ZERO_DIVISOR),
        divisor => Checked::new(f(a.unsigned(), divisor) as i128),
    })
}

fn signed_division(m: &mut Interpreter<'_>, op: Op, f: fn(i128, i128) -> i128) -> Step {
    int_binary(m, op, |a, b| match b.signed() {
        0 => Checked::new(-1).undefined_if(true, ZERO_DIVISOR),
        divisor => {
            let least = i128::MIN >> (128 - a.width());
            Checked::new(f(a.signed(), divisor))
                .undefined_if(a.signed() == least && divisor == -1, DIVISION_OVERFLOW)
        }
    })
}

fn ceil_division(a: i128, b: i128) -> i128 {
    let quotient = a.wrapping_div(b);
    let inexact = a.wrapping_rem(b) != 0;
    if inexact && (a < 0) == (b < 0) { quotient + 1 } else { quotient }
}

fn floor_division(a: i128, b: i128) -> i128 {
    let quotient = a.wrapping_div(b);
    let inexact = a.wrapping_rem(b) != 0;
    if inexact && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

pub(super) fn unsigned_remainder(m: &mut Interpreter<'_>, op: Op) -> Step {
    int_binary(m, op, |a, b| match b.unsigned() {
        0 => Checked::new(a.signed()).undefined_if(true, ZERO_DIVISOR),
        divisor => Checked::new((a.unsigned() % divisor) as i128),
    })
}

pub(super) fn signed_remainder(m: &mut Interpreter<'_>, op: Op) -> Step {
    int_binary(m, op, |a, b| match b.signed() {
        0 => Checked::new(a.signed()).undefined_if(true, ZERO_DIVISOR),
        divisor => Checked::new(a.signed().wrapping_rem(divisor)),
    })
}

fn bits(m: &mut Interpreter<'_>, op: Op, f: fn(u128, u128) -> u128) -> Step {
    int_binary(m, op, |a, b| Checked::new(f(a.unsigned(), b.unsigned()) as i128))
}

fn signed(m: &mut Interpreter<'_>, op: Op, f: fn(i128, i128) -> i128) -> Step {
    int_binary(m, op, |a, b| Checked::new(f(a.signed(), b.signed())))
}

/// An operation on two integers with two results.
fn two_results(m: &mut Interpreter<'_>, op: Op, f: impl Fn(Int, Int) -> (Int, Int)) -> Step {
    let compute = |m: &mut Interpreter<'_>, second: bool| {
        let operands = [m.operand(op, 0)?, m.operand(op, 1)?];
        map_values(m, op, &operands, &|m, row| {
            let (first, other) = f(int(m, op, row[0])?, int(m, op, row[1])?);
            Ok(RtValue::Int(if second { other } else { first }))
        })
    };
    let results = vec![compute(m, false)?, compute(m, true)?];
    m.set_results(op, results)
}

fn add_extended(m: &mut Interpreter<'_>, op: Op) -> Step {
    two_results(m, op, |a, b| {
        let sum = Int::new(a.signed().wrapping_add(b.signed()), a.width());
        (sum, Int::bool(sum.unsigned() < a.unsigned()))
    })
}

fn multiply_extended(m: &mut Interpreter<'_>, op: Op, signed: bool) -> Step {
    let widest =
        m.ir.ctx.int_or_index_width(m.ir.ctx.element_or_self(m.ir.ty(m.ir.operand(op, 0))));
    if widest.is_none_or(|width| width > 64) {
        return Err(m.error(op, "cannot be executed on integers of more than 64 bits"));
    }
    two_results(m, op, |a, b| {
        let width = a.width();
        let product =
            if signed { a.signed() * b.signed() } else { (a.unsigned() * b.unsigned()) as i128 };
        (Int::new(product, width), Int::new(product >> width, width))
    })
}

pub(super) fn unsigned_quotient(m: &mut Interpreter<'_>, op: Op) -> Step {
    unsigned_division(m, op, |a, b| a / b)
}

pub(super) fn unsigned_ceil(m: &mut Interpreter<'_>, op: Op) -> Step {
    unsigned_division(m, op, u128::div_ceil)
}

pub(super) fn signed_quotient(m: &mut Interpreter<'_>, op: Op) -> Step {
    signed_division(m, op, i128::wrapping_div)
}

pub(super) fn signed_ceil(m: &mut Interpreter<'_>, op: Op) -> Step {
    signed_division(m, op, ceil_division)
}

pub(super) fn signed_floor(m: &mut Interpreter<'_>, op: Op) -> Step {
    signed_division(m, op, floor_division)
}

pub(super) fn and(m: &mut Interpreter<'_>, op: Op) -> Step {
    bits(m, op, |a, b| a & b)
}

pub(super) fn or(m: &mut Interpreter<'_>, op: Op) -> Step {
    bits(m, op, |a, b| a | b)
}

pub(super) fn xor(m: &mut Interpreter<'_>, op: Op) -> Step {
    bits(m, op, |a, b| a ^ b)
}

pub(super) fn max_signed(m: &mut Interpreter<'_>, op: Op) -> Step {
    signed(m, op, Ord::max)
}

pub(super) fn min_signed(m: &mut Interpreter<'_>, op: Op) -> Step {
    signed(m, op, Ord::min)
}

pub(super) fn max_unsigned(m: &mut Interpreter<'_>, op: Op) -> Step {
    bits(m, op, Ord::max)
}

pub(super) fn min_unsigned(m: &mut Interpreter<'_>, op: Op) -> Step {
    bits(m, op, Ord::min)
}
