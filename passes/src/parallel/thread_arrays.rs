//! Where the local buffers of a kernel live.
//!
//! A buffer that is declared outside loops over threads and used inside is shared by the threads of
//! the block, and goes to the block's memory; unless each thread only ever touches the elements that
//! its own numbers select. Then it is state of the thread that lives from one loop over threads to
//! the next, and the subscripts that select the thread go.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::mapping::{Axis, Distribution, LoopMapping, Size};
use gpuc_dialects::{gpu, memref};
use gpuc_ir::op::AccessKind;
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Value, ValueDef, WalkOrder};
use rustc_hash::FxHashMap;

use super::private_arrays::PrivateArray;
use super::threads::{Extents, Processors};
use crate::analysis::access::subscripts;
use crate::analysis::loops::dimensions;
use crate::analysis::quasi_affine::QuasiAffine;

/// Places the buffers of a kernel whose loops are mapped; says whether threads share any.
///
/// # Errors
/// A shared buffer without a constant size, or that something else than loads and stores uses.
pub fn place_buffers(
    ir: &mut Ir,
    func: Op,
    processors: &mut Processors,
) -> Result<bool, Diagnostic> {
    let mut shares = false;
    for op in ir.nested_ops(func, WalkOrder::PreOrder) {
        if !memref::AllocaOp::is(ir, op) {
            continue;
        }
        let buffer = ir.result(op, 0);
        let space = gpu::AddressSpace::of_memref(&ir.ctx, ir.ty(buffer));
        if let Some(array) = PrivateArray::of(ir, func, op) {
            let by_thread = processors.extents.thread_loop(ir, op, func).is_some();
            array.place(ir, processors, by_thread)?;
            shares |= !by_thread && !processors.extents.is_single();
            continue;
        }
        let users = accesses(ir, buffer);
        let all_users: Vec<Op> = ir.users(buffer).collect();
        let apart = |ir: &Ir, op: Op| processors.extents.thread_loop(ir, op, func).is_some();
        let shared = match space {
            Some(gpu::AddressSpace::Workgroup) => true,
            _ if processors.extents.is_single() || apart(ir, op) => false,
            _ => users.iter().flatten().chain(&all_users).any(|&user| apart(ir, user)),
        };
        if !shared {
            continue;
        }
        if space != Some(gpu::AddressSpace::Workgroup)
            && let Some(own) = ThreadIndices::of(ir, op, func, &processors.extents)
        {
            own.remove(ir, op);
            continue;
        }
        if users.is_none() || ir.operand_count(op) > 0 {
            return Err(Diagnostic::error(
                "a local array that the threads of a gang share must have a \
                constant size and be used by subscripts only",
            )
            .at_option(ir.ctx.place(ir.location(op))));
        }
        let workgroup = gpu::AddressSpace::Workgroup.attr(&mut ir.ctx);
        let ty = ir.ty(buffer);
        let (shape, element) = (
            ir.ctx.shape(ty).unwrap_or(&[]).to_vec(),
            ir.ctx.element(ty).expect("buffers are memrefs"),
        );
        let ty = ir.ctx.memref_in(&shape, element, None, Some(workgroup));
        let replacement = gpu::GPUFuncOp(func).add_workgroup_buffer(ir, ty);
        for user in all_users {
            if !memref::ViewOp::is(ir, user) {
                continue;
            }
            let seen = ir.result(user, 0);
            let (shape, element) = (ir.ctx.shape(ir.ty(seen)), ir.ctx.element(ir.ty(seen)));
            let (Some(shape), Some(element)) = (shape.map(<[i64]>::to_vec), element) else {
                continue;
            };
            let ty = ir.ctx.memref_in(&shape, element, None, Some(workgroup));
            ir.set_type(seen, ty);
        }
        ir.replace_op(op, &[replacement]);
        shares = true;
    }
    Ok(shares)
}

/// The subscripts of a buffer that select the thread.
pub struct ThreadIndices {
    /// For each dimension of the buffer, whether its subscript is a number of the thread.
    selects: Vec<bool>,
}

impl ThreadIndices {
    /// Those of a buffer, inside of `root`, of which each thread has a part of its own; `None` if it is not such a one.
    pub fn of(ir: &Ir, alloca: Op, root: Op, extents: &Extents) -> Option<ThreadIndices> {
        let buffer = ir.result(alloca, 0);
        let rank = ir.ctx.shape(ir.ty(buffer))?.len();
        let mut axes: Vec<Option<Axis>> = vec![None; rank];
        let mut seen = false;
        // Unrolled tiles have thousands of accesses, in few blocks and by few variables.
        let mut apart: FxHashMap<Block, bool> = FxHashMap::default();
        let mut numbers = FxHashMap::default();
        for user in ir.users(buffer) {
            let is_apart = || extents.thread_loop(ir, user, root).is_some();
            if !*apart.entry(ir.parent_block(user)?).or_insert_with(is_apart) {
                return None;
            }
            let own = selected_axes(ir, user, buffer, &mut numbers)?;
            if !seen {
                axes = own;
                seen = true;
            } else {
                for (known, own) in axes.iter_mut().zip(own) {
                    if *known != own {
                        *known = None;
                    }
                }
            }
        }
        // Threads that differ on another axis would share elements.
        let complete = (0..3).all(|d| {
            let axis = Axis::Thread(d);
            extents.extent(axis) == Some(1) || axes.contains(&Some(axis))
        });
        (seen && complete && ir.operand_count(alloca) == 0)
            .then(|| ThreadIndices { selects: axes.iter().map(Option::is_some).collect() })
    }

    /// Removes them from the buffer and its accesses.
    fn remove(&self, ir: &mut Ir, alloca: Op) {
        let buffer = ir.result(alloca, 0);
        let ty = ir.ty(buffer);
        let shape = ir.ctx.shape(ty).unwrap_or(&[]).to_vec();
        let Some(element) = ir.ctx.element(ty) else { return };
        let kept: Vec<i64> = shape
            .iter()
            .zip(&self.selects)
            .filter(|(_, selects)| !**selects)
            .map(|(&extent, _)| extent)
            .collect();
        let ty = ir.ctx.memref(&kept, element);
        let mut b = Builder::before(ir, alloca);
        let own = memref::AllocaOp::new(&mut b, &[], &[]).result(ty).value(&mut b);
        for user in ir.users(buffer).collect::<Vec<_>>() {
            let first = ir.memory_access(user).map_or(0, |access| access.buffer_operand + 1);
            let operands: Vec<Value> = ir
                .operands(user)
                .enumerate()
                .filter(|&(i, _)| i < first || !self.selects[i - first])
                .map(|(_, value)| value)
                .collect();
            ir.set_operands(user, &operands);
        }
        ir.replace_op(alloca, &[own]);
    }
}

/// The operations that access a buffer by subscripts, of itself or of its bytes; `None` where something else uses it.
fn accesses(ir: &Ir, buffer: Value) -> Option<Vec<Op>> {
    let mut all = Vec::new();
    for user in ir.users(buffer) {
        if memref::ViewOp::is(ir, user) {
            let seen = ir.result(user, 0);
            let inside: Vec<Op> = ir.users(seen).collect();
            if !inside.iter().all(|&user| is_access_to(ir, user, seen)) {
                return None;
            }
            all.extend(inside);
        } else if is_access_to(ir, user, buffer) {
            all.push(user);
        } else {
            return None;
        }
    }
    Some(all)
}

/// Whether an operation does nothing to a buffer but access it by subscripts.
fn is_access_to(ir: &Ir, op: Op, buffer: Value) -> bool {
    ir.memory_access(op).is_some_and(|access| {
        access.buffer == buffer && (access.kind == AccessKind::Read || access.value != buffer)
    })
}

/// The axes whose numbers the subscripts of an access to one element of a buffer are.
/// `numbers` has what has been found of values so far.
fn selected_axes(
    ir: &Ir,
    op: Op,
    buffer: Value,
    numbers: &mut FxHashMap<Value, Option<Axis>>,
) -> Option<Vec<Option<Axis>>> {
    let access = ir.memory_access(op).filter(|_| is_access_to(ir, op, buffer))?;
    let axis = |form: &Option<QuasiAffine>| {
        let value = form.as_ref()?.as_polynomial()?.as_value()?;
        *numbers.entry(value).or_insert_with(|| thread_number(ir, value))
    };
    let forms = subscripts(ir, &access.subscripts);
    access.extents.is_empty().then(|| forms.iter().map(axis).collect())
}

/// The axis whose number a value is: the variable of an exact dimension over it that counts from 0.
fn thread_number(ir: &Ir, value: Value) -> Option<Axis> {
    let ValueDef::Argument(block, index) = ir.value_def(value) else { return None };
    let owner = ir.block_op(block)?;
    let mapping = LoopMapping::known(ir, owner)?;
    let simple = mapping.0.iter().all(|dim| dim.dims == 1);
    let dim = mapping.0.get(index as usize).filter(|_| simple)?;
    let counted = dimensions(ir, owner).into_iter().find(|counted| counted.variable == value)?;
    let counts = counted.step == Some(1)
        && counted.divided_lower.is_empty()
        && matches!(&counted.lower[..], [lower] if lower.as_constant() == Some(0));
    match dim.axes[..] {
        [(axis @ Axis::Thread(_), Size::Constant(_))]
            if counts && dim.how == Distribution::Exact =>
        {
            Some(axis)
        }
        _ => None,
    }
}
