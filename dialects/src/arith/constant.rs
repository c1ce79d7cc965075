//! Constants, and the functions that make and recognise them.

use gpuc_ir::op::{InferInput, attrs, types};
use gpuc_ir::{Attr, AttrKind, Builder, Ir, Op, Type, TypeKind, Value, op};
use smallvec::{SmallVec, smallvec};

use super::fold::{splat_float, splat_int};
use attrs::TYPED;
use gpuc_ir::op::Traits;

op! {
    /// A constant: an integer, a float, or a vector or tensor of them.
    ConstantOp = "arith.constant" {
        results { result: One types::ANY }
        attrs { value: Required TYPED }
        traits PURE, CONSTANT_LIKE
        format "attr-dict $value"
        hooks {
            verify: Some(verify_constant),
            infer_results: Some(infer_constant),
            result_name: Some(constant_name),
        }
    }
}

fn infer_constant(ir: &mut Ir, input: InferInput<'_>) -> Result<SmallVec<[Type; 2]>, String> {
    let value = ir.ctx.dict_get_str(input.attrs, "value").ok_or("requires attribute 'value'")?;
    let ty =
        ir.ctx.attr_type(value).ok_or("value must be an integer, float, or elements attribute")?;
    Ok(smallvec![ty])
}

fn verify_constant(ir: &Ir, op: Op) -> Result<(), String> {
    let ty = ir.ty(ir.result(op, 0));
    let value = ir.attr(op, "value");
    if value.and_then(|value| ir.ctx.attr_type(value)) != Some(ty) {
        return Err("failed to verify that all of {value, result} have same type".into());
    }
    let scalable = matches!(ir.ctx.type_kind(ty),
        TypeKind::Vector { scalable, .. } if scalable.contains(&true));
    let splat = value.is_none_or(|value| match ir.ctx.attr_kind(value) {
        AttrKind::DenseElements { values, .. } => values.len() == 1,
        _ => true,
    });
    if scalable && !splat {
        return Err(
            "intializing scalable vectors with elements attribute is not supported unless \
                    it's a vector splat"
                .into(),
        );
    }
    if ir.ctx.int_width(ty).is_some() && !ir.ctx.is_signless_int(ty) {
        return Err("integer return type must be signless".into());
    }
    Ok(())
}

fn constant_name(ir: &Ir, op: Op, _index: usize) -> Option<String> {
    let value = ir.attr(op, "value")?;
    let AttrKind::Integer { value, ty } = *ir.ctx.attr_kind(value) else {
        return Some("cst".into());
    };
    Some(match *ir.ctx.type_kind(ty) {
        TypeKind::Integer { width: 1, .. } => if value == 0 { "false" } else { "true" }.into(),
        TypeKind::Index => format!("c{value}"),
        TypeKind::Integer { width, .. } => format!("c{value}_i{width}"),
        _ => "cst".into(),
    })
}

/// [`gpuc_ir::context::DialectDef::materialize`] of the dialect: a constant for any number or
/// elements attribute whose type is `ty`.
pub(super) fn materialize(b: &mut Builder<'_>, value: Attr, ty: Type) -> Option<Op> {
    if let Some(poison) = crate::ub::materialize(b, value, ty) {
        return Some(poison);
    }
    let signless = b.ctx.int_width(ty).is_none() || b.ctx.is_signless_int(ty);
    (b.ctx.attr_type(value) == Some(ty) && signless)
        .then(|| ConstantOp::new(b).attr(b, "value", value).build(b))
}

/// A constant of any attribute with a type.
///
/// # Panics
/// If the attribute has no type.
pub fn constant(b: &mut Builder<'_>, value: Attr) -> Value {
    ConstantOp::new(b).attr(b, "value", value).value(b)
}

/// A constant of type `index`.
pub fn constant_index(b: &mut Builder<'_>, value: i64) -> Value {
    let value = b.ctx.index_attr(value);
    constant(b, value)
}

/// A constant of an integer type or `index`, wrapped to its width; of a vector or tensor of them,
/// every element is the number.
pub fn constant_int(b: &mut Builder<'_>, value: i128, ty: Type) -> Value {
    let splat = splat_int(&mut b.ctx, value, ty);
    // For other types the verifier refuses the operation with its place.
    let value = splat.unwrap_or_else(|| b.ctx.int_attr(value, ty));
    constant(b, value)
}

/// `true` or `false`.
pub fn constant_bool(b: &mut Builder<'_>, value: bool) -> Value {
    let value = b.ctx.bool_attr(value);
    constant(b, value)
}

/// A constant of a floating-point type, rounded to it; of a vector or tensor of them, every element
/// is the number.
pub fn constant_float(b: &mut Builder<'_>, value: f64, ty: Type) -> Value {
    let splat = splat_float(&mut b.ctx, value, ty);
    // For other types the verifier refuses the operation with its place.
    let value = splat.unwrap_or_else(|| b.ctx.float_attr(value, ty));
    constant(b, value)
}

/// The attribute of the constant operation (of any dialect) that defines `value`.
pub fn constant_value(ir: &Ir, value: Value) -> Option<Attr> {
    let op = ir.defining_op(value)?;
    if !ir.has_trait(op, Traits::CONSTANT_LIKE) {
        return None;
    }
    ir.attr(op, "value")
}

/// The integer that `value` is known to be; a splat counts with its element.
pub fn constant_int_value(ir: &Ir, value: Value) -> Option<i128> {
    let attr = constant_value(ir, value)?;
    match ir.ctx.attr_kind(attr) {
        AttrKind::Integer { value, .. } => Some(*value),
        AttrKind::DenseElements { ty, values } if values.len() == 1 => {
            ir.ctx.is_signless_int_or_index(ir.ctx.element(*ty)?).then_some(values[0].into())
        }
        _ => None,
    }
}

/// The `index` (or other integer) constant that `value` is known to be, if it fits `i64`.
pub fn constant_index_value(ir: &Ir, value: Value) -> Option<i64> {
    ir.ctx.i64_value(constant_value(ir, value)?)
}

/// The floating-point constant that `value` is known to be.
pub fn constant_float_value(ir: &Ir, value: Value) -> Option<f64> {
    ir.ctx.float_value(constant_value(ir, value)?)
}
