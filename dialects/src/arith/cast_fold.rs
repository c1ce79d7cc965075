//! Folders of conversions.

use gpuc_ir::op::Fold;
use gpuc_ir::{Attr, Context, FloatKind, Ir, Op, OpView, Type};

use super::cast::*;
use super::fold::{Number, Width, defined_by, fold_unary, folded, is_computable};

type Constants<'a> = &'a [Option<Attr>];

fn element_types(ir: &Ir, op: Op) -> (Type, Type) {
    let element = |ty| ir.ctx.element_or_self(ty);
    (element(ir.ty(ir.operand(op, 0))), element(ir.ty(ir.result(op, 0))))
}

/// Folds a constant integer to another integer.
fn fold_integer(ir: &mut Ir, op: Op, c: Constants<'_>, f: impl Fn(Width, i128) -> i128) -> Fold {
    let (from, _) = element_types(ir, op);
    let Some(width) = Width::of(&ir.ctx, from) else { return Fold::None };
    folded(fold_unary(ir, op, c, |number| match number {
        Number::Int(value) => Some(Number::Int(f(width, value))),
        Number::Float(_) => None,
    }))
}

/// Takes the operand of the operation of kind `V` that defines the operand.
fn skip<V: OpView>(ir: &mut Ir, op: Op) -> bool {
    let Some(inner) = defined_by::<V>(ir, ir.operand(op, 0)) else { return false };
    let source = ir.operand(inner.op(), 0);
    ir.set_operand(op, 0, source);
    true
}

pub(super) fn fold_extui(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if skip::<ExtUIOp>(ir, op) {
        return Fold::InPlace;
    }
    // Up to 127 bits are read as a non-negative number; 128 cannot be widened within reach.
    fold_integer(ir, op, c, |width, value| width.unsigned(value) as i128)
}

pub(super) fn fold_extsi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if skip::<ExtSIOp>(ir, op) {
        return Fold::InPlace;
    }
    fold_integer(ir, op, c, |width, value| width.signed(value))
}

pub(super) fn fold_trunci(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let operand = ir.operand(op, 0);
    if let Some(inner) = ir.defining_op(operand)
        && (ExtUIOp::is(ir, inner) || ExtSIOp::is(ir, inner))
    {
        let source = ir.operand(inner, 0);
        if ir.ty(source) == ir.ty(ir.result(op, 0)) {
            return Fold::one(source);
        }
        let (_, to) = element_types(ir, op);
        let from = ir.ctx.element_or_self(ir.ty(source));
        if ir.ctx.int_width(from) > ir.ctx.int_width(to) {
            ir.set_operand(op, 0, source);
            return Fold::InPlace;
        }
    }
    if skip::<TruncIOp>(ir, op) {
        return Fold::InPlace;
    }
    fold_integer(ir, op, c, |_, value| value)
}

pub(super) fn fold_extf(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if skip::<ExtFOp>(ir, op) {
        return Fold::InPlace;
    }
    fold_float(ir, op, c)
}

pub(super) fn fold_truncf(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if let Some(ext) = defined_by::<ExtFOp>(ir, ir.operand(op, 0)) {
        let source = ext.input(ir);
        if ir.ty(source) == ir.ty(ir.result(op, 0)) {
            return Fold::one(source);
        }
    }
    let nearest_even =
        TruncFOp(op).roundingmode(ir).is_none_or(|mode| ir.ctx.int_value(mode) == Some(0));
    if nearest_even { fold_float(ir, op, c) } else { Fold::None }
}

fn fold_float(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let (from, _) = element_types(ir, op);
    if !is_computable(&ir.ctx, from) {
        return Fold::None;
    }
    folded(fold_unary(ir, op, c, |number| match number {
        Number::Float(value) => Some(Number::Float(value)),
        Number::Int(_) => None,
    }))
}

/// The float nearest to an integer, in a format; `None` where two roundings might differ from one.
fn nearest(kind: FloatKind, exact_in_f64: bool, as_f64: f64, as_f32: f32) -> Option<Number> {
    match kind {
        FloatKind::F64 => Some(Number::Float(as_f64)),
        FloatKind::F32 => Some(Number::Float(as_f32.into())),
        _ => exact_in_f64.then_some(Number::Float(as_f64)),
    }
}

const F64_INTEGERS: u128 = 1 << 53;

pub(super) fn fold_uitofp(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let (from, to) = element_types(ir, op);
    let (Some(width), Some(kind)) = (Width::of(&ir.ctx, from), ir.ctx.float_kind(to)) else {
        return Fold::None;
    };
    folded(fold_unary(ir, op, c, |number| match number {
        Number::Int(value) => {
            let value = width.unsigned(value);
            nearest(kind, value <= F64_INTEGERS, value as f64, value as f32)
        }
        Number::Float(_) => None,
    }))
}

pub(super) fn fold_sitofp(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    let (from, to) = element_types(ir, op);
    let (Some(width), Some(kind)) = (Width::of(&ir.ctx, from), ir.ctx.float_kind(to)) else {
        return Fold::None;
    };
    folded(fold_unary(ir, op, c, |number| match number {
        Number::Int(value) => {
            let value = width.signed(value);
            nearest(kind, value.unsigned_abs() <= F64_INTEGERS, value as f64, value as f32)
        }
        Number::Float(_) => None,
    }))
}

/// Folds a float to an integer where it fits: NaNs and what is out of range are undefined.
fn fold_to_integer(ir: &mut Ir, op: Op, c: Constants<'_>, signed: bool) -> Fold {
    let (from, to) = element_types(ir, op);
    let Some(width) = Width::of(&ir.ctx, to).filter(|_| is_computable(&ir.ctx, from)) else {
        return Fold::None;
    };
    let bits = width.bits() as i32;
    let (least, beyond) =
        if signed { (-2f64.powi(bits - 1), 2f64.powi(bits - 1)) } else { (0.0, 2f64.powi(bits)) };
    folded(fold_unary(ir, op, c, |number| {
        let Number::Float(value) = number else { return None };
        let whole = value.trunc();
        let fits = least <= whole && whole < beyond;
        fits.then_some(Number::Int(if signed { whole as i128 } else { whole as u128 as i128 }))
    }))
}

pub(super) fn fold_fptoui(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_to_integer(ir, op, c, false)
}

pub(super) fn fold_fptosi(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    fold_to_integer(ir, op, c, true)
}

/// `cast(cast(x))` is `x` where the type is the same and the detour lost nothing.
fn there_and_back<V: OpView>(ir: &Ir, op: Op) -> Option<Fold> {
    let detour = ir.operand(op, 0);
    let source = ir.operand(defined_by::<V>(ir, detour)?.op(), 0);
    let width = |value| ir.ctx.int_or_index_width(ir.ctx.element_or_self(ir.ty(value)));
    let lossless = width(source)? <= width(detour)?;
    (lossless && ir.ty(source) == ir.ty(ir.result(op, 0))).then(|| Fold::one(source))
}

pub(super) fn fold_index_cast(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    there_and_back::<IndexCastOp>(ir, op)
        .unwrap_or_else(|| fold_integer(ir, op, c, |width, value| width.signed(value)))
}

pub(super) fn fold_index_castui(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    there_and_back::<IndexCastUIOp>(ir, op)
        .unwrap_or_else(|| fold_integer(ir, op, c, |width, value| width.unsigned(value) as i128))
}

pub(super) fn fold_bitcast(ir: &mut Ir, op: Op, c: Constants<'_>) -> Fold {
    if let Some(inner) = defined_by::<BitcastOp>(ir, ir.operand(op, 0)) {
        let source = inner.input(ir);
        if ir.ty(source) == ir.ty(ir.result(op, 0)) {
            return Fold::one(source);
        }
        ir.set_operand(op, 0, source);
        return Fold::InPlace;
    }
    let (from, to) = element_types(ir, op);
    let bits_of = |ctx: &Context, number: Number| match number {
        Number::Int(value) => Some(Width::of(ctx, from)?.unsigned(value)),
        Number::Float(value) => encode(value, ctx.float_kind(from)?),
    };
    // The closure must not hold the context that the result is made in.
    let &[Some(constant)] = c else { return Fold::None };
    let Some(numbers) = super::fold::elements(&ir.ctx, constant) else { return Fold::None };
    let kind = ir.ctx.float_kind(to);
    let converted: Option<Vec<Number>> = numbers
        .into_iter()
        .map(|number| {
            let bits = bits_of(&ir.ctx, number)?;
            match kind {
                None => Some(Number::Int(bits as i128)),
                Some(kind) => decode(bits, kind).map(Number::Float),
            }
        })
        .collect();
    let ty = ir.ty(ir.result(op, 0));
    folded(converted.and_then(|numbers| super::fold::from_elements(&mut ir.ctx, &numbers, ty)))
}

/// Bits of the exponent and of the fraction.
fn layout(kind: FloatKind) -> Option<(u32, u32)> {
    match kind {
        FloatKind::F16 => Some((5, 10)),
        FloatKind::BF16 => Some((8, 7)),
        FloatKind::F32 => Some((8, 23)),
        FloatKind::F64 => Some((11, 52)),
        // Of the others nobody reinterprets the bits here.
        _ => None,
    }
}

/// The bits of a number that the format holds exactly. NaNs have none: their payloads are not
/// kept.
fn encode(value: f64, kind: FloatKind) -> Option<u128> {
    let (exponent_bits, fraction_bits) = layout(kind)?;
    if value.is_nan() {
        return None;
    }
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let sign = u128::from(value.is_sign_negative()) << (exponent_bits + fraction_bits);
    let special = ((1u128 << exponent_bits) - 1) << fraction_bits;
    let magnitude = value.abs();
    let rest = if magnitude == 0.0 {
        0
    } else if magnitude.is_infinite() {
        special
    } else if fraction_bits == 52 {
        u128::from(magnitude.to_bits())
    } else {
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(1 - bias);
        let scaled = magnitude * 2f64.powi(fraction_bits as i32 - exponent);
        let fraction = scaled as u128;
        let implicit = 1u128 << fraction_bits;
        // Below the least normal number the exponent field is zero and no bit is implicit.
        if fraction >= implicit {
            ((exponent + bias) as u128) << fraction_bits | (fraction - implicit)
        } else {
            fraction
        }
    };
    Some(sign | rest)
}

/// The number with those bits; `None` for NaNs.
fn decode(bits: u128, kind: FloatKind) -> Option<f64> {
    let (exponent_bits, fraction_bits) = layout(kind)?;
    if fraction_bits == 52 {
        return Some(f64::from_bits(bits as u64)).filter(|value| !value.is_nan());
    }
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let negative = bits >> (exponent_bits + fraction_bits) & 1 == 1;
    let exponent = (bits >> fraction_bits) as i32 & ((1 << exponent_bits) - 1);
    let fraction = (bits & ((1 << fraction_bits) - 1)) as f64;
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(1 - bias - fraction_bits as i32),
        all if all == (1 << exponent_bits) - 1 => {
            if fraction != 0.0 {
                return None;
            }
            f64::INFINITY
        }
        _ => {
            let implicit = (1u64 << fraction_bits) as f64;
            (implicit + fraction) * 2f64.powi(exponent - bias - fraction_bits as i32)
        }
    };
    Some(if negative { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_narrow_floats_and_back() {
        for kind in [FloatKind::F16, FloatKind::BF16, FloatKind::F32, FloatKind::F64] {
            let width = kind.width();
            let step = if width == 16 { 1 } else { (1u128 << width) / 9973 };
            let mut bits = 0;
            while bits >> width == 0 {
                if let Some(value) = decode(bits, kind) {
                    assert_eq!(encode(value, kind), Some(bits), "{kind:?} {bits:#x}");
                }
                bits += step;
            }
        }
        for value in [1.5f32, -0.0, f32::MIN_POSITIVE / 8.0, f32::MAX, f32::INFINITY] {
            assert_eq!(encode(value.into(), FloatKind::F32), Some(value.to_bits().into()));
        }
    }
}
