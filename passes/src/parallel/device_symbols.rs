//! What kernels refer to besides their arguments: functions of the program that stay calls, constants. It goes to
//! the module of the kernels, where symbols are looked up (MLIR's symbol tables do not look outwards).

use gpuc_dialects::func::FuncOp;
use gpuc_dialects::memref::GlobalOp;
use gpuc_dialects::offload::LINKAGE_ATTR;
use gpuc_ir::attrs::AttrKind;
use gpuc_ir::{Ir, Op, OpView};

use super::kernel::kernel_module;

/// Moves functions and constants that device code uses, and functions that other modules may call, from `module`
/// to its kernels. Functions without a body that say of no other module are a library's, and stay.
pub(super) fn move_to_kernels(ir: &mut Ir, module: Op) {
    let body = ir.body(module, 0);
    let moves = |ir: &Ir, op: Op| match FuncOp::is(ir, op) {
        true => {
            let is_device = !ir.blocks(ir.region(op, 0)).is_empty() && !is_host(ir, op);
            is_device || ir.attr(op, LINKAGE_ATTR).is_some()
        }
        false => GlobalOp::is(ir, op),
    };
    let mut pending: Vec<Op> = Vec::new();
    for op in ir.ops(body).collect::<Vec<_>>() {
        if ir.attr(op, LINKAGE_ATTR).is_some_and(|attr| ir.ctx.string_value(attr) != Some("extern"))
        {
            let kernels = kernel_module(ir, module);
            move_into(ir, op, kernels);
            pending.push(op);
        }
    }
    let kernels = ir.ops(body).find(|&op| gpuc_dialects::gpu::GPUModuleOp::is(ir, op));
    let Some(kernels) = kernels else { return };
    pending.push(kernels);
    while let Some(user) = pending.pop() {
        for (_, symbol) in ir.symbol_uses(user) {
            let AttrKind::Symbol { root, nested } = ir.ctx.attr_kind(symbol) else { continue };
            let (root, is_plain) = (*root, nested.is_empty());
            if !is_plain || ir.symbol_in(kernels, root).is_some() {
                continue;
            }
            let Some(found) = ir.symbol_in(module, root).filter(|&op| moves(ir, op)) else {
                continue;
            };
            move_into(ir, found, kernels);
            pending.push(found);
        }
    }
}

/// Whether a function is the host's: one that a construct has become.
fn is_host(ir: &Ir, function: Op) -> bool {
    ir.attr(function, gpuc_dialects::offload::SITE_ATTR).is_some()
}

fn move_into(ir: &mut Ir, op: Op, kernels: Op) {
    ir.detach_op(op);
    let block = ir.body(kernels, 0);
    match ir.first_op(block) {
        Some(first) => ir.insert_before(first, op),
        None => ir.append_op(block, op),
    }
}
