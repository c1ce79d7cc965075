//! `test`: operations of mlir-opt's dialect of that name, which try what is generic.
//!
//! They compute nothing: texts use them to see how groups of operands are counted, what folding, canonicalisation and
//! dead code do with regions, where constants go. `gpuc-opt` alone knows them, and takes any other operation of the
//! dialect too; the compiler makes none, and the interpreter does not execute them.

use gpuc_ir::OpView;
use gpuc_ir::context::DialectDef;

mod fold;
mod groups;
mod regions;

use fold::materialize;
pub use fold::*;
pub use groups::*;
pub use regions::*;

/// The dialect. It is not among [`super::ALL`].
pub static DIALECT: DialectDef = DialectDef {
    name: "test",
    summary: "Operations that try what is generic.",
    ops: &[
        AffineScopeOp::def,
        AnyCondOp::def,
        BranchOp::def,
        ConstantOp::def,
        DialectCanonicalizableOp::def,
        FoldToCallOp::def,
        GraphRegionOp::def,
        ManualFoldOp::def,
        MixedVariadicOperandOp::def,
        MixedVariadicResultOp::def,
        OneRegionOp::def,
        OpCommutative::def,
        OpWithRegionFold::def,
        OpWithRegionFoldNoSideEffect::def,
        OpWithRegionPattern::def,
        OpWithRegionTerminator::def,
        OpWithVariadicResultsAndFolder::def,
        PolyForOp::def,
        RegionIfOp::def,
        RegionIfYieldOp::def,
        SingleNoTerminatorCustomAsmOp::def,
        SingleNoTerminatorOp::def,
        SizedRegionOp::def,
        TestEffectsResultOp::def,
        TwoRegionOp::def,
        VariadicNoTerminatorOp::def,
    ],
    materialize: Some(materialize),
};
