//! `vector`: short vectors, as far as vector accesses and arithmetic need them.

use gpuc_ir::OpView;
use gpuc_ir::context::DialectDef;

mod access;
mod arithmetic;
mod cast;
mod element;
mod fold;
mod print;
mod transfer;
mod transfer_syntax;
mod transfer_verify;
mod verify;

pub use access::*;
pub use arithmetic::*;
pub use cast::*;
pub use element::*;
pub use print::*;
pub use transfer::*;
pub use transfer_syntax::{transfer_identity_map, transfer_mask_type};

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "vector",
    summary: "Short vectors: accesses, elements, reductions.",
    ops: &[
        BitCastOp::def,
        BroadcastOp::def,
        ExtractElementOp::def,
        ExtractOp::def,
        FMAOp::def,
        InsertElementOp::def,
        InsertOp::def,
        LoadOp::def,
        PrintOp::def,
        ReductionOp::def,
        ShapeCastOp::def,
        ShuffleOp::def,
        SplatOp::def,
        StoreOp::def,
        TransferReadOp::def,
        TransferWriteOp::def,
    ],
    materialize: None,
};
