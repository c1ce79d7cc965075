//! Folding of casts into what uses them, and of extents.

use gpuc_ir::op::Fold;
use gpuc_ir::{Attr, DYNAMIC, Ir, Op, OpView, Value};

use super::allocate::{AllocOp, AllocaOp};
use super::inspect::DimOp;
use super::layout::strided_layout;
use super::view::{CastOp, SubViewOp, ViewOp};
use crate::arith::constant_index_value;

/// Whether what uses the result of a cast may as well use the source: the cast only forgets what
/// the source's type says.
pub(super) fn only_forgets(ir: &Ir, cast: CastOp) -> bool {
    let (source, result) = (ir.ty(cast.source(ir)), ir.ty(cast.dest(ir)));
    let ctx = &ir.ctx;
    let (Some(known), Some(kept)) = (ctx.shape(source), ctx.shape(result)) else { return false };
    if !ctx.is_memref(source)
        || !ctx.is_memref(result)
        || known.len() != kept.len()
        || ctx.element(source) != ctx.element(result)
    {
        return false;
    }
    let forgets = |known: i64, kept: i64| known == kept || kept == DYNAMIC;
    if !known.iter().zip(kept).all(|(&known, &kept)| forgets(known, kept)) {
        return false;
    }
    let (Some(known), Some(kept)) = (strided_layout(ctx, source), strided_layout(ctx, result))
    else {
        return false;
    };
    forgets(known.offset, kept.offset)
        && known.strides.iter().zip(&kept.strides).all(|(&known, &kept)| forgets(known, kept))
}

/// Makes operand `index` the source of the cast it comes from, where that only forgets.
pub(crate) fn fold_cast_operand(ir: &mut Ir, op: Op, index: usize) -> bool {
    let value = ir.operand(op, index);
    let cast = ir.defining_op(value).and_then(|def| CastOp::cast(ir, def));
    match cast.filter(|&cast| only_forgets(ir, cast)) {
        Some(cast) => {
            let source = cast.source(ir);
            ir.set_operand(op, index, source);
            true
        }
        None => false,
    }
}

/// [`fold_cast_operand`] as a folder.
pub(super) fn fold_casts(ir: &mut Ir, op: Op, indices: &[usize]) -> Fold {
    let mut changed = false;
    for &index in indices {
        changed |= fold_cast_operand(ir, op, index);
    }
    if changed { Fold::InPlace } else { Fold::None }
}

/// The operand that gave dimension `index` of a buffer its extent, where the buffer was made with
/// one.
pub fn dynamic_extent(ir: &Ir, buffer: Value, index: usize) -> Option<Value> {
    let op = ir.defining_op(buffer)?;
    let shape = ir.ctx.shape(ir.ty(buffer))?;
    if *shape.get(index)? != DYNAMIC {
        return None;
    }
    let position = shape[..index].iter().filter(|&&extent| extent == DYNAMIC).count();
    if let Some(alloc) = AllocOp::cast(ir, op) {
        return alloc.dynamicSizes(ir).get(position).copied();
    }
    if let Some(alloc) = AllocaOp::cast(ir, op) {
        return alloc.dynamicSizes(ir).get(position).copied();
    }
    if let Some(view) = ViewOp::cast(ir, op) {
        return view.sizes(ir).get(position).copied();
    }
    let view = SubViewOp::cast(ir, op)?;
    // With dropped dimensions it is not plain which extent is which.
    let all = view.static_sizes(ir).and_then(|attr| ir.ctx.dense_array(attr))?;
    (all.len() == shape.len()).then(|| view.sizes(ir).get(position).copied()).flatten()
}

pub(super) fn fold_dim(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let view = DimOp(op);
    let source = view.source(ir);
    if let Some(index) =
        constant_index_value(ir, view.index(ir)).and_then(|i| usize::try_from(i).ok())
    {
        let extent = ir.ctx.shape(ir.ty(source)).and_then(|shape| shape.get(index)).copied();
        match extent {
            Some(DYNAMIC) => {
                if let Some(size) = dynamic_extent(ir, source, index) {
                    return Fold::one(size);
                }
            }
            Some(extent) => return Fold::one(ir.ctx.index_attr(extent)),
            None => {}
        }
    }
    // A cast forgets nothing that a dimension would ask for, if it goes between ranked buffers.
    fold_casts(ir, op, &[0])
}

pub(super) fn fold_rank(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let rank = ir.ctx.shape(ir.ty(ir.operand(op, 0))).map(<[i64]>::len);
    match rank {
        Some(rank) => Fold::one(ir.ctx.index_attr(rank as i64)),
        None => Fold::None,
    }
}

/// A cast to the type that the source has is the source; a cast of a cast takes its source where
/// the inner one only forgets.
pub(super) fn fold_cast(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let source = ir.operand(op, 0);
    if ir.ty(source) == ir.ty(ir.result(op, 0)) {
        return Fold::one(source);
    }
    fold_casts(ir, op, &[0])
}
