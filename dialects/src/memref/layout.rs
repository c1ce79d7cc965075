//! Layouts of buffers as an offset and one stride a dimension, and how views change them.

use gpuc_ir::affine::{AffineExprKind, BinaryOp};
use gpuc_ir::attrs::identity_strides;
use gpuc_ir::{AffineExpr, Attr, AttrKind, Context, DYNAMIC, Type, TypeKind};

/// Where element `(i, j, ...)` lies: `offset + i * strides[0] + j * strides[1] + ...`, in elements;
/// [`DYNAMIC`] where known only at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StridedLayout {
    /// Position of the first element.
    pub offset: i64,
    /// Distance of neighbours, for each dimension.
    pub strides: Vec<i64>,
}

/// Product in which [`DYNAMIC`] (and overflow) makes the whole dynamic.
pub(super) fn times(a: i64, b: i64) -> i64 {
    match (a, b) {
        (0, _) | (_, 0) => 0,
        (DYNAMIC, _) | (_, DYNAMIC) => DYNAMIC,
        _ => a.checked_mul(b).unwrap_or(DYNAMIC),
    }
}

/// Sum in which [`DYNAMIC`] (and overflow) makes the whole dynamic.
pub(super) fn plus(a: i64, b: i64) -> i64 {
    if a == DYNAMIC || b == DYNAMIC { DYNAMIC } else { a.checked_add(b).unwrap_or(DYNAMIC) }
}

/// Row-major strides of any shape; those beyond a dynamic extent are dynamic.
pub fn row_major_strides(shape: &[i64]) -> Vec<i64> {
    identity_strides(shape).unwrap_or_else(|| {
        let mut strides = vec![1; shape.len()];
        for d in (1..shape.len()).rev() {
            strides[d - 1] = times(strides[d], shape[d]);
        }
        strides
    })
}

/// Offset and strides of a ranked memref; `None` where its layout is not of that form.
pub fn strided_layout(ctx: &Context, ty: Type) -> Option<StridedLayout> {
    let TypeKind::MemRef { shape, layout, .. } = ctx.type_kind(ty) else { return None };
    let Some(layout) = layout else {
        return Some(StridedLayout { offset: 0, strides: row_major_strides(shape) });
    };
    match ctx.attr_kind(*layout) {
        AttrKind::Strided { offset, strides } => {
            Some(StridedLayout { offset: *offset, strides: strides.to_vec() })
        }
        AttrKind::AffineMap(map) => {
            let data = ctx.map_data(*map);
            let [expr] = *data.results else { return None };
            let mut found = StridedLayout { offset: 0, strides: vec![0; shape.len()] };
            add_terms(ctx, expr, 1, &mut found)?;
            Some(found)
        }
        _ => None,
    }
}

/// Adds `expr * factor` to a layout.
fn add_terms(ctx: &Context, expr: AffineExpr, factor: i64, to: &mut StridedLayout) -> Option<()> {
    match *ctx.expr_kind(expr) {
        AffineExprKind::Dim(d) => {
            let stride = to.strides.get_mut(d as usize)?;
            *stride = plus(*stride, factor);
        }
        AffineExprKind::Symbol(_) => to.offset = DYNAMIC,
        AffineExprKind::Constant(value) => to.offset = plus(to.offset, times(value, factor)),
        AffineExprKind::Binary(BinaryOp::Add, a, b) => {
            add_terms(ctx, a, factor, to)?;
            add_terms(ctx, b, factor, to)?;
        }
        AffineExprKind::Binary(BinaryOp::Mul, a, b) => {
            let (scaled, by) = if ctx.is_symbolic(b) { (a, b) } else { (b, a) };
            if !ctx.is_symbolic(by) {
                return None;
            }
            let by = ctx.expr_constant(by).unwrap_or(DYNAMIC);
            add_terms(ctx, scaled, times(factor, by), to)?;
        }
        AffineExprKind::Binary(..) => {
            if !ctx.is_symbolic(expr) {
                return None;
            }
            to.offset = DYNAMIC;
        }
    }
    Some(())
}

/// Whether the elements lie one behind the other in row-major order, from the buffer's start.
pub fn has_identity_layout(ctx: &Context, ty: Type) -> bool {
    match ctx.type_kind(ty) {
        TypeKind::MemRef { layout: None, .. } => true,
        TypeKind::MemRef { layout: Some(layout), shape, .. } => {
            ctx.is_identity_layout(*layout, shape)
        }
        _ => false,
    }
}

/// Bytes of an element of a memref; `None` for element types without a fixed size.
pub fn element_bytes(ctx: &Context, ty: Type) -> Option<u64> {
    let element = ctx.element(ty)?;
    scalar_bytes(ctx, element)
}

/// Bytes of a number, or of a vector of numbers, in memory.
pub fn scalar_bytes(ctx: &Context, ty: Type) -> Option<u64> {
    match ctx.type_kind(ty) {
        TypeKind::Index => Some(8),
        TypeKind::Integer { width, .. } => Some(u64::from(width.div_ceil(8))),
        TypeKind::Float(kind) => Some(u64::from(kind.width().div_ceil(8))),
        TypeKind::Complex(part) => Some(2 * scalar_bytes(ctx, *part)?),
        TypeKind::Vector { shape, element, .. } => {
            let count =
                shape.iter().try_fold(1u64, |n, &extent| n.checked_mul(extent.try_into().ok()?))?;
            count.checked_mul(scalar_bytes(ctx, *element)?)
        }
        _ => None,
    }
}

/// Layout of the part of `source` at the offsets with the strides ([`DYNAMIC`] for those known at
/// run time); `None` where the source is not strided or the ranks differ.
pub fn subview_layout(
    ctx: &Context,
    source: Type,
    offsets: &[i64],
    strides: &[i64],
) -> Option<StridedLayout> {
    let base = strided_layout(ctx, source)?;
    if offsets.len() != base.strides.len() || strides.len() != base.strides.len() {
        return None;
    }
    let offset = offsets
        .iter()
        .zip(&base.strides)
        .fold(base.offset, |sum, (&offset, &stride)| plus(sum, times(offset, stride)));
    let strides = strides.iter().zip(&base.strides).map(|(&s, &base)| times(s, base)).collect();
    Some(StridedLayout { offset, strides })
}

/// A memref with the layout.
pub fn strided_memref(
    ctx: &mut Context,
    shape: &[i64],
    element: Type,
    layout: &StridedLayout,
    space: Option<Attr>,
) -> Type {
    let layout = ctx.strided_attr(layout.offset, &layout.strides);
    ctx.memref_in(shape, element, Some(layout), space)
}

/// The text of the memref type that [`strided_memref`] would make, for messages.
pub(super) fn strided_memref_text(
    ctx: &Context,
    shape: &[i64],
    element: Type,
    layout: &StridedLayout,
    space: Option<Attr>,
) -> String {
    let number = |n: i64| if n == DYNAMIC { "?".to_owned() } else { n.to_string() };
    let mut text = String::from("memref<");
    for &extent in shape {
        text += &number(extent);
        text.push('x');
    }
    text += &ctx.type_text(element);
    let identity = identity_strides(shape).is_some_and(|s| s == layout.strides);
    if !(identity && layout.offset == 0) {
        let strides: Vec<String> = layout.strides.iter().map(|&s| number(s)).collect();
        text += &format!(", strided<[{}]", strides.join(", "));
        if layout.offset != 0 {
            text += &format!(", offset: {}", number(layout.offset));
        }
        text.push('>');
    }
    if let Some(space) = space {
        text += &format!(", {}", ctx.attr_text(space));
    }
    text.push('>');
    text
}
