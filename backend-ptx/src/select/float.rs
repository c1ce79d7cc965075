//! Floating-point arithmetic.
//!
//! Sums and products always carry their rounding modifier: without it ptxas may fuse them, and
//! what is fused is decided here.

use gpuc_dialects::arith::{self, FastMath};
use gpuc_dialects::ptx::kinds::Comparison;
use gpuc_dialects::ptx::{AddOp, DivOp, FmaOp, MaxOp, MinOp, MulOp, NegOp, SubOp};
use gpuc_ir::{Op, OpView, Value};

use super::rules::Entry;
use super::{Scalar, Selected, Selector};
use crate::Contraction;

/// The rules of this file.
pub(super) const RULES: &[Entry] = &[
    (arith::AddFOp::def, |s, op| s.sum(op, false)),
    (arith::SubFOp::def, |s, op| s.sum(op, true)),
    (arith::MulFOp::def, |s, op| s.rounded::<MulOp>(op)),
    (arith::DivFOp::def, |s, op| s.rounded::<DivOp>(op)),
    (arith::NegFOp::def, |s, op| s.negation(op)),
    (arith::MaxNumFOp::def, |s, op| s.number_extremum::<MaxOp>(op)),
    (arith::MinNumFOp::def, |s, op| s.number_extremum::<MinOp>(op)),
    (arith::MaximumFOp::def, |s, op| s.nan_extremum::<MaxOp>(op)),
    (arith::MinimumFOp::def, |s, op| s.nan_extremum::<MinOp>(op)),
    (arith::RemFOp::def, |s, op| s.needs_device_math(op)),
];

impl Selector<'_, '_> {
    /// One instruction that rounds, for each element.
    pub fn rounded<V: OpView>(&mut self, op: Op) -> Selected<()> {
        let ty = self.result_scalar(op)?.arithmetic(true);
        self.elementwise(op, |s, v| Ok(s.e.rounded::<V>(ty, v)))
    }

    fn negation(&mut self, op: Op) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        self.elementwise(op, |s, v| Ok(s.negated(v[0], scalar)))
    }

    /// Refuses a function that is not an instruction.
    pub fn needs_device_math(&self, op: Op) -> Selected<()> {
        let name = self.e.ir.name(op);
        self.refuse(
            op,
            format!("'{name}' needs device math: link the library of mathematical functions first"),
        )
    }

    /// `-value`.
    pub fn negated(&mut self, value: Value, scalar: Scalar) -> Value {
        let ty = self.e.ir.ty(value);
        self.e.typed::<NegOp>(scalar.arithmetic(true), &[value], ty)
    }

    /// A sum or difference, fused with a product that goes into it.
    fn sum(&mut self, op: Op, subtract: bool) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        let ty = scalar.arithmetic(true);
        let Some((product, side)) = self.fusable_product(op) else {
            return self.elementwise(op, |s, v| {
                Ok(if subtract { s.e.rounded::<SubOp>(ty, v) } else { s.e.rounded::<AddOp>(ty, v) })
            });
        };
        let (a, b) = (self.e.ir.operand(product, 0), self.e.ir.operand(product, 1));
        let (a, b) = (self.elements(a)?, self.elements(b)?);
        let other = self.elements(self.e.ir.operand(op, 1 - side))?;
        let mut lane = 0;
        self.elementwise(op, |s, _| {
            let (mut a, b, mut c) = (a[lane], b[lane], other[lane]);
            lane += 1;
            match (subtract, side) {
                // a*b - c
                (true, 0) => c = s.negated(c, scalar),
                // c - a*b
                (true, _) => a = s.negated(a, scalar),
                _ => {}
            }
            Ok(s.e.rounded::<FmaOp>(ty, &[a, b, c]))
        })
    }

    /// The product that may fuse with a sum, and which operand it is. It must have no other use:
    /// else it would be computed twice.
    fn fusable_product(&self, sum: Op) -> Option<(Op, usize)> {
        let ir = &*self.e.ir;
        let allowed = |op| match self.module.contraction() {
            Contraction::Always => true,
            Contraction::Never => false,
            Contraction::Flagged => FastMath::of(ir, op).contains(FastMath::CONTRACT),
        };
        if !allowed(sum) {
            return None;
        }
        [0, 1].into_iter().find_map(|side| {
            let value = ir.operand(sum, side);
            let product = ir.defining_op(value)?;
            let fits = arith::MulFOp::is(ir, product)
                && ir.has_one_use(value)
                && ir.parent_block(product) == ir.parent_block(sum)
                && allowed(product);
            fits.then_some((product, side))
        })
    }

    /// The larger or smaller; where one is a NaN, the other.
    fn number_extremum<V: OpView>(&mut self, op: Op) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        self.elementwise(op, |s, v| {
            let ty = s.e.ir.ty(v[0]);
            Ok(s.e.typed::<V>(scalar.arithmetic(true), v, ty))
        })
    }

    /// The larger or smaller; where one is a NaN, a NaN.
    fn nan_extremum<V: OpView>(&mut self, op: Op) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        self.elementwise(op, |s, v| Ok(s.nan_extremum_of::<V>(scalar, v[0], v[1])))
    }

    /// The larger or smaller of two numbers, a NaN where one is.
    pub fn nan_extremum_of<V: OpView>(&mut self, scalar: Scalar, a: Value, b: Value) -> Value {
        let (kind, ty) = (scalar.arithmetic(true), self.e.ir.ty(a));
        let number = self.e.typed::<V>(kind, &[a, b], ty);
        let unordered = self.e.compare(Comparison::Nan, kind, a, b);
        let nan = self.e.float(f64::NAN, ty);
        self.e.select(unordered, nan, number)
    }
}
