//! Memory for what kernels of one region hand to each other.
//!
//! A value that one segment computes and a later one uses, and that cannot be computed again, is
//! kept in a buffer on the device; so is a local array of the region that several segments use.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::RegionOp;
use gpuc_dialects::{affine, arith, gpu, memref};
use gpuc_ir::{Builder, DYNAMIC, Ir, Op, OpView, Type, Value};
use rustc_hash::FxHashMap;

use super::segments::{Segment, segments};
use crate::analysis::slice::pure_slice;

/// Moves what several segments of a region need to buffers that the host function allocates in front
/// of it; returns the buffers.
pub fn keep_between_segments(ir: &mut Ir, region: RegionOp) -> Result<Vec<Value>, Diagnostic> {
    let mut buffers = Vec::new();
    // A store to a buffer may itself cut a segment in two.
    while let Some(value) = crossing(ir, region, &segments(ir, region)) {
        let op = ir.defining_op(value).filter(|&op| memref::AllocaOp::is(ir, op));
        buffers.push(match op {
            Some(alloca) => move_array(ir, region, alloca)?,
            None => keep_value(ir, region, value)?,
        });
    }
    Ok(buffers)
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

fn allocate(ir: &mut Ir, region: RegionOp, ty: Type, count: i64) -> Value {
    let mut b = Builder::before(ir, region.op());
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
        _ => return None,
    };
    (ir.operand(op, at) == buffer).then_some(at + 1)
}

fn is_scalar(ir: &Ir, buffer: Value) -> bool {
    ir.ctx.shape(ir.ty(buffer)).is_some_and(<[i64]>::is_empty)
}

/// A local array in device memory: one for all gangs, whose extent in front is the host's to know.
fn move_array(ir: &mut Ir, region: RegionOp, alloca: Op) -> Result<Value, Diagnostic> {
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
    let buffer = allocate(ir, region, device_ty, count);
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

/// Stores a value where it is computed and loads it where other operations of the region use it.
fn keep_value(ir: &mut Ir, region: RegionOp, value: Value) -> Result<Value, Diagnostic> {
    let op = ir.defining_op(value).expect("values of segments are results");
    let ty = ir.ty(value);
    let Some(stored) = stored_type(ir, ty) else {
        return Err(refuse(ir, op, "a value computed between the loops"));
    };
    let buffer_ty = ir.ctx.memref(&[DYNAMIC], stored);
    let buffer = allocate(ir, region, buffer_ty, 1);
    let block = region.block(ir);
    let mut tops: Vec<Op> = Vec::new();
    for user in ir.users(value).collect::<Vec<_>>() {
        let top = ir.ancestor_in_block(user, block).expect("users are in the region");
        if !tops.contains(&top) {
            tops.push(top);
        }
    }
    for top in tops {
        let mut b = Builder::before(ir, top);
        let zero = arith::constant_index(&mut b, 0);
        let loaded = memref::LoadOp::new(&mut b, buffer, &[zero]).value(&mut b);
        let loaded = convert(&mut b, loaded, ty);
        ir.replace_uses_if(value, loaded, |ir, slot| ir.is_inside(ir.use_owner(slot), top));
    }
    let mut b = Builder::after(ir, op);
    let zero = arith::constant_index(&mut b, 0);
    let kept = convert(&mut b, value, stored);
    memref::StoreOp::new(&mut b, kept, buffer, &[zero]).build(&mut b);
    Ok(buffer)
}
