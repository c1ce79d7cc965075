//! Casts.
//!
//! A conversion from floating point to an integer type of fewer than 32 bits goes through 32 bits,
//! as the host's compilers do it; values out of range saturate there.

use gpuc_dialects::arith;
use gpuc_dialects::ptx::kinds::{Comparison, PtxType, Rounding};
use gpuc_ir::{Op, OpView, Value};

use super::rules::Entry;
use super::{Scalar, Selected, Selector, normalized};

/// The rules of this file.
pub(super) const RULES: &[Entry] = &[
    (arith::ExtUIOp::def, |s, op| s.resize(op, false)),
    (arith::IndexCastUIOp::def, |s, op| s.resize(op, false)),
    (arith::ExtSIOp::def, |s, op| s.resize(op, true)),
    (arith::IndexCastOp::def, |s, op| s.resize(op, true)),
    (arith::TruncIOp::def, |s, op| s.resize(op, true)),
    (arith::ExtFOp::def, |s, op| s.resize_float(op, None)),
    (arith::TruncFOp::def, |s, op| s.truncf(op)),
    (arith::SIToFPOp::def, |s, op| s.integer_to_float(op, true)),
    (arith::UIToFPOp::def, |s, op| s.integer_to_float(op, false)),
    (arith::FPToSIOp::def, |s, op| s.float_to_integer(op, true)),
    (arith::FPToUIOp::def, |s, op| s.float_to_integer(op, false)),
    (arith::BitcastOp::def, |s, op| s.bits(op)),
];

impl Selector<'_, '_> {
    /// What an operation casts from and to.
    fn cast_types(&self, op: Op) -> Selected<(Scalar, Scalar)> {
        Ok((self.scalar(self.e.ir.ty(self.e.ir.operand(op, 0)))?, self.result_scalar(op)?))
    }

    fn truncf(&mut self, op: Op) -> Selected<()> {
        let rounding = self.e.ir.attr(op, "roundingmode");
        let rounding = rounding.and_then(|attr| self.e.ir.ctx.i64_value(attr));
        let rounding = match rounding.unwrap_or(0) {
            0 => Rounding::Rn,
            1 => Rounding::Rm,
            2 => Rounding::Rp,
            3 => Rounding::Rz,
            _ => return self.refuse(op, "PTX cannot round halves away from zero"),
        };
        self.resize_float(op, Some(rounding))
    }

    /// An integer with another number of bits.
    fn resize(&mut self, op: Op, signed: bool) -> Selected<()> {
        let (from, to) = self.cast_types(op)?;
        self.elementwise(op, |s, v| Ok(s.resized(v[0], from, to, signed)))
    }

    fn resized(&mut self, value: Value, from: Scalar, to: Scalar, signed: bool) -> Value {
        let width = |scalar| match scalar {
            Scalar::Integer(width) => width,
            _ => 1,
        };
        if from == to {
            return value;
        }
        if from == Scalar::Predicate {
            let ty = to.register(&mut self.e.ir.ctx);
            let (one, zero) = (self.e.int(if signed { -1 } else { 1 }, ty), self.e.int(0, ty));
            return match self.e.known_int(value) {
                Some(known) => {
                    if known != 0 {
                        one
                    } else {
                        zero
                    }
                }
                None => self.e.select(value, one, zero),
            };
        }
        if to == Scalar::Predicate {
            // The lowest bit.
            let low = self.e.low_half(value);
            let (one, zero) = (self.e.i32(1), self.e.i32(0));
            let ty = self.e.ir.ctx.i32();
            let bit = self.e.typed::<gpuc_dialects::ptx::AndOp>(PtxType::B32, &[low, one], ty);
            return self.e.compare(Comparison::Ne, PtxType::U32, bit, zero);
        }
        if width(to) < width(from) {
            return if to.register_width() == 32 { self.e.low_half(value) } else { value };
        }
        let whole = normalized(&mut self.e, value, from, signed);
        match (from.register_width(), to.register_width()) {
            (32, 64) => self.e.extend(whole, signed),
            _ => whole,
        }
    }

    fn resize_float(&mut self, op: Op, rounding: Option<Rounding>) -> Selected<()> {
        let (from, to) = self.cast_types(op)?;
        let register = to.register(&mut self.e.ir.ctx);
        self.elementwise(op, |s, v| {
            if from == to {
                return Ok(v[0]);
            }
            Ok(s.e.convert(v[0], from.arithmetic(true), to.arithmetic(true), rounding, register))
        })
    }

    fn integer_to_float(&mut self, op: Op, signed: bool) -> Selected<()> {
        let (from, to) = self.cast_types(op)?;
        let register = to.register(&mut self.e.ir.ctx);
        self.elementwise(op, |s, v| {
            if from == Scalar::Predicate {
                let one = s.e.float(if signed { -1.0 } else { 1.0 }, register);
                let zero = s.e.float(0.0, register);
                return Ok(s.e.select(v[0], one, zero));
            }
            let whole = normalized(&mut s.e, v[0], from, signed);
            let (from, to) = (from.arithmetic(signed), to.arithmetic(true));
            Ok(s.e.convert(whole, from, to, Some(Rounding::Rn), register))
        })
    }

    fn float_to_integer(&mut self, op: Op, signed: bool) -> Selected<()> {
        let (from, to) = self.cast_types(op)?;
        let whole = match to {
            Scalar::Integer(_) => to,
            _ => Scalar::Integer(32),
        };
        let register = whole.register(&mut self.e.ir.ctx);
        // Narrow unsigned types are reached through signed 32 bits, which hold all their values.
        let signed = signed || matches!(to, Scalar::Predicate | Scalar::Integer(..32));
        self.elementwise(op, |s, v| {
            let (from, kind) = (from.arithmetic(true), whole.arithmetic(signed));
            let number = s.e.convert(v[0], from, kind, Some(Rounding::Rzi), register);
            Ok(if to == Scalar::Predicate { s.nonzero(number) } else { number })
        })
    }

    /// The same bits under another type.
    fn bits(&mut self, op: Op) -> Selected<()> {
        let (from, to) = self.cast_types(op)?;
        let register = to.register(&mut self.e.ir.ctx);
        if from.register_width() != to.register_width() {
            return self.unsupported(op);
        }
        self.elementwise(op, |s, v| Ok(s.e.bitcast(v[0], register)))
    }
}
