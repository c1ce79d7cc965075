//! Functions of integers.

use gpuc_ir::op::Fold;
use gpuc_ir::op::types::SIGNLESS_INTEGER_LIKE;
use gpuc_ir::{Attr, Ir, Op, op};

use crate::arith::Number;
use crate::arith::fold::{Width, fold_ints, fold_unary, folded, uniform_int};

/// Declares functions of one integer.
macro_rules! integer_unary {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal [$($trait:ident),*] { $($hook:ident : $value:expr),* })*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { operand: One SIGNLESS_INTEGER_LIKE }
                results { result: One SIGNLESS_INTEGER_LIKE }
                traits PURE, SAME_OPERANDS_AND_RESULT_TYPE $(, $trait)*
                format "$operand attr-dict `:` type($result)"
                hooks { $($hook: $value),* }
            }
        }
    )*};
}

integer_unary! {
    /// Absolute value of a signed integer, modulo 2^n.
    AbsIOp = "math.absi" [IDEMPOTENT] { fold: Some(fold_absi) }
    /// How many zero bits stand before the highest one; the width for zero.
    CountLeadingZerosOp = "math.ctlz" [] { fold: Some(fold_ctlz) }
    /// How many zero bits stand behind the lowest one; the width for zero.
    CountTrailingZerosOp = "math.cttz" [] { fold: Some(fold_cttz) }
    /// How many bits are one.
    CtPopOp = "math.ctpop" [] { fold: Some(fold_ctpop) }
}

op! {
    /// A signed integer to the power of a signed integer, modulo 2^n. A negative exponent gives
    /// the truncated reciprocal; zero to a negative power is undefined.
    IPowIOp = "math.ipowi" {
        operands { lhs: One SIGNLESS_INTEGER_LIKE, rhs: One SIGNLESS_INTEGER_LIKE }
        results { result: One SIGNLESS_INTEGER_LIKE }
        traits PURE, SAME_OPERANDS_AND_RESULT_TYPE
        format "$lhs `,` $rhs attr-dict `:` type($result)"
        hooks { fold: Some(fold_ipowi) }
    }
}

type Constants<'a> = &'a [Option<Attr>];

fn fold_bits(ir: &mut Ir, op: Op, c: Constants<'_>, f: impl Fn(Width, i128) -> i128) -> Fold {
    let Some(width) = Width::of(&ir.ctx, ir.ty(ir.operand(op, 0))) else { return Fold::None };
    folded(fold_unary(ir, op, c, |number| match number {
        Number::Int(value) => Some(Number::Int(f(width, value))),
        Number::Float(_) => None,
    }))
}

fn fold_absi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_bits(ir, op, c, |width, value| width.signed(value).wrapping_abs())
}

fn fold_ctlz(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_bits(ir, op, c, |width, value| {
        i128::from(width.unsigned(value).leading_zeros() + width.bits() - 128)
    })
}

fn fold_cttz(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_bits(ir, op, c, |width, value| {
        i128::from(width.unsigned(value).trailing_zeros().min(width.bits()))
    })
}

fn fold_ctpop(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_bits(ir, op, c, |width, value| i128::from(width.unsigned(value).count_ones()))
}

fn fold_ipowi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if uniform_int(&ir.ctx, c[1]) == Some(1)
        && Width::of(&ir.ctx, ir.ty(ir.operand(op, 0))).is_some_and(|w| w.bits() > 1)
    {
        return Fold::one(ir.operand(op, 0));
    }
    folded(fold_ints(ir, op, c, |width, base, exponent| {
        power(width.signed(base), width.signed(exponent))
    }))
}

/// A power modulo 2^128, so modulo any narrower width.
fn power(base: i128, exponent: i128) -> Option<i128> {
    if exponent < 0 {
        return match base {
            0 => None,
            1 => Some(1),
            -1 => Some(if exponent % 2 == 0 { 1 } else { -1 }),
            _ => Some(0),
        };
    }
    let (mut result, mut square, mut rest) = (1i128, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        rest >>= 1;
    }
    Some(result)
}
