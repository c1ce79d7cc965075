//! Functions of the C library and of the compiler.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::arith::{CmpFPredicate, CmpIPredicate};
use gpuc_dialects::{arith, func, math, offload};
use gpuc_ir::{Builder, OpBuild, Value};

use super::lowerer::{Lowerer, Lowering};
use super::scalar::Scalar;
use crate::directive::{self, Allocation, Clock, Lock, Number};
use crate::source::Span;
use crate::tree::ExprId;
use crate::types::Type;

type Unary = fn(&mut Builder<'_>, Value) -> OpBuild;
type Binary = fn(&mut Builder<'_>, Value, Value) -> OpBuild;

/// Functions of one float that are one operation.
const UNARY: &[(&str, Unary)] = &[
    ("acos", |b, x| math::AcosOp::new(b, x)),
    ("acosh", |b, x| math::AcoshOp::new(b, x)),
    ("asin", |b, x| math::AsinOp::new(b, x)),
    ("asinh", |b, x| math::AsinhOp::new(b, x)),
    ("atan", |b, x| math::AtanOp::new(b, x)),
    ("atanh", |b, x| math::AtanhOp::new(b, x)),
    ("cbrt", |b, x| math::CbrtOp::new(b, x)),
    ("ceil", |b, x| math::CeilOp::new(b, x)),
    ("cos", |b, x| math::CosOp::new(b, x)),
    ("cosh", |b, x| math::CoshOp::new(b, x)),
    ("erf", |b, x| math::ErfOp::new(b, x)),
    ("exp", |b, x| math::ExpOp::new(b, x)),
    ("exp2", |b, x| math::Exp2Op::new(b, x)),
    ("expm1", |b, x| math::ExpM1Op::new(b, x)),
    ("fabs", |b, x| math::AbsFOp::new(b, x)),
    ("floor", |b, x| math::FloorOp::new(b, x)),
    ("log", |b, x| math::LogOp::new(b, x)),
    ("log10", |b, x| math::Log10Op::new(b, x)),
    ("log1p", |b, x| math::Log1pOp::new(b, x)),
    ("log2", |b, x| math::Log2Op::new(b, x)),
    ("nearbyint", |b, x| math::RoundEvenOp::new(b, x)),
    ("rint", |b, x| math::RoundEvenOp::new(b, x)),
    ("round", |b, x| math::RoundOp::new(b, x)),
    ("roundeven", |b, x| math::RoundEvenOp::new(b, x)),
    ("rsqrt", |b, x| math::RsqrtOp::new(b, x)),
    ("sin", |b, x| math::SinOp::new(b, x)),
    ("sinh", |b, x| math::SinhOp::new(b, x)),
    ("sqrt", |b, x| math::SqrtOp::new(b, x)),
    ("tan", |b, x| math::TanOp::new(b, x)),
    ("tanh", |b, x| math::TanhOp::new(b, x)),
    ("trunc", |b, x| math::TruncOp::new(b, x)),
];

/// Functions of two floats that are one operation.
const BINARY: &[(&str, Binary)] = &[
    ("atan2", |b, x, y| math::Atan2Op::new(b, x, y)),
    ("copysign", |b, x, y| math::CopySignOp::new(b, x, y)),
    ("fmax", |b, x, y| arith::MaxNumFOp::new(b, x, y)),
    ("fmin", |b, x, y| arith::MinNumFOp::new(b, x, y)),
    ("fmod", |b, x, y| arith::RemFOp::new(b, x, y)),
    ("pow", |b, x, y| math::PowFOp::new(b, x, y)),
];

/// Functions that only the device library has, with their number of arguments.
const LIBRARY: &[(&str, usize)] = &[
    ("erfc", 1),
    ("exp10", 1),
    ("fdim", 2),
    ("hypot", 2),
    ("j0", 1),
    ("j1", 1),
    ("lgamma", 1),
    ("logb", 1),
    ("nextafter", 2),
    ("remainder", 2),
    ("tgamma", 1),
    ("y0", 1),
    ("y1", 1),
];

/// Functions of the C library that only make sense on the host, with the way round them.
const HOST_ONLY: &[(&str, &str)] = &[
    ("fprintf", "use `printf`: a GPU has one stream"),
    ("exit", "leave a mark in a variable, and exit behind the region"),
    ("realloc", "allocate anew with `malloc`, and copy with `memcpy`"),
    ("rand", "compute random numbers with a function of your own"),
];

/// As many lanes a gang has at most where the program says nothing: those of a block.
const MOST_LANES: i128 = 1024;

impl Lowerer<'_> {
    /// A call of a function that is not defined in the unit; `None` for those without a value.
    pub(super) fn library_call(
        &mut self,
        name: &str,
        ty: Type,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<Option<Value>> {
        if let Some(value) = self.intrinsic(name, ty, arguments, span)? {
            return Ok(Some(value));
        }
        let base = name.strip_prefix("__builtin_").unwrap_or(name);
        let own = base.len() < name.len();
        if let Some(value) = self.builtin(base, own, ty, arguments, span)? {
            return Ok(Some(value));
        }
        if own && base == "unreachable" {
            return Ok(None);
        }
        if let Some(value) = self.integer_function(base, ty, arguments, span)? {
            return Ok(Some(value));
        }
        if let Some(done) = self.storing_function(base, arguments, span)? {
            return Ok(done);
        }
        if let Some(value) = self.mixed_function(base, ty, arguments, span)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.complex_function(base, ty, arguments, span)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.float_function(base, ty, arguments, span)? {
            return Ok(Some(value));
        }
        if Allocation::asked_by(base) == Some(Allocation::Nothing) {
            if self.unit.types.is_void(ty) {
                return Ok(None);
            }
            let register = self.scalar(ty, span)?.register(&mut self.b.ctx);
            return Ok(Some(arith::constant_int(&mut self.b, 1, register)));
        }
        match Lock::asked_by(base) {
            Some(Lock::Nothing { .. }) => return Ok(None),
            Some(Lock::Locked) => return self.number(Number::Constant(1), ty, span).map(Some),
            None => {}
        }
        if arguments.is_empty()
            && let Some(number) = Number::asked_by(base)
        {
            return self.number(number, ty, span).map(Some);
        }
        if arguments.is_empty()
            && let Some(clock) = Clock::asked_by(base)
        {
            return self.clock(clock, ty, span).map(Some);
        }
        if directive::tests_device(base)
            && let [kind] = arguments
        {
            return self.device_test(*kind, ty, span).map(Some);
        }
        let mut diagnostic = Diagnostic::error(format!("`{base}` cannot be called in device code"));
        diagnostic = match HOST_ONLY.iter().find(|&&(known, _)| known == base) {
            Some((_, help)) => diagnostic.help(*help),
            None => diagnostic.help(
                "define the function in this file, or declare it with `routine` where another file has it",
            ),
        };
        self.refuse(span, diagnostic)
    }

    /// The time in seconds, or how far two of them are apart at least.
    fn clock(&mut self, clock: Clock, ty: Type, span: Span) -> Lowering<Value> {
        let to = self.scalar(ty, span)?;
        let double = self.b.ctx.f64();
        let tick = arith::constant_float(&mut self.b, 1e-9, double);
        let seconds = match clock {
            Clock::Tick => tick,
            Clock::Now => {
                let read = offload::TimeOp::new(&mut self.b);
                let nanoseconds = self.value(read);
                let from = Scalar::Int { bits: 64, signed: true };
                let nanoseconds = self.convert(nanoseconds, from, Scalar::F64);
                let op = arith::MulFOp::new(&mut self.b, nanoseconds, tick);
                self.value(op)
            }
        };
        Ok(self.convert(seconds, Scalar::F64, to))
    }

    /// What device code is told of the processor that executes it.
    fn number(&mut self, number: Number, ty: Type, span: Span) -> Lowering<Value> {
        let to = self.scalar(ty, span)?;
        let known = match number {
            Number::Constant(value) => Err(value),
            Number::Of(level) => self.numbers[level].map(|(number, _)| number).ok_or(0),
            Number::Count(level) => self.numbers[level].map(|(_, count)| count).ok_or(1),
            Number::Within(level) => Err(i128::from(self.numbers[level].is_some())),
            Number::Limit => self.lane_limit.ok_or(MOST_LANES),
            Number::Several(level) => match self.numbers[level] {
                Some((_, count)) => {
                    let one = self.index(1);
                    let predicate = CmpIPredicate::Sgt.attr(&mut self.b.ctx);
                    let i1 = self.b.ctx.i1();
                    let op = arith::CmpIOp::new(&mut self.b, count, one).attr(
                        &mut self.b,
                        "predicate",
                        predicate,
                    );
                    let several = self.value(op.result(i1));
                    return Ok(self.convert(several, Scalar::Bool, to));
                }
                None => Err(0),
            },
        };
        Ok(match known {
            Ok(value) => self.index_as(value, to),
            Err(value) => {
                let register = to.register(&mut self.b.ctx);
                arith::constant_int(&mut self.b, value, register)
            }
        })
    }

    /// Whether code of the device runs on a device of a type.
    fn device_test(&mut self, kind: ExprId, ty: Type, span: Span) -> Lowering<Value> {
        let from = self.scalar(self.ty(kind), span)?;
        let kind = self.rvalue(kind)?;
        let to = self.scalar(ty, span)?;
        let i1 = self.b.ctx.i1();
        let mut holds = arith::constant_bool(&mut self.b, false);
        for ours in directive::RUNS_ON_DEVICE {
            let register = from.register(&mut self.b.ctx);
            let ours = arith::constant_int(&mut self.b, ours, register);
            let equal = CmpIPredicate::Eq.attr(&mut self.b.ctx);
            let same =
                arith::CmpIOp::new(&mut self.b, kind, ours).attr(&mut self.b, "predicate", equal);
            let same = self.value(same.result(i1));
            let either = arith::OrIOp::new(&mut self.b, holds, same);
            holds = self.value(either);
        }
        Ok(self.convert(holds, Scalar::Bool, to))
    }

    /// The device library's own primitives.
    fn intrinsic(
        &mut self,
        name: &str,
        ty: Type,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<Option<Value>> {
        match name {
            "__gpuc_float_as_int"
            | "__gpuc_int_as_float"
            | "__gpuc_double_as_long"
            | "__gpuc_long_as_double" => {
                let to = self.scalar(ty, span)?.register(&mut self.b.ctx);
                let [value] = self.values(arguments, span)?;
                let op = arith::BitcastOp::new(&mut self.b, value).result(to);
                Ok(Some(self.value(op)))
            }
            "__gpuc_umulhi" => {
                let [a, b] = self.values(arguments, span)?;
                let op = arith::MulUIExtendedOp::new(&mut self.b, a, b);
                let ty = self.b.ty(a);
                let op = op.result(ty).result(ty);
                let op = self.build(op);
                Ok(Some(self.b.result(op, 1)))
            }
            _ => Ok(None),
        }
    }

    /// The values of exactly as many arguments.
    pub(super) fn values<const N: usize>(
        &mut self,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<[Value; N]> {
        let mut values = Vec::new();
        for &argument in arguments {
            values.push(self.rvalue(argument)?);
        }
        self.locate(span);
        match values.try_into() {
            Ok(values) => Ok(values),
            Err(_) => self.error(span, "this function takes another number of arguments"),
        }
    }

    /// Functions on integers, classification, constants. `own` says that it is the compiler's own
    /// (`__builtin_...`), not a function that the program may have declared otherwise.
    fn builtin(
        &mut self,
        base: &str,
        own: bool,
        ty: Type,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<Option<Value>> {
        let result = Scalar::of(self.unit, ty);
        // Its argument is a string, which selects a payload.
        if let ("nan" | "nanf", Some(scalar @ (Scalar::F32 | Scalar::F64))) = (base, result) {
            let ty = scalar.register(&mut self.b.ctx);
            return Ok(Some(arith::constant_float(&mut self.b, f64::NAN, ty)));
        }
        let first = arguments.first().and_then(|&first| Scalar::of(self.unit, self.ty(first)));
        let (Some(result), true) = (result, first.is_some() || arguments.is_empty()) else {
            return Ok(None);
        };
        let first = first.unwrap_or(result);
        let value = match base {
            "expect" | "expect_with_probability" if own => match arguments.first() {
                Some(&value) => self.rvalue(value)?,
                None => return Ok(None),
            },
            "abs" | "labs" | "llabs" if first == result && !first.is_float() => {
                let [x] = self.values(arguments, span)?;
                let op = math::AbsIOp::new(&mut self.b, x);
                self.value(op)
            }
            "inf" | "inff" | "huge_val" | "huge_valf" if own && result.is_float() => {
                let ty = result.register(&mut self.b.ctx);
                arith::constant_float(&mut self.b, f64::INFINITY, ty)
            }
            "popcount" | "popcountl" | "popcountll" | "clz" | "clzl" | "clzll" | "ctz" | "ctzl"
            | "ctzll"
                if own && !first.is_float() =>
            {
                let [x] = self.values(arguments, span)?;
                let op = match &base[..3] {
                    "pop" => math::CtPopOp::new(&mut self.b, x),
                    "clz" => math::CountLeadingZerosOp::new(&mut self.b, x),
                    _ => math::CountTrailingZerosOp::new(&mut self.b, x),
                };
                let value = self.value(op);
                self.convert(value, first, Scalar::INT)
            }
            "isnan" | "isnanf" | "isinf" | "isinff" | "isinf_sign" | "isfinite" | "finite"
            | "signbit" | "signbitf" => {
                let flag = self.classify(base, arguments, span)?;
                self.convert(flag, Scalar::Bool, result)
            }
            "isgreater" | "isgreaterequal" | "isless" | "islessequal" | "islessgreater"
            | "isunordered"
                if own && first.is_float() =>
            {
                let [a, b] = self.values(arguments, span)?;
                let predicate = match base {
                    "isgreater" => CmpFPredicate::Ogt,
                    "isgreaterequal" => CmpFPredicate::Oge,
                    "isless" => CmpFPredicate::Olt,
                    "islessequal" => CmpFPredicate::Ole,
                    "islessgreater" => CmpFPredicate::One,
                    _ => CmpFPredicate::Uno,
                };
                let flag = self.compare_float(predicate, a, b);
                self.convert(flag, Scalar::Bool, result)
            }
            "lround" | "lroundf" | "llround" | "llroundf" | "lrint" | "lrintf" | "llrint"
            | "llrintf"
                if first.is_float() && !result.is_float() =>
            {
                let [x] = self.values(arguments, span)?;
                let op = if base.contains("round") {
                    math::RoundOp::new(&mut self.b, x)
                } else {
                    math::RoundEvenOp::new(&mut self.b, x)
                };
                let rounded = self.value(op);
                self.convert(rounded, first, result)
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn classify(&mut self, base: &str, arguments: &[ExprId], span: Span) -> Lowering<Value> {
        let scalar = match arguments.first() {
            Some(&argument) => self.scalar(self.ty(argument), span)?,
            None => return self.error(span, "this function takes an argument"),
        };
        let [x] = self.values(arguments, span)?;
        let ty = scalar.register(&mut self.b.ctx);
        if base.starts_with("isnan") {
            return Ok(self.compare_float(CmpFPredicate::Uno, x, x));
        }
        if base.starts_with("signbit") {
            let bits = if scalar == Scalar::F32 { 32 } else { 64 };
            let int = self.b.ctx.int(bits);
            let op = arith::BitcastOp::new(&mut self.b, x).result(int);
            let bits = self.value(op);
            let zero = arith::constant_int(&mut self.b, 0, int);
            return Ok(self.compare_int(CmpIPredicate::Slt, bits, zero));
        }
        let op = math::AbsFOp::new(&mut self.b, x);
        let magnitude = self.value(op);
        let infinity = arith::constant_float(&mut self.b, f64::INFINITY, ty);
        let predicate =
            if base.contains("finite") { CmpFPredicate::Olt } else { CmpFPredicate::Oeq };
        Ok(self.compare_float(predicate, magnitude, infinity))
    }

    /// math.h. The last letter of a name says the type.
    fn float_function(
        &mut self,
        base: &str,
        ty: Type,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowering<Option<Value>> {
        let Some(scalar) = Scalar::of(self.unit, ty).filter(|scalar| scalar.is_float()) else {
            return Ok(None);
        };
        let fits = |&argument: &ExprId| Scalar::of(self.unit, self.ty(argument)) == Some(scalar);
        if !arguments.iter().all(fits) {
            return Ok(None);
        }
        let stem = match scalar {
            Scalar::F32 => base.strip_suffix('f').unwrap_or(base),
            _ => base,
        };
        if let Some((_, make)) = UNARY.iter().find(|&&(name, _)| name == stem) {
            let [x] = self.values(arguments, span)?;
            let op = make(&mut self.b, x);
            return Ok(Some(self.value(op)));
        }
        if let Some((_, make)) = BINARY.iter().find(|&&(name, _)| name == stem) {
            let [x, y] = self.values(arguments, span)?;
            let op = make(&mut self.b, x, y);
            return Ok(Some(self.value(op)));
        }
        if stem == "fma" {
            let [x, y, z] = self.values(arguments, span)?;
            let op = math::FmaOp::new(&mut self.b, x, y, z);
            return Ok(Some(self.value(op)));
        }
        if !LIBRARY.iter().any(|&(name, count)| name == stem && count == arguments.len()) {
            return Ok(None);
        }
        let mut values = Vec::new();
        for &argument in arguments {
            values.push(self.rvalue(argument)?);
        }
        self.locate(span);
        Ok(Some(self.call_float_library(stem, scalar, &values)))
    }

    /// A call of a function of the device library, by its name without the letter of its type.
    pub(super) fn call_float_library(
        &mut self,
        stem: &str,
        scalar: Scalar,
        values: &[Value],
    ) -> Value {
        self.call_library(stem, scalar, values, scalar)
    }

    /// The same with a result of another type.
    pub(super) fn call_library(
        &mut self,
        stem: &str,
        scalar: Scalar,
        values: &[Value],
        result: Scalar,
    ) -> Value {
        let result = result.register(&mut self.b.ctx);
        let inputs: Vec<_> = values.iter().map(|&value| self.b.ty(value)).collect();
        let symbol = format!("__gpuc_{stem}{}", if scalar == Scalar::F32 { "f" } else { "" });
        self.declare_external(&symbol, &inputs, result);
        let callee = self.b.ctx.symbol_attr(&symbol);
        let op = func::CallOp::new(&mut self.b, values)
            .attr(&mut self.b, "callee", callee)
            .result_group(&[result]);
        self.value(op)
    }
}
