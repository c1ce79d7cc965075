//! Memory for what kernels of one region hand to each other.
//!
//! A value that one segment computes and a later one uses, and that cannot be computed again, is
//! kept in a buffer on the device; so is a local array of the region that several segments use. A
//! region in loops of the host has its buffers in front of the loops.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::{FetchOp, HOST_LOOP_ATTR, RegionOp};
use gpuc_dialects::{affine, arith, gpu, memref};
use gpuc_ir::{Builder, DYNAMIC, Ir, Op, OpView, Type, Value};
use rustc_hash::FxHashMap;

use super::segments::{Segment, segments};
use crate::analysis::slice::pure_slice;

/// Moves what several segments of a region need to buffers that the host function allocates in front
/// of it, and of the loops round it, and frees behind.
pub fn keep_between_segments(ir: &mut Ir, region: RegionOp) -> Result<(), Diagnostic> {
    let is_host_loop = |ir: &Ir, op: &Op| ir.attr(*op, HOST_LOOP_ATTR).is_some();
    let outermost = ir.ancestors(region.op()).filter(|op| is_host_loop(ir, op)).last();
    let around = outermost.unwrap_or(region.op());
    // A store to a buffer may itself cut a segment in two.
    while let Some(value) = crossing(ir, region, &segments(ir, region)) {
        let op = ir.defining_op(value).filter(|&op| memref::AllocaOp::is(ir, op));
        let buffer = match op {
            Some(alloca) => move_array(ir, around, alloca)?,
            None => keep_value(ir, around, region, value)?,
        };
        let mut b = Builder::after(ir, around);
        gpu::DeallocOp::new(&mut b, &[], buffer).build(&mut b);
    }
    Ok(())
}

/// A value that a segment defines and a later one needs.
fn crossing(ir: &Ir, region: RegionOp, segments: &[Segment]) -> Option<Value> {
    let block = region.block(ir);
    let in_segment = |(i, segment): (usize, &Segment)| {
        segment.ops.iter().map(move |&op| (op, i)).collect::<Vec<_>>()
    };
    let segment_of_op: FxHashMap<Op, usize> =
        segments.iter().enumerate().flat_map(in_segment).collect();
    let segment_of = |op: Op| segment_of_op.get(&ir.ancestor_in_block(op, block)?).copied();
    for (i, segment) in segments.iter().enumerate() {
        for &op in &segment.ops {
            for &value in ir.results(op) {
                let crosses =
                    ir.users(value).any(|user| segment_of(user).is_some_and(|other| other != i));
                if crosses && pure_slice(ir, value, region.op()).is_none() {
                    return Some(value);
                }
            }
        }
    }
    None
}

/// Memory of the device, allocated in front of `point`: `count` of what the first dimension of `ty`
/// counts.
fn allocate(ir: &mut Ir, point: Op, ty: Type, count: i64) -> Value {
    let mut b = Builder::before(ir, point);
    let count = arith::constant_index(&mut b, count);
    let alloc = gpu::AllocOp::new(&mut b, &[], &[count], &[])
        .result_group(&[ty])
        .result_group(&[])
        .build(&mut b);
    b.result(alloc, 0)
}

fn refuse(ir: &Ir, op: Op, what: &str) -> Diagnostic {
    Diagnostic::error(format!("{what} is used by several loops of this region"))
        .at_option(ir.ctx.place(ir.location(op)))
        .help("declare it before the region, or split the region in two")
}

/// Accesses by subscripts that take any buffer of the right rank, and where their subscripts start.
fn subscripts_start(ir: &Ir, op: Op, buffer: Value) -> Option<usize> {
    let at = match ir.name(op) {
        memref::LoadOp::NAME => 0,
        memref::StoreOp::NAME | memref::AtomicRMWOp::NAME => 1,
        // Scalars have no affine accesses, and are given a subscript more.
        affine::AffineLoadOp::NAME if !is_scalar(ir, buffer) => 0,
        affine::AffineStoreOp::NAME if !is_scalar(ir, buffer) => 1,
        // Members of structures, in memory of bytes: by how many of them they are away.
        memref::ViewOp::NAME if !is_scalar(ir, buffer) => 0,
        _ => return None,
    };
    (ir.operand(op, at) == buffer).then_some(at + 1)
}

fn is_scalar(ir: &Ir, buffer: Value) -> bool {
    ir.ctx.shape(ir.ty(buffer)).is_some_and(<[i64]>::is_empty)
}

/// Whether [`move_array`] can move a local array.
pub(super) fn can_move(ir: &Ir, alloca: Op) -> bool {
    let local = ir.result(alloca, 0);
    ir.operand_count(alloca) == 0
        && ir.ctx.element(ir.ty(local)).is_some()
        && ir.users(local).all(|user| subscripts_start(ir, user, local).is_some())
}

/// A local array in device memory that is allocated in front of `point`: one for all gangs, whose extent
/// in front is the host's to know.
pub(super) fn move_array(ir: &mut Ir, point: Op, alloca: Op) -> Result<Value, Diagnostic> {
    let local = ir.result(alloca, 0);
    let users: Vec<Op> = ir.users(local).collect();
    let ty = ir.ty(local);
    let shape = ir.ctx.shape(ty).unwrap_or(&[]).to_vec();
    let starts: Option<Vec<usize>> =
        users.iter().map(|&user| subscripts_start(ir, user, local)).collect();
    let (Some(starts), Some(element), 0) = (starts, ir.ctx.element(ty), ir.operand_count(alloca))
    else {
        return Err(refuse(ir, alloca, "a local array"));
    };
    let mut device_shape = shape.clone();
    let count = match device_shape.first_mut() {
        Some(first) => std::mem::replace(first, DYNAMIC),
        None => {
            device_shape.push(DYNAMIC);
            1
        }
    };
    let device_ty = ir.ctx.memref(&device_shape, element);
    let buffer = allocate(ir, point, device_ty, count);
    if shape.is_empty() {
        for (&user, start) in users.iter().zip(starts) {
            let zero = arith::constant_index(&mut Builder::before(ir, user), 0);
            let mut operands: Vec<Value> = ir.operands(user).collect();
            operands.insert(start, zero);
            ir.set_operands(user, &operands);
        }
    }
    ir.replace_op(alloca, &[buffer]);
    Ok(buffer)
}

/// The type in which memory holds a scalar.
fn stored_type(ir: &mut Ir, ty: Type) -> Option<Type> {
    if ir.ctx.is_index(ty) {
        return Some(ir.ctx.i64());
    }
    match ir.ctx.int_width(ty) {
        Some(1) => Some(ir.ctx.int(8)),
        Some(_) => Some(ty),
        None => ir.ctx.is_float(ty).then_some(ty),
    }
}

/// Converts between a scalar and its form in memory.
fn convert(b: &mut Builder<'_>, value: Value, to: Type) -> Value {
    let from = b.ty(value);
    if from == to {
        value
    } else if b.ctx.is_index(from) || b.ctx.is_index(to) {
        arith::IndexCastOp::new(b, value).result(to).value(b)
    } else if b.ctx.int_width(from) == Some(1) {
        arith::ExtUIOp::new(b, value).result(to).value(b)
    } else {
        arith::TruncIOp::new(b, value).result(to).value(b)
    }
}

/// A scalar in memory of the device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// The buffer: one element.
    pub buffer: Value,
    /// The type of the scalar as a value.
    ty: Type,
}

impl Slot {
    /// Memory for a scalar, allocated in front of `point`; `None` for a type that memory does not hold.
    pub fn allocate(ir: &mut Ir, point: Op, ty: Type) -> Option<Slot> {
        let stored = stored_type(ir, ty)?;
        let buffer_ty = ir.ctx.memref(&[DYNAMIC], stored);
        Some(Slot { buffer: allocate(ir, point, buffer_ty, 1), ty })
    }

    /// What it holds.
    pub fn load(self, b: &mut Builder<'_>) -> Value {
        let zero = arith::constant_index(b, 0);
        let loaded = memref::LoadOp::new(b, self.buffer, &[zero]).value(b);
        convert(b, loaded, self.ty)
    }

    /// What it holds, read by the host.
    pub fn fetch(self, b: &mut Builder<'_>) -> Value {
        let zero = arith::constant_index(b, 0);
        let loaded = FetchOp::new(b, self.buffer, &[zero]).value(b);
        convert(b, loaded, self.ty)
    }

    /// Sets it.
    pub fn store(self, b: &mut Builder<'_>, value: Value) {
        let zero = arith::constant_index(b, 0);
        let stored = b.ctx.element(b.ty(self.buffer)).expect("buffers have elements");
        let kept = convert(b, value, stored);
        memref::StoreOp::new(b, kept, self.buffer, &[zero]).build(b);
    }
}

/// Whether memory holds a scalar of a type.
pub(super) fn is_storable(ir: &Ir, ty: Type) -> bool {
    ir.ctx.is_index(ty) || ir.ctx.int_width(ty).is_some() || ir.ctx.is_float(ty)
}

/// Stores a value where it is computed and loads it where other operations of the region use it.
fn keep_value(ir: &mut Ir, point: Op, region: RegionOp, value: Value) -> Result<Value, Diagnostic> {
    let op = ir.defining_op(value).expect("values of segments are results");
    let ty = ir.ty(value);
    let Some(slot) = Slot::allocate(ir, point, ty) else {
        return Err(refuse(ir, op, "a value computed between the loops"));
    };
    let block = region.block(ir);
    load_where_used(ir, value, slot, |ir, user| ir.ancestor_in_block(user, block));
    slot.store(&mut Builder::after(ir, op), value);
    Ok(slot.buffer)
}

/// Replaces uses of a value by loads of its slot: one in front of each operation that `top` gives for
/// a user; where it gives none, the use stays.
pub(super) fn load_where_used(
    ir: &mut Ir,
    value: Value,
    slot: Slot,
    top: impl Fn(&Ir, Op) -> Option<Op>,
) {
    replace_where_used(ir, value, top, |b| slot.load(b));
}

/// Replaces uses of a value by what `make` builds in front of each operation that `top` gives for a
/// user; where it gives none, the use stays.
pub(super) fn replace_where_used(
    ir: &mut Ir,
    value: Value,
    top: impl Fn(&Ir, Op) -> Option<Op>,
    make: impl Fn(&mut Builder<'_>) -> Value,
) {
    let mut tops: Vec<Op> = Vec::new();
    for user in ir.users(value).collect::<Vec<_>>() {
        if let Some(top) = top(ir, user)
            && !tops.contains(&top)
        {
            tops.push(top);
        }
    }
    for at in tops {
        let again = make(&mut Builder::before(ir, at));
        ir.replace_uses_if(value, again, |ir, slot| top(ir, ir.use_owner(slot)) == Some(at));
    }
}
