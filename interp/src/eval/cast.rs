//! Conversions of `arith`.

use gpuc_dialects::arith::{self, ROUNDING_MODES};
use gpuc_dialects::builtin;
use gpuc_ir::{FloatKind, Op};

use super::elementwise::{float, int, map};
use super::{Family, Handler, Step};
use crate::interpreter::{Fault, Interpreter};
use crate::value::{Float, Int, RtValue, is_supported};

pub(super) const OPS: Family = &[
    (arith::ExtUIOp::NAME, Handler::leaf(unsigned)),
    (arith::ExtSIOp::NAME, Handler::leaf(signed)),
    (arith::TruncIOp::NAME, Handler::leaf(unsigned)),
    (arith::IndexCastOp::NAME, Handler::leaf(signed)),
    (arith::IndexCastUIOp::NAME, Handler::leaf(unsigned)),
    (arith::UIToFPOp::NAME, Handler::leaf(|m, op| to_float(m, op, false))),
    (arith::SIToFPOp::NAME, Handler::leaf(|m, op| to_float(m, op, true))),
    (arith::FPToUIOp::NAME, Handler::leaf(|m, op| to_integer(m, op, false))),
    (arith::FPToSIOp::NAME, Handler::leaf(|m, op| to_integer(m, op, true))),
    (arith::ExtFOp::NAME, Handler::leaf(extend_float)),
    (arith::TruncFOp::NAME, Handler::leaf(truncate_float)),
    (arith::BitcastOp::NAME, Handler::leaf(bitcast)),
    (builtin::UnrealizedConversionCastOp::NAME, Handler::leaf(unrealized)),
];

/// Width of the integers, or of the elements, that a conversion makes.
fn result_width(m: &Interpreter<'_>, op: Op) -> Result<u32, Fault> {
    let ctx = &m.ir.ctx;
    let ty = m.ir.results(op).first().map(|&result| ctx.element_or_self(m.ir.ty(result)));
    ty.and_then(|ty| ctx.int_or_index_width(ty))
        .filter(|&width| width <= 128)
        .ok_or_else(|| m.error(op, "makes integers that cannot be computed with"))
}

/// Format of the floats, or of the elements, that a conversion makes.
fn result_format(m: &Interpreter<'_>, op: Op) -> Result<FloatKind, Fault> {
    let ctx = &m.ir.ctx;
    let ty = m.ir.results(op).first().map(|&result| ctx.element_or_self(m.ir.ty(result)));
    ty.and_then(|ty| ctx.float_kind(ty))
        .filter(|&kind| is_supported(kind))
        .ok_or_else(|| m.error(op, "makes floats that cannot be computed with"))
}

pub(super) fn signed(m: &mut Interpreter<'_>, op: Op) -> Step {
    // Of a buffer of integers only the type of the elements' extension changes.
    if let RtValue::MemRef(_) = m.operand(op, 0)? {
        return Err(m.error(op, "cannot be executed on buffers"));
    }
    let width = result_width(m, op)?;
    map(m, op, &|m, row| Ok(RtValue::Int(Int::new(int(m, op, row[0])?.signed(), width))))
}

pub(super) fn unsigned(m: &mut Interpreter<'_>, op: Op) -> Step {
    if let RtValue::MemRef(_) = m.operand(op, 0)? {
        return Err(m.error(op, "cannot be executed on buffers"));
    }
    let width = result_width(m, op)?;
    map(m, op, &|m, row| Ok(RtValue::Int(Int::new(int(m, op, row[0])?.unsigned() as i128, width))))
}

/// An f64 that rounds to any narrower format as the integer itself would: exact, or inexact with
/// an odd last bit.
fn rounded_to_odd(magnitude: u128) -> f64 {
    let surplus = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let lost = magnitude & ((1u128 << surplus) - 1) != 0;
    let kept = magnitude >> surplus | u128::from(lost);
    kept as f64 * 2f64.powi(surplus as i32)
}

fn to_float(m: &mut Interpreter<'_>, op: Op, signed: bool) -> Step {
    let kind = result_format(m, op)?;
    map(m, op, &|m, row| {
        let value = int(m, op, row[0])?;
        let (negative, magnitude) = if signed {
            (value.signed() < 0, value.signed().unsigned_abs())
        } else {
            (false, value.unsigned())
        };
        let magnitude =
            if kind == FloatKind::F64 { magnitude as f64 } else { rounded_to_odd(magnitude) };
        let number = if negative { -magnitude } else { magnitude };
        Ok(RtValue::Float(Float::new(number, kind)))
    })
}

fn to_integer(m: &mut Interpreter<'_>, op: Op, signed: bool) -> Step {
    let width = result_width(m, op)?;
    map(m, op, &|m, row| {
        let number = float(m, op, row[0])?.value().trunc();
        // `as` saturates and makes zero of NaN.
        let (value, least, greatest) = if signed {
            let limit = i128::MAX >> (128 - width);
            (
                (number as i128).clamp(-limit - 1, limit),
                -2f64.powi(width as i32 - 1),
                2f64.powi(width as i32 - 1),
            )
        } else {
            let limit = u128::MAX >> (128 - width);
            ((number as u128).min(limit) as i128, 0.0, 2f64.powi(width as i32))
        };
        let fits = number >= least && number < greatest;
        let value = RtValue::Int(Int::new(value, width));
        if fits {
            return Ok(value);
        }
        Ok(m.poison(op, "a conversion of a float that is no integer of the width", value))
    })
}

fn extend_float(m: &mut Interpreter<'_>, op: Op) -> Step {
    let kind = result_format(m, op)?;
    map(m, op, &|m, row| {
        let value = float(m, op, row[0])?;
        let wide = Float::new(value.value(), kind);
        Ok(RtValue::Float(wide.with_sign(value.is_negative())))
    })
}

fn truncate_float(m: &mut Interpreter<'_>, op: Op) -> Step {
    let kind = result_format(m, op)?;
    let mode = arith::TruncFOp(op).roundingmode(m.ir);
    let mode = mode.and_then(|mode| ROUNDING_MODES.number(&m.ir.ctx, mode)).unwrap_or(0);
    map(m, op, &|m, row| {
        let value = float(m, op, row[0])?;
        let narrow = Float::new(value.value(), kind).with_sign(value.is_negative());
        Ok(RtValue::Float(rounded(value.value(), narrow, mode)))
    })
}

/// `nearest`, the number nearest to `value`, moved to what another rounding mode gives.
fn rounded(value: f64, nearest: Float, mode: i64) -> Float {
    if value.is_nan() || value.is_infinite() || nearest.value() == value || mode == 0 {
        return nearest;
    }
    let below = if nearest.value() > value { nearest.neighbour(false) } else { nearest };
    let above = if nearest.value() < value { nearest.neighbour(true) } else { nearest };
    match mode {
        1 => below,
        2 => above,
        3 if value < 0.0 => above,
        3 => below,
        // To nearest, ties away from zero.
        _ if value - below.value() == above.value() - value => {
            if value < 0.0 {
                below
            } else {
                above
            }
        }
        _ => nearest,
    }
}

fn bitcast(m: &mut Interpreter<'_>, op: Op) -> Step {
    if let RtValue::MemRef(memref) = m.operand(op, 0)? {
        let same = RtValue::MemRef(memref.clone());
        return m.set_result(op, same);
    }
    let ctx = &m.ir.ctx;
    let element = ctx.element_or_self(m.ir.ty(m.ir.result(op, 0)));
    let kind = ctx.float_kind(element);
    if kind.is_some_and(|kind| !is_supported(kind)) {
        return Err(m.error(op, "makes floats that cannot be computed with"));
    }
    let width = ctx.int_or_index_width(element).unwrap_or(0);
    map(m, op, &|m, row| {
        let bits = match row[0] {
            RtValue::Int(int) => int.unsigned(),
            RtValue::Float(float) => float.bits().into(),
            other => return Err(m.wrong_value(op, other, "a number")),
        };
        Ok(match kind {
            Some(kind) => RtValue::Float(Float::from_bits(bits as u64, kind)),
            None => RtValue::Int(Int::new(bits as i128, width)),
        })
    })
}

/// A cast that stands for a conversion still to come: it can be executed where nothing changes.
fn unrealized(m: &mut Interpreter<'_>, op: Op) -> Step {
    let ir = m.ir;
    let from = ir.operands(op).map(|value| ir.ty(value));
    if !from.eq(ir.result_types(op)) {
        return Err(m.error(op, "cannot be executed: a pass should have replaced it"));
    }
    let values = m.get_all(ir.operands(op))?;
    m.set_results(op, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_round_once() {
        for value in [0u64, 1, 16_777_217, (1 << 60) + (1 << 36) + 1, u64::MAX, (1 << 53) + 1] {
            let rounded = Float::new(rounded_to_odd(value.into()), FloatKind::F32).value();
            assert_eq!(rounded as f32, value as f32, "{value}");
        }
    }

    #[test]
    fn rounding_modes() {
        let value = 1.0 + 2f64.powi(-24);
        let nearest = Float::new(value, FloatKind::F32);
        let up = f64::from(1.0f32.next_up());
        for (mode, positive, negative) in
            [(0, 1.0, -1.0), (1, 1.0, -up), (2, up, -1.0), (3, 1.0, -1.0), (4, up, -up)]
        {
            assert_eq!(rounded(value, nearest, mode).value(), positive, "{mode}");
            let nearest = Float::new(-value, FloatKind::F32);
            assert_eq!(rounded(-value, nearest, mode).value(), negative, "{mode}");
        }
    }
}
