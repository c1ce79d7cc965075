//! `index`: arithmetic on `index` alone, whatever its width is.
//!
//! The width of `index` is a matter of the target: a fold happens where computing with 32 bits and with 64 agree in
//! the low 32, as upstream's do. Here `index` has 64 bits when it is executed.

use gpuc_ir::OpView;
use gpuc_ir::context::DialectDef;

mod fold;
mod ops;

use ops::materialize;
pub use ops::*;

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "index",
    summary: "Arithmetic on numbers of the target's width.",
    ops: &[
        AddOp::def,
        AndOp::def,
        BoolConstantOp::def,
        CastSOp::def,
        CastUOp::def,
        CeilDivSOp::def,
        CeilDivUOp::def,
        CmpOp::def,
        ConstantOp::def,
        DivSOp::def,
        DivUOp::def,
        FloorDivSOp::def,
        MaxSOp::def,
        MaxUOp::def,
        MinSOp::def,
        MinUOp::def,
        MulOp::def,
        OrOp::def,
        RemSOp::def,
        RemUOp::def,
        ShlOp::def,
        ShrSOp::def,
        ShrUOp::def,
        SizeOfOp::def,
        SubOp::def,
        XOrOp::def,
    ],
    materialize: Some(materialize),
};
