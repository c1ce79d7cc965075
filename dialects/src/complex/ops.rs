//! The operations.

use gpuc_ir::op::types::I1;
use gpuc_ir::op::{TypeConstraint, attrs};
use gpuc_ir::{AttrKind, Context, FloatKind, Ir, Op, Type, TypeKind, op};

use super::fold;
use crate::arith::{FASTMATH, no_fastmath};
use attrs::ARRAY;

/// The type of the parts.
pub fn part(ctx: &Context, ty: Type) -> Option<Type> {
    match ctx.type_kind(ty) {
        &TypeKind::Complex(part) => Some(part),
        _ => None,
    }
}

fn part_of(ctx: &mut Context, ty: Type) -> Option<Type> {
    part(ctx, ty)
}

static COMPLEX: TypeConstraint = TypeConstraint {
    summary: "complex type with floating-point elements",
    holds: |ctx, ty| part(ctx, ty).is_some_and(|part| ctx.is_float(part)),
    build: None,
};

static ANY_COMPLEX: TypeConstraint = TypeConstraint {
    summary: "complex-type",
    holds: |ctx, ty| part(ctx, ty).is_some(),
    build: None,
};

static FLOAT: TypeConstraint =
    TypeConstraint { summary: "floating-point", holds: |ctx, ty| ctx.is_float(ty), build: None };

static REINTERPRETED: TypeConstraint = TypeConstraint {
    summary: "signless-integer-like or floating-point-like or complex-type",
    holds: |ctx, ty| part(ctx, ty).is_some() || ctx.is_signless_int(ty) || ctx.is_float(ty),
    build: None,
};

/// Declares functions of one complex number that give one.
macro_rules! unary {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal [$($trait:ident),*] { $($hook:ident : $value:expr),* })*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { complex: One COMPLEX }
                results { result: One COMPLEX }
                attrs { fastmath: Default(no_fastmath) FASTMATH }
                traits PURE, SAME_OPERANDS_AND_RESULT_TYPE $(, $trait)*
                format "$complex (`fastmath` `` $fastmath^)? attr-dict `:` type($complex)"
                hooks { $($hook: $value),* }
            }
        }
    )*};
}

/// Declares functions of one complex number that give a part.
macro_rules! to_part {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal { $($hook:ident : $value:expr),* })*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { complex: One COMPLEX }
                results { result: One FLOAT }
                attrs { fastmath: Default(no_fastmath) FASTMATH }
                traits PURE
                types { result = part_of(complex) "complex element type matches result type" }
                format "$complex (`fastmath` `` $fastmath^)? attr-dict `:` type($complex)"
                hooks { $($hook: $value),* }
            }
        }
    )*};
}

/// Declares functions of two complex numbers.
macro_rules! binary {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal { $($hook:ident : $value:expr),* })*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { lhs: One COMPLEX, rhs: One COMPLEX }
                results { result: One COMPLEX }
                attrs { fastmath: Default(no_fastmath) FASTMATH }
                traits PURE, SAME_OPERANDS_AND_RESULT_TYPE
                format "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
                hooks { $($hook: $value),* }
            }
        }
    )*};
}

unary! {
    /// The conjugate.
    ConjOp = "complex.conj" [INVOLUTION] { fold: Some(fold::conj) }
    /// The cosine.
    CosOp = "complex.cos" [] {}
    /// The exponential.
    ExpOp = "complex.exp" [] { fold: Some(fold::exp) }
    /// The exponential less one.
    Expm1Op = "complex.expm1" [] {}
    /// The principal logarithm.
    LogOp = "complex.log" [] { fold: Some(fold::log) }
    /// The principal logarithm of one more.
    Log1pOp = "complex.log1p" [] {}
    /// The negative.
    NegOp = "complex.neg" [INVOLUTION] { fold: Some(fold::neg) }
    /// The reciprocal of the principal square root.
    RsqrtOp = "complex.rsqrt" [] {}
    /// The number of the same direction and absolute value one; zero for zero.
    SignOp = "complex.sign" [] {}
    /// The sine.
    SinOp = "complex.sin" [] {}
    /// The principal square root.
    SqrtOp = "complex.sqrt" [] {}
    /// The tangent.
    TanOp = "complex.tan" [] {}
    /// The hyperbolic tangent.
    TanhOp = "complex.tanh" [] {}
}

to_part! {
    /// The absolute value.
    AbsOp = "complex.abs" {}
    /// The angle to the positive real axis.
    AngleOp = "complex.angle" {}
    /// The real part.
    ReOp = "complex.re" { fold: Some(|ir, op, c| fold::one_part(ir, op, c, 0)), canonicalize: fold::RE }
    /// The imaginary part.
    ImOp = "complex.im" { fold: Some(|ir, op, c| fold::one_part(ir, op, c, 1)), canonicalize: fold::IM }
}

binary! {
    /// The sum.
    AddOp = "complex.add" { fold: Some(fold::add) }
    /// The difference.
    SubOp = "complex.sub" { fold: Some(fold::sub) }
    /// The product.
    MulOp = "complex.mul" { fold: Some(fold::mul) }
    /// The quotient.
    DivOp = "complex.div" { fold: Some(fold::div) }
    /// The left one to the power of the right one.
    PowOp = "complex.pow" {}
    /// The arc tangent of a quotient, `-i log((rhs + i lhs) / sqrt(lhs² + rhs²))`.
    Atan2Op = "complex.atan2" {}
}

op! {
    /// A number of two parts.
    CreateOp = "complex.create" {
        operands { real: One FLOAT, imaginary: One FLOAT }
        results { complex: One COMPLEX }
        traits PURE, SAME_TYPE_OPERANDS
        types { real = part_of(complex) "complex element type matches real operand type" }
        format "$real `,` $imaginary attr-dict `:` type($complex)"
        hooks { fold: Some(fold::create) }
    }
}

op! {
    /// Whether two numbers are the same in both parts.
    EqualOp = "complex.eq" {
        operands { lhs: One COMPLEX, rhs: One COMPLEX }
        results { result: One I1 }
        traits PURE, SAME_TYPE_OPERANDS
        format "$lhs `,` $rhs attr-dict `:` type($lhs)"
    }
}

op! {
    /// Whether two numbers differ in a part.
    NotEqualOp = "complex.neq" {
        operands { lhs: One COMPLEX, rhs: One COMPLEX }
        results { result: One I1 }
        traits PURE, SAME_TYPE_OPERANDS
        format "$lhs `,` $rhs attr-dict `:` type($lhs)"
    }
}

op! {
    /// The same bits as another type: the real part in the lower half.
    BitcastOp = "complex.bitcast" {
        operands { operand: One REINTERPRETED }
        results { result: One REINTERPRETED }
        traits PURE
        format "$operand attr-dict `:` type($operand) `to` type($result)"
        hooks { verify: Some(verify_bitcast), fold: Some(fold::bitcast), canonicalize: fold::BITCAST }
    }
}

fn width(ctx: &Context, ty: Type) -> Option<u32> {
    match part(ctx, ty) {
        Some(part) => Some(2 * width(ctx, part)?),
        None => ctx.int_width(ty).or_else(|| ctx.float_kind(ty).map(FloatKind::width)),
    }
}

fn verify_bitcast(ir: &Ir, op: Op) -> Result<(), String> {
    let (from, to) = (ir.ty(ir.operand(op, 0)), ir.ty(ir.result(op, 0)));
    // Where both are numbers it is no business of this dialect.
    let plain = |ty| part(&ir.ctx, ty).is_none();
    if plain(from) && plain(to) {
        return Err("requires that either input or output has a complex type".into());
    }
    if width(&ir.ctx, from) != width(&ir.ctx, to) {
        return Err("casting bitwidths do not match".into());
    }
    Ok(())
}

op! {
    /// A constant, of its two parts.
    ConstantOp = "complex.constant" {
        results { complex: One ANY_COMPLEX }
        attrs { value: Required ARRAY }
        traits PURE, CONSTANT_LIKE
        format "$value attr-dict `:` type($complex)"
        hooks { verify: Some(verify_constant), result_name: Some(|_, _, _| Some("cst".into())) }
    }
}

fn verify_constant(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ConstantOp(op);
    let parts = view.value(ir).and_then(|value| ir.ctx.array_value(value)).unwrap_or(&[]);
    let &[re, im] = parts else {
        return Err(
            "requires 'value' to be a complex constant, represented as array of two values".into(),
        );
    };
    let number =
        |attr| matches!(ir.ctx.attr_kind(attr), AttrKind::Integer { .. } | AttrKind::Float { .. });
    let types = [re, im].map(|attr| ir.ctx.attr_type(attr).filter(|_| number(attr)));
    let wanted = part(&ir.ctx, ir.ty(view.complex(ir)));
    if types.iter().all(|&ty| ty.is_some() && ty == wanted) {
        return Ok(());
    }
    let text = |ty: Option<Type>| ty.map_or_else(|| "none".to_owned(), |ty| ir.ctx.type_text(ty));
    Err(format!(
        "requires attribute's element types ('{}', '{}') to match the element type of the op's return \
         type ('{}')",
        text(types[0]),
        text(types[1]),
        text(wanted)
    ))
}
