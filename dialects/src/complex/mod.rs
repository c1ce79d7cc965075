//! `complex`: complex numbers.
//!
//! The parts are floats for all that computes. A fold computes in f64 and rounds once, as those of [`math`](crate::math)
//! do; functions are folded into each other where that holds for all numbers: `exp` of `log`, but not `log` of `exp`, whose
//! imaginary part is one of many.

use gpuc_ir::OpView;
use gpuc_ir::context::DialectDef;

mod fold;
mod ops;

pub use ops::*;

pub(crate) use fold::BITCAST;
use fold::materialize;

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "complex",
    summary: "Arithmetic on complex numbers.",
    ops: &[
        AbsOp::def,
        AddOp::def,
        AngleOp::def,
        Atan2Op::def,
        BitcastOp::def,
        ConjOp::def,
        ConstantOp::def,
        CosOp::def,
        CreateOp::def,
        DivOp::def,
        EqualOp::def,
        ExpOp::def,
        Expm1Op::def,
        ImOp::def,
        LogOp::def,
        Log1pOp::def,
        MulOp::def,
        NegOp::def,
        NotEqualOp::def,
        PowOp::def,
        ReOp::def,
        RsqrtOp::def,
        SignOp::def,
        SinOp::def,
        SqrtOp::def,
        SubOp::def,
        TanOp::def,
        TanhOp::def,
    ],
    materialize: Some(materialize),
};
