//! Vectors in another order, parts of them, masks.

use gpuc_dialects::vector;
use gpuc_ir::{Op, Value};

use super::vector::{check_length, elements, own_elements, position, shape};
use super::{Family, Handler, Step};
use crate::access::all_indices;
use crate::interpreter::{Fault, Interpreter};
use crate::value::{Int, RtValue};

pub(super) const OPS: Family = &[
    (vector::ConstantMaskOp::NAME, Handler::leaf(constant_mask)),
    (vector::CreateMaskOp::NAME, Handler::leaf(create_mask)),
    (vector::StepOp::NAME, Handler::leaf(step)),
    (vector::VectorScaleOp::NAME, Handler::leaf(scale)),
    (vector::TransposeOp::NAME, Handler::leaf(transpose)),
    (vector::ExtractStridedSliceOp::NAME, Handler::leaf(extract_slice)),
    (vector::InsertStridedSliceOp::NAME, Handler::leaf(insert_slice)),
    (vector::FromElementsOp::NAME, Handler::leaf(from_elements)),
    (vector::InterleaveOp::NAME, Handler::leaf(interleave)),
    (vector::DeinterleaveOp::NAME, Handler::leaf(deinterleave)),
];

/// A vector whose elements `value` gives by their positions.
fn built(
    m: &mut Interpreter<'_>,
    op: Op,
    mut value: impl FnMut(&Interpreter<'_>, &[i64]) -> Result<RtValue, Fault>,
) -> Step {
    let extents = shape(m, m.ir.ty(m.ir.result(op, 0)));
    check_length(m, op, &extents)?;
    let mut all = Vec::new();
    for at in all_indices(&extents) {
        all.push(value(m, &at)?);
    }
    m.set_result(op, RtValue::Vector(all.into()))
}

/// The elements of an operand, and its extents.
fn whole(m: &Interpreter<'_>, value: Value) -> Result<(Vec<RtValue>, Vec<i64>), Fault> {
    let ty = m.ir.ty(value);
    Ok((own_elements(m, m.get(value)?, ty), shape(m, ty)))
}

fn element(m: &Interpreter<'_>, op: Op, all: &[RtValue], at: usize) -> Result<RtValue, Fault> {
    let found = all.get(at).cloned();
    found.ok_or_else(|| m.error(op, "accesses an element that the vector does not have"))
}

/// A mask that is set below `ends`.
fn mask(m: &mut Interpreter<'_>, op: Op, ends: &[i64]) -> Step {
    built(m, op, |_, at| {
        // A mask without dimensions has one bit, and one number for it.
        let inside = match at {
            [] => ends.first().is_some_and(|&end| end > 0),
            at => at.iter().zip(ends).all(|(&i, &end)| i < end),
        };
        Ok(RtValue::bool(inside))
    })
}

fn constant_mask(m: &mut Interpreter<'_>, op: Op) -> Step {
    let ends = vector::numbers(m.ir, op, "mask_dim_sizes");
    mask(m, op, &ends)
}

fn create_mask(m: &mut Interpreter<'_>, op: Op) -> Step {
    let ends = m.indices(op, m.ir.operands(op).collect::<Vec<_>>())?;
    mask(m, op, &ends)
}

fn step(m: &mut Interpreter<'_>, op: Op) -> Step {
    built(m, op, |_, at| Ok(RtValue::index(at.first().copied().unwrap_or_default())))
}

/// Scalable vectors are executed with the least extents that they may have.
fn scale(m: &mut Interpreter<'_>, op: Op) -> Step {
    m.set_result(op, RtValue::Int(Int::index(1)))
}

fn transpose(m: &mut Interpreter<'_>, op: Op) -> Step {
    let (all, extents) = whole(m, m.ir.operand(op, 0))?;
    let order = vector::TransposeOp(op).permutation(m.ir);
    let order = order.and_then(|attr| m.ir.ctx.dense_array(attr)).unwrap_or_default().to_vec();
    built(m, op, |m, at| {
        let mut from = vec![0; extents.len()];
        for (&i, &dim) in at.iter().zip(&order) {
            if let Some(slot) = usize::try_from(dim).ok().and_then(|dim| from.get_mut(dim)) {
                *slot = i;
            }
        }
        element(m, op, &all, position(&from, &extents))
    })
}

fn extract_slice(m: &mut Interpreter<'_>, op: Op) -> Step {
    let (all, extents) = whole(m, m.ir.operand(op, 0))?;
    let offsets = vector::numbers(m.ir, op, "offsets");
    built(m, op, |m, at| {
        let from: Vec<i64> = at
            .iter()
            .enumerate()
            .map(|(d, &i)| i + offsets.get(d).copied().unwrap_or_default())
            .collect();
        element(m, op, &all, position(&from, &extents))
    })
}

fn insert_slice(m: &mut Interpreter<'_>, op: Op) -> Step {
    let (part, sizes) = whole(m, m.ir.operand(op, 0))?;
    let (all, extents) = whole(m, m.ir.operand(op, 1))?;
    let offsets = vector::numbers(m.ir, op, "offsets");
    let added = extents.len().saturating_sub(sizes.len());
    built(m, op, |m, at| {
        let within: Vec<i64> = at.iter().zip(&offsets).map(|(&i, &offset)| i - offset).collect();
        // In the leading dimensions that the part does not have it is one element thick.
        let leading = within[..added].iter().all(|&i| i == 0);
        let inside = within[added..].iter().zip(&sizes).all(|(&i, &n)| (0..n).contains(&i));
        match leading && inside {
            true => element(m, op, &part, position(&within[added..], &sizes)),
            false => element(m, op, &all, position(at, &extents)),
        }
    })
}

fn from_elements(m: &mut Interpreter<'_>, op: Op) -> Step {
    let all = m.get_all(m.ir.operands(op))?;
    m.set_result(op, RtValue::Vector(all.into()))
}

fn interleave(m: &mut Interpreter<'_>, op: Op) -> Step {
    let (left, _) = whole(m, m.ir.operand(op, 0))?;
    let (right, _) = whole(m, m.ir.operand(op, 1))?;
    let all: Vec<RtValue> = left.into_iter().zip(right).flat_map(|(a, b)| [a, b]).collect();
    m.set_result(op, RtValue::Vector(all.into()))
}

fn deinterleave(m: &mut Interpreter<'_>, op: Op) -> Step {
    let value = m.operand(op, 0)?.clone();
    let all = match value {
        RtValue::Poison(_) => own_elements(m, &value, m.ir.ty(m.ir.operand(op, 0))),
        _ => elements(&value).to_vec(),
    };
    let half =
        |first: usize| -> Vec<RtValue> { all.iter().skip(first).step_by(2).cloned().collect() };
    let parts = [0, 1].map(|first| RtValue::Vector(half(first).into()));
    m.set_results(op, parts.into())
}
