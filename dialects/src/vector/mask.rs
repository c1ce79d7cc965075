//! Masks, and numbers along a vector.

use gpuc_ir::op;
use gpuc_ir::op::{Fold, TypeConstraint, types};
use gpuc_ir::{AttrKind, Ir, Op, TypeKind};

use super::element::I64_LIST;
use types::INDEX;

/// A vector of truth values, of any rank.
pub(super) static MASK: TypeConstraint = TypeConstraint {
    summary: "vector of 1-bit signless integer values",
    holds: |ctx, ty| {
        ctx.is_vector(ty)
            && ctx
                .element(ty)
                .is_some_and(|e| ctx.is_signless_int(e) && ctx.int_width(e) == Some(1))
    },
    build: None,
};

static INDEX_VECTOR: TypeConstraint = TypeConstraint {
    summary: "vector of index values of ranks 1",
    holds: |ctx, ty| {
        ctx.is_vector(ty)
            && ctx.element(ty).is_some_and(|e| ctx.is_index(e))
            && ctx.shape(ty).is_some_and(|shape| shape.len() == 1)
    },
    build: None,
};

op! {
    /// A mask that is set in the first elements of each dimension: as many as the attribute says.
    ConstantMaskOp = "vector.constant_mask" {
        results { result: One MASK }
        attrs { mask_dim_sizes: Required I64_LIST }
        traits PURE
        format "$mask_dim_sizes attr-dict `:` type(results)"
        hooks { verify: Some(verify_constant_mask) }
    }
}

op! {
    /// A mask that is set in the first elements of each dimension: as many as the operands say; none for a negative
    /// number, all for one beyond the extent.
    CreateMaskOp = "vector.create_mask" {
        operands { operands: Variadic INDEX }
        results { result: One MASK }
        traits PURE
        format "$operands attr-dict `:` type(results)"
        hooks { verify: Some(verify_create_mask) }
    }
}

op! {
    /// The numbers 0, 1, 2 and so on.
    StepOp = "vector.step" {
        results { result: One INDEX_VECTOR }
        traits PURE
        format "attr-dict `:` type($result)"
        hooks { fold: Some(fold_step) }
    }
}

op! {
    /// What the extents of scalable dimensions are multiplied with where the program runs.
    VectorScaleOp = "vector.vscale" {
        results { res: One INDEX }
        traits PURE
        format "attr-dict"
        hooks { result_name: Some(|_, _, _| Some("vscale".into())) }
    }
}

fn fold_step(ir: &mut Ir, op: Op, _: &[Option<gpuc_ir::Attr>]) -> Fold {
    let ty = ir.ty(ir.result(op, 0));
    let fixed = matches!(ir.ctx.type_kind(ty),
        TypeKind::Vector { scalable, .. } if !scalable.contains(&true));
    let count = ir.ctx.shape(ty).and_then(|shape| shape.first().copied()).unwrap_or_default();
    // Long ones are shorter as they are.
    if !fixed || count > 1024 {
        return Fold::None;
    }
    let values: Box<[i64]> = (0..count).collect();
    Fold::one(ir.ctx.intern_attr(AttrKind::DenseElements { ty, values }))
}

fn verify_constant_mask(ir: &Ir, op: Op) -> Result<(), String> {
    let ty = ir.ty(ir.result(op, 0));
    let shape = ir.ctx.shape(ty).unwrap_or_default();
    let sizes: Vec<i64> = ConstantMaskOp(op)
        .mask_dim_sizes(ir)
        .and_then(|attr| ir.ctx.array_value(attr))
        .unwrap_or_default()
        .iter()
        .filter_map(|&size| ir.ctx.i64_value(size))
        .collect();
    if shape.is_empty() {
        return match sizes[..] {
            [0 | 1] => Ok(()),
            [_] => Err("mask dim size must be either 0 or 1 for 0-D vectors".into()),
            _ => Err("array attr must have length 1 for 0-D vectors".into()),
        };
    }
    if sizes.len() != shape.len() {
        return Err("must specify array attr of size equal vector result rank".into());
    }
    let scalable = match ir.ctx.type_kind(ty) {
        TypeKind::Vector { scalable, .. } => &scalable[..],
        _ => &[],
    };
    for (i, (&size, &extent)) in sizes.iter().zip(shape).enumerate() {
        if !(0..=extent).contains(&size) {
            return Err("array attr of size out of bounds of vector result dimension size".into());
        }
        if scalable.get(i) == Some(&true) && size != 0 && size != extent {
            return Err("only supports 'none set' or 'all set' scalable dimensions".into());
        }
    }
    if sizes.contains(&0) && sizes.iter().any(|&size| size != 0) {
        return Err(
            "expected all mask dim sizes to be zeros, as a result of conjunction with zero mask dim"
                .into(),
        );
    }
    Ok(())
}

fn verify_create_mask(ir: &Ir, op: Op) -> Result<(), String> {
    let rank = ir.ctx.shape(ir.ty(ir.result(op, 0))).map_or(0, <[i64]>::len);
    let given = ir.operand_count(op);
    if rank == 0 && given != 1 {
        return Err("must specify exactly one operand for 0-D create_mask".into());
    }
    if rank != 0 && given != rank {
        return Err("must specify an operand for each result vector dimension".into());
    }
    Ok(())
}
