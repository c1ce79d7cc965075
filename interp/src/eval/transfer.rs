//! Transfers between buffers and vectors.

use gpuc_dialects::vector;
use gpuc_ir::affine::AffineExprKind;
use gpuc_ir::{AffineMap, Attr, Op, Value};

use super::vector::{check_length, elements, position, shape};
use super::{Family, Handler, Step};
use crate::access::all_indices;
use crate::fiber::Flow;
use crate::interpreter::{Fault, Interpreter};
use crate::value::RtValue;

pub(super) const OPS: Family = &[
    (vector::TransferReadOp::NAME, Handler::leaf(read)),
    (vector::TransferWriteOp::NAME, Handler::leaf(write)),
];

/// One element of a transfer: its position in the vector, and where it lies in the buffer; `None`
/// where it is masked out or beyond the buffer.
type Element = (usize, Option<Vec<i64>>);

struct Transfer {
    buffer: Value,
    indices: Vec<i64>,
    map: Option<Attr>,
    in_bounds: Option<Attr>,
    mask: Option<Value>,
}

impl Transfer {
    /// Every element of a vector of the extents.
    fn elements(&self, m: &Interpreter<'_>, op: Op, shape: &[i64]) -> Result<Vec<Element>, Fault> {
        let map = self.map.and_then(|attr| m.ir.ctx.map_value(attr));
        let Some(map) = map.filter(|&map| m.ir.ctx.map_data(map).results.len() == shape.len())
        else {
            return Err(m.error(op, "has no map that fits its vector"));
        };
        check_length(m, op, shape)?;
        let sizes = m.memref(op, self.buffer)?.sizes.clone();
        let flags = self.in_bounds.and_then(|attr| m.ir.ctx.array_value(attr)).unwrap_or_default();
        let promised: Vec<bool> =
            flags.iter().map(|&flag| m.ir.ctx.int_value(flag) == Some(1)).collect();
        let mask = self.mask.map(|mask| m.get(mask).cloned()).transpose()?;
        let masked = masked_dimensions(m, map);
        let mut found = Vec::new();
        for at in all_indices(shape) {
            let mut place = self.indices.clone();
            let mut is_inside = true;
            for (d, &result) in m.ir.ctx.map_data(map).results.iter().enumerate() {
                // A constant result repeats the element along this dimension of the vector.
                let AffineExprKind::Dim(dim) = *m.ir.ctx.expr_kind(result) else { continue };
                let dim = dim as usize;
                let (Some(index), Some(&size)) = (place.get_mut(dim), sizes.get(dim)) else {
                    return Err(m.error(op, "has a map of other dimensions than its buffer"));
                };
                *index = index.saturating_add(at[d]);
                let is_promised = promised.get(d).copied().unwrap_or(false);
                is_inside &= is_promised || (0..size).contains(index);
            }
            if let Some(mask) = &mask {
                let extents: Vec<i64> = masked.iter().map(|&d| shape[d]).collect();
                let index: Vec<i64> = masked.iter().map(|&d| at[d]).collect();
                is_inside &= match elements(mask).get(position(&index, &extents)) {
                    Some(RtValue::Int(bit)) => bit.unsigned() != 0,
                    Some(other) => return Err(m.wrong_value(op, other, "a mask")),
                    None => return Err(m.error(op, "has a mask of another shape")),
                };
            }
            found.push((position(&at, shape), is_inside.then_some(place)));
        }
        Ok(found)
    }
}

/// The dimensions of the vector that have a place in the mask, in the mask's order: that of the
/// buffer.
fn masked_dimensions(m: &Interpreter<'_>, map: AffineMap) -> Vec<usize> {
    let results = m.ir.ctx.map_data(map).results.iter().enumerate();
    let mut used: Vec<(u32, usize)> = results
        .filter_map(|(d, &result)| match *m.ir.ctx.expr_kind(result) {
            AffineExprKind::Dim(dim) => Some((dim, d)),
            _ => None,
        })
        .collect();
    used.sort_unstable();
    used.into_iter().map(|(_, d)| d).collect()
}

fn check_buffer(m: &Interpreter<'_>, op: Op, source: Value, vector: Value) -> Result<(), Fault> {
    let (source, vector) = (m.ir.ty(source), m.ir.ty(vector));
    if !m.ir.ctx.is_memref(source) {
        return Err(m.error(op, "can be executed on buffers only"));
    }
    if m.ir.ctx.element(source) != m.ir.ctx.element(vector) {
        return Err(m.error(op, "can be executed on buffers of scalars only"));
    }
    Ok(())
}

fn read(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::TransferReadOp(op);
    let (buffer, result) = (view.source(m.ir), view.vector(m.ir));
    check_buffer(m, op, buffer, result)?;
    let transfer = Transfer {
        buffer,
        indices: m.indices(op, view.indices(m.ir))?,
        map: view.permutation_map(m.ir),
        in_bounds: view.in_bounds(m.ir),
        mask: view.mask(m.ir),
    };
    let padding = m.get(view.padding(m.ir))?.clone();
    let mut values = Vec::new();
    for (_, place) in transfer.elements(m, op, &shape(m, m.ir.ty(result)))? {
        values.push(match place {
            Some(place) => m.load(op, buffer, &place)?,
            None => padding.clone(),
        });
    }
    m.set_result(op, RtValue::Vector(values.into()))
}

fn write(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::TransferWriteOp(op);
    let (buffer, vector) = (view.source(m.ir), view.vector(m.ir));
    check_buffer(m, op, buffer, vector)?;
    let transfer = Transfer {
        buffer,
        indices: m.indices(op, view.indices(m.ir))?,
        map: view.permutation_map(m.ir),
        in_bounds: view.in_bounds(m.ir),
        mask: view.mask(m.ir),
    };
    let value = m.get(vector)?.clone();
    for (position, place) in transfer.elements(m, op, &shape(m, m.ir.ty(vector)))? {
        let Some(place) = place else { continue };
        match elements(&value).get(position) {
            Some(element) => m.store(op, buffer, &place, element)?,
            None => return Err(m.wrong_value(op, &value, "a vector of its type")),
        }
    }
    Ok(Flow::Next)
}
