//! `lower-accesses`: accesses of kernels become loads and stores through pointers, and addresses are
//! made once.
//!
//! Needs kernels whose loops are `scf.for`; leaves buffers of the thread, whose strides are not
//! known, or that come from elsewhere than the kernel's arguments, as they are. The byte position of
//! an access in its buffer is a polynomial ([`crate::analysis::subscript`]). In an innermost loop,
//! one that is an invariant multiple of the loop's variable plus an invariant becomes a pointer that
//! the loop carries: strength reduction (Cocke and Kennedy, "An algorithm for reduction of operator
//! strength", 1977) at the level where the recurrence can still be read off. Accesses whose
//! positions grow alike share it: those that differ by a constant have it in their instruction,
//! those that differ by an invariant (rows of a stencil, steps of an unrolled loop) form a chain,
//! one addition each. All other addresses are summed up from the part that varies least, so that
//! `loop-invariant-code-motion` behind this pass hoists what does not vary, and start from the
//! nearest one in sight.
//!
//! Loads of buffers that nothing in the kernel may write are marked as invariant.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::gpu::AddressSpace;
use gpuc_dialects::{arith, gpu, memref, nvvm, ptr, scf, vector};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Type, Value, WalkOrder};
use rustc_hash::FxHashMap;

use super::address::{Addresses, loop_depth};
use super::recurrence::reduce_loop;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::read_only::ReadOnly;
use crate::analysis::subscript::{polynomial, polynomial_over_keeping};

gpuc_ir::pass! {
    /// Turn accesses of kernels into loads and stores through pointers.
    LowerAccesses = "lower-accesses" on "builtin.module" {}
}

impl Pass for LowerAccesses {
    fn run(&mut self, ir: &mut Ir, module: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for func in ir.nested_ops(module, WalkOrder::PreOrder) {
            if gpu::GPUFuncOp::is(ir, func) && !ir.blocks(ir.region(func, 0)).is_empty() {
                lower_function(ir, func);
            }
        }
        Ok(())
    }
}

/// An access that is to go through a pointer.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The load or store.
    pub op: Op,
    /// The buffer, an argument of the kernel or memory of the block.
    pub base: Value,
    /// Where in the buffer it starts, in bytes.
    pub position: Polynomial,
}

fn lower_function(ir: &mut Ir, func: Op) {
    let read_only = ReadOnly::of(ir, func);
    let ops = ir.nested_ops(func, WalkOrder::PreOrder);
    let mut sites: Vec<Site> = ops.iter().filter_map(|&op| site(ir, func, op)).collect();
    let mut addresses = Addresses::default();
    // What the loops carry is there before anything else looks for an address near its own.
    let mut inside: FxHashMap<Op, Vec<usize>> = FxHashMap::default();
    for (number, site) in sites.iter().enumerate() {
        if let Some(innermost) = ir.ancestors(site.op).find(|&outer| ir.is_loop(outer)) {
            inside.entry(innermost).or_default().push(number);
        }
    }
    for &op in &ops {
        if let (Some(view), Some(inside)) = (scf::ForOp::cast(ir, op), inside.get(&op)) {
            reduce_loop(ir, view, &mut sites, inside, &mut addresses);
        }
    }
    // Positions may be of loaded numbers: loads are replaced when all addresses are there.
    let pointers: Vec<Value> = sites
        .iter()
        .map(|site| addresses.pointer(ir, site.op, site.base, &site.position))
        .collect();
    for (site, pointer) in sites.iter().zip(pointers) {
        replace(ir, site, pointer, &read_only);
    }
}

/// The access that an operation is, if this pass is to lower it.
pub(super) fn site(ir: &Ir, func: Op, op: Op) -> Option<Site> {
    let (buffer, first) = match ir.name(op) {
        memref::LoadOp::NAME | vector::LoadOp::NAME => (0, 1),
        memref::StoreOp::NAME | vector::StoreOp::NAME => (1, 2),
        _ => return None,
    };
    let (accessed, _) = accessed(ir, op);
    let is_row = ir.ctx.shape(accessed).is_none_or(|shape| shape.len() == 1);
    let indices: Vec<Value> = ir.operands(op).skip(first).collect();
    let mut base = ir.operand(op, buffer);
    let mut position = element_position(ir, base, &indices)?;
    while let Some(def) = ir.defining_op(base) {
        if let Some(view) = memref::ViewOp::cast(ir, def) {
            position = position.plus(&subscript(ir, view.byte_shift(ir)), 1)?;
            base = view.source(ir);
        } else if let Some(view) = memref::CastOp::cast(ir, def) {
            base = view.source(ir);
        } else {
            break;
        }
    }
    (is_row && is_base(ir, func, base)).then_some(Site { op, base, position })
}

/// The type that a load or store moves, and the value that a store writes.
fn accessed(ir: &Ir, op: Op) -> (Type, Option<Value>) {
    match ir.results(op).first() {
        Some(&result) => (ir.ty(result), None),
        None => (ir.ty(ir.operand(op, 0)), Some(ir.operand(op, 0))),
    }
}

/// Bytes from a buffer's first element to the one at `indices`.
fn element_position(ir: &Ir, buffer: Value, indices: &[Value]) -> Option<Polynomial> {
    let ty = ir.ty(buffer);
    let layout = memref::strided_layout(&ir.ctx, ty)?;
    let element = i64::try_from(memref::element_bytes(&ir.ctx, ty)?).ok()?;
    let mut position = Polynomial::default();
    for (&index, &stride) in indices.iter().zip(&layout.strides) {
        let known = stride != gpuc_ir::DYNAMIC;
        let step = known.then(|| stride.checked_mul(element))??;
        position = position.plus(&subscript(ir, index), step)?;
    }
    Some(position)
}

/// A subscript in closed form over numbers of iterations: a sum that stands outside all loops and has
/// no product in it but those that number the processors, such as the number that a thread has in the
/// grid, is one number, and so is a factor that is a sum of the kernel's arguments, such as the length
/// `n + 2` of a row. Multiplying them out would give a product for each of their parts.
fn subscript(ir: &Ir, value: Value) -> Polynomial {
    let is_number = |value| {
        let sum = ir.defining_op(value).filter(|&op| {
            let varies = |index| arith::constant_index_value(ir, ir.operand(op, index)).is_none();
            (arith::AddIOp::is(ir, op) || arith::SubIOp::is(ir, op)) && varies(0) && varies(1)
        });
        sum.is_some() && loop_depth(ir, value) == 0 && {
            let form = polynomial(ir, value);
            form.is_affine() || form.values().iter().all(|&of| is_processor_number(ir, of))
        }
    };
    let is_length = |value| {
        let is_argument = |of: Value| ir.defining_op(of).is_none() && loop_depth(ir, of) == 0;
        let form = polynomial(ir, value);
        form.is_affine() && form.values().into_iter().all(is_argument)
    };
    polynomial_over_keeping(ir, value, &is_number, &is_length)
}

/// Whether a value numbers or counts threads or blocks.
fn is_processor_number(ir: &Ir, value: Value) -> bool {
    ir.defining_op(value).is_some_and(|op| {
        gpu::ThreadIdOp::is(ir, op)
            || gpu::BlockIdOp::is(ir, op)
            || gpu::BlockDimOp::is(ir, op)
            || gpu::GridDimOp::is(ir, op)
    })
}

/// Whether a buffer is where addresses start: memory of the device or of the block that stays where
/// it is as long as the kernel runs.
fn is_base(ir: &Ir, func: Op, buffer: Value) -> bool {
    let space = AddressSpace::of_memref(&ir.ctx, ir.ty(buffer));
    let kernel = gpu::GPUFuncOp(func);
    match space {
        Some(AddressSpace::Global) => kernel.arguments(ir).contains(&buffer),
        Some(AddressSpace::Workgroup) => {
            kernel.workgroup_buffers(ir).contains(&buffer)
                || ir.defining_op(buffer).is_some_and(|op| gpu::DynamicSharedMemoryOp::is(ir, op))
        }
        _ => false,
    }
}

fn replace(ir: &mut Ir, site: &Site, pointer: Value, read_only: &ReadOnly) {
    let (ty, stored) = accessed(ir, site.op);
    // `vector` promises alignment to the vector's size.
    let aligned = ir.ctx.is_vector(ty).then(|| memref::scalar_bytes(&ir.ctx, ty)).flatten();
    let aligned = aligned.filter(|bytes| bytes.is_power_of_two());
    let alignment = aligned.map(|bytes| ir.ctx.i64_attr(bytes as i64));
    let invariant = read_only.contains(site.base).then(|| ir.ctx.unit_attr());
    let is_async = ir.attr(site.op, nvvm::ASYNC);
    let mut b = Builder::before(ir, site.op);
    match stored {
        Some(value) => {
            let store = ptr::StoreOp::new(&mut b, value, pointer);
            let store = store.attr_option(&mut b, "alignment", alignment);
            store.attr_option(&mut b, nvvm::ASYNC, is_async).build(&mut b);
            ir.erase_op(site.op);
        }
        None => {
            let load = ptr::LoadOp::new(&mut b, pointer).result(ty);
            let load = load.attr_option(&mut b, "alignment", alignment);
            let value = load.attr_option(&mut b, "invariant", invariant).value(&mut b);
            ir.replace_op(site.op, &[value]);
        }
    }
}
