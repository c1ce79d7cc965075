//! Constants.

use std::rc::Rc;

use gpuc_dialects::{arith, func, ub};
use gpuc_ir::{Attr, AttrKind, Context, Op, Type, TypeKind};

use super::{Family, Handler, Step};
use crate::interpreter::Interpreter;
use crate::names;
use crate::value::{Float, Int, Poison, RtValue, is_supported};

pub(super) const OPS: Family = &[
    (arith::ConstantOp::NAME, Handler::leaf(constant)),
    (func::ConstantOp::NAME, Handler::leaf(function)),
    (ub::PoisonOp::NAME, Handler::leaf(poison)),
];

fn poison(m: &mut Interpreter<'_>, op: Op) -> Step {
    let reason = "a value that the program says is none";
    m.set_result(op, RtValue::Poison(Poison { op, reason, is_uninitialised: false }))
}

pub(super) fn constant(m: &mut Interpreter<'_>, op: Op) -> Step {
    let attr = names::attr(m.ir, op, m.names.value);
    match attr.and_then(|attr| attr_value(&m.ir.ctx, attr)) {
        Some(value) => m.set_result(op, value),
        None => Err(m.error(op, "has a value that cannot be computed with")),
    }
}

fn function(m: &mut Interpreter<'_>, op: Op) -> Step {
    let symbol = names::attr(m.ir, op, m.names.value);
    match symbol.and_then(|symbol| m.symbol(op, symbol)) {
        Some(function) => m.set_result(op, RtValue::Function(function)),
        None => Err(m.error(op, "names no function")),
    }
}

/// The value of a typed attribute; `None` for types without values here.
pub(super) fn attr_value(ctx: &Context, attr: Attr) -> Option<RtValue> {
    match *ctx.attr_kind(attr) {
        AttrKind::Integer { value, ty } => {
            let width = ctx.int_or_index_width(ty).filter(|&width| width <= 128)?;
            Some(RtValue::Int(Int::new(value, width)))
        }
        AttrKind::Float { bits, ty } => encoded(ctx, bits as i64, ty),
        AttrKind::DenseElements { ty, .. } => match ctx.type_kind(ty) {
            TypeKind::Vector { scalable, .. } if scalable.contains(&true) => None,
            TypeKind::Vector { .. } => Some(RtValue::Vector(Rc::from(elements(ctx, attr)?))),
            _ => None,
        },
        _ => None,
    }
}

/// The elements of an elements attribute, in row-major order.
pub(super) fn elements(ctx: &Context, attr: Attr) -> Option<Vec<RtValue>> {
    let AttrKind::DenseElements { ty, values } = ctx.attr_kind(attr) else { return None };
    let element = ctx.element(*ty)?;
    let count = ctx
        .shape(*ty)?
        .iter()
        .try_fold(1usize, |n, &extent| n.checked_mul(usize::try_from(extent).ok()?))?;
    // A splat may claim more elements than there is memory.
    if count > MOST_ELEMENTS {
        return None;
    }
    match **values {
        [one] => Some(vec![encoded(ctx, one, element)?; count]),
        _ => values.iter().map(|&value| encoded(ctx, value, element)).collect(),
    }
}

const MOST_ELEMENTS: usize = 1 << 22;

/// An element as attributes hold it: integers as themselves, floats as the bits of an f64.
fn encoded(ctx: &Context, value: i64, ty: Type) -> Option<RtValue> {
    if let Some(kind) = ctx.float_kind(ty) {
        let value = f64::from_bits(value as u64);
        let float = if value.is_nan() {
            Float::new(value, kind).with_sign(value.is_sign_negative())
        } else {
            Float::new(value, kind)
        };
        return is_supported(kind).then_some(RtValue::Float(float));
    }
    let width = ctx.int_or_index_width(ty).filter(|&width| width <= 128)?;
    Some(RtValue::Int(Int::new(value.into(), width)))
}
