//! `gpu`: kernels, their launches, and what threads of a kernel know and do together.

use gpuc_ir::OpView;
use gpuc_ir::context::DialectDef;

mod attributes;
mod collective;
mod function;
mod ids;
mod launch;
mod memory;
mod module;
mod region_syntax;
mod syntax;
mod verify;

pub use attributes::*;
pub use collective::*;
pub use function::*;
pub use ids::*;
pub use launch::*;
pub use memory::*;
pub use module::*;

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "gpu",
    summary: "Kernels, their launches, and what threads know and do together.",
    ops: &[
        AllReduceOp::def,
        AllocOp::def,
        BarrierOp::def,
        BlockDimOp::def,
        BlockIdOp::def,
        ClusterBlockIdOp::def,
        ClusterDimOp::def,
        ClusterDimBlocksOp::def,
        ClusterIdOp::def,
        DeallocOp::def,
        DynamicSharedMemoryOp::def,
        GPUFuncOp::def,
        GPUModuleOp::def,
        GlobalIdOp::def,
        GridDimOp::def,
        HostRegisterOp::def,
        HostUnregisterOp::def,
        LaneIdOp::def,
        LaunchFuncOp::def,
        LaunchOp::def,
        MemcpyOp::def,
        MemsetOp::def,
        ModuleEndOp::def,
        NumSubgroupsOp::def,
        PrintfOp::def,
        ReturnOp::def,
        SetDefaultDeviceOp::def,
        ShuffleOp::def,
        SubgroupIdOp::def,
        SubgroupReduceOp::def,
        SubgroupSizeOp::def,
        TerminatorOp::def,
        ThreadIdOp::def,
        WaitOp::def,
        YieldOp::def,
    ],
    materialize: None,
};
