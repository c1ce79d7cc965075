//! Floating-point arithmetic in every format.

use crate::program::{Class::*, Extremum, FloatBinary, FloatUnary, Op};

use super::Build::Op as Simple;
use super::integer::form;
use super::{Form, Matched};

fn extremum(max: bool, count: u8, m: &Matched) -> Extremum {
    Extremum {
        max,
        count,
        ftz: m.has("ftz"),
        nan: m.has("nan"),
        abs: m.has("abs"),
        xorsign: m.has("xorsign"),
        ty: m.float(),
    }
}

pub(super) static FORMS: &[Form] = &[
    form!(
        "min",
        "ftz? nan?:NaN abs? type:f32",
        "=T T T T",
        Fp32,
        Simple(|m| Op::Extremum(extremum(false, 3, m)))
    ),
    form!(
        "max",
        "ftz? nan?:NaN abs? type:f32",
        "=T T T T",
        Fp32,
        Simple(|m| Op::Extremum(extremum(true, 3, m)))
    ),
    form!(
        "min",
        "ftz? nan?:NaN xorsign abs type:f32|f16|f16x2|bf16|bf16x2",
        "=T T T",
        Fp32,
        Simple(|m| Op::Extremum(extremum(false, 2, m)))
    ),
    form!(
        "max",
        "ftz? nan?:NaN xorsign abs type:f32|f16|f16x2|bf16|bf16x2",
        "=T T T",
        Fp32,
        Simple(|m| Op::Extremum(extremum(true, 2, m)))
    ),
    form!(
        "add",
        "rnd?:@rnd ftz? sat? type:f32",
        "=T T T",
        Fp32,
        Simple(|m| Op::FloatBinary(FloatBinary::Add, m.float(), m.mode()))
    ),
    form!(
        "add",
        "rnd?:@rnd type:f64",
        "=T T T",
        Fp64,
        Simple(|m| Op::FloatBinary(FloatBinary::Add, m.float(), m.mode()))
    ),
    form!(
        "add",
        "rnd?:rn ftz? sat? type:@half",
        "=T T T",
        Fp16,
        Simple(|m| Op::FloatBinary(FloatBinary::Add, m.float(), m.mode()))
    ),
    form!(
        "add",
        "rnd?:@rnd ftz? type:f32x2",
        "=T T T",
        Fp32,
        Simple(|m| Op::FloatBinary(FloatBinary::Add, m.float(), m.mode()))
    ),
    form!(
        "sub",
        "rnd?:@rnd ftz? sat? type:f32",
        "=T T T",
        Fp32,
        Simple(|m| Op::FloatBinary(FloatBinary::Sub, m.float(), m.mode()))
    ),
    form!(
        "sub",
        "rnd?:@rnd type:f64",
        "=T T T",
        Fp64,
        Simple(|m| Op::FloatBinary(FloatBinary::Sub, m.float(), m.mode()))
    ),
    form!(
        "sub",
        "rnd?:rn ftz? sat? type:@half",
        "=T T T",
        Fp16,
        Simple(|m| Op::FloatBinary(FloatBinary::Sub, m.float(), m.mode()))
    ),
    form!(
        "sub",
        "rnd?:@rnd ftz? type:f32x2",
        "=T T T",
        Fp32,
        Simple(|m| Op::FloatBinary(FloatBinary::Sub, m.float(), m.mode()))
    ),
    form!(
        "mul",
        "rnd?:@rnd ftz? sat? type:f32",
        "=T T T",
        Fp32,
        Simple(|m| Op::FloatBinary(FloatBinary::Mul, m.float(), m.mode()))
    ),
    form!(
        "mul",
        "rnd?:@rnd type:f64",
        "=T T T",
        Fp64,
        Simple(|m| Op::FloatBinary(FloatBinary::Mul, m.float(), m.mode()))
    ),
    form!(
        "mul",
        "rnd?:rn ftz? sat? type:@half",
        "=T T T",
        Fp16,
        Simple(|m| Op::FloatBinary(FloatBinary::Mul, m.float(), m.mode()))
    ),
    form!(
        "mul",
        "rnd?:@rnd ftz? type:f32x2",
        "=T T T",
        Fp32,
        Simple(|m| Op::FloatBinary(FloatBinary::Mul, m.float(), m.mode()))
    ),
    form!(
        "fma",
        "rnd:@rnd ftz? sat? type:f32",
        "=T T T T",
        Fp32,
        Simple(|m| Op::Fma(m.float(), m.mode()))
    ),
    form!("fma", "rnd:@rnd type:f64", "=T T T T", Fp64, Simple(|m| Op::Fma(m.float(), m.mode()))),
    form!(
        "fma",
        "rnd:rn ftz? sat? relu? type:@half",
        "=T T T T",
        Fp16,
        Simple(|m| Op::Fma(m.float(), m.mode()))
    ),
    form!(
        "fma",
        "rnd:@rnd ftz? type:f32x2",
        "=T T T T",
        Fp32,
        Simple(|m| Op::Fma(m.float(), m.mode()))
    ),
    form!(
        "mad",
        "rnd?:@rnd ftz? sat? type:f32",
        "=T T T T",
        Fp32,
        Simple(|m| Op::Fma(m.float(), m.mode()))
    ),
    form!("mad", "rnd:@rnd type:f64", "=T T T T", Fp64, Simple(|m| Op::Fma(m.float(), m.mode()))),
    form!(
        "div",
        "how:approx|full ftz? type:f32",
        "=T T T",
        Special,
        Simple(|m| Op::FloatBinary(
            if m.get("how") == Some("approx") { FloatBinary::DivApprox } else { FloatBinary::Div },
            m.float(),
            m.mode()
        ))
    ),
    form!(
        "div",
        "rnd:@rnd ftz? type:f32",
        "=T T T",
        Fp32,
        Simple(|m| Op::FloatBinary(FloatBinary::Div, m.float(), m.mode()))
    ),
    form!(
        "div",
        "rnd:@rnd type:f64",
        "=T T T",
        Fp64,
        Simple(|m| Op::FloatBinary(FloatBinary::Div, m.float(), m.mode()))
    ),
    form!(
        "min",
        "ftz? nan?:NaN type:f32",
        "=T T T",
        Fp32,
        Simple(|m| Op::FloatBinary(FloatBinary::Min, m.float(), m.mode()))
    ),
    form!(
        "min",
        "type:f64",
        "=T T T",
        Fp64,
        Simple(|m| Op::FloatBinary(FloatBinary::Min, m.float(), m.mode()))
    ),
    form!(
        "min",
        "ftz? nan?:NaN type:@half",
        "=T T T",
        Fp16,
        Simple(|m| Op::FloatBinary(FloatBinary::Min, m.float(), m.mode()))
    ),
    form!(
        "max",
        "ftz? nan?:NaN type:f32",
        "=T T T",
        Fp32,
        Simple(|m| Op::FloatBinary(FloatBinary::Max, m.float(), m.mode()))
    ),
    form!(
        "max",
        "type:f64",
        "=T T T",
        Fp64,
        Simple(|m| Op::FloatBinary(FloatBinary::Max, m.float(), m.mode()))
    ),
    form!(
        "max",
        "ftz? nan?:NaN type:@half",
        "=T T T",
        Fp16,
        Simple(|m| Op::FloatBinary(FloatBinary::Max, m.float(), m.mode()))
    ),
    form!(
        "copysign",
        "type:f32",
        "=T T T",
        Fp32,
        Simple(|m| Op::FloatBinary(FloatBinary::CopySign, m.float(), m.mode()))
    ),
    form!(
        "copysign",
        "type:f64",
        "=T T T",
        Fp64,
        Simple(|m| Op::FloatBinary(FloatBinary::CopySign, m.float(), m.mode()))
    ),
    form!(
        "abs",
        "ftz? type:f32",
        "=T T",
        Fp32,
        Simple(|m| Op::FloatUnary(FloatUnary::Abs, m.float(), m.mode()))
    ),
    form!(
        "abs",
        "type:f64",
        "=T T",
        Fp64,
        Simple(|m| Op::FloatUnary(FloatUnary::Abs, m.float(), m.mode()))
    ),
    form!(
        "abs",
        "ftz? type:@half",
        "=T T",
        Fp16,
        Simple(|m| Op::FloatUnary(FloatUnary::Abs, m.float(), m.mode()))
    ),
    form!(
        "neg",
        "ftz? type:f32",
        "=T T",
        Fp32,
        Simple(|m| Op::FloatUnary(FloatUnary::Neg, m.float(), m.mode()))
    ),
    form!(
        "neg",
        "type:f64",
        "=T T",
        Fp64,
        Simple(|m| Op::FloatUnary(FloatUnary::Neg, m.float(), m.mode()))
    ),
    form!(
        "neg",
        "ftz? type:@half",
        "=T T",
        Fp16,
        Simple(|m| Op::FloatUnary(FloatUnary::Neg, m.float(), m.mode()))
    ),
    form!(
        "rcp",
        "how:approx ftz? type:f32",
        "=T T",
        Special,
        Simple(|m| Op::FloatUnary(FloatUnary::Rcp, m.float(), m.mode()))
    ),
    form!(
        "rcp",
        "rnd:@rnd ftz? type:f32",
        "=T T",
        Fp32,
        Simple(|m| Op::FloatUnary(FloatUnary::Rcp, m.float(), m.mode()))
    ),
    form!(
        "rcp",
        "rnd:@rnd type:f64",
        "=T T",
        Fp64,
        Simple(|m| Op::FloatUnary(FloatUnary::Rcp, m.float(), m.mode()))
    ),
    form!(
        "rcp",
        "how:approx ftz type:f64",
        "=T T",
        Special,
        Simple(|m| Op::FloatUnary(FloatUnary::RcpHigh, m.float(), m.mode()))
    ),
    form!(
        "sqrt",
        "how:approx ftz? type:f32",
        "=T T",
        Special,
        Simple(|m| Op::FloatUnary(FloatUnary::Sqrt, m.float(), m.mode()))
    ),
    form!(
        "sqrt",
        "rnd:@rnd ftz? type:f32",
        "=T T",
        Fp32,
        Simple(|m| Op::FloatUnary(FloatUnary::Sqrt, m.float(), m.mode()))
    ),
    form!(
        "sqrt",
        "rnd:@rnd type:f64",
        "=T T",
        Fp64,
        Simple(|m| Op::FloatUnary(FloatUnary::Sqrt, m.float(), m.mode()))
    ),
    form!(
        "rsqrt",
        "how:approx ftz? type:f32|f64",
        "=T T",
        Special,
        Simple(|m| Op::FloatUnary(FloatUnary::Rsqrt, m.float(), m.mode()))
    ),
    form!(
        "sin",
        "how:approx ftz? type:f32",
        "=T T",
        Special,
        Simple(|m| Op::FloatUnary(FloatUnary::Sin, m.float(), m.mode()))
    ),
    form!(
        "cos",
        "how:approx ftz? type:f32",
        "=T T",
        Special,
        Simple(|m| Op::FloatUnary(FloatUnary::Cos, m.float(), m.mode()))
    ),
    form!(
        "lg2",
        "how:approx ftz? type:f32",
        "=T T",
        Special,
        Simple(|m| Op::FloatUnary(FloatUnary::Lg2, m.float(), m.mode()))
    ),
    form!(
        "ex2",
        "how:approx ftz? type:f32|f16|f16x2|bf16|bf16x2",
        "=T T",
        Special,
        Simple(|m| Op::FloatUnary(FloatUnary::Ex2, m.float(), m.mode()))
    ),
    form!(
        "tanh",
        "how:approx type:f32|f16|f16x2|bf16|bf16x2",
        "=T T",
        Special,
        Simple(|m| Op::FloatUnary(FloatUnary::Tanh, m.float(), m.mode()))
    ),
    form!(
        "testp",
        "what:finite|infinite|number|notanumber|normal|subnormal type:f32|f64",
        "=p T",
        Fp32,
        Simple(|m| Op::Testp(
            crate::program::FloatTest::of(m.get("what").unwrap_or("")),
            m.ty().bits() == 64
        ))
    ),
];
