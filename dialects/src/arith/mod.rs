//! `arith`: integer and floating-point arithmetic on scalars and, element by element, on vectors.
//!
//! Integers are signless; the operation says how it reads them. Integer arithmetic wraps to the
//! width of the type (64 bits for `index`); what is undefined (division by zero, shifts by the
//! width or more) is never folded.

use gpuc_ir::OpView;
use gpuc_ir::context::DialectDef;

mod cast;
mod cast_fold;
mod cast_patterns;
mod compare;
mod compare_fold;
mod constant;
mod flags;
mod float;
pub mod fold;
mod integer;
mod integer_fold;
mod integer_patterns;
mod select;

pub use cast::*;
pub use compare::*;
pub use constant::*;
pub use flags::*;
pub use float::*;
pub use fold::Number;
pub use integer::*;
pub use select::*;

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "arith",
    summary: "Integer and floating-point arithmetic, comparisons, casts and constants.",
    ops: &[
        ConstantOp::def,
        AddIOp::def,
        AddUIExtendedOp::def,
        SubIOp::def,
        MulIOp::def,
        MulSIExtendedOp::def,
        MulUIExtendedOp::def,
        DivUIOp::def,
        DivSIOp::def,
        CeilDivUIOp::def,
        CeilDivSIOp::def,
        FloorDivSIOp::def,
        RemUIOp::def,
        RemSIOp::def,
        AndIOp::def,
        OrIOp::def,
        XOrIOp::def,
        ShLIOp::def,
        ShRUIOp::def,
        ShRSIOp::def,
        MaxSIOp::def,
        MaxUIOp::def,
        MinSIOp::def,
        MinUIOp::def,
        NegFOp::def,
        AddFOp::def,
        SubFOp::def,
        MaximumFOp::def,
        MinimumFOp::def,
        MaxNumFOp::def,
        MinNumFOp::def,
        MulFOp::def,
        DivFOp::def,
        RemFOp::def,
        ExtUIOp::def,
        ExtSIOp::def,
        ExtFOp::def,
        TruncIOp::def,
        TruncFOp::def,
        UIToFPOp::def,
        SIToFPOp::def,
        FPToUIOp::def,
        FPToSIOp::def,
        IndexCastOp::def,
        IndexCastUIOp::def,
        BitcastOp::def,
        CmpIOp::def,
        CmpFOp::def,
        SelectOp::def,
    ],
    materialize: Some(materialize),
};
