//! Verification of views.

use gpuc_ir::affine::AffineExprKind;
use gpuc_ir::{Context, DYNAMIC, Ir, Op, Type, TypeKind};

use super::layout::{
    StridedLayout, has_identity_layout, strided_layout, strided_memref_text, subview_layout,
};
use super::view::{ReinterpretCastOp, SubViewOp, TransposeOp, ViewOp};

fn cast_error(ir: &Ir, op: Op) -> Result<(), String> {
    Err(format!(
        "operand type '{}' and result type '{}' are cast incompatible",
        ir.type_text(ir.ty(ir.operand(op, 0))),
        ir.type_text(ir.ty(ir.result(op, 0)))
    ))
}

fn may_equal(a: i64, b: i64) -> bool {
    a == b || a == DYNAMIC || b == DYNAMIC
}

fn cast_compatible(ctx: &Context, a: Type, b: Type) -> bool {
    if ctx.element(a) != ctx.element(b) || ctx.memory_space(a) != ctx.memory_space(b) {
        return false;
    }
    match (ctx.shape(a), ctx.shape(b)) {
        (Some(shape_a), Some(shape_b)) => {
            if shape_a.len() != shape_b.len()
                || !shape_a.iter().zip(shape_b).all(|(&a, &b)| may_equal(a, b))
            {
                return false;
            }
            if layout_of(ctx, a) == layout_of(ctx, b) {
                return true;
            }
            let (Some(a), Some(b)) = (strided_layout(ctx, a), strided_layout(ctx, b)) else {
                return false;
            };
            may_equal(a.offset, b.offset)
                && a.strides.iter().zip(&b.strides).all(|(&a, &b)| may_equal(a, b))
        }
        // Between two unranked buffers there is nothing to cast.
        (None, None) => false,
        _ => true,
    }
}

fn layout_of(ctx: &Context, ty: Type) -> Option<gpuc_ir::Attr> {
    match ctx.type_kind(ty) {
        TypeKind::MemRef { layout, .. } => *layout,
        _ => None,
    }
}

pub(super) fn verify_cast(ir: &Ir, op: Op) -> Result<(), String> {
    let (a, b) = (ir.ty(ir.operand(op, 0)), ir.ty(ir.result(op, 0)));
    if cast_compatible(&ir.ctx, a, b) { Ok(()) } else { cast_error(ir, op) }
}

pub(super) fn verify_space_cast(ir: &Ir, op: Op) -> Result<(), String> {
    let (a, b) = (ir.ty(ir.operand(op, 0)), ir.ty(ir.result(op, 0)));
    let same = ir.ctx.element(a) == ir.ctx.element(b)
        && ir.ctx.shape(a) == ir.ctx.shape(b)
        && layout_of(&ir.ctx, a) == layout_of(&ir.ctx, b);
    if same { Ok(()) } else { cast_error(ir, op) }
}

/// Checks lists of offsets, extents and strides against the number of dimensions and of operands.
fn verify_parts(
    parts: &[Vec<i64>; 3],
    ranks: [usize; 3],
    operands: [usize; 3],
) -> Result<(), String> {
    let names = ["offset", "size", "stride"];
    for (i, name) in names.into_iter().enumerate() {
        if parts[i].len() != ranks[i] {
            return Err(format!("expected {} {name} values, got {}", ranks[i], parts[i].len()));
        }
        let dynamic = parts[i].iter().filter(|&&part| part == DYNAMIC).count();
        if dynamic != operands[i] {
            return Err(format!("expected {dynamic} dynamic {name} values"));
        }
    }
    for (i, name) in names.into_iter().enumerate().take(2) {
        if let Some(negative) = parts[i].iter().find(|&&part| part < 0 && part != DYNAMIC) {
            return Err(format!("expected {name}s to be non-negative, but got {negative}"));
        }
    }
    Ok(())
}

/// Whether a type of extents and strides `(extent, stride)` is another one with some unit
/// dimensions dropped.
fn is_rank_reduced(full: &[(i64, i64)], reduced: &[(i64, i64)], strides: bool) -> bool {
    // reachable[j]: the first j dimensions of the result can stand for those of the source so far.
    let mut reachable = vec![false; reduced.len() + 1];
    reachable[0] = true;
    for &(extent, stride) in full {
        for j in (0..reachable.len()).rev() {
            let dropped = extent == 1 && reachable[j];
            let kept = j > 0 && reachable[j - 1] && {
                let (other, other_stride) = reduced[j - 1];
                extent == other && (!strides || stride == other_stride)
            };
            reachable[j] = dropped || kept;
        }
    }
    reachable[reduced.len()]
}

pub(super) fn verify_subview(ir: &Ir, op: Op) -> Result<(), String> {
    let view = SubViewOp(op);
    let (source, result) = (ir.ty(view.source(ir)), ir.ty(view.result(ir)));
    let parts = view.static_parts(ir);
    let rank = ir.ctx.shape(source).map_or(0, <[i64]>::len);
    let operands = [view.offsets(ir).len(), view.sizes(ir).len(), view.strides(ir).len()];
    verify_parts(&parts, [rank; 3], operands)?;
    let (source_space, space) = (ir.ctx.memory_space(source), ir.ctx.memory_space(result));
    if source_space != space {
        return Err(format!(
            "different memory spaces specified for base memref type '{}' and subview memref type '{}'",
            ir.type_text(source),
            ir.type_text(result)
        ));
    }
    let [offsets, sizes, strides] = &parts;
    let Some(expected) = subview_layout(&ir.ctx, source, offsets, strides) else {
        return Err(format!("base type '{}' is not strided", ir.type_text(source)));
    };
    let shape = ir.ctx.shape(result).unwrap_or_default();
    if shape.len() > rank {
        return Err("expected result rank to be smaller or equal to the source rank. ".into());
    }
    let element = ir.ctx.element(source).unwrap_or(source);
    if ir.ctx.element(result) != Some(element) {
        return Err(format!("expected result element type to be '{}'", ir.type_text(element)));
    }
    let mismatch = |what: &str| {
        let text = strided_memref_text(&ir.ctx, sizes, element, &expected, space.flatten());
        Err(format!(
            "expected result type to be '{text}' or a rank-reduced version. (mismatch of result {what}) "
        ))
    };
    let pairs = |extents: &[i64], strides: &[i64]| -> Vec<(i64, i64)> {
        extents.iter().copied().zip(strides.iter().copied()).collect()
    };
    let full = pairs(sizes, &expected.strides);
    if !is_rank_reduced(&full, &pairs(shape, &vec![0; shape.len()]), false) {
        return mismatch("sizes");
    }
    match strided_layout(&ir.ctx, result) {
        Some(layout)
            if layout.offset == expected.offset
                && is_rank_reduced(&full, &pairs(shape, &layout.strides), true) =>
        {
            Ok(())
        }
        _ => mismatch("layout"),
    }
}

pub(super) fn verify_reinterpret_cast(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ReinterpretCastOp(op);
    let (source, result) = (ir.ty(view.source(ir)), ir.ty(view.result(ir)));
    let parts = view.static_parts(ir);
    if parts[1].len() != parts[2].len() {
        return Err(format!(
            "expected mixed sizes rank to match mixed strides rank ({} vs {}) so the rank of the \
             result type is well-formed.",
            parts[1].len(),
            parts[2].len()
        ));
    }
    let shape = ir.ctx.shape(result).unwrap_or_default();
    let operands = [view.offsets(ir).len(), view.sizes(ir).len(), view.strides(ir).len()];
    verify_parts(&parts, [1, shape.len(), shape.len()], operands)?;
    for (same, what) in [
        (ir.ctx.memory_space(source) == ir.ctx.memory_space(result), "memory spaces"),
        (ir.ctx.element(source) == ir.ctx.element(result), "element types"),
    ] {
        if !same {
            return Err(format!(
                "different {what} specified for source type '{}' and result memref type '{}'",
                ir.type_text(source),
                ir.type_text(result)
            ));
        }
    }
    let [offsets, sizes, strides] = &parts;
    // A result may say less than the operation, and more where the operation says nothing.
    for (i, (&expected, &found)) in sizes.iter().zip(shape).enumerate() {
        if !may_equal(expected, found) {
            return Err(format!(
                "expected result type with size = {expected} instead of {found} in dim = {i}"
            ));
        }
    }
    let Some(layout) = strided_layout(&ir.ctx, result) else {
        return Err(format!(
            "expected result type to have strided layout but found '{}'",
            ir.type_text(result)
        ));
    };
    if !may_equal(offsets[0], layout.offset) {
        return Err(format!(
            "expected result type with offset = {} instead of {}",
            offsets[0], layout.offset
        ));
    }
    for (i, (&expected, &found)) in strides.iter().zip(&layout.strides).enumerate() {
        if !may_equal(expected, found) {
            return Err(format!(
                "expected result type with stride = {expected} instead of {found} in dim = {i}"
            ));
        }
    }
    Ok(())
}

pub(super) fn verify_view(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ViewOp(op);
    let (source, result) = (ir.ty(view.source(ir)), ir.ty(view.result(ir)));
    for (which, ty) in [("base", source), ("result", result)] {
        if !has_identity_layout(&ir.ctx, ty) {
            return Err(format!("unsupported map for {which} memref type '{}'", ir.type_text(ty)));
        }
    }
    if ir.ctx.memory_space(source) != ir.ctx.memory_space(result) {
        return Err(format!(
            "different memory spaces specified for base memref type '{}' and view memref type '{}'",
            ir.type_text(source),
            ir.type_text(result)
        ));
    }
    let shape = ir.ctx.shape(result).unwrap_or_default();
    if shape.iter().filter(|&&extent| extent == DYNAMIC).count() != view.sizes(ir).len() {
        return Err(format!(
            "incorrect number of size operands for type '{}'",
            ir.type_text(result)
        ));
    }
    Ok(())
}

pub(super) fn verify_transpose(ir: &Ir, op: Op) -> Result<(), String> {
    let view = TransposeOp(op);
    let (source, result) = (ir.ty(view.input(ir)), ir.ty(view.result(ir)));
    let Some(map) = view.permutation(ir).and_then(|attr| ir.ctx.map_value(attr)) else {
        return Ok(());
    };
    let data = ir.ctx.map_data(map);
    let mut order = Vec::new();
    for &expr in &data.results {
        match *ir.ctx.expr_kind(expr) {
            AffineExprKind::Dim(d) if !order.contains(&(d as usize)) => order.push(d as usize),
            _ => return Err("expected a permutation map".into()),
        }
    }
    let shape = ir.ctx.shape(source).unwrap_or_default();
    if data.dims as usize != order.len() || data.symbols != 0 {
        return Err("expected a permutation map".into());
    }
    if order.len() != shape.len() {
        return Err("expected a permutation map of same rank as the input".into());
    }
    let Some(layout) = strided_layout(&ir.ctx, source) else {
        return Err(format!("input type '{}' is not strided", ir.type_text(source)));
    };
    let extents: Vec<i64> = order.iter().map(|&d| shape[d]).collect();
    let strides: Vec<i64> = order.iter().map(|&d| layout.strides[d]).collect();
    let expected = StridedLayout { offset: layout.offset, strides };
    let space = ir.ctx.memory_space(source);
    let element = ir.ctx.element(source);
    let same = ir.ctx.shape(result) == Some(&extents[..])
        && ir.ctx.element(result) == element
        && ir.ctx.memory_space(result) == space
        && strided_layout(&ir.ctx, result).as_ref() == Some(&expected);
    if same {
        return Ok(());
    }
    let element = element.unwrap_or(source);
    Err(format!(
        "result type '{}' is not equivalent to the canonical transposed input type '{}'",
        ir.type_text(result),
        strided_memref_text(&ir.ctx, &extents, element, &expected, space.flatten())
    ))
}
