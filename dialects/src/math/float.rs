//! Functions of floats.

use gpuc_ir::op::Fold;
use gpuc_ir::op::types::{self, same};
use gpuc_ir::{Attr, Ir, Op, op};

use crate::arith::fold::{fold_floats, fold_unary, folded, is_computable, stable_nan};
use crate::arith::{FASTMATH, Number, no_fastmath};
use types::{FLOAT_LIKE, SIGNLESS_INTEGER_LIKE};

/// Declares functions of one float.
macro_rules! float_unary {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal [$($trait:ident),*] { $($hook:ident : $value:expr),* })*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { operand: One FLOAT_LIKE }
                results { result: One FLOAT_LIKE }
                attrs { fastmath: Default(no_fastmath) FASTMATH }
                traits PURE, SAME_OPERANDS_AND_RESULT_TYPE $(, $trait)*
                format "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
                hooks { $($hook: $value),* }
            }
        }
    )*};
}

/// Declares functions of two floats.
macro_rules! float_binary {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal { $($hook:ident : $value:expr),* })*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { lhs: One FLOAT_LIKE, rhs: One FLOAT_LIKE }
                results { result: One FLOAT_LIKE }
                attrs { fastmath: Default(no_fastmath) FASTMATH }
                traits PURE, SAME_OPERANDS_AND_RESULT_TYPE
                format "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
                hooks { $($hook: $value),* }
            }
        }
    )*};
}

float_unary! {
    /// Absolute value.
    AbsFOp = "math.absf" [IDEMPOTENT] { fold: Some(|ir, op, c| fold_function(ir, op, c, f64::abs)) }
    /// Arc cosine.
    AcosOp = "math.acos" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::acos)) }
    /// Inverse hyperbolic cosine.
    AcoshOp = "math.acosh" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::acosh)) }
    /// Arc sine.
    AsinOp = "math.asin" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::asin)) }
    /// Inverse hyperbolic sine.
    AsinhOp = "math.asinh" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::asinh)) }
    /// Arc tangent.
    AtanOp = "math.atan" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::atan)) }
    /// Inverse hyperbolic tangent.
    AtanhOp = "math.atanh" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::atanh)) }
    /// Cube root.
    CbrtOp = "math.cbrt" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::cbrt)) }
    /// The next integer upwards.
    CeilOp = "math.ceil" [IDEMPOTENT] { fold: Some(|ir, op, c| fold_function(ir, op, c, f64::ceil)) }
    /// Cosine of radians.
    CosOp = "math.cos" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::cos)) }
    /// Hyperbolic cosine.
    CoshOp = "math.cosh" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::cosh)) }
    /// Sine of radians.
    SinOp = "math.sin" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::sin)) }
    /// Hyperbolic sine.
    SinhOp = "math.sinh" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::sinh)) }
    /// The error function.
    ErfOp = "math.erf" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::erf)) }
    /// e to the power of the operand.
    ExpOp = "math.exp" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::exp)) }
    /// 2 to the power of the operand.
    Exp2Op = "math.exp2" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::exp2)) }
    /// e to the power of the operand, minus one, without cancellation near zero.
    ExpM1Op = "math.expm1" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::expm1)) }
    /// The next integer downwards.
    FloorOp = "math.floor" [IDEMPOTENT] { fold: Some(|ir, op, c| fold_function(ir, op, c, f64::floor)) }
    /// Natural logarithm.
    LogOp = "math.log" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::log)) }
    /// Logarithm to base 10.
    Log10Op = "math.log10" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::log10)) }
    /// Natural logarithm of one plus the operand, without cancellation near zero.
    Log1pOp = "math.log1p" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::log1p)) }
    /// Logarithm to base 2.
    Log2Op = "math.log2" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::log2)) }
    /// Reciprocal of the square root.
    RsqrtOp = "math.rsqrt" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, |x| 1.0 / x.sqrt())) }
    /// Square root.
    SqrtOp = "math.sqrt" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, f64::sqrt)) }
    /// Tangent of radians.
    TanOp = "math.tan" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::tan)) }
    /// Hyperbolic tangent.
    TanhOp = "math.tanh" [] { fold: Some(|ir, op, c| fold_function(ir, op, c, libm::tanh)) }
    /// The nearest integer, halves to even.
    RoundEvenOp = "math.roundeven" [IDEMPOTENT] { fold: Some(|ir, op, c| fold_function(ir, op, c, f64::round_ties_even)) }
    /// The nearest integer, halves away from zero.
    RoundOp = "math.round" [IDEMPOTENT] { fold: Some(|ir, op, c| fold_function(ir, op, c, f64::round)) }
    /// The next integer towards zero.
    TruncOp = "math.trunc" [IDEMPOTENT] { fold: Some(|ir, op, c| fold_function(ir, op, c, f64::trunc)) }
}

float_binary! {
    /// The angle of the point (rhs, lhs), in radians, as C's `atan2(lhs, rhs)`.
    Atan2Op = "math.atan2" { fold: Some(|ir, op, c| fold_binary(ir, op, c, libm::atan2)) }
    /// The magnitude of the one with the sign of the other.
    CopySignOp = "math.copysign" { fold: Some(|ir, op, c| fold_binary(ir, op, c, f64::copysign)) }
    /// The one to the power of the other.
    PowFOp = "math.powf" { fold: Some(|ir, op, c| fold_binary(ir, op, c, libm::pow)) }
}

op! {
    /// a * b + c with one rounding.
    FmaOp = "math.fma" {
        operands { a: One FLOAT_LIKE, b: One FLOAT_LIKE, c: One FLOAT_LIKE }
        results { result: One FLOAT_LIKE }
        attrs { fastmath: Default(no_fastmath) FASTMATH }
        traits PURE, SAME_OPERANDS_AND_RESULT_TYPE
        format "$a `,` $b `,` $c (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
    }
}

op! {
    /// A float to the power of a signed integer.
    FPowIOp = "math.fpowi" {
        operands { lhs: One FLOAT_LIKE, rhs: One SIGNLESS_INTEGER_LIKE }
        results { result: One FLOAT_LIKE }
        attrs { fastmath: Default(no_fastmath) FASTMATH }
        traits PURE
        types { result = same(lhs) "all of {lhs, result} have same type" }
        format "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($lhs) `,` type($rhs)"
        hooks { verify: Some(verify_fpowi) }
    }
}

fn verify_fpowi(ir: &Ir, op: Op) -> Result<(), String> {
    let shape = |index| ir.ctx.shape(ir.ty(ir.operand(op, index)));
    if shape(0) == shape(1) {
        Ok(())
    } else {
        Err("requires the same shape for all operands and results".into())
    }
}

/// Folds a function of one float. `f` is computed in `f64` and rounded once more to narrower
/// formats. Points outside its domain are left to run time.
fn fold_function(ir: &mut Ir, op: Op, c: &[Option<Attr>], f: impl Fn(f64) -> f64) -> Fold {
    if !is_computable(&ir.ctx, ir.ty(ir.operand(op, 0))) {
        return Fold::None;
    }
    folded(fold_unary(ir, op, c, |number| {
        let Number::Float(x) = number else { return None };
        let value = f(x);
        let outside = value.is_nan() && !x.is_nan();
        (!outside).then(|| Number::Float(stable_nan(&[x], value)))
    }))
}

/// Folds a function of two floats where its value is a number.
fn fold_binary(ir: &mut Ir, op: Op, c: &[Option<Attr>], f: impl Fn(f64, f64) -> f64) -> Fold {
    let found = fold_floats(ir, op, c, f);
    folded(found.filter(|&attr| !ir.ctx.float_value(attr).is_some_and(f64::is_nan)))
}
