//! `gpu-launch-sink-index-computations`: what is cheaper to compute again than to hand over goes into the kernels.
//!
//! Needs `gpu.launch`. Constants, extents of buffers, comparisons and selections that a launch uses from around it are
//! copied to its start, where all that they use is used in there anyway or can be copied too. The originals stay:
//! dead ones are for `canonicalize`. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, gpu, memref};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};
use indexmap::IndexSet;

use super::launches;
use crate::analysis::slice::is_defined_inside;

gpuc_ir::pass! {
    /// Compute constants and extents inside the launches that use them.
    GpuLaunchSinkIndexComputations = "gpu-launch-sink-index-computations" {}
}

impl Pass for GpuLaunchSinkIndexComputations {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for launch in launches(ir, op) {
            sink(ir, launch);
        }
        Ok(())
    }
}

/// Whether computing it again costs little and changes nothing.
fn is_cheap(ir: &Ir, op: Op) -> bool {
    arith::ConstantOp::is(ir, op)
        || memref::DimOp::is(ir, op)
        || arith::SelectOp::is(ir, op)
        || arith::CmpIOp::is(ir, op)
}

/// Copies what is cheap into a launch; the number of operations copied.
pub fn sink(ir: &mut Ir, launch: Op) -> usize {
    let Some(entry) = ir.entry_block(gpu::LaunchOp(launch).body(ir)) else { return 0 };
    // Operands of the launch itself are not used in its body.
    let mut used: IndexSet<Value> = IndexSet::new();
    for inner in ir.nested_ops(launch, WalkOrder::PreOrder).into_iter().skip(1) {
        used.extend(ir.operands(inner).filter(|&value| !is_defined_inside(ir, value, launch)));
    }
    let mut available: IndexSet<Value> = IndexSet::new();
    let mut wanted: IndexSet<Op> = IndexSet::new();
    for &value in &used {
        if let Some(op) = ir.defining_op(value) {
            collect(ir, op, &used, &mut available, &mut wanted);
        }
    }
    let location = ir.location(launch);
    let mut map = ValueMap::new();
    let mut b = Builder::at_start(ir, entry, location);
    for &op in &wanted {
        let copy = b.clone_op(op, &mut map);
        b.insert(copy);
    }
    for &op in &wanted {
        for result in ir.results(op).to_vec() {
            ir.replace_uses_if(result, map.get(result), |ir, slot| {
                let owner = ir.use_owner(slot);
                owner != launch && ir.is_inside(owner, launch)
            });
        }
    }
    wanted.len()
}

/// Adds an operation behind those that it needs, if it is cheap and they are used inside or can be added.
fn collect(
    ir: &Ir,
    op: Op,
    used: &IndexSet<Value>,
    available: &mut IndexSet<Value>,
    wanted: &mut IndexSet<Op>,
) -> bool {
    if wanted.contains(&op) {
        return true;
    }
    if !is_cheap(ir, op) {
        return false;
    }
    for operand in ir.operands(op) {
        if available.contains(&operand) {
            continue;
        }
        let definition = ir.defining_op(operand);
        let is_made = definition.is_some_and(|op| collect(ir, op, used, available, wanted));
        if !is_made && !used.contains(&operand) {
            return false;
        }
    }
    wanted.insert(op);
    available.extend(ir.results(op));
    true
}
