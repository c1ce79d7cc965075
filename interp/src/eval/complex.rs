//! The dialect `complex`: numbers are vectors of two floats, computed with in f64 and rounded once.

use std::rc::Rc;

use gpuc_dialects::complex;
use gpuc_ir::{AttrKind, FloatKind, Op};

use super::constant::attr_value;
use super::{Family, Handler, Step};
use crate::interpreter::{Fault, Interpreter};
use crate::names;
use crate::value::{Float, Int, RtValue, is_supported};

pub(super) const OPS: Family = &[
    (complex::AbsOp::NAME, Handler::leaf(|m, op| to_part(m, op, Number::abs))),
    (complex::AddOp::NAME, Handler::leaf(|m, op| binary(m, op, Number::add))),
    (complex::AngleOp::NAME, Handler::leaf(|m, op| to_part(m, op, Number::angle))),
    (complex::Atan2Op::NAME, Handler::leaf(|m, op| binary(m, op, Number::atan2))),
    (complex::BitcastOp::NAME, Handler::leaf(bitcast)),
    (complex::ConjOp::NAME, Handler::leaf(|m, op| unary(m, op, |z| Number(z.0, -z.1)))),
    (complex::ConstantOp::NAME, Handler::leaf(constant)),
    (complex::CosOp::NAME, Handler::leaf(|m, op| unary(m, op, Number::cos))),
    (complex::CreateOp::NAME, Handler::leaf(create)),
    (complex::DivOp::NAME, Handler::leaf(|m, op| binary(m, op, Number::div))),
    (complex::EqualOp::NAME, Handler::leaf(|m, op| compare(m, op, true))),
    (complex::ExpOp::NAME, Handler::leaf(|m, op| unary(m, op, Number::exp))),
    (complex::Expm1Op::NAME, Handler::leaf(|m, op| unary(m, op, Number::expm1))),
    (complex::ImOp::NAME, Handler::leaf(|m, op| to_part(m, op, |z| z.1))),
    (complex::LogOp::NAME, Handler::leaf(|m, op| unary(m, op, Number::log))),
    (complex::Log1pOp::NAME, Handler::leaf(|m, op| unary(m, op, Number::log1p))),
    (complex::MulOp::NAME, Handler::leaf(|m, op| binary(m, op, Number::mul))),
    (complex::NegOp::NAME, Handler::leaf(|m, op| unary(m, op, |z| Number(-z.0, -z.1)))),
    (complex::NotEqualOp::NAME, Handler::leaf(|m, op| compare(m, op, false))),
    (complex::PowOp::NAME, Handler::leaf(|m, op| binary(m, op, Number::pow))),
    (complex::ReOp::NAME, Handler::leaf(|m, op| to_part(m, op, |z| z.0))),
    (complex::RsqrtOp::NAME, Handler::leaf(|m, op| unary(m, op, |z| ONE.div(z.sqrt())))),
    (complex::SignOp::NAME, Handler::leaf(|m, op| unary(m, op, Number::sign))),
    (complex::SinOp::NAME, Handler::leaf(|m, op| unary(m, op, Number::sin))),
    (complex::SqrtOp::NAME, Handler::leaf(|m, op| unary(m, op, Number::sqrt))),
    (
        complex::SubOp::NAME,
        Handler::leaf(|m, op| binary(m, op, |a, b| Number(a.0 - b.0, a.1 - b.1))),
    ),
    (complex::TanOp::NAME, Handler::leaf(|m, op| unary(m, op, |z| z.sin().div(z.cos())))),
    (complex::TanhOp::NAME, Handler::leaf(|m, op| unary(m, op, Number::tanh))),
];

/// A complex number of two f64.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Number(f64, f64);

const ONE: Number = Number(1.0, 0.0);

impl Number {
    fn add(self, other: Number) -> Number {
        Number(self.0 + other.0, self.1 + other.1)
    }

    fn mul(self, other: Number) -> Number {
        Number(self.0 * other.0 - self.1 * other.1, self.0 * other.1 + self.1 * other.0)
    }

    /// Smith's algorithm, which divides by no square (1962).
    fn div(self, other: Number) -> Number {
        let Number(a, b) = self;
        let Number(c, d) = other;
        if c.abs() >= d.abs() {
            let ratio = d / c;
            let scale = c + d * ratio;
            Number((a + b * ratio) / scale, (b - a * ratio) / scale)
        } else {
            let ratio = c / d;
            let scale = c * ratio + d;
            Number((a * ratio + b) / scale, (b * ratio - a) / scale)
        }
    }

    fn abs(self) -> f64 {
        libm::hypot(self.0, self.1)
    }

    fn angle(self) -> f64 {
        libm::atan2(self.1, self.0)
    }

    fn polar(radius: f64, angle: f64) -> Number {
        Number(radius * libm::cos(angle), radius * libm::sin(angle))
    }

    fn exp(self) -> Number {
        Number::polar(libm::exp(self.0), self.1)
    }

    /// `e^x cos y - 1` by `expm1(x) cos y - 2 sin²(y/2)`, which keeps small numbers.
    fn expm1(self) -> Number {
        let half = libm::sin(self.1 / 2.0);
        let real = libm::expm1(self.0) * libm::cos(self.1) - 2.0 * half * half;
        Number(real, libm::exp(self.0) * libm::sin(self.1))
    }

    fn log(self) -> Number {
        Number(libm::log(self.abs()), self.angle())
    }

    /// The real part is half of `log1p(2x + x² + y²)`, which keeps small numbers.
    fn log1p(self) -> Number {
        let square = self.0 * (2.0 + self.0) + self.1 * self.1;
        Number(libm::log1p(square) / 2.0, Number(1.0 + self.0, self.1).angle())
    }

    fn sqrt(self) -> Number {
        if self.0 == 0.0 && self.1 == 0.0 {
            return Number(0.0, self.1);
        }
        let root = ((self.abs() + self.0.abs()) / 2.0).sqrt();
        let other = self.1.abs() / (2.0 * root);
        match self.0 >= 0.0 {
            true => Number(root, other.copysign(self.1)),
            false => Number(other, root.copysign(self.1)),
        }
    }

    fn pow(self, exponent: Number) -> Number {
        match (self, exponent) {
            (_, Number(0.0, 0.0)) => ONE,
            (Number(0.0, 0.0), _) => Number(0.0, 0.0),
            _ => self.log().mul(exponent).exp(),
        }
    }

    fn sign(self) -> Number {
        match self.abs() {
            0.0 => self,
            size => Number(self.0 / size, self.1 / size),
        }
    }

    fn sin(self) -> Number {
        let Number(x, y) = self;
        Number(libm::sin(x) * libm::cosh(y), libm::cos(x) * libm::sinh(y))
    }

    fn cos(self) -> Number {
        let Number(x, y) = self;
        Number(libm::cos(x) * libm::cosh(y), -libm::sin(x) * libm::sinh(y))
    }

    /// `tanh z = -i tan(i z)`.
    fn tanh(self) -> Number {
        let turned = Number(-self.1, self.0);
        let tan = turned.sin().div(turned.cos());
        Number(tan.1, -tan.0)
    }

    /// `-i log((b + i a) / sqrt(a² + b²))`.
    fn atan2(self, other: Number) -> Number {
        let (a, b) = (self, other);
        let length = a.mul(a).add(b.mul(b)).sqrt();
        let log = b.add(Number(-a.1, a.0)).div(length).log();
        Number(log.1, -log.0)
    }
}

/// The number that an operand is, and the format of its parts.
fn number(m: &Interpreter<'_>, op: Op, index: usize) -> Result<(Number, FloatKind), Fault> {
    let value = m.operand(op, index)?;
    if let RtValue::Vector(parts) = value
        && let [re, im] = &parts[..]
    {
        return match (re, im) {
            (RtValue::Float(re), RtValue::Float(im)) => {
                Ok((Number(re.value(), im.value()), re.kind()))
            }
            (poison @ RtValue::Poison(_), _) | (_, poison) => {
                Err(m.wrong_value(op, poison, "a complex number"))
            }
        };
    }
    Err(m.wrong_value(op, value, "a complex number"))
}

fn set_number(m: &mut Interpreter<'_>, op: Op, number: Number, kind: FloatKind) -> Step {
    let parts = [number.0, number.1].map(|part| RtValue::Float(Float::new(part, kind)));
    m.set_result(op, RtValue::Vector(Rc::from(parts)))
}

fn unary(m: &mut Interpreter<'_>, op: Op, f: fn(Number) -> Number) -> Step {
    let (z, kind) = number(m, op, 0)?;
    set_number(m, op, f(z), kind)
}

fn binary(m: &mut Interpreter<'_>, op: Op, f: fn(Number, Number) -> Number) -> Step {
    let ((a, kind), (b, _)) = (number(m, op, 0)?, number(m, op, 1)?);
    set_number(m, op, f(a, b), kind)
}

fn to_part(m: &mut Interpreter<'_>, op: Op, f: fn(Number) -> f64) -> Step {
    let (z, kind) = number(m, op, 0)?;
    m.set_result(op, RtValue::Float(Float::new(f(z), kind)))
}

fn compare(m: &mut Interpreter<'_>, op: Op, same: bool) -> Step {
    let ((a, _), (b, _)) = (number(m, op, 0)?, number(m, op, 1)?);
    m.set_result(op, RtValue::bool((a == b) == same))
}

fn create(m: &mut Interpreter<'_>, op: Op) -> Step {
    let parts = [m.operand(op, 0)?.clone(), m.operand(op, 1)?.clone()];
    m.set_result(op, RtValue::Vector(Rc::from(parts)))
}

fn constant(m: &mut Interpreter<'_>, op: Op) -> Step {
    let attr = names::attr(m.ir, op, m.names.value);
    let parts = match attr.map(|attr| m.ir.ctx.attr_kind(attr)) {
        Some(AttrKind::Array(parts)) => parts.iter().map(|&part| attr_value(&m.ir.ctx, part)),
        _ => return Err(m.error(op, "has a value that cannot be computed with")),
    };
    match parts.collect::<Option<Vec<RtValue>>>() {
        Some(parts) => m.set_result(op, RtValue::Vector(Rc::from(parts))),
        None => Err(m.error(op, "has a value that cannot be computed with")),
    }
}

fn bitcast(m: &mut Interpreter<'_>, op: Op) -> Step {
    let bits: u128 = match m.operand(op, 0)? {
        RtValue::Int(value) => value.unsigned(),
        RtValue::Float(value) => value.bits().into(),
        RtValue::Vector(_) => {
            let (z, kind) = number(m, op, 0)?;
            let [re, im] = [z.0, z.1].map(|part| u128::from(Float::new(part, kind).bits()));
            re | im << kind.width()
        }
        other => return Err(m.wrong_value(op, other, "a number")),
    };
    let ctx = &m.ir.ctx;
    let ty = m.ir.ty(m.ir.result(op, 0));
    let float = |bits: u128, kind: FloatKind| RtValue::Float(Float::from_bits(bits as u64, kind));
    let kind = ctx.float_kind(complex::part(ctx, ty).unwrap_or(ty));
    let value = match (kind.filter(|&kind| is_supported(kind)), ctx.int_width(ty)) {
        (Some(kind), _) if complex::part(ctx, ty).is_some() => {
            let parts = [float(bits, kind), float(bits >> kind.width(), kind)];
            RtValue::Vector(Rc::from(parts))
        }
        (Some(kind), _) => float(bits, kind),
        (None, Some(width)) if width <= 128 => RtValue::Int(Int::new(bits as i128, width)),
        _ => return Err(m.error(op, "makes numbers that cannot be computed with")),
    };
    m.set_result(op, value)
}
