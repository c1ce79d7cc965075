//! Vectors under other types.

use gpuc_ir::op;
use gpuc_ir::op::TypeConstraint;
use gpuc_ir::op::types::{MEMREF, VECTOR};
use gpuc_ir::{DYNAMIC, Ir, Op, Type};

use super::fold::{fold_bitcast, fold_shape_cast};
use super::verify::{verify_bitcast, verify_shape_cast};
use crate::memref::has_identity_layout;

op! {
    /// The same bits with other elements in the last dimension.
    BitCastOp = "vector.bitcast" {
        operands { source: One VECTOR }
        results { result: One VECTOR }
        traits PURE
        format "$source attr-dict `:` type($source) `to` type($result)"
        hooks { verify: Some(verify_bitcast), fold: Some(fold_bitcast) }
    }
}

op! {
    /// The same elements, in row-major order, in another shape.
    ShapeCastOp = "vector.shape_cast" {
        operands { source: One VECTOR }
        results { result: One VECTOR }
        traits PURE
        format "$source attr-dict `:` type($source) `to` type($result)"
        hooks { verify: Some(verify_shape_cast), fold: Some(fold_shape_cast) }
    }
}

op! {
    /// A buffer whose elements are all together one vector of that shape.
    TypeCastOp = "vector.type_cast" {
        operands { memref: One STATIC_MEMREF }
        results { result: One MEMREF }
        traits PURE
        format "$memref attr-dict `:` type($memref) `to` type($result)"
        hooks { verify: Some(verify_type_cast) }
    }
}

static STATIC_MEMREF: TypeConstraint = TypeConstraint {
    summary: "statically shaped memref of any type values",
    holds: |ctx, ty| {
        ctx.is_memref(ty) && ctx.shape(ty).is_some_and(|shape| !shape.contains(&DYNAMIC))
    },
    build: None,
};

/// The extents of a buffer and those of its elements.
fn all_extents(ir: &Ir, ty: Type) -> Vec<i64> {
    let inner = ir.ctx.element(ty).and_then(|element| ir.ctx.shape(element));
    let outer = ir.ctx.shape(ty).unwrap_or_default();
    outer.iter().chain(inner.unwrap_or_default()).copied().collect()
}

fn verify_type_cast(ir: &Ir, op: Op) -> Result<(), String> {
    let (from, to) = (ir.ty(ir.operand(op, 0)), ir.ty(ir.result(op, 0)));
    if !has_identity_layout(&ir.ctx, from) {
        return Err("expects operand to be a memref with identity layout".into());
    }
    if !has_identity_layout(&ir.ctx, to) {
        return Err("expects result to be a memref with identity layout".into());
    }
    if ir.ctx.memory_space(from) != ir.ctx.memory_space(to) {
        return Err("expects result in same memory space".into());
    }
    let scalar = |ty| ir.ctx.element(ty).map(|element| ir.ctx.element_or_self(element));
    if scalar(from) != scalar(to) {
        return Err("expects result and operand with same underlying scalar type: ".into());
    }
    if all_extents(ir, from) != all_extents(ir, to) {
        return Err("expects concatenated result and operand shapes to be equal".into());
    }
    Ok(())
}
