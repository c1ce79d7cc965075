//! `sroa`: local arrays and structs become variables, one for each element.
//!
//! Needs `memref.alloca` of a static shape whose elements are accessed one by one at constant
//! subscripts, directly or through `memref.view` at constant offsets of a buffer of bytes. Leaves a
//! `memref.alloca() : memref<T>` for each element in use, for `mem2reg` to promote. Buffers that
//! are passed on, accessed at a subscript that varies, or seen as different types at one place
//! stay; those that are only written go. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, memref};
use gpuc_ir::op::{AccessKind, Subscripts};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Type, Value, WalkOrder};
use indexmap::IndexMap;

gpuc_ir::pass! {
    /// Replace local arrays and structs by variables for their elements.
    Sroa = "sroa" titled "SROA" {
        /// Elements in use, at most; buffers with more stay.
        max_elements: usize = 64,
    }
    counts { "destructured slots": "Total amount of memory slots destructured" }
}

impl Pass for Sroa {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mut changed = false;
        for alloca in ir.nested_ops(op, WalkOrder::PreOrder) {
            if memref::AllocaOp::is(ir, alloca) {
                if erase_if_only_written(ir, alloca) {
                    changed = true;
                } else if self.replace(ir, alloca) {
                    changed = true;
                    cx.count("destructured slots", 1);
                }
            }
        }
        if !changed {
            cx.preserve_all();
        }
        Ok(())
    }
}

/// A part of a buffer that is accessed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Slot {
    /// In bytes from the start, or in elements where these have no size.
    offset: i64,
    ty: Type,
}

impl Sroa {
    fn replace(&self, ir: &mut Ir, alloca: Op) -> bool {
        let buffer = ir.result(alloca, 0);
        let Some(accesses) = accesses(ir, buffer) else { return false };
        let mut slots: IndexMap<Slot, Vec<Op>> = IndexMap::new();
        for (op, slot) in accesses {
            slots.entry(slot).or_default().push(op);
        }
        slots.sort_unstable_by(|a, _, b, _| (a.offset, a.ty).cmp(&(b.offset, b.ty)));
        let overlap = slots
            .keys()
            .zip(slots.keys().skip(1))
            .any(|(slot, next)| slot.offset.saturating_add(size(ir, slot.ty)) > next.offset);
        if overlap || slots.len() > self.max_elements {
            return false;
        }
        let space = ir.ctx.memory_space(ir.ty(buffer)).flatten();
        for (slot, accesses) in slots {
            let ty = ir.ctx.memref_in(&[], slot.ty, None, space);
            let b = &mut Builder::before(ir, alloca);
            let variable = memref::AllocaOp::new(b, &[], &[]).result(ty).value(b);
            for op in accesses {
                redirect(ir, op, variable);
            }
        }
        for user in ir.users(buffer).collect::<Vec<_>>() {
            ir.erase_op(user);
        }
        ir.erase_op(alloca);
        true
    }
}

/// Bytes of a scalar; 1 where it has no size, and offsets are in elements.
fn size(ir: &mut Ir, ty: Type) -> i64 {
    let of = ir.ctx.memref(&[], ty);
    memref::element_bytes(&ir.ctx, of).and_then(|bytes| bytes.try_into().ok()).unwrap_or(1)
}

/// Makes a load or store one of the whole of `variable`.
fn redirect(ir: &mut Ir, op: Op, variable: Value) {
    let b = &mut Builder::before(ir, op);
    match b.memory_access(op).and_then(|access| access.stored()) {
        Some(value) => {
            memref::StoreOp::new(b, value, variable, &[]).build(b);
            ir.erase_op(op);
        }
        None => {
            let value = memref::LoadOp::new(b, variable, &[]).value(b);
            ir.replace_op(op, &[value]);
        }
    }
}

/// Every access to a buffer with the part it is to; `None` where one is to no part that is known.
fn accesses(ir: &mut Ir, buffer: Value) -> Option<Vec<(Op, Slot)>> {
    let ty = ir.ty(buffer);
    let shape = ir.ctx.shape(ty)?.to_vec();
    let element = ir.ctx.element(ty)?;
    let plain = ir.ctx.memref_in(&shape, element, None, ir.ctx.memory_space(ty)?);
    if shape.is_empty() || plain != ty || shape.iter().any(|&extent| extent < 0) {
        return None;
    }
    let bytes = size(ir, element);
    let mut found = Vec::new();
    // The latest use comes first; slots are found in the order of the program.
    let mut uses: Vec<_> = ir.uses(buffer).collect();
    uses.reverse();
    for slot in uses {
        let (user, operand) = (ir.use_owner(slot), ir.use_index(slot));
        if let Some(view) = memref::ViewOp::cast(ir, user) {
            let offset = arith::constant_index_value(ir, view.byte_shift(ir))?;
            let seen = view.result(ir);
            let ty = ir.ctx.element(ir.ty(seen))?;
            let end = offset.checked_add(size(ir, ty))?;
            if !ir.ctx.shape(ir.ty(seen))?.is_empty() || offset < 0 || end > shape[0] {
                return None;
            }
            for inner in ir.uses(seen).collect::<Vec<_>>() {
                let (op, operand) = (ir.use_owner(inner), ir.use_index(inner));
                subscripts(ir, op, operand)?;
                found.push((op, Slot { offset, ty }));
            }
        } else {
            let mut position = 0i64;
            for (subscript, &extent) in subscripts(ir, user, operand)?.into_iter().zip(&shape) {
                if !(0..extent).contains(&subscript) {
                    return None;
                }
                position = position.checked_mul(extent)?.checked_add(subscript)?;
            }
            let offset = position.checked_mul(bytes)?;
            found.push((user, Slot { offset, ty: element }));
        }
    }
    Some(found)
}

/// The constant subscripts of a plain access to one element, if operand `operand` of `op` is its
/// buffer.
fn subscripts(ir: &Ir, op: Op, operand: usize) -> Option<Vec<i64>> {
    let access = ir.memory_access(op)?;
    let plain = !access.kind.is_atomic() && access.extents.is_empty();
    if !plain || operand != access.buffer_operand {
        return None;
    }
    match access.subscripts {
        Subscripts::Values(values) => {
            values.iter().map(|&value| arith::constant_index_value(ir, value)).collect()
        }
        Subscripts::Map(map, _) => {
            ir.ctx.map_data(map).results.iter().map(|&expr| ir.ctx.expr_constant(expr)).collect()
        }
    }
}

/// Erases a buffer that nothing reads with all stores to it.
fn erase_if_only_written(ir: &mut Ir, alloca: Op) -> bool {
    let buffer = ir.result(alloca, 0);
    let only_written = ir.uses(buffer).all(|slot| {
        let (user, operand) = (ir.use_owner(slot), ir.use_index(slot));
        ir.memory_access(user).is_some_and(|access| {
            access.kind == AccessKind::Write && access.buffer_operand == operand
        })
    });
    if only_written {
        for user in ir.users(buffer).collect::<Vec<_>>() {
            ir.erase_op(user);
        }
        ir.erase_op(alloca);
    }
    only_written
}
