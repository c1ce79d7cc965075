//! `gpu`: kernels, their launches, and what threads of a kernel know and do together.

use gpuc_ir::OpView;
use gpuc_ir::context::DialectDef;

mod attributes;
mod collective;
mod function;
mod ids;
mod launch;
mod matrix;
mod memory;
mod module;
mod region_syntax;
mod sparse;
mod syntax;
mod verify;

pub use attributes::*;
pub use collective::*;
pub use function::*;
pub use ids::*;
pub use launch::*;
pub use matrix::*;
pub use memory::*;
pub use module::*;
pub use sparse::*;

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
        ClusterDimBlocksOp::def,
        ClusterDimOp::def,
        ClusterIdOp::def,
        Create2To4SpMatOp::def,
        CreateBsrOp::def,
        CreateCooAoSOp::def,
        CreateCooOp::def,
        CreateCscOp::def,
        CreateCsrOp::def,
        CreateDnTensorOp::def,
        DeallocOp::def,
        DestroyDnTensorOp::def,
        DestroySpMatOp::def,
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
        SDDMMBufferSizeOp::def,
        SDDMMOp::def,
        SetCsrPointersOp::def,
        SetDefaultDeviceOp::def,
        ShuffleOp::def,
        SpGEMMCopyOp::def,
        SpGEMMCreateDescrOp::def,
        SpGEMMDestroyDescrOp::def,
        SpGEMMWorkEstimationOrComputeOp::def,
        SpMMBufferSizeOp::def,
        SpMMOp::def,
        SpMVBufferSizeOp::def,
        SpMVOp::def,
        SpMatGetSizeOp::def,
        SubgroupIdOp::def,
        SubgroupMmaComputeOp::def,
        SubgroupMmaConstantMatrixOp::def,
        SubgroupMmaElementwiseOp::def,
        SubgroupMmaLoadMatrixOp::def,
        SubgroupMmaStoreMatrixOp::def,
        SubgroupReduceOp::def,
        SubgroupSizeOp::def,
        TerminatorOp::def,
        ThreadIdOp::def,
        WaitOp::def,
        YieldOp::def,
    ],
    materialize: None,
};
