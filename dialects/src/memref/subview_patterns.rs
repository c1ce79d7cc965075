//! Folding and canonicalisation of `memref.subview`.

use gpuc_ir::op::Fold;
use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::{Attr, DYNAMIC, Ir, Op, OpView, Type, Value};

use super::folds::only_forgets;
use super::layout::{strided_layout, strided_memref, subview_layout};
use super::view::{CastOp, SubViewOp};
use crate::arith::constant_index_value;

pub(super) const SUBVIEW: &[Pattern] = &[
    Pattern { name: "subview-constant-parts", apply: make_parts_static },
    Pattern { name: "subview-of-cast", apply: view_cast_source },
];

/// The whole of a buffer is the buffer.
pub(super) fn fold_subview(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let view = SubViewOp(op);
    let source = view.source(ir);
    let [offsets, sizes, strides] = view.static_parts(ir);
    let whole = ir.ty(source) == ir.ty(view.result(ir))
        && offsets.iter().all(|&offset| offset == 0)
        && strides.iter().all(|&stride| stride == 1)
        && ir.ctx.shape(ir.ty(source)) == Some(&sizes[..])
        && !sizes.contains(&DYNAMIC);
    if whole { Fold::one(source) } else { Fold::None }
}

/// The dimensions of the source that the result kept, found by extents and strides.
fn kept_dimensions(
    extents: &[i64],
    strides: &[i64],
    result_shape: &[i64],
    result_strides: &[i64],
) -> Option<Vec<bool>> {
    let mut kept = vec![false; extents.len()];
    let mut next = 0;
    for d in 0..extents.len() {
        let remaining = extents.len() - d;
        let wanted = result_shape.len() - next;
        let same = next < result_shape.len()
            && extents[d] == result_shape[next]
            && strides[d] == result_strides[next];
        // A unit dimension that fits may still be the dropped one, if enough others follow.
        if same && (remaining == wanted || extents[d] != 1) {
            kept[d] = true;
            next += 1;
        } else if extents[d] == 1 && remaining > wanted {
            continue;
        } else if same {
            kept[d] = true;
            next += 1;
        } else {
            return None;
        }
    }
    (next == result_shape.len()).then_some(kept)
}

/// Builds the view anew from a source and parts; dimensions dropped before stay dropped. The
/// result is cast to the type that users know.
fn rebuild(
    rw: &mut Rewriter<'_>,
    op: Op,
    source: Value,
    parts: [Vec<i64>; 3],
    operands: [Vec<Value>; 3],
) -> bool {
    let view = SubViewOp(op);
    let old_ty = rw.ty(view.result(rw));
    let [_, old_sizes, _] = view.static_parts(rw);
    let [offsets, sizes, strides] = &parts;
    let old_source = rw.ty(view.source(rw));
    let [old_offsets, _, old_strides] = view.static_parts(rw);
    let Some(old_layout) = subview_layout(&rw.ctx, old_source, &old_offsets, &old_strides) else {
        return false;
    };
    let source_ty = rw.ty(source);
    let Some(mut layout) = subview_layout(&rw.ctx, source_ty, offsets, strides) else {
        return false;
    };
    let (Some(result_layout), Some(shape)) =
        (strided_layout(&rw.ctx, old_ty), rw.ctx.shape(old_ty))
    else {
        return false;
    };
    let Some(kept) =
        kept_dimensions(&old_sizes, &old_layout.strides, shape, &result_layout.strides)
    else {
        return false;
    };
    let select = |list: &[i64]| -> Vec<i64> {
        list.iter().zip(&kept).filter(|&(_, &kept)| kept).map(|(&n, _)| n).collect()
    };
    let extents = select(sizes);
    layout.strides = select(&layout.strides);
    let (Some(element), Some(space)) = (rw.ctx.element(source_ty), rw.ctx.memory_space(source_ty))
    else {
        return false;
    };
    let new_ty: Type = strided_memref(&mut rw.ctx, &extents, element, &layout, space);
    let attrs = parts.map(|part| rw.ctx.i64_array_attr(&part));
    let mut b = rw.before(op);
    let mut build = SubViewOp::new(&mut b, source, &operands[0], &operands[1], &operands[2]);
    for (name, attr) in ["static_offsets", "static_sizes", "static_strides"].into_iter().zip(attrs)
    {
        build = build.attr(&mut b, name, attr);
    }
    let mut value = build.result(new_ty).value(&mut b);
    if new_ty != old_ty {
        value = CastOp::new(&mut b, value).result(old_ty).value(&mut b);
    }
    rw.replace(op, &[value]);
    true
}

/// Parts that are constants become part of the attributes and the type.
fn make_parts_static(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = SubViewOp(op);
    let mut parts = view.static_parts(rw);
    let given = [view.offsets(rw), view.sizes(rw), view.strides(rw)];
    let mut kept: [Vec<Value>; 3] = Default::default();
    let mut changed = false;
    for (i, values) in given.into_iter().enumerate() {
        let mut values = values.into_iter();
        for part in parts[i].iter_mut().filter(|part| **part == DYNAMIC) {
            let Some(value) = values.next() else { return false };
            // Negative offsets and extents are undefined; they are left for the program to meet.
            let constant = constant_index_value(rw, value).filter(|&n| i == 2 || n >= 0);
            match constant.filter(|&n| n != DYNAMIC) {
                Some(constant) => {
                    *part = constant;
                    changed = true;
                }
                None => kept[i].push(value),
            }
        }
    }
    let source = view.source(rw);
    changed && rebuild(rw, op, source, parts, kept)
}

/// A view of a cast that only forgets is a view of the source.
fn view_cast_source(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let view = SubViewOp(op);
    let cast = rw.defining_op(view.source(rw)).and_then(|def| CastOp::cast(rw, def));
    let Some(cast) = cast.filter(|&cast| only_forgets(rw, cast)) else { return false };
    let parts = view.static_parts(rw);
    let operands =
        [view.offsets(rw), view.sizes(rw), view.strides(rw)].map(|values| values.to_vec());
    let source = cast.source(rw);
    rebuild(rw, op, source, parts, operands)
}
