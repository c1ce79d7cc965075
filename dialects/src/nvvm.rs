//! `nvvm`: of MLIR's dialect what a kernel says about its registers, how lanes of a warp wait for each
//! other, and copies that the memory carries out while threads compute.

use gpuc_ir::context::DialectDef;
use gpuc_ir::op::attrs::I32 as NUMBER;
use gpuc_ir::op::types::I32;
use gpuc_ir::{OpView, op};

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "nvvm",
    summary: "Registers of kernels, lanes that wait for each other, and copies in the background.",
    ops: &[SyncWarpOp::def, CpAsyncCommitGroupOp::def, CpAsyncWaitGroupOp::def],
    materialize: None,
};

/// Name of the attribute that says how many blocks of a kernel a multiprocessor is to hold at least.
pub const MIN_BLOCKS: &str = "nvvm.minctasm";

/// Name of the attribute that says how many registers a thread of a kernel has at most, whatever blocks a multiprocessor is to hold.
pub const MAX_REGISTERS: &str = "nvvm.maxnreg";

/// Name of the attribute of a store to memory of the block that may be carried out at any time up to the thread's
/// [`CpAsyncWaitGroupOp`] for its group: of a value from global memory it becomes `cp.async` (PTX ISA §9.7.9.25.3), which
/// needs no register. Carried out at once it is as right.
pub const ASYNC: &str = "nvvm.async";

op! {
    /// Waits for the lanes of the warp whose bits are set in a mask, and makes their memory accesses
    /// visible to each other (`bar.warp.sync`, PTX ISA §9.7.13.2).
    SyncWarpOp = "nvvm.bar.warp.sync" {
        operands { mask: One I32 }
        format "$mask attr-dict `:` type($mask)"
    }
}

op! {
    /// Makes a group of the thread's copies in the background since the last one (`cp.async.commit_group`, PTX ISA
    /// §9.7.9.25.3.2).
    CpAsyncCommitGroupOp = "nvvm.cp.async.commit.group" {
        format "attr-dict"
    }
}

op! {
    /// Waits until at most the `n` latest groups of the thread's copies in the background are not complete
    /// (`cp.async.wait_group`, PTX ISA §9.7.9.25.3.3). Other threads see them behind a barrier.
    CpAsyncWaitGroupOp = "nvvm.cp.async.wait.group" {
        attrs { n: Required NUMBER }
        format "$n attr-dict"
    }
}
