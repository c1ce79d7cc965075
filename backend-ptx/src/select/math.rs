//! `math`: the functions that are one instruction or a few. The others are linked from the device
//! math library before code is generated.

use gpuc_arch::Feature;
use gpuc_dialects::arith::FastMath;
use gpuc_dialects::math;
use gpuc_dialects::ptx::kinds::{Approximation, Comparison, PtxType, Rounding};
use gpuc_dialects::ptx::{
    AbsOp, AddOp, ApproxOp, BrevOp, ClzOp, CopysignOp, FmaOp, PopcOp, RcpOp, SqrtOp, SubOp,
};
use gpuc_ir::{Op, Value};

use super::{Scalar, Selected, Selector, normalized};

impl Selector<'_, '_> {
    /// Selects an operation of `math`.
    pub fn math(&mut self, op: Op, name: &str) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        let ty = scalar.arithmetic(true);
        if let Some(function) = self.approximation(op, name, scalar)? {
            return self.elementwise(op, |s, v| Ok(s.approximate(function, v[0])));
        }
        match name {
            math::FmaOp::NAME => self.elementwise(op, |s, v| Ok(s.e.rounded::<FmaOp>(ty, v))),
            math::SqrtOp::NAME => self.elementwise(op, |s, v| Ok(s.e.rounded::<SqrtOp>(ty, v))),
            math::RsqrtOp::NAME => self.elementwise(op, |s, v| {
                let root = s.e.rounded::<SqrtOp>(ty, v);
                Ok(s.e.rounded::<RcpOp>(ty, &[root]))
            }),
            math::AbsFOp::NAME => self.elementwise(op, |s, v| {
                let register = s.e.ir.ty(v[0]);
                Ok(s.e.typed::<AbsOp>(ty, v, register))
            }),
            math::FloorOp::NAME => self.round_to_integral(op, ty, Rounding::Rmi),
            math::CeilOp::NAME => self.round_to_integral(op, ty, Rounding::Rpi),
            math::TruncOp::NAME => self.round_to_integral(op, ty, Rounding::Rzi),
            math::RoundEvenOp::NAME => self.round_to_integral(op, ty, Rounding::Rni),
            math::RoundOp::NAME => self.elementwise(op, |s, v| Ok(s.round_away(v[0], ty))),
            math::CopySignOp::NAME => self.elementwise(op, |s, v| {
                // PTX names the operand with the sign first.
                let register = s.e.ir.ty(v[0]);
                Ok(s.e.typed::<CopysignOp>(ty, &[v[1], v[0]], register))
            }),
            math::AbsIOp::NAME if scalar != Scalar::Predicate => self.elementwise(op, |s, v| {
                let value = normalized(&mut s.e, v[0], scalar, true);
                let register = s.e.ir.ty(value);
                Ok(s.e.typed::<AbsOp>(ty, &[value], register))
            }),
            math::CtPopOp::NAME
            | math::CountLeadingZerosOp::NAME
            | math::CountTrailingZerosOp::NAME
                if scalar != Scalar::Predicate =>
            {
                self.elementwise(op, |s, v| Ok(s.count(v[0], scalar, name)))
            }
            _ => self.needs_device_math(op),
        }
    }

    /// The instruction that approximates a function, where the program allows that.
    fn approximation(
        &mut self,
        op: Op,
        name: &str,
        scalar: Scalar,
    ) -> Selected<Option<Approximation>> {
        let allowed = FastMath::of(self.e.ir, op).contains(FastMath::APPROXIMATE);
        if scalar != Scalar::F32 || !allowed {
            return Ok(None);
        }
        Ok(match name {
            math::Exp2Op::NAME => Some(Approximation::Ex2),
            math::Log2Op::NAME => Some(Approximation::Lg2),
            math::SinOp::NAME => Some(Approximation::Sin),
            math::CosOp::NAME => Some(Approximation::Cos),
            math::RsqrtOp::NAME => Some(Approximation::Rsqrt),
            math::SqrtOp::NAME => Some(Approximation::Sqrt),
            math::TanhOp::NAME if self.module.options.arch.has(Feature::TanhApprox) => {
                self.require(op, Feature::TanhApprox)?;
                Some(Approximation::Tanh)
            }
            _ => None,
        })
    }

    fn approximate(&mut self, function: Approximation, value: Value) -> Value {
        let register = self.e.ir.ty(value);
        let function = function.attr(&mut self.e.ir.ctx);
        let ty = PtxType::F32.attr(&mut self.e.ir.ctx);
        let build = self.e.start::<ApproxOp>(&[value]).attr(self.e.ir, "function", function);
        let build = build.attr(self.e.ir, "ty", ty).result(register);
        let op = self.e.insert(build);
        self.e.ir.result(op, 0)
    }

    /// Rounds to an integer in floating point.
    fn round_to_integral(&mut self, op: Op, ty: PtxType, rounding: Rounding) -> Selected<()> {
        self.elementwise(op, |s, v| {
            let register = s.e.ir.ty(v[0]);
            Ok(s.e.convert(v[0], ty, ty, Some(rounding), register))
        })
    }

    /// The nearest integer, halves away from zero: the truncated number, one further out where
    /// what was cut off (which is exact) is at least a half.
    fn round_away(&mut self, value: Value, ty: PtxType) -> Value {
        let register = self.e.ir.ty(value);
        let whole = self.e.convert(value, ty, ty, Some(Rounding::Rzi), register);
        let cut = self.e.rounded::<SubOp>(ty, &[value, whole]);
        let cut = self.e.typed::<AbsOp>(ty, &[cut], register);
        let half = self.e.float(0.5, register);
        let far = self.e.compare(Comparison::Ge, ty, cut, half);
        let one = self.e.float(1.0, register);
        let step = self.e.typed::<CopysignOp>(ty, &[value, one], register);
        let out = self.e.rounded::<AddOp>(ty, &[whole, step]);
        self.e.select(far, out, whole)
    }

    /// Counts bits of an integer; the result has the integer's type.
    fn count(&mut self, value: Value, scalar: Scalar, name: &str) -> Value {
        let Scalar::Integer(width) = scalar else { return value };
        let register = scalar.register_width();
        let mut whole = normalized(&mut self.e, value, scalar, false);
        let bits = scalar.bits();
        let ty = self.e.ir.ty(whole);
        if name == math::CountTrailingZerosOp::NAME {
            // A bit above the width ends the count there.
            if width < register {
                let end = self.e.int(1i128 << width, ty);
                whole = self.e.typed::<gpuc_dialects::ptx::OrOp>(bits, &[whole, end], ty);
            }
            whole = self.e.typed::<BrevOp>(bits, &[whole], ty);
        }
        let narrow = self.e.ir.ctx.i32();
        let count = if name == math::CtPopOp::NAME {
            self.e.typed::<PopcOp>(bits, &[whole], narrow)
        } else {
            let count = self.e.typed::<ClzOp>(bits, &[whole], narrow);
            // Bits above the width are zero and were counted.
            let above = if name == math::CountLeadingZerosOp::NAME { register - width } else { 0 };
            let above = self.e.i32(-i64::from(above));
            self.e.add(count, above)
        };
        if register == 64 { self.e.extend(count, false) } else { count }
    }
}
