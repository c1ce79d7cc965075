//! `affine-scalrep`: values go from store to load, and from load to load, without memory.
//!
//! Needs affine accesses. A load of elements that a store, or another load, has touched before gives way to that value
//! where nothing between may write them; a store whose elements are written again before anybody reads them goes; and
//! so does a buffer of the function that only stores are left of. Which accesses those are is told by
//! [`Reaching`]. Named as MLIR's pass, whose result it has.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineLoadOp, AffineStoreOp, AffineVectorLoadOp, AffineVectorStoreOp};
use gpuc_ir::op::EffectKind;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};
use indexmap::IndexSet;

use crate::analysis::nest::reaching::Reaching;

gpuc_ir::pass! {
    /// Replace affine loads by what is known to be in memory, and erase stores that nobody sees.
    AffineScalrep = "affine-scalrep" on "func.func" {}
}

impl Pass for AffineScalrep {
    fn run(&mut self, ir: &mut Ir, func: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        replace_scalars(ir, func);
        Ok(())
    }
}

/// Replaces loads inside `op` by what is known to be in memory, then erases stores and buffers without readers.
pub fn replace_scalars(ir: &mut Ir, op: Op) {
    let mut reaching = Reaching::default();
    let mut stored_to = IndexSet::new();
    for load in ir.nested_ops(op, WalkOrder::PreOrder) {
        if !reads(ir, load) {
            continue;
        }
        let wanted = |op| reads(ir, op) || writes(ir, op);
        let Some(before) = reaching.seen_before(ir, load, &wanted) else { continue };
        let Some(from) = ir.memory_access(before) else { continue };
        if from.stored().is_some() {
            stored_to.insert(from.buffer);
        }
        ir.replace_op(load, &[from.value]);
    }
    for store in ir.nested_ops(op, WalkOrder::PreOrder) {
        if writes(ir, store) && reaching.overwritten(ir, store, &|op| writes(ir, op)).is_some() {
            ir.erase_op(store);
        }
    }
    for buffer in stored_to {
        erase_unread(ir, buffer);
    }
}

fn reads(ir: &Ir, op: Op) -> bool {
    AffineLoadOp::is(ir, op) || AffineVectorLoadOp::is(ir, op)
}

fn writes(ir: &Ir, op: Op) -> bool {
    AffineStoreOp::is(ir, op) || AffineVectorStoreOp::is(ir, op)
}

/// Erases a buffer that is allocated here, with all its users, if these only store to it and free it.
fn erase_unread(ir: &mut Ir, buffer: Value) {
    let Some(allocation) = ir.defining_op(buffer) else { return };
    let does = |ir: &Ir, op: Op, wanted: EffectKind| {
        ir.results(op).iter().all(|&result| result == buffer)
            && ir.effects(op).is_some_and(|effects| {
                matches!(&effects[..], [effect] if effect.kind == wanted && effect.on == Some(buffer))
            })
    };
    if !does(ir, allocation, EffectKind::Allocate) {
        return;
    }
    let users: IndexSet<Op> = ir.users(buffer).collect();
    let unread = users.iter().all(|&user| match ir.memory_access(user) {
        Some(access) => writes(ir, user) && access.buffer == buffer && access.value != buffer,
        None => does(ir, user, EffectKind::Free),
    });
    if unread {
        users.into_iter().for_each(|user| ir.erase_op(user));
        ir.erase_op(allocation);
    }
}
