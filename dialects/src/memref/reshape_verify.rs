//! Verification of `memref.expand_shape` and `memref.collapse_shape`.

use gpuc_ir::attrs::identity_strides;
use gpuc_ir::{Attr, Context, DYNAMIC, Ir, Op, Type};

use super::layout::{
    StridedLayout, has_identity_layout, strided_layout, strided_memref_text, times,
};
use super::reshape::{CollapseShapeOp, ExpandShapeOp, ReshapeOp};

/// The groups of dimensions in a reassociation attribute.
pub fn reassociation_groups(ctx: &Context, attr: Option<Attr>) -> Vec<Vec<i64>> {
    let groups = attr.and_then(|attr| ctx.array_value(attr)).unwrap_or_default();
    let numbers = |&group: &Attr| {
        let dims = ctx.array_value(group).unwrap_or_default();
        dims.iter().filter_map(|&dim| ctx.i64_value(dim)).collect()
    };
    groups.iter().map(numbers).collect()
}

/// Checks that the groups partition the dimensions of the expanded side and that the extents
/// agree.
fn verify_groups(collapsed: &[i64], expanded: &[i64], groups: &[Vec<i64>]) -> Result<(), String> {
    if groups.len() != collapsed.len() {
        return Err(format!(
            "invalid number of reassociation groups: found {}, expected {}",
            groups.len(),
            collapsed.len()
        ));
    }
    let mut next = 0;
    for (i, group) in groups.iter().enumerate() {
        let mut product = 1i64;
        for &dim in group {
            if dim != next {
                return Err("reassociation indices must be contiguous".into());
            }
            next += 1;
            let Some(&extent) = expanded.get(dim as usize) else {
                return Err(format!(
                    "reassociation index {dim} is out of bounds of expanded rank {}",
                    expanded.len()
                ));
            };
            product = times(product, extent);
        }
        if product == DYNAMIC {
            if collapsed[i] != DYNAMIC {
                return Err(format!(
                    "expected dimension {i} of collapsed type to be dynamic since one or more of the \
                     corresponding dimensions in the expanded type is dynamic"
                ));
            }
        } else if collapsed[i] != product {
            let extent = match collapsed[i] {
                DYNAMIC => "?".to_owned(),
                extent => extent.to_string(),
            };
            return Err(format!(
                "collapsed dim size ({extent}) must equal reassociation group size ({product})"
            ));
        }
    }
    if collapsed.is_empty() {
        return match expanded.iter().all(|&extent| extent == 1) {
            true => Ok(()),
            false => Err("rank 0 memrefs can only be extended/collapsed with/from ones".into()),
        };
    }
    if next as usize != expanded.len() {
        return Err(format!(
            "expanded rank ({}) inconsistent with number of reassociation indices ({next})",
            expanded.len()
        ));
    }
    Ok(())
}

/// Whether `result` has the element type and space of `source`, the layout, or the identity where
/// `layout` is none; the type expected where not.
fn check_result(
    ir: &Ir,
    source: Type,
    result: Type,
    layout: Option<&StridedLayout>,
) -> Result<(), String> {
    let ctx = &ir.ctx;
    let same = ctx.element(source) == ctx.element(result)
        && ctx.memory_space(source) == ctx.memory_space(result)
        && match layout {
            Some(layout) => strided_layout(ctx, result).as_ref() == Some(layout),
            None => has_identity_layout(ctx, result),
        };
    if same {
        return Ok(());
    }
    let shape = ctx.shape(result).unwrap_or_default();
    let identity = StridedLayout {
        offset: 0,
        strides: identity_strides(shape).unwrap_or_else(|| vec![DYNAMIC; shape.len()]),
    };
    let element = ctx.element(source).unwrap_or(source);
    let space = ctx.memory_space(source).flatten();
    Err(strided_memref_text(ctx, shape, element, layout.unwrap_or(&identity), space))
}

fn expanded_layout(
    layout: &StridedLayout,
    shape: &[i64],
    groups: &[Vec<i64>],
) -> Option<StridedLayout> {
    let mut strides = vec![1; shape.len()];
    for (group, &stride) in groups.iter().zip(&layout.strides) {
        let mut stride = stride;
        for &dim in group.iter().rev() {
            *strides.get_mut(dim as usize)? = stride;
            stride = times(stride, *shape.get(dim as usize)?);
        }
    }
    Some(StridedLayout { offset: layout.offset, strides })
}

pub(super) fn verify_expand_shape(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ExpandShapeOp(op);
    let (source, result) = (ir.ty(view.src(ir)), ir.ty(view.result(ir)));
    let (from, to) =
        (ir.ctx.shape(source).unwrap_or_default(), ir.ctx.shape(result).unwrap_or_default());
    if from.len() > to.len() {
        return Err(format!(
            "has source rank {} and result rank {}. This is not an expansion ({} > {}).",
            from.len(),
            to.len(),
            from.len(),
            to.len()
        ));
    }
    let groups = reassociation_groups(&ir.ctx, view.reassociation(ir));
    verify_groups(from, to, &groups)?;
    let layout = if has_identity_layout(&ir.ctx, source) {
        None
    } else {
        let layout = strided_layout(&ir.ctx, source);
        let Some(layout) = layout.and_then(|layout| expanded_layout(&layout, to, &groups)) else {
            return Err("invalid source layout map".into());
        };
        Some(layout)
    };
    check_result(ir, source, result, layout.as_ref()).map_err(|expected| {
        format!("expected expanded type to be '{expected}' but found '{}'", ir.type_text(result))
    })?;
    let attr = view.static_output_shape(ir).and_then(|attr| ir.ctx.dense_array(attr));
    let shape = attr.unwrap_or_default();
    if shape.len() != to.len() {
        return Err(format!(
            "expected number of static shape bounds to be equal to the output rank ({}) but found {} \
             inputs instead",
            to.len(),
            shape.len()
        ));
    }
    let dynamic = shape.iter().filter(|&&extent| extent == DYNAMIC).count();
    let values = view.output_shape(ir).len();
    if dynamic != values {
        return Err(format!(
            "mismatch in dynamic dims in output_shape and static_output_shape: static_output_shape \
             has {dynamic} dynamic dims while output_shape has {values} values"
        ));
    }
    let wrong = to.iter().zip(shape).position(|(&to, &said)| to != DYNAMIC && to != said);
    match wrong {
        Some(position) => Err(format!("invalid output shape provided at pos {position}")),
        None => Ok(()),
    }
}

/// The layout of the source with each group one dimension; `None` where a group is not contiguous.
fn collapsed_layout(
    layout: &StridedLayout,
    shape: &[i64],
    groups: &[Vec<i64>],
) -> Option<StridedLayout> {
    let mut strides = Vec::new();
    for group in groups {
        // Trailing unit dimensions say nothing about where elements lie.
        let mut dims: &[i64] = group;
        while let [front @ .., last] = dims
            && !front.is_empty()
            && shape[*last as usize] == 1
        {
            dims = front;
        }
        let Some(&last) = dims.last() else {
            strides.push(1);
            continue;
        };
        let known = shape[last as usize] != DYNAMIC || dims.len() == 1;
        strides.push(if known { layout.strides[last as usize] } else { DYNAMIC });
        let mut stride = *strides.last().unwrap_or(&DYNAMIC);
        for pair in group.windows(2).rev() {
            let (outer, inner) = (pair[0] as usize, pair[1] as usize);
            stride = times(stride, shape[inner]);
            let found = layout.strides[outer];
            if shape[outer] != 1 && stride != DYNAMIC && found != DYNAMIC && stride != found {
                return None;
            }
        }
    }
    Some(StridedLayout { offset: layout.offset, strides })
}

pub(super) fn verify_collapse_shape(ir: &Ir, op: Op) -> Result<(), String> {
    let view = CollapseShapeOp(op);
    let (source, result) = (ir.ty(view.src(ir)), ir.ty(view.result(ir)));
    let (from, to) =
        (ir.ctx.shape(source).unwrap_or_default(), ir.ctx.shape(result).unwrap_or_default());
    if from.len() < to.len() {
        return Err(format!(
            "has source rank {} and result rank {}. This is not a collapse ({} < {}).",
            from.len(),
            to.len(),
            from.len(),
            to.len()
        ));
    }
    let groups = reassociation_groups(&ir.ctx, view.reassociation(ir));
    verify_groups(to, from, &groups)?;
    let layout = if has_identity_layout(&ir.ctx, source) {
        None
    } else {
        let layout = strided_layout(&ir.ctx, source);
        let Some(layout) = layout.and_then(|layout| collapsed_layout(&layout, from, &groups))
        else {
            return Err("invalid source layout map or collapsing non-contiguous dims".into());
        };
        Some(layout)
    };
    check_result(ir, source, result, layout.as_ref()).map_err(|expected| {
        format!("expected collapsed type to be '{expected}' but found '{}'", ir.type_text(result))
    })
}

pub(super) fn verify_reshape(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ReshapeOp(op);
    let (source, result) = (ir.ty(view.source(ir)), ir.ty(view.result(ir)));
    if ir.ctx.element(source) != ir.ctx.element(result) {
        return Err(
            "element types of source and destination memref types should be the same".into()
        );
    }
    if ir.ctx.is_memref(source) && !has_identity_layout(&ir.ctx, source) {
        return Err("source memref type should have identity affine map".into());
    }
    if !ir.ctx.is_memref(result) {
        return Ok(());
    }
    if !has_identity_layout(&ir.ctx, result) {
        return Err("result memref type should have identity affine map".into());
    }
    let length = ir.ctx.shape(ir.ty(view.shape(ir))).and_then(|shape| shape.first().copied());
    let rank = ir.ctx.shape(result).map_or(0, <[i64]>::len);
    match length {
        Some(DYNAMIC) => Err("cannot use shape operand with dynamic length to reshape to \
                              statically-ranked memref type"
            .into()),
        Some(length) if length == rank as i64 => Ok(()),
        _ => Err("length of shape operand differs from the result's memref rank".into()),
    }
}
