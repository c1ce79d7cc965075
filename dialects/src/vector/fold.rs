//! Folding of broadcasts, elements and casts.

use gpuc_ir::op::Fold;
use gpuc_ir::{Attr, AttrKind, Ir, Op, OpView, Type, Value};

use super::cast::{BitCastOp, ShapeCastOp};
use super::element::{BroadcastOp, ExtractOp, InsertOp, SplatOp};

/// The attribute of one element of a splat constant.
fn splat_element(ir: &mut Ir, attr: Attr) -> Option<Attr> {
    let AttrKind::DenseElements { ty, values } = ir.ctx.attr_kind(attr) else { return None };
    let [value] = **values else { return None };
    let element = ir.ctx.element(*ty)?;
    Some(if ir.ctx.is_float(element) {
        ir.ctx.float_attr(f64::from_bits(value as u64), element)
    } else {
        ir.ctx.int_attr(value.into(), element)
    })
}

/// A constant vector that has the number `attr` everywhere.
fn splat_constant(ir: &mut Ir, attr: Attr, ty: Type) -> Option<Attr> {
    let value = match *ir.ctx.attr_kind(attr) {
        AttrKind::Integer { value, .. } => i64::try_from(value).ok()?,
        AttrKind::Float { bits, .. } => bits as i64,
        AttrKind::DenseElements { ref values, .. } => match **values {
            [value] => value,
            _ => return None,
        },
        _ => return None,
    };
    Some(ir.ctx.intern_attr(AttrKind::DenseElements { ty, values: Box::from([value]) }))
}

/// A vector broadcast to its own type is itself; a number broadcast is a constant vector.
pub(super) fn fold_broadcast(ir: &mut Ir, op: Op, constants: &[Option<Attr>]) -> Fold {
    let (source, ty) = (ir.operand(op, 0), ir.ty(ir.result(op, 0)));
    if ir.ty(source) == ty {
        return Fold::one(source);
    }
    let constant = constants.first().copied().flatten();
    match constant.and_then(|constant| splat_constant(ir, constant, ty)) {
        Some(constant) => Fold::one(constant),
        None => Fold::None,
    }
}

/// A cast to the type that is there already does nothing; a cast of a cast starts at the source.
pub(super) fn fold_shape_cast(ir: &mut Ir, op: Op, constants: &[Option<Attr>]) -> Fold {
    let inner = |ir: &Ir, def| ShapeCastOp::cast(ir, def).map(|inner| inner.source(ir));
    fold_cast(ir, op, constants.first().copied().flatten(), inner)
}

/// As [`fold_shape_cast`], for bits.
pub(super) fn fold_bitcast(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let inner = |ir: &Ir, def| BitCastOp::cast(ir, def).map(|inner| inner.source(ir));
    fold_cast(ir, op, None, inner)
}

fn fold_cast(
    ir: &mut Ir,
    op: Op,
    constant: Option<Attr>,
    inner: impl Fn(&Ir, Op) -> Option<Value>,
) -> Fold {
    let (source, ty) = (ir.operand(op, 0), ir.ty(ir.result(op, 0)));
    if ir.ty(source) == ty {
        return Fold::one(source);
    }
    if let Some(constant) = constant.and_then(|constant| splat_constant(ir, constant, ty)) {
        return Fold::one(constant);
    }
    let Some(first) = ir.defining_op(source).and_then(|def| inner(ir, def)) else {
        return Fold::None;
    };
    if ir.ty(first) == ty {
        return Fold::one(first);
    }
    ir.set_operand(op, 0, first);
    Fold::InPlace
}

/// What a vector has everywhere, if it is the same everywhere.
fn splatted(ir: &Ir, vector: Value) -> Option<Value> {
    let def = ir.defining_op(vector)?;
    if let Some(splat) = SplatOp::cast(ir, def) {
        return Some(splat.input(ir));
    }
    let source = BroadcastOp::cast(ir, def)?.source(ir);
    (!ir.ctx.is_vector(ir.ty(source))).then_some(source)
}

/// An element of what is the same everywhere, or of what has just been put there.
pub(super) fn fold_extract(ir: &mut Ir, op: Op, constants: &[Option<Attr>]) -> Fold {
    let view = ExtractOp(op);
    let (vector, ty) = (view.vector(ir), ir.ty(view.result(ir)));
    if ir.ty(vector) == ty {
        return Fold::one(vector);
    }
    if let Some(constant) = constants.first().copied().flatten()
        && let Some(element) = splat_element(ir, constant)
    {
        if ir.ctx.attr_type(element) == Some(ty) {
            return Fold::one(element);
        }
        if let Some(part) = splat_constant(ir, element, ty) {
            return Fold::one(part);
        }
    }
    if let Some(value) = splatted(ir, vector).filter(|&value| ir.ty(value) == ty) {
        return Fold::one(value);
    }
    let insert = ir.defining_op(vector).and_then(|def| InsertOp::cast(ir, def));
    let Some(insert) = insert else { return Fold::None };
    let known = view.dynamic_position(ir).is_empty() && insert.dynamic_position(ir).is_empty();
    if !known {
        return Fold::None;
    }
    let position =
        |attr: Option<Attr>| attr.and_then(|a| ir.ctx.dense_array(a)).unwrap_or_default();
    let (read, written) =
        (position(view.static_position(ir)), position(insert.static_position(ir)));
    if read == written {
        return Fold::one(insert.source(ir));
    }
    // Positions neither of which leads to the other do not meet.
    let common = read.len().min(written.len());
    if read[..common] == written[..common] {
        return Fold::None;
    }
    let dest = insert.dest(ir);
    ir.set_operand(op, 0, dest);
    Fold::InPlace
}

/// An element, by a position that is a value.
pub(super) fn fold_extract_element(ir: &mut Ir, op: Op, constants: &[Option<Attr>]) -> Fold {
    let (vector, ty) = (ir.operand(op, 0), ir.ty(ir.result(op, 0)));
    if let Some(constant) = constants.first().copied().flatten()
        && let Some(element) = splat_element(ir, constant)
    {
        return Fold::one(element);
    }
    match splatted(ir, vector).filter(|&value| ir.ty(value) == ty) {
        Some(value) => Fold::one(value),
        None => Fold::None,
    }
}
