//! Floating-point arithmetic: IEEE 754, round to nearest even, in the format of the type, as far
//! as `fastmath` does not say otherwise.

use gpuc_ir::op::Fold;
use gpuc_ir::op::types::FLOAT_LIKE;
use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Attr, Ir, Op, op};

use super::flags::{FASTMATH, no_fastmath};
use super::fold::{Number, defined_by, fold_floats, fold_unary, folded, uniform_float};

/// Declares operations on two floats of one type.
macro_rules! float_binary {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal [$($trait:ident),*] { $($hook:ident : $value:expr),* })*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { lhs: One FLOAT_LIKE, rhs: One FLOAT_LIKE }
                results { result: One FLOAT_LIKE }
                attrs { fastmath: Default(no_fastmath) FASTMATH }
                traits PURE, SAME_OPERANDS_AND_RESULT_TYPE $(, $trait)*
                format "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
                hooks { $($hook: $value),* }
            }
        }
    )*};
}

float_binary! {
    /// Adds two floats.
    AddFOp = "arith.addf" [COMMUTATIVE] { fold: Some(fold_addf) }
    /// Subtracts two floats.
    SubFOp = "arith.subf" [] { fold: Some(fold_subf) }
    /// Multiplies two floats.
    MulFOp = "arith.mulf" [COMMUTATIVE] { fold: Some(fold_mulf), canonicalize: PRODUCT_OF_NEGATED }
    /// Divides two floats.
    DivFOp = "arith.divf" [] { fold: Some(fold_divf), canonicalize: QUOTIENT_OF_NEGATED }
    /// Remainder of the division towards zero, as C's `fmod`; it has the sign of the dividend.
    RemFOp = "arith.remf" [] { fold: Some(fold_remf) }
    /// The greater of two floats; NaN if one is. -0 is less than +0.
    MaximumFOp = "arith.maximumf" [COMMUTATIVE] { fold: Some(fold_maximumf) }
    /// The less of two floats; NaN if one is. -0 is less than +0.
    MinimumFOp = "arith.minimumf" [COMMUTATIVE] { fold: Some(fold_minimumf) }
    /// The greater of two floats, as C's `fmax`; if one is a NaN, the other.
    MaxNumFOp = "arith.maxnumf" [COMMUTATIVE] { fold: Some(fold_maxnumf) }
    /// The less of two floats, as C's `fmin`; if one is a NaN, the other.
    MinNumFOp = "arith.minnumf" [COMMUTATIVE] { fold: Some(fold_minnumf) }
}

op! {
    /// Inverts the sign of a float, of zeros and NaNs too.
    NegFOp = "arith.negf" {
        operands { operand: One FLOAT_LIKE }
        results { result: One FLOAT_LIKE }
        attrs { fastmath: Default(no_fastmath) FASTMATH }
        traits PURE, SAME_OPERANDS_AND_RESULT_TYPE, INVOLUTION
        format "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
        hooks { fold: Some(fold_negf) }
    }
}

type Constants<'a> = &'a [Option<Attr>];

/// Whether the constant is this float, the sign of zero included.
fn is(ir: &Ir, constant: Option<Attr>, value: f64) -> bool {
    uniform_float(&ir.ctx, constant).is_some_and(|found| found.to_bits() == value.to_bits())
}

/// Folds `x op neutral` to `x`, and two constants.
fn fold_binary(
    ir: &mut Ir,
    op: Op,
    c: Constants<'_>,
    neutral: f64,
    f: impl Fn(f64, f64) -> f64,
) -> Fold {
    if c.get(1).is_some_and(|&rhs| is(ir, rhs, neutral)) {
        return Fold::one(ir.operand(op, 0));
    }
    folded(fold_floats(ir, op, c, f))
}

fn fold_addf(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    // x + 0 is not x for x = -0.
    fold_binary(ir, op, c, -0.0, |a, b| a + b)
}

fn fold_subf(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_binary(ir, op, c, 0.0, |a, b| a - b)
}

fn fold_mulf(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_binary(ir, op, c, 1.0, |a, b| a * b)
}

fn fold_divf(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_binary(ir, op, c, 1.0, |a, b| a / b)
}

fn fold_remf(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    folded(fold_floats(ir, op, c, |a, b| a % b))
}

/// The greater of two numbers, -0 below +0.
fn greater(a: f64, b: f64) -> f64 {
    if a > b || (a == b && !a.is_sign_negative()) { a } else { b }
}

fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { greater(a, b) }
}

fn maximum_number(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ => greater(a, b),
    }
}

fn fold_extremum(
    ir: &mut Ir,
    op: Op,
    c: Constants<'_>,
    neutral: f64,
    f: impl Fn(f64, f64) -> f64,
) -> Fold {
    if ir.operand(op, 0) == ir.operand(op, 1) {
        return Fold::one(ir.operand(op, 0));
    }
    fold_binary(ir, op, c, neutral, f)
}

fn fold_maximumf(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_extremum(ir, op, c, f64::NEG_INFINITY, maximum)
}

fn fold_minimumf(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_extremum(ir, op, c, f64::INFINITY, |a, b| -maximum(-a, -b))
}

/// A NaN gives way even to an infinity, so no number is neutral for `maxnumf` unless there are no
/// NaNs.
fn fold_number_extremum(
    ir: &mut Ir,
    op: Op,
    c: Constants<'_>,
    neutral: f64,
    f: impl Fn(f64, f64) -> f64,
) -> Fold {
    let no_nans = super::FastMath::of(ir, op).contains(super::FastMath::NO_NANS);
    fold_extremum(ir, op, c, if no_nans { neutral } else { f64::NAN }, f)
}

fn fold_maxnumf(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_number_extremum(ir, op, c, f64::NEG_INFINITY, maximum_number)
}

fn fold_minnumf(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_number_extremum(ir, op, c, f64::INFINITY, |a, b| -maximum_number(-a, -b))
}

fn fold_negf(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    folded(fold_unary(ir, op, c, |number| match number {
        Number::Float(value) => Some(Number::Float(-value)),
        Number::Int(_) => None,
    }))
}

const PRODUCT_OF_NEGATED: &[Pattern] =
    &[Pattern { name: "product-of-negated", apply: drop_two_signs }];

const QUOTIENT_OF_NEGATED: &[Pattern] =
    &[Pattern { name: "quotient-of-negated", apply: drop_two_signs }];

/// `(-a) * (-b)` to `a * b`, and so for quotients.
fn drop_two_signs(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let negated =
        |ir: &Ir, i| defined_by::<NegFOp>(ir, ir.operand(op, i)).map(|neg| neg.operand(ir));
    let (Some(a), Some(b)) = (negated(rw, 0), negated(rw, 1)) else { return false };
    rw.set_operand(op, 0, a);
    rw.set_operand(op, 1, b);
    true
}
