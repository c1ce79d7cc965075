//! Vectors: made, taken apart, rearranged, reduced.

use std::rc::Rc;

use gpuc_dialects::vector;
use gpuc_ir::{DYNAMIC, Op, Type};

use super::combine::Combine;
use super::memory::fill;
use super::{Family, Handler, Step};
use crate::access::{all_indices, count, row_major};
use crate::interpreter::{Fault, Interpreter};
use crate::value::{Float, Int, RtValue, is_supported};

pub(super) const OPS: Family = &[
    (vector::BroadcastOp::NAME, Handler::leaf(broadcast)),
    (vector::SplatOp::NAME, Handler::leaf(broadcast)),
    (vector::ExtractOp::NAME, Handler::leaf(extract)),
    (vector::InsertOp::NAME, Handler::leaf(insert)),
    (vector::ExtractElementOp::NAME, Handler::leaf(extract_element)),
    (vector::InsertElementOp::NAME, Handler::leaf(insert_element)),
    (vector::ShuffleOp::NAME, Handler::leaf(shuffle)),
    (vector::ReductionOp::NAME, Handler::leaf(reduction)),
    (vector::ShapeCastOp::NAME, Handler::leaf(shape_cast)),
    (vector::BitCastOp::NAME, Handler::leaf(bit_cast)),
];

/// Extents of a vector type; none for a scalar.
pub(super) fn shape(m: &Interpreter<'_>, ty: Type) -> Vec<i64> {
    m.ir.ctx.shape(ty).unwrap_or_default().to_vec()
}

/// Elements of a vector; a scalar is its own one element.
pub(super) fn elements(value: &RtValue) -> &[RtValue] {
    match value {
        RtValue::Vector(elements) => elements,
        scalar => std::slice::from_ref(scalar),
    }
}

/// Gives a vector as the result, or its element where the result is a scalar.
fn set_elements(m: &mut Interpreter<'_>, op: Op, elements: Vec<RtValue>) -> Step {
    let is_vector = m.ir.results(op).first().is_some_and(|&r| m.ir.ctx.is_vector(m.ir.ty(r)));
    let value = match (&elements[..], is_vector) {
        ([one], false) => one.clone(),
        _ => RtValue::Vector(elements.into()),
    };
    m.set_result(op, value)
}

/// Vectors are values that are copied about: longer ones are refused.
const LONGEST: u128 = 1 << 16;

/// Refuses vectors of so many elements that they are none in practice.
pub(super) fn check_length(m: &Interpreter<'_>, op: Op, shape: &[i64]) -> Result<(), Fault> {
    match count(shape) {
        length if length > LONGEST => {
            Err(m
                .error(op, format!("makes a vector of {length} elements; {LONGEST} are supported")))
        }
        _ => Ok(()),
    }
}

/// Row-major position of an index.
pub(super) fn position(index: &[i64], shape: &[i64]) -> usize {
    let strides = row_major(shape);
    index.iter().zip(strides).map(|(&i, stride)| (i * stride) as usize).sum()
}

fn missing(m: &Interpreter<'_>, op: Op) -> Fault {
    m.error(op, "accesses an element that the vector does not have")
}

fn broadcast(m: &mut Interpreter<'_>, op: Op) -> Step {
    let source = m.ir.operand(op, 0);
    let (from, to) = (shape(m, m.ir.ty(source)), shape(m, m.ir.ty(m.ir.result(op, 0))));
    let value = m.get(source)?.clone();
    if let RtValue::Poison(_) = value {
        return m.set_result(op, value);
    }
    check_length(m, op, &to)?;
    let all = elements(&value);
    let leading = to.len().saturating_sub(from.len());
    let mut result = Vec::new();
    for index in all_indices(&to) {
        // A source dimension of one element is stretched.
        let at: Vec<i64> =
            index[leading..].iter().zip(&from).map(|(&i, &n)| if n == 1 { 0 } else { i }).collect();
        result.push(all.get(position(&at, &from)).cloned().ok_or_else(|| missing(m, op))?);
    }
    m.set_result(op, RtValue::Vector(result.into()))
}

/// The elements of `shape` that a position of its first dimensions selects.
fn selection(
    m: &Interpreter<'_>,
    op: Op,
    at: &[i64],
    shape: &[i64],
) -> Result<std::ops::Range<usize>, Fault> {
    if at.len() > shape.len() || at.iter().zip(shape).any(|(&i, &n)| i < 0 || i >= n) {
        return Err(m.error(op, "undefined behaviour: accesses a position outside the vector"));
    }
    let length: i64 = shape[at.len()..].iter().product();
    let start = position(at, &shape[..at.len()]) * length as usize;
    Ok(start..start + length as usize)
}

fn static_position(
    m: &Interpreter<'_>,
    op: Op,
    attr: Option<gpuc_ir::Attr>,
    dynamic: &[i64],
) -> Result<Vec<i64>, Fault> {
    let statics = attr.and_then(|attr| m.ir.ctx.dense_array(attr)).unwrap_or_default();
    debug_assert!(statics.iter().filter(|&&n| n == DYNAMIC).count() <= dynamic.len());
    fill(statics, dynamic).ok_or_else(|| m.error(op, "does not say all dynamic positions"))
}

fn extract(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::ExtractOp(op);
    let dynamic = m.indices(op, view.dynamic_position(m.ir))?;
    let at = static_position(m, op, view.static_position(m.ir), &dynamic)?;
    let source = view.vector(m.ir);
    let range = selection(m, op, &at, &shape(m, m.ir.ty(source)))?;
    let value = m.get(source)?;
    if let RtValue::Poison(_) = value {
        let value = value.clone();
        return m.set_result(op, value);
    }
    let part = elements(value).get(range).ok_or_else(|| missing(m, op))?.to_vec();
    set_elements(m, op, part)
}

/// The elements of a vector for changing; an undefined vector has undefined elements.
pub(super) fn own_elements(m: &Interpreter<'_>, value: &RtValue, ty: Type) -> Vec<RtValue> {
    match value {
        RtValue::Poison(_) => {
            let length = count(&shape(m, ty)).min(LONGEST) as usize;
            vec![value.clone(); length]
        }
        other => elements(other).to_vec(),
    }
}

fn insert(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::InsertOp(op);
    let dynamic = m.indices(op, view.dynamic_position(m.ir))?;
    let at = static_position(m, op, view.static_position(m.ir), &dynamic)?;
    let ty = m.ir.ty(view.dest(m.ir));
    let range = selection(m, op, &at, &shape(m, ty))?;
    let source = m.get(view.source(m.ir))?;
    let source = own_elements(m, source, m.ir.ty(view.source(m.ir)));
    let mut all = own_elements(m, m.get(view.dest(m.ir))?, ty);
    match all.get_mut(range) {
        Some(part) if part.len() == source.len() => part.clone_from_slice(&source),
        _ => return Err(missing(m, op)),
    }
    m.set_result(op, RtValue::Vector(all.into()))
}

fn element_position(
    m: &Interpreter<'_>,
    op: Op,
    position: Option<gpuc_ir::Value>,
) -> Result<usize, Fault> {
    let Some(position) = position else { return Ok(0) };
    // Positions are unsigned.
    let position = m.int(op, position)?.unsigned();
    usize::try_from(position).map_err(|_| missing(m, op))
}

fn extract_element(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::ExtractElementOp(op);
    let at = element_position(m, op, view.position(m.ir))?;
    let value = m.get(view.vector(m.ir))?;
    if let RtValue::Poison(_) = value {
        let value = value.clone();
        return m.set_result(op, value);
    }
    let element = elements(value).get(at).cloned().ok_or_else(|| missing(m, op))?;
    m.set_result(op, element)
}

fn insert_element(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::InsertElementOp(op);
    let at = element_position(m, op, view.position(m.ir))?;
    let source = m.get(view.source(m.ir))?.clone();
    let dest = view.dest(m.ir);
    let mut all = own_elements(m, m.get(dest)?, m.ir.ty(dest));
    match all.get_mut(at) {
        Some(element) => *element = source,
        None => return Err(missing(m, op)),
    }
    m.set_result(op, RtValue::Vector(all.into()))
}

fn shuffle(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::ShuffleOp(op);
    let (a, b) = (view.v1(m.ir), view.v2(m.ir));
    let extents = shape(m, m.ir.ty(a));
    // Whole rows move: everything inside the first dimension stays together.
    let row = extents.iter().skip(1).product::<i64>().max(1) as usize;
    let mut all = own_elements(m, m.get(a)?, m.ir.ty(a));
    all.extend(own_elements(m, m.get(b)?, m.ir.ty(b)));
    let mask = view.mask(m.ir).and_then(|attr| m.ir.ctx.array_value(attr)).unwrap_or_default();
    let mut result = Vec::new();
    for &number in mask {
        let at = m.ir.ctx.i64_value(number).and_then(|n| usize::try_from(n).ok());
        let range = at.and_then(|at| Some(at.checked_mul(row)?..(at + 1).checked_mul(row)?));
        match range.and_then(|range| all.get(range)) {
            Some(part) => result.extend_from_slice(part),
            None => return Err(missing(m, op)),
        }
    }
    m.set_result(op, RtValue::Vector(result.into()))
}

fn reduction(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::ReductionOp(op);
    let number = view.kind(m.ir).and_then(|kind| vector::COMBINING_KINDS.number(&m.ir.ctx, kind));
    let keyword = number.map(|number| vector::COMBINING_KINDS.keywords(number));
    let Some(combine) = keyword.and_then(|keyword| Combine::from_keyword(&keyword)) else {
        return Err(m.error(op, "has no valid kind"));
    };
    let accumulator = view.acc(m.ir).map(|acc| m.get(acc).cloned()).transpose()?;
    let value = m.get(view.vector(m.ir))?.clone();
    let mut result = accumulator;
    for element in elements(&value) {
        result = Some(match result {
            Some(result) => combine.apply(m, op, &result, element)?,
            None => element.clone(),
        });
    }
    match result {
        Some(result) => m.set_result(op, result),
        None => Err(missing(m, op)),
    }
}

fn shape_cast(m: &mut Interpreter<'_>, op: Op) -> Step {
    let value = m.operand(op, 0)?.clone();
    m.set_result(op, value)
}

fn bit_cast(m: &mut Interpreter<'_>, op: Op) -> Step {
    let ctx = &m.ir.ctx;
    let element = ctx.element_or_self(m.ir.ty(m.ir.result(op, 0)));
    let kind = ctx.float_kind(element);
    let width = ctx.int_or_index_width(element).or(kind.map(gpuc_ir::FloatKind::width));
    let Some(width) = width.filter(|&w| w <= 128 && kind.is_none_or(is_supported)) else {
        return Err(m.error(op, "makes elements that cannot be computed with"));
    };
    let value = m.operand(op, 0)?.clone();
    let mut bits: Vec<bool> = Vec::new();
    for element in elements(&value) {
        let (all, width) = match element {
            RtValue::Int(int) => (int.unsigned(), int.width()),
            RtValue::Float(float) => (float.bits().into(), float.kind().width()),
            other => return Err(m.wrong_value(op, other, "numbers")),
        };
        bits.extend((0..width).map(|bit| all >> bit & 1 == 1));
    }
    let parts = bits.chunks(width as usize).map(|part| {
        let all = part.iter().rev().fold(0u128, |all, &bit| all << 1 | u128::from(bit));
        match kind {
            Some(kind) => RtValue::Float(Float::from_bits(all as u64, kind)),
            None => RtValue::Int(Int::new(all as i128, width)),
        }
    });
    let result: Rc<[RtValue]> = parts.collect();
    m.set_result(op, RtValue::Vector(result))
}
