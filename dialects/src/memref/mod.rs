//! `memref`: buffers with a shape, a layout and a memory space; their allocation, their elements
//! and views of them.

use gpuc_ir::OpView;
use gpuc_ir::context::DialectDef;

mod access;
mod allocate;
mod allocate_patterns;
mod atomic;
mod dma;
mod effects;
mod folds;
mod global;
mod inspect;
mod layout;
mod reshape;
mod reshape_verify;
mod subview_patterns;
mod syntax;
mod view;
mod view_verify;

pub use access::*;
pub use allocate::*;
pub use atomic::*;
pub use dma::*;
pub use folds::dynamic_extent;
pub use global::*;
pub use inspect::*;
pub use layout::*;
pub use reshape::*;
pub use reshape_verify::reassociation_groups;
pub use view::*;

pub(crate) use effects::{allocate, free, no_effects, read, write};
pub(crate) use folds::fold_cast_operand;
pub(crate) use syntax::{DYNAMIC_INDEX_LIST, PREFETCH, argument};

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "memref",
    summary: "Buffers with a shape, a layout and a memory space.",
    ops: &[
        AllocOp::def,
        AllocaOp::def,
        AllocaScopeOp::def,
        AllocaScopeReturnOp::def,
        AssumeAlignmentOp::def,
        AtomicRMWOp::def,
        AtomicYieldOp::def,
        CastOp::def,
        CollapseShapeOp::def,
        CopyOp::def,
        DeallocOp::def,
        DimOp::def,
        DmaStartOp::def,
        DmaWaitOp::def,
        ExpandShapeOp::def,
        ExtractAlignedPointerAsIndexOp::def,
        ExtractStridedMetadataOp::def,
        GenericAtomicRMWOp::def,
        GetGlobalOp::def,
        GlobalOp::def,
        LoadOp::def,
        MemorySpaceCastOp::def,
        PrefetchOp::def,
        RankOp::def,
        ReallocOp::def,
        ReinterpretCastOp::def,
        ReshapeOp::def,
        StoreOp::def,
        SubViewOp::def,
        TransposeOp::def,
        ViewOp::def,
    ],
    materialize: None,
};
