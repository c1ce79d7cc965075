//! Local arrays whose size only the launch knows, or that are too large for the block's memory: memory of the device,
//! with a part for each that has one.
//!
//! Registers and the block's memory have sizes that the compiler gives, and bounds. So `outline` gives a kernel with
//! such arrays a buffer for each, with room for a copy of every thread where the array is declared in
//! loops over threads, and of every block elsewhere ([`give_memory`]); `distribute` lets accesses go to the
//! copy of who makes them ([`PrivateArray::place`]). What threads have of one element lies side by side, so that they reach it
//! together.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::PRIVATE_ARRAY_ATTR;
use gpuc_dialects::{arith, gpu, memref};
use gpuc_ir::{
    AttrKind, Builder, DYNAMIC, InsertPoint, Ir, Op, OpView, Value, ValueMap, WalkOrder,
};

use super::kernel::Kernel;
use super::launch::{Launch, LaunchLimits, product};
use super::segments::Segment;
use super::thread_arrays::ThreadIndices;
use super::threads::{Extents, Processors};
use crate::analysis::slice::compute_outside;

/// What the block's memory must have left for what reductions need of it, in bytes.
const RESERVED: u64 = 1024;

/// The local arrays of a segment that lie in memory of the device: those without a constant size, and those that threads
/// share and that are too large for what is left of the block's memory.
fn private_arrays(
    ir: &Ir,
    segment: &Segment,
    region: Op,
    extents: &Extents,
    limits: &LaunchLimits<'_>,
) -> Vec<Op> {
    let nested = segment.ops.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
    let mut arrays: Vec<Op> = nested.filter(|&op| memref::AllocaOp::is(ir, op)).collect();
    let most = u64::from(limits.arch.limits.shared_per_block);
    let bytes = |op: Op| {
        let ty = ir.ty(ir.result(op, 0));
        let extents = ir.ctx.shape(ty).unwrap_or(&[]).iter();
        let count = extents.fold(1u64, |count, &n| count.saturating_mul(n.max(0) as u64));
        count.saturating_mul(memref::element_bytes(&ir.ctx, ty).unwrap_or(0))
    };
    let is_in_block = |op: &Op| {
        let space = gpu::AddressSpace::of_memref(&ir.ctx, ir.ty(ir.result(*op, 0)));
        space == Some(gpu::AddressSpace::Workgroup)
    };
    let own = arrays.iter().filter(|op| is_in_block(op)).map(|&op| bytes(op));
    let mut used = own.fold(RESERVED, u64::saturating_add);
    let is_static = |op: &Op| ir.operand_count(*op) == 0 && !is_in_block(op);
    let is_shared = |op: Op| is_shared_by_threads(ir, op, region, extents);
    let mut shared: Vec<Op> = arrays.iter().filter(|op| is_static(op)).copied().collect();
    // Whose they are is asked only where not all of them fit.
    if shared.iter().fold(used, |sum, &op| sum.saturating_add(bytes(op))) > most {
        shared.retain(|&op| is_shared(op));
    } else {
        shared.clear();
    }
    // As many as fit.
    shared.sort_by_key(|&op| bytes(op));
    let is_too_much = |op: &Op| {
        used = used.saturating_add(bytes(*op));
        used > most
    };
    let large: Vec<Op> = shared.into_iter().filter(is_too_much).collect();
    arrays.retain(|op| ir.operand_count(*op) > 0 || large.contains(op));
    arrays
}

/// Whether an array is declared outside of loops over threads and used inside, and not by each thread in a part of its
/// own.
pub(crate) fn is_shared_by_threads(ir: &Ir, array: Op, region: Op, extents: &Extents) -> bool {
    let local = ir.result(array, 0);
    let users: Vec<Op> = ir.users(local).collect();
    let inside = users.iter().flat_map(|&user| {
        let results = ir.results(user).iter();
        let seen = results.filter(|&&result| ir.ctx.is_memref(ir.ty(result)));
        seen.flat_map(|&seen| ir.users(seen).collect::<Vec<_>>()).chain([user])
    });
    let is_apart = |op: Op| extents.thread_loop(ir, op, region).is_some();
    !is_apart(array)
        && inside.into_iter().any(is_apart)
        && ThreadIndices::of(ir, array, region, extents).is_none()
}

/// Allocates memory for the private arrays of a segment in front of its launch and gives it to the kernel;
/// marks arrays and arguments with their number.
///
/// # Errors
/// An array whose size the host cannot compute.
pub fn give_memory(
    ir: &mut Ir,
    kernel: &mut Kernel,
    segment: &Segment,
    launch: &Launch,
    limits: &LaunchLimits<'_>,
    region: Op,
) -> Result<Vec<Value>, Diagnostic> {
    let extents = Extents(launch.extents);
    let arrays = private_arrays(ir, segment, region, &extents, limits);
    let mut buffers = Vec::new();
    let mut map = ValueMap::new();
    for (number, array) in arrays.into_iter().enumerate() {
        let place = ir.ctx.place(ir.location(array));
        let ty = ir.ty(ir.result(array, 0));
        let shape = ir.ctx.shape(ty).unwrap_or(&[]).to_vec();
        let is_dynamic = ir.operand_count(array) == 1 && shape.first() == Some(&DYNAMIC);
        let is_static = ir.operand_count(array) == 0 && !shape.is_empty();
        let mut b = Builder::new(ir, launch.point, ir.location(region));
        let extent = match shape.first() {
            Some(&extent) if is_static => Some(arith::constant_index(&mut b, extent)),
            _ => {
                let extent = b.operand(array, 0);
                compute_outside(&mut b, extent, region, &mut map)
            }
        };
        let (Some(extent), true) = (extent, is_dynamic || is_static) else {
            return Err(Diagnostic::error(
                "the size of this local array is not known when the region starts",
            )
            .at_option(place)
            .help("compute its size before the region, or give it a constant one"));
        };
        let inner = shape.iter().skip(1).copied();
        let shape: Vec<i64> = std::iter::once(DYNAMIC).chain(inner).collect();
        let Some(element) = b.ctx.element(ty) else { continue };
        let ty = b.ctx.memref(&shape, element);
        let mut copies = product(&mut b, &launch.grid);
        if extents.thread_loop(&b, array, region).is_some() {
            let threads = product(&mut b, &launch.block);
            copies = arith::MulIOp::new(&mut b, copies, threads).value(&mut b);
        }
        let zero = arith::constant_index(&mut b, 0);
        let extent = arith::MaxSIOp::new(&mut b, extent, zero).value(&mut b);
        let count = arith::MulIOp::new(&mut b, extent, copies).value(&mut b);
        let alloc = gpu::AllocOp::new(&mut b, &[], &[count], &[])
            .result_group(&[ty])
            .result_group(&[])
            .build(&mut b);
        let buffer = b.result(alloc, 0);
        kernel.argument(ir, buffer);
        buffers.push(buffer);
        let (key, number) = (ir.ctx.ident(PRIVATE_ARRAY_ATTR), ir.ctx.i64_attr(number as i64));
        let dict = ir.ctx.dict([(key, number)]);
        kernel.argument_marks.push(ir.ctx.intern_attr(AttrKind::Dict(dict)));
        ir.set_attr(array, PRIVATE_ARRAY_ATTR, number);
    }
    Ok(buffers)
}

/// Frees memory behind a launch.
pub fn free_behind(ir: &mut Ir, point: InsertPoint, region: Op, buffers: &[Value]) {
    let location = ir.location(region);
    let mut b = Builder::new(ir, point, location);
    for &buffer in buffers {
        gpu::DeallocOp::new(&mut b, &[], buffer).build(&mut b);
    }
}

/// A local array of a kernel, and the argument that has its copies.
#[derive(Debug)]
pub struct PrivateArray {
    array: Op,
    memory: Value,
}

impl PrivateArray {
    /// The array that an operation declares, if its memory is an argument.
    pub fn of(ir: &Ir, func: Op, array: Op) -> Option<PrivateArray> {
        let number = ir.attr(array, PRIVATE_ARRAY_ATTR)?;
        let marks = ir.ctx.array_value(ir.attr(func, "arg_attrs")?)?;
        let index = marks.iter().position(|&mark| match *ir.ctx.attr_kind(mark) {
            AttrKind::Dict(entries) => {
                ir.ctx.dict_get_str(entries, PRIVATE_ARRAY_ATTR) == Some(number)
            }
            _ => false,
        })?;
        Some(PrivateArray { array, memory: gpu::GPUFuncOp(func).arguments(ir)[index] })
    }

    /// Lets accesses go to the copy of the thread (`by_thread`), or of the block.
    ///
    /// # Errors
    /// Something else than accesses by subscripts uses the array.
    pub fn place(
        self,
        ir: &mut Ir,
        processors: &mut Processors,
        by_thread: bool,
    ) -> Result<(), Diagnostic> {
        let local = ir.result(self.array, 0);
        let known = ir.ctx.shape(ir.ty(local)).and_then(|shape| shape.first().copied());
        let users: Vec<Op> = ir.users(local).collect();
        let mut b = Builder::before(ir, self.array);
        let extent = match known {
            Some(known) if b.operand_count(self.array) == 0 => arith::constant_index(&mut b, known),
            _ => b.operand(self.array, 0),
        };
        let (mut number, mut copies) = processors.block(&mut b);
        if by_thread {
            let (thread, threads) = processors.thread(&mut b);
            let first = arith::MulIOp::new(&mut b, number, threads).value(&mut b);
            number = arith::AddIOp::new(&mut b, first, thread).value(&mut b);
            copies = arith::MulIOp::new(&mut b, copies, threads).value(&mut b);
        }
        let start = arith::MulIOp::new(&mut b, number, extent).value(&mut b);
        for user in users {
            let view = memref::ViewOp::is(ir, user);
            let at = match ir.memory_access(user) {
                _ if view => 1,
                Some(access) if ir.operand(user, access.buffer_operand) == local => {
                    access.buffer_operand + 1
                }
                _ => {
                    return Err(Diagnostic::error(
                        "a local array whose size is not constant must be used by subscripts only",
                    )
                    .at_option(ir.ctx.place(ir.location(self.array))));
                }
            };
            let subscript = ir.operand(user, at);
            let mut b = Builder::before(ir, user);
            let moved = if by_thread && !view {
                let row = arith::MulIOp::new(&mut b, subscript, copies).value(&mut b);
                arith::AddIOp::new(&mut b, row, number).value(&mut b)
            } else {
                arith::AddIOp::new(&mut b, subscript, start).value(&mut b)
            };
            ir.set_operand(user, at, moved);
        }
        ir.replace_op(self.array, &[self.memory]);
        Ok(())
    }
}
