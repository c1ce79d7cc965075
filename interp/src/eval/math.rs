//! `math`: elementary functions, in f64 and rounded once more to narrower formats.

use gpuc_dialects::{math, vector};
use gpuc_ir::{FloatKind, Op};

use super::elementwise::{Checked, float, float_map, int, int_binary, int_unary, map};
use super::{Family, Handler, Step};
use crate::interpreter::Interpreter;
use crate::value::{Float, RtValue};

pub(super) const OPS: Family = &[
    (math::AbsFOp::NAME, Handler::leaf(|m, op| float_map(m, op, |[a]| a.with_sign(false)))),
    (math::AcosOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::acos))),
    (math::AcoshOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::acosh))),
    (math::AsinOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::asin))),
    (math::AsinhOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::asinh))),
    (math::AtanOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::atan))),
    (math::AtanhOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::atanh))),
    (math::CbrtOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::cbrt))),
    (math::CeilOp::NAME, Handler::leaf(|m, op| unary(m, op, f64::ceil))),
    (math::CosOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::cos))),
    (math::CoshOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::cosh))),
    (math::SinOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::sin))),
    (math::SinhOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::sinh))),
    (math::ErfOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::erf))),
    (math::ExpOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::exp))),
    (math::Exp2Op::NAME, Handler::leaf(|m, op| unary(m, op, libm::exp2))),
    (math::ExpM1Op::NAME, Handler::leaf(|m, op| unary(m, op, libm::expm1))),
    (math::FloorOp::NAME, Handler::leaf(|m, op| unary(m, op, f64::floor))),
    (math::LogOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::log))),
    (math::Log10Op::NAME, Handler::leaf(|m, op| unary(m, op, libm::log10))),
    (math::Log1pOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::log1p))),
    (math::Log2Op::NAME, Handler::leaf(|m, op| unary(m, op, libm::log2))),
    (math::RsqrtOp::NAME, Handler::leaf(|m, op| unary(m, op, |x| 1.0 / x.sqrt()))),
    (math::SqrtOp::NAME, Handler::leaf(|m, op| unary(m, op, f64::sqrt))),
    (math::TanOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::tan))),
    (math::TanhOp::NAME, Handler::leaf(|m, op| unary(m, op, libm::tanh))),
    (math::RoundEvenOp::NAME, Handler::leaf(|m, op| unary(m, op, f64::round_ties_even))),
    (math::RoundOp::NAME, Handler::leaf(|m, op| unary(m, op, f64::round))),
    (math::TruncOp::NAME, Handler::leaf(|m, op| unary(m, op, f64::trunc))),
    (math::Atan2Op::NAME, Handler::leaf(|m, op| binary(m, op, libm::atan2))),
    (math::PowFOp::NAME, Handler::leaf(|m, op| binary(m, op, libm::pow))),
    (
        math::CopySignOp::NAME,
        Handler::leaf(|m, op| float_map(m, op, |[a, b]| a.with_sign(b.is_negative()))),
    ),
    (math::FmaOp::NAME, Handler::leaf(fused)),
    (vector::FMAOp::NAME, Handler::leaf(fused)),
    (math::FPowIOp::NAME, Handler::leaf(float_to_integer_power)),
    (math::IPowIOp::NAME, Handler::leaf(integer_power)),
    (math::AbsIOp::NAME, Handler::leaf(|m, op| int_unary(m, op, |a| a.signed().wrapping_abs()))),
    (
        math::CountLeadingZerosOp::NAME,
        Handler::leaf(|m, op| {
            int_unary(m, op, |a| (a.unsigned().leading_zeros() + a.width() - 128).into())
        }),
    ),
    (
        math::CountTrailingZerosOp::NAME,
        Handler::leaf(|m, op| {
            int_unary(m, op, |a| a.unsigned().trailing_zeros().min(a.width()).into())
        }),
    ),
    (
        math::CtPopOp::NAME,
        Handler::leaf(|m, op| int_unary(m, op, |a| a.unsigned().count_ones().into())),
    ),
];

fn unary(m: &mut Interpreter<'_>, op: Op, f: fn(f64) -> f64) -> Step {
    float_map(m, op, |[a]| Float::new(f(a.value()), a.kind()))
}

fn binary(m: &mut Interpreter<'_>, op: Op, f: fn(f64, f64) -> f64) -> Step {
    float_map(m, op, |[a, b]| Float::new(f(a.value(), b.value()), a.kind()))
}

fn fused(m: &mut Interpreter<'_>, op: Op) -> Step {
    float_map(m, op, |[a, b, c]| fused_multiply_add(a, b, c))
}

/// `a * b + c` with one rounding.
fn fused_multiply_add(a: Float, b: Float, c: Float) -> Float {
    let (x, y, z) = (a.value(), b.value(), c.value());
    match a.kind() {
        FloatKind::F64 => Float::new(x.mul_add(y, z), FloatKind::F64),
        kind => {
            // The product of narrow numbers is exact in f64. The sum need not be: it is rounded to
            // odd, so that rounding it again to the narrow format gives what one rounding would.
            let product = x * y;
            let sum = product + z;
            let part = sum - product;
            let error = (product - (sum - part)) + (z - part);
            let is_even = sum.to_bits() & 1 == 0;
            let odd = if error == 0.0 || !error.is_finite() || !is_even {
                sum
            } else if error > 0.0 {
                sum.next_up()
            } else {
                sum.next_down()
            };
            Float::new(odd, kind)
        }
    }
}

fn float_to_integer_power(m: &mut Interpreter<'_>, op: Op) -> Step {
    map(m, op, &|m, row| {
        let (base, exponent) = (float(m, op, row[0])?, int(m, op, row[1])?);
        let power = libm::pow(base.value(), exponent.signed() as f64);
        Ok(RtValue::Float(Float::new(power, base.kind())))
    })
}

fn integer_power(m: &mut Interpreter<'_>, op: Op) -> Step {
    int_binary(m, op, |a, b| {
        let (base, exponent) = (a.signed(), b.signed());
        if exponent < 0 {
            let value = match base {
                1 => 1,
                -1 if exponent % 2 == 0 => 1,
                -1 => -1,
                _ => 0,
            };
            return Checked::new(value).undefined_if(base == 0, "zero to a negative power");
        }
        let (mut result, mut square, mut rest) = (1i128, base, exponent);
        while rest > 0 {
            if rest & 1 == 1 {
                result = result.wrapping_mul(square);
            }
            square = square.wrapping_mul(square);
            rest >>= 1;
        }
        Checked::new(result)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fused_multiplication_rounds_once() {
        let numbers = [
            0.0f32,
            1.0,
            -1.0,
            1.0 + f32::EPSILON,
            1e-30,
            3.25e20,
            f32::MIN_POSITIVE,
            -7.7e-8,
            f32::MAX,
        ];
        for a in numbers {
            for b in numbers {
                for c in numbers {
                    let of = |x: f32| Float::new(x.into(), FloatKind::F32);
                    let found = fused_multiply_add(of(a), of(b), of(c)).value() as f32;
                    assert_eq!(found, a.mul_add(b, c), "{a} * {b} + {c}");
                }
            }
        }
    }
}
