//! `math`: the functions that are one instruction or a few. The others are linked from the device
//! math library before code is generated.

use gpuc_arch::Feature;
use gpuc_dialects::arith::FastMath;
use gpuc_dialects::math;
use gpuc_dialects::ptx::kinds::{Approximation, Comparison, PtxType, Rounding};
use gpuc_dialects::ptx::{
    AbsOp, AddOp, ApproxOp, BrevOp, ClzOp, CopysignOp, FmaOp, PopcOp, RcpOp, SqrtOp, SubOp,
};
use gpuc_ir::{Op, OpView, Value};

use super::rules::{Entry, Rule};
use super::{Scalar, Selected, Selector, normalized};

/// What is counted of an integer's bits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bits {
    Ones,
    LeadingZeros,
    TrailingZeros,
}

/// The rules of this file.
pub(super) const RULES: &[Entry] = &[
    (math::FmaOp::def, |s, op| s.rounded::<FmaOp>(op)),
    (math::SqrtOp::def, |s, op| {
        s.approximated(op, Approximation::Sqrt, |s, op| s.rounded::<SqrtOp>(op))
    }),
    (math::RsqrtOp::def, |s, op| {
        s.approximated(op, Approximation::Rsqrt, |s, op| s.reciprocal_root(op))
    }),
    (math::Exp2Op::def, |s, op| s.approximated(op, Approximation::Ex2, library)),
    (math::Log2Op::def, |s, op| s.approximated(op, Approximation::Lg2, library)),
    (math::SinOp::def, |s, op| s.approximated(op, Approximation::Sin, library)),
    (math::CosOp::def, |s, op| s.approximated(op, Approximation::Cos, library)),
    (math::TanhOp::def, |s, op| match s.module.options.arch.has(Feature::TanhApprox) {
        true => s.approximated(op, Approximation::Tanh, library),
        false => library(s, op),
    }),
    (math::AbsFOp::def, |s, op| s.absf(op)),
    (math::FloorOp::def, |s, op| s.round_to_integral(op, Rounding::Rmi)),
    (math::CeilOp::def, |s, op| s.round_to_integral(op, Rounding::Rpi)),
    (math::TruncOp::def, |s, op| s.round_to_integral(op, Rounding::Rzi)),
    (math::RoundEvenOp::def, |s, op| s.round_to_integral(op, Rounding::Rni)),
    (math::RoundOp::def, |s, op| s.round(op)),
    (math::CopySignOp::def, |s, op| s.copysign(op)),
    (math::AbsIOp::def, |s, op| s.absi(op)),
    (math::CtPopOp::def, |s, op| s.count(op, Bits::Ones)),
    (math::CountLeadingZerosOp::def, |s, op| s.count(op, Bits::LeadingZeros)),
    (math::CountTrailingZerosOp::def, |s, op| s.count(op, Bits::TrailingZeros)),
];

/// A function of the library.
fn library(selector: &mut Selector<'_, '_>, op: Op) -> Selected<()> {
    selector.needs_device_math(op)
}

impl Selector<'_, '_> {
    fn reciprocal_root(&mut self, op: Op) -> Selected<()> {
        let ty = self.result_scalar(op)?.arithmetic(true);
        self.elementwise(op, |s, v| {
            let root = s.e.rounded::<SqrtOp>(ty, v);
            Ok(s.e.rounded::<RcpOp>(ty, &[root]))
        })
    }

    fn absf(&mut self, op: Op) -> Selected<()> {
        let ty = self.result_scalar(op)?.arithmetic(true);
        self.elementwise(op, |s, v| {
            let register = s.e.ir.ty(v[0]);
            Ok(s.e.typed::<AbsOp>(ty, v, register))
        })
    }

    fn absi(&mut self, op: Op) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        if scalar == Scalar::Predicate {
            return self.unsupported(op);
        }
        self.elementwise(op, |s, v| {
            let value = normalized(&mut s.e, v[0], scalar, true);
            let register = s.e.ir.ty(value);
            Ok(s.e.typed::<AbsOp>(scalar.arithmetic(true), &[value], register))
        })
    }

    fn copysign(&mut self, op: Op) -> Selected<()> {
        let ty = self.result_scalar(op)?.arithmetic(true);
        self.elementwise(op, |s, v| {
            // PTX names the operand with the sign first.
            let register = s.e.ir.ty(v[0]);
            Ok(s.e.typed::<CopysignOp>(ty, &[v[1], v[0]], register))
        })
    }

    /// The instruction that approximates a function, where the program allows that; else the rule.
    fn approximated(&mut self, op: Op, function: Approximation, exact: Rule) -> Selected<()> {
        let allowed = FastMath::of(self.e.ir, op).contains(FastMath::APPROXIMATE);
        if self.result_scalar(op)? != Scalar::F32 || !allowed {
            return exact(self, op);
        }
        if function == Approximation::Tanh {
            self.require(op, Feature::TanhApprox)?;
        }
        self.elementwise(op, |s, v| Ok(s.approximate(function, v[0])))
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
    fn round_to_integral(&mut self, op: Op, rounding: Rounding) -> Selected<()> {
        let ty = self.result_scalar(op)?.arithmetic(true);
        self.elementwise(op, |s, v| {
            let register = s.e.ir.ty(v[0]);
            Ok(s.e.convert(v[0], ty, ty, Some(rounding), register))
        })
    }

    fn round(&mut self, op: Op) -> Selected<()> {
        let ty = self.result_scalar(op)?.arithmetic(true);
        self.elementwise(op, |s, v| Ok(s.round_away(v[0], ty)))
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
    fn count(&mut self, op: Op, what: Bits) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        let Scalar::Integer(width) = scalar else { return self.unsupported(op) };
        self.elementwise(op, |s, v| Ok(s.counted(v[0], scalar, width, what)))
    }

    fn counted(&mut self, value: Value, scalar: Scalar, width: u32, what: Bits) -> Value {
        let register = scalar.register_width();
        let mut whole = normalized(&mut self.e, value, scalar, false);
        let bits = scalar.bits();
        let ty = self.e.ir.ty(whole);
        if what == Bits::TrailingZeros {
            // A bit above the width ends the count there.
            if width < register {
                let end = self.e.int(1i128 << width, ty);
                whole = self.e.typed::<gpuc_dialects::ptx::OrOp>(bits, &[whole, end], ty);
            }
            whole = self.e.typed::<BrevOp>(bits, &[whole], ty);
        }
        let narrow = self.e.ir.ctx.i32();
        let count = if what == Bits::Ones {
            self.e.typed::<PopcOp>(bits, &[whole], narrow)
        } else {
            let count = self.e.typed::<ClzOp>(bits, &[whole], narrow);
            // Bits above the width are zero and were counted.
            let above = if what == Bits::LeadingZeros { register - width } else { 0 };
            let above = self.e.i32(-i64::from(above));
            self.e.add(count, above)
        };
        if register == 64 { self.e.extend(count, false) } else { count }
    }
}
