//! `nvvm`: of MLIR's dialect what a kernel says about its registers, and how lanes of a warp wait for
//! each other.

use gpuc_ir::context::DialectDef;
use gpuc_ir::op::types::I32;
use gpuc_ir::{OpView, op};

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "nvvm",
    summary: "Registers of kernels, and lanes that wait for each other.",
    ops: &[SyncWarpOp::def],
    materialize: None,
};

/// Name of the attribute that says how many blocks of a kernel a multiprocessor is to hold at least.
pub const MIN_BLOCKS: &str = "nvvm.minctasm";

op! {
    /// Waits for the lanes of the warp whose bits are set in a mask, and makes their memory accesses
    /// visible to each other (`bar.warp.sync`, PTX ISA §9.7.13.2).
    SyncWarpOp = "nvvm.bar.warp.sync" {
        operands { mask: One I32 }
        format "$mask attr-dict `:` type($mask)"
    }
}
