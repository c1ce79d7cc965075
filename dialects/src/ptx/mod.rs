//! `ptx`: one operation is one PTX instruction, its results are virtual registers.
//!
//! Registers are values of builtin types: `i1` is `.pred`, `i16`, `i32` and `i64` are the untyped
//! classes `.b16`, `.b32` and `.b64`, `f32` and `f64` the floating ones. What an instruction makes
//! of its bits is its `type` (`s32`, `u32`, `b32`, ...), as in PTX. Addresses are `i64`, those of
//! shared memory also `i32`. Control flow is SSA: blocks have arguments, and the printer turns them
//! into moves. Names and modifiers are those of the PTX ISA, 8.5, §9.7.

use gpuc_ir::context::DialectDef;
use gpuc_ir::op::TypeConstraint;
use gpuc_ir::{Attr, Builder, FloatKind, Ir, Op, OpView, Type};

pub mod arithmetic;
pub mod control;
pub mod kinds;
pub mod memory;
pub mod module;

pub use arithmetic::*;
pub use control::*;
pub use memory::*;
pub use module::*;

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "ptx",
    summary: "PTX instructions on virtual registers.",
    ops: &[
        // module
        PtxModuleOp::def,
        PtxFuncOp::def,
        DeviceFuncOp::def,
        VariableOp::def,
        // control
        BraOp::def,
        CondBraOp::def,
        RetOp::def,
        CallOp::def,
        TrapOp::def,
        BarSyncOp::def,
        PragmaOp::def,
        BarWarpSyncOp::def,
        MembarOp::def,
        SpecialOp::def,
        TimerOp::def,
        ShflOp::def,
        VoteOp::def,
        ActivemaskOp::def,
        // arithmetic
        ConstOp::def,
        AddOp::def,
        SubOp::def,
        MulOp::def,
        MadOp::def,
        FmaOp::def,
        DivOp::def,
        RemOp::def,
        MinOp::def,
        MaxOp::def,
        NegOp::def,
        AbsOp::def,
        SqrtOp::def,
        RcpOp::def,
        ApproxOp::def,
        CopysignOp::def,
        AndOp::def,
        OrOp::def,
        XorOp::def,
        NotOp::def,
        ShlOp::def,
        ShrOp::def,
        PopcOp::def,
        ClzOp::def,
        BrevOp::def,
        SetpOp::def,
        SelpOp::def,
        CvtOp::def,
        BitcastOp::def,
        UnpackOp::def,
        PackOp::def,
        // memory
        LdParamOp::def,
        LdOp::def,
        StOp::def,
        CpAsyncOp::def,
        CpAsyncCommitOp::def,
        CpAsyncWaitOp::def,
        AtomOp::def,
        AtomCasOp::def,
        RedOp::def,
        CvtaOp::def,
        AddressOfOp::def,
        LocalOp::def,
    ],
    materialize: Some(materialize),
};

fn materialize(b: &mut Builder<'_>, value: Attr, ty: Type) -> Option<Op> {
    (REGISTER.holds)(&b.ctx, ty).then(|| constant(b, value, ty))
}

/// Creates a constant; it is printed as an immediate.
pub fn constant(b: &mut Builder<'_>, value: Attr, ty: Type) -> Op {
    ConstOp::new(b).attr(b, "value", value).result(ty).build(b)
}

/// A type that a register can have.
pub static REGISTER: TypeConstraint = TypeConstraint {
    summary: "i1, i16, i32, i64, f32 or f64",
    holds: |ctx, ty| match ctx.float_kind(ty) {
        Some(kind) => matches!(kind, FloatKind::F32 | FloatKind::F64),
        None => ctx.is_signless_int(ty) && matches!(ctx.int_width(ty), Some(1 | 16 | 32 | 64)),
    },
    build: None,
};

/// Bits of a register of the type.
pub fn register_width(ir: &Ir, ty: Type) -> u32 {
    match ir.ctx.float_kind(ty) {
        Some(kind) => kind.width(),
        None => ir.ctx.int_width(ty).unwrap_or(0),
    }
}
