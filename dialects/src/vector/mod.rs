//! `vector`: short vectors, as far as vector accesses and arithmetic need them.

use gpuc_ir::OpView;
use gpuc_ir::context::DialectDef;

mod access;
mod arithmetic;
mod cast;
mod contract;
mod element;
mod fold;
mod mask;
mod masked;
mod masked_access;
mod print;
mod rearrange;
mod reduce;
mod transfer;
mod transfer_syntax;
mod transfer_verify;
mod verify;

pub use access::*;
pub use arithmetic::*;
pub use cast::*;
pub use contract::*;
pub use element::*;
pub use mask::*;
pub use masked::*;
pub use masked_access::*;
pub use print::*;
pub use rearrange::*;
pub use reduce::*;
pub use transfer::*;
pub use transfer_syntax::{transfer_identity_map, transfer_mask_type};

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "vector",
    summary: "Short vectors: accesses, elements, reductions.",
    ops: &[
        BitCastOp::def,
        BroadcastOp::def,
        CompressStoreOp::def,
        ConstantMaskOp::def,
        ContractionOp::def,
        CreateMaskOp::def,
        DeinterleaveOp::def,
        ExpandLoadOp::def,
        ExtractElementOp::def,
        ExtractOp::def,
        ExtractStridedSliceOp::def,
        FMAOp::def,
        FromElementsOp::def,
        GatherOp::def,
        InsertElementOp::def,
        InsertOp::def,
        InsertStridedSliceOp::def,
        InterleaveOp::def,
        LoadOp::def,
        MaskOp::def,
        MaskedLoadOp::def,
        MaskedStoreOp::def,
        MultiDimReductionOp::def,
        OuterProductOp::def,
        PrintOp::def,
        ReductionOp::def,
        ScanOp::def,
        ScatterOp::def,
        ShapeCastOp::def,
        ShuffleOp::def,
        SplatOp::def,
        StepOp::def,
        StoreOp::def,
        TransferReadOp::def,
        TransferWriteOp::def,
        TransposeOp::def,
        TypeCastOp::def,
        VectorScaleOp::def,
        WarpExecuteOnLane0Op::def,
        YieldOp::def,
    ],
    materialize: None,
};
