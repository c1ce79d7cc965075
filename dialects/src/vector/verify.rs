//! Verification of accesses, elements and casts.

use gpuc_ir::{Attr, Context, DYNAMIC, Ir, Op, Type, TypeKind};

use super::access::{LoadOp, StoreOp};
use super::cast::{BitCastOp, ShapeCastOp};
use super::element::{
    BroadcastOp, ExtractElementOp, ExtractOp, InsertElementOp, InsertOp, ShuffleOp,
};
use crate::memref::strided_layout;

fn shape(ir: &Ir, ty: Type) -> &[i64] {
    ir.ctx.shape(ty).unwrap_or_default()
}

/// Elements next to each other in a vector must be so in the buffer.
fn verify_unit_stride(ir: &Ir, memref: Type) -> Result<(), String> {
    let layout = strided_layout(&ir.ctx, memref);
    match layout {
        Some(layout) if layout.strides.last().is_none_or(|&stride| stride == 1) => Ok(()),
        _ => Err("most minor memref dim must have unit stride".into()),
    }
}

/// Whether a buffer's elements are vectors of this type, of which an access takes a whole one.
fn is_element(ir: &Ir, memref: Type, vector: Type) -> bool {
    ir.ctx.element(memref) == Some(vector)
}

pub(super) fn verify_load(ir: &Ir, op: Op) -> Result<(), String> {
    let view = LoadOp(op);
    let (vector, memref) = (ir.ty(view.result(ir)), ir.ty(view.base(ir)));
    verify_unit_stride(ir, memref)?;
    if !is_element(ir, memref, vector) && ir.ctx.element(memref) != ir.ctx.element(vector) {
        return Err("base and result element types should match".into());
    }
    let rank = shape(ir, memref).len();
    if view.indices(ir).len() != rank {
        return Err(format!("requires {rank} indices"));
    }
    Ok(())
}

pub(super) fn verify_store(ir: &Ir, op: Op) -> Result<(), String> {
    let view = StoreOp(op);
    let (vector, memref) = (ir.ty(view.valueToStore(ir)), ir.ty(view.base(ir)));
    verify_unit_stride(ir, memref)?;
    if !is_element(ir, memref, vector) && ir.ctx.element(memref) != ir.ctx.element(vector) {
        return Err("base and valueToStore element type should match".into());
    }
    let rank = shape(ir, memref).len();
    if view.indices(ir).len() != rank {
        return Err(format!("requires {rank} indices"));
    }
    Ok(())
}

pub(super) fn verify_broadcast(ir: &Ir, op: Op) -> Result<(), String> {
    let view = BroadcastOp(op);
    let (source, result) = (ir.ty(view.source(ir)), ir.ty(view.vector(ir)));
    let element = if ir.ctx.is_vector(source) { ir.ctx.element(source) } else { Some(source) };
    if element != ir.ctx.element(result) {
        return Err("failed to verify that source operand and result have same element type".into());
    }
    let (from, to) = (shape(ir, source), shape(ir, result));
    let Some(added) = to.len().checked_sub(from.len()) else {
        return Err("source rank higher than destination rank".into());
    };
    for (&from, &to) in from.iter().zip(&to[added..]) {
        if from != 1 && from != to {
            return Err(format!("dimension mismatch ({from} vs. {to})"));
        }
    }
    Ok(())
}

/// Checks a position in a vector; the number of dimensions it goes through.
fn verify_position(
    ir: &Ir,
    vector: Type,
    position: Option<Attr>,
    values: usize,
    which: &str,
) -> Result<usize, String> {
    let position = position.and_then(|attr| ir.ctx.dense_array(attr)).unwrap_or_default();
    let dynamic = position.iter().filter(|&&index| index == DYNAMIC).count();
    if dynamic != values {
        return Err(
            "mismatch between dynamic and static positions (kDynamic marker but no corresponding \
             dynamic position) -- this can only happen due to an incorrect fold/rewrite"
                .into(),
        );
    }
    let extents = shape(ir, vector);
    if position.len() > extents.len() {
        return Err(format!(
            "expected position attribute of rank no greater than {which}vector rank"
        ));
    }
    for (i, (&index, &extent)) in position.iter().zip(extents).enumerate() {
        if index != DYNAMIC && !(0..extent).contains(&index) {
            return Err(format!(
                "expected position attribute #{} to be a non-negative integer smaller than the \
                 corresponding {which}vector dimension",
                i + 1
            ));
        }
    }
    Ok(position.len())
}

/// Whether `part` is what is left of a vector behind the first `depth` dimensions.
fn is_part(ctx: &Context, vector: Type, depth: usize, part: Type) -> bool {
    let rest = ctx.shape(vector).unwrap_or_default().get(depth..).unwrap_or_default();
    let element = ctx.element(vector);
    if rest.is_empty() && element == Some(part) {
        return true;
    }
    ctx.is_vector(part) && ctx.shape(part) == Some(rest) && ctx.element(part) == element
}

pub(super) fn verify_extract(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ExtractOp(op);
    let (vector, result) = (ir.ty(view.vector(ir)), ir.ty(view.result(ir)));
    let values = view.dynamic_position(ir).len();
    let depth = verify_position(ir, vector, view.static_position(ir), values, "")?;
    if !is_part(&ir.ctx, vector, depth, result) {
        let rest = &shape(ir, vector)[depth..];
        let element = ir.ctx.element(vector).map(|ty| ir.type_text(ty)).unwrap_or_default();
        let extents: String = rest.iter().map(|extent| format!("{extent}x")).collect();
        let expected =
            if rest.is_empty() { element } else { format!("vector<{extents}{element}>") };
        return Err(format!(
            "inferred type(s) '{expected}' are incompatible with return type(s) of operation '{}'",
            ir.type_text(result)
        ));
    }
    Ok(())
}

pub(super) fn verify_insert(ir: &Ir, op: Op) -> Result<(), String> {
    let view = InsertOp(op);
    let (source, dest) = (ir.ty(view.source(ir)), ir.ty(view.dest(ir)));
    let values = view.dynamic_position(ir).len();
    let depth = verify_position(ir, dest, view.static_position(ir), values, "dest ")?;
    let rank = shape(ir, dest).len();
    if !ir.ctx.is_vector(source) && depth != rank {
        return Err("expected position attribute rank to match the dest vector rank".into());
    }
    if ir.ctx.is_vector(source) && depth + shape(ir, source).len() != rank {
        return Err(
            "expected position attribute rank + source rank to match dest vector rank".into()
        );
    }
    if !is_part(&ir.ctx, dest, depth, source) {
        return Err(format!(
            "expected source of type '{}' to be the part of '{}' at the position",
            ir.type_text(source),
            ir.type_text(dest)
        ));
    }
    Ok(())
}

fn verify_element_position(rank: usize, position: bool) -> Result<(), String> {
    match (rank, position) {
        (0, true) => Err("expected position to be empty with 0-D vector".into()),
        (1, false) => Err("expected position for 1-D vector".into()),
        (2.., _) => Err("unexpected >1 vector rank".into()),
        _ => Ok(()),
    }
}

pub(super) fn verify_extract_element(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ExtractElementOp(op);
    let rank = shape(ir, ir.ty(view.vector(ir))).len();
    verify_element_position(rank, view.position(ir).is_some())
}

pub(super) fn verify_insert_element(ir: &Ir, op: Op) -> Result<(), String> {
    let view = InsertElementOp(op);
    let rank = shape(ir, ir.ty(view.dest(ir))).len();
    verify_element_position(rank, view.position(ir).is_some())
}

pub(super) fn verify_shuffle(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ShuffleOp(op);
    let (first, second) = (shape(ir, ir.ty(view.v1(ir))), shape(ir, ir.ty(view.v2(ir))));
    let result = ir.ty(view.vector(ir));
    if first.len() != second.len() || shape(ir, result).len() != first.len().max(1) {
        return Err("rank mismatch".into());
    }
    if first.get(1..) != second.get(1..)
        || first.get(1..).unwrap_or_default() != shape(ir, result).get(1..).unwrap_or_default()
    {
        return Err("dimension mismatch".into());
    }
    let elements = [ir.ty(view.v1(ir)), ir.ty(view.v2(ir)), result].map(|ty| ir.ctx.element(ty));
    if elements[0] != elements[1] || elements[0] != elements[2] {
        return Err("element type mismatch".into());
    }
    let mask = view.mask(ir).and_then(|mask| ir.ctx.array_value(mask)).unwrap_or_default();
    if mask.is_empty() {
        return Err("invalid mask length".into());
    }
    if shape(ir, result)[0] != mask.len() as i64 {
        return Err("mask length mismatch".into());
    }
    let count = first.first().unwrap_or(&1) + second.first().unwrap_or(&1);
    let wrong = mask.iter().position(|&index| {
        ir.ctx.i64_value(index).is_none_or(|index| !(0..count).contains(&index))
    });
    match wrong {
        Some(i) => Err(format!("mask index #{} out of range", i + 1)),
        None => Ok(()),
    }
}

pub(super) fn verify_shape_cast(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ShapeCastOp(op);
    let (source, result) = (ir.ty(view.source(ir)), ir.ty(view.result(ir)));
    if ir.ctx.element(source) != ir.ctx.element(result) {
        return Err("source/result vectors must have same element type".into());
    }
    if count(&ir.ctx, source) != count(&ir.ctx, result) {
        return Err("source/result number of elements must match".into());
    }
    Ok(())
}

fn count(ctx: &Context, ty: Type) -> i128 {
    let extents = ctx.shape(ty).unwrap_or_default();
    extents.iter().fold(1i128, |product, &extent| product.saturating_mul(extent.into()))
}

/// Bits of an element as `vector.bitcast` counts them; `None` where that depends on the target.
fn bits(ctx: &Context, ty: Type) -> Option<i128> {
    let element = ctx.element(ty)?;
    match ctx.type_kind(element) {
        TypeKind::Integer { width, .. } => Some((*width).into()),
        TypeKind::Float(kind) => Some(kind.width().into()),
        _ => None,
    }
}

pub(super) fn verify_bitcast(ir: &Ir, op: Op) -> Result<(), String> {
    let view = BitCastOp(op);
    let (source, result) = (ir.ty(view.source(ir)), ir.ty(view.result(ir)));
    let (from, to) = (shape(ir, source), shape(ir, result));
    if from.len() != to.len() {
        return Err("failed to verify that all of {source, result} have same rank".into());
    }
    let outer = from.len().saturating_sub(1);
    if let Some(i) = (0..outer).find(|&i| from[i] != to[i]) {
        return Err(format!("dimension size mismatch at: {i}"));
    }
    let minor = |shape: &[i64], ty| {
        let extent = i128::from(shape.last().copied().unwrap_or(1));
        bits(&ir.ctx, ty).map(|bits| bits.saturating_mul(extent))
    };
    match (minor(from, source), minor(to, result)) {
        (Some(a), Some(b)) if a == b => Ok(()),
        (None, None) if from == to => Ok(()),
        _ if from.is_empty() => Err("0-D source and result must have the same bitwidth".into()),
        _ => Err("source/result bitwidth of the minor 1-D vectors must be equal".into()),
    }
}
