//! Allocation of buffers, their elements, copies, globals, atomics.

use std::rc::Rc;

use gpuc_dialects::memref;
use gpuc_dialects::{gpu, vector};
use gpuc_ir::{AttrKind, DYNAMIC, Op, Type, TypeKind, Value};

use super::vector::check_length;
use super::{Family, Handler, Step, nothing};
use crate::access::{all_indices, count};
use crate::fiber::Flow;
use crate::interpreter::{Fault, Interpreter};
use crate::value::{MemRef, RtValue};

pub(super) const OPS: Family = &[
    (memref::AllocOp::NAME, Handler::leaf(alloc)),
    (memref::AllocaOp::NAME, Handler::leaf(alloca)),
    (memref::ReallocOp::NAME, Handler::leaf(realloc)),
    (
        memref::DeallocOp::NAME,
        Handler::leaf(|m, op| release(m, op, memref::DeallocOp(op).memref(m.ir))),
    ),
    (memref::DmaStartOp::NAME, Handler::leaf(dma_start)),
    (memref::DmaWaitOp::NAME, Handler::leaf(|_, _| Ok(Flow::Next))),
    (memref::LoadOp::NAME, Handler::leaf(load)),
    (memref::StoreOp::NAME, Handler::leaf(store)),
    (memref::CopyOp::NAME, Handler::leaf(copy)),
    (memref::PrefetchOp::NAME, Handler::leaf(nothing)),
    (vector::LoadOp::NAME, Handler::leaf(load_vector)),
    (vector::StoreOp::NAME, Handler::leaf(store_vector)),
    (gpu::AllocOp::NAME, Handler::leaf(device_alloc)),
    (gpu::DeallocOp::NAME, Handler::leaf(device_dealloc)),
    (gpu::MemcpyOp::NAME, Handler::leaf(device_copy)),
    (gpu::MemsetOp::NAME, Handler::leaf(device_set)),
];

/// Extents of a buffer type, the dynamic ones taken from `dynamic`.
pub(super) fn extents(
    m: &Interpreter<'_>,
    op: Op,
    ty: Type,
    dynamic: &[i64],
) -> Result<Vec<i64>, Fault> {
    let shape = m.ir.ctx.shape(ty).unwrap_or_default();
    fill(shape, dynamic).ok_or_else(|| m.error(op, "does not say all dynamic extents"))
}

/// Numbers with the dynamic ones taken from a list in turn.
pub(super) fn fill(numbers: &[i64], dynamic: &[i64]) -> Option<Vec<i64>> {
    let mut dynamic = dynamic.iter().copied();
    let filled = numbers.iter().map(|&n| if n == DYNAMIC { dynamic.next() } else { Some(n) });
    filled.collect()
}

/// Allocates a buffer of a type.
pub(super) fn allocate(
    m: &mut Interpreter<'_>,
    op: Op,
    ty: Type,
    dynamic: &[i64],
    symbols: &[i64],
) -> Result<MemRef, Fault> {
    let sizes = extents(m, op, ty, dynamic)?;
    let size = m.element_size(op, ty)?;
    if memref::has_identity_layout(&m.ir.ctx, ty) {
        return m.new_buffer(op, &sizes, size);
    }
    let TypeKind::MemRef { layout: Some(layout), .. } = *m.ir.ctx.type_kind(ty) else {
        return Err(m.error(op, "allocates what is no buffer"));
    };
    let (strides, offset) = match m.ir.ctx.attr_kind(layout) {
        AttrKind::Strided { offset, strides } => {
            // Offset first, then strides: the order of the symbols.
            let all: Vec<i64> = std::iter::once(*offset).chain(strides.iter().copied()).collect();
            let all = fill(&all, symbols).unwrap_or_default();
            all.split_first().map(|(&offset, strides)| (strides.to_vec(), offset))
        }
        AttrKind::AffineMap(map) => linear_map(m, *map, sizes.len(), symbols),
        _ => None,
    }
    .ok_or_else(|| {
        let text = m.ir.type_text(ty);
        m.error(op, format!("has a buffer of type '{text}', whose layout is not strided"))
    })?;
    m.new_strided_buffer(op, &sizes, &strides, offset, size)
}

/// Strides and offset of a layout map, if it is linear: its value at zero and at the unit vectors
/// says what they are where it is.
fn linear_map(
    m: &Interpreter<'_>,
    map: gpuc_ir::AffineMap,
    rank: usize,
    symbols: &[i64],
) -> Option<(Vec<i64>, i64)> {
    let is_strided = |expr| {
        use gpuc_ir::affine::{AffineExprKind, BinaryOp};
        let mut linear = true;
        m.ir.ctx.walk_expr(expr, &mut |e| {
            if let AffineExprKind::Binary(op, a, b) = *m.ir.ctx.expr_kind(e) {
                let symbolic = m.ir.ctx.is_symbolic(a) && m.ir.ctx.is_symbolic(b);
                linear &= symbolic || matches!(op, BinaryOp::Add | BinaryOp::Mul);
            }
        });
        linear
    };
    let [result] = *m.ir.ctx.map_data(map).results else { return None };
    if !is_strided(result) {
        return None;
    }
    let at = |d: Option<usize>| {
        let mut point = vec![0; rank];
        if let Some(d) = d {
            point[d] = 1;
        }
        m.ir.ctx.eval_expr(result, &point, symbols)
    };
    let offset = at(None)?;
    let strides: Option<Vec<i64>> = (0..rank).map(|d| at(Some(d))?.checked_sub(offset)).collect();
    Some((strides?, offset))
}

fn alloc(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::AllocOp(op);
    let dynamic = m.indices(op, view.dynamicSizes(m.ir))?;
    let symbols = m.indices(op, view.symbolOperands(m.ir))?;
    let buffer = allocate(m, op, m.ir.ty(view.memref(m.ir)), &dynamic, &symbols)?;
    m.set_result(op, RtValue::MemRef(Rc::new(buffer)))
}

fn alloca(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::AllocaOp(op);
    let dynamic = m.indices(op, view.dynamicSizes(m.ir))?;
    let symbols = m.indices(op, view.symbolOperands(m.ir))?;
    let buffer = allocate(m, op, m.ir.ty(view.memref(m.ir)), &dynamic, &symbols)?;
    m.fiber.stack.push(buffer.buffer);
    m.set_result(op, RtValue::MemRef(Rc::new(buffer)))
}

fn device_alloc(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = gpu::AllocOp(op);
    let dynamic = m.indices(op, view.dynamicSizes(m.ir))?;
    let symbols = m.indices(op, view.symbolOperands(m.ir))?;
    let buffer = allocate(m, op, m.ir.ty(view.memref(m.ir)), &dynamic, &symbols)?;
    with_token(m, op, vec![RtValue::MemRef(Rc::new(buffer))])
}

/// Sets the results of an operation that may have a token as its last one.
pub(super) fn with_token(m: &mut Interpreter<'_>, op: Op, mut values: Vec<RtValue>) -> Step {
    if m.ir.results(op).len() == values.len() + 1 {
        values.push(RtValue::Token);
    }
    m.set_results(op, values)
}

fn realloc(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::ReallocOp(op);
    let dynamic = m.indices(op, view.dynamicResultSize(m.ir))?;
    let (source, ty) = (view.source(m.ir), m.ir.ty(view.result(m.ir)));
    let old = m.memref(op, source)?;
    let new = allocate(m, op, ty, &dynamic, &[])?;
    let size = m.element_size(op, ty)?;
    let kept = old.sizes.first().copied().unwrap_or(0).min(new.sizes.first().copied().unwrap_or(0));
    for i in 0..kept {
        move_element(m, op, size, (&old, &[i]), (&new, &[i]))?;
    }
    m.memory.release(old.buffer).map_err(|why| m.error(op, why))?;
    m.set_result(op, RtValue::MemRef(Rc::new(new)))
}

fn release(m: &mut Interpreter<'_>, op: Op, memref: Value) -> Step {
    let memref = m.memref(op, memref)?;
    m.memory.release(memref.buffer).map_err(|why| m.error(op, why))?;
    Ok(Flow::Next)
}

fn device_dealloc(m: &mut Interpreter<'_>, op: Op) -> Step {
    release(m, op, gpu::DeallocOp(op).memref(m.ir))?;
    with_token(m, op, Vec::new())
}

fn load(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::LoadOp(op);
    let indices = m.indices(op, view.indices(m.ir))?;
    let value = m.load(op, view.memref(m.ir), &indices)?;
    m.set_result(op, value)
}

fn store(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::StoreOp(op);
    let indices = m.indices(op, view.indices(m.ir))?;
    let value = m.get(view.value(m.ir))?.clone();
    m.store(op, view.memref(m.ir), &indices, &value)?;
    Ok(Flow::Next)
}

/// Copies an element with what is known of it.
fn move_element(
    m: &mut Interpreter<'_>,
    op: Op,
    size: usize,
    (from, at): (&MemRef, &[i64]),
    (to, place): (&MemRef, &[i64]),
) -> Result<(), Fault> {
    let source = m.element_range(op, from, size, at)?;
    let target = m.element_range(op, to, size, place)?;
    let (bytes, written) = m.memory.read(source).map_err(|why| m.error(op, why))?;
    let (bytes, written) = (bytes.to_vec(), written.to_vec());
    m.memory.write(target, &bytes, &written).map_err(|why| m.error(op, why))
}

fn copy_buffer(m: &mut Interpreter<'_>, op: Op, source: Value, target: Value) -> Result<(), Fault> {
    let size = m.element_size(op, m.ir.ty(source))?;
    let (from, to) = (m.memref(op, source)?, m.memref(op, target)?);
    if from.sizes != to.sizes {
        return Err(m.error(op, "copies between buffers of different extents"));
    }
    m.spend(op, count(&from.sizes))?;
    for index in all_indices(&from.sizes) {
        move_element(m, op, size, (&from, &index), (&to, &index))?;
    }
    Ok(())
}

fn copy(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::CopyOp(op);
    copy_buffer(m, op, view.source(m.ir), view.target(m.ir))?;
    Ok(Flow::Next)
}

fn device_copy(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = gpu::MemcpyOp(op);
    copy_buffer(m, op, view.src(m.ir), view.dst(m.ir))?;
    with_token(m, op, Vec::new())
}

fn device_set(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = gpu::MemsetOp(op);
    let value = m.get(view.value(m.ir))?.clone();
    let target = m.memref(op, view.dst(m.ir))?;
    m.spend(op, count(&target.sizes))?;
    for index in all_indices(&target.sizes) {
        m.store(op, view.dst(m.ir), &index, &value)?;
    }
    with_token(m, op, Vec::new())
}

/// Loads elements that follow each other in the last dimension.
pub(super) fn read_row(
    m: &Interpreter<'_>,
    op: Op,
    memref: Value,
    indices: &[i64],
    count: usize,
) -> Result<RtValue, Fault> {
    let mut indices = indices.to_vec();
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        values.push(m.load(op, memref, &indices)?);
        if let Some(last) = indices.last_mut() {
            *last = last.wrapping_add(1);
        }
    }
    Ok(RtValue::Vector(values.into()))
}

/// Stores elements one behind the other in the last dimension.
pub(super) fn write_row(
    m: &mut Interpreter<'_>,
    op: Op,
    memref: Value,
    indices: &[i64],
    value: &RtValue,
) -> Result<(), Fault> {
    let RtValue::Vector(values) = value else {
        return Err(m.wrong_value(op, value, "a vector"));
    };
    let mut indices = indices.to_vec();
    for value in values.iter() {
        m.store(op, memref, &indices, value)?;
        if let Some(last) = indices.last_mut() {
            *last = last.wrapping_add(1);
        }
    }
    Ok(())
}

/// Number of elements of a one-dimensional vector type over elements of a buffer; `None` where the
/// access is of another form.
pub(super) fn row_length(m: &Interpreter<'_>, vector: Type, memref: Type) -> Option<usize> {
    let ctx = &m.ir.ctx;
    match ctx.shape(vector)? {
        &[length] if ctx.element(vector) == ctx.element(memref) => {
            check_length(m, m.module(), &[length]).ok()?;
            usize::try_from(length).ok()
        }
        _ => None,
    }
}

fn load_vector(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::LoadOp(op);
    let (base, ty) = (view.base(m.ir), m.ir.ty(view.result(m.ir)));
    let indices = m.indices(op, view.indices(m.ir))?;
    let value = if m.ir.ctx.element(m.ir.ty(base)) == Some(ty) {
        m.load(op, base, &indices)?
    } else {
        match row_length(m, ty, m.ir.ty(base)) {
            Some(count) => read_row(m, op, base, &indices, count)?,
            None => return Err(m.error(op, "can be executed for vectors of one dimension only")),
        }
    };
    m.set_result(op, value)
}

fn store_vector(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = vector::StoreOp(op);
    let (base, value) = (view.base(m.ir), view.valueToStore(m.ir));
    let indices = m.indices(op, view.indices(m.ir))?;
    let ty = m.ir.ty(value);
    let value = m.get(value)?.clone();
    if m.ir.ctx.element(m.ir.ty(base)) == Some(ty) {
        m.store(op, base, &indices, &value)?;
    } else if row_length(m, ty, m.ir.ty(base)).is_some() {
        write_row(m, op, base, &indices, &value)?;
    } else {
        return Err(m.error(op, "can be executed for vectors of one dimension only"));
    }
    Ok(Flow::Next)
}

/// A transfer is done at once: who waits for it finds it done.
fn dma_start(m: &mut Interpreter<'_>, op: Op) -> Step {
    let transfer = memref::DmaStartOp(op).transfer(m.ir).filter(|t| t.strides.is_empty());
    let Some(transfer) = transfer else {
        return Err(m.error(op, "is executed without strides only"));
    };
    let elements = m.index(op, transfer.elements)?;
    let from = m.indices(op, transfer.source.1)?;
    let to = m.indices(op, transfer.dest.1)?;
    super::affine::transfer(m, op, (transfer.source.0, &from), (transfer.dest.0, &to), elements)
}
