//! `math`: elementary functions on scalars and, element by element, on vectors.

use gpuc_ir::OpView;
use gpuc_ir::context::DialectDef;

mod float;
mod integer;

pub use float::*;
pub use integer::*;

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "math",
    summary: "Elementary functions on scalars and vectors.",
    ops: &[
        AbsFOp::def,
        AbsIOp::def,
        AcosOp::def,
        AcoshOp::def,
        AsinOp::def,
        AsinhOp::def,
        AtanOp::def,
        AtanhOp::def,
        Atan2Op::def,
        CbrtOp::def,
        CeilOp::def,
        CopySignOp::def,
        CosOp::def,
        CoshOp::def,
        SinOp::def,
        SinhOp::def,
        CountLeadingZerosOp::def,
        CountTrailingZerosOp::def,
        CtPopOp::def,
        ErfOp::def,
        ExpOp::def,
        Exp2Op::def,
        ExpM1Op::def,
        FloorOp::def,
        FmaOp::def,
        IPowIOp::def,
        LogOp::def,
        Log10Op::def,
        Log1pOp::def,
        Log2Op::def,
        PowFOp::def,
        RsqrtOp::def,
        SqrtOp::def,
        TanOp::def,
        TanhOp::def,
        RoundEvenOp::def,
        RoundOp::def,
        TruncOp::def,
        FPowIOp::def,
    ],
    materialize: None,
};
