//! Functions of math.h that take or give integers, or store results where pointers point to; integer functions of the
//! compiler.

use gpuc_dialects::arith::{self, CmpFPredicate, CmpIPredicate};
use gpuc_dialects::math;
use gpuc_ir::Value;

use super::lowerer::{Lowerer, Lowering};
use super::scalar::Scalar;
use crate::source::Span;
use crate::tree::ExprId;
use crate::types::Type;

/// Which result of a function goes where.
#[derive(Clone, Copy)]
enum Result {
    /// The device library's function of that name.
    Float(&'static str),
    /// The same, which gives an integer.
    Integer(&'static str),
    /// The operation of the same name.
    Trunc,
    Sin,
    Cos,
}

/// Functions that store results: how many numbers they take, what they give, what they store.
const STORING: &[(&str, usize, Option<Result>, &[Result])] = &[
    ("frexp", 1, Some(Result::Float("frexp")), &[Result::Integer("frexp_exponent")]),
    ("lgamma_r", 1, Some(Result::Float("lgamma")), &[Result::Integer("lgamma_sign")]),
    ("modf", 1, Some(Result::Float("modf")), &[Result::Trunc]),
    ("remquo", 2, Some(Result::Float("remainder")), &[Result::Integer("remquo_quotient")]),
    ("sincos", 1, None, &[Result::Sin, Result::Cos]),
];

/// A name without the letter of its type.
fn stem(base: &str, scalar: Scalar) -> String {
    match scalar {
        Scalar::F32 if base == "lgammaf_r" => "lgamma_r".to_owned(),
        Scalar::F32 => base.strip_suffix('f').unwrap_or(base).to_owned(),
        _ => base.to_owned(),
    }
}

impl Lowerer<'_> {
    /// The scalar of an argument.
    fn scalar_of(&self, argument: ExprId) -> Option<Scalar> {
        Scalar::of(self.unit, self.ty(argument))
    }

    /// A function that stores results; its value, if it has one.
    pub(super) fn storing_function(
        &mut self,
        base: &str,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<Option<Option<Value>>> {
        let first = arguments.first().and_then(|&argument| self.scalar_of(argument));
        let Some(scalar) = first.filter(|scalar| scalar.is_float()) else { return Ok(None) };
        let stem = stem(base, scalar);
        let Some(&(_, count, gives, stores)) = STORING.iter().find(|known| known.0 == stem) else {
            return Ok(None);
        };
        if arguments.len() != count + stores.len() {
            return self.error(span, "this function takes another number of arguments");
        }
        let (numbers, places) = arguments.split_at(count);
        let mut values = Vec::new();
        for &number in numbers {
            values.push(self.rvalue(number)?);
        }
        let mut targets = Vec::new();
        for &place in places {
            let pointee = self.unit.types.pointee(self.ty(place)).unwrap_or(Type::ERROR);
            let pointer = self.pointer(place)?;
            self.check_position(&pointer, pointee, span)?;
            targets.push((pointer, self.scalar(pointee, span)?));
        }
        self.locate(span);
        let value = gives.map(|result| self.result(result, scalar, &values).0);
        for (&result, (pointer, to)) in stores.iter().zip(&targets) {
            let (value, from) = self.result(result, scalar, &values);
            let value = self.convert(value, from, *to);
            self.store(value, pointer, *to, span)?;
        }
        Ok(Some(value))
    }

    fn result(&mut self, result: Result, scalar: Scalar, values: &[Value]) -> (Value, Scalar) {
        let op = match result {
            Result::Float(name) => {
                return (self.call_library(name, scalar, values, scalar), scalar);
            }
            Result::Integer(name) => {
                return (self.call_library(name, scalar, values, Scalar::INT), Scalar::INT);
            }
            Result::Trunc => math::TruncOp::new(&mut self.b, values[0]),
            Result::Sin => math::SinOp::new(&mut self.b, values[0]),
            Result::Cos => math::CosOp::new(&mut self.b, values[0]),
        };
        (self.value(op), scalar)
    }

    /// Functions of a number and an integer, and those that make an integer of a number.
    pub(super) fn mixed_function(
        &mut self,
        base: &str,
        ty: Type,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<Option<Value>> {
        let kinds: Vec<Option<Scalar>> =
            arguments.iter().map(|&argument| self.scalar_of(argument)).collect();
        let is_number = |kind: &Option<Scalar>| kind.is_some_and(Scalar::is_float);
        let is_integer = |kind: &Option<Scalar>| kind.is_some_and(|kind| !kind.is_float());
        match kinds.as_slice() {
            [number] if is_number(number) => {
                let scalar = number.unwrap_or(Scalar::F64);
                match stem(base, scalar).as_str() {
                    "ilogb" => {
                        let [x] = self.values(arguments, span)?;
                        Ok(Some(self.call_library("ilogb", scalar, &[x], Scalar::INT)))
                    }
                    _ if base == "isnormal" => {
                        let [x] = self.values(arguments, span)?;
                        let normal = self.is_normal(x, scalar);
                        let to = self.scalar(ty, span)?;
                        Ok(Some(self.convert(normal, Scalar::Bool, to)))
                    }
                    _ => Ok(None),
                }
            }
            [number, integer] if is_number(number) && is_integer(integer) => {
                let scalar = number.unwrap_or(Scalar::F64);
                if !matches!(stem(base, scalar).as_str(), "ldexp" | "scalbn" | "scalbln") {
                    return Ok(None);
                }
                let [x, n] = self.values(arguments, span)?;
                let n = self.bounded(n, integer.unwrap_or(Scalar::INT));
                Ok(Some(self.call_library("ldexp", scalar, &[x, n], scalar)))
            }
            [integer, number] if is_integer(integer) && is_number(number) => {
                let scalar = number.unwrap_or(Scalar::F64);
                let stem = stem(base, scalar);
                if !matches!(stem.as_str(), "jn" | "yn") {
                    return Ok(None);
                }
                let [n, x] = self.values(arguments, span)?;
                let n = self.convert(n, integer.unwrap_or(Scalar::INT), Scalar::INT);
                Ok(Some(self.call_library(&stem, scalar, &[n, x], scalar)))
            }
            [classes @ .., number]
                if base == "fpclassify" && classes.len() == 5 && is_number(number) =>
            {
                let scalar = number.unwrap_or(Scalar::F64);
                let [nan, infinite, normal, subnormal, zero, x] = self.values(arguments, span)?;
                Ok(Some(self.class_of(x, scalar, [nan, infinite, normal, subnormal, zero])))
            }
            _ => Ok(None),
        }
    }

    /// An exponent as an `int`: beyond 100,000 all are the same.
    fn bounded(&mut self, n: Value, from: Scalar) -> Value {
        let wide = Scalar::Int { bits: 64, signed: true };
        let n = self.convert(n, from, wide);
        let ty = wide.register(&mut self.b.ctx);
        let (low, high) = (
            arith::constant_int(&mut self.b, -100_000, ty),
            arith::constant_int(&mut self.b, 100_000, ty),
        );
        let op = arith::MaxSIOp::new(&mut self.b, n, low);
        let n = self.value(op);
        let op = arith::MinSIOp::new(&mut self.b, n, high);
        let n = self.value(op);
        self.convert(n, wide, Scalar::INT)
    }

    fn size_of_number(&mut self, x: Value) -> Value {
        let op = math::AbsFOp::new(&mut self.b, x);
        self.value(op)
    }

    fn constant(&mut self, value: f64, scalar: Scalar) -> Value {
        let ty = scalar.register(&mut self.b.ctx);
        arith::constant_float(&mut self.b, value, ty)
    }

    /// The least normal number of a type.
    fn least_normal(scalar: Scalar) -> f64 {
        if scalar == Scalar::F32 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE }
    }

    fn is_normal(&mut self, x: Value, scalar: Scalar) -> Value {
        let a = self.size_of_number(x);
        let (least, infinite) = (
            self.constant(Self::least_normal(scalar), scalar),
            self.constant(f64::INFINITY, scalar),
        );
        let large = self.compare_float(CmpFPredicate::Oge, a, least);
        let finite = self.compare_float(CmpFPredicate::Olt, a, infinite);
        let op = arith::AndIOp::new(&mut self.b, large, finite);
        self.value(op)
    }

    fn class_of(
        &mut self,
        x: Value,
        scalar: Scalar,
        [nan, infinite, normal, subnormal, zero]: [Value; 5],
    ) -> Value {
        let a = self.size_of_number(x);
        let nothing = self.constant(0.0, scalar);
        let least = self.constant(Self::least_normal(scalar), scalar);
        let infinity = self.constant(f64::INFINITY, scalar);
        let mut class = nan;
        for (predicate, bound, value) in [
            (CmpFPredicate::Oeq, infinity, infinite),
            (CmpFPredicate::Olt, infinity, normal),
            (CmpFPredicate::Olt, least, subnormal),
            (CmpFPredicate::Oeq, nothing, zero),
        ] {
            let holds = self.compare_float(predicate, a, bound);
            let op = arith::SelectOp::new(&mut self.b, holds, value, class);
            class = self.value(op);
        }
        class
    }

    /// Functions on the bits of integers.
    pub(super) fn integer_function(
        &mut self,
        base: &str,
        ty: Type,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<Option<Value>> {
        let &[argument] = arguments else { return Ok(None) };
        let Some(from) = self.scalar_of(argument).filter(|scalar| !scalar.is_float()) else {
            return Ok(None);
        };
        let known = matches!(
            base,
            "parity"
                | "parityl"
                | "parityll"
                | "ffs"
                | "ffsl"
                | "ffsll"
                | "clrsb"
                | "clrsbl"
                | "clrsbll"
                | "bswap16"
                | "bswap32"
                | "bswap64"
        );
        let Scalar::Int { bits, .. } = from else { return Ok(None) };
        if !known {
            return Ok(None);
        }
        let [x] = self.values(arguments, span)?;
        let int = self.b.ty(x);
        let to = self.scalar(ty, span)?;
        if base.starts_with("bswap") {
            return Ok(Some(self.bytes_reversed(x, bits)));
        }
        let one = arith::constant_int(&mut self.b, 1, int);
        let zero = arith::constant_int(&mut self.b, 0, int);
        let value = if base.starts_with("parity") {
            let op = math::CtPopOp::new(&mut self.b, x);
            let ones = self.value(op);
            let op = arith::AndIOp::new(&mut self.b, ones, one);
            self.value(op)
        } else if base.starts_with("ffs") {
            let op = math::CountTrailingZerosOp::new(&mut self.b, x);
            let zeros = self.value(op);
            let op = arith::AddIOp::new(&mut self.b, zeros, one);
            let place = self.value(op);
            let none = self.compare_int(CmpIPredicate::Eq, x, zero);
            let op = arith::SelectOp::new(&mut self.b, none, zero, place);
            self.value(op)
        } else {
            let last = arith::constant_int(&mut self.b, i128::from(bits) - 1, int);
            let op = arith::ShRSIOp::new(&mut self.b, x, last);
            let sign = self.value(op);
            let op = arith::XOrIOp::new(&mut self.b, x, sign);
            let rest = self.value(op);
            let op = math::CountLeadingZerosOp::new(&mut self.b, rest);
            let zeros = self.value(op);
            let op = arith::SubIOp::new(&mut self.b, zeros, one);
            self.value(op)
        };
        Ok(Some(self.convert(value, Scalar::Int { bits, signed: true }, to)))
    }

    fn bytes_reversed(&mut self, x: Value, bits: u32) -> Value {
        let int = self.b.ty(x);
        let mut result = arith::constant_int(&mut self.b, 0, int);
        let mask = arith::constant_int(&mut self.b, 255, int);
        for byte in 0..bits / 8 {
            let down = arith::constant_int(&mut self.b, (8 * byte).into(), int);
            let op = arith::ShRUIOp::new(&mut self.b, x, down);
            let moved = self.value(op);
            let op = arith::AndIOp::new(&mut self.b, moved, mask);
            let part = self.value(op);
            let up = arith::constant_int(&mut self.b, (bits - 8 - 8 * byte).into(), int);
            let op = arith::ShLIOp::new(&mut self.b, part, up);
            let part = self.value(op);
            let op = arith::OrIOp::new(&mut self.b, result, part);
            result = self.value(op);
        }
        result
    }
}
