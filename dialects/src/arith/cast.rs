//! Conversions between types of numbers.

use gpuc_ir::op::{TypeConstraint, types};
use gpuc_ir::{Context, Ir, Op, Type, TypeKind, op};

use super::flags::{FASTMATH, ROUNDING};
use super::{cast_fold, cast_patterns as patterns};
use types::{FLOAT_LIKE, SIGNLESS_FIXED_WIDTH_INTEGER_LIKE};

/// Declares conversions without attributes.
macro_rules! casts {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal $from:ident => $to:ident { $($hook:ident : $value:expr),* })*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { input: One $from }
                results { out: One $to }
                traits PURE
                format "$input attr-dict `:` type($input) `to` type($out)"
                hooks { $($hook: $value),* }
            }
        }
    )*};
}

casts! {
    /// Widens an integer with zeros.
    ExtUIOp = "arith.extui" SIGNLESS_FIXED_WIDTH_INTEGER_LIKE => SIGNLESS_FIXED_WIDTH_INTEGER_LIKE {
        fold: Some(cast_fold::fold_extui), verify: Some(verify_widening)
    }
    /// Widens an integer with copies of its sign.
    ExtSIOp = "arith.extsi" SIGNLESS_FIXED_WIDTH_INTEGER_LIKE => SIGNLESS_FIXED_WIDTH_INTEGER_LIKE {
        fold: Some(cast_fold::fold_extsi), canonicalize: patterns::EXTSI, verify: Some(verify_widening)
    }
    /// Keeps the low bits of an integer.
    TruncIOp = "arith.trunci" SIGNLESS_FIXED_WIDTH_INTEGER_LIKE => SIGNLESS_FIXED_WIDTH_INTEGER_LIKE {
        fold: Some(cast_fold::fold_trunci), canonicalize: patterns::TRUNCI, verify: Some(verify_narrowing)
    }
    /// The float nearest to an unsigned integer.
    UIToFPOp = "arith.uitofp" SIGNLESS_FIXED_WIDTH_INTEGER_LIKE => FLOAT_LIKE { fold: Some(cast_fold::fold_uitofp), verify: Some(verify_shape) }
    /// The float nearest to a signed integer.
    SIToFPOp = "arith.sitofp" SIGNLESS_FIXED_WIDTH_INTEGER_LIKE => FLOAT_LIKE { fold: Some(cast_fold::fold_sitofp), verify: Some(verify_shape) }
    /// The unsigned integer of a float, towards zero. Undefined where it does not fit.
    FPToUIOp = "arith.fptoui" FLOAT_LIKE => SIGNLESS_FIXED_WIDTH_INTEGER_LIKE { fold: Some(cast_fold::fold_fptoui), verify: Some(verify_shape) }
    /// The signed integer of a float, towards zero. Undefined where it does not fit.
    FPToSIOp = "arith.fptosi" FLOAT_LIKE => SIGNLESS_FIXED_WIDTH_INTEGER_LIKE { fold: Some(cast_fold::fold_fptosi), verify: Some(verify_shape) }
    /// Between `index` and an integer of fixed width, with sign extension.
    IndexCastOp = "arith.index_cast" INDEX_CASTABLE => INDEX_CASTABLE { fold: Some(cast_fold::fold_index_cast), canonicalize: patterns::INDEX_CAST, verify: Some(verify_index_cast) }
    /// Between `index` and an integer of fixed width, with zero extension.
    IndexCastUIOp = "arith.index_castui" INDEX_CASTABLE => INDEX_CASTABLE { fold: Some(cast_fold::fold_index_castui), canonicalize: patterns::INDEX_CASTUI, verify: Some(verify_index_cast) }
    /// The same bits as a number of another type of the same width.
    BitcastOp = "arith.bitcast" BITCASTABLE => BITCASTABLE { fold: Some(cast_fold::fold_bitcast), canonicalize: crate::complex::BITCAST, verify: Some(verify_bitcast) }
}

op! {
    /// Converts a float to a wider format.
    ExtFOp = "arith.extf" {
        operands { input: One FLOAT_LIKE }
        results { out: One FLOAT_LIKE }
        attrs { fastmath: Optional FASTMATH }
        traits PURE
        format "$input (`fastmath` `` $fastmath^)? attr-dict `:` type($input) `to` type($out)"
        hooks { fold: Some(cast_fold::fold_extf), verify: Some(verify_widening) }
    }
}

op! {
    /// Rounds a float to a narrower format; to nearest even unless said otherwise.
    TruncFOp = "arith.truncf" {
        operands { input: One FLOAT_LIKE }
        results { out: One FLOAT_LIKE }
        attrs { roundingmode: Optional ROUNDING, fastmath: Optional FASTMATH }
        traits PURE
        format "$input ($roundingmode^)? (`fastmath` `` $fastmath^)? attr-dict `:` type($input) `to` type($out)"
        hooks { fold: Some(cast_fold::fold_truncf), verify: Some(verify_narrowing) }
    }
}

fn memref_element(ctx: &Context, ty: Type) -> Type {
    if ctx.is_memref(ty) { ctx.element(ty).unwrap_or(ty) } else { ctx.element_or_self(ty) }
}

static INDEX_CASTABLE: TypeConstraint = TypeConstraint {
    summary: "signless-integer-like or memref of signless-integer",
    holds: |ctx, ty| ctx.is_signless_int_or_index(memref_element(ctx, ty)),
    build: None,
};

static BITCASTABLE: TypeConstraint = TypeConstraint {
    summary: "signless-integer-or-float-like or memref of signless-integer or float",
    holds: |ctx, ty| {
        let element = memref_element(ctx, ty);
        ctx.is_signless_int_or_index(element) || ctx.is_float(element)
    },
    build: None,
};

/// Operand and result type of a conversion, and their elements' types, where the shapes agree.
fn cast_types(ir: &Ir, op: Op) -> Result<(Type, Type, Type, Type), String> {
    let (from, to) = (ir.ty(ir.operand(op, 0)), ir.ty(ir.result(op, 0)));
    let container = |ty: Type| match ir.ctx.type_kind(ty) {
        TypeKind::Vector { .. } => 1,
        TypeKind::Tensor { .. } | TypeKind::UnrankedTensor(_) => 2,
        TypeKind::MemRef { .. } => 3,
        _ => 0,
    };
    let scalable = |ty: Type| match ir.ctx.type_kind(ty) {
        TypeKind::Vector { scalable, .. } => Some(scalable.clone()),
        _ => None,
    };
    // What is no tensor has no dimensions of one.
    let dimensions = |ty: Type| if container(ty) == 2 { ir.ctx.shape(ty) } else { Some(&[][..]) };
    if dimensions(from).zip(dimensions(to)).is_some_and(|(a, b)| a != b) {
        return Err("failed to verify that input and output have the same tensor dimensions".into());
    }
    if container(from) != container(to)
        || ir.ctx.shape(from) != ir.ctx.shape(to)
        || scalable(from) != scalable(to)
    {
        return Err("requires the same shape for all operands and results".into());
    }
    let encoding = |ty: Type| match ir.ctx.type_kind(ty) {
        TypeKind::Tensor { encoding, .. } => *encoding,
        _ => None,
    };
    if encoding(from) != encoding(to) {
        return Err(incompatible(ir, from, to));
    }
    Ok((from, to, memref_element(&ir.ctx, from), memref_element(&ir.ctx, to)))
}

fn incompatible(ir: &Ir, from: Type, to: Type) -> String {
    format!(
        "operand type '{}' and result type '{}' are cast incompatible",
        ir.ctx.type_text(from),
        ir.ctx.type_text(to)
    )
}

fn number_width(ctx: &Context, ty: Type) -> Option<u32> {
    ctx.int_width(ty).or_else(|| ctx.float_kind(ty).map(|kind| kind.width()))
}

fn verify_shape(ir: &Ir, op: Op) -> Result<(), String> {
    cast_types(ir, op).map(|_| ())
}

fn verify_widening(ir: &Ir, op: Op) -> Result<(), String> {
    let (from, to, a, b) = cast_types(ir, op)?;
    if number_width(&ir.ctx, a) < number_width(&ir.ctx, b) {
        Ok(())
    } else {
        Err(incompatible(ir, from, to))
    }
}

fn verify_narrowing(ir: &Ir, op: Op) -> Result<(), String> {
    let (from, to, a, b) = cast_types(ir, op)?;
    if number_width(&ir.ctx, a) > number_width(&ir.ctx, b) {
        Ok(())
    } else {
        Err(incompatible(ir, from, to))
    }
}

fn verify_index_cast(ir: &Ir, op: Op) -> Result<(), String> {
    let (from, to, a, b) = cast_types(ir, op)?;
    if ir.ctx.is_index(a) != ir.ctx.is_index(b) { Ok(()) } else { Err(incompatible(ir, from, to)) }
}

fn verify_bitcast(ir: &Ir, op: Op) -> Result<(), String> {
    let (from, to, a, b) = cast_types(ir, op)?;
    let (a, b) = (number_width(&ir.ctx, a), number_width(&ir.ctx, b));
    if a.is_some() && a == b { Ok(()) } else { Err(incompatible(ir, from, to)) }
}
