//! From kernels of structured code to control flow graphs of scalar operations.

mod address;
pub mod advance_loads;
pub mod break_down_vectors;
pub mod carry_elements;
pub mod convert_scf_to_cf;
pub mod dynamic_shared_memory;
pub mod expand_index_ops;
pub mod expand_realloc;
pub mod fold_memref_alias_ops;
pub mod hoist_loads;
pub mod index_set_splitting;
pub mod loop_unroll;
pub mod lower_accesses;
pub mod lower_affine;
pub mod lower_reductions;
pub mod narrow_loops;
mod recurrence;
pub mod scf_to_cf;
pub mod shuffle;
pub mod vectorize_loads;

use gpuc_dialects::{gpu, scf};
use gpuc_ir::{Ir, Op, OpView, WalkOrder};

/// Changes the loops of the kernels of a module, inner ones first.
fn on_loops_of_kernels(ir: &mut Ir, module: Op, mut change: impl FnMut(&mut Ir, scf::ForOp)) {
    for func in ir.nested_ops(module, WalkOrder::PreOrder) {
        if !gpu::GPUFuncOp::is(ir, func) {
            continue;
        }
        for op in ir.nested_ops(func, WalkOrder::PostOrder) {
            if let Some(view) = scf::ForOp::cast(ir, op) {
                change(ir, view);
            }
        }
    }
}
