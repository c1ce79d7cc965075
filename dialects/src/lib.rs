//! The dialects, one module each, every op with its verifier, folder, syntax and interfaces in one
//! place.
//!
//! [`register_all`] makes a context know them. The textual form of the upstream dialects is MLIR
//! 19's.

use gpuc_ir::Context;
use gpuc_ir::context::DialectDef;

pub mod affine;
pub mod arith;
pub mod builtin;
pub mod cf;
pub mod complex;
mod enumeration;
pub mod func;
pub mod gpu;
pub mod index;
pub mod llvm;
pub mod math;
pub mod memref;
pub mod nvvm;
pub mod offload;
pub mod ptr;
pub mod ptx;
pub mod scf;
pub mod test;
pub mod ub;
pub mod vector;

/// Every dialect, in the order of the levels they serve.
pub const ALL: &[&DialectDef] = &[
    &builtin::DIALECT,
    &func::DIALECT,
    &arith::DIALECT,
    &math::DIALECT,
    &complex::DIALECT,
    &index::DIALECT,
    &ub::DIALECT,
    &cf::DIALECT,
    &scf::DIALECT,
    &memref::DIALECT,
    &vector::DIALECT,
    &affine::DIALECT,
    &gpu::DIALECT,
    &llvm::DIALECT,
    &nvvm::DIALECT,
    &offload::DIALECT,
    &ptr::DIALECT,
    &ptx::DIALECT,
];

/// Registers every dialect.
pub fn register_all(ctx: &mut Context) {
    for dialect in ALL {
        ctx.register(dialect);
    }
}

#[cfg(test)]
mod tests {
    use super::ALL;

    /// Operations with subscripts and effects say what they access, or every analysis gives up at
    /// them; so do loops that count.
    #[test]
    fn accesses_and_loops_declare_themselves() {
        // Hints, transfers whose elements a permutation and a mask choose, and matrices.
        let exempt = [
            "memref.prefetch",
            "affine.prefetch",
            "vector.transfer_read",
            "vector.transfer_write",
            "vector.maskedload",
            "vector.maskedstore",
            "vector.gather",
            "vector.scatter",
            "vector.expandload",
            "vector.compressstore",
            "gpu.subgroup_mma_load_matrix",
            "gpu.subgroup_mma_store_matrix",
        ];
        for def in ALL.iter().flat_map(|dialect| dialect.ops).map(|def| def()) {
            let subscripts = def.operands.iter().any(|operand| operand.name == "indices");
            if subscripts && def.hooks.effects.is_some() && !exempt.contains(&def.name) {
                let access = def.hooks.access;
                assert!(access.is_some_and(|access| access.fits(def.operands)), "{}", def.name);
            }
            let repeats = def.hooks.loop_regions.is_some();
            let counts = def.name.ends_with(".for") || def.name.ends_with(".parallel");
            assert_eq!(def.hooks.counted_loop.is_some(), repeats && counts, "{}", def.name);
        }
    }
}
