//! Floating-point arithmetic of `arith`.
//!
//! Computed in f64 and rounded once more to the format of the operation: for the basic operations
//! that is the right result, because f64 has more than twice the precision, and two bits, of every
//! narrower format.

use gpuc_dialects::arith;

use super::elementwise::float_map;
use super::{Family, Handler, Step};
use crate::interpreter::Interpreter;
use crate::value::Float;

pub(super) const OPS: Family = &[
    (arith::AddFOp::NAME, Handler::leaf(|m, op| binary(m, op, |a, b| a + b))),
    (arith::SubFOp::NAME, Handler::leaf(|m, op| binary(m, op, |a, b| a - b))),
    (arith::MulFOp::NAME, Handler::leaf(|m, op| binary(m, op, |a, b| a * b))),
    (arith::DivFOp::NAME, Handler::leaf(|m, op| binary(m, op, |a, b| a / b))),
    (arith::RemFOp::NAME, Handler::leaf(|m, op| binary(m, op, |a, b| a % b))),
    (arith::MaximumFOp::NAME, Handler::leaf(|m, op| float_map(m, op, |[a, b]| maximum(a, b)))),
    (arith::MinimumFOp::NAME, Handler::leaf(|m, op| float_map(m, op, |[a, b]| minimum(a, b)))),
    (
        arith::MaxNumFOp::NAME,
        Handler::leaf(|m, op| float_map(m, op, |[a, b]| maximum_number(a, b))),
    ),
    (
        arith::MinNumFOp::NAME,
        Handler::leaf(|m, op| float_map(m, op, |[a, b]| minimum_number(a, b))),
    ),
    (
        arith::NegFOp::NAME,
        Handler::leaf(|m, op| float_map(m, op, |[a]| a.with_sign(!a.is_negative()))),
    ),
];

fn binary(m: &mut Interpreter<'_>, op: gpuc_ir::Op, f: fn(f64, f64) -> f64) -> Step {
    float_map(m, op, |[a, b]| Float::new(f(a.value(), b.value()), a.kind()))
}

/// Whether `a` is greater, -0 below +0.
fn is_greater(a: Float, b: Float) -> bool {
    a.value() > b.value() || (a.value() == b.value() && !a.is_negative())
}

/// The greater; NaN if one is.
pub(super) fn maximum(a: Float, b: Float) -> Float {
    if a.value().is_nan() || b.value().is_nan() {
        Float::new(f64::NAN, a.kind())
    } else if is_greater(a, b) {
        a
    } else {
        b
    }
}

/// The less; NaN if one is.
pub(super) fn minimum(a: Float, b: Float) -> Float {
    if a.value().is_nan() || b.value().is_nan() {
        Float::new(f64::NAN, a.kind())
    } else if is_greater(a, b) {
        b
    } else {
        a
    }
}

/// The greater; the other one if one is a NaN.
pub(super) fn maximum_number(a: Float, b: Float) -> Float {
    if b.value().is_nan() || (!a.value().is_nan() && is_greater(a, b)) { a } else { b }
}

/// The less; the other one if one is a NaN.
pub(super) fn minimum_number(a: Float, b: Float) -> Float {
    if b.value().is_nan() || (!a.value().is_nan() && !is_greater(a, b)) { a } else { b }
}
