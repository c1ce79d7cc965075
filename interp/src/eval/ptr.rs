//! Pointers: a buffer and a position in it, in bytes; accesses are checked against the buffer.

use std::rc::Rc;

use gpuc_dialects::memref::scalar_bytes;
use gpuc_dialects::ptr;
use gpuc_ir::{DYNAMIC, Op, Type, Value};
use smallvec::SmallVec;

use super::{Family, Handler, Step};
use crate::access::row_major;
use crate::fiber::Flow;
use crate::interpreter::{Fault, Interpreter};
use crate::memory::Range;
use crate::value::{MemRef, RtValue};

pub(super) const OPS: Family = &[
    (ptr::FieldOp::NAME, Handler::leaf(field)),
    (ptr::FromAddressOp::NAME, Handler::leaf(from_address)),
    (ptr::ToPtrOp::NAME, Handler::leaf(to_ptr)),
    (ptr::PtrAddOp::NAME, Handler::leaf(ptr_add)),
    (ptr::LoadOp::NAME, Handler::leaf(load)),
    (ptr::StoreOp::NAME, Handler::leaf(store)),
];

fn to_ptr(m: &mut Interpreter<'_>, op: Op) -> Step {
    let source = ptr::ToPtrOp(op).memref(m.ir);
    let size = m.element_size(op, m.ir.ty(source))? as i64;
    let source = m.memref(op, source)?;
    let base = source.base.wrapping_add(source.offset.wrapping_mul(size));
    at(m, op, &source, base)
}

/// The buffer that the address is in; what cannot be accessed is found when it is.
fn from_address(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = ptr::FromAddressOp(op);
    let address = m.int(op, view.address(m.ir))?.unsigned() as u64;
    let ty = m.ir.ty(view.buffer(m.ir));
    let (buffer, base) = m.memory.containing(address);
    let size = m.element_size(op, ty)? as i64;
    let left = m.memory.size(buffer).map_or(0, |bytes| bytes as i64 - base);
    let shape = m.ir.ctx.shape(ty).unwrap_or_default();
    let row: i64 = shape.iter().skip(1).product();
    let mut sizes: SmallVec<[i64; 4]> = SmallVec::from_slice(shape);
    if let Some(first) = sizes.first_mut().filter(|first| **first == DYNAMIC) {
        *first = left / (row * size).max(1);
    }
    let strides = SmallVec::from_vec(row_major(&sizes));
    let memref = MemRef { buffer, base, offset: 0, sizes, strides };
    m.set_result(op, RtValue::MemRef(Rc::new(memref)))
}

/// The same member of all records.
fn field(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = ptr::FieldOp(op);
    let size = m.element_size(op, m.ir.ty(view.field(m.ir)))? as i64;
    let records = m.memref(op, view.records(m.ir))?;
    let start = records.offset.checked_add(view.byte(m.ir));
    let outer = records.strides.len().saturating_sub(1);
    let (sizes, strides) = (&records.sizes[..outer], &records.strides[..outer]);
    let Some(start) = start.filter(|start| start % size == 0) else {
        return Err(m.error(op, "undefined behaviour: the members do not start at an element"));
    };
    // The stride of a dimension with at most one element is never used.
    if strides.iter().zip(sizes).any(|(stride, &extent)| extent > 1 && stride % size != 0) {
        return Err(m.error(op, "undefined behaviour: records are no whole elements apart"));
    }
    let memref = MemRef {
        offset: start / size,
        sizes: sizes.into(),
        strides: strides.iter().map(|stride| stride / size).collect(),
        ..(*records).clone()
    };
    m.set_result(op, RtValue::MemRef(Rc::new(memref)))
}

fn ptr_add(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = ptr::PtrAddOp(op);
    let (source, offset) = (m.memref(op, view.base(m.ir))?, m.index(op, view.offset(m.ir))?);
    at(m, op, &source, source.base.wrapping_add(offset))
}

/// A pointer to a byte of the memory that `source` is of.
fn at(m: &mut Interpreter<'_>, op: Op, source: &MemRef, base: i64) -> Step {
    let (sizes, strides) = (SmallVec::new(), SmallVec::new());
    let pointer = MemRef { buffer: source.buffer, base, offset: 0, sizes, strides };
    m.set_result(op, RtValue::MemRef(Rc::new(pointer)))
}

/// The bytes that an access of a type goes to.
fn range(m: &Interpreter<'_>, op: Op, pointer: Value, ty: Type) -> Result<Range, Fault> {
    let bytes = scalar_bytes(&m.ir.ctx, ty).and_then(|bytes| usize::try_from(bytes).ok());
    let bytes = bytes.ok_or_else(|| m.error(op, "accesses what has no size"))?;
    let pointer = m.memref(op, pointer)?;
    let alignment = m.ir.attr(op, "alignment").and_then(|attr| m.ir.ctx.i64_value(attr));
    // Memory starts at multiples of 256 bytes.
    if alignment.is_some_and(|alignment| pointer.base.rem_euclid(alignment.max(1)) != 0) {
        return Err(m.error(op, "accesses memory that is not aligned as it says"));
    }
    let range = m.memory.range(pointer.buffer, pointer.base.into(), bytes);
    range.map_err(|message| m.error(op, format!("accesses memory out of bounds: {message}")))
}

fn load(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = ptr::LoadOp(op);
    let ty = m.ir.ty(view.result(m.ir));
    let range = range(m, op, view.ptr(m.ir), ty)?;
    let value = m.read_range(op, range, ty)?;
    m.set_result(op, value)
}

fn store(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = ptr::StoreOp(op);
    let value = view.value(m.ir);
    let range = range(m, op, view.ptr(m.ir), m.ir.ty(value))?;
    let value = m.get(value)?.clone();
    m.write_range(op, range, &value)?;
    Ok(Flow::Next)
}
